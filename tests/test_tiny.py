"""Karmada in 150 lines, beside the whole: the same failover, measured with the same ruler."""

from __future__ import annotations

from functools import cache
from inspect import getsource
from pathlib import Path

import pytest

from karmadalab import Lab, Phases
from karmadalab.analysis import PHASES, outages, serving
from karmadalab.teaching import tiny
from karmadalab.teaching.tiny import TinyKarmada
from karmadalab.teaching.tiny_events import power_off, power_on, records

MEMBERS = ["member1", "member2", "member3"]
NGINX = Path(__file__).resolve().parent.parent / "environments" / "nginx.yaml"
BEATS = [0.5, 3.0, 9.5]


def failover(first_probe_s: float = 3.0, until_s: float = 960.0, without: tuple[str, ...] = ()) -> TinyKarmada:
    plane = TinyKarmada(MEMBERS, first_probe_s, without)
    plane.put("Deployment", "nginx", replicas=2)
    plane.put("Policy", "nginx", allowed=MEMBERS, groups=2, tolerates_s=300.0)
    plane.run(60)
    power_off(plane, "member1")
    plane.run(until_s)
    return plane


@cache
def whole(first_probe_s: float) -> Lab:
    lab = Lab.fake(members=3, phases=Phases(probe_s=dict.fromkeys(MEMBERS, first_probe_s)))
    lab.apply(NGINX)
    lab.run("1m").fault("member1").power_off()
    return lab.run("15m")


def test_it_has_at_most_150_lines() -> None:
    assert len(getsource(tiny).splitlines()) <= 150


@pytest.mark.parametrize("beat", BEATS)
def test_each_wait_is_as_long_as_in_the_whole_package(beat: float) -> None:
    [small], [large] = outages(records(failover(beat))), outages(whole(beat))
    for phase in PHASES:
        ours, theirs = small.phases[phase], large.phases[phase]
        assert ours is not None
        assert theirs is not None
        assert abs(ours - theirs) <= 1.1, phase  # a real taint has whole seconds only


def test_it_places_like_the_whole_package() -> None:
    plane, lab = failover(), whole(3.0)
    assert plane.get("Binding", "nginx")["clusters"] == list(lab.placement["default/nginx-deployment"])
    small, large = serving(records(plane)), serving(lab)
    for t in (1, 59, 100, 690, 705, 950):
        assert small.total.at(t) == large.total.at(t), t


def test_the_template_counts_the_dead_copy_for_a_moment() -> None:
    counts = [new["ready"] for _, kind, _, _, new in failover().log if kind == "Deployment" and new and "ready" in new]
    assert counts[-2:] == [6, 4]


def test_a_short_outage_moves_nothing() -> None:
    plane = failover(until_s=85.0)
    plane.powered["member1"] = True
    plane.run(960.0)
    assert outages(records(plane))[0].detected_s is None
    assert plane.get("Binding", "nginx")["clusters"] == ["member1", "member2"]


def test_a_repair_removes_taints_and_the_old_copy_and_moves_nothing_back() -> None:
    plane = failover()
    power_on(plane, "member1")
    plane.run(1100.0)
    recover_s = outages(records(plane))[0].recover_s
    assert recover_s is not None
    assert 30 <= recover_s <= 40
    assert plane.get("Cluster", "member1")["taints"] == {}
    assert plane.get("Binding", "nginx")["clusters"] == ["member2", "member3"]
    assert sorted(name for kind, name in plane.objects if kind == "Pods") == ["nginx@member2", "nginx@member3"]


MISSING = {
    "evict": (["member1", "member2"], "the binding keeps the dead cluster"),
    "finish": (["member2", "member3"], "the old Work stays for ever"),
}


@pytest.mark.parametrize("controller", MISSING)
def test_without_one_controller_only_its_own_part_is_missing(controller: str) -> None:
    plane = failover(without=(controller,))
    clusters, why = MISSING[controller]
    assert plane.get("Binding", "nginx")["clusters"] == clusters, why
    assert plane.get("Work", "nginx@member1") is not None, why


def test_writing_the_same_again_wakes_nobody() -> None:
    plane = failover()
    length = len(plane.log)
    plane.put("Deployment", "nginx", replicas=2)
    plane.run(plane.now)
    assert len(plane.log) == length


def test_two_runs_are_the_same() -> None:
    assert failover().log == failover().log
