"""Sweeps to be tried: some are sound, and each of the others has one defect that was found in somebody's code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import product
from typing import Any

from karmadalab.teaching.labs.sweeping.running import Record, Run, Scenario, Sweeper

Grid = Mapping[str, Sequence[Any]]


def combinations(grid: Grid) -> Iterator[dict[str, Any]]:
    """Every combination of flag values, the last flag varying fastest."""
    for values in product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


def sound(scenario: Scenario, grid: Grid, seeds: Sequence[int], run: Run) -> list[Record]:
    """As it should be."""
    return [
        {**flags, "seed": seed, **run(deepcopy(scenario), dict(flags), seed)}
        for flags in combinations(grid)
        for seed in seeds
    ]


def sound_backwards(scenario: Scenario, grid: Grid, seeds: Sequence[int], run: Run) -> list[Record]:
    """As sound: it runs from the last to the first and hands the records over in their order."""
    orders = [(flags, seed) for flags in combinations(grid) for seed in seeds]
    done = [{**f, "seed": s, **run(deepcopy(scenario), dict(f), s)} for f, s in reversed(orders)]
    return done[::-1]


def one_seed(scenario: Scenario, grid: Grid, seeds: Sequence[int], run: Run) -> list[Record]:
    """The seed is in the record, and never reaches the run."""
    first = seeds[0]
    return [
        {**flags, "seed": seed, **run(deepcopy(scenario), dict(flags), first)}
        for flags in combinations(grid)
        for seed in seeds
    ]


def shared_scenario(scenario: Scenario, grid: Grid, seeds: Sequence[int], run: Run) -> list[Record]:
    """All runs get the same scenario; what one does to it, the next one finds."""
    return [
        {**flags, "seed": seed, **run(scenario, dict(flags), seed)} for flags in combinations(grid) for seed in seeds
    ]


def shallow_copy(scenario: Scenario, grid: Grid, seeds: Sequence[int], run: Run) -> list[Record]:
    """A copy of the outermost dict only: fleet and actions are still shared."""
    return [
        {**flags, "seed": seed, **run(dict(scenario), dict(flags), seed)}
        for flags in combinations(grid)
        for seed in seeds
    ]


def in_step(scenario: Scenario, grid: Grid, seeds: Sequence[int], run: Run) -> list[Record]:
    """First values with first values, second with second: zip where product was meant."""
    return [
        {**flags, "seed": seed, **run(deepcopy(scenario), dict(flags), seed)}
        for flags in (dict(zip(grid, values, strict=False)) for values in zip(*grid.values(), strict=False))
        for seed in seeds
    ]


def remembers_too_much(scenario: Scenario, grid: Grid, seeds: Sequence[int], run: Run) -> list[Record]:
    """A cache that knows a run by its seed alone."""
    known: dict[int, Mapping[str, Any]] = {}
    records = []
    for flags in combinations(grid):
        for seed in seeds:
            if seed not in known:
                known[seed] = run(deepcopy(scenario), dict(flags), seed)
            records.append({**flags, "seed": seed, **known[seed]})
    return records


def swallows(scenario: Scenario, grid: Grid, seeds: Sequence[int], run: Run) -> list[Record]:
    """A run that fails is left out without a word."""
    records = []
    for flags in combinations(grid):
        for seed in seeds:
            try:
                records.append({**flags, "seed": seed, **run(deepcopy(scenario), dict(flags), seed)})
            except Exception:  # noqa: S112, that is the defect
                continue
    return records


def _nameless(letter: str, sweep: Sweeper) -> Sweeper:
    """A sweep that is called by its letter, whoever asks: its own name says what is wrong with it."""

    def suspect(scenario: Scenario, grid: Grid, seeds: Sequence[int], run: Run) -> list[Record]:
        return sweep(scenario, grid, seeds, run)

    suspect.__name__ = suspect.__qualname__ = letter
    return suspect


# The letters tell nothing; the order is that of nobody.
_SWEEPS: dict[str, Sweeper] = {
    "A": shared_scenario,
    "B": sound_backwards,
    "C": remembers_too_much,
    "D": one_seed,
    "E": swallows,
    "F": sound,
    "G": in_step,
    "H": shallow_copy,
}
SUSPECTS: dict[str, Sweeper] = {letter: _nameless(letter, sweep) for letter, sweep in _SWEEPS.items()}
