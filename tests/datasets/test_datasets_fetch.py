"""Finding and fetching files, against a server on this machine."""

import gc
import gzip
import hashlib
import importlib
import io
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from fairspectral import datasets
from fairspectral.datasets import _fetch
from fairspectral.datasets._fetch import RemoteFile, locate, user_cache

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

CONTENT = b"1 2 3\n" * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def zipped(name):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(f"some_folder/{name}", CONTENT)
    return buffer.getvalue()


SERVED = {
    "/plain.txt": CONTENT,
    "/packed.gz": gzip.compress(CONTENT),
    "/packed.zip": zipped("table.txt"),
    "/other.zip": zipped("other.txt"),
    "/changed.txt": CONTENT + b"4 5 6\n",
    "/broken.gz": gzip.compress(CONTENT)[:-20],
    "/garbled.gz": gzip.compress(CONTENT)[:10] + b"\xff" * 40,
    "/broken.zip": zipped("table.txt")[:-20],
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/truncated.txt":  # promises more than it sends
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write(CONTENT[:100])
            return
        body = SERVED.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def running_server():
    pytest.importorskip("pooch", reason="pooch is not installed: pip install 'fairspectral[data]'")
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_address[1]}"
        httpd.shutdown()


@pytest.fixture
def server(running_server):
    yield running_server
    # pooch leaves a failed connection to the garbage collector, which warns of it: here, where
    # it is expected, and not in some later test.
    gc.collect()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.delenv("FAIRSPECTRAL_DATA", raising=False)
    monkeypatch.setattr(_fetch, "user_cache", lambda: tmp_path / "cache")
    return tmp_path / "cache"


@pytest.mark.parametrize("path", ["/plain.txt", "/packed.gz", "/packed.zip"])
def test_a_download_is_unpacked_checked_and_kept(server, cache, path, monkeypatch):
    file = RemoteFile("table.txt", server + path, SHA256)
    assert locate([file], None) == [cache / "table.txt"]
    assert (cache / "table.txt").read_bytes() == CONTENT
    assert [entry.name for entry in cache.iterdir()] == ["table.txt"]
    monkeypatch.setattr(_fetch, "_retrieve", None)  # a second download would fail
    assert locate([file], None) == [cache / "table.txt"]


@pytest.mark.parametrize(
    "path",
    [
        "/missing.txt",
        "/truncated.txt",
        "/changed.txt",
        "/broken.gz",
        "/garbled.gz",
        "/broken.zip",
        "/other.zip",
    ],
)
def test_a_broken_download_leaves_nothing_and_says_what_to_do(server, cache, path):
    with pytest.raises(FileNotFoundError) as caught:
        locate([RemoteFile("table.txt", server + path, SHA256)], None)
    assert list(cache.iterdir()) == []
    message = str(caught.value)
    assert f"get {server}{path} by hand" in message
    assert message.endswith(f"put table.txt into {cache}.")
    assert ("unpack what is packed" in message) == path.endswith((".gz", ".zip"))


def test_a_changed_file_is_reported(server, cache):
    with pytest.raises(FileNotFoundError, match=f"its SHA-256 is .* instead of {SHA256}"):
        locate([RemoteFile("table.txt", server + "/changed.txt", SHA256)], None)


def test_the_named_folder_comes_before_the_cache(cache, tmp_path, monkeypatch):
    file = RemoteFile("table.txt", "http://127.0.0.1:1/none", SHA256)
    cache.mkdir()
    (cache / "table.txt").write_bytes(CONTENT)
    assert locate([file], None) == [cache / "table.txt"]
    named, other = tmp_path / "named", tmp_path / "other"
    for folder in (named, other):
        folder.mkdir()
        (folder / "table.txt").write_text("placed")
    monkeypatch.setenv("FAIRSPECTRAL_DATA", str(named))
    assert locate([file], None) == [named / "table.txt"]
    assert locate([file], other) == [other / "table.txt"]
    (named / "table.txt").unlink()
    assert locate([file], None) == [cache / "table.txt"]


def test_a_missing_folder_is_reported(cache, tmp_path, monkeypatch):
    with pytest.raises(NotADirectoryError, match=r"data_home='.*/typo' is not a folder"):
        locate([], tmp_path / "typo")
    monkeypatch.setenv("FAIRSPECTRAL_DATA", str(tmp_path / "typo"))
    with pytest.raises(NotADirectoryError, match=r"FAIRSPECTRAL_DATA='.*/typo' is not a folder"):
        locate([], None)


@pytest.mark.parametrize("module", ["lastfm", "thyroid", "census", "fourarea", "facebook"])
def test_every_loader_without_data_and_network_names_the_file_and_the_folder(
    module, cache, tmp_path, monkeypatch
):
    def no_network(url, target):
        raise ConnectionError

    monkeypatch.setattr(_fetch, "_retrieve", no_network)
    files = importlib.import_module(f"fairspectral.datasets.{module}").SOURCE.files
    loader = getattr(datasets, f"fetch_{module.replace('fourarea', '4area')}")
    with pytest.raises(FileNotFoundError) as caught:
        loader(data_home=tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{files[0].name} was not found")
    assert all(file.url in message for file in files)
    names = " and ".join(file.name for file in files)
    assert message.endswith(f"put {names} into {tmp_path}.")
    assert "\n" not in message


def test_only_missing_files_are_requested(cache, tmp_path, monkeypatch):
    def no_network(url, target):
        raise ConnectionError

    monkeypatch.setattr(_fetch, "_retrieve", no_network)
    (tmp_path / "metadata_2013.txt").write_text("1 a F")
    with pytest.raises(FileNotFoundError, match=r"put Facebook-known-pairs_data_2013\.csv into"):
        datasets.fetch_facebook(data_home=tmp_path)


def test_without_pooch_the_extra_is_named(cache, monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(FileNotFoundError, match=r"pip install 'fairspectral\[data\]'"):
        datasets.fetch_facebook()
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize(
    ("platform", "variable", "value", "expected"),
    [
        ("linux", "XDG_CACHE_HOME", "/some/cache", "/some/cache/fairspectral"),
        ("linux", "XDG_CACHE_HOME", "", "/home/me/.cache/fairspectral"),
        ("darwin", "HOME", "/home/me", "/home/me/Library/Caches/fairspectral"),
        ("win32", "LOCALAPPDATA", "/local", "/local/fairspectral"),
    ],
)
def test_the_cache_is_where_the_platform_has_it(monkeypatch, platform, variable, value, expected):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv(variable, value)
    assert user_cache().as_posix() == expected
