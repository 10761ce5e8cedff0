"""Checks 42.1 and 42.2: a sweep is tried with runs that leave traces, and a tester with sweeps that are broken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from threading import get_ident
from typing import Any

from karmadalab.analysis import outage_costs
from karmadalab.api.errors import shortly
from karmadalab.experiments import sweep
from karmadalab.teaching.asking import called
from karmadalab.teaching.labs.sweeping import suspects
from karmadalab.teaching.labs.sweeping.running import Record, Run, Sweeper, measured, outage
from karmadalab.teaching.verdict import Finding

_GRID: dict[str, list[Any]] = {"a": [1, 2], "b": ["x", "y", "z"]}
_SEEDS = (7, 8)
_SCENARIO = {"fleet": {"members": ["member1"]}, "actions": []}


class Broke(RuntimeError):
    """What a run raises when it breaks."""


def echo(scenario: dict[str, Any], flags: dict[str, Any], seed: int) -> Record:
    """A run that says what it got, and touches nothing."""
    members, actions = scenario["fleet"]["members"], scenario["actions"]
    return {"got": (tuple(sorted(flags.items())), seed), "found": (len(scenario), len(members), len(actions))}


def messy(scenario: dict[str, Any], flags: dict[str, Any], seed: int) -> Record:
    """A run that leaves a mess in whatever it was handed."""
    said = echo(scenario, flags, seed)
    scenario["left behind"] = True
    scenario["fleet"]["members"].append("one more")
    scenario["actions"].append("heal")
    flags.clear()
    return said


class FailsOnce:
    """A run that breaks for one combination.

    Attributes:
        later: how many runs the sweep has begun since; those in threads of its own were handed over before.
    """

    def __init__(self) -> None:
        self.later = 0
        self._broke = False
        self._thread = get_ident()

    def __call__(self, scenario: dict[str, Any], flags: dict[str, Any], seed: int) -> Record:
        self.later += self._broke and get_ident() == self._thread
        if flags == {"a": 2, "b": "x"}:
            self._broke = True
            raise Broke("this combination breaks")
        return echo(scenario, flags, seed)


def sound(sweeper: Sweeper) -> Finding | None:
    """42.1: on paper, with runs that make a mess, with a run that breaks, and beside the package's own."""
    return _table(sweeper, echo) or _table(sweeper, messy) or _breaks(sweeper) or _beside_karmadalab(sweeper)


def _table(sweeper: Sweeper, run: Run) -> Finding | None:
    scenario = deepcopy(_SCENARIO)
    mine = called(sweeper, scenario, deepcopy(_GRID), _SEEDS, run)
    right = suspects.sound(deepcopy(_SCENARIO), _GRID, _SEEDS, run)
    if not isinstance(mine, list) or not all(isinstance(record, Mapping) for record in mine):
        why = "a sweep is a list of records, a dict a run."
        return Finding(f"your sweep returns {shortly(mine)}.", why, "the list that you return.")
    if scenario != _SCENARIO:
        return _leaks("the scenario that your sweep was given")
    if len(mine) != len(right):
        why = "a grid grows by multiplication: 2 values, 3 values and 2 seeds are 12 runs."
        return Finding(f"your sweep has {len(mine)} records, not {len(right)}.", why, "how you go through the grid.")
    for place, (one, other) in enumerate(zip(mine, right, strict=True)):
        if one != other:
            return _record(place, dict(one), other, mine, right)
    return None


def _record(place: int, one: Record, other: Record, mine: list[Record], right: list[Record]) -> Finding:
    what = f"record {place} is {one}, and should be {other}."
    if "found" in one and one["found"] != other["found"]:
        return _leaks("a run")
    if "got" in one and one.get("got") != other["got"] and set(one) == set(other):
        flags, seed = one["got"]
        if seed != one["seed"]:
            why = f"the record says seed {one['seed']}, and the run was given {seed}. Then every seed tells the same."
            return Finding(what, why, "what you hand to `run` as its seed.")
        if dict(flags) != {flag: one[flag] for flag in _GRID}:
            why = "the flags of the record are not those of the run."
            return Finding(what, why, "what you hand to `run`, and what you write down.")
    if all(record in mine for record in right):
        why = "all records are there, in another order: the last flag varies faster than the first, the seed fastest."
        return Finding(what, why, "which loop is inside of which.")
    if not set(_GRID) <= set(one):
        why = "a run may do with its flags what it likes, so the record must not be made of the same dict."
        return Finding(what, why, "`dict(flags)`, and which of the two the run gets.")
    why = "a record has the flags, `seed`, and all that the run measured."
    return Finding(what, why, "how you put a record together.")


