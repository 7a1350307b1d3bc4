"""The paper's tables and figures, the benchmarks, and the code that they share.

``paper``, ``solvers``, ``rounding`` and ``diagnosis`` each measure something. The modules beside
them are used by several: problems by name, the score of an embedding, worker processes, files of
results, the description of the machine, tables and figures of the pages.
"""
