"""Start the page on this machine, and end it."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import uvicorn

from fairspectral.app.guard import Guard
from fairspectral.app.limits import Limits
from fairspectral.app.routes import make_routes
from fairspectral.app.session import Session
from fairspectral.app.sheet import open_path

_ADDRESS = "127.0.0.1"


class Server:
    """The page at its address; use it in a ``with`` block.

    Parameters
    ----------
    table : Path or None
        To begin with.
    port : int
        0 takes a free one.
    limits : Limits or None
        Of tables; None takes the usual ones.
    """

    def __init__(
        self, table: Path | None = None, port: int = 0, limits: Limits | None = None
    ) -> None:
        limits = limits or Limits()
        self.session = Session(limits, None if table is None else open_path(table, limits))
        self._socket = _listen(port)
        port = self._socket.getsockname()[1]
        guard = Guard(
            make_routes(self.session), port, limits.request_bytes, f"The file {limits.too_large}"
        )
        self.url = guard.url
        config = uvicorn.Config(
            guard,
            log_level="error",
            access_log=False,
            lifespan="off",
            ws="none",
            server_header=False,
            limit_concurrency=64,
            timeout_graceful_shutdown=1,
        )
        self._server = uvicorn.Server(config)
        # Not in the main thread, where uvicorn would take over Ctrl-C.
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True
        )

    def __enter__(self) -> Server:
        """Begin to answer; who connects before is answered as soon as it has begun."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End, with everything that was loaded."""
        self._server.should_exit = True
        self.session.close()
        self._thread.join(5.0)
        self._socket.close()

    def wait(self) -> None:
        """Until the server ends by itself, or Ctrl-C."""
        while self._thread.is_alive():
            self._thread.join(0.5)


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((_ADDRESS, port))
        listening.listen(64)
    except OSError as error:
        listening.close()
        raise ValueError(
            f"port {port} cannot be used ({(error.strerror or str(error)).lower()}); choose "
            "another with --port, or leave it out to have a free one."
        ) from None
    return listening
