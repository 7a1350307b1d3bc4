"""A kernel without its matrix: passes beside what their arithmetic costs, fits beside stored ones.

    python benchmarks/kernel.py                  # passes, in one thread
    python benchmarks/kernel.py --fits [NAME ...]   # whole fits, each in a process of its own

``--fits`` takes the names of problems with features (4area, census, thyroid, ``census@10000``, and
``blobs-20000x10`` for n made points with d features) and tells processor time, wall time, peak
memory above that of an empty fit, objective and cut, with the matrix and without.
"""

from fairspectral_benchmarks.kernel import main

if __name__ == "__main__":
    main()
