"""Lab 42: right sweeps, tests and frontiers pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from karmadalab.teaching import Mistake, check
from karmadalab.teaching.labs.sweeping import SUSPECTS, frontier, suspects
from karmadalab.teaching.labs.sweeping.judging import _DEFECTS


def a_test(spoils: bool = True, says: bool = True, deep: bool = True, raises: bool = True) -> Callable[[Any], bool]:
    """A test of sweeps that looks for all defects, or for some."""

    def run(scenario: dict[str, Any], flags: dict[str, Any], seed: int) -> dict[str, Any]:
        found = (deepcopy(scenario), dict(flags), seed) if says else ()
        if spoils:
            scenario["key"] = 1
        if spoils and deep:
            scenario["list"].append(1)
        return {"found": found}

    def breaks(scenario: dict[str, Any], flags: dict[str, Any], seed: int) -> dict[str, Any]:
        raise ZeroDivisionError

    def is_sound(suspect: Any) -> bool:
        order = ({"a": [1, 2], "b": [1, 2, 3]}, [1, 2], run)
        if suspect({"list": []}, *order) != suspects.sound({"list": []}, *order):
            return False
        try:
            suspect({}, {"a": [1]}, [1], breaks)
        except ZeroDivisionError:
            return True
        return not raises

    return is_sound


def seeds_outside(scenario: Any, grid: Any, seeds: Any, run: Any) -> Any:
    chosen = list(suspects.combinations(grid))
    return [{**f, "seed": s, **run(deepcopy(scenario), dict(f), s)} for s in seeds for f in chosen]


def made_of_the_same_dict(scenario: Any, grid: Any, seeds: Any, run: Any) -> Any:
    records = []
    for flags in suspects.combinations(grid):
        for seed in seeds:
            own = dict(flags)
            measured = run(deepcopy(scenario), own, seed)
            records.append({**own, "seed": seed, **measured})
    return records


def without_seed(*arguments: Any) -> Any:
    return [{k: v for k, v in record.items() if k != "seed"} for record in suspects.sound(*arguments)]


def strictly(cloud: Any) -> Any:
    return {n for n, p in cloud.items() if not any(q[0] < p[0] and q[1] < p[1] for q in cloud.values())}


def no_equals(cloud: Any) -> Any:
    return {n for n, p in cloud.items() if not any(m != n and q[0] <= p[0] and q[1] <= p[1] for m, q in cloud.items())}


def by_sum(cloud: Any) -> Any:
    return {n for n, p in cloud.items() if sum(p) == min(sum(q) for q in cloud.values())}


def test_the_right_answers_pass() -> None:
    assert "karmadalab's own sweep" in check("42.1", suspects.sound).text
    assert check("42.1", suspects.sound_backwards), "in which order it runs is its own business"
    assert "six broken" in check("42.2", a_test()).text
    assert "65 clouds" in check("42.3", frontier.frontier).text


def test_six_suspects_are_broken_each_in_its_own_way_and_two_are_sound() -> None:
    assert {suspect.__name__ for suspect in SUSPECTS.values()} == {*_DEFECTS, "sound", "sound_backwards"}
    assert len(_DEFECTS) == 6


SWEEPS = [
    pytest.param(lambda *_: None, "a dict a run", id="nothing"),
    pytest.param(suspects.one_seed, "every seed tells the same", id="one seed"),
    pytest.param(suspects.shared_scenario, "what another run has left behind", id="a shared scenario"),
    pytest.param(suspects.shallow_copy, "`copy.deepcopy` does not", id="a shallow copy"),
    pytest.param(suspects.in_step, "a grid grows by multiplication", id="zip for product"),
    pytest.param(suspects.remembers_too_much, "are not those of the run", id="a cache by seed"),
    pytest.param(suspects.swallows, "half a table looks like a whole one", id="swallowed errors"),
    pytest.param(seeds_outside, "the seed fastest", id="seeds outside"),
    pytest.param(made_of_the_same_dict, "not be made of the same dict", id="the run's own dict"),
    pytest.param(without_seed, "a record has the flags, `seed`", id="no seed in the record"),
    pytest.param(lambda scenario, grid, seeds: [], "my_sweep|raises TypeError", id="too few arguments"),
]


@pytest.mark.parametrize(("answer", "says"), SWEEPS)
def test_a_wrong_sweep_gets_its_own_sentence(answer: Any, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        check("42.1", answer)


HUNTS = [
    pytest.param(lambda suspect: None, "True: it is sound", id="says nothing"),
    pytest.param(lambda suspect: True, "Give it a run that changes its scenario", id="believes all"),
    pytest.param(lambda suspect: False, "rejects B, which is sound", id="believes none"),
    pytest.param(a_test(spoils=False), "Give it a run that changes its scenario", id="spoils nothing"),
    pytest.param(a_test(deep=False), "let it add to a list", id="spoils the surface only"),
    pytest.param(a_test(raises=False), "Let one of yours raise", id="never raises"),
    pytest.param(a_test(says=False), "Give it a run|return the flags", id="says nothing of what it got"),
]


@pytest.mark.parametrize(("answer", "says"), HUNTS)
def test_a_weak_test_hears_which_defect_it_misses(answer: Any, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        check("42.2", answer)


FRONTIERS = [
    pytest.param(lambda cloud: None, "a set of names", id="nothing"),
    pytest.param(strictly, "better in the other", id="only what is worse in both"),
    pytest.param(no_equals, "two equal points", id="equal points beat each other"),
    pytest.param(by_sum, "a sum is a taste", id="the smallest sum"),
    pytest.param(set, "nowhere worse, and better somewhere", id="all of them"),
]


@pytest.mark.parametrize(("answer", "says"), FRONTIERS)
def test_a_wrong_frontier_gets_its_own_sentence(answer: Any, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        check("42.3", answer)
