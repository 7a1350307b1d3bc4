"""Solvers side by side at equal quality; ``python benchmarks/solvers.py`` runs it."""
