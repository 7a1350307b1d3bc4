"""Products of the affinities with a narrow block: our kernels beside the libraries'.

    OMP_NUM_THREADS=2 python benchmarks/products.py            # beside BLAS and scipy
    OMP_NUM_THREADS=2 python benchmarks/products.py --parts    # beside simpler ways to write them

With ``--parts``, products of all sizes and whole solves, how many times as long as ours they take:
with threads that are handed work by queues, in place of the standard library's pool; with numba's
threads; and without the prefetch instruction of the dense kernel. All have the same number of
threads. They take turns, and the median of the ratios within a turn counts.
"""

from fairspectral_benchmarks.products import main

if __name__ == "__main__":
    main()
