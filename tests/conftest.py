"""How the tests run: set before numpy and scipy are imported."""

import os

# One BLAS thread for each test process: they run side by side, and a result must be the same
# bit for bit. And scikit-learn's check of array API input is skipped without the last one.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("SCIPY_ARRAY_API", "1")
