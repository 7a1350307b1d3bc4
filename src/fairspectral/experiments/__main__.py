"""``python -m fairspectral.experiments NAME``: the engine where only the core is installed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from fairspectral.experiments.engine import reproduce
from fairspectral.experiments.items import ALL, ITEMS
from fairspectral.experiments.spec import SCALES
from fairspectral.experiments.store import DONE, Record


def main(words: Sequence[str] | None = None) -> int:
    """Parse the command line, run, and say what was written; the exit status."""
    listing = "\n".join(f"  {name:<14}{title}" for name, title in ITEMS.items())
    parser = argparse.ArgumentParser(
        prog="python -m fairspectral.experiments",
        description=f"Reproduce a table or figure of the paper:\n{listing}\n  {ALL:<14}all of them",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("name", metavar="NAME")
    parser.add_argument("--scale", choices=SCALES, default="quick")
    parser.add_argument("--out", metavar="DIR", help="default: reproduction/SCALE")
    parser.add_argument("--limit", type=float, metavar="T", help="seconds for one cell")
    parser.add_argument("--only", default="", metavar="TEXT", help="cells whose key has TEXT")
    parser.add_argument("--trials", type=int, metavar="N", help="trials at most")
    parser.add_argument("--no-figures", action="store_true")
    given = parser.parse_args(words)
    try:
        written = reproduce(
            given.name,
            scale=given.scale,
            out=given.out,
            limit=given.limit,
            only=given.only,
            trials=given.trials,
            figures=not given.no_figures,
            listener=_say,
        )
    except (OSError, ValueError, ImportError) as error:
        sys.stderr.write(f"Error: {error}\n")
        return 2
    sys.stderr.write(f"Wrote {', '.join(map(str, written))}.\n")
    return 0


def _say(record: Record) -> None:
    done = record.outcome == DONE
    end = f"{record.values['seconds']:.3g} s" if done else f"{record.outcome}: {record.note}"
    sys.stderr.write(f"{record.cell.key}  {end}\n")


if __name__ == "__main__":
    sys.exit(main())
