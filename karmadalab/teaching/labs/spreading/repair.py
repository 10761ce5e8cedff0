"""Check 22.2: the selection as it should be, on paper and in a running scheduler."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, NamedTuple

from karmadalab.api.policy import SPREAD_BY_CLUSTER
from karmadalab.lab import Lab
from karmadalab.scheduler import BindingInfo
from karmadalab.scheduler.candidates import Candidate
from karmadalab.scheduler.controller import NAME, SchedulerController
from karmadalab.scheduler.errors import SelectionError
from karmadalab.scheduler.notes import Notes
from karmadalab.teaching.asking import ask
from karmadalab.teaching.labs.spreading.culprits import Choice, Question, Spot, karmada
from karmadalab.teaching.manifests import deployment, policy
from karmadalab.teaching.verdict import Finding

CPUS = {"member1": 4, "member2": 8, "member3": 16, "member4": 32}
SIZES = (3, 12, 30, 50, 6)


class Case(NamedTuple):
    """A question, and the idea that it tests."""

    question: Question
    why: str
    look: str


_A, _B, _C = Spot("a", 0, 4), Spot("b", 0, 6), Spot("c", 0, 9)
CASES: tuple[Case, ...] = (
    Case((7, [_A, Spot("z", 100, 3)], 1, 2), "the larger score comes first, before any room.", "your order."),
    Case((10, [_A, _B], 1, 2), "of equal scores the one with more room comes first.", "your order."),
    Case((8, [Spot("y", 0, 4), _A], 1, 2), "all else equal, the smaller name comes first.", "your order."),
    Case((2, [_A, _B], 3, 3), "fewer clusters than `least`: the demand cannot be met, None.", "rule 2."),
    Case((2, [_A, _B, _C], 1, 2), "as many as `most`, be two replicas ever so few.", "rule 3."),
    Case((2, [_A], 1, 3), "`most` is a limit; with fewer clusters all are taken.", "rule 3."),
    Case((20, [_A, _B, _C], 1, 3), "19 is all the room there is: None.", "rule 5."),
    Case(
        (12, [Spot("p", 100, 5), Spot("q", 50, 2), _C], 2, 2),
        "7 is too little room for 12. The *last* of the chosen gives way to the roomiest of the others.",
        "rule 4: where the loop begins.",
    ),
    Case(
        (6, [Spot("p", 100, 5), Spot("q", 50, 2), _C], 2, 2),
        "7 is room enough for 6: nobody gives way.",
        "rule 4: when the loop ends.",
    ),
    Case(
        (16, [Spot("p", 100, 5), Spot("q", 50, 2), _C, Spot("d", 0, 8)], 2, 2),
        "one that gave way is not enough: the next to last gives way as well.",
        "rule 4: the loop goes on.",
    ),
    Case(
        (11, [Spot("a", 100, 0), Spot("b", 50, 5), Spot("c", 0, 6)], 2, 2),
        "who gave way is among the others again, and may come in at the next place.",
        "rule 4: what becomes of the one that gave way.",
    ),
    Case((1, [], 1, 2), "no cluster at all: None.", "an empty list."),
)


def on_paper(choose: Choice) -> Finding | None:
    """Hold a selection against the cases above, then against random questions."""
    for question, why, look in (*CASES, *_random(300)):
        mine, right = call(choose, question), karmada(*question)
        if mine != right:
            replicas, spots, least, most = question
            told = ", ".join(f"{s.name} (score {s.score}, room {s.room})" for s in spots) or "no cluster"
            asked = f"{replicas} replicas over {told}; at least {least}, at most {most}"
            return Finding(f"{asked}: you choose {mine}, Karmada {right}.", why, look)
    return None


def call(choose: Choice, question: Question) -> list[str] | None:
    """Ask a selection; it may do with the list what it likes. Raises as `ask` does."""
    replicas, spots, least, most = question
    hint: dict[type[Exception], str] = {}
    if len(spots) <= most:
        hint = {ValueError: "there may be no cluster at all, or none to spare: `max` of nothing raises."}
    said = ask(choose, replicas, list(spots), least, most, fits=_is_names, wanted="a list of names, or None", hint=hint)
    return None if said is None else list(said)


def _is_names(said: Any) -> bool:
    return said is None or (isinstance(said, list | tuple) and all(isinstance(name, str) for name in said))


def _random(count: int) -> Iterator[Case]:
    """The same questions each time: small numbers, so that there are ties and little room."""
    rng = Random(22)
    for _ in range(count):
        names = rng.sample("abcdefg", rng.randint(1, 5))
        spots = [Spot(name, rng.choice((0, 50, 100)), rng.randint(0, 6)) for name in names]
        least = rng.randint(1, 3)
        question = (rng.randint(1, 14), spots, least, least + rng.randint(0, 2))
        yield Case(question, "one of the rules is broken.", "the rules, in order.")


# --- in a running scheduler


def plugged(choose: Choice | None = None, replicas: int = 3, most: int = 2) -> Lab:
    """A lab with four members of 4 to 32 CPUs and `web`, whose replicas of 1 CPU are divided over at most `most`.

    Args:
        choose: the selection in the scheduler; None for Karmada's own.
        replicas, most: of web, and of its constraint on clusters.
    """
    members = [{"name": name, "nodes": {"cpu": cpus, "memory": "64Gi"}} for name, cpus in CPUS.items()]
    lab = Lab.fake({"members": members}, settings={"feature-gates": "CustomizedClusterResourceModeling=false"})
    if choose is not None:
        controller: SchedulerController = lab.world.control_plane.scheduler_process.controller(NAME)
        controller.scheduler.selection = lambda binding, candidates, notes: _own(choose, binding, candidates, notes)
    placement = {
        "spreadConstraints": [{"spreadByField": "cluster", "minGroups": 1, "maxGroups": most}],
        "replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"},
    }
    lab.apply([deployment("web", replicas, cpu="1"), policy("web", placement)])
    return lab.run("10s")


def _own(choose: Choice, binding: BindingInfo, candidates: Sequence[Candidate], notes: Notes | None) -> list[Candidate]:
    [constraint] = [c for c in binding.spread if c.spreadByField == SPREAD_BY_CLUSTER]
    spots = [Spot(candidate.name, candidate.score, candidate.available) for candidate in candidates]
    names = call(choose, (binding.replicas, spots, constraint.minGroups, constraint.maxGroups))
    if names is None:
        raise SelectionError("your selection says that the demand cannot be met")
    by_name = {candidate.name: candidate for candidate in candidates}
    if notes is not None:
        for name in by_name.keys() - set(names):
            notes.dropped(name, "not among those that your selection chose")
    return [by_name[name] for name in names if name in by_name]


def judge(choose: Choice) -> Finding | None:
    """A selection on paper, and then while web grows and shrinks."""
    if finding := on_paper(choose):
        return finding
    mine, theirs = plugged(choose, SIZES[0]), plugged(None, SIZES[0])
    for size in SIZES:
        for lab in (mine, theirs):
            lab.scale("web", size)
            lab.run("10s")
        if mine.placement != theirs.placement:
            return Finding(
                f"scaled to {size} replicas, web is on {_web(mine)}; with Karmada's selection on {_web(theirs)}.",
                "the scheduler asks your function anew for each decision.",
                "whether your function keeps something outside itself, or changes what it is given.",
            )
    return None


def _web(lab: Lab) -> dict[str, int]:
    return dict(lab.placement.get("default/web-deployment", {}))
