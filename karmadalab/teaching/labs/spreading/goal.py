"""Check 22.3: constraints that meet a goal, whichever region of the fleet fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any, NamedTuple

from karmadalab.analysis import serving
from karmadalab.api.errors import ApiError
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.asking import ask
from karmadalab.teaching.manifests import deployment, policy
from karmadalab.teaching.verdict import Finding

BEGIN_S = 60.0
AFTER = "15m"
Spread = Mapping[str, tuple[int, int]]


class Goal(NamedTuple):
    """A student's own: so many copies, in a fleet with so many clusters in each region."""

    copies: int = 3
    sizes: tuple[tuple[str, int], ...] = (("asia", 3), ("europe", 2), ("america", 1))

    def members(self) -> Iterator[dict[str, Any]]:
        """The fleet; the largest region has the first names."""
        number = 0
        for region, size in self.sizes:
            for _ in range(size):
                number += 1
                yield {"name": f"member{number}", "region": region}


def drawn(rng: Random) -> Goal:
    """A student's own: without the largest region there are still enough clusters."""
    regions = rng.sample(("africa", "america", "asia", "europe", "oceania"), 3)
    sizes = rng.choice(((3, 2, 1), (3, 2, 2), (4, 2, 1)))
    return Goal(rng.choice((2, 3)), tuple(zip(regions, sizes, strict=True)))


def failing(spread: Spread, region: str = "", goal: Goal = Goal()) -> Lab:  # noqa: B008 - it is immutable
    """A lab in which web has one replica in each cluster that the constraints choose, and a region loses its power.

    Args:
        spread: the ends of each constraint, `{"region": (2, 2), "cluster": (2, 3)}`.
        region: which one fails after a minute; empty: none.
        goal: the fleet.

    Raises:
        ApiError: the webhook refuses the constraints.
    """
    constraints = [
        {"spreadByField": field, "minGroups": least, "maxGroups": most} for field, (least, most) in spread.items()
    ]
    lab = Lab.fake({"members": list(goal.members())}, seed=1)
    lab.apply([deployment("web", 1), policy("web", {"spreadConstraints": constraints})])
    lab.run(BEGIN_S)
    for member in goal.members():
        if member["region"] == region:
            MemberFaults(lab.world, member["name"]).power_off()
    return lab.run(AFTER)


def judge(spread: Callable[[], Spread], goal: Goal | None = None) -> Finding | None:
    """Whether the copies are there in peace, one of them survives each region, and all of them are replaced."""
    chosen, wanted = goal or Goal(), 'such as {"region": (2, 2), "cluster": (2, 3)}'
    constraints = ask(spread, fits=_is_spread, wanted=wanted)
    try:
        peace = failing(constraints, "", chosen)
    except ApiError as refusal:
        return Finding(f"the policy is refused: {refusal}", "a webhook looks at constraints first.", "the two ends.")
    copies = _copies(peace, BEGIN_S)
    if copies != chosen.copies:
        return Finding(
            f"in peace web has {copies} copies; {chosen.copies} are wanted, no more and no less.",
            "the number of clusters is a matter of the constraint on clusters, and of its upper end above all.",
            'the ends of "cluster".',
        )
    for region, _ in chosen.sizes:
        if finding := _after(failing(constraints, region, chosen), region, chosen.copies):
            return finding
    return None


def _after(lab: Lab, region: str, copies: int) -> Finding | None:
    total = serving(lab, "web").total
    if any(count == 0 for _, _, count in total.pieces(BEGIN_S, lab.t)):
        return Finding(
            f"{region} fails, and nothing serves for a while.",
            "all copies were in one region. How many regions there are must be demanded.",
            'the lower end of "region".',
        )
    if total.at(lab.t) != copies:
        return Finding(
            f"{region} fails, and {AFTER} later {total.at(lab.t):g} copies serve.",
            "what is demanded of the healthy fleet is demanded of the replacement too. Without that region two are "
            "left, and a demand for more fails for the whole binding.",
            "the lower ends: how many regions can you demand, and still lose one?",
        )
    return None


def _copies(lab: Lab, t: float) -> int:
    return round(serving(lab, "web").total.at(t))


def _is_spread(said: Any) -> bool:
    return isinstance(said, Mapping) and all(
        isinstance(field, str) and isinstance(ends, tuple) and len(ends) == 2 and all(type(n) is int for n in ends)
        for field, ends in said.items()
    )
