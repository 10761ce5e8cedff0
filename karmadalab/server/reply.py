"""What goes back: a complete answer, or one that goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from karmadalab.server.encode import json_bytes
from karmadalab.server.watch import Watcher

JSON, TEXT = "application/json", "text/plain; charset=utf-8"


class Reply(NamedTuple):
    """A complete answer.

    Args:
        body: its bytes.
        code: the HTTP status.
        content_type: of the body.
        warnings: sentences for the person, as kubectl prints them.
    """

    body: bytes
    code: int = 200
    content_type: str = JSON
    warnings: tuple[str, ...] = ()


class Stream(NamedTuple):
    """An answer that goes on while things change.

    Args:
        watcher: where the changes come in.
        stop: what ends their coming; needs the turn.
        timeout_s: when it ends by itself, in real seconds.
        bookmark: makes the line that says how far the watcher is; None when it did not ask.
        convert: what the watcher's bytes become on the wire, and whether that was the end; None leaves them.
        content_type: of the whole.
    """

    watcher: Watcher
    stop: Callable[[], None]
    timeout_s: float
    bookmark: Callable[[], bytes] | None = None
    convert: Callable[[], tuple[bytes, bool]] | None = None
    content_type: str = JSON


def reply(data: Any, code: int = 200) -> Reply:
    """Plain data as an answer."""
    return Reply(json_bytes(data), code)
