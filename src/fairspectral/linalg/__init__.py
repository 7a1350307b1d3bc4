"""Pure kernels on blocks of vectors; they know nothing of fairness."""
