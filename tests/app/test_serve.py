"""The command ``fairspectral app`` as a process: its address, and how it ends."""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from http.cookiejar import CookieJar

import pytest
from typer.testing import CliRunner

from fairspectral.cli.app import app

COMMAND = [sys.executable, "-m", "fairspectral.cli", "app", "--no-browser"]
# Only a process that hangs gets there.
PATIENCE = 120
not_on_windows = pytest.mark.skipif(
    sys.platform == "win32", reason="signals: run it on Linux or a Mac"
)


class Process:
    """The command, with a folder of its own for temporary files."""

    def __init__(self, folder, *words):
        environment = {**os.environ, "TMPDIR": str(folder), "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [*COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=environment,
        )  # fmt: skip
        line = self.process.stdout.readline()
        assert line.startswith("The page is at http://127.0.0.1:"), self.process.stderr.read()
        self.url = line.split()[-1]
        self.browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def open(self, path=""):
        address = self.url if not path else self.url.split("?")[0] + path
        return self.browser.open(address, timeout=PATIENCE).read().decode()

    def post(self, path, body=b""):
        origin = self.url.split("/?")[0]
        request = urllib.request.Request(f"{origin}/{path}", body, {"Origin": origin})
        return self.browser.open(request, timeout=PATIENCE).read().decode()

    def end(self, number):
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err


@pytest.fixture
def start(tmp_path):
    processes = []
    folder = tmp_path / "temporary"
    folder.mkdir()

    def begin(*words):
        processes.append(Process(folder, *words))
        return processes[-1]

    yield begin
    for one in processes:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate()
    assert [name for name in os.listdir(folder) if name.startswith("fairspectral")] == []


@not_on_windows
def test_it_opens_a_table_and_ends_at_ctrl_c(start, people, tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(people)
    process = start(path)
    assert "people.csv: 80 rows, 6 columns" in process.open()
    status, out, err = process.end(signal.SIGINT)
    assert (status, err) == (0, "")
    assert out.endswith("The page is closed.\n")


@not_on_windows
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_it_ends_in_the_middle_of_a_run(start, number, status):
    process = start()
    assert "Open a table" in process.open()
    process.post("demo")
    form = "compare=0&compare=2&fair=1&clusters=30&effort=thorough&affinity=nearest_neighbors"
    assert "working" in process.post("run", form.encode())
    found, _, err = process.end(number)
    assert found == status
    assert "Traceback" not in err


@not_on_windows
def test_the_port_can_be_chosen(start):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = start("--port", port)
    assert re.match(rf"http://127\.0\.0\.1:{port}/\?token=\S{{40}}", process.url)
    done = CliRunner().invoke(app, ["app", "--no-browser", "--port", str(port)])
    assert done.exit_code == 2
    assert f"port {port} cannot be used" in done.stderr
    assert process.end(signal.SIGINT)[0] == 0


@pytest.mark.parametrize("words", [["nowhere.csv"], ["--port", "70000"]])
def test_what_cannot_be_opened_is_a_sentence(words):
    done = CliRunner().invoke(app, ["app", "--no-browser", *words])
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1


def test_the_browser_is_opened_at_the_address(monkeypatch):
    opened = []

    def browse(url):
        opened.append(url)
        raise KeyboardInterrupt  # as if Ctrl-C was pressed at once

    monkeypatch.setattr("webbrowser.open", browse)
    done = CliRunner().invoke(app, ["app"])
    assert done.exit_code == 0, done.stderr
    assert opened[0] in done.stdout
