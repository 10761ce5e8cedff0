"""Lab 42: right sweeps, tests and frontiers pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from typing import Any

import pytest

from karmadalab.teaching import check
from karmadalab.teaching.labs.sweeping import SUSPECTS, frontier, suspects
from karmadalab.teaching.labs.sweeping.judging import _DEFECTS
from tests.answers import mistake


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


def goes_on(scenario: Any, grid: Any, seeds: Any, run: Any) -> Any:
    records, failed = [], None
    for flags in suspects.combinations(grid):
        for seed in seeds:
            try:
                records.append({**flags, "seed": seed, **run(deepcopy(scenario), dict(flags), seed)})
            except Exception as error:
                failed = failed or error
    if failed:
        raise failed
    return records


def tries_again(scenario: Any, grid: Any, seeds: Any, run: Any) -> Any:
    def patient(*arguments: Any) -> Any:
        for left in (2, 1, 0):
            try:
                return run(*arguments)
            except Exception:
                if not left:
                    raise
        return None

    return suspects.sound(scenario, grid, seeds, patient)


def prints_the_error(*arguments: Any) -> Any:
    try:
        return suspects.sound(*arguments)
    except Exception as error:
        print(error)


def with_an_error_that_tells_nothing(*arguments: Any) -> Any:
    failed = False
    try:
        return suspects.sound(*arguments)
    except Exception:
        failed = True
    raise ValueError(failed)


def with_an_error_of_its_own(*arguments: Any) -> Any:
    try:
        return suspects.sound(*arguments)
    except Exception as error:
        raise ValueError("a run failed") from error


def in_threads(scenario: Any, grid: Any, seeds: Any, run: Any) -> Any:
    orders = [(flags, seed) for flags in suspects.combinations(grid) for seed in seeds]
    with ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda order: run(deepcopy(scenario), dict(order[0]), order[1]), orders)
        return [{**flags, "seed": seed, **told} for (flags, seed), told in zip(orders, done, strict=True)]


def without_seed(*arguments: Any) -> Any:
    return [{k: v for k, v in record.items() if k != "seed"} for record in suspects.sound(*arguments)]


def strictly(cloud: Any) -> Any:
    return {n for n, p in cloud.items() if not any(q[0] < p[0] and q[1] < p[1] for q in cloud.values())}


def no_equals(cloud: Any) -> Any:
    return {n for n, p in cloud.items() if not any(m != n and q[0] <= p[0] and q[1] <= p[1] for m, q in cloud.items())}


def by_sum(cloud: Any) -> Any:
    return {n for n, p in cloud.items() if sum(p) == min(sum(q) for q in cloud.values())}


def test_six_suspects_are_broken_each_in_its_own_way_and_two_are_sound() -> None:
    assert {name for name, sweep in suspects._SWEEPS.items() if sweep.__name__.startswith("sound")} == {"B", "F"}
    assert [name for name in SUSPECTS if name not in _DEFECTS] == ["B", "F"]
    assert len({*_DEFECTS.values()}) == 6


def test_a_suspect_says_no_more_than_its_letter() -> None:
    for letter, suspect in SUSPECTS.items():
        assert (suspect.__name__, suspect.__qualname__, suspect.__doc__) == (letter, letter, None)
        assert repr(suspect).startswith(f"<function {letter} at ")


SWEEPS: dict[str, tuple[Any, str]] = {
    "nothing": (lambda *_: None, "a dict a run"),
    "one seed": (suspects.one_seed, "every seed tells the same"),
    "a shared scenario": (suspects.shared_scenario, "what another run has left behind"),
    "a shallow copy": (suspects.shallow_copy, "`copy.deepcopy` does not"),
    "zip for product": (suspects.in_step, "a grid grows by multiplication"),
    "a cache by seed": (suspects.remembers_too_much, "are not those of the run"),
    "swallowed errors": (suspects.swallows, "half a table looks like a whole one"),
    "goes on and raises at the end": (goes_on, "your sweep begins 5 more before it ends"),
    "tries a run three times": (tries_again, "your sweep begins 2 more before it ends"),
    "prints the error": (prints_the_error, "your sweep returns None as if nothing had happened"),
    "an error that is not the run's": (with_an_error_that_tells_nothing, "raises ValueError, which does not tell"),
    "seeds outside": (seeds_outside, "the seed fastest"),
    "the run's own dict": (made_of_the_same_dict, "not be made of the same dict"),
    "no seed in the record": (without_seed, "a record has the flags, `seed`"),
    "too few arguments": (lambda scenario, grid, seeds: [], "raises TypeError"),
}


@pytest.mark.parametrize(("answer", "says"), SWEEPS.values(), ids=SWEEPS)
def test_a_wrong_sweep_gets_its_own_sentence(answer: Any, says: str) -> None:
    assert says in mistake("42.1", answer)


HUNTS: dict[str, tuple[Any, str]] = {
    "says nothing": (lambda suspect: None, "True: it is sound"),
    "believes all": (lambda suspect: True, "Give it a run that changes its scenario"),
    "believes none": (lambda suspect: False, "rejects B, which is sound"),
    "spoils nothing": (a_test(spoils=False), "Give it a run that changes its scenario"),
    "spoils the surface only": (a_test(deep=False), "let it add to a list"),
    "never raises": (a_test(raises=False), "Let one of yours raise"),
    "says nothing of what it got": (a_test(says=False), "Give it a run that changes its scenario"),
}


@pytest.mark.parametrize(("answer", "says"), HUNTS.values(), ids=HUNTS)
def test_a_weak_test_hears_which_defect_it_misses(answer: Any, says: str) -> None:
    assert says in mistake("42.2", answer)


FRONTIERS: dict[str, tuple[Any, str]] = {
    "nothing": (lambda cloud: None, "a set of names"),
    "points in place of names": (lambda cloud: [list(point) for point in cloud.values()], "you return [[10, 90],"),
    "one that is no name": (lambda cloud: {None, *cloud}, "a set of names"),
    "only what is worse in both": (strictly, "better in the other"),
    "equal points beat each other": (no_equals, "two equal points"),
    "the smallest sum": (by_sum, "a sum is a taste"),
    "all of them": (set, "nowhere worse, and better somewhere"),
}


@pytest.mark.parametrize(("answer", "says"), FRONTIERS.values(), ids=FRONTIERS)
def test_a_wrong_frontier_gets_its_own_sentence(answer: Any, says: str) -> None:
    assert says in mistake("42.3", answer)


def test_the_right_answers_pass() -> None:
    assert "karmadalab's own sweep" in check("42.1", suspects.sound).text
    assert check("42.1", suspects.sound_backwards), "in which order it runs is its own business"
    assert check("42.1", with_an_error_of_its_own), "a run that fails ends the sweep, and the error tells of it"
    assert check("42.1", in_threads), "what was handed to other threads before may begin"
    assert "six broken" in check("42.2", a_test()).text
    assert "65 clouds" in check("42.3", frontier.frontier).text
