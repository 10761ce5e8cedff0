"""The HTTP side: who may ask, how much, and whose turn it is.

This is an ASGI application of its own, served by uvicorn. A web framework was tried on paper and left out: there is one
route, the paths are Kubernetes' own, and the two things that need care (answers without end, bodies with a bound) a
framework would hide.

Whose turn it is. The lab is one world with one clock, and only one thread may act in it at a time: a notebook's, the
one that keeps a live lab going, or the server's. Each takes the clock's turn for as long as one request or one step
lasts, and nobody waits while holding it. The alternative was to hand requests to the lab's thread through a queue; but
a virtual lab has no such thread while a notebook is idle, and the lock serves both worlds alike.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from hmac import compare_digest
from typing import Any, Protocol, TypeVar
from urllib.parse import parse_qsl

from karmadalab.core.clock import VirtualClock
from karmadalab.server.api import Api
from karmadalab.server.call import Call
from karmadalab.server.reply import Reply, Stream, reply
from karmadalab.server.status import HttpError, failure
from karmadalab.server.stream import run_stream

MAX_BODY = 3 << 20  # what a real API server takes
_MEMBERS = "/members/"
_BODY_S = 30.0  # how long a request may take to arrive

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
T = TypeVar("T")


class Apis(Protocol):
    """The API servers behind one address: the control plane's at its root, members' below `/members/NAME`."""

    def find(self, name: str) -> Api | None:
        """The API server of a member, or of the control plane without a name; called in the turn."""
        ...

    def all(self) -> list[Api]:
        """All that have been found."""
        ...


class App:
    """The application.

    Args:
        clock: the lab's.
        apis: the API servers.
        token: what a request must bring; empty for none.
    """

    def __init__(self, clock: VirtualClock, apis: Apis, token: str) -> None:
        self.clock, self.apis = clock, apis
        self._token = token
        self.closing = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        try:
            if not self._may(headers):
                raise HttpError(401, "Unauthorized", "Unauthorized")
            call = self._call(scope, headers, await _body(headers, receive))
            found = await self.in_turn(lambda: self._answer(call))
        except HttpError as error:
            found = reply(failure(error), error.status_code)
        if isinstance(found, Reply):
            await _send_reply(found, scope["method"] == "HEAD", send)
        else:
            await self._send_stream(found, receive, send)

    def _may(self, headers: Mapping[str, str]) -> bool:
        kind, _, token = headers.get("authorization", "").partition(" ")
        if not self._token:
            return True
        return kind.lower() == "bearer" and compare_digest(token.strip().encode(), self._token.encode())

    @staticmethod
    def _call(scope: Scope, headers: Mapping[str, str], body: bytes) -> Call:
        raw = scope.get("raw_path") or scope["path"].encode()
        query = dict(parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
        content_type = headers.get("content-type", "").partition(";")[0].strip().lower()
        return Call(
            scope["method"],
            raw.decode("latin-1"),
            query,
            headers.get("accept", ""),
            content_type,
            headers.get("user-agent", ""),
            body,
        )

    def _answer(self, call: Call) -> Reply | Stream:
        name, prefix = "", ""
        if call.path.startswith(_MEMBERS):
            name = call.path[len(_MEMBERS) :].partition("/")[0]
            prefix = f"{_MEMBERS}{name}"
        api = self.apis.find(name)
        if api is None or (prefix and not name):
            status = failure(HttpError(404, "NotFound", f"there is no member {name!r}"))
            return reply(status, 404)
        found = api.answer(call._replace(path=call.path[len(prefix) :], prefix=prefix))
        if call.method != "GET":
            try:
                self.clock.catch_up()  # what follows at once has happened when a write is acknowledged
            except Exception as error:  # the write stands, but what should follow from it broke: say so, and go on
                api.broken(call, error)
                raise HttpError(500, "InternalError", f"written, but then {type(error).__name__}: {error}") from error
        return found

    async def in_turn(self, act: Callable[[], T]) -> T:
        """Act when it is our turn; a long step of the lab must not hold up the watches of others meanwhile."""
        if self.clock.turn.acquire(blocking=False):
            try:
                return self._taken(act)
            finally:
                self.clock.turn.release()
        return await asyncio.to_thread(self._taken, act)

    def _taken(self, act: Callable[[], T]) -> T:
        with self.clock.taken():
            return act()

    async def _send_stream(self, stream: Stream, receive: Receive, send: Send) -> None:
        try:
            await run_stream(stream, receive, send, self.closing, self.in_turn)
        finally:
            await self.in_turn(stream.stop)


async def _body(headers: Mapping[str, str], receive: Receive) -> bytes:
    """The body, up to its bound.

    Raises:
        HttpError: 413, it is larger; 408, it does not come.
    """
    declared = headers.get("content-length", "0")
    too_large = HttpError(413, "RequestEntityTooLarge", f"the body is larger than {MAX_BODY} bytes")
    if not declared.isdigit() or int(declared) > MAX_BODY:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(_BODY_S):
            while True:
                message = await receive()
                body += message.get("body", b"")
                if len(body) > MAX_BODY:
                    raise too_large
                if not message.get("more_body"):
                    return bytes(body)
    except TimeoutError:
        raise HttpError(408, "Timeout", f"the body did not come within {_BODY_S:g} s") from None


async def _send_reply(found: Reply, bare: bool, send: Send) -> None:
    headers = [(b"content-type", found.content_type.encode()), (b"content-length", str(len(found.body)).encode())]
    headers += [(b"warning", _warning(text)) for text in found.warnings]
    if found.code == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    await send({"type": "http.response.start", "status": found.code, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if bare else found.body})


def _warning(text: str) -> bytes:
    plain = text.encode("ascii", "replace").decode().replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'299 - "{plain}"'.encode()
