"""The search for the lowest normalised cut within the bounds on shares; `partition` is its door.

The stages, each in its own file: coarser graphs (`coarsen`), annealing up through them
(`search`), a population whose members are combined (`evolve`), by their best clusters too
(`inherit`), for few nodes several populations (`apart`), and for very many nodes a population on a
coarser graph (`large`). The compiled parts
are in the files that end in ``_kernels``.
"""

from fairspectral.rounding.partition.door import Partition, partition

__all__ = ["Partition", "partition"]
