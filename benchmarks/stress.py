"""Is every claim of the default solver true? Graphs made to mislead it, one command.

    python benchmarks/stress.py                       # all runs, about a quarter of an hour
    python benchmarks/stress.py --quick               # one seed, three tolerances
    python benchmarks/stress.py --constant gap.CAUTION 1 1.5 2 3   # where a constant came from
    PYTHONPATH=../old/src python benchmarks/stress.py --label before  # another version, beside it

Every run asks for a gap and notes the gap that the solver claims and the true one, from a dense
eigendecomposition in float64. A claim is wrong where the solver says "converged" and the true gap
is larger than the one it claims and than what was asked for. Runs are kept in a file as they
finish, and a run that is there is not repeated; `--report` writes table and picture into docs/.
"""

from fairspectral_benchmarks.stress.command import main

if __name__ == "__main__":
    main()
