"""Who keeps whom busy when work never ends.

Two controllers that undo each other's writes are a classic defect. In a real control plane it shows as load and as a
resourceVersion that races away; on a virtual clock time may simply never move on. The record knows better: an object
that is written thousands of times at one instant is what they fight about, and the writers are who fights. Where an
event takes a while to reach a controller, time does move on, and the fight shows as one undoing what the other did,
over and over.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Sequence

from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.scheme import AnyObject
from karmadalab.core.trace import ERROR, FAULT, NOTE, STATUS, UPDATE, Row

# A binding on a thousand clusters is written two thousand times when all their statuses come in at once.
MANY = 10_000
_NAMED = 5
_PEOPLE = {"user", "fault"}  # who breaks things on purpose is no controller
_MARKS, _NO_META = ("labels", "annotations", "finalizers", "ownerReferences"), ObjectMeta()


def unsettled(rows: Sequence[Row], now: float, many: int = MANY) -> str:
    """The objects that keep changing at this instant, each with who changes it.

    Args:
        rows: the trace, oldest first.
        now: this instant.
        many: how many writes of one object no honest work needs.

    Returns:
        a sentence with the worst objects first; "" when none was written so often.
    """
    writes: Counter[str] = Counter()
    actors: dict[str, Counter[str]] = {}
    for row in reversed(rows):
        if row.at < now:
            break
        if row.verb not in (FAULT, NOTE, ERROR):
            name = _name(row)
            writes[name] += 1
            actors.setdefault(name, Counter())[row.actor] += 1
    worst = [(name, count) for name, count in writes.most_common(_NAMED) if count > many // 10]
    if not worst or worst[0][1] <= many:
        return ""
    return "; ".join(f"{name} was written {count} times, by {_list(actors[name])}" for name, count in worst)


def contested(rows: Iterable[Row], times: int = 10, within_s: float = 60.0) -> str:
    """An object that two controllers toss to and fro, each undoing the other's write.

    Args:
        rows: the trace, oldest first.
        times: how many undone writes of one object
        within_s: in how many seconds are no accident.

    Returns:
        a sentence, "" when there is no such object.
    """
    latest: dict[str, Row] = {}
    undone: dict[str, deque[float]] = {}
    for row in rows:
        if row.verb not in (UPDATE, STATUS):
            continue
        name = _name(row)
        before, latest[name] = latest.get(name), row
        if before is None or before.actor == row.actor or _PEOPLE & {before.actor, row.actor}:
            continue
        if not _same(before.old, row.new):
            continue
        moments = undone.setdefault(name, deque(maxlen=times))
        moments.append(row.at)
        if len(moments) == times and moments[-1] - moments[0] <= within_s:
            return f"{name}: {before.actor} and {row.actor} undid each other {times} times in {within_s:g} s"
    return ""


def _same(a: AnyObject | None, b: AnyObject | None) -> bool:
    """Whether two versions of an object say the same, whatever their resourceVersions and generations are."""
    if a is None or b is None:
        return False
    if any(getattr(a.metadata, part) != getattr(b.metadata, part) for part in _MARKS):
        return False
    return replace(a, metadata=_NO_META) == replace(b, metadata=_NO_META)


def _name(row: Row) -> str:
    kind = row.kind.partition(".")[0] + (f"@{row.world}" if row.world else "")
    return f"{kind} {row.namespace}/{row.name}" if row.namespace else f"{kind} {row.name}"


def _list(actors: Counter[str]) -> str:
    return ", ".join(f"{actor} ({count})" for actor, count in actors.most_common(_NAMED))
