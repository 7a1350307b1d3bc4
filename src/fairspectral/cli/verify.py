"""``fairspectral verify``: a certificate computed again, from the data and the labels alone."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fairspectral.cli.command import Json, command, silence

if TYPE_CHECKING:
    from fairspectral.certificate import Certificate
    from fairspectral.verification import Check, Verification

REFUSED = 1


@command
def verify(
    labels: Annotated[
        Path,
        typer.Argument(metavar="LABELS", show_default=False, help="What cluster -o wrote."),
    ],
    data: Annotated[
        Path,
        typer.Argument(metavar="FILE", show_default=False, help="The table or graph it read."),
    ],
    certificate: Annotated[
        Path, typer.Option(metavar="FILE", help="What cluster --certificate wrote.")
    ],
    groups: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The table of groups, where they were in one."),
    ] = None,
    must_link: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The pairs who must be together, where there were any."),
    ] = None,
    cannot_link: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The pairs who must be apart, where there were any."),
    ] = None,
    label_column: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default="as it was written",
                     help="Column of LABELS with the cluster."),
    ] = None,
    memory_budget: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", show_default="half of the machine's memory",
            help="For the affinities, such as 4GB; beyond it they are recomputed in every pass.",
        ),
    ] = None,
    json: Json = False,
) -> int:  # fmt: skip
    """Verify a certificate: compute everything in it again from the data and the labels.

    Nothing of the code that found the clusters is used. The exit status is 0 if everything
    agrees, 1 if something does not, which is then named, and 2 if a file cannot be read.

    [bold]Example:[/bold] fairspectral verify labels.csv people.csv --certificate c.json
    """
    from fairspectral.cli.certificate import read_certificate
    from fairspectral.cli.display import print_json, print_lines
    from fairspectral.parameters import parse_memory_budget

    parse_memory_budget(memory_budget)
    given, claims = read_certificate(certificate)
    paths = {"data": data, "groups": groups, "must_link": must_link, "cannot_link": cannot_link}
    found = _verify(given, claims, labels, paths, label_column, memory_budget)
    try:
        if json:
            checks = [asdict(check) for check in found.checks]
            print_json({"accepted": found.accepted, "checks": checks})
        else:
            print_lines(*str(found).splitlines())
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)  # the verdict decides the exit status, even if the pipe is closed
    return 0 if found else REFUSED


def _verify(
    given: dict[str, Any],
    claims: Certificate,
    labels: Path,
    paths: dict[str, Path | None],
    label_column: str | None,
    memory_budget: str | None,
) -> Verification:
    from fairspectral.cli.certificate import source_of
    from fairspectral.cli.inputs import prepare
    from fairspectral.cli.options import MethodOptions
    from fairspectral.verification import Verification
    from fairspectral.verify import verify_certificate

    source, people = source_of(claims, paths)
    plain = bool(claims.data.options["plain"])
    files = _check_files(claims, paths)
    if not all(check.holds for check in files):
        return Verification(tuple(files))  # what other files hold says nothing
    column = label_column or claims.data.options["label_column"]
    codes = _read_labels(labels, column, source.encoding)
    affinity = claims.parameters["affinity"]
    method = MethodOptions() if source.graph else MethodOptions(affinity=affinity)
    prepared = prepare(source, method, plain=plain, people=people)
    found = verify_certificate(
        given,
        codes,
        prepared.X,
        None if plain else prepared.sensitive,
        **prepared.people.for_fit(claims.n_clusters),
        affinity=prepared.affinity,
        memory_budget=memory_budget,
    )
    return Verification((*files, *found.checks))


def _check_files(claims: Certificate, paths: dict[str, Path | None]) -> list[Check]:
    """Whether the files have the bytes that were clustered."""
    from fairspectral.fingerprints import fingerprint_file
    from fairspectral.verification import Check

    checks = []
    for part, path in paths.items():
        if path is None:
            continue
        claimed, found = claims.data.files.get(part), fingerprint_file(path)
        words = f"{path} is the file that was clustered (SHA-256 {found[:16]}…)."
        if found != claimed:
            words = (
                f"{path} is not the file of the certificate: SHA-256 {found[:16]}…, not "
                f"{str(claimed)[:16]}…."
            )
        checks.append(Check("data", found == claimed, words))
    return checks


def _read_labels(path: Path, column: str, encoding: str | None) -> Any:
    """The cluster of each row; cluster -o writes text in the encoding of the table."""
    from fairspectral.cli.tables import check_columns, kind_of, read_labels, read_table
    from fairspectral.cli.tables.text import NotTextError

    try:
        table = read_table(path, encoding=encoding)
    except NotTextError as error:  # the encoding is known, so the file is not the one written
        raise ValueError(f"{error.wrong}; pass the labels as cluster -o wrote them.") from None
    if kind_of(path) == "npy" and table.frame.shape[1] == 1:
        column = str(table.frame.columns[0])  # the labels alone have no name
    (name,) = check_columns(table.frame, [column], table.path, "--label-column")
    return read_labels(table.frame[name], table.path)[0]
