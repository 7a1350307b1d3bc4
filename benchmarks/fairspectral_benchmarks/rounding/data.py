"""The data sets of the rounding benchmark: affinity, groups, embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity import AffinityOperator, make_operator
from fairspectral.constraints import encode_groups
from fairspectral.embedding import embed
from fairspectral.files import replacing
from fairspectral.rounding.fair import fair_assignment
from fairspectral_benchmarks.problems import Instance

LARGEST_K = 25

# The problems by the names of the tables. Kernels are RBF with gamma = 1/d; Thyroid and Census
# have standardised features.
DATA = {
    "LastFMNet": "lastfm",
    "FacebookNet": "facebook",
    "Thyroid": "thyroid-narrow",
    "Census": "census",
    "4area": "4area-published",
}

# A block model with two groups of equal size, for the peer that requires it.
SYNTHETIC = "m-SBM"
_SYNTHETIC = "msbm-two-1000x5"


@dataclass
class Problem:
    """Data with their embeddings, which are computed once and kept in a folder."""

    name: str
    operator: AffinityOperator
    groups: np.ndarray
    folder: Path

    @property
    def n(self):
        return len(self.groups)

    def embedding(self, k, *, fair=True):
        """``D^-1/2 H`` for k clusters: the first columns of one accurate solve."""
        path = self.folder / f"embedding-{self.name}-{'fair' if fair else 'plain'}.npy"
        if not path.exists():
            attributes = encode_groups(self.groups, self.n) if fair else ()
            whole, _ = embed(
                self.operator,
                attributes,
                LARGEST_K,
                solver_params={"tol": 1e-6},
                random_state=0,
            )
            self.folder.mkdir(parents=True, exist_ok=True)
            with replacing(path) as attempt, attempt.open("wb") as file:
                np.save(file, whole)  # processes that run at the same time see all of it or nothing
        return np.ascontiguousarray(np.load(path)[:, :k])


def load(name, folder):
    """The problem of a table's name; its embeddings are kept in a folder."""
    instance = Instance(DATA.get(name, _SYNTHETIC))
    data = instance.data
    if instance.kernel:
        operator = make_operator(data.X, "rbf", gamma=instance.gamma)
    else:
        operator = make_operator(data.graph, "precomputed")
    _compile_for(operator)
    return Problem(name, operator, instance.groups, folder)


def _compile_for(operator):
    """Round a tiny problem stored like this one, so that no measured time includes compiling."""
    rng = np.random.default_rng(0)
    W = rng.random((60, 60)).astype(operator.dtype)
    W = W + W.T
    toy = make_operator(sp.csr_array(W) if operator.density < 0.5 else W, "precomputed")
    fair_assignment(rng.random((60, 2)), np.arange(60) % 2, 2, affinity=toy, random_state=0)
