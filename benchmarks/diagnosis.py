"""The findings of the diagnosis on good and degenerate data: docs/diagnosis-tables.md.

    python benchmarks/diagnosis.py            # prints them
    python benchmarks/diagnosis.py --write    # also into the page

The paper's data are read from the folder that FAIRSPECTRAL_DATA names, and left out where it is
not set.
"""

import sys

from fairspectral_benchmarks.diagnosis import main

if __name__ == "__main__":
    sys.exit(main())
