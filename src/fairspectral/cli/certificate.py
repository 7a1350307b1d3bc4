"""Certificates of the command: which files were read, and how, beside what a model claims."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairspectral.cli.options import InputOptions
from fairspectral.cli.people import PeopleOptions

if TYPE_CHECKING:
    from fairspectral.certificate import Certificate
    from fairspectral.clustering import FairSpectralClustering

# The parts of an input, by the option that names its file.
PARTS = {
    "data": "input",
    "groups": "groups",
    "must_link": "must_link",
    "cannot_link": "cannot_link",
}
# What the options of a certificate hold; those that are not named here hold a text or nothing.
_LISTS = ("sensitive", "bin", "drop", "keep", "categorical")
_FLAGS = ("plain", "graph", "no_header", "use_sensitive")
# Those that not every certificate has; and where there is none, why.
_OPTIONAL = {
    "groups": "table of groups",
    "must_link": "table of pairs who must be together",
    "cannot_link": "table of pairs who must be apart",
}
_ELSEWHERE = {
    "groups": "the data had the groups",
    "must_link": "there were no such pairs",
    "cannot_link": "there were no such pairs",
}


def check_certificate(path: Path | None, source: InputOptions, people: PeopleOptions) -> None:
    """Refuse a certificate that cannot be written, or whose input nobody could read again."""
    if path is None:
        return
    from fairspectral.cli.tables import check_kind, is_standard

    check_kind(path, ("json",))
    if any(map(is_standard, _paths(source, people).values())):
        raise ValueError(
            "--certificate needs the input as a file, whose bytes can be compared later; standard "
            "input leaves nothing to compare, so name a file."
        )
    if source.input.is_dir():
        raise ValueError(
            f"--certificate needs one file, whose bytes can be compared later, and {source.input} "
            "is a folder; write its rows into one Parquet file, or leave out --certificate."
        )


def _paths(source: InputOptions, people: PeopleOptions) -> dict[str, Path | None]:
    """The files that are read, by their parts."""
    return {
        part: getattr(source if hasattr(source, option) else people, option)
        for part, option in PARTS.items()
    }


def certify(
    model: FairSpectralClustering,
    source: InputOptions,
    people: PeopleOptions,
    label_column: str,
    plain: bool,
) -> Certificate:
    """The model's certificate, with the files in place of the numbers made from them.

    Their bytes are the same everywhere; standardised columns differ in their last digits.
    """
    from fairspectral.fingerprints import fingerprint_file

    paths = _paths(source, people)
    files = {part: fingerprint_file(path) for part, path in paths.items() if path is not None}
    options: dict[str, Any] = {"label_column": label_column, "plain": plain}
    for holder, field in [(o, field) for o in (source, people) for field in fields(o)]:
        if field.name not in PARTS.values():
            value = getattr(holder, field.name)
            options[field.name] = str(value) if isinstance(value, str) else value
    found = model.certificate_
    # Whichever process held the table, on a Dask cluster or here.
    kind = "affinities" if source.graph else "features"
    data = replace(found.data, kind=kind, sha256=None, files=files, options=options)
    return replace(found, data=data)


def read_certificate(path: Path) -> tuple[dict[str, Any], Certificate]:
    """A certificate as its file has it, and as its claims."""
    from fairspectral.certificate.document import Certificate, read_json

    try:
        given = read_json(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is not text; pass the JSON that cluster --certificate wrote."
        ) from None
    return given, Certificate.from_dict(given)


def _check_options(options: Mapping[str, Any]) -> None:
    """Refuse options of another form than the command writes them in."""
    for name, value in options.items():
        if name in _FLAGS:
            right = isinstance(value, bool)
        elif name in _LISTS:
            right = value is None or (
                isinstance(value, list | tuple) and all(isinstance(one, str) for one in value)
            )
        else:
            right = isinstance(value, str) or (value is None and name != "label_column")
        if not right:
            raise ValueError(
                f"the certificate has {value!r:.40} as its option {name}, which no command wrote; "
                "pass the file as cluster --certificate wrote it."
            )


def source_of(
    certificate: Certificate, paths: Mapping[str, Path | None]
) -> tuple[InputOptions, PeopleOptions]:
    """The options with which the command read its input, for files given now.

    Parameters
    ----------
    certificate : Certificate
        It has all options but the files.
    paths : mapping
        The files by their parts, all of `PARTS`.
    """
    options = certificate.data.options
    of_input, of_people = (
        {field.name for field in fields(kind)} - set(PARTS.values())
        for kind in (InputOptions, PeopleOptions)
    )
    needed = of_input | of_people | {"label_column", "plain"}
    if set(options) != needed:
        odd = ", ".join(sorted(map(str, set(options) ^ needed)))
        raise ValueError(
            f"the certificate does not say how its files were read ({odd}); it needs one that "
            "cluster --certificate of this release wrote, and for model.certificate_ there is "
            "fairspectral.verify_certificate in Python."
        )
    _check_options(options)
    for part, what in _OPTIONAL.items():
        if (part in certificate.data.files) != (paths[part] is not None):
            option = "--" + PARTS[part].replace("_", "-")
            say = f"is also of a {what}; pass it with {option}"
            if paths[part] is not None:
                say = f"is not of a {what}; leave out {option}: {_ELSEWHERE[part]}"
            raise ValueError(f"the certificate {say}.")
    data = paths["data"]
    assert data is not None
    return (
        InputOptions(
            input=data, groups=paths["groups"], **{name: options[name] for name in of_input}
        ),
        PeopleOptions(
            must_link=paths["must_link"],
            cannot_link=paths["cannot_link"],
            **{name: options[name] for name in of_people},
        ),
    )
