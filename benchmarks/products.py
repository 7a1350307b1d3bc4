"""Products of the affinities with a narrow block: our kernels beside the libraries'.

    OMP_NUM_THREADS=2 python benchmarks/products.py            # beside BLAS and scipy
    OMP_NUM_THREADS=2 python benchmarks/products.py --parts    # beside simpler implementations

With ``--parts``, the time of products of all sizes and of whole solves in multiples of ours: with
threads that get work from queues instead of the standard library's pool; with numba's threads; and
without the prefetch instruction of the dense kernel. All have the same number of threads. They
take turns, and the median of the ratios within a turn is shown.
"""

from fairspectral_benchmarks.products import main

if __name__ == "__main__":
    main()
