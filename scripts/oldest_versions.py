"""Print a constraints file that pins the oldest version of everything a user may install.

`make test-oldest` installs with it, so that the declared oldest versions are tested. Development
tools (tests, docs) are not pinned.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"
TOOLS = {"docs", "test", "dev"}
# The name, extras in brackets, and the version after ">=".
MINIMUM = re.compile(r"^(?P<name>[\w.-]+)(\[[\w,-]+\])?\s*>=\s*(?P<version>[\d.]+)")


def oldest_versions(pyproject: Path = PYPROJECT) -> dict[str, str]:
    """The smallest version allowed of every dependency, by its name."""
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    requirements = list(project["dependencies"])
    for extra, lines in project["optional-dependencies"].items():
        requirements += lines if extra not in TOOLS else []
    matches = (MINIMUM.match(line) for line in requirements)
    return {match["name"]: match["version"] for match in matches if match}


if __name__ == "__main__":
    for name, version in oldest_versions().items():
        sys.stdout.write(f"{name}=={version}\n")
