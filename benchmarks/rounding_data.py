"""The data sets as the rounding benchmark uses them: affinity, groups, embeddings."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from fairspectral.affinity import make_operator
from fairspectral.constraints import encode_groups
from fairspectral.datasets import (
    fetch_4area,
    fetch_census,
    fetch_facebook,
    fetch_lastfm,
    fetch_thyroid,
    make_msbm,
)
from fairspectral.embedding import embed
from fairspectral.files import replacing
from fairspectral.rounding.fair import fair_assignment

LARGEST_K = 25

# Kernels are RBF with gamma = 1/d; Thyroid and Census have standardised features.
DATA = {
    "LastFMNet": fetch_lastfm,
    "FacebookNet": fetch_facebook,
    "Thyroid": fetch_thyroid,
    "Census": fetch_census,
    "4area": fetch_4area,
}

# A block model with two groups of equal size, for the peer that is made for such.
SYNTHETIC = "m-SBM"


@dataclass
class Problem:
    """Data with their embeddings, which are computed once and kept in a folder."""

    name: str
    operator: object
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
            # Whoever runs beside this one sees all of it or nothing.
            with replacing(path) as attempt, attempt.open("wb") as file:
                np.save(file, whole)
        return np.ascontiguousarray(np.load(path)[:, :k])


def load(name, folder):
    if name == SYNTHETIC:
        data = make_msbm(1000, 5, 2, probabilities=(0.5, 0.3, 0.2, 0.1), random_state=0)
    else:
        data = DATA[name]()
    if data.graph is not None:
        operator = make_operator(data.graph, "precomputed")
    else:
        operator = make_operator(data.X, "rbf", gamma=1.0 / data.X.shape[1])
    _compile_for(operator)
    return Problem(name, operator, data.sensitive_features, folder)


def _compile_for(operator):
    """Round a toy stored like this operator, so that no measured time holds a compilation."""
    rng = np.random.default_rng(0)
    W = rng.random((60, 60)).astype(operator.dtype)
    W = W + W.T
    toy = make_operator(sp.csr_array(W) if operator.density < 0.5 else W, "precomputed")
    fair_assignment(rng.random((60, 2)), np.arange(60) % 2, 2, affinity=toy, random_state=0)
