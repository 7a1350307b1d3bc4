"""`FairSpectralClustering`: the parameters, what a fit stores, and the report of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from fairspectral._sklearn import Interval, StrOptions, fit_context
from fairspectral.certificate import Certificate
from fairspectral.certifying import certify_model
from fairspectral.constraints import ATTRIBUTE_MODES
from fairspectral.describing.describe import LEAST_EFFECT
from fairspectral.describing.description import Description
from fairspectral.describing.fitted import describe_model
from fairspectral.estimator import FairClusteringBase
from fairspectral.later.saving import load_model
from fairspectral.parameters import check_n_jobs, refuse_booleans
from fairspectral.resampling.fitted import FRACTION, N_RESAMPLES, N_SEEDS, stability
from fairspectral.resampling.result import Stability
from fairspectral.rounding.plan import EFFORTS
from fairspectral.solvers.registry import SOLVER_NAMES
from fairspectral.validation import warn_of_ignored_y


class FairSpectralClustering(FairClusteringBase):
    """Spectral clustering in which every group gets its proportional share of every cluster.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters k.
    affinity : str, callable or operator, default="auto"
        ``"auto"`` chooses by the table and says why in ``affinity_choice_``; where a parameter
        of a kernel or `n_neighbors` is set, it takes the affinity that has it. ``"rbf"`` or any
        other kernel name of ``sklearn.metrics.pairwise``; ``"nearest_neighbors"``; ``"gower"``
        for a table of numbers, categories and missing values; ``"precomputed"`` when X holds
        the affinities themselves (dense, sparse or an operator); a function of two rows; or an
        object with ``shape``, ``dtype``, ``degrees`` and ``matmat`` (the normalised affinity
        applied to a block; see
        `AffinityOperator`). A graph object as X has its own affinities, whatever stands here.
    gamma : float, "scale" or "auto", default="scale"
        Width of the kernels that have one. ``"scale"`` is ``1 / (n_features * X.var())``,
        ``"auto"`` is ``1 / n_features``, the paper's choice for standardised features. With
        ``"gower"`` they are 2 over the median distance, and 1.
    n_neighbors : int, default=10
        For ``"nearest_neighbors"``.
    kernel_params : dict or None
        Further parameters of the kernel or of the callable.
    n_components : int or None
        Columns of the embedding; None means `n_clusters`.
    attribute_mode : {"marginal", "intersection"}, default="marginal"
        With several sensitive attributes: constrain the shares of each, or of every
        combination that occurs.
    solver : {"auto", "krylov", "admm", "lanczos", "nullspace"}, default="auto"
        The method that computes the embedding. ``"auto"`` suits nearly all problems;
        ``solve_result_.choice`` explains its choice.
    tol : float or None
        Accuracy of the solver; None is the solver's default.
    max_iter : int or None
        Largest number of iterations; None is the solver's default.
    solver_params : dict, the solver's parameter dataclass, or None
        Further parameters of the solver.
    assign_labels : {"fair", "kmeans"}, default="fair"
        ``"fair"`` guarantees the shares of every group in every cluster, and refines the cut
        within that guarantee; without sensitive features it is k-means, or the same search for
        the sizes and ``cannot_link`` that are asked for. ``"kmeans"`` is the paper's rounding:
        fair in the embedding, not in the labels, and it refuses bounds of any kind.
    fairness_tol : float, dict or None, default=0.2
        How far a group's share of a cluster may lie from its share of everyone, relatively.
        0 is proportional up to whole persons, 0.2 the four-fifths rule, None no bound. With
        several attributes, ``{"sex": 0.1, "region": 0.3}`` gives each its own.
    effort : {"fast", "default", "thorough"}, default="default"
        How long to search for fair clusters with a low cut; each takes several times as long
        as the one before.
    time_budget : float or None
        Seconds for all that follows the embedding, but for the first start of the search and
        what the bounds need: then the best so far is taken, as it is when Ctrl-C is pressed
        once. The result is repeatable only where the time was enough. A small one goes further at
        ``effort="default"`` than at ``"thorough"``, whose starts take longer to prepare. In a
        report the other tolerances of the chart share one more.
    rounding_params : dict or None
        Further arguments of `fair_assignment`: ``shares`` (quotas), ``min_cluster_size``,
        ``max_cluster_size``, ``bounds``, ``target_proportions``, ``lower``, ``upper``,
        ``refine_rounds``, ``row_scaling``.
    n_init : int, default=10
        Starts of k-means, where that rounds or where there is no search for a low cut.
    random_state : int, RandomState or None
        Makes the result repeatable: the same labels bit for bit with ``n_jobs=1``.
    dtype : numpy dtype or None
        Type of the affinities; None is float32 for those computed here and the given one for
        precomputed ones.
    memory_budget : int, str or None
        In bytes or as ``"4GB"``. A kernel that needs more is recomputed in every pass instead
        of being stored, and the Krylov solver restarts instead of using more beside it. None
        is half of the machine's memory for the kernel, or of what is free on a GPU, and about
        6 (k + 32) vectors beside it.
    device : {"cpu", "cuda", "cuda:N", "auto"} or None
        Where affinities and embedding are computed, with torch (extra ``gpu``). None is the CPU,
        or the device of X where that is a tensor; ``"auto"`` is a GPU if there is a usable one.
    checkpoint : path-like or None
        A file in which a long fit saves its state, at most every ten seconds. If the process is
        killed, the same call goes on from there to the same labels; at the end the file is
        removed. That of other data or parameters is refused.
    n_jobs : int or None
        Threads; None leaves the libraries' settings.
    verbose : int, default=0
        1 writes what is being done to standard error.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        The cluster of each sample.
    embedding_ : ndarray of shape (n, n_components)
        ``D^-1/2 H``, whose rows were rounded. Of people who were set aside, the mean row of the
        cluster where they were placed.
    eigenvalues_ : ndarray of shape (n_components,)
        Ritz values of the normalised affinity on the fair subspace, decreasing.
    audit_ : Audit
        Cluster × group shares, balance, normalised cut and the certificate; print it.
    certificate_ : Certificate
        What is claimed, for those who do not trust this library: fingerprints, every cell, the
        cut with a lower bound, the embedding with an upper bound. Computed when it is first asked
        for, in some ten to some hundred passes over the affinities; print it, or write it with
        ``to_json(path)`` for ``fairspectral verify``.
    diagnosis_ : Diagnosis
        Signs that the clusters mean little, each with what to try; print it.
    set_aside_ : SetAside
        People in components too small to be a cluster, who had no part in the embedding, and
        where they were placed; print it. Nobody is set aside where k-means rounds.
    fair_assignment_ : FairAssignment or None
        The guarantee in numbers: every cell with its bounds; None where k-means rounded.
    solve_result_ : SolveResult
        How the solver ended: status in words, history, passes, residuals; ``vectors`` is ``H``,
        of those who were not set aside.
    affinity_operator_ : AffinityOperator
        Applies the normalised affinity.
    affinity_choice_ : str
        How the samples were compared, in a sentence; for ``affinity="auto"`` also why. Where the
        affinities are not stored, that too, with the seconds that a pass takes.
    n_iter_ : int
        Iterations of the solver.
    n_features_in_ : int
        Number of features (of nodes for precomputed affinities).
    arrivals_ : tuple of ndarray of shape (h, k)
        For each attribute, the persons of each group that ``assign(..., update=True)`` placed in
        each cluster since the fit; in units of weight after a fit with weights.

    Examples
    --------
    >>> from fairspectral import FairSpectralClustering
    >>> from fairspectral.datasets import load_diabetes_patients
    >>> patients = load_diabetes_patients()
    >>> model = FairSpectralClustering(n_clusters=4, random_state=0)
    >>> labels = model.fit_predict(patients.X, sensitive_features=patients.sensitive_features)
    >>> len(set(labels.tolist()))
    4
    """

    _parameter_constraints: dict[str, Any] = {  # noqa: RUF012 - sklearn's own convention
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "affinity": "no_validation",
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"scale", "auto"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "kernel_params": [dict, None],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "attribute_mode": [StrOptions(set(ATTRIBUTE_MODES))],
        "solver": [StrOptions(set(SOLVER_NAMES))],
        "tol": [Interval(Real, 0, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left"), None],
        "solver_params": "no_validation",
        "assign_labels": [StrOptions({"fair", "kmeans"})],
        "fairness_tol": [Interval(Real, 0, None, closed="left"), Mapping, None],
        "effort": [StrOptions(set(EFFORTS))],
        "time_budget": [Interval(Real, 0, None, closed="neither"), None],
        "rounding_params": [dict, None],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "dtype": "no_validation",
        "memory_budget": "no_validation",
        "device": "no_validation",
        "checkpoint": "no_validation",
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        affinity: Any = "auto",
        gamma: float | str = "scale",
        n_neighbors: int = 10,
        kernel_params: dict[str, Any] | None = None,
        n_components: int | None = None,
        attribute_mode: str = "marginal",
        solver: str = "auto",
        tol: float | None = None,
        max_iter: int | None = None,
        solver_params: Any = None,
        assign_labels: str = "fair",
        fairness_tol: Any = 0.2,
        effort: str = "default",
        time_budget: float | None = None,
        rounding_params: dict[str, Any] | None = None,
        n_init: int = 10,
        random_state: Any = None,
        dtype: Any = None,
        memory_budget: int | str | None = None,
        device: str | None = None,
        checkpoint: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.affinity = affinity
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.attribute_mode = attribute_mode
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.solver_params = solver_params
        self.assign_labels = assign_labels
        self.fairness_tol = fairness_tol
        self.effort = effort
        self.time_budget = time_budget
        self.rounding_params = rounding_params
        self.n_init = n_init
        self.random_state = random_state
        self.dtype = dtype
        self.memory_budget = memory_budget
        self.device = device
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        constraints: Any = None,
        sample_weight: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix or tensor of shape (n, d), affinities (n, n), or graph
            The data; with an operator as `affinity` it may be None. Categories and missing values
            are for ``affinity="gower"`` and ``"auto"`` only. A graph is one of networkx,
            igraph or PyTorch Geometric (``Data``), or a `fairspectral.graphs.Graph`; its nodes
            are clustered by its edges, as with ``affinity="precomputed"``. Their weights are the
            edge attribute ``"weight"`` (``edge_weight`` in PyTorch Geometric), or 1 without one.
            ``labels_`` is in the order of its nodes: ``dict(zip(graph, model.labels_))`` with
            networkx. A torch tensor is computed with on its own device.
        y : ignored
            For scikit-learn's interface. Given without `sensitive_features` it causes a
            warning: groups do not go here.
        sensitive_features : list, array, Series, Categorical, DataFrame, tensor, dict, str or None
            The groups: one value per sample, or one column per attribute (in a dict, by
            name). For a graph also the name of a node attribute, a list of several names, or a
            dict from nodes to groups. None gives plain spectral clustering. Values belong to
            the rows of `X` by position; where both are pandas objects, their indexes must be
            equal and in the same order, or it is an error.
        sample_weight : array of shape (n,) or None
            How many people each sample stands for, as in surveys: numbers of at least 0. Shares,
            bounds, audit and certificate count weight instead of heads; the bounds are then up to
            the largest weight of a person. Weights do not change who is similar to whom. Who
            weighs 0 gets a cluster and counts nothing.
        must_link : sequence of pairs, or None
            Who must be in the same cluster. Pairs are positions of rows, or their names where X
            is a graph or a pandas table (its index).
        cannot_link : sequence of pairs, or None
            Who must not be in the same cluster. The certificate names pairs that cannot be kept
            apart. It is refused with ``assign_labels="kmeans"``.
        constraints : array of shape (n,) or (n, m), Series, DataFrame, dict or None
            Numbers of each sample, such as an age, whose mean is to be the same in every
            cluster: any n × m matrix ``C``, whose columns are centred, with
            ``C^T D^-1/2 H = 0``. They are held in the embedding by every solver; the labels
            follow it as well as they can, and ``audit_`` has the means of every cluster.

        Returns
        -------
        self
        """
        warn_of_ignored_y(y, sensitive_features)
        refuse_booleans(self.get_params(deep=False), self._parameter_constraints)
        check_n_jobs(self.n_jobs)
        threads = None if self.n_jobs is None or self.n_jobs < 1 else self.n_jobs
        with threadpool_limits(limits=threads) if threads else nullcontext():
            return self._fit(
                X, sensitive_features, constraints, sample_weight, must_link, cannot_link
            )

    def fit_predict(
        self,
        X: Any,
        y: Any = None,
        *,
        sensitive_features: Any = None,
        constraints: Any = None,
        sample_weight: Any = None,
        must_link: Any = None,
        cannot_link: Any = None,
    ) -> np.ndarray:
        """Cluster the samples and return their labels; see `fit`."""
        return self.fit(
            X,
            y,
            sensitive_features=sensitive_features,
            constraints=constraints,
            sample_weight=sample_weight,
            must_link=must_link,
            cannot_link=cannot_link,
        ).labels_

    @property
    def certificate_(self) -> Certificate:
        """What is claimed of this fit, with bounds that hold; computed when first asked for."""
        check_is_fitted(self, "labels_")
        if self._certificate is None:
            self._certificate = certify_model(self)
        return self._certificate

    def report(self, path: Any, **options: Any) -> Path:
        """Write a report as one self-contained HTML file (extra ``report``).

        Parameters
        ----------
        path : path-like
            The file to write; it appears whole or not at all.
        **options
            As in `fairspectral.report.write_report`: ``title``, ``notes``, ``frontier``, ...

        Returns
        -------
        Path
            The file written.
        """
        from fairspectral.report import write_report

        return write_report(self, path, **options)

    def describe(
        self,
        X: Any = None,
        *,
        feature_names: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        row_names: Sequence[Any] | None = None,
        most: int = 4,
        least_effect: float = LEAST_EFFECT,
    ) -> Description:
        """Say in words what distinguishes each cluster, with typical members.

        Parameters
        ----------
        X : array, sparse matrix, DataFrame or None
            The rows that were clustered, best as they were before encoding and scaling. The model
            does not keep them; with None, only sizes, groups and typical members are described,
            and the connections of a sparse graph.
        feature_names, columns, row_names, most, least_effect
            As in `fairspectral.describe`; the nodes of a graph have their own names.

        Returns
        -------
        Description
            Print it, or see its ``sentences``, ``to_frame()`` and ``plot()``.
        """
        check_is_fitted(self, "labels_")
        return describe_model(
            self,
            X,
            feature_names=feature_names,
            columns=columns,
            row_names=row_names,
            most=most,
            least_effect=least_effect,
        )

    def stability(
        self,
        n_resamples: int = N_RESAMPLES,
        *,
        n_seeds: int = N_SEEDS,
        fraction: float = FRACTION,
        effort: str = "fast",
        time_budget: float | None = None,
        random_state: Any = 0,
    ) -> Stability:
        """Say which clusters come back on resamples of the people, and with other seeds.

        Parameters
        ----------
        n_resamples, n_seeds, fraction, effort, time_budget, random_state
            As in `fairspectral.stability`.

        Returns
        -------
        Stability
            Print it, or see its ``sentences``, ``rows()`` and ``plot()``.
        """
        return stability(
            self,
            n_resamples,
            n_seeds=n_seeds,
            fraction=fraction,
            effort=effort,
            time_budget=time_budget,
            random_state=random_state,
        )

    def _html_repr(self) -> str:
        """The view in a notebook: the parameters, and the audit once fitted."""
        from fairspectral.report import repr_html

        return repr_html(self)

    # Before 1.7, scikit-learn does not ask `_html_repr` but shows its own diagram.
    def _repr_html_inner(self) -> str:
        return self._html_repr()

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle = super()._repr_mimebundle_(**kwargs)
        return bundle | {"text/html": self._html_repr()} if "text/html" in bundle else bundle


def load(path: Any) -> FairSpectralClustering:
    """Read a model that `FairSpectralClustering.save` wrote; nothing in the file is executed.

    Parameters
    ----------
    path : path-like
        The ``.npz`` file.

    Returns
    -------
    FairSpectralClustering
        It predicts, assigns, describes and has ``labels_``, ``embedding_``, ``audit_`` as before.
        The affinities and the search are not in the file, so `report` and `stability` need a fit.
    """
    return load_model(FairSpectralClustering, path)[0]
