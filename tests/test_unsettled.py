"""Work that never settles ends the run with the names of the objects and of those who keep changing them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from karmadalab import Lab, Phases
from karmadalab.core.clock import NeverSettles
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store
from karmadalab.core.trace import UPDATE, Row
from karmadalab.core.unsettled import unsettled

CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "fought-over"}, "data": {"colour": "red"}}


class Painter:
    """A controller with a favourite colour."""

    def __init__(self, store: Store, colour: str) -> None:
        self.name, self.colour, self._store = f"{colour}-painter", colour, store

    def watches(self) -> Sequence[Watch]:
        return [Watch(self._store, "ConfigMap")]

    def reconcile(self, request: Request) -> Result:
        found = self._store.find("ConfigMap", request.name, request.namespace)
        if found is not None and found.body["data"]["colour"] != self.colour:
            self._store.update(found.with_body(data={"colour": self.colour}))
        return DONE


def lab_with(*colours: str, latency_s: float = 0.0) -> Lab:
    lab = Lab.fake(members=1, phases=Phases(latency_s=latency_s))

    def build(manager: Manager) -> Sequence[Painter]:
        return [Painter(lab.store, colour) for colour in colours]

    lab.world.control_plane.process("painters", build).start()
    return lab


def test_two_controllers_that_undo_each_other_are_named_with_the_object() -> None:
    lab = lab_with("green", "blue")
    fought_over = r"ConfigMap default/fought-over was written \d+ times, by (green|blue)-painter \(\d+\), .*-painter"
    with pytest.raises(NeverSettles, match=fought_over):
        lab.apply(CONFIG)


def test_it_takes_tens_of_thousands_of_calls_not_a_million() -> None:
    lab = lab_with("green", "blue")
    with pytest.raises(NeverSettles, match=r"\([1-9]0000 calls so far\)"):
        lab.apply(CONFIG)


def test_one_controller_that_has_its_way_is_no_trouble() -> None:
    lab = lab_with("green")
    lab.apply(CONFIG)
    assert lab.get("ConfigMap", "fought-over").body["data"] == {"colour": "green"}


def test_a_fight_in_which_time_moves_on_is_found_by_check() -> None:
    lab = lab_with("green", "blue", latency_s=0.5)
    lab.apply(CONFIG)
    lab.run("2s")
    lab.check()
    lab.run("10s")
    fight = (
        "controllers agree with each other: ConfigMap default/fought-over: .*-painter and .*-painter undid each other"
    )
    with pytest.raises(AssertionError, match=fight):
        lab.check()


def test_a_change_that_is_made_and_undone_now_and_then_is_no_fight() -> None:
    lab = lab_with("green", latency_s=0.5)
    lab.apply(CONFIG)
    for _ in range(12):  # a user who does not give up
        lab.update(lab.get("ConfigMap", "fought-over").with_body(data={"colour": "red"}))
        lab.run("10s")
    lab.check()


def row(number: int, name: str, at: float = 10.0, actor: str = "painter", world: str = "") -> Row:
    return Row(number, at, None, actor, world, UPDATE, "Deployment.apps", "default", name)


def test_writes_of_earlier_instants_do_not_count() -> None:
    rows = [row(i, "web", at=9.0) for i in range(100)] + [row(100 + i, "web") for i in range(5)]
    assert unsettled(rows, 10.0, many=50) == ""


def test_many_objects_written_a_few_times_each_are_honest_work() -> None:
    assert unsettled([row(i, f"web-{i % 40}") for i in range(400)], 10.0, many=50) == ""


def test_the_worst_come_first_and_bystanders_are_left_out() -> None:
    rows = [row(i, "web") for i in range(60)] + [row(60 + i, "db", world="member1") for i in range(55)]
    rows += [row(200, "bystander")]
    assert unsettled(rows, 10.0, many=50) == (
        "Deployment default/web was written 60 times, by painter (60); "
        "Deployment@member1 default/db was written 55 times, by painter (55)"
    )
