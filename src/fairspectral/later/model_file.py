"""The file of a model: arrays and a header of JSON in one ``.npz``, without pickle.

The header has the version of the format; a fingerprint of all the content shows damage.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fairspectral.files import replacing

FORMAT = 1
_HEADER, _FINGERPRINT = "header", "fingerprint"


def write_model_file(path: Path, header: Mapping[str, Any], arrays: Mapping[str, Any]) -> None:
    """Write a header and arrays, whole or not at all."""
    if path.suffix != ".npz":
        raise ValueError(f"the model file {str(path)!r} must end in .npz; rename it.")
    text = json.dumps({"format": FORMAT, **header}, allow_nan=True)
    content = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    content[_HEADER] = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    mark = np.frombuffer(bytes.fromhex(_digest(content)), dtype=np.uint8)
    with replacing(path) as attempt, open(attempt, "wb") as file:
        content[_FINGERPRINT] = mark
        np.savez(file, **content)  # type: ignore[arg-type] # allow_pickle is not among the names


def read_model_file(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The header and the arrays of a file; a damaged, foreign or newer one is refused."""
    foreign = (
        f"{path} is not a model that fairspectral saved, or it is damaged; save the model "
        "again with model.save."
    )
    try:
        with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
            if _HEADER not in file or _FINGERPRINT not in file:
                raise ValueError(foreign)
            header = json.loads(file[_HEADER].tobytes().decode("utf-8", "surrogatepass"))
            _check_format(header, path)
            content = {name: file[name] for name in file.files}
    except OSError:
        raise
    except (zipfile.BadZipFile, EOFError, KeyError, TypeError, UnicodeDecodeError):
        raise ValueError(foreign) from None
    except ValueError as error:
        raise error if str(path) in str(error) else ValueError(foreign) from None
    mark = content.pop(_FINGERPRINT).tobytes().hex()
    if mark != _digest(content):
        raise ValueError(
            f"{path} is damaged: its content is not what was saved; save the model again, or take "
            "another copy of the file."
        )
    del content[_HEADER]
    return header, content


def _check_format(header: Any, path: Path) -> None:
    found = header["format"]
    if not isinstance(found, int) or found > FORMAT:
        raise ValueError(
            f"{path} has format {found} of fairspectral {header.get('fairspectral', '?')}, but "
            f"this version reads formats up to {FORMAT}; update fairspectral."
        )


def _digest(content: Mapping[str, np.ndarray]) -> str:
    """SHA-256 of all arrays with their names, types and shapes."""
    digest = hashlib.sha256()
    for name in sorted(content):
        array = content[name]
        digest.update(f"{name} {array.dtype.str} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
