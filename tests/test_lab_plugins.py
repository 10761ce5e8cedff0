"""Lab 21: right plugins pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from karmadalab.scheduler import BindingInfo
from karmadalab.scheduler.snapshot import ClusterInfo
from karmadalab.teaching import Mistake, check, parameters
from karmadalab.teaching.labs.plugins.scenarios import cheapest, homes
from karmadalab.teaching.labs.plugins.window import Announced, Cheap, Window
from tests.answers import mistake

REASON = "cluster(s) with maintenance announced"


class Filter:
    """A filter made of a function."""

    name = "Filter"

    def __init__(self, answer: Callable[[BindingInfo, ClusterInfo], Any]) -> None:
        self._answer = answer

    def filter(self, binding: BindingInfo, cluster: ClusterInfo) -> Any:
        return self._answer(binding, cluster)


class Score:
    """A score made of a function of the price's text."""

    name = "Score"

    def __init__(self, answer: Callable[[str], Any]) -> None:
        self._answer = answer

    def score(self, binding: BindingInfo, cluster: ClusterInfo) -> Any:
        return self._answer(cluster.labels.get("price", ""))


def marked(cluster: ClusterInfo) -> bool:
    return cluster.labels.get("maintenance") == "tonight"


class Remembers(Filter):
    """Refuses each cluster once."""

    def __init__(self) -> None:
        seen: set[str] = set()

        def answer(binding: BindingInfo, cluster: ClusterInfo) -> str | None:
            said = Announced(Window()).filter(binding, cluster)
            known = f"{cluster.name}{binding.previous}" in seen
            seen.add(f"{cluster.name}{binding.previous}")
            return None if known else said

        super().__init__(answer)


def refuses(test: Callable[[BindingInfo, ClusterInfo], bool], reason: str = REASON) -> Filter:
    return Filter(lambda b, c: reason if test(b, c) else None)


def new(test: Callable[[ClusterInfo], bool]) -> Filter:
    return refuses(lambda b, c: test(c) and c.name not in b.previous)


FILTERS: dict[str, tuple[Any, str]] = {
    "it raises without the label": (
        new(lambda c: c.labels["maintenance"] == "tonight"),
        "not every cluster has the label",
    ),
    "any value": (new(lambda c: "maintenance" in c.labels), "only the value tonight announces it"),
    "any key": (new(lambda c: "tonight" in c.labels.values()), "only the key maintenance announces it"),
    "it forgets who is there": (refuses(lambda b, c: marked(c)), "a workload that runs there stays"),
    "0 replicas are nobody": (
        refuses(lambda b, c: marked(c) and not b.previous.get(c.name)),
        "0 replicas are replicas",
    ),
    "whoever runs somewhere": (refuses(lambda b, c: marked(c) and not b.previous), "but not on this cluster"),
    "it lets all through": (refuses(lambda b, c: False), "announces maintenance: nothing new"),
    "its reason names the cluster": (
        Filter(lambda b, c: f"cluster(s) {c.name} in maintenance" if marked(c) and c.name not in b.previous else None),
        "a reason must not name one",
    ),
    "its reason does not read well": (
        refuses(lambda b, c: marked(c) and c.name not in b.previous, "maintenance tonight"),
        "an error would read '3 maintenance tonight'",
    ),
    "it says True": (Filter(lambda b, c: True), "returns True"),
    "it remembers": (Remembers(), "lets it through"),
    "the class": (Announced, "the check got the class Announced"),
    "no plugin": (object(), "a plugin is an object with a name and one method"),
}


@pytest.mark.parametrize(("plugin", "says"), FILTERS.values(), ids=FILTERS)
def test_a_wrong_filter_is_told_what_is_wrong(plugin: Any, says: str) -> None:
    assert says in mistake("21.1", plugin)


def priced(points: Callable[[int], Any]) -> Score:
    return Score(lambda text: points(int(text)) if text.isdecimal() and 1 <= int(text) <= 99 else 0)


SCORES: dict[str, tuple[Any, str]] = {
    "it raises without a price": (Score(lambda text: 100 - int(text)), "a label may be missing"),
    "any number is a price": (
        Score(lambda text: 100 - int(text) if text.isdecimal() else 0),
        "with the price '0' gets 100 points",
    ),
    "dearer is better": (priced(lambda price: price), "cheaper is better, at every price"),
    "prices in steps": (priced(lambda price: 99 - price // 10), "cheaper is better, at every price"),
    "the dearest gets nothing": (priced(lambda price: 99 - price), "the dearest price is still better than no price"),
    "100 for the cheapest": (priced(lambda price: 101 - price), "100 points for a price weigh as much"),
    "fractions": (priced(lambda price: 99 / price), "it should return a whole number"),
}


@pytest.mark.parametrize(("plugin", "says"), SCORES.values(), ids=SCORES)
def test_a_wrong_score_is_told_what_is_wrong(plugin: Any, says: str) -> None:
    assert says in mistake("21.3", plugin)


def test_the_right_answers_pass() -> None:
    mine = Window("patching", "soon")
    assert "seven cases" in check("21.1", Announced(mine), mine).text
    assert "eight steps" in check("21.2", Announced(mine), mine).text
    assert "three fleets" in check("21.3", Cheap()).text


def test_a_filter_that_forgets_who_is_there_is_seen_in_the_run() -> None:
    with pytest.raises(
        Mistake, match=r"member2 is announced: with your filter the workloads are on \{'web': \['member1'"
    ):
        check("21.2", refuses(lambda b, c: marked(c)))


def test_points_without_measure_move_what_runs() -> None:
    for points, home in ((lambda price: 100 - price, "member3"), (lambda price: 1000 // price, "member1")):
        assert homes(cheapest(priced(points)), "web") == [home]


def test_a_plugin_that_raises_in_the_run_is_told_as_a_mistake() -> None:
    assert "filter() raised ValueError on cluster member1" in mistake("21.2", Filter(lambda b, c: int("x")))


def test_a_plugin_without_its_method_is_told_so_before_the_run() -> None:
    misspelt = type("Misspelt", (), {"name": "Mine", "fliter": None})()
    assert "no method filter()" in mistake("21.2", misspelt)
    assert "the check got the class Announced" in mistake("21.2", Announced)


def test_each_student_has_a_label() -> None:
    assert len({parameters("21", f"s{n}") for n in range(40)}) > 6
