"""Who may ask: only a browser of this machine that was given the token, from this very page.

The server listens on 127.0.0.1, but every program and every web page that the user has open can
reach that address. So a request needs, in this order:

1. a Host header with our own address, because a foreign name that was made to point here (DNS
   rebinding) would otherwise count as one origin with our page;
2. no sign of coming from another site, and for changes an Origin header with our own address;
3. the token in the URL, once, which is exchanged for a cookie that scripts cannot read and that
   the browser sends from our own pages only;
4. a body that is not too long.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

_HEADERS = {
    # Styles in attributes are widths and colours of bars; scripts come from our files alone.
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "style-src-attr 'unsafe-inline'; img-src data:; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
_FOREIGN = ("cross-site", "same-site")  # same-site are other ports of this machine


class TooLong(Exception):
    """The body of a request is longer than allowed; with a status, as Starlette's errors have."""

    status_code = 413

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.detail = sentence


class Guard:
    """Lets a request through to `app`, or refuses it in a sentence.

    Parameters
    ----------
    app : ASGI application
        The page.
    port : int
        Where the server listens.
    most_bytes : int
        Of a request's body.
    too_long : str
        The sentence for a longer one.

    Attributes
    ----------
    token : str
        The secret in the URL.
    """

    def __init__(self, app: App, port: int, most_bytes: int, too_long: str) -> None:
        self._app, self._port = app, port
        self._most_bytes, self._too_long = most_bytes, too_long
        self.token = secrets.token_urlsafe(32)
        self._cookie_name = f"fairspectral-{port}"  # cookies do not know ports
        self._cookie = secrets.token_urlsafe(32)

    @property
    def url(self) -> str:
        """The address to open."""
        return f"http://127.0.0.1:{self._port}/?token={self.token}"

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        headers = {
            name.decode("latin-1"): text.decode("latin-1") for name, text in scope["headers"]
        }
        refusal = self._refusal(scope, headers)
        if refusal is not None:
            await _answer(send, *refusal)
        elif self._has_token(scope):
            await self._let_in(send)
        elif not self._has_cookie(headers):
            sentence = "Open the address that fairspectral app printed; it has the token."
            await _answer(send, 403, sentence)
        else:
            await self._pass_on(scope, headers, receive, send)

    def _refusal(self, scope: Message, headers: dict[str, str]) -> tuple[int, str] | None:
        hosts = [f"{name}:{self._port}" for name in ("127.0.0.1", "localhost")]
        host = headers.get("host", "")
        if host not in hosts:
            return 421, f"This server answers as {hosts[0]} only."
        foreign = headers.get("sec-fetch-site") in _FOREIGN and not self._has_token(scope)
        changes = scope["method"] not in ("GET", "HEAD")
        if foreign or (changes and headers.get("origin") != f"http://{host}"):
            return 403, "Requests from other sites are refused."
        return None

    def _has_token(self, scope: Message) -> bool:
        if scope["path"] != "/" or scope["method"] != "GET":
            return False
        given = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return secrets.compare_digest(given.encode(), self.token.encode())

    def _has_cookie(self, headers: dict[str, str]) -> bool:
        try:
            morsel = SimpleCookie(headers.get("cookie", "")).get(self._cookie_name)
        except CookieError:
            return False
        value = morsel.value if morsel else ""
        return secrets.compare_digest(value.encode(), self._cookie.encode())

    async def _let_in(self, send: Send) -> None:
        """Exchange the token for the cookie, so that the address bar does not keep it."""
        cookie = f"{self._cookie_name}={self._cookie}; Path=/; HttpOnly; SameSite=Strict"
        await _answer(send, 303, "", {"location": "/", "set-cookie": cookie})

    async def _pass_on(
        self, scope: Message, headers: dict[str, str], receive: Receive, send: Send
    ) -> None:
        declared = headers.get("content-length", "0")
        if not declared.isdecimal() or int(declared) > self._most_bytes:
            await self._discard(receive)
            await _answer(send, 413, self._too_long)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._most_bytes:  # sent in chunks, of which no header tells the sum
                await self._discard(receive)
                raise TooLong(self._too_long)
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *_encoded(_HEADERS)]
            await send(message)

        await self._app(scope, counted, with_headers)

    async def _discard(self, receive: Receive) -> None:
        """Read on for a while, because a browser shows no answer before it has sent everything."""
        discarded, more = 0, True
        while more and discarded < 20 * self._most_bytes:
            message = await receive()
            discarded += len(message.get("body", b""))
            more = message.get("more_body", False)


async def _answer(
    send: Send, status: int, sentence: str, headers: dict[str, str] | None = None
) -> None:
    """A short answer in plain text."""
    body = sentence.encode()
    own = {"content-type": "text/plain; charset=utf-8", "content-length": str(len(body))}
    start = {
        "type": "http.response.start",
        "status": status,
        "headers": _encoded({**_HEADERS, **own, **(headers or {})}),
    }
    await send(start)
    await send({"type": "http.response.body", "body": body})


def _encoded(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
