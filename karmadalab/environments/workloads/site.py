"""What the controllers of one member share: its store, its clock, its power, and the names it gives away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from karmadalab.api.naming import SAFE, fnv32a
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.clock import Timer, VirtualClock
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace

OBJECTS_BY_OWNER = "owner"

_NAMES = len(SAFE) ** 5
_STRIDE = 8_675_309  # no factor in common with 27^5: neighbours look unrelated, and none comes twice in 14 million


# So many pods the real replicaset-controller makes at a time. More that wait for a node would say nothing new, and an
# absurd number of replicas would fill the memory of the machine that this runs on instead of an etcd.
WAITING_MAX = 500


class Site:
    """One member's machine room.

    Attributes:
        powered: whether the machines are on; while they are off, nothing here works.
    """

    def __init__(self, store: Store, clock: VirtualClock, trace: Trace) -> None:
        self.store, self.clock, self.trace = store, clock, trace
        self.powered = True
        self._queued: set[tuple[Callable[..., None], tuple[Any, ...]]] = set()
        self._serial = 0
        self._held_back: set[str] = set()
        self._network = fnv32a(store.world) % 200 + 20

    def soon(self, actor: str, work: Callable[..., None], *key: Any) -> None:
        """Call `work(*key)` in this same instant, once, however often it is asked for before it runs."""
        entry = (work, key)
        if entry not in self._queued:
            self._queued.add(entry)
            self.clock.call_soon((self.trace.bound(self._run, actor), entry))

    def later(self, delay_s: float, actor: str, work: Callable[..., None], *key: Any) -> Timer:
        """Call `work(*key)` after a delay in seconds, unless the machines are off then."""
        return self.clock.call_later(delay_s, self.trace.bound(self._due, actor), work, key)

    def _run(self, entry: tuple[Callable[..., None], tuple[Any, ...]]) -> None:
        self._queued.discard(entry)
        work, key = entry
        self._due(work, key)

    def _due(self, work: Callable[..., None], key: tuple[Any, ...]) -> None:
        if self.powered:
            work(*key)

    def suffix(self) -> str:
        """Five characters such as Kubernetes puts after `generateName`, the same in every run, none of them twice."""
        self._serial += 1
        return five_letters(fnv32a(self.store.world) + self._serial)

    def address(self, serial: int) -> str:
        """An address in the member's pod network."""
        return f"10.{self._network}.{serial >> 8 & 0xFF}.{serial & 0xFF}"

    def allowance(self, owner: Unstructured, missing: int, pods: Sequence[Unstructured]) -> int:
        """How many of an owner's missing pods may be made now: not more than `WAITING_MAX` of them wait for a node.

        Args:
            owner: a ReplicaSet, StatefulSet or Job.
            missing: so many more it wants; negative if it has too many.
            pods: those it has.
        """
        waiting = sum("nodeName" not in pod.spec for pod in pods)
        allowed = min(missing, max(0, WAITING_MAX - waiting))
        meta = owner.metadata
        if missing <= 0 or allowed:
            self._held_back.discard(meta.uid)
        elif meta.uid not in self._held_back:
            self._held_back.add(meta.uid)
            text = f"{waiting} pods wait for a node; the {missing} that are missing are made when these have one"
            self.trace.note(owner.GROUP_KIND, meta.name, text, namespace=meta.namespace, world=self.store.world)
        return allowed

    def owned(self, kind: str, uid: str) -> list[Any]:
        """The objects of a kind that an object owns, by name."""
        return self.store.indexed(kind, OBJECTS_BY_OWNER, uid)


def five_letters(serial: int) -> str:
    """A number in five safe letters; different numbers below 27^5 have different ones.

    >>> five_letters(1), five_letters(2)
    ('2k2lv', 'rtrwh')
    """
    rest, letters = serial * _STRIDE % _NAMES, ""
    for _ in range(5):
        rest, digit = divmod(rest, len(SAFE))
        letters += SAFE[digit]
    return letters
