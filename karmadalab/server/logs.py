"""What a simulated pod's log says: its life, as the member's record has it.

Simulated containers run nothing and so print nothing. What would be asked of a log in a failover lesson (when did this
pod start, was it ready, was it told to end) the record knows.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import BadRequest
from karmadalab.api.time import Time
from karmadalab.core.store import Store

Line = tuple[float, str]  # Unix seconds, and what was so then


def log_lines(store: Store, pod: Any, container: str = "") -> list[Line]:
    """(Unix seconds, line) of everything that happened to a pod, oldest first.

    Raises:
        BadRequest: it has no container of that name.
    """
    names = [c.get("name", "") for c in pod.spec.get("containers") or ()]
    if container and container not in names:
        raise BadRequest(
            f"container {container} is not valid for pod {pod.metadata.name}; it has {', '.join(names) or 'none'}"
        )
    found = []
    for row in store.trace.rows:
        about = (row.world, row.kind, row.namespace, row.name)
        if about == (store.world, "Pod", pod.metadata.namespace, pod.metadata.name) and (
            line := _line(row.old, row.new)
        ):
            found.append((row.at, line))
    return found


def chosen(lines: list[Line], since: float | None, tail: int | None) -> list[Line]:
    """Those that were asked for.

    Args:
        lines: all, oldest first.
        since: Unix seconds, None for the beginning.
        tail: how many at most, the last ones; None for all.
    """
    lines = [line for line in lines if since is None or line[0] >= since]
    return lines if tail is None else lines[len(lines) - min(tail, len(lines)) :]


def log_text(lines: list[Line], timestamps: bool = False) -> str:
    """The log as `kubectl logs` shows it."""
    return "".join(f"{f'{Time(at)} ' if timestamps else ''}{Time(at)} {line}\n" for at, line in lines)


def _line(old: Any, new: Any) -> str:
    if new is None:
        return "ended"
    if old is None:
        return "created"
    if new.metadata.deletionTimestamp and not old.metadata.deletionTimestamp:
        return "told to end"
    if new.spec.get("nodeName") and not old.spec.get("nodeName"):
        return f"placed on {new.spec['nodeName']}"
    before, after = _state(old), _state(new)
    return "" if before == after else after


def _state(pod: Any) -> str:
    conditions = {c.get("type"): c for c in pod.status.get("conditions") or ()}
    ready = conditions.get("Ready", {})
    waiting = next(
        (
            w["reason"]
            for s in pod.status.get("containerStatuses") or ()
            if (w := (s.get("state") or {}).get("waiting"))
        ),
        "",
    )
    phase = pod.status.get("phase", "")
    return f"{phase.lower()}, ready" if ready.get("status") == "True" else f"{phase.lower()}, {waiting or 'not ready'}"
