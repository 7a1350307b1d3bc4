"""The affinities side by side on tables with and without known classes: docs/affinity.md
and docs/affinity-tables.md.

    python benchmarks/affinities.py            # prints the tables, in a few minutes
    python benchmarks/affinities.py --write    # also into the pages

The paper's data are read from the folder that FAIRSPECTRAL_DATA names, and left out where it is
not set; the pages have them.
"""

import sys

from fairspectral_benchmarks.affinities import main

if __name__ == "__main__":
    sys.exit(main())
