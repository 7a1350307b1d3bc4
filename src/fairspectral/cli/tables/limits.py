"""Check the sizes that a file claims against its bytes before anything is allocated."""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np

# Deflate packs at most 1032 bytes into one.
_DEFLATE_RATIO = 1032
_CHUNK = 1 << 20
# With fewer nodes than this, a later check names those without an edge.
_MANY_NODES = 100_000


def check_plain_file(path: Path) -> None:
    """Refuse a device, which may never end; a pipe is read."""
    mode = path.stat().st_mode
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
        raise ValueError(f"{path} is a device and not a file; name a file.")


def unpack_gzip(path: Path, content: bytes) -> bytes:
    """The unpacked bytes; more than the machine's memory is refused."""
    most = machine_memory()
    parts, total = [], 0
    while content:
        unpacker = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        while not unpacker.eof:
            part = unpacker.decompress(content, _CHUNK)
            content = unpacker.unconsumed_tail
            total += len(part)
            if total > most:
                raise too_large(path, total)
            if not part and not content and not unpacker.eof:
                raise EOFError("it ends too early")
            parts.append(part)
        content = unpacker.unused_data.lstrip(b"\0")  # another member, or padding
    return b"".join(parts)


def check_npy(path: Path, file: IO[bytes], available: int) -> None:
    """Refuse an array whose header claims more bytes than follow; the file is read from its start.

    Parameters
    ----------
    path : Path
        For the message.
    file : binary file
        At the beginning of a ``.npy``.
    available : int
        Bytes that the file has.
    """
    major, _ = np.lib.format.read_magic(file)
    read = (
        np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
    )
    shape, _, dtype = read(file)
    claimed = dtype.itemsize
    for length in shape:
        claimed *= int(length)
    if not dtype.hasobject and claimed > available:
        raise ValueError(
            f"{path} claims an array of shape {shape}, but has only {available:,} bytes; it is "
            "damaged, so save it again."
        )


def check_npz(path: Path) -> None:
    """Refuse a ``.npz`` that claims more than it can hold, or more than the machine's memory."""
    with zipfile.ZipFile(path) as archive:
        total = 0
        for member in archive.infolist():
            total += member.file_size
            if member.file_size > _DEFLATE_RATIO * member.compress_size + _CHUNK:
                raise ValueError(
                    f"{path} claims {member.file_size:,} bytes for {member.filename!r}, more than "
                    "it can hold; it is damaged, so save it again."
                )
        if total > machine_memory():
            raise too_large(path, total)
        for member in archive.infolist():
            if member.filename.endswith(".npy"):
                with archive.open(member) as file:
                    check_npy(path, io.BytesIO(file.read(_CHUNK)), member.file_size)


def check_matrix_market(path: Path) -> None:
    """Refuse a Matrix Market file whose size line claims more entries than its bytes can hold."""
    size = path.stat().st_size
    packed = path.suffix.lower() == ".gz"
    with _opened(path, packed) as file:
        banner = file.readline(_CHUNK).lower().split()
        line = file.readline(_CHUNK)
        while line.startswith(b"%") or (line and not line.strip()):
            line = file.readline(_CHUNK)
    try:
        sizes = [int(word) for word in line.split()]
    except ValueError:
        return  # scipy says what is wrong with it
    dense = b"array" in banner
    if len(sizes) != (2 if dense else 3):
        return
    entries = sizes[0] * sizes[1] if dense else sizes[2]
    if dense and b"general" not in banner:
        entries //= 2
    # An entry takes at least a digit, or two of them and a blank, and the end of its line.
    most = size * (_DEFLATE_RATIO if packed else 1) // (2 if dense else 4)
    if entries > most + 1:
        raise ValueError(
            f"{path} claims {entries:,} entries but has only {size:,} bytes; it is damaged, so "
            "save it again."
        )
    if not dense:
        check_node_count(path, max(sizes[:2]), entries * (1 if b"general" in banner else 2))


def check_node_count(path: Path, n: int, entries: int) -> None:
    """Refuse more nodes than can have an edge; an edge of two nodes may be stored once."""
    if n > max(2 * entries, _MANY_NODES):
        raise ValueError(
            f"{path} claims {n:,} nodes but has {entries:,} entries, so most nodes have no edge; "
            "correct the size, or leave those nodes out."
        )


def machine_memory() -> int:
    """Bytes of memory that the machine has."""
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def too_large(path: Path, total: int) -> ValueError:
    """The error for a file that unpacks to more than the machine's memory."""
    return ValueError(
        f"{path} unpacks to {total / 1e9:.3g} GB or more, which is more than this machine's "
        "memory; pass fewer rows or columns."
    )


def _opened(path: Path, packed: bool) -> Any:
    import gzip

    return gzip.open(path, "rb") if packed else open(path, "rb")
