"""Jobs: several members' runs as one run.

The template is complete when all members are, and failed when one is. Once it says so it never changes again.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.time import Time
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import AggregatedStatusItem
from karmadalab.interpreter.status import StatusDict, put, statuses, total, with_new_status

Items = tuple[AggregatedStatusItem, ...]


def aggregate_job(template: Unstructured, items: Items, now: float) -> Unstructured:
    """Job: pod counts, the earliest start, and the end once all members have ended."""
    if finished_as(template.status):
        return template
    parts = statuses(items)
    fields: StatusDict = {counter: total(parts, counter) for counter in ("active", "succeeded", "failed")}
    fields["startTime"] = min(_times(parts, "startTime"), default=None)
    ends = _times(parts, "completionTime")
    fields["completionTime"] = max(ends) if ends and len(ends) == len(items) else None
    fields["conditions"] = _conditions(items, now)
    return with_new_status(template, put(template.status, fields))


def aggregate_cron_job(template: Unstructured, items: Items, now: float) -> Unstructured:
    """CronJob: all running jobs, the latest schedule and the latest success."""
    parts = statuses(items)
    fields = {
        "active": [job for part in parts for job in part.get("active") or ()],
        "lastScheduleTime": max(_times(parts, "lastScheduleTime"), default=None),
        "lastSuccessfulTime": max(_times(parts, "lastSuccessfulTime"), default=None),
    }
    return with_new_status(template, put(template.status, fields))


def finished_as(status: StatusDict) -> str:
    """`Complete` or `Failed` when a Job's status says so, else empty.

    >>> finished_as({"conditions": [{"type": "Failed", "status": "True"}]})
    'Failed'
    """
    for condition in status.get("conditions") or ():
        if condition.get("type") in ("Complete", "Failed") and condition.get("status") == "True":
            return str(condition["type"])
    return ""


def _conditions(items: Items, now: float) -> list[dict[str, Any]]:
    ended = {item.clusterName: finished_as(item.status) for item in items if item.status is not None}
    failed = [cluster for cluster, how in ended.items() if how == "Failed"]
    conditions = []
    if failed:
        message = f"Job executed failed in member clusters {','.join(failed)}"
        conditions.append(job_condition("Failed", "JobFailed", message, now))
    if items and sum(how == "Complete" for how in ended.values()) == len(items):
        conditions.append(job_condition("Complete", "Completed", "Job completed", now))
    return conditions


def job_condition(type_: str, reason: str, message: str, now: float) -> dict[str, Any]:
    """A condition of a finished Job, probed and changed now."""
    stamp = str(Time(now))
    return {
        "type": type_,
        "status": "True",
        "lastProbeTime": stamp,
        "lastTransitionTime": stamp,
        "reason": reason,
        "message": message,
    }


def _times(parts: list[StatusDict], field: str) -> list[str]:
    """The times that are set; RFC 3339 in UTC sorts as text."""
    return [part[field] for part in parts if part.get(field)]
