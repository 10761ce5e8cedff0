"""Reading and adding up statuses whose schema is Kubernetes' own.

Statuses are written as Go writes them, so that a stored template looks as `kubectl get -o yaml` shows it: a zero is
left out where the Go type says `omitempty`, and kept where it doesn't.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import AggregatedStatusItem

StatusDict = dict[str, Any]


def whole_status(obj: Unstructured) -> StatusDict | None:
    """The status as it is, None when there is none."""
    return obj.body.get("status")


def statuses(items: Iterable[AggregatedStatusItem]) -> list[StatusDict]:
    """The statuses that were collected, in the order of the clusters."""
    return [item.status for item in items if item.status is not None]


def total(parts: Iterable[StatusDict], field: str) -> int:
    """The sum of a counter over statuses; a missing one is zero."""
    return sum(part.get(field) or 0 for part in parts)


def put(status: StatusDict, counters: dict[str, Any], always: tuple[str, ...] = ()) -> StatusDict:
    """`status` with these fields set, and those that are empty removed unless listed in `always`.

    >>> put({"readyReplicas": 3, "conditions": []}, {"readyReplicas": 0, "replicas": 2})
    {'conditions': [], 'replicas': 2}
    """
    kept = {field: value for field, value in status.items() if field not in counters}
    return kept | {field: value for field, value in counters.items() if value or field in always}


def with_new_status(template: Unstructured, status: StatusDict) -> Unstructured:
    """The template with that status; the template itself when that says nothing new.

    A field that is empty and one that is absent say the same.
    """
    known = template.body.get("status")
    if known is not None and _said(known) == _said(status):
        return template
    return template.with_status(status)


def _said(status: StatusDict) -> StatusDict:
    return {field: value for field, value in status.items() if value}
