"""`UFSC`: a graph, a fair embedding and the labels learnt together."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from fairspectral._sklearn import Interval, StrOptions
from fairspectral.affinity import AffinityOperator
from fairspectral.baselines._base import Baseline
from fairspectral.baselines._graph import LearnedGraph, learn_graph
from fairspectral.baselines._smooth import laplacian, smooth_signals
from fairspectral.baselines._stiefel import curvilinear_search
from fairspectral.constraints import FairnessConstraints
from fairspectral.embedding import embed
from fairspectral.linalg.orthonormal import polish
from fairspectral.parameters import parse_memory_budget
from fairspectral.progress import EMBEDDING, report
from fairspectral.rounding.kmeans import fill_empty_clusters, kmeans_labels
from fairspectral.validation import Attribute

# Mean cost of a pair of samples over the largest gain of its first weight. At 3, four round
# clusters of 1,200 samples were found as 1,197, 1, 1 and 1: the learnt graph was nearly complete,
# and the embedding of such a graph separates single outliers. At 10 and at 30 the true clusters
# were found, with a quarter and a twelfth of all pairs linked.
AUTO_COST = 10.0

# Steps of the curvilinear search in a round. W changes afterwards, so few are enough: on 1,500
# patients of Thyroid 8, 15 and 30 steps needed 35 rounds each and ended equally low.
_STEPS = 10


class UFSC(Baseline):
    """Unified fair spectral clustering of Zhang and Wang (2024, doi 10.1016/j.neucom.2024.128210).

    Minimises alternately, over smoothed signals X, a graph W, a fair embedding U, a rotation R and
    one-hot labels Q,

    ``xi/N ||X - Xo||^2 + 1/N tr(X^T L X) - alpha sum_i log d_i + beta ||W||^2
    + mu tr(U^T L U) + gamma ||Q - U R||^2``

    subject to ``F0^T U = 0``, ``U^T U = I``, ``R^T R = I``. Rows of X are samples here, and L
    is the unnormalised Laplacian of the graph that is learnt. Each part has its own exact or
    descending step, so the objective does not rise: W through its dual to a certified gap, U by a
    curvilinear search, R by an orthogonal Procrustes problem, Q by the largest entry of each row
    of ``U R``, X by a linear solve.

    Ours are the start (the fair spectral embedding of the given `affinity`, its k-means labels),
    the scale of the signals (see `signal_scale`), exact coordinate steps instead of proximal
    gradient steps on the dual of W, ``U`` held in the null space of ``F0^T`` by projection
    instead of a basis, the relative change of W in the stopping rule, and one sample for each
    label that would be empty in the end. A graph (``affinity="precomputed"``) has no signals; its
    plain spectral embedding, each coordinate of variance one, takes their place.

    It uses dense n×n matrices: two of float64 besides the affinities, 20 n^2 bytes in
    all (1 GB for 7,200 samples, 21 GB for 32,561). More than `memory_budget` is refused.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters k.
    affinity, gamma, n_neighbors :
        As in `FairSpectralClustering`: the start, and the graph on which `audit_` measures the
        cut. `gamma` is the kernel's; that of the objective is `rotation_weight`.
    degree_weight, ridge_weight, fidelity, spectral_weight, rotation_weight : float
        ``alpha``, ``beta``, ``xi``, ``mu`` and ``gamma`` of the objective.
    signal_scale : float or "auto", default="auto"
        ``Xo`` is the features times this; 1 leaves them unscaled. It decides how many pairs
        are linked. ``"auto"`` makes the mean cost of a pair ten times what its first weight can
        gain from the degrees, at any n and d; much less gives a nearly complete graph, whose
        clusters are single outliers.
    tol : float, default=1e-3
        Stop when W changes by less than this in a round, relatively.
    max_iter : int, default=40
        Largest number of rounds.
    random_state : int, RandomState or None
        Seed of the start.
    memory_budget : int, str or None
        In bytes or as ``"4GB"``; None is half of the machine's memory.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The cluster of each sample.
    embedding_ : ndarray of shape (n, k)
        ``U``: orthonormal columns with ``F0^T U = 0``.
    learned_graph_ : ndarray of shape (n, n)
        ``W``.
    signals_ : ndarray of shape (n, d)
        ``X``, smoothed over the learnt graph.
    rotation_ : ndarray of shape (k, k)
        ``R``.
    history_ : ndarray of shape (n_iter_,)
        The objective after each round.
    converged_ : bool
        Whether W converged.
    n_iter_ : int
        Rounds.
    audit_ : Audit
        Cluster × group shares, balance and normalised cut (in the given affinity).
    affinity_operator_ : AffinityOperator
        Applies the given normalised affinity.
    """

    name = "UFSC"

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012 - sklearn's own convention
        **Baseline._parameter_constraints,
        "degree_weight": [Interval(Real, 0, None, closed="neither")],
        "ridge_weight": [Interval(Real, 0, None, closed="neither")],
        "fidelity": [Interval(Real, 0, None, closed="neither")],
        "spectral_weight": [Interval(Real, 0, None, closed="left")],
        "rotation_weight": [Interval(Real, 0, None, closed="left")],
        "signal_scale": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: Any = "auto",
        gamma: float | str = "scale",
        n_neighbors: int = 10,
        degree_weight: float = 1.0,
        ridge_weight: float = 3.0,
        fidelity: float = 5.0,
        spectral_weight: float = 0.5,
        rotation_weight: float = 0.01,
        signal_scale: float | str = "auto",
        tol: float = 1e-3,
        max_iter: int = 40,
        random_state: Any = None,
        memory_budget: int | str | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.degree_weight = degree_weight
        self.ridge_weight = ridge_weight
        self.fidelity = fidelity
        self.spectral_weight = spectral_weight
        self.rotation_weight = rotation_weight
        self.signal_scale = signal_scale
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.memory_budget = memory_budget

    def _check_size(self, n_samples: int) -> None:
        needed, budget = 20 * n_samples**2, parse_memory_budget(self.memory_budget)
        if needed > budget:
            raise ValueError(
                f"{self.name} holds dense matrices of {n_samples} × {n_samples} and needs "
                f"{needed / 1e9:.2g} GB, more than the memory budget of {budget / 1e9:.2g} GB; "
                "pass fewer samples, or a larger memory_budget if the machine has it."
            )

    def _scaled(self, signals: np.ndarray) -> np.ndarray:
        """``Xo`` from the given signals."""
        if not isinstance(self.signal_scale, str):
            return self.signal_scale * signals
        n = len(signals)
        mean_cost = 2 * np.sum(signals.var(axis=0)) / n
        # The gain of the first weight of a pair of samples at distance zero.
        barrier = np.sqrt(8 * self.degree_weight * self.ridge_weight / (n - 1))
        return signals * np.sqrt(AUTO_COST * barrier / mean_cost) if mean_cost > 0 else signals

    def _start(
        self,
        operator: AffinityOperator,
        attributes: tuple[Attribute, ...],
        observed: np.ndarray,
        fixed: np.ndarray,
        rng: np.random.RandomState,
    ) -> State:
        k = self.n_clusters
        rows, _ = embed(operator, attributes, k, name="n_clusters", random_state=rng)
        U = polish(np.linalg.qr(rows)[0], fixed)
        labels = kmeans_labels(U, k, n_init=1, random_state=rng)
        return State(observed, U, procrustes(U, labels), labels)

    def _cluster(
        self,
        features: Any,
        operator: AffinityOperator,
        attributes: tuple[Attribute, ...],
        rng: np.random.RandomState,
    ) -> str:
        report(EMBEDDING, 0.0)
        weights = Weights(
            self.degree_weight,
            self.ridge_weight,
            self.fidelity,
            self.spectral_weight,
            self.rotation_weight,
        )
        observed = self._scaled(_signals(features, operator, self.n_clusters, rng))
        fixed = _fair_normals(attributes, operator.shape[0])
        state = self._start(operator, attributes, observed, fixed, rng)
        history: list[float] = []
        change = np.inf
        spare = None
        while change > self.tol and len(history) < self.max_iter:
            change, spare = state.improve(observed, fixed, weights, spare)
            history.append(state.objective(observed, weights))
            report(EMBEDDING, len(history) / self.max_iter)
        report(EMBEDDING, 1.0)
        self.converged_ = bool(change <= self.tol) and state.graph.converged
        status = f"{self.name}: the graph changed by {change:.1e} in round {len(history)}"
        if not self.converged_:
            advice = "raise max_iter or tol"
            if not state.graph.converged:
                advice = f"it is {state.graph.gap:.1e} from optimal, so lower signal_scale"
            warnings.warn(f"{status}; {advice}.", ConvergenceWarning, stacklevel=3)
        self.labels_ = fill_empty_clusters(state.U, state.labels, self.n_clusters)
        self.embedding_ = state.U
        self.learned_graph_ = state.graph.weights
        self.signals_ = state.X
        self.rotation_ = state.R
        self.history_ = np.array(history)
        self.n_iter_ = len(history)
        return f"{status}, objective {history[-1]:.6g}"


@dataclass(frozen=True)
class Weights:
    """The weights of the objective, under the names of the paper."""

    alpha: float
    beta: float
    xi: float
    mu: float
    gamma: float


@dataclass
class State:
    """The five unknowns; Q is kept as labels.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    U : ndarray of shape (n, k)
    R : ndarray of shape (k, k)
    labels : ndarray of shape (n,)
    graph : LearnedGraph or None
        None before the first round.
    """

    X: np.ndarray
    U: np.ndarray
    R: np.ndarray
    labels: np.ndarray
    graph: Any = None

    def improve(
        self,
        observed: np.ndarray,
        fixed: np.ndarray,
        weights: Weights,
        spare: np.ndarray | None,
    ) -> tuple[float, np.ndarray | None]:
        """One round: each unknown in turn, with the others held.

        Returns
        -------
        change : float
            ``||W - W_old|| / ||W_old||``; infinite in the first round.
        spare : ndarray of shape (n, n) or None
            The memory of ``W_old``, for the next round.
        """
        previous: LearnedGraph | None = self.graph
        # The two terms that are linear in W are squared distances, between rows of X and of U.
        points = np.hstack([self.X / np.sqrt(len(self.X)), np.sqrt(weights.mu) * self.U])
        self.graph = learn_graph(
            points,
            degree_weight=weights.alpha,
            ridge_weight=weights.beta,
            duals=None if previous is None else previous.duals,
            out=spare,
        )
        W, d = self.graph.weights, self.graph.degrees
        search = curvilinear_search(
            lambda block: weights.mu * laplacian(W, d, block),
            weights.gamma * self.R.T[self.labels],  # Q R^T
            self.U,
            fixed,
            max_iter=_STEPS,
        )
        self.U = search.vectors
        self.R = procrustes(self.U, self.labels)
        self.labels = np.argmax(self.U @ self.R, axis=1)
        self.X = smooth_signals(W, d, observed, weights.xi, self.X)
        if previous is None:
            return np.inf, None
        return _relative_change(W, previous.weights), previous.weights

    def objective(self, observed: np.ndarray, weights: Weights) -> float:
        """The whole of it."""
        W, d = self.graph.weights, self.graph.degrees
        n, k = self.U.shape
        smoothness = partial(_quadratic_form, W, d)
        Q = np.eye(k)[self.labels]
        with np.errstate(divide="ignore"):  # a graph far from solved may have isolated nodes
            barrier = -np.sum(np.log(d))
        return float(
            weights.xi / n * np.sum((self.X - observed) ** 2)
            + smoothness(self.X) / n
            + weights.alpha * barrier
            + weights.beta * np.vdot(W, W)
            + weights.mu * smoothness(self.U)
            + weights.gamma * np.sum((Q - self.U @ self.R) ** 2)
        )


def procrustes(U: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The orthogonal R that minimises ``||Q - U R||``: from ``Q^T U = A S B^T``, ``R = B A^T``."""
    Q = np.eye(U.shape[1])[labels]
    A, _, Bt = np.linalg.svd(Q.T @ U)
    return Bt.T @ A.T


