"""What the documentation site takes from the files around it, at build time (see ``mkdocs.yml``).

The version of the package beside the site's name, ``CHANGELOG.md`` as a page, and a page on citing
made of ``CITATION.cff``; so each is written in one place only.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent


def on_config(config: Any) -> Any:
    """Show the version of the package."""
    source = (ROOT / "src" / "fairspectral" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', source, re.M)
    assert found is not None
    config.site_name = f"fairspectral {found[1]}"
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made of files at the root."""
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "changelog.md", content=changes))
    files.append(File.generated(config, "citation.md", content=citation_page()))
    return files


def citation_page() -> str:
    """How to cite the software and the papers, in BibTeX."""
    cite = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    software = entry(
        "software",
        "fairspectral",
        author="{" + " and ".join(author["name"] for author in cite["authors"]) + "}",
        title=cite["title"],
        version=str(cite["version"]),
        url=cite["repository-code"],
    )
    papers = [paper_entry(paper) for paper in cite["references"]]
    blocks = "\n\n".join([software, *papers])
    return f"# Citing fairspectral\n\n{cite['message']}\n\n```bibtex\n{blocks}\n```\n"


def paper_entry(paper: dict[str, Any]) -> str:
    """The entry of a conference paper."""
    authors = [f"{author['family-names']}, {author['given-names']}" for author in paper["authors"]]
    key = f"{paper['authors'][0]['family-names'].lower()}{paper['year']}"
    return entry(
        "inproceedings",
        key,
        author=" and ".join(authors),
        title=paper["title"],
        booktitle=paper["conference"]["name"],
        year=str(paper["year"]),
    )


def entry(kind: str, key: str, **fields: str) -> str:
    """A BibTeX entry."""
    lines = "".join(f"  {name:<9} = {{{value}}},\n" for name, value in fields.items())
    return f"@{kind}{{{key},\n{lines}}}"
