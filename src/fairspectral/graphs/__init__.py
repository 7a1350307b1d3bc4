"""Graphs as people have them: networkx, igraph, PyTorch Geometric, and edge lists."""

from fairspectral.graphs.convert import from_igraph, from_networkx, from_pyg
from fairspectral.graphs.edges import from_edges
from fairspectral.graphs.graph import Graph

__all__ = ["Graph", "from_edges", "from_igraph", "from_networkx", "from_pyg"]
