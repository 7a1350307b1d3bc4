"""Graphs made to mislead the default solver; ``python benchmarks/stress.py`` runs it."""
