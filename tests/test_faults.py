"""Faults overlap, are planned and healed in any order; a process comes back when the last fault on it is gone."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from karmadalab.core.manager import Manager
from karmadalab.environments.faults import Acting, Fault, combined, effect_of
from karmadalab.environments.link import REFUSED, SILENT, UP
from karmadalab.lab import Lab

AGENT = "karmada-agent@member2"
MANAGER = "karmada-controller-manager"


@pytest.fixture
def lab() -> Lab:
    """member1 is in push mode, member2 in pull mode."""
    return Lab.fake(members=2, pull=1, seed=1)


def state(process: Manager) -> str:
    return "stopped" if not process.running else "frozen" if process.paused else "running"


def agent(lab: Lab) -> str:
    return state(lab.world.agents["member2"])


def test_a_killed_process_waits_for_the_old_leader_lease(lab: Lab) -> None:
    lab.fault(MANAGER).stop(for_="10s")
    manager = lab.world.process(MANAGER)
    seen = []
    for _ in range(4):
        lab.run("9s")
        seen.append(state(manager))
    assert seen == ["stopped", "stopped", "stopped", "running"]  # 10 s, then 15 s of lease and 2.4 s


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("stop_agent", "freeze_agent"),
        ("freeze_agent", "stop_agent"),
        ("power_off", "freeze_agent"),
        ("stop_agent", "power_off"),
    ],
)
@pytest.mark.parametrize("order", ["first healed first", "last healed first"])
def test_an_agent_is_back_when_both_faults_are_gone(lab: Lab, first: str, second: str, order: str) -> None:
    faults = [getattr(lab.fault("member2"), name)() for name in (first, second)]
    lab.run("1m")
    assert agent(lab) == "stopped"
    for fault in faults if order == "first healed first" else faults[::-1]:
        lab.run("1m")
        assert agent(lab) != "running"
        fault.heal()
    lab.run("1m")
    assert agent(lab) == "running"
    lab.run("2m")
    assert "Ready=True" in repr(lab.get("Cluster", "member2"))


def test_a_second_outage_cancels_a_start_that_was_due(lab: Lab) -> None:
    lab.fault("member2").power_off(for_="1m")
    lab.fault("member2").power_off(at="65s", for_="5m")
    for _ in range(12):
        lab.run("30s")
        assert agent(lab) == "stopped"
    lab.run("30s")
    assert agent(lab) == "running"


def test_faults_on_the_member_and_on_its_agent_add_up(lab: Lab) -> None:
    on_member, on_agent = lab.fault("member2").stop_agent(), lab.fault(AGENT).stop()
    on_member.heal()
    lab.run("1m")
    assert agent(lab) == "stopped"
    on_agent.heal()
    lab.run("1m")
    assert agent(lab) == "running"


def test_two_faults_on_a_control_plane_process_add_up(lab: Lab) -> None:
    manager = lab.world.process(MANAGER)
    frozen, stopped = lab.fault(MANAGER).freeze(), lab.fault(MANAGER).stop()
    assert state(manager) == "stopped"
    stopped.heal()
    lab.run("1m")
    assert state(manager) == "stopped"  # it can't start while it is frozen
    frozen.heal()
    lab.run("1m")
    assert state(manager) == "running"


def test_a_frozen_process_goes_on_within_seconds_and_need_not_wait_for_a_lease(lab: Lab) -> None:
    fault = lab.fault(MANAGER).freeze()
    lab.run("30s")
    fault.heal()
    lab.run("5s")
    assert state(lab.world.process(MANAGER)) == "running"


def link_states(lab: Lab, name: str) -> dict[str, str]:
    member = lab.world.member(name)
    links = {"reach": member.from_control_plane.link, "agent": member.from_agent.link, "up": member.uplink}
    return {word: link.state for word, link in links.items()}


@pytest.mark.parametrize(
    ("name", "fault", "states"),
    [
        ("member1", "power_off", (REFUSED, REFUSED, UP)),
        ("member1", "refuse", (REFUSED, REFUSED, UP)),
        ("member1", "hang", (SILENT, SILENT, UP)),
        ("member1", "silence", (SILENT, UP, UP)),
        ("member1", "cut_off", (REFUSED, UP, UP)),
        ("member2", "silence", (UP, UP, SILENT)),
        ("member2", "cut_off", (UP, UP, REFUSED)),
        ("member2", "hang", (SILENT, SILENT, UP)),
    ],
)
def test_which_way_a_fault_breaks(lab: Lab, name: str, fault: str, states: tuple[str, ...]) -> None:
    acting = getattr(lab.fault(name), fault)()
    assert tuple(link_states(lab, name).values()) == states
    acting.heal()
    assert set(link_states(lab, name).values()) == {UP}


def test_of_two_faults_on_a_link_the_worse_counts(lab: Lab) -> None:
    lab.fault("member1").silence()
    refused = lab.fault("member1").cut_off()
    assert link_states(lab, "member1")["reach"] == REFUSED
    refused.heal()
    assert link_states(lab, "member1")["reach"] == SILENT


def test_slow_and_lossy_faults_take_the_worst_of_each(lab: Lab) -> None:
    control = lab.fault("member1")
    control.slow("1s")
    control.slow("5s")
    lossy = control.lossy(0.5)
    link = lab.world.member("member1").from_control_plane.link
    assert (link.latency_s, link.loss) == (5, 0.5)
    lossy.heal()
    assert (link.latency_s, link.loss) == (5, 0)


@pytest.mark.parametrize(
    ("plan", "downs"),
    [
        pytest.param(lambda c: c.refuse(at="2m", for_="45s"), [(120, 165)], id="planned"),
        pytest.param(lambda c: c.refuse(for_="45s"), [(0, 45)], id="for a while"),
        pytest.param(lambda c: c.flapping("10s", "20s", 3), [(0, 10), (30, 40), (60, 70)], id="flapping"),
        pytest.param(lambda c: c.flapping("10s", "20s", 2, at="1m"), [(60, 70), (90, 100)], id="flapping later"),
        pytest.param(lambda c: c.refuse(at="1m", for_="1m").heal(), [], id="healed before it began"),
        pytest.param(lambda c: (c.refuse(), c.heal(at="30s")), [(0, 30)], id="healed at a time"),
    ],
)
def test_faults_begin_and_end_when_planned(lab: Lab, plan: Callable[..., object], downs: list[tuple[int, int]]) -> None:
    plan(lab.fault("member1"))
    lab.run("3m")
    events = list(lab.timeline.where("fault", "member1"))
    begins = [event.t for event in events if not event.what.startswith("healed")]
    ends = [event.t for event in events if event.what.startswith("healed")]
    assert list(zip(begins, ends, strict=True)) == downs


def test_healing_twice_is_no_error(lab: Lab) -> None:
    fault = lab.fault("member1").refuse()
    assert repr(fault) == "<Fault refuse on member1, acting>"
    fault.heal()
    fault.heal()
    lab.heal()
    assert repr(fault) == "<Fault refuse on member1, healed>"


def test_a_hanging_member_is_noticed_over_a_slow_uplink(lab: Lab) -> None:
    """Two waits in one look at a cluster: the agent's probe gets no answer, and its report takes its time."""
    lab.fault("member2").hang()
    lab.fault("member2").slow("5s")
    lab.run("5m")
    assert "Ready=False" in repr(lab.get("Cluster", "member2"))


