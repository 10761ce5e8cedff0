"""Checks 43.1, 43.2 and 43.3: costs, a recommendation, where it tips; on the table of runs and on made ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from karmadalab.api.errors import shortly
from karmadalab.teaching.asking import called, is_number
from karmadalab.teaching.labs.recommending.table import GRID, LONG, TOLERATION, WAIT, Case, Flags, Records, table
from karmadalab.teaching.verdict import Finding

Coster = Callable[[Records, Case], Mapping[Flags, float]]
Recommender = Callable[[Records, Case], Flags | None]
Tipper = Callable[[Records, Case, Flags, Flags], float | None]

_NEAR = 1e-6


def flags_of(record: Mapping[str, Any]) -> Flags:
    """The flags of a record, in the order of the grid."""
    return record[WAIT], record[TOLERATION]


def grouped(records: Records) -> dict[Flags, dict[str, Records]]:
    """Flags -> outage -> the records of all its seeds."""
    found: dict[Flags, dict[str, Records]] = {}
    for record in records:
        found.setdefault(flags_of(record), {}).setdefault(record["outage"], []).append(record)
    return found


def yearly(records: Records, case: Case) -> dict[Flags, float]:
    """What a year costs with each combination of flags, in coins."""
    return {
        flags: _lost(runs, case) * case.a_second + _moves(runs, case) * case.a_move
        for flags, runs in grouped(records).items()
    }


def _mean(runs: Records, what: str) -> float:
    return float(sum(run[what] for run in runs) / len(runs))


def _lost(runs: Mapping[str, Records], case: Case) -> float:
    return sum(times * _mean(runs[outage], "lost") for outage, times in case.a_year.items())


def _moves(runs: Mapping[str, Records], case: Case) -> float:
    return sum(times * _mean(runs[outage], "moves") for outage, times in case.a_year.items())


def worst_s(runs: Records) -> float | None:
    """The longest time to the replacement over the seeds; None if with some seed there was none."""
    totals = [run["total_s"] for run in runs]
    return None if None in totals else max(totals)


def recommended(records: Records, case: Case) -> Flags | None:
    """The cheapest flags among those that are quick enough with every seed; None if there are none."""
    costs, runs = yearly(records, case), grouped(records)
    quick = [flags for flags in costs if _quick(runs[flags][LONG], case)]
    return min(quick, key=costs.__getitem__, default=None)


def _quick(runs: Records, case: Case) -> bool:
    longest_s = worst_s(runs)
    return longest_s is not None and longest_s <= case.most_s


def tip(records: Records, case: Case, one: Flags, other: Flags) -> float | None:
    """The price of a move at which two combinations cost the same; None if there is none above 0."""
    runs = grouped(records)
    moves = _moves(runs[one], case) - _moves(runs[other], case)
    lost = _lost(runs[other], case) - _lost(runs[one], case)
    price = lost * case.a_second / moves if moves else -1.0
    return price if price > 0 else None


# --- tables: the real one, and made ones with seeds that differ


def _tables(case: Case | None) -> list[tuple[Records, Case]]:
    rng = Random(43)
    return [(table(), case or Case()), (table(), Case(a_move=20)), *(_made(rng) for _ in range(20))]


def _made(rng: Random) -> tuple[Records, Case]:
    """Runs that never happened, in an order of chance: means, worst seeds and failures differ more than real ones."""
    records: Records = []
    for wait in GRID[WAIT]:
        for toleration in GRID[TOLERATION]:
            for outage in ("25s", "75s", LONG):
                for seed in (1, 2, 3):
                    total_s = rng.choice((None, 90.0, 150.0, 300.0, 500.0, 650.0)) if rng.random() < 0.5 else 100.0
                    run = {"seed": seed, "lost": rng.randint(0, 900), "moves": rng.randint(0, 1), "total_s": total_s}
                    records.append({"outage": outage, WAIT: wait, TOLERATION: toleration, **run})
    rng.shuffle(records)
    case = Case(
        {"25s": rng.randint(50, 300), "75s": rng.randint(5, 50), LONG: rng.randint(1, 9)}, 2, rng.randint(10, 900), 320
    )
    return records, case


# --- the checks


def costs(answer: Coster, case: Case | None = None) -> Finding | None:
    """43.1: what a year costs with each combination."""
    for records, chosen in _tables(case):
        said, right = called(answer, records, chosen), yearly(records, chosen)
        if not isinstance(said, Mapping) or set(said) != set(right):
            why = "the costs are a dict: (wait, toleration) as they stand in the records -> coins a year."
            return Finding(f"you return {shortly(said)}.", why, "the keys: a pair for each combination of the table.")
        for flags, cost in right.items():
            if not is_number(said[flags]):
                what = f"a year with {flags} costs {shortly(said[flags])} by your function."
                return Finding(what, "a cost is a number of coins.", "what you add up for each combination.")
            if abs(said[flags] - cost) > _NEAR * max(1, cost):
                what = f"{chosen}: a year with {flags} costs {cost:g} coins, and {said[flags]:g} by your function."
                return Finding(what, *_cost_cause(said[flags], flags, records, chosen))
    return None


def _cost_cause(said: float, flags: Flags, records: Records, case: Case) -> tuple[str, str]:
    """The idea behind a wrong cost, and where to look."""
    runs = grouped(records)[flags]
    seeds = len(runs[LONG])
    lost, moves = _lost(runs, case), _moves(runs, case)
    wrong: list[tuple[float, tuple[str, str]]] = [
        (
            seeds * (lost * case.a_second + moves * case.a_move),
            ("the seeds are not more outages, they are the same one at other beats: take their mean.", "sum and mean."),
        ),
        (lost * case.a_second, ("moves have a price, too.", "`a_move`, and `moves` of the records.")),
        (lost + moves * case.a_move, ("a lost second has a price: `a_second`.", "what you multiply `lost` with.")),
        (
            sum(_mean(r, "lost") * case.a_second + _mean(r, "moves") * case.a_move for r in runs.values()),
            ("an outage that comes 200 times a year costs 200 times.", "`case.a_year`."),
        ),
    ]
    for value, cause in wrong:
        if abs(said - value) <= _NEAR * max(1, abs(value)):
            return cause
    return (
        "for each outage: how often a year, times the mean over the seeds of lost * a_second + moves * a_move.",
        "one outage and one combination, by hand.",
    )


def recommendation(answer: Recommender, case: Case | None = None) -> Finding | None:
    """43.2: the cheapest among those that are quick enough."""
    tables = _tables(case)
    never = replace(tables[0][1], most_s=10)
    for records, chosen in (*tables, (tables[0][0], never)):
        said, right = called(answer, records, chosen), recommended(records, chosen)
        if said != right:
            return Finding(f"{chosen}: you recommend {said}, and not {right}.", *_pick_cause(said, records, chosen))
    return None


def _pick_cause(said: Any, records: Records, case: Case) -> tuple[str, str]:
    runs, prices = grouped(records), yearly(records, case)
    if said is None:
        return "some combination is quick enough with every seed.", "what you leave out."
    if said not in list(runs):  # it may be a dict, which no dict can hold as a key
        return "a recommendation is a pair of the table, (wait, toleration), or None.", "what you return."
    totals = [run["total_s"] for run in runs[said][LONG]]
    if None in totals:
        return (
            f"with {said} the replacement never served in some run: `total_s` is {totals}. None is not 0, it is never.",
            "what you do with None.",
        )
    if max(totals) > case.most_s:
        mean = sum(totals) / len(totals)
        kind = "the mean is, and" if mean <= case.most_s else "so"
        return (
            f"with {said} the long outage lasts {max(totals):g} s in the worst run, and {case.most_s:g} s are allowed: "
            f"{kind} the promise is broken.",
            "which of the runs you hold against `most_s`; if none passes, the answer is None.",
        )
    return (
        f"{said} is quick enough, but costs {prices[said]:g} coins a year; there is a cheaper one.",
        "what you minimize.",
    )


def tips(answer: Tipper, case: Case | None = None) -> Finding | None:
    """43.3: where the recommendation tips."""
    hasty, default = ("0s", 0), ("5m", 300)
    for records, chosen in _tables(case):
        for one, other in ((hasty, default), (default, hasty), (("30s", 30), default), (hasty, hasty)):
            said, right = called(answer, records, chosen, one, other), tip(records, chosen, one, other)
            if said is not None and not is_number(said):
                return Finding(f"you return {shortly(said)}.", "a price in coins, or None.", "what you return.")
            if (said is None) != (right is None) or (
                said is not None and right is not None and abs(said - right) > 1e-3
            ):
                return Finding(
                    f"{chosen}: {one} and {other} tip at {right}; you say {said}.", *_tip_cause(said, right, chosen)
                )
    return None


def _tip_cause(said: float | None, right: float | None, case: Case) -> tuple[str, str]:
    if said is not None and said <= 0:
        return (
            "a price is above 0. Lines that cross on the other side don't cross for anybody: None.",
            "negative results.",
        )
    if said is not None and right is not None and abs(said * case.a_second - right) < 1e-3:
        return "a lost second has a price: `a_second`.", "the beginning of the two lines."
    if right is None:
        return "with as many moves a year both lines are parallel: there is no such price.", "a difference of 0."
    return (
        "what a year costs is a straight line over the price of a move: it begins at the price of what is lost and "
        "climbs by the moves of a year.",
        "two lines, begin and slope; where do they meet?",
    )
