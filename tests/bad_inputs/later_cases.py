"""People who come later, files of models, certificates, and requests that cannot be kept."""

from __future__ import annotations

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from bad_input_case import WORKS, Call, K, N, plain, two_groups

from fairspectral import FairSpectralClustering, load, verify_certificate

LATER = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]])


def fit(
    rounding: dict[str, Any] | None = None,
    groups: Any = None,
    params: dict[str, Any] | None = None,
    **given: Any,
) -> Any:
    """A quick fit."""
    quick = {"affinity": "rbf", "n_init": 1, "random_state": 0}
    asked = {"refine_rounds": 5, **(rounding or {})}
    model = FairSpectralClustering(K, rounding_params=asked, **{**quick, **(params or {})})
    return model.fit(plain(), sensitive_features=groups, **given)


@cache
def model() -> Any:
    return fit(groups=two_groups())


@cache
def certificate() -> str:
    return model().certificate_.to_json()


def verify(change: Any = None, **given: Any) -> Any:
    """Verify the model's certificate, or another one, with some arguments changed."""
    usual = {"labels": model().labels_, "X": plain(), "sensitive_features": two_groups()}
    claims = json.loads(certificate()) if change is None else change
    return verify_certificate(claims, **{**usual, **given})


def refused_for(part: str, **given: Any) -> bool:
    """Whether the certificate is refused, and this part of it named."""
    found = verify(**given)
    return not found and part in {check.part for check in found.wrong}


