"""Fits on a GPU, measured; ``python benchmarks/gpu.py`` runs it."""