def _quadratic_form(W: np.ndarray, degrees: np.ndarray, block: np.ndarray) -> float:
    return float(np.sum(block * laplacian(W, degrees, block)))


def _relative_change(new: np.ndarray, old: np.ndarray) -> float:
    """``||new - old|| / ||old||`` without a third matrix; accurate to about 1e-7."""
    size = np.vdot(old, old)
    return float(np.sqrt(max(0.0, np.vdot(new, new) - 2 * np.vdot(new, old) + size) / size))


def _fair_normals(attributes: tuple[Attribute, ...], n: int) -> np.ndarray:
    """An orthonormal basis of the range of ``F0``, shape (n, r), independent of the degrees."""
    if not attributes:
        return FairnessConstraints.none(n).basis
    return FairnessConstraints.from_attributes(attributes, np.ones(n)).basis


def _signals(
    features: Any, operator: AffinityOperator, k: int, rng: np.random.RandomState
) -> np.ndarray:
    """``Xo``, shape (n, d): the features, or the coordinates of a graph's plain embedding."""
    if features is not None:
        dense = features.toarray() if sp.issparse(features) else features
        return np.asarray(dense, dtype=np.float64)
    rows, _ = embed(operator, (), max(k, 2), random_state=rng)
    coordinates = rows[:, 1:]  # the first one is constant
    return (coordinates - coordinates.mean(axis=0)) / coordinates.std(axis=0)
