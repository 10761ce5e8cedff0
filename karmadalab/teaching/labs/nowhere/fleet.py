"""A fleet in which a workload may run on some clusters only, and what an adversary may do to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

from karmadalab.core.timeline import Event
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.manifests import deployment, policy
from karmadalab.teaching.verdict import Finding, Mistake

BEGIN_S, AFTER_S = 300.0, 1800.0
TAINT = "maintenance=true:NoExecute"
BINDING = "shop-deployment"


def _policy() -> dict[str, Any]:
    """The placement of `shop`, made anew each time: a learner may change the one that they got."""
    east = {"key": "region", "operator": "In", "values": ["east"]}
    one = {"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}
    return {"clusterAffinity": {"fieldSelector": {"matchExpressions": [east]}}, "spreadConstraints": [one]}


POLICY = _policy()

_NAMES = ("ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "oak", "pine", "yew")


class Fleet(NamedTuple):
    """A student's fleet.

    Attributes:
        regions: cluster -> region.
        closed: the clusters with a NoSchedule taint that nobody tolerates.
    """

    regions: Mapping[str, str] = {"ash": "east", "elm": "west", "fir": "east", "oak": "east", "pine": "east"}
    closed: tuple[str, ...] = ("fir",)

    @property
    def candidates(self) -> list[str]:
        """Where `shop` may run."""
        return [name for name, region in self.regions.items() if region == "east" and name not in self.closed]


def drawn(rng: Random) -> Fleet:
    """A student's own: two or three candidates among six clusters."""
    names = sorted(rng.sample(_NAMES, 6))
    east = rng.sample(names, rng.randint(3, 4))
    regions = {name: "east" if name in east else "west" for name in names}
    return Fleet(regions, (rng.choice(east),))


class Outage(NamedTuple):
    """Something that is done to a cluster; seconds count from the moment at which `shop` serves.

    Attributes:
        member: which one.
        begin_s: when.
        length_s: for how long.
    """

    member: str
    begin_s: float
    length_s: float

    @property
    def end_s(self) -> float:
        """When it is over."""
        return self.begin_s + self.length_s


def read_outages(answer: Any, fleet: Fleet) -> list[Outage]:
    """The learner's list.

    Raises:
        Mistake: it is none, or names a cluster that is not there, or a time that is none.
    """
    where = 'what your function returns, such as [("oak", 60, 120)].'
    try:
        read = [Outage(*(item if isinstance(item, tuple | list) else ())) for item in answer]
    except TypeError:
        why = "each item is (cluster, begin in seconds, length in seconds)."
        raise Mistake(Finding(f"you return {answer!r:.80}.", why, where)) from None
    for outage in read:
        times = (outage.begin_s, outage.length_s)
        if outage.member not in fleet.regions:
            why = f"there are {', '.join(fleet.regions)}."
            raise Mistake(Finding(f"there is no cluster {outage.member!r}.", why, where))
        if not all(isinstance(t, int | float) and 0 <= t <= AFTER_S for t in times) or outage.length_s <= 0:
            why = f"times are seconds from 0 to {AFTER_S:.0f}, and an outage has a length."
            raise Mistake(Finding(f"{tuple(outage)!r} is no outage.", why, where))
    return sorted(read, key=lambda outage: outage.begin_s)


def attacked(outages: Iterable[Any], fleet: Fleet | None = None, placement: Mapping[str, Any] | None = None) -> Lab:
    """Power failures, as (cluster, begin, length) in seconds from the moment at which `shop` serves."""

    def power_off(lab: Lab, outage: Outage) -> None:
        MemberFaults(lab.world, outage.member).power_off(at=BEGIN_S + outage.begin_s, for_=outage.length_s)

    return _run(power_off, outages, fleet or Fleet(), placement)


def drained(outages: Iterable[Any], fleet: Fleet | None = None, placement: Mapping[str, Any] | None = None) -> Lab:
    """Drains, in the same form: a NoExecute taint `maintenance=true` that comes and goes."""

    def drain(lab: Lab, outage: Outage) -> None:
        clock, begin = lab.clock, lab.clock.epoch + BEGIN_S
        clock.call_at(begin + outage.begin_s, lab.taint, outage.member, TAINT)
        clock.call_at(begin + outage.end_s, lab.untaint, outage.member, TAINT)

    return _run(drain, outages, fleet or Fleet(), placement)


def _run(
    plan: Callable[[Lab, Outage], None], outages: Iterable[Any], fleet: Fleet, placement: Mapping[str, Any] | None
) -> Lab:
    members: list[dict[str, Any]] = [
        {"name": name, "region": region, "startup": "2m"} for name, region in fleet.regions.items()
    ]
    for member in members:
        if member["name"] in fleet.closed:
            member["taints"] = [{"key": "closed", "effect": "NoSchedule"}]
    lab = Lab.fake({"members": members})
    lab.apply([deployment("shop"), policy("shop", _policy() if placement is None else placement)])
    for outage in read_outages(outages, fleet):
        plan(lab, outage)
    return lab.run(BEGIN_S + AFTER_S)


def placements(lab: Lab) -> Iterator[tuple[float, float, list[str]]]:
    """(begin, end, clusters) of `shop`, in seconds from the moment at which it serves; blinks are left out."""
    changes = [e for e in lab.timeline if e.name == BINDING and e.what == "spec.clusters changed"]
    ends = [*(event.t for event in changes), lab.t][1:]
    for event, end in zip(changes, ends, strict=True):
        if end - event.t > 1:  # between an eviction and the scheduler's answer pass some milliseconds
            yield event.t - BEGIN_S, end - BEGIN_S, _clusters(event)


def _clusters(event: Event) -> list[str]:
    return list(event.detail["to"]) if event.detail else []


def nowhere_s(lab: Lab) -> int:
    """For how many seconds `shop` was scheduled to no cluster at all."""
    return round(sum(end - begin for begin, end, clusters in placements(lab) if not clusters and end > 0))
