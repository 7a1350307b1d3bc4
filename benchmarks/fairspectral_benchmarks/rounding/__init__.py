"""Fair rounding, measured; ``python benchmarks/rounding.py`` runs it."""
