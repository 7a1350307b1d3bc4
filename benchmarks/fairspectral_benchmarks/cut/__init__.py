"""How low are the cuts of fair clusterings? ``python benchmarks/cut.py`` runs it."""