def read(content: bytes) -> Any:
    """Load a file of these bytes."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.npz").write_bytes(content)
        return load(Path(folder, "model.npz"))


def saved() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return Path(model().save(Path(folder, "model.npz"))).read_bytes()


def one_sentence(call: Any) -> Any:
    """A call whose error names a temporary file: the sentence without its folder."""

    def named() -> Any:
        try:
            return call()
        except ValueError as error:
            raise ValueError(f"model.npz{str(error).partition('model.npz')[2]}") from None

    return named


def one(name: str, call: Any, outcome: str = WORKS) -> Call:
    return Call(f"later: {name}", call, outcome)


NO_MODEL = (
    "model.npz is not a model that fairspectral saved, or it is damaged; save the model again with "
    "model.save."
)
TABLE = "X must be a table with one row per sample and one column per feature, but it is"
ONE_COLUMN = "for a single feature use X.reshape(-1, 1)."
KMEANS = (
    'needs the fair rounding, but assign_labels="kmeans" keeps no bounds; use '
    'assign_labels="fair", or leave it out.'
)
NO_GROUPS = (
    "is about the shares of groups, but there are no groups; pass sensitive_features, or leave it "
    "out."
)
BY_KMEANS = {"assign_labels": "kmeans"}
COVARIATE = "constraints column 'covariate' has"
LATERS = [
    one("two people", lambda: len(model().predict(LATER)) == 2),
    one("two people in groups",
      lambda: model().assign(LATER, sensitive_features=["f", "m"]).within_bounds),
    one("no table", lambda: model().predict(None), f"{TABLE} a single NoneType; {ONE_COLUMN}"),
    one("text", lambda: model().predict([["a", "b", "c"]]),
      "X contains text at row 0, column 0 ('a'); encode categories as numbers first (for example "
      "with sklearn.preprocessing.OneHotEncoder)."),
    one("infinite", lambda: model().predict(LATER * np.inf),
      "X contains infinity at row 0, column 0; fill or drop missing values (for example with "
      "sklearn.impute.SimpleImputer) before fitting."),
    one("complex", lambda: model().predict(LATER * 1j),
      "Complex data not supported; pass real numbers, such as the real and imaginary parts as two "
      "columns."),
    one("nobody", lambda: model().predict(LATER[:0]),
      "X has 0 sample(s) (shape=(0, 3)) while a minimum of 1 is required; pass more rows."),
    one("a missing group", lambda: model().assign(LATER, sensitive_features=["f", None]),
      "sensitive_features column 'group' has 1 missing value(s), the first at row 1; fill them "
      "with a category of their own or drop those rows."),
    one("no groups", lambda: model().assign(LATER, sensitive_features=None),
      "assign keeps the shares of groups, so it needs the groups of the new people; pass them as "
      "sensitive_features, or use predict, which needs none."),
    one("a file", lambda: (read(saved()).predict(plain()) == model().labels_).all()),
    one("a file of another kind", lambda: model().save("model.pkl"),
      "the model file 'model.pkl' must end in .npz; rename it."),
    one("half a file", one_sentence(lambda: read(saved()[:2000])), NO_MODEL),
    one("an empty file", one_sentence(lambda: read(b"")), NO_MODEL),
    one("a file of text", one_sentence(lambda: read(b"a,b\n1,2\n")), NO_MODEL),
    one("verified", lambda: bool(verify())),
    one("no certificate", lambda: verify("c.json"),
      "the certificate is a str; pass model.certificate_, or the dict that json.load reads from "
      "its file."),
    one("an empty certificate", lambda: verify({}),
      "this is not a certificate of fairspectral; pass the JSON that cluster --certificate or "
      "model.certificate_.to_json() wrote."),
    one("a certificate without labels",
      lambda: verify({n: x for n, x in json.loads(certificate()).items() if n != "labels"}),
      "the part 'the certificate' of the certificate is not complete, or has something of its own "
      "(labels); pass the file as cluster --certificate wrote it."),
    one("labels that are missing", lambda: verify(labels=[np.nan] * N),
      "labels has 30 missing value(s), the first at row 0; fill them with a category of their own "
      "or drop those rows."),
    one("too few labels", lambda: refused_for("data", labels=model().labels_[1:])),
    one("other data", lambda: refused_for("data", X=plain() + 1)),
    one("no groups to verify", lambda: refused_for("groups", sensitive_features=None)),
    one("weights to verify", lambda: refused_for("weights", sample_weight=np.arange(N) + 1)),
    one("links to verify", lambda: refused_for("links", must_link=[(0, 1)])),
    one("links to verify without memory", lambda: verify(must_link=[(0, 1)], memory_budget=1),
      "people with links can be verified only with affinities that are held in memory, and these "
      "are recomputed in every pass; pass a larger memory_budget."),
    *(one(f"constraints: {name}", lambda c=c: fit(constraints=c), f"{COVARIATE} {wrong}")
      for name, c, wrong in (
        ("constant", np.ones(N), "the same number for everyone, so its mean is equal in all "
         "clusters anyway; leave it out."),
        ("NaN", [np.nan, *range(N - 1)], "a missing or infinite number at row 0; fill it, for "
         "example with the mean, or drop the row."),
        ("text", ["a"] * N, "values that are not numbers; pass groups as sensitive_features, and "
         "here numbers whose means are to be equal in all clusters."),
        ("too few", np.arange(5.0), "5 values but the data has 30 samples; pass exactly one number "
         "per sample, in the same order."))),
    *(one(f"constraints and {name}", lambda given=given: fit(constraints=np.arange(N), **given),
        "constraints cannot be combined with sample_weight, must_link or cannot_link; leave out "
        "one or the other.")
      for name, given in (("weights", {"sample_weight": np.arange(N) + 1}),
                          ("links", {"must_link": [(0, 1)]}))),
    *(one(f"k-means: {name}", lambda asked={name: given}: fit(asked, two_groups(), BY_KMEANS),
          f"{name} {KMEANS}")
      for name, given in (("min_cluster_size", 5), ("max_cluster_size", 20), ("lower", {"f": 0.4}),
                          ("shares", {"group": {"f": 0.5}}))),
    one("k-means: apart", lambda: fit(params=BY_KMEANS, cannot_link=[(0, 1)]),
      f"cannot_link {KMEANS}"),
    one("k-means: tolerances",
      lambda: fit(None, two_groups(), {**BY_KMEANS, "fairness_tol": {"group": 0.1}}),
      f"fairness_tol by attribute {KMEANS}"),
    one("no groups: sizes", lambda: max(np.bincount(fit({"max_cluster_size": 16}).labels_)) <= 16),
    one("no groups: apart",
      lambda: len(set(fit(cannot_link=[(0, 1)]).labels_[:2])) == 2),
    one("no groups: shares", lambda: fit({"shares": {"f": 0.5}}), f"shares {NO_GROUPS}"),
    one("no groups: tolerances", lambda: fit(params={"fairness_tol": {"sex": 0.1}}),
      f"fairness_tol by attribute {NO_GROUPS}"),
    one("no groups: a size that is too small", lambda: fit({"max_cluster_size": 3}),
      "max_cluster_size=3 is not possible with 30 persons in 2 clusters, of which one has at least "
      "15; pass at least 15, or more clusters."),
]  # fmt: skip
