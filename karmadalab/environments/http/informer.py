"""A kind of a remote cluster, known at home: listed once, then watched, and listed again when the watch was cut.

Mirrors client-go's reflector and informer. What changes is delivered while the lab's other threads stand still, in the
order in which the server made it. A cut-off informer keeps showing the past; when it is back it delivers what it missed
as differences.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from karmadalab.api.codec import decode
from karmadalab.api.errors import ApiError, Gone, KarmadalabError, Unreachable
from karmadalab.api.scheme import ResourceType
from karmadalab.core.client import ADDED, DELETED, MODIFIED, Handler
from karmadalab.core.clock import VirtualClock
from karmadalab.core.trace import Trace
from karmadalab.environments.http.paths import collection
from karmadalab.environments.http.refusal import refusal
from karmadalab.environments.http.transport import Stream, Transport

Key = tuple[str, str]

_LIST_TIMEOUT_S = 30.0
_WATCH_S = 290  # API servers end watches after five to ten minutes; we ask for a little less
_FIRST_RETRY_S, _LONGEST_RETRY_S = 0.2, 10.0


class Informer:
    """One kind.

    Args:
        rt: the kind.
        transport: the way to its server.
        clock: whose turn is taken to deliver.
        trace: events have no known cause.
        changed: called after each change, in the turn.

    Attributes:
        synced: whether the first list is in.
        version: the resourceVersion up to which it knows all.
    """

    def __init__(
        self, rt: ResourceType, transport: Transport, clock: VirtualClock, trace: Trace, changed: Callable[[], None]
    ) -> None:
        self.rt = rt
        self.objects: dict[Key, Any] = {}
        self.handlers: list[Handler] = []
        self.synced = False
        self.version = 0
        self.problem: KarmadalabError | None = None
        self._transport, self._clock, self._trace, self._changed = transport, clock, trace, changed
        self._stream: Stream | None = None
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, in a thread of its own."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=f"informer {self.rt.plural}", daemon=True)
            self._thread.start()

    def begin(self, items: Iterable[dict[str, Any]], version: int) -> None:
        """Know already what there was at a version, so that only what has changed since is told."""
        for obj in self._decoded(items):
            self.objects[obj.metadata.namespace, obj.metadata.name] = obj
        self.version, self.synced = version, True

    def stop(self) -> None:
        """End it."""
        self._closed.set()
        self.cut()

    def cut(self) -> None:
        """Give up the present connection, because another call over the same network found it dead."""
        stream = self._stream
        if stream is not None:
            stream.close()

    def wrote(self, obj: Any) -> None:
        """Take in what one of our own writes returned, before the watch brings it; the caller has the turn."""
        meta = obj.metadata
        if meta.deletionTimestamp is not None and not meta.finalizers:
            return  # the write was its last: the watch brings the deletion
        if self.synced and _version(obj) > self.version:
            self._put((meta.namespace, meta.name), obj)

    # --- in its thread

    def _run(self) -> None:
        retry_s = _FIRST_RETRY_S
        while not self._closed.is_set():
            try:
                if not self.version or not self.synced:
                    self._list()
                retry_s = _FIRST_RETRY_S
                self._watch()
            except Gone:
                self.version = 0
            except (ApiError, Unreachable) as error:
                self._fail(error)
                self._closed.wait(retry_s)
                retry_s = min(2 * retry_s, _LONGEST_RETRY_S)

    def _fail(self, error: KarmadalabError) -> None:
        with self._clock.taken():
            self.problem = error
            self._changed()

    def _list(self) -> None:
        answer = self._transport.request("GET", collection(self.rt), {}, None, _LIST_TIMEOUT_S)
        if answer.code >= 400:
            raise refusal(answer)
        items = self._decoded(answer.data.get("items") or ())
        with self._clock.taken():
            self._replace(items, int(answer.data["metadata"]["resourceVersion"]))

    def _decoded(self, items: Iterable[dict[str, Any]]) -> list[Any]:
        return [decode({**_head(self.rt), **item}) for item in items]

    def _replace(self, items: list[Any], version: int) -> None:
        fresh = {(obj.metadata.namespace, obj.metadata.name): obj for obj in items}
        self.version, self.synced, self.problem = version, True, None
        for key in [key for key in self.objects if key not in fresh]:
            self._drop(key, self.objects[key])
        for key in sorted(fresh):
            if key not in self.objects or _version(self.objects[key]) != _version(fresh[key]):
                self._put(key, fresh[key])
        self._changed()

    def _watch(self) -> None:
        query = {
            "watch": "true",
            "resourceVersion": str(self.version),
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(_WATCH_S),
        }
        self._stream = stream = self._transport.stream(collection(self.rt), query, _WATCH_S + 40.0)
        try:
            for event in stream:
                if self._closed.is_set():
                    return
                self._take(event["type"], event["object"])
        finally:
            self._stream = None
            stream.close()

    def _take(self, event: str, data: dict[str, Any]) -> None:
        if event == "ERROR":
            raise Gone(str(data.get("message"))) if data.get("code") == 410 else ApiError(str(data.get("message")))
        if event == "BOOKMARK":
            self.version = int(data["metadata"]["resourceVersion"])
            return
        obj = decode({**_head(self.rt), **data})
        key = (obj.metadata.namespace, obj.metadata.name)
        with self._clock.taken():
            self.version, known = _version(obj), self.objects.get(key)
            if event == DELETED:
                self._drop(key, obj)
            elif known is None or _version(known) < _version(obj):  # else it is a write of ours that we took in
                self._put(key, obj)
            self._changed()

    # --- in the turn

    def _put(self, key: Key, obj: Any) -> None:
        old = self.objects.get(key)
        self.objects[key] = obj
        self._tell(ADDED if old is None else MODIFIED, old, obj)

    def _drop(self, key: Key, last: Any) -> None:
        old = self.objects.pop(key, None)
        if old is not None:
            self._tell(DELETED, old, last)

    def _tell(self, event: str, old: Any, new: Any) -> None:
        self._changed()
        for handler in tuple(self.handlers):
            handler(event, old, new)


def _version(obj: Any) -> int:
    return int(obj.metadata.resourceVersion or 0)


def _head(rt: ResourceType) -> dict[str, str]:
    """Items of a list leave out what they are."""
    return {"apiVersion": rt.api_version, "kind": rt.kind}
