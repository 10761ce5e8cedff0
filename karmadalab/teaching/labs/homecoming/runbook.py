"""Check 33.3: bring `shop` home step by step, and nobody notices."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from karmadalab.analysis import serving
from karmadalab.lab import Lab
from karmadalab.teaching.asking import called
from karmadalab.teaching.labs.homecoming.fleet import DYNAMIC, Fleet, Workload, drained_and_back, world
from karmadalab.teaching.verdict import Finding, Mistake

MOST_STEPS, MOST_S, SETTLE_S = 20, 900.0, 120.0
BINDING = "default/shop-deployment"


class Run(NamedTuple):
    """A runbook carried out.

    Attributes:
        lab: the run.
        begin_s: when the first step was taken, in seconds of the lab.
        at_home: replicas on the home cluster before the drain.
        steps: (seconds after the first step, the step, the placement just after it).
    """

    lab: Lab
    begin_s: float
    at_home: int
    steps: list[tuple[float, str, dict[str, int]]]


def carried_out(steps: Iterable[Any], fleet: Fleet | None = None) -> Run:
    """`shop` was moved to the second cluster by a drain that is over; then the steps are taken.

    Raises:
        Mistake: a step is none, or there are too many, or they take too long.
    """
    fleet = fleet or Fleet()
    lab = world(fleet.members[:2], fleet.startup_s)
    drained_and_back(lab, [Workload("shop", DYNAMIC, fleet.replicas)], fleet.home, "5m")
    at_home = lab.at("1m59s").get("ResourceBinding", "shop-deployment").spec.clusters
    run = Run(lab, lab.t, next(t.replicas for t in at_home if t.name == fleet.home), [])
    for number, step in enumerate(_read(steps), 1):
        told = f"step {number}, {' '.join(str(word) for word in step)}"
        at_s = lab.t - run.begin_s
        _take(lab, step, number)
        run.steps.append((at_s, told, dict(lab.placement[BINDING])))
        if lab.t - run.begin_s > MOST_S:
            raise Mistake(Finding(f"{told}: a quarter of an hour is over.", "the night is short.", "your waits."))
    lab.run(SETTLE_S)
    return run


def _read(steps: Any) -> list[tuple[Any, ...]]:
    where = 'what your function returns, such as [("scale", 9), ("wait", 40), ("rebalance",)].'
    try:
        read = [tuple(step) for step in steps]
    except TypeError:
        raise Mistake(Finding(f"you return {steps!r}.", "a runbook is a list of steps.", where)) from None
    if len(read) > MOST_STEPS:
        raise Mistake(Finding(f"{len(read)} steps.", f"a runbook has at most {MOST_STEPS}.", "what you can leave out."))
    for step in read:
        match step:
            case ("rebalance",):
                continue
            case ("scale", int(number)) if 0 <= number <= 100:
                continue
            case ("wait", int() | float() as wait_s) if 0 <= wait_s <= MOST_S:
                continue
        why = 'a step is ("scale", replicas), ("wait", seconds) or ("rebalance",).'
        raise Mistake(Finding(f"{step!r} is no step.", why, where))
    return read


def _take(lab: Lab, step: tuple[Any, ...], number: int) -> None:
    match step:
        case ("scale", replicas):
            lab.scale("shop", replicas)
        case ("wait", wait_s):
            lab.run(wait_s)
            return
        case _:
            lab.apply(_order(f"order-{number}"))
    lab.run("1s")  # whoever types the next command


def _order(name: str) -> dict[str, Any]:
    wanted = {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "default", "name": "shop"}
    head = {"apiVersion": "apps.karmada.io/v1alpha1", "kind": "WorkloadRebalancer"}
    return {**head, "metadata": {"name": name}, "spec": {"workloads": [wanted]}}


def serving_of(run: Run) -> list[tuple[float, int]]:
    """(seconds after the first step, replicas that serve), a pair a change."""
    pieces = serving(run.lab).total.pieces(run.begin_s, run.lab.t)
    return [(begin - run.begin_s, level) for begin, _, level in pieces]


def judge(answer: Callable[[], Any], own: Fleet | None = None) -> Finding | None:
    """Whether a runbook ends at home, and what happened on the way."""
    fleet = own or Fleet()
    run = carried_out(called(answer), fleet)
    return _service(run, fleet) or _end(run, fleet)


def _service(run: Run, fleet: Fleet) -> Finding | None:
    for at_s, level in serving_of(run):
        told = next((f"{text}: " for begin_s, text, _ in reversed(run.steps) if begin_s <= at_s + 1e-6), "")
        if level < fleet.replicas:
            return Finding(
                f"{told}after {at_s:.0f} s {level} of the {fleet.replicas} replicas serve.",
                "an order has no grace: what a cluster loses is stopped at once, and what another gets has to start.",
                "who has how many just before that step, and just after it: `carried_out(...).steps`.",
            )
        if level > 2 * fleet.replicas:
            return Finding(
                f"{told}after {at_s:.0f} s {level} replicas serve.",
                f"the budget is {2 * fleet.replicas} replicas at any moment.",
                "the largest number that you scale to.",
            )
    return None


def _end(run: Run, fleet: Fleet) -> Finding | None:
    placed = dict(run.lab.placement[BINDING])
    if sum(placed.values()) != fleet.replicas:
        what = f"at the end there are {sum(placed.values())} replicas, {placed}."
        return Finding(what, f"`shop` has {fleet.replicas}.", "the last `scale`.")
    if placed.get(fleet.home, 0) < run.at_home:
        return Finding(
            f"at the end {placed}: {fleet.home} has {placed.get(fleet.home, 0)}, and had {run.at_home} before the "
            "drain.",
            "dynamic weights keep what runs. New replicas go to the room; nobody moves without an order.",
            "the placement after each of your steps: which of them brings how many home?",
        )
    return None
