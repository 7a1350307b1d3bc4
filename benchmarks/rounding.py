"""Fair rounding, measured: the 60 clusterings, the choice of defaults, the peers, the scaling.

    python benchmarks/rounding.py embed [--data NAME ...]
    python benchmarks/rounding.py clusterings [--data NAME ...] [--k K ...]
    python benchmarks/rounding.py defaults [--data NAME ...] [--k K ...] [--argument NAME]
    python benchmarks/rounding.py peers [--data NAME ...] [--k K ...]
    python benchmarks/rounding.py scale
    python benchmarks/rounding.py report

Each part writes its measurements to separate files, one for each data set and k, in the folder
that ``--out`` names, so that several can run at once; ``report`` gathers them and writes the tables
of ``docs/fair-rounding-measured.md``. Embeddings are kept in the same folder; run ``embed`` first,
so that parts that run at once do not each compute them. The real data are read from the folder
that FAIRSPECTRAL_DATA names.
"""

from fairspectral_benchmarks.rounding.command import main

if __name__ == "__main__":
    main()
