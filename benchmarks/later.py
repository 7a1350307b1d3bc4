"""People who come later, measured: docs/later.md.

    python benchmarks/later.py            # prints the tables, in about half an hour
    python benchmarks/later.py --write    # also into the page
    python benchmarks/later.py thyroid    # these data only

The paper's data are read from the folder that FAIRSPECTRAL_DATA names.
"""

import sys

from fairspectral_benchmarks.later import main

if __name__ == "__main__":
    sys.exit(main())
