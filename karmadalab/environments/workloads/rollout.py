"""How a Deployment goes from one revision to the next: pure arithmetic, as in Kubernetes' deployment controller.

New pods may come before old ones go (`maxSurge`), old ones may go before new ones are there (`maxUnavailable`); at each
step the rest follows from the counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Scale(NamedTuple):
    """A ReplicaSet in numbers: how many pods it is to have, and how many of them are available."""

    name: str
    replicas: int
    available: int = 0


def fence_posts(strategy: Mapping[str, Any], wanted: int) -> tuple[int, int]:
    """`maxSurge` and `maxUnavailable` as numbers of pods; 25 % each by default, rounded up and down.

    >>> fence_posts({}, 2), fence_posts({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}, 2)
    ((1, 0), (0, 1))
    """
    rolling = strategy.get("rollingUpdate") or {}
    surge = _share(rolling.get("maxSurge", "25%"), wanted, up=True)
    unavailable = _share(rolling.get("maxUnavailable", "25%"), wanted, up=False)
    return (surge, unavailable) if surge or unavailable else (0, 1)  # with neither, nothing would ever move


def _share(value: Any, wanted: int, up: bool) -> int:
    text = str(value)
    if not text.endswith("%"):
        return int(text) if text.isdecimal() else 0
    percent = int(text[:-1]) if text[:-1].isdecimal() else 0
    return -(-wanted * percent // 100) if up else wanted * percent // 100


def new_replicas(wanted: int, surge: int, new: Scale, old: Sequence[Scale]) -> int:
    """How many pods the new ReplicaSet may have now: as many as fit under `wanted + surge`.

    >>> new_replicas(4, 1, Scale("new", 0), [Scale("old", 4, 4)])
    1
    """
    if new.replicas >= wanted or not old:
        return wanted
    room = wanted + surge - new.replicas - sum(scale.replicas for scale in old)
    return new.replicas + max(0, min(room, wanted - new.replicas))


def old_replicas(wanted: int, unavailable: int, new: Scale, old: Sequence[Scale]) -> list[int]:
    """How many pods each old ReplicaSet may keep, oldest first: broken ones go first, then what can be spared.

    >>> old_replicas(4, 1, Scale("new", 1, 0), [Scale("old", 4, 4)])
    [3]
    """
    kept = [scale.replicas for scale in old]
    least = wanted - unavailable
    may_go = sum(kept) + new.replicas - least - (new.replicas - new.available)
    if may_go <= 0:
        return kept
    for index, scale in enumerate(old):
        broken = min(may_go, max(0, kept[index] - scale.available))
        kept[index] -= broken
        may_go -= broken
    spare = sum(scale.available for scale in old) + new.available - least
    for index in range(len(kept)):
        gone = max(0, min(spare, kept[index]))
        kept[index] -= gone
        spare -= gone
    return kept
