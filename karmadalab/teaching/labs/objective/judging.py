"""Checks 49.2 and 49.3: a plan is run, and whoever misses the objective hears which incident it was that did it."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from karmadalab.analysis import Recording, record, serving
from karmadalab.api.errors import ApiError, shortly
from karmadalab.lab import Lab
from karmadalab.teaching.asking import called
from karmadalab.teaching.labs.objective.running import REPLICAS, Move, Plan, availability, lived, moves
from karmadalab.teaching.labs.objective.week import GAP_S, USUAL, Incident, Week, week
from karmadalab.teaching.verdict import Finding, Mistake

Planner = Callable[[], Plan]

_MOST_CLUSTERS = 2


class Objective(NamedTuple):
    """What the owners ask for: the availability of each workload (0 to 1), and how many needless moves they bear."""

    web: float = 0.999
    api: float = 0.985
    needless: int = 0


OBJECTIVE = Objective()


def own_week(planner: Planner, chosen: Week = USUAL) -> Finding | None:
    """49.2: the week that the learner has seen."""
    return _judged(_plan(planner), chosen)


def other_weeks(planner: Planner) -> Finding | None:
    """49.3: three weeks that nobody has seen."""
    plan = _plan(planner)
    for number in range(3):
        chosen = week(Random(4900 + number))
        finding = _judged(plan, chosen)
        if finding is not None:
            what = f"in a week that you have not seen: {finding.what}"
            return Finding(what, f"{finding.why} A plan is for weeks to come, not for the last one.", finding.look)
    return None


def _plan(planner: Planner) -> Plan:
    plan = called(planner)
    if not isinstance(plan, Plan):
        why = "a plan holds the flags and the two placements: `Plan(flags={...}, web={...}, api={...})`."
        raise Mistake(Finding(f"my_plan returns {shortly(plan)}.", why, "what your function returns."))
    return plan


def _run(plan: Plan, chosen: Week) -> Lab:
    try:
        return lived(plan, chosen)
    except (ApiError, TypeError, ValueError, AttributeError) as error:
        why = "a flag or a policy that is refused changes nothing in the fleet."
        raise Mistake(Finding(f"your plan is refused: {error}", why, "the field that the message names.")) from None


def _judged(plan: Plan, chosen: Week) -> Finding | None:
    recording = record(_run(plan, chosen))
    return (
        _allowed(recording)
        or _quiet(moves(recording), chosen)
        or _served(recording, "web", OBJECTIVE.web, chosen)
        or _served(recording, "api", OBJECTIVE.api, chosen)
    )


def _allowed(recording: Recording) -> Finding | None:
    """What is paid for: two clusters with 2 replicas each for web, and 6 replicas in all for api."""
    for event in recording.events:
        if event.kind != "ResourceBinding" or event.what != "spec.clusters changed":
            continue
        placed: dict[str, Any] = event.detail["to"]
        if event.name.startswith("web-") and len(placed) > _MOST_CLUSTERS:
            what = f"web runs on {len(placed)} clusters."
            return Finding(
                what, "each copy costs as much as the first; two are paid for.", "`spreadConstraints` of web."
            )
        if event.name.startswith("web-") and any(count != REPLICAS["web"] for count in placed.values()):
            what = f"web is placed as {placed}."
            return Finding(what, "web is duplicated: each of its clusters has all 2 replicas.", "the placement of web.")
        if event.name.startswith("api-") and sum(placed.values()) > REPLICAS["api"]:
            what = f"api is placed as {placed}, {sum(placed.values())} replicas."
            return Finding(what, "api is divided: 6 replicas in all are paid for.", "`replicaScheduling` of api.")
    return None


def _quiet(made: list[Move], chosen: Week) -> Finding | None:
    needless = [move for move in made if move.needless]
    if len(needless) <= OBJECTIVE.needless:
        return None
    first = needless[0]
    cause = _during(chosen, first.at_s)
    since_s = first.at_s - cause.at_s
    return Finding(
        f"{len(needless)} moves are needless. The first: {first.workload} leaves {first.member} {since_s:.0f} s after "
        f"the beginning of this: {cause!r}.",
        "its pods were serving when it left: the cluster was out of sight only, or back already. A longer wait would "
        "have seen that.",
        "how long the short troubles of the week last, and half a minute more until success is believed.",
    )


def _served(recording: Recording, workload: str, wanted: float, chosen: Week) -> Finding | None:
    share = availability(recording, workload)
    if share >= wanted:
        return None
    worst = max(chosen, key=lambda incident: _lost(recording, workload, incident))
    lost = _lost(recording, workload, worst)
    what = (
        f"{workload} is served to {100 * share:.2f} %, and {100 * wanted:g} % are asked for. The worst: {lost:.0f} "
        f"replica-seconds lost in this: {worst!r}."
    )
    if workload == "web" and _clusters(recording, "web") == 1:
        return Finding(
            what,
            "with a single copy each loss of power costs at least the way to the verdict and the start of new pods, "
            "however hasty you are. Haste is not the only thing that money can buy.",
            "what the owners pay for, and `spreadConstraints`.",
        )
    return Finding(
        what,
        "what is lost is lost while you wait: threshold, failover-eviction-timeout, toleration, one after the other.",
        "`show.outage_split(lived(my_plan(), MINE))`, and the longest part in it.",
    )


def _clusters(recording: Recording, workload: str) -> int:
    """On how many clusters a workload is at most."""
    name = f"{workload}-deployment"
    placed = [e.detail["to"] for e in recording.events if (e.name, e.what) == (name, "spec.clusters changed")]
    return max((len(clusters) for clusters in placed), default=0)


def _during(chosen: Week, at_s: float) -> Incident:
    return max((incident for incident in chosen if incident.at_s <= at_s), key=lambda incident: incident.at_s)


def _lost(recording: Recording, workload: str, incident: Incident) -> float:
    served = serving(recording, workload).total
    return served.lacking(REPLICAS[workload], incident.at_s, incident.at_s + GAP_S)
