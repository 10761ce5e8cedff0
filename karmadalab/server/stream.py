"""Answers that go on: sent as they come, ended by a time limit, by the client, or by the server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from karmadalab.core.clock import stopwatch
from karmadalab.server.reply import Stream

_BOOKMARK_S = 60.0  # real seconds between two bookmarks, as in a real API server
_STUCK_S = 60.0  # how long a client may take no byte at all

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
InTurn = Callable[[Callable[[], tuple[bytes, bool]]], Awaitable[tuple[bytes, bool]]]


async def run_stream(stream: Stream, receive: Receive, send: Send, closing: asyncio.Event, in_turn: InTurn) -> None:
    """Send what comes in until there is no more.

    Args:
        stream: what to send.
        receive, send: the connection's.
        closing: set when the server ends.
        in_turn: acts in the lab's turn.
    """
    headers = [(b"content-type", stream.content_type.encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    left = asyncio.ensure_future(_left(receive))
    closed = asyncio.ensure_future(closing.wait())
    ends = stopwatch() + stream.timeout_s
    try:
        while not (left.done() or closed.done()):
            body, over = await _next(stream, in_turn)
            if body:
                async with asyncio.timeout(_STUCK_S):
                    await send({"type": "http.response.body", "body": body, "more_body": True})
            if over or stopwatch() >= ends:
                break
            if not stream.watcher.news.is_set():
                await _wait(stream, left, closed, ends)
        if not left.done():
            await send({"type": "http.response.body", "body": b"", "more_body": False})
    except (TimeoutError, OSError):
        pass  # it reads no more: nobody is there to be told
    finally:
        left.cancel()
        closed.cancel()


async def _next(stream: Stream, in_turn: InTurn) -> tuple[bytes, bool]:
    """What has come in, and whether that was the end."""
    if stream.convert is not None:
        return await in_turn(stream.convert)
    return stream.watcher.take(), stream.watcher.over and not stream.watcher.queued


async def _wait(stream: Stream, left: asyncio.Future[None], closed: asyncio.Future[Any], ends: float) -> None:
    """Wait for news, the end, or the time of a bookmark."""
    news = asyncio.ensure_future(stream.watcher.news.wait())
    patience_s = max(0.0, ends - stopwatch())
    if stream.bookmark is not None:
        patience_s = min(patience_s, _BOOKMARK_S)
    await asyncio.wait((news, left, closed), timeout=patience_s, return_when=asyncio.FIRST_COMPLETED)
    if not news.done():
        news.cancel()
        if stream.bookmark is not None and not left.done() and not closed.done():
            stream.watcher.put(stream.bookmark())


async def _left(receive: Receive) -> None:
    """Until the client has hung up."""
    while (await receive())["type"] != "http.disconnect":
        pass
