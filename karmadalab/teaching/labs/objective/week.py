"""A week of faults, drawn from a student's id, with the quiet hours cut out.

A week of a fleet is mostly silence, and in silence nothing depends on flags. So the incidents of the week are kept and
follow each other after three quarters of an hour, in which everything that a failover does has come to its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

MEMBERS = ("member1", "member2", "member3", "member4")
PULL = "member4"
FIRST_S = 600.0
GAP_S = 2700.0


class Incident(NamedTuple):
    """One thing that goes wrong.

    Attributes:
        at_s: when, in seconds since the week began.
        member: where.
        kind: in the words of `lab.fault`: `refuse` (a blip, or its beat in flapping), `silence`, `power_off`.
        for_s: for how long.
        times: how often, with as long a pause after each.
    """

    at_s: float
    member: str
    kind: str
    for_s: float
    times: int = 1

    @property
    def serves(self) -> bool:
        """Whether the pods of the member serve all the while, so that a move helps nobody."""
        return self.kind != "power_off"

    def __repr__(self) -> str:
        often = f", {self.times} times" if self.times > 1 else ""
        return f"{self.at_s / 3600:4.1f} h  {self.member}: {self.kind} for {self.for_s:g} s{often}"


Week = tuple[Incident, ...]


def week(rng: Random) -> Week:
    """A week: every member has its share of each kind, in an order and with lengths of its own."""
    drawn = list(_incidents(rng))
    rng.shuffle(drawn)
    return tuple(incident._replace(at_s=FIRST_S + GAP_S * place) for place, incident in enumerate(drawn))


def _incidents(rng: Random) -> Iterator[Incident]:
    members = rng.sample(MEMBERS, len(MEMBERS))
    for member in members:
        yield Incident(0, member, "power_off", rng.randrange(1500, 2100, 30))
        yield Incident(0, member, "silence", rng.randrange(100, 200, 5))
    for member in members[:2]:
        yield Incident(0, member, "refuse", rng.randrange(50, 80), 3)
    for member in members[2:]:
        yield Incident(0, member, "power_off", rng.randrange(50, 90))


USUAL = week(Random(49))
