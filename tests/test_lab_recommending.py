"""Lab 43: right costs, picks and tips pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from karmadalab.teaching import Mistake, check, parameters
from karmadalab.teaching.labs.recommending import Case, Records, judging, table
from karmadalab.teaching.labs.recommending.judging import flags_of, grouped, recommended, tip, worst_s, yearly
from karmadalab.teaching.labs.recommending.table import LONG, drawn


def summed(
    records: Records, case: Case, seconds: float = 1, moves: float = 1, mean: bool = True, year: bool = True
) -> Any:
    """Costs with parts that may be left out."""
    found = {}
    for flags, runs in grouped(records).items():
        found[flags] = sum(
            (case.a_year[outage] if year else 1)
            * sum(r["lost"] * (case.a_second if seconds else 1) + moves * r["moves"] * case.a_move for r in of_outage)
            / (len(of_outage) if mean else 1)
            for outage, of_outage in runs.items()
        )
    return found


def pick(records: Records, case: Case, total: Any, default: Any = None) -> Any:
    """The cheapest of those whose total for the long outage, made of all seeds, keeps the promise."""
    costs, runs = yearly(records, case), grouped(records)
    kept = [flags for flags in costs if total([r["total_s"] for r in runs[flags][LONG]]) <= case.most_s]
    return min(kept, key=costs.__getitem__, default=default)


def mean_of(totals: list[Any]) -> float:
    return float("inf") if None in totals else sum(totals) / len(totals)


def zero_for_none(totals: list[Any]) -> float:
    return max(total or 0 for total in totals)


def careful(totals: list[Any]) -> float:
    return float("inf") if None in totals else max(totals)


def test_the_right_answers_pass() -> None:
    assert "22 tables" in check("43.1", yearly).text
    assert "with every seed" in check("43.2", lambda records, case: pick(records, case, careful)).text
    assert "change places" in check("43.3", tip).text


@pytest.mark.parametrize("student", ["s1", "s2"])
def test_each_student_has_a_case_that_can_be_judged(student: str) -> None:
    mine = parameters("43", student)
    assert check("43.1", yearly, mine)
    assert check("43.2", recommended, mine)
    assert check("43.3", tip, mine)


def test_cases_differ_in_what_they_recommend() -> None:
    records = table()
    cases = [drawn(Random(seed)) for seed in range(40)]
    picks = {recommended(records, case) for case in cases}
    assert None not in picks
    assert len(picks) >= 2
    decided = [c for c in cases if recommended(records, c) != min(costs := yearly(records, c), key=costs.__getitem__)]
    assert decided, "for some students the promise rules the cheapest out"


def test_the_table_is_what_the_lesson_found() -> None:
    runs = grouped(table())
    assert {run["lost"] for run in runs["5m", 300]["25s"]} == {56}
    assert worst_s(runs["5m", 300][LONG]) == 642.02 or 630 <= (worst_s(runs["5m", 300][LONG]) or 0) <= 650
    assert all(run["moves"] == 0 for flags in runs for run in runs[flags]["25s"])
    assert {flags_of(record) for record in table()} == set(runs)


COSTS = [
    pytest.param(lambda r, c: None, "a pair for each combination", id="nothing"),
    pytest.param(lambda r, c: {k[0]: v for k, v in yearly(r, c).items()}, "a pair for each", id="one flag only"),
    pytest.param(lambda r, c: dict.fromkeys(yearly(r, c), float("nan")), "costs nan by", id="nan"),
    pytest.param(lambda r, c: dict.fromkeys(yearly(r, c)), "costs None by your function", id="no cost"),
    pytest.param(lambda r, c: dict.fromkeys(yearly(r, c), "much"), "costs 'much' by your function", id="a word"),
    pytest.param(lambda r, c: summed(r, c, mean=False), "take their mean", id="the sum over the seeds"),
    pytest.param(lambda r, c: summed(r, c, moves=0), "moves have a price", id="no moves"),
    pytest.param(lambda r, c: summed(r, c, seconds=0), "a lost second has a price", id="no price of a second"),
    pytest.param(lambda r, c: summed(r, c, year=False), "costs 200 times", id="each outage once"),
    pytest.param(lambda r, c: summed(r, c, moves=2), "by hand", id="something else"),
]


@pytest.mark.parametrize(("answer", "says"), COSTS)
def test_wrong_costs_get_their_own_sentence(answer: Any, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        check("43.1", answer)


PICKS = [
    pytest.param(lambda r, c: None, "some combination is quick enough", id="nothing"),
    pytest.param(lambda r, c: {"failover-eviction-timeout": "0s"}, "is a pair of the table", id="a dict"),
    pytest.param(lambda r, c: ("0s", 0), "the promise is broken|there is a cheaper one", id="always haste"),
    pytest.param(lambda r, c: pick(r, c, lambda _: 0), "never served|the promise is broken", id="no promise at all"),
    pytest.param(lambda r, c: pick(r, c, mean_of), "the mean is, and the promise is broken", id="the mean"),
    pytest.param(lambda r, c: pick(r, c, zero_for_none), "None is not 0", id="None for 0"),
    pytest.param(lambda r, c: pick(r, c, careful, ("0s", 0)), "if none passes, the answer is None", id="never None"),
    pytest.param(lambda r, c: max(yearly(r, c), key=yearly(r, c).get), "cheaper one|broken|never", id="the dearest"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("answer", "says"), PICKS)
def test_a_wrong_pick_gets_its_own_sentence(answer: Any, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        check("43.2", answer)


def unbounded(records: Records, case: Case, one: Any, other: Any) -> float | None:
    """Where the lines cross, also where no price is."""
    runs = grouped(records)
    slope = judging._moves(runs[one], case) - judging._moves(runs[other], case)
    begin = judging._lost(runs[other], case) - judging._lost(runs[one], case)
    return begin * case.a_second / slope if slope else None


TIPS = [
    pytest.param(lambda *a: "never", "a price in coins, or None", id="a word"),
    pytest.param(lambda *a: tip(*a) and float("nan"), "a price in coins, or None", id="nan"),
    pytest.param(lambda *a: None, "begin and slope", id="always None"),
    pytest.param(lambda *a: tip(*a) or 7.0, "parallel", id="a price where there is none"),
    pytest.param(unbounded, "a price is above 0", id="negative prices"),
    pytest.param(
        lambda r, c, a, b: None if (t := tip(r, c, a, b)) is None else t / c.a_second,
        "a lost second has a price",
        id="no price of a second",
    ),
]


@pytest.mark.parametrize(("answer", "says"), TIPS)
def test_a_wrong_tip_gets_its_own_sentence(answer: Any, says: str) -> None:
    with pytest.raises(Mistake, match=says):
        check("43.3", answer)