def _leaks(where: str) -> Finding:
    return Finding(
        f"{where} finds what another run has left behind.",
        "a run may change what it is handed: heal a member, add an action. The next one must begin as if it were the "
        "first, or the table depends on its order.",
        "what you hand to `run`. A copy of a dict still shares the lists in it; `copy.deepcopy` does not.",
    )


def _breaks(sweeper: Sweeper) -> Finding | None:
    """Called without `called`, which would take the run's own error for one of the sweep."""
    run = FailsOnce()
    try:
        records = sweeper(deepcopy(_SCENARIO), deepcopy(_GRID), _SEEDS, run)
    except Exception as error:
        if run.later:
            what = f"a run raises an error, and your sweep begins {run.later} more before it ends."
            why = "a run that fails ends the sweep: nobody waits for the rest of a table that will not be."
            return Finding(what, why, "what your sweep does after the error, in an `except` or a `finally`.")
        if not _is_from_a_run(error):
            what = f"a run raises an error, and your sweep raises {type(error).__name__}, which does not tell of it."
            why = "whoever reads the error wants to know what broke. Let it through, or raise yours `from` it."
            return Finding(what, why, "what your sweep does after the error.")
        return None
    told = f"{len(records)} records" if isinstance(records, list) else shortly(records)
    return Finding(
        f"a run raises an error, and your sweep returns {told} as if nothing had happened.",
        "half a table looks like a whole one. The error must come through.",
        "an `except` in your sweep.",
    )


def _is_from_a_run(error: BaseException | None) -> bool:
    """Whether the run's own error is at the bottom of this one."""
    while error is not None and not isinstance(error, Broke):
        error = error.__cause__ or error.__context__
    return error is not None


def _beside_karmadalab(sweeper: Sweeper) -> Finding | None:
    grid = {"failover-eviction-timeout": ["0s", "5m"]}
    mine = called(sweeper, outage("75s", "8m"), grid, (1, 2), measured)
    if mine == list(sweep(outage("75s", "8m"), grid, seeds=(1, 2), measure=outage_costs).records):
        return None
    why = "with real runs the records differ from those of `karmadalab.experiments.sweep`."
    return Finding("your sweep passes on paper, and not with a control plane.", why, "what it keeps between two runs.")


# --- the hunt

Tester = Callable[[Sweeper], bool]

_DEFECTS: dict[str, str] = {
    "A": "all its runs share one scenario, and your test never looks whether a run finds what another has left "
    "behind. Give it a run that changes its scenario.",
    "C": "its cache takes runs with other flags for the same. Let your run return the flags that it got.",
    "D": "it writes every seed into the records, and hands the first to every run. Let your run return the seed that "
    "it got.",
    "E": "it leaves out a run that raises. Let one of yours raise.",
    "G": "it leaves combinations out. Use a grid of two flags, and count.",
    "H": "it copies the scenario, and its runs still share the *lists* inside. A run that adds a key is not enough; "
    "let it add to a list.",
}


def hunt(tester: Tester) -> Finding | None:
    """42.2: a tester says True of each sound sweep and False of each broken one."""
    for name, suspect in suspects.SUSPECTS.items():
        said = called(tester, suspect)
        if not isinstance(said, bool):
            why = "True: it is sound; False: it is not."
            return Finding(f"your test says {shortly(said)} of a sweep.", why, "what your function returns.")
        if said and name in _DEFECTS:
            return Finding(f"your test finds nothing wrong with {name}.", _DEFECTS[name], "one more assertion.")
        if not said and name not in _DEFECTS:
            why = "its records are right, and in the right order; in which order it *runs* is its own business."
            return Finding(f"your test rejects {name}, which is sound.", why, "what your test takes for granted.")
    return None
