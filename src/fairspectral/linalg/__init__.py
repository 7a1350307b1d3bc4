"""Linear algebra on blocks of vectors, independent of fairness."""
