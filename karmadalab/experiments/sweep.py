"""One scenario under many settings: every combination of flags, several seeds each, a record a run.

A single run of a scenario tells a story; a choice of flags needs many. Probes, monitor passes and coin flips fall
differently with each seed, and what is best on the average can be bad in the worst case. A lab is a pure function of
scenario, flags and seed, so the runs may happen in any order, in any process, and give the same records.

    result = sweep("blip.yaml", {"failover-eviction-timeout": ["30s", "5m"]}, seeds=range(10), measure=outage_costs)
    result.to_frame()

Not here: choosing the next settings from the results of the last. That is a search; it can call this in a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from importlib import import_module
from itertools import product
from typing import Any

from karmadalab.api.errors import BadRequest
from karmadalab.core.settings import Settings
from karmadalab.experiments.result import ScenarioResult
from karmadalab.experiments.scenario import Source, read_scenario, run_scenario

Measure = Callable[[ScenarioResult], Mapping[str, Any]]
Grid = Mapping[str, Sequence[Any]]


@dataclass(frozen=True)
class Sweep:
    """What came of a sweep.

    Attributes:
        flags: the flags that were varied, in the order of the grid.
        records: a mapping a run: the flags as they were given, `seed`, and what was measured. The last flag of the
            grid varies fastest, the seed faster still.
    """

    flags: tuple[str, ...]
    records: tuple[dict[str, Any], ...]

    def groups(self) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
        """Combination of flag values -> the records of all its seeds, in order."""
        found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
        for record in self.records:
            found.setdefault(tuple(record[flag] for flag in self.flags), []).append(record)
        return found

    def to_frame(self) -> Any:
        """The records as a pandas data frame. Needs the extra `notebooks`.

        Raises:
            ImportError: pandas is not installed.
        """
        try:  # by name: a sweep on a cluster of machines needs no pandas
            return import_module("pandas").DataFrame(list(self.records))
        except ImportError:
            raise ImportError(
                "to_frame needs pandas: pip install 'karmadalab[notebooks]'; .records is the same as plain data"
            ) from None

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        return f"<Sweep {len(self.records)} runs of {', '.join(self.flags) or 'no flags'}>"


def sweep(
    source: Source,
    grid: Grid,
    *,
    measure: Measure,
    seeds: Iterable[int] = (1,),
    executor: Executor | None = None,
) -> Sweep:
    """Run a scenario under every combination of flags and with every seed.

    Args:
        source: a scenario file, or a mapping with the same content.
        grid: flag -> the values to try, `{"cluster-failure-threshold": ["10s", "30s"]}`; empty: only the seeds.
        measure: what to keep of a run, as plain data. For an executor of processes: a function of a module, not a
            lambda, as it travels to them.
        seeds: the seeds of each combination. A scenario that fixes its phases gives the same run with each.
        executor: where the runs happen, any of `concurrent.futures`; None: here, one after the other.

    Returns:
        the records, in an order that does not depend on the executor.

    Raises:
        BadRequest, Invalid: an unknown flag, a bad value, no seeds, or a scenario that makes no sense. Nothing was run.
    """
    combinations = list(_combinations(grid))
    numbers = _seeds(seeds)
    read_scenario(source)
    for flags in combinations:
        Settings().with_flags(flags)
    runs = [(source, flags, seed, measure) for flags in combinations for seed in numbers]
    done = map(_run, runs) if executor is None else executor.map(_run, runs)
    return Sweep(tuple(grid), tuple(done))


def _combinations(grid: Grid) -> Iterator[dict[str, Any]]:
    for flag, values in grid.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise BadRequest(f"grid: {flag}: expected a list of values to try such as ['30s', '5m'], got {values!r}")
    for values in product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


def _seeds(seeds: Iterable[int]) -> list[int]:
    numbers = list(seeds)
    if not numbers or any(isinstance(seed, bool) or not isinstance(seed, int) for seed in numbers):
        raise BadRequest(f"seeds: expected whole numbers such as range(10), got {numbers!r}")
    return numbers


def _run(order: tuple[Source, dict[str, Any], int, Measure]) -> dict[str, Any]:
    """One run; a function of the module, so that it can travel to another process."""
    source, flags, seed, measure = order
    measured = dict(measure(run_scenario(source, flags, seed)))
    if taken := sorted(set(measured) & {*flags, "seed"}):
        raise BadRequest(f"measure: {', '.join(taken)} is a flag or the seed of the record; choose another name")
    return {**flags, "seed": seed, **measured}
