"""How time and memory grow with the number of people, on each path, each size in its own process.

    python benchmarks/scaling.py                       # 10,000 to 1,000,000 people; half an hour
    python benchmarks/scaling.py --path neighbours --sizes 100000 1000000
    python benchmarks/scaling.py --seeds 3             # more than one seed: the cut's spread
    python benchmarks/scaling.py --neighbours 100000   # the searches for neighbours side by side
    python benchmarks/scaling.py --report              # table and picture into docs/scaling.md

Runs are kept in a file as they finish, and a run that is there is not repeated. Seconds depend on
what else the machine does; the processor's seconds are beside them.
"""

from fairspectral_benchmarks.scaling.command import main

if __name__ == "__main__":
    main()
