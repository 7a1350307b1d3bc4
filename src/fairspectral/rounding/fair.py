"""Fair rounding: labels whose group shares are guaranteed in every cluster, at a low cut.

`fair_assignment` checks a user's request and makes a plan of it, which `follow` carries out.
"""

from __future__ import annotations

from typing import Any

from fairspectral.rounding.follow import follow_plan
from fairspectral.rounding.inputs import check_inputs
from fairspectral.rounding.plan import plan_rounding
from fairspectral.rounding.result import FairAssignment


def fair_assignment(
    embedding: Any,
    sensitive_features: Any,
    n_clusters: int | None = None,
    *,
    fairness_tol: Any = 0.2,
    bounds: str = "two-sided",
    shares: Any = None,
    target_proportions: Any = None,
    lower: Any = None,
    upper: Any = None,
    attribute_mode: str = "marginal",
    min_cluster_size: int | None = None,
    max_cluster_size: int | None = None,
    affinity: Any = None,
    refine_rounds: int | None = None,
    effort: str = "default",
    time_budget: float | None = None,
    row_scaling: str = "auto",
    sample_weight: Any = None,
    centroids: Any = None,
    initial_labels: Any = None,
    n_init: int = 10,
    random_state: Any = None,
) -> FairAssignment:
    """Cluster the rows of an embedding so that every group has its share of every cluster.

    Parameters
    ----------
    embedding : array of shape (n, d)
        Rows to cluster; for spectral clustering the rows of ``D^-1/2 H``.
    sensitive_features : array of shape (n,) or (n, a), Series, DataFrame or str
        The group of each person, in one or several attributes; where `affinity` is a graph, also
        the name of a node attribute.
    n_clusters : int or None
        None: as many as the embedding has columns, or as there are centroids.
    fairness_tol : float, None or mapping from attribute to float or None
        Allowed relative deviation of a group's share in a cluster from the target: 0 means
        proportional up to whole persons, 0.2 is the four-fifths rule, None sets no bounds. With
        several attributes, ``{"sex": 0.1, "region": 0.3}`` gives each its own.
    bounds : {"two-sided", "lower"}
        ``"lower"`` forbids too few of a group but not too many.
    shares : mapping or None
        Quotas, by attribute and group: ``{"sex": {"f": (0.4, 0.6)}}`` asks for 40 to 60 % of
        group f in every cluster, ``(0.4, None)`` for at least 40 %, and a single number for
        that share within the tolerance. Groups that are not named keep the tolerance; where
        only one is left, it has what the others leave it. Of one attribute the inner mapping
        is enough.
    target_proportions : array of shape (h,), mapping from group to share, or None
        Shares to aim at; None means the population's own.
    lower, upper : array of shape (h,), mapping from group to share, or None
        Least and largest share of a group in every cluster, in place of the tolerance's.
        With several attributes these three map attribute names to such values.
    attribute_mode : {"marginal", "intersection"}
        Several attributes: bound the shares of each attribute, or of each combination.
    min_cluster_size : int or None
        Floor on the size of every cluster; None means a tenth of ``n / n_clusters``.
    max_cluster_size : int or None
        Ceiling on it; None means none.
    affinity : array, sparse matrix, AffinityOperator, graph or None
        Enables the refinement on the normalised cut. Without it the k-means cost is refined
        instead, if there are few rows.
    refine_rounds : int or None
        On dense affinities how often the search perturbs a local optimum and tries again; on
        sparse graphs its steps, in hundredths of the default. 0 only makes the moves and swaps
        that lower the cut of the start; None leaves it to `effort`.
    effort : {"fast", "default", "thorough"}
        How long to search for a low cut; each takes several times as long as the one before.
    time_budget : float or None
        Seconds for the whole rounding, but for its first start and what the bounds need: then
        the best so far is taken, and the result is not repeatable. Ctrl-C, once, has the same
        effect.
    row_scaling : {"auto", "none", "unit", "degree"}
        Rows of unit length or weighted by degree; ``"auto"`` takes unit rows for sparse graphs,
        degrees for other affinities, neither without an affinity.
    sample_weight : array of shape (n,) or None
        Weight of each person in the k-means cost; shares count heads.
    centroids : array of shape (k, d) or None
        Assign to these, in place of k-means and its updates.
    initial_labels : array of shape (n,) or None
        A clustering to start from, in place of k-means; for example that of a tighter tolerance.
    n_init : int
        Starts of k-means.
    random_state : int, RandomState or None
        Seed.

    Returns
    -------
    FairAssignment
        Labels, the table of cells with its bounds, costs, and the certificate.

    Raises
    ------
    ValueError
        If the request is impossible; the message gives the closest possible one.
    """
    inputs = check_inputs(
        embedding,
        sensitive_features,
        n_clusters,
        attribute_mode=attribute_mode,
        affinity=affinity,
        sample_weight=sample_weight,
        centroids=centroids,
        initial_labels=initial_labels,
        n_init=n_init,
    )
    plan = plan_rounding(
        inputs.attributes,
        inputs.n_clusters,
        fairness_tol=fairness_tol,
        bounds=bounds,
        shares=shares,
        target_proportions=target_proportions,
        lower=lower,
        upper=upper,
        min_cluster_size=min_cluster_size,
        max_cluster_size=max_cluster_size,
        refine_rounds=refine_rounds,
        row_scaling=row_scaling,
        effort=effort,
        time_budget=time_budget,
    )
    return follow_plan(
        plan,
        inputs.rows,
        affinity=inputs.affinity,
        sample_weight=sample_weight,
        centroids=inputs.centroids,
        initial_labels=initial_labels,
        n_init=n_init,
        random_state=random_state,
    )
