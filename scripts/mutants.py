"""How many mutants the tests killed, file by file, and those that survived (`make mutate`).

mutmut leaves the exit status of the tests for each mutant beside the mutated file. A failing or a
crashing test has noticed the change. Everything else counts as a survivor: passing tests, mutants
that no test reaches, and tests that were only too slow.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from mutmut.__main__ import get_diff_for_mutant

MUTATED = Path("mutants/src")
NEEDED = 0.85
FAILED, CRASHED = {1, 3}, {-6, -11}


def main() -> None:
    """Print the table and the survivors; fail where too few are killed."""
    survivors: list[str] = []
    killed = total = 0
    print("| file | mutants | killed | share |\n|---|---|---|---|")
    for meta in sorted(MUTATED.rglob("*.py.meta")):
        statuses = json.loads(meta.read_text(encoding="utf-8"))["exit_code_by_key"]
        if None in statuses.values():
            sys.exit(f"{meta} has mutants that were not tried; run `make mutate` to its end.")
        alive = [name for name, code in statuses.items() if code not in FAILED | CRASHED]
        print(row(str(meta.relative_to(MUTATED)).removesuffix(".meta"), len(alive), len(statuses)))
        survivors += alive
        killed, total = killed + len(statuses) - len(alive), total + len(statuses)
    if not total:
        sys.exit(f"no mutants under {MUTATED}; run `make mutate`.")
    print(row("all", total - killed, total))
    for name in survivors:
        print(f"\n{name}\n{changed_lines(name)}")
    if killed < NEEDED * total:
        sys.exit(f"\n{killed} of {total} mutants were killed; {NEEDED:.0%} are needed.")


def row(name: str, alive: int, total: int) -> str:
    """One line of the table."""
    killed = total - alive
    return f"| {name} | {total} | {killed} | {killed / max(total, 1):.1%} |"


def changed_lines(mutant: str) -> str:
    """What the mutant changes, without the lines around it."""
    lines = get_diff_for_mutant(mutant).splitlines()
    return "\n".join(x for x in lines if x[:1] in ("+", "-") and x[:3] not in ("+++", "---"))


if __name__ == "__main__":
    main()
