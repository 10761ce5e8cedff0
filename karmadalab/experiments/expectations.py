"""What a scenario expects, as data: an event in time, an event that never comes, an order, a placement, what runs.

Times count from the beginning of the lab, or from what `after` names: an action or an expectation with that `name`.
`at` has a tolerance, `within` (1 s unless told otherwise); `between` is a range. The word `end` is the end of the run,
as a moment and as the end of a range.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Protocol

from karmadalab.api.errors import Invalid
from karmadalab.api.meta import Data
from karmadalab.environments.fleet import Fleet
from karmadalab.experiments.patterns import Pattern, read_pattern
from karmadalab.experiments.refusals import Refusals
from karmadalab.experiments.words import Length, Named, known, length, named, one_of

Range = tuple[Length, Length]
END = "end"
_HAVE_PODS = ("Deployment", "StatefulSet", "DaemonSet", "Job")
Replicas = dict[str, int]


class Expectation(Protocol):
    """Something that should turn out so. `why` is a remark for the reader of a failure."""

    after: str
    why: str

    def check(self, fleet: Fleet, where: str) -> None:
        """Raise `Invalid` if it makes no sense for this fleet."""


class Happens(Data):
    """The first such event after a moment comes in time; with `times`, so many of them come in the range."""

    happens: str
    at: Length | None = None
    within: Length = "1s"
    between: Range | None = None
    after: str = ""
    name: str = ""
    times: int | None = None
    why: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The event could happen, and its time is said once."""
        read_pattern(self.happens, _members(fleet), f"{where}.happens")
        _check_when(self.at, self.between, where)
        length(self.within, f"{where}.within")
        if self.times is not None and self.times < 1:
            raise Invalid(f"{where}.times: expected 1 or more, got {self.times}; for none at all write never")


class Never(Data):
    """No such event comes, from a moment to the end or in a range."""

    never: str
    between: Range | None = None
    after: str = ""
    why: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The event could happen."""
        read_pattern(self.never, _members(fleet), f"{where}.never")
        _check_when(None, self.between, where)


class Order(Data):
    """These events come one after the other; others may come in between."""

    order: tuple[str, ...]
    after: str = ""
    why: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """Each event could happen."""
        if len(self.order) < 2:
            raise Invalid(f"{where}.order: an order needs two events or more")
        for index, text in enumerate(self.order):
            read_pattern(text, _members(fleet), f"{where}.order[{index}]")


class Placement(Data, rename={"is_": "is"}):
    """An object is scheduled to these clusters; several mappings are alternatives."""

    placement: str
    is_: Replicas | tuple[Replicas, ...]
    at: Length | None = None
    between: Range | None = None
    after: str = ""
    why: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The clusters exist."""
        named(self.placement, f"{where}.placement")
        _check_when(self.at, self.between, where)
        for choice in choices(self.is_):
            _check_clusters(choice, fleet, where)


class Running(Data, rename={"is_": "is"}):
    """So many pods of a workload are ready in the members; a member that is not named has none."""

    running: str
    is_: Replicas | tuple[Replicas, ...]
    at: Length | None = None
    between: Range | None = None
    after: str = ""
    why: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The members exist."""
        if named(self.running, f"{where}.running").kind not in _HAVE_PODS:
            raise Invalid(f"{where}.running: {self.running} has no pods; {', '.join(_HAVE_PODS)} have")
        _check_when(self.at, self.between, where)
        for choice in choices(self.is_):
            _check_clusters(choice, fleet, where)


class Ready(Data, rename={"is_": "is"}):
    """The status of the template in the control plane says so many ready replicas, as `kubectl get` shows them."""

    ready: str
    is_: int
    at: Length | None = None
    between: Range | None = None
    after: str = ""
    why: str = ""

    def check(self, fleet: Fleet, where: str) -> None:
        """The kind exists."""
        named(self.ready, f"{where}.ready")
        _check_when(self.at, self.between, where)


_CLASSES: dict[str, type[Any]] = {
    "happens": Happens,
    "never": Never,
    "order": Order,
    "placement": Placement,
    "running": Running,
    "ready": Ready,
}


def read_expectations(
    data: Collection[Any], fleet: Fleet, moments: Collection[str], where: str, found: Refusals
) -> tuple[tuple[str, Expectation], ...]:
    """The expectations of a file that make sense, each with its path; what is wrong with the others is noted.

    Args:
        moments: the names of the actions, which `after` may say.
    """
    names = list(moments)
    read = []
    for index, item in enumerate(data):
        path = f"{where}[{index}]"
        with found.noted():
            read.append((path, _read_one(item, fleet, names, path)))
        name = item.get("name") if isinstance(item, dict) else None
        if name and name not in names:  # also of one that was refused: `after` shall not be blamed for it
            names.append(name)
    return tuple(read)


def _read_one(item: Any, fleet: Fleet, names: list[str], path: str) -> Expectation:
    expectation: Any = one_of(item, _CLASSES, path, "an expectation")
    expectation.check(fleet, path)
    if expectation.after:
        known(expectation.after, names, f"{path}.after", "action or earlier expectation named")
    name = getattr(expectation, "name", "")
    if name and name in names:
        raise Invalid(f"{path}.name: {name!r} is used twice; every moment needs its own name")
    checked: Expectation = expectation
    return checked


def patterns_of(expectation: Expectation) -> list[tuple[str, Pattern]]:
    """The events that an expectation is about, each with the field that says it."""
    if isinstance(expectation, Order):
        return [(f"order[{index}]", Pattern(text)) for index, text in enumerate(expectation.order)]
    if isinstance(expectation, Happens):
        return [("happens", Pattern(expectation.happens))]
    return [("never", Pattern(expectation.never))] if isinstance(expectation, Never) else []


def state_of(expectation: Expectation) -> tuple[str, Named] | None:
    """The object whose state an expectation is about, and the field that says it; None for events."""
    for field in ("placement", "running", "ready"):
        if text := getattr(expectation, field, ""):
            return field, named(text, field)
    return None


def choices(is_: Replicas | tuple[Replicas, ...]) -> tuple[Replicas, ...]:
    """The alternatives of an expectation that may have several."""
    return is_ if isinstance(is_, tuple) else (is_,)


def _members(fleet: Fleet) -> list[str]:
    return [member.name for member in fleet.members]


def _check_clusters(replicas: Replicas, fleet: Fleet, where: str) -> None:
    for cluster, count in replicas.items():
        known(cluster, _members(fleet), f"{where}.is", "cluster")
        if count < 0:
            raise Invalid(f"{where}.is.{cluster}: expected a whole number of 0 or more, got {count}")


def _check_when(at: Length | None, between: Range | None, where: str) -> None:
    if at is not None and between is not None:
        raise Invalid(f"{where}: write either at or between, not both")
    if at is not None and at != END:
        length(at, f"{where}.at")
    if between is not None:
        low = length(between[0], f"{where}.between[0]")
        if between[1] != END and length(between[1], f"{where}.between[1]") < low:
            raise Invalid(f"{where}.between: the range ends before it begins: {between[0]} to {between[1]}")
