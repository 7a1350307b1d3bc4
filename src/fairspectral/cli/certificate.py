"""Certificates of the command: which files were read, and how, beside what a model claims."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fairspectral.cli.options import InputOptions

if TYPE_CHECKING:
    from fairspectral.certificate import Certificate
    from fairspectral.clustering import FairSpectralClustering

# The parts of an input, by the option that names its file.
PARTS = {"data": "input", "groups": "groups"}


def check_certificate(path: Path | None, source: InputOptions) -> None:
    """Refuse a certificate that cannot be written, or whose input nobody could read again."""
    if path is None:
        return
    from fairspectral.cli.tables import check_kind, is_standard

    check_kind(path, ("json",))
    if is_standard(source.input) or is_standard(source.groups):
        raise ValueError(
            "--certificate needs the input as a file, whose bytes can be compared later; standard "
            "input leaves nothing to compare, so name a file."
        )


def certify(
    model: FairSpectralClustering, source: InputOptions, label_column: str, plain: bool
) -> Certificate:
    """The model's certificate, with the files in place of the numbers made from them.

    Their bytes are the same everywhere; standardised columns differ in their last digits.
    """
    from fairspectral.fingerprints import fingerprint_file

    paths = {part: getattr(source, option) for part, option in PARTS.items()}
    files = {part: fingerprint_file(path) for part, path in paths.items() if path is not None}
    options: dict[str, Any] = {"label_column": label_column, "plain": plain}
    for field in fields(source):
        if field.name not in PARTS.values():
            value = getattr(source, field.name)
            options[field.name] = str(value) if isinstance(value, str) else value
    found = model.certificate_
    return replace(found, data=replace(found.data, sha256=None, files=files, options=options))


def read_certificate(path: Path) -> tuple[dict[str, Any], Certificate]:
    """A certificate as its file has it, and as its claims."""
    from fairspectral.certificate import Certificate, read_json

    try:
        given = read_json(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ValueError(
            f"{path} is not text; pass the JSON that cluster --certificate wrote."
        ) from None
    return given, Certificate.from_dict(given)


def source_of(certificate: Certificate, data: Path, groups: Path | None) -> InputOptions:
    """The options with which the command read its input, for files given now."""
    options = dict(certificate.data.options)
    options.pop("label_column", None)
    options.pop("plain", None)
    known = {field.name for field in fields(InputOptions)} - set(PARTS.values())
    if set(options) != known:
        odd = ", ".join(sorted(map(str, set(options) ^ known)))
        raise ValueError(
            f"the certificate does not say how its files were read ({odd}); it needs one that "
            "cluster --certificate of this release wrote, and for model.certificate_ there is "
            "fairspectral.verify_certificate in Python."
        )
    if ("groups" in certificate.data.files) != (groups is not None):
        say = "pass the same table of groups with --groups"
        if groups is not None:
            say = "leave out --groups: the data had the groups"
        raise ValueError(f"the certificate is of other files; {say}.")
    return InputOptions(input=data, groups=groups, **options)
