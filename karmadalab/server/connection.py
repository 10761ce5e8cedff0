"""One connection, with bounds on what comes before there is a request.

uvicorn's quick parser takes a head of any length from anybody, for as long as it takes to come. A stranger needs no
token for that; so here a head has a size and a time, and who exceeds them is hung up on.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD = 1 << 16  # bytes of an address with its headers; kubectl's are below 2,000
_HEAD_S = 30.0  # how long they may take to arrive


class Connection(HttpToolsProtocol):
    """uvicorn's connection, with those bounds."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._head = 0  # bytes of the present head
        self._idle = 0  # bytes since the last that were of use: a body's, or the end of a request
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's own
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._have_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self._idle += len(data)
        super().data_received(data)
        if self._idle > MAX_HEAD and not self.transport.is_closing():
            self.transport.abort()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head = 0
        self._expect_head()

    def on_url(self, url: bytes) -> None:
        self._grow(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        self._grow(len(name) + len(value) + 4)
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._have_head()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._idle = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._idle = 0
        super().on_message_complete()

    def _grow(self, size: int) -> None:
        self._head += size
        if self._head > MAX_HEAD:
            raise ValueError(f"more than {MAX_HEAD} bytes before the body")  # the parser makes it a 400

    def _expect_head(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(_HEAD_S, self.transport.abort)

    def _have_head(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None
