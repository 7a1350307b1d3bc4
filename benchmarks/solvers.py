"""Solvers side by side at equal quality: the time to a relative objective gap of 1e-3.

    python benchmarks/solvers.py             # everything; resumes where it was interrupted
    python benchmarks/solvers.py --quick     # small problems, a minute
    python benchmarks/solvers.py --only randlaplace-10000 --solver krylov --force
    python benchmarks/solvers.py --report    # tables and plot from the stored results

Each cell (problem, solver) runs in a process of its own; its result is stored at once, in
docs/benchmarks.json (with --quick in bench-quick/), from which the tables of docs/benchmarks.md
and docs/benchmarks-tables.md and their pictures are written.
"""

from fairspectral_benchmarks.solvers.command import main

if __name__ == "__main__":
    main()
