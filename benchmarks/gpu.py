"""Fits on a GPU by stages, beside what the card could do at most, and beside other ways.

    python benchmarks/gpu.py                       # all of it, on the first GPU
    python benchmarks/gpu.py --part fits ceilings  # only these parts
    python benchmarks/gpu.py --report              # and write the tables into docs/gpu.md
    python benchmarks/gpu.py --small               # a trial, on the CPU if there is no GPU

The parts are `fits` (a million points with the exact kernel, 200,000 points, 4area, Census, a
million points by neighbours), `ceilings` (what the device can compute and move, measured, and what
a pass would take at these rates) and `peers` (the CPU, scikit-learn without fairness, torch's
lobpcg, KeOps if it is installed). 4area and Census need FAIRSPECTRAL_DATA.
"""

from fairspectral_benchmarks.gpu.command import main

if __name__ == "__main__":
    main()
