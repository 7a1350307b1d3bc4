"""Check that a commit can be released: build it, install it in a bare environment, and use it.

    make release-check

1. The version is the same in the package, the changelog and the citation.
2. The sdist holds every file that git tracks and no other; the wheel holds the package alone.
3. The wheel with its extra `cli` is installed in an empty environment.
4. From there, outside the tree: the command, the demo, the doctests.
5. The blocks of the README, with networkx, whose graph one of them clusters.
6. The local page, with the extra `app`: it opens, and the browser gets all of its files.

The sdist and the wheel are left in `dist/`, ready to be uploaded.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import HTTPCookieProcessor, build_opener

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
PACKAGE = "src/fairspectral/"


def main() -> None:
    """Run the steps; the first failure ends the check."""
    version = check_version()
    sdist, wheel = build(version)
    check_contents(sdist, wheel)
    with tempfile.TemporaryDirectory() as folder:
        use_installed(wheel, Path(folder), version)
    print(f"\nfairspectral {version} can be released: {sdist.name}, {wheel.name} in dist/")


def check_version() -> str:
    """The version of the package, which the other files must name too."""
    version = find("src/fairspectral/__init__.py", r'^__version__ = "(.+)"$')
    for file, pattern in (
        ("CHANGELOG.md", r"^## (\S+)"),
        ("CITATION.cff", r"^version: (\S+)$"),
    ):
        if find(file, pattern) != version:
            sys.exit(f"{file} names version {find(file, pattern)}, the package is {version}.")
    return version


def find(file: str, pattern: str) -> str:
    """The first match of a pattern in a file."""
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.M)
    return found[1] if found else "(none)"


def build(version: str) -> tuple[Path, Path]:
    """The sdist, and the wheel made from it."""
    shutil.rmtree(DIST, ignore_errors=True)
    run([sys.executable, "-m", "build", "--outdir", DIST, ROOT], ROOT)
    sdist, wheel = DIST / f"fairspectral-{version}.tar.gz", next(DIST.glob("*.whl"))
    if not sdist.exists() or f"-{version}-" not in wheel.name:
        sys.exit(f"dist/ holds {[file.name for file in DIST.iterdir()]}, not version {version}.")
    return sdist, wheel


def check_contents(sdist: Path, wheel: Path) -> None:
    """Compare the packed files with those that git tracks."""
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    tracked = set(listed.stdout.splitlines())
    with tarfile.open(sdist) as archive:
        packed = {file.name.split("/", 1)[1] for file in archive if file.isfile()}
    compare("the sdist", packed - {"PKG-INFO"}, tracked)
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    compare("the wheel", packed, {f[4:] for f in tracked if f.startswith(PACKAGE)})


def compare(what: str, packed: Iterable[str], expected: Iterable[str]) -> None:
    """Exit with the names of missing or additional files, if any."""
    missing, extra = set(expected) - set(packed), set(packed) - set(expected)
    if missing:
        sys.exit(f"{what} lacks {sorted(missing)}.")
    if extra:
        sys.exit(f"{what} holds {sorted(extra)}, which it should not (commit or remove them).")
    print(f"{what} holds its {len(set(packed))} files", flush=True)


def use_installed(wheel: Path, folder: Path, version: str) -> None:
    """Install the wheel in an environment of its own, and use it from an empty folder."""
    venv.create(folder / "bare", with_pip=True)
    scripts = folder / "bare" / ("Scripts" if os.name == "nt" else "bin")
    python = [scripts / "python", "-I"]  # neither PYTHONPATH nor this folder
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    run([*python, "-m", "pip", "install", "--quiet", f"{wheel}[cli]"], elsewhere)
    run([*python, "-m", "pip", "check"], elsewhere)
    printed = run([scripts / "fairspectral", "--version"], elsewhere)
    if printed.strip() != f"fairspectral {version}":
        sys.exit(f"the installed command says {printed.strip()!r}, not version {version}.")
    run([*python, "-m", "fairspectral.demo", "--output", elsewhere / "demo"], elsewhere)
    for product in ("fair-against-plain.png", "report.html"):
        if not (elsewhere / "demo" / product).exists():
            sys.exit(f"the demo did not write {product}.")
    check = [*python, ROOT / "scripts" / "installed_check.py"]
    run(check, elsewhere)
    run([*python, "-m", "pip", "install", "--quiet", "networkx"], elsewhere)
    run([*check, ROOT / "README.md"], elsewhere)
    run([*python, "-m", "pip", "install", "--quiet", f"{wheel}[app]"], elsewhere)
    open_page([scripts / "fairspectral", "app", "--no-browser"], elsewhere)


def open_page(command: list[object], folder: Path) -> None:
    """Start the local page, open it as a browser would, and end it."""
    words = [str(word) for word in command]
    print("$", *words, flush=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment["PYTHONUNBUFFERED"] = "1"
    with subprocess.Popen(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().split()[-1]
            browser = build_opener(HTTPCookieProcessor())
            page = browser.open(address, timeout=60).read().decode()
            files = re.findall(r'(?:src|href)="(static/[^"]+)"', page)
            sizes = [len(browser.open(urljoin(address, file), timeout=60).read()) for file in files]
        finally:
            process.terminate()
    if "Open the demo" not in page or not sizes or min(sizes) == 0:
        sys.exit("the local page does not show itself.")
    print(f"the local page opens, with {len(files)} files", flush=True)


def run(command: list[object], folder: Path) -> str:
    """Run a command without our own paths in its environment; show and return its output."""
    words = [str(word) for word in command]
    print("$", *words, flush=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        words, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    print(done.stdout, end="", flush=True)
    if done.returncode:
        sys.exit(f"this command ended with status {done.returncode}: {' '.join(words)}")
    return done.stdout


if __name__ == "__main__":
    main()
