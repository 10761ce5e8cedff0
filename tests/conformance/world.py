"""A small world for recorded cases: the package's own store and virtual clock, and one process to put controllers in.

Recorded objects keep what an API server would have set (uid, generation, times, status), so they are laid into the
store as they are. Reconciles are called by hand, because the recordings say when each of them ran.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from karmadalab.api.codec import decode
from karmadalab.api.errors import KarmadalabError
from karmadalab.api.meta import replace
from karmadalab.api.scheme import AnyObject
from karmadalab.api.time import Time
from karmadalab.core.client import ADDED
from karmadalab.core.clock import VirtualClock
from karmadalab.core.controller import Reconciler, Request
from karmadalab.core.indexes import add_indexes
from karmadalab.core.manager import Manager
from karmadalab.core.settings import Settings
from karmadalab.core.store import Admit, Store
from karmadalab.core.trace import CREATE, Trace

NEVER_S = 1e9
"""Seconds until a loop's first tick that no recording reaches."""

_GRAIN_S = 2.0**-20

START = Time.parse("2000-01-01T00:00:00Z")


class Step(NamedTuple):
    """How one reconcile ended: seconds until it wants to run again (0: it doesn't), or the error's text."""

    requeue_after_s: float
    error: str | None


class World:
    """A control plane without controllers.

    Args:
        settings: the flags.
        start: when it begins, Unix seconds.
        admit: the admission chain; none by default, as in the recordings.
    """

    def __init__(self, settings: Settings, start: float = START, admit: Admit | None = None) -> None:
        self.settings = settings
        self.start = float(start)
        self.clock = VirtualClock(self.start)
        self.trace = Trace(self.clock.now)
        self.store = Store(self.clock, self.trace, admit=admit)
        add_indexes(self.store)
        self.manager = Manager("recorded", self.clock, self.trace, settings, self._none)

    @staticmethod
    def _none(manager: Manager) -> Sequence[Reconciler]:
        return ()

    def run_to(self, at_s: float) -> None:
        """Let the clock go on to so many seconds after the start.

        The recordings' moments are sums of floats, cut to nanoseconds: 152.709999999 is just before a deadline at
        152.71. Our clock has a coarser grain, so what is a nanosecond early there is a grain early here.
        """
        micros = round(at_s * 1e6)
        early = int(at_s * 1e9) < micros * 1000
        self.clock.run_until(self.start + micros * 1e-6 - (_GRAIN_S if early else 0.0))

    def load(self, data: dict[str, Any] | AnyObject) -> Any:
        """Lay an object into the store as it is; only a resourceVersion is made up where it has none."""
        obj = decode(data) if isinstance(data, dict) else data
        self.store.version += 1
        if not obj.metadata.resourceVersion:
            obj = replace(obj, metadata=replace(obj.metadata, resourceVersion=str(self.store.version)))
        kind, key = obj.GROUP_KIND, (obj.metadata.namespace, obj.metadata.name)
        table = self.store._table(kind)
        table.order = None
        self.store._put(table, kind, key, self.store.find(kind, key[1], key[0]), obj, CREATE, ADDED)
        return obj

    def load_all(self, items: Sequence[dict[str, Any]] | None) -> list[Any]:
        """Lay several objects into the store."""
        return [self.load(item) for item in items or ()]

    def reconcile(self, reconciler: Reconciler, request: Request) -> Step:
        """Run one reconcile now."""
        try:
            result = reconciler.reconcile(request)
        except KarmadalabError as error:
            return Step(0.0, str(error))
        return Step(result.requeue_after_s or 0.0, None)

    @staticmethod
    def attempt(call: Callable[[], object]) -> str | None:
        """Do something; returns the text of the error, if any."""
        try:
            call()
        except KarmadalabError as error:
            return str(error)
        return None


def canonical(data: Any) -> Any:
    """Plain data without what means the same as nothing: null, empty lists and maps."""
    if isinstance(data, dict):
        items = {key: canonical(value) for key, value in data.items()}
        return {key: value for key, value in items.items() if value not in (None, [], {})}
    if isinstance(data, (list, tuple)):
        return [canonical(item) for item in data]
    return data


def differing(expected: Any, actual: Any, where: str = "") -> list[str]:
    """One line for each place where two plain answers differ; null and missing mean the same."""
    return _differing(canonical(expected), canonical(actual), where)


def _differing(expected: Any, actual: Any, where: str) -> list[str]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        keys = sorted({*expected, *actual}, key=str)
        return [line for key in keys for line in _differing(expected.get(key), actual.get(key), f"{where}.{key}")]
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        return [
            line
            for index, pair in enumerate(zip(expected, actual, strict=True))
            for line in _differing(*pair, f"{where}[{index}]")
        ]
    return [] if expected == actual else [f"{where.lstrip('.')}: {actual!r} instead of {expected!r}"]
