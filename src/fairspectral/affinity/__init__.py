"""How to apply the normalised affinity ``M`` to a block of vectors, one operator per file."""

from fairspectral.affinity.base import AffinityOperator, is_operator
from fairspectral.affinity.build import make_operator
from fairspectral.affinity.dask_sparse import distribute_graph
from fairspectral.affinity.dense import DenseOperator
from fairspectral.affinity.kernel import KernelOperator
from fairspectral.affinity.sparse import SparseOperator

__all__ = [
    "AffinityOperator",
    "DenseOperator",
    "KernelOperator",
    "SparseOperator",
    "distribute_graph",
    "is_operator",
    "make_operator",
]
