"""The files of a data set: found on disk, or downloaded from their publisher.

Folders, the network and checksums are used only here.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
import warnings
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fairspectral.datasets.base import Dataset
from fairspectral.files import replacing
from fairspectral.validation import FairSpectralWarning

DATA_VARIABLE = "FAIRSPECTRAL_DATA"
_TIMEOUT_SECONDS = 60


@dataclass(frozen=True)
class RemoteFile:
    """A file of a data set, and where its publisher keeps it.

    Attributes
    ----------
    name : str
        The file's name, on disk and (if `url` is a zip archive) in the archive, whose
        folders are ignored.
    url : str
        The file itself, or the ``.zip`` or ``.gz`` archive that holds it.
    sha256 : str
        Checksum of the unpacked file. It is checked after a download; a file that
        the user has placed may be formatted differently, and is checked by the parser.
    """

    name: str
    url: str
    sha256: str


@dataclass(frozen=True)
class Source:
    """A published data set.

    Attributes
    ----------
    name : str
        Its name in tables and figures.
    files : tuple of RemoteFile
        Its files; none where another package contains it.
    url : str
        The publisher's page.
    licence : str
        As stated by the publisher.
    citation : str
        What to cite.
    """

    name: str
    files: tuple[RemoteFile, ...]
    url: str
    licence: str
    citation: str

    def paths(self, data_home: str | os.PathLike | None) -> list[Path]:
        """The paths of the files, downloaded where they are missing; see `locate`."""
        return locate(self.files, data_home)

    def dataset(self, sensitive_features: np.ndarray, **data: Any) -> Dataset:
        """The samples (`X` or `graph`, ...) with the groups, and where they come from."""
        return Dataset(
            self.name,
            sensitive_features,
            source=self.url,
            licence=self.licence,
            citation=self.citation,
            **data,
        )


class _DownloadError(OSError):
    """A failed download with a reason for the user."""


def locate(files: Sequence[RemoteFile], data_home: str | os.PathLike | None) -> list[Path]:
    """The paths of the files, downloaded where they are missing.

    Looked for in `data_home`, or without it in the folder that the environment variable
    FAIRSPECTRAL_DATA names, then in the user's cache, where downloads also go.
    """
    cache = user_cache()
    folders = [cache]
    named = data_home if data_home is not None else os.environ.get(DATA_VARIABLE)
    if named:
        if not Path(named).is_dir():
            argument = f"{DATA_VARIABLE}=" if data_home is None else "data_home="
            raise NotADirectoryError(
                f"{argument}{os.fspath(named)!r} is not a folder; name the folder with the "
                "data files, or none to download them into the user's cache."
            )
        folders.insert(0, Path(named))
    missing = [file for file in files if _find(file, folders) is None]
    for file in files:
        if _find(file, folders) == cache / file.name:
            _warn_if_damaged(cache / file.name, file)
    for file in missing:
        try:
            _download(file, cache)
        except (OSError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
            wanted = [file for file in missing if _find(file, folders) is None]
            # Without the library's traceback of a hundred lines: the sentence has its reason.
            raise FileNotFoundError(_manual_instructions(wanted, error, folders[0])) from None
    return [path for file in files if (path := _find(file, folders))]


def user_cache() -> Path:
    """The folder for downloads, by the conventions of the platform."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "~/AppData/Local")
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "fairspectral"


def _find(file: RemoteFile, folders: Sequence[Path]) -> Path | None:
    return next((folder / file.name for folder in folders if (folder / file.name).is_file()), None)


def _warn_if_damaged(path: Path, file: RemoteFile) -> None:
    """Warn that a file in the cache is not the publisher's: a truncated one may still parse.

    Not an error, since a user who was told to put the file there may have another copy.
    """
    if hashlib.sha256(path.read_bytes()).hexdigest() != file.sha256:
        warnings.warn(
            f"{path} is not the file that its publisher gives out, but a changed or damaged copy; "
            "delete it to have it downloaded again.",
            FairSpectralWarning,
            stacklevel=5,
        )


def _download(file: RemoteFile, cache: Path) -> None:
    """Fetch, unpack and check a file; after any error nothing of it is left."""
    cache.mkdir(parents=True, exist_ok=True)
    with replacing(cache / file.name) as attempt:
        _retrieve(file.url, attempt)
        content = _unpack(attempt, file)
        found = hashlib.sha256(content).hexdigest()
        if found != file.sha256:
            raise _DownloadError(f"its SHA-256 is {found} instead of {file.sha256}")
        attempt.write_bytes(content)


def _manual_instructions(wanted: Sequence[RemoteFile], error: Exception, folder: Path) -> str:
    """The message on where to put which files; the first could not be downloaded."""
    # The errors of requests are OSErrors. The network's messages are long: they follow in the
    # traceback.
    reason = str(error) if isinstance(error, _DownloadError) else type(error).__name__
    urls = " and ".join(dict.fromkeys(file.url for file in wanted))
    names = " and ".join(file.name for file in wanted)
    packed = any(file.url.endswith((".zip", ".gz")) for file in wanted)
    unpack = ", unpack what is packed" if packed else ""
    return (
        f"{wanted[0].name} was not found and could not be downloaded ({reason}); get {urls} by "
        f"hand{unpack} and put {names} into {folder}."
    )


def _retrieve(url: str, target: Path) -> None:
    try:
        import pooch
    except ImportError:
        raise _DownloadError("this needs pooch: pip install 'fairspectral[data]'") from None
    pooch.HTTPDownloader(timeout=_TIMEOUT_SECONDS)(url, str(target), None)


def _unpack(archive: Path, file: RemoteFile) -> bytes:
    if file.url.endswith(".gz"):
        return gzip.decompress(archive.read_bytes())
    if file.url.endswith(".zip"):
        with zipfile.ZipFile(archive) as members:
            paths = {Path(member).name: member for member in members.namelist()}
            return members.read(paths[file.name])
    return archive.read_bytes()
