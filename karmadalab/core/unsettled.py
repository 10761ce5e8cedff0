"""Who keeps whom busy when work at one instant never ends.

Two controllers that undo each other's writes are a classic defect. In a real control plane it shows as load and as a
resourceVersion that races away; on a virtual clock time would simply never move on. The record knows better: an object
that is written thousands of times at one instant is what they fight about, and the writers are who fights.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from karmadalab.core.trace import ERROR, FAULT, NOTE, Row

# A binding on a thousand clusters is written a few thousand times when all their statuses come in at once.
MANY = 5_000
_NAMED = 5


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


def _name(row: Row) -> str:
    kind = row.kind.partition(".")[0] + (f"@{row.world}" if row.world else "")
    return f"{kind} {row.namespace}/{row.name}" if row.namespace else f"{kind} {row.name}"


def _list(actors: Counter[str]) -> str:
    return ", ".join(f"{actor} ({count})" for actor, count in actors.most_common(_NAMED))
