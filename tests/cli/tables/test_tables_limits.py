import gzip
import os
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from fairspectral.cli.tables import read_table
from fairspectral.cli.tables.limits import unpack_gzip


def npy_claiming(shape):
    """The header of an array of this shape, and 16 bytes of it."""
    file = BytesIO()
    np.lib.format.write_array_header_1_0(
        file, {"descr": "<f8", "fortran_order": False, "shape": shape}
    )
    return file.getvalue() + bytes(16)


def test_an_array_that_claims_too_much(tmp_path):
    path = tmp_path / "t.npy"
    path.write_bytes(npy_claiming((10**12,)))
    with pytest.raises(
        ValueError, match=r"claims an array of shape \(1000000000000,\), but has on"
    ):
        read_table(path)
    path = tmp_path / "t.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.npy", npy_claiming((10**12, 3)))
    with pytest.raises(ValueError, match=r"t.npz claims an array of shape"):
        read_table(path)


def test_more_than_the_memory_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("fairspectral.cli.tables.limits.machine_memory", lambda: 3_000_000)
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1_000_000))
    with pytest.raises(ValueError, match="more than this machine's memory"):
        read_table(path)
    np.savez_compressed(tmp_path / "t.npz", x=np.zeros(1_000_000))
    with pytest.raises(ValueError, match="more than this machine's memory"):
        read_table(tmp_path / "t.npz")


def test_gzip_is_unpacked_whole(tmp_path):
    content = os.urandom(10) * 300_000
    packed = gzip.compress(content[:1000]) + gzip.compress(content[1000:]) + bytes(7)
    assert unpack_gzip(tmp_path, packed) == content
    with pytest.raises(EOFError):
        unpack_gzip(tmp_path, packed[: len(packed) // 2])


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device")
def test_a_device_is_not_a_file():
    with pytest.raises(ValueError, match="is a device and not a file"):
        read_table(Path("/dev/zero"))
