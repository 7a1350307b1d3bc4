"""Values belong to rows by position, and contradicting labels are refused."""

import numpy as np
import pandas as pd
import pytest

from fairspectral import (
    FairSpectralClustering,
    audit,
    fair_assignment,
    fair_spectral_embedding,
    fairness_frontier,
    metrics,
)
from fairspectral.baselines import PlainSpectral
from fairspectral.row_order import check_same_rows, check_same_sides, row_labels

OTHER_ORDER = "in another order than"


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    ids = [f"id{i}" for i in range(30)]
    X = pd.DataFrame(rng.random((30, 3)), index=ids, columns=list("abc"))
    return X, pd.Series(np.arange(30) % 2, index=ids, name="sex")


WAYS_IN = {
    "fit": lambda X, s: FairSpectralClustering(3, random_state=0).fit(X, sensitive_features=s),
    "fit_predict": lambda X, s: FairSpectralClustering(3).fit_predict(X, sensitive_features=s),
    "baseline": lambda X, s: PlainSpectral(3).fit(X, sensitive_features=s),
    "embedding": lambda X, s: fair_spectral_embedding(X, s, n_components=2),
    "assignment": lambda X, s: fair_assignment(X, s, 3, refine_rounds=0),
    "frontier": lambda X, s: fairness_frontier(X, s, 3, tolerances=[0.2], refine_rounds=0),
    "audit": lambda X, s: audit((X["a"] > 0.5), s),
    "metrics": lambda X, s: metrics.average_balance((X["a"] > 0.5), s),
}


@pytest.mark.parametrize("call", WAYS_IN.values(), ids=WAYS_IN)
def test_another_order_is_refused(people, call):
    X, sex = people
    with pytest.raises(ValueError, match=f"sensitive_features has row labels {OTHER_ORDER}"):
        call(X, sex.sort_index(ascending=False))
    with pytest.raises(ValueError, match=r"different from .*'x0' instead of 'id0'.*\.to_numpy\(\)"):
        call(X, sex.set_axis([f"x{i}" for i in range(30)]))


def test_usual_ways_pass(people):
    X, sex = people
    train = X.sample(frac=0.7, random_state=0).index
    repeated = X.iloc[[0, 0, 1, 2]]
    for rows, values in [
        (X, sex),
        (X.to_numpy(), sex[::-1]),  # no labels on one side: by position
        (X, sex.to_numpy()),
        (X, list(sex)),
        (X.loc[train], sex.loc[train]),
        (X, {"sex": sex, "other": sex.to_numpy()}),
        (X, sex.to_frame()),
        (repeated, sex.loc[repeated.index].iloc[:4].set_axis(repeated.index)),
        (X.reset_index(drop=True), sex.reset_index(drop=True)),
        (X, sex.astype("category")),
    ]:
        check_same_rows(rows, values, "X", "values")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda s: {"first": s.to_numpy(), "second": s[::-1]},
        lambda s: s[::-1].to_frame(),
        lambda s: s.set_axis(range(30)),  # labels on both sides, and not the same ones
        lambda s: s.set_axis([*s.index[:-1], 7]),  # labels that cannot be sorted
        lambda s: s.set_axis([s.index[0]] * 30),
    ],
    ids=["dict", "frame", "range", "mixed", "repeated"],
)
def test_every_column_is_looked_at(people, wrong):
    X, sex = people
    with pytest.raises(ValueError, match="has row labels"):
        check_same_rows(X, wrong(sex), "X", "sensitive_features")


def test_nothing_that_only_looks_like_row_labels():
    for values in ([1, 2], (1, 2), "text", np.arange(2), pd.Index([1, 2]), None):
        assert row_labels(values) is None


def test_affinities_in_two_orders(people):
    X, sex = people
    W = pd.DataFrame(np.ones((30, 30)), index=X.index, columns=X.index)
    check_same_sides(W, "W")
    check_same_sides(W.set_axis(range(30), axis=1), "W")
    turned = W[W.columns[::-1]]
    model = FairSpectralClustering(2, affinity="precomputed")
    with pytest.raises(ValueError, match="same labels on rows and columns, but in another order"):
        model.fit(turned, sensitive_features=sex)
    with pytest.raises(ValueError, match="same labels on rows and columns"):
        metrics.normalized_cut(sex, turned)
    with pytest.raises(ValueError, match=f"labels has row labels {OTHER_ORDER} affinity"):
        metrics.normalized_cut(sex[::-1], W)
    with pytest.raises(ValueError, match=f"initial_labels has row labels {OTHER_ORDER} embedding"):
        fair_assignment(X, sex, 2, initial_labels=sex[::-1])