def test_faults_that_are_equal_count_as_one_and_add_up_to_what_all_of_them_do() -> None:
    dice, acting = Random(1), Acting()
    there: list[Fault] = []
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("refuse", {}),
        ("hang", {}),
        ("slow", {"latency_s": 2.0}),
        ("slow", {"latency_s": 5.0}),
    ]
    for row in range(500):
        if there and dice.random() < 0.45:
            gone = dice.choice(there)
            there.remove(gone)
            acting.remove(gone)
        else:
            name, options = dice.choice(kinds)
            fault = Fault(name, dice.choice(("member1", "member2")), *effect_of(name, False, **options), lambda _: None)
            fault.row = row
            there.append(fault)
            acting.add(fault)
        for target in ("member1", "member2"):
            mine = [fault for fault in there if fault.target == target]
            few = acting.on(target)
            assert len(few) <= len(kinds)
            assert combined([fault.effect for fault in few]) == combined([fault.effect for fault in mine])
            assert few[:1] == mine[:1]


@pytest.mark.parametrize("length", ["100ms", "250ms", "0.3s", "700ms", "1.1s", "10.05s", 1 / 3])
def test_what_the_lab_calls_now_is_now(length: str | float) -> None:
    """The time that is shown is rounded; the clock's own is a multiple of 2**-20 s."""
    lab = Lab.fake(members=1)
    lab.run(length)
    lab.fault("member1").power_off(at=lab.t)
    lab.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
    lab.at(lab.t).get("ConfigMap", "a")
    lab.run("1s")
    assert [fault.name for fault in lab.world.faults] == ["power_off"]
    for event in lab.timeline:
        if event.what == "created":
            lab.at(event.t).get(event.kind, event.name, event.namespace)
