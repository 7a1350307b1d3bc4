"""``python benchmarks/gpu.py``: what it is asked for."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fairspectral_benchmarks.files import ROOT, write_json
from fairspectral_benchmarks.machine import context, in_words
from fairspectral_benchmarks.pages import fill_in

PARTS = ("fits", "ceilings", "peers")


def main(words: list[str] | None = None) -> None:
    """The command."""
    arguments = _parser().parse_args(words)
    try:
        from fairspectral_benchmarks.gpu import ceilings, fits, peers, report
        from fairspectral_benchmarks.gpu.device import device_words, find_device
    except ImportError as error:
        raise SystemExit(
            f"{error.name} is missing; install it with pip install 'fairspectral[gpu]'."
        ) from None
    small = arguments.small
    if small and arguments.report:
        raise SystemExit("--small is a trial, and its numbers do not belong on a page.")
    device = find_device(arguments.device, small)
    found: dict[str, Any] = {"device": device_words(device), "machine": in_words(context())}
    if "ceilings" in arguments.part:
        found["rates"] = ceilings.measure_rates(device, small)
        found["passes"] = _said(ceilings.measure_passes(device, small))
    if "fits" in arguments.part:
        found["fits"] = _said(fits.measure_fits(device, small))
    if "peers" in arguments.part:
        found["peers"] = _said(peers.measure_peers(device, small))
    page = report.page_of(found)
    print(page)
    if arguments.runs:
        write_json(arguments.runs, found)
    if arguments.report:
        fill_in(ROOT / "docs" / "gpu.md", {"gpu": page})


def _said(measured: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """All of them, each printed as soon as it is known."""
    found = []
    for one in measured:
        print(one, flush=True)
        found.append(one)
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="How fast is a GPU, and how near to its limits?")
    parser.add_argument("--part", nargs="*", default=list(PARTS), choices=PARTS)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--small", action="store_true", help="a trial with a thousand people")
    parser.add_argument("--runs", type=Path, help="file for the numbers")
    parser.add_argument("--report", action="store_true", help="write the tables into docs/gpu.md")
    return parser
