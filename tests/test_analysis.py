"""Tables from timelines: the parts of an outage, who served when, and what it cost."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from karmadalab import Lab, Settings
from karmadalab.analysis import (
    PHASES,
    Band,
    Outage,
    Steps,
    band_table,
    condition_bands,
    event_table,
    fault_bands,
    outage_table,
    outages,
    phase_records,
    phase_table,
    record,
    serving,
    serving_table,
    summary_table,
    taint_bands,
    task_bands,
)
from karmadalab.api.errors import BadRequest
from karmadalab.show.text import tell
from tests.worlds import ENVIRONMENTS, cut_off, five_members, power_off

QUICK = {"failover-eviction-timeout": "30s", "default-not-ready-toleration-seconds": 30}


@cache
def never_healthy() -> Lab:
    """member1 dies, and nobody else can pull the image."""
    lab = five_members(settings=QUICK)
    for name in ("member3", "member5"):
        lab.fault(name).bad_image("nginx")
    lab.fault("member1").power_off()
    return lab.run("9m")


@cache
def short_outage() -> Lab:
    lab = five_members(settings=QUICK)
    lab.fault("member1").power_off(for_="79s")
    return lab.run("9m")


@cache
def blip() -> Lab:
    lab = five_members()
    lab.fault("member1").refuse(for_="20s")
    return lab.run("4m")


@cache
def flapping() -> Lab:
    lab = five_members()
    lab.fault("member1").flapping("20s", "15s", 4)
    return lab.run("4m")


@cache
def twice() -> Lab:
    """member1 dies, is back for ten seconds, and dies again before anybody has seen it."""
    lab = five_members()
    lab.fault("member1").power_off(at="1m", for_="60s")
    lab.fault("member1").power_off(at="130s", for_="10m")
    return lab.run("19m")


def only(lab: Lab) -> Outage:
    [outage] = outages(lab)
    return outage


# --- steps


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([], Steps()),
        ([(1.0, 2)], Steps((1.0,), (2,))),
        ([(1.0, 2), (1.0, -2)], Steps()),
        ([(1.0, 2), (2.0, 1), (2.0, -1), (3.0, -2)], Steps((1.0, 3.0), (2, 0))),
    ],
)
def test_changes_of_one_instant_are_one_step(changes: list[tuple[float, int]], expected: Steps) -> None:
    assert Steps.of_changes(changes) == expected


def test_steps_are_read_at_before_and_between_their_changes() -> None:
    steps = Steps((10.0, 20.0, 30.0), (4, 2, 5))
    assert [steps.at(t) for t in (9.9, 10.0, 19.9, 20.0, 99.0)] == [0, 4, 4, 2, 5]
    assert [steps.before(t) for t in (10.0, 10.1, 20.0, 30.5)] == [0, 4, 4, 5]
    assert [steps.first(level, 15.0) for level in (4, 5, 6)] == [15.0, 30.0, None]
    assert list(steps.pieces(15.0, 35.0)) == [(15.0, 20.0, 4), (20.0, 30.0, 2), (30.0, 35.0, 5)]
    assert (steps.lacking(4, 15, 35), steps.below(4, 15, 35), steps.above(4, 15, 35)) == (20, 10, 5)


def test_a_sum_of_steps_is_their_sum_at_every_moment() -> None:
    parts = [Steps((0.0, 4.0), (1, 3)), Steps((4.0, 6.0), (2, 0)), Steps()]
    total = Steps.total(parts)
    assert [total.at(t) for t in range(8)] == [sum(p.at(t) for p in parts) for t in range(8)]


# --- outages


@pytest.mark.parametrize(
    ("lab", "bounds"),
    [
        (
            power_off,
            {"detect": (30, 40), "wait": (300, 305.1), "evict": (299, 301), "reschedule": (0, 1), "start": (3, 4)},
        ),
        (
            cut_off,
            {"detect": (29.5, 45), "wait": (255, 271), "evict": (299, 301), "reschedule": (0, 1), "start": (3, 4)},
        ),
        (
            short_outage,
            {"detect": (30, 40), "wait": (30, 35.1), "evict": (29, 31), "reschedule": (0, 1), "start": (3, 4)},
        ),
    ],
    ids=["push, no power", "pull, cut off", "short, quick flags"],
)
def test_an_outage_is_split_into_its_waits(lab: Callable[[], Lab], bounds: dict[str, tuple[float, float]]) -> None:
    outage = only(lab())
    assert tuple(bounds) == PHASES
    for phase, (low, high) in bounds.items():
        assert low <= (outage.phases[phase] or 0.0) <= high, phase
    assert outage.total_s == pytest.approx(sum(s for s in outage.phases.values() if s is not None))


def test_moments_of_an_outage_are_those_of_the_timeline() -> None:
    lab = power_off()
    outage = only(lab)
    first = {
        "detected_s": lab.timeline.where(kind="Cluster", name="member1", what="condition Ready True -> False")[0].t,
        "tainted_s": lab.timeline.where(
            kind="Cluster", name="member1", what="taint added cluster.karmada.io/not-ready:NoE"
        )[0].t,
        "cleaned_s": lab.timeline.where(kind="Work", what="deleted")[0].t,
        "healed_s": 1260.0,
    }
    assert {name: getattr(outage, name) for name in first} == first
    assert (outage.cluster, outage.binding, outage.fault_s) == ("member1", "nginx-deployment", 60.0)
    assert sum(outage.to.values()) == 2
    assert 30 <= (outage.recover_s or 0) <= 40


def test_without_power_replicas_are_lost_until_the_replacement_serves() -> None:
    outage = only(power_off())
    assert outage.lost == pytest.approx(2 * (outage.total_s or 0))
    assert outage.degraded_s == pytest.approx(outage.total_s)
    assert outage.double_s == pytest.approx((outage.cleaned_s or 0) - 1260.0 - 3.0)  # pods start anew, then are removed


def test_a_member_that_is_only_cut_off_goes_on_serving() -> None:
    outage = only(cut_off())
    assert (outage.lost, outage.degraded_s) == (0, 0)
    assert outage.double_s == pytest.approx(900.0 - (outage.started_s or 0), abs=2.0)


def scaled_while_down(replicas: int) -> Outage:
    """nginx, twice 2, is scaled while member1 is without power and its replicas have moved."""
    lab = five_members(settings=QUICK)
    lab.fault("member1").power_off()
    lab.run("5m")
    lab.scale("nginx", replicas)
    return only(lab.run("5m"))


def test_replicas_that_were_asked_for_during_an_outage_are_not_a_second_copy() -> None:
    before, more, fewer = (scaled_while_down(replicas) for replicas in (2, 4, 1))
    assert before.double_s == 0
    assert more.double_s == 0
    assert more.lost == pytest.approx(before.lost + 4 * 3.0, abs=0.5), "the new ones took 3 s to start"
    assert (fewer.lost, fewer.double_s) == (pytest.approx(before.lost), pytest.approx(0, abs=0.5))


def test_a_second_copy_is_one_though_the_workload_was_scaled() -> None:
    lab = five_members(settings=QUICK)
    lab.fault("member1").cut_off(for_="10m")
    lab.run("5m")
    lab.scale("nginx", 4)
    outage = only(lab.run("10m"))
    assert outage.double_s > 60
    assert "more replicas serve than wanted" in tell(lab)


def test_an_outage_without_a_healthy_replacement_has_no_start() -> None:
    outage = only(never_healthy())
    assert outage.rescheduled_s is not None
    assert (outage.started_s, outage.phases["start"], outage.total_s) == (None, None, None)
    assert outage.lost == pytest.approx(2 * 540.0)


def test_an_outage_can_be_evicted_after_its_repair() -> None:
    outage = only(short_outage())
    assert 10 <= (outage.evicted_s or 0) - (outage.healed_s or 0) <= 30


def test_a_blip_is_an_outage_that_nobody_noticed() -> None:
    outage = only(blip())
    assert set(outage.phases.values()) == {None}
    assert (outage.recovered_s, outage.lost, outage.double_s) == (None, 0, 0)
    assert "never detected" in repr(outage)


def test_each_flap_that_nobody_noticed_is_its_own_outage() -> None:
    assert [o.fault_s for o in outages(flapping())] == [60.0, 95.0, 130.0, 165.0]


def test_a_second_fault_before_the_first_is_forgotten_is_the_same_outage() -> None:
    outage = only(twice())
    assert (outage.fault_s, outage.healed_s) == (60.0, 730.0)


def test_a_member_without_replicas_has_no_outage() -> None:
    lab = five_members()
    lab.fault("member4").power_off()
    assert outages(lab.run("5m")) == []


def test_each_workload_has_its_own_row() -> None:
    lab = five_members(settings=QUICK)
    web = (ENVIRONMENTS / "nginx.yaml").read_text().replace("name: nginx", "name: web")
    web = web.replace("member1, member2, member3, member5", "member1, member4").replace("minGroups: 2", "minGroups: 1")
    lab.apply(web)
    lab.run("10s").fault("member1").power_off()
    nginx, alone = outages(lab.run("9m"))
    assert (nginx.binding, alone.binding) == ("nginx-deployment", "web-deployment")
    assert nginx.lost == pytest.approx(2 * (nginx.total_s or 0))
    assert (alone.evicted_s, alone.total_s) == (pytest.approx(nginx.evicted_s), None)  # member4 has its copy already
    assert alone.lost == pytest.approx(2 * 540.0)


# --- spans


def test_conditions_have_no_gaps_and_faults_begin_before_them() -> None:
    recording = record(power_off())
    for cluster in recording.clusters:
        bands = [band for band in condition_bands(recording) if band.cluster == cluster]
        assert bands[0].begin_s == 0
        assert bands[-1].end_s == recording.end_s
        assert all(a.end_s == b.begin_s for a, b in pairwise(bands))
    states = [band.what for band in condition_bands(recording) if band.cluster == "member1"]
    assert states == ["Ready", "NotReady", "Ready"]
    [fault] = fault_bands(recording)
    assert (fault.begin_s, fault.end_s, fault.ended) == (60.0, 1260.0, True)


def test_a_silent_pull_member_is_unknown_not_notready() -> None:
    states = [band.what for band in condition_bands(record(cut_off())) if band.cluster == "member3"]
    assert states == ["Ready", "Unknown", "Ready"]


def test_taints_and_tasks_are_spans_and_those_that_last_end_with_the_run() -> None:
    recording = record(never_healthy())
    taints = {band.what.rpartition(":")[2]: band for band in taint_bands(recording)}
    assert set(taints) == {"NoSchedule", "NoExecute"}
    assert all((band.end_s, band.ended) == (recording.end_s, False) for band in taints.values())
    assert task_bands(recording)[0].cluster == "member1"
    assert Band("a", "b", 1.0, 3.5, True).length_s == 2.5


# --- who serves


def test_serving_counts_ready_pods_on_machines_that_run() -> None:
    lab = power_off()
    found = serving(lab)
    assert found.clusters() == ["member1", "member2", "member3"]
    for t, expected in ((59, 4), (61, 2), (650, 2), (710, 4), (1259, 4), (1270, 6), (lab.t, 4)):
        assert found.total.at(t) == expected, t


def test_serving_agrees_with_the_members_themselves() -> None:
    lab = five_members()
    lab.fault("member1").power_off(at="2m", for_="15m")
    for _ in range(40):
        lab.run("31s")
        now = {name: member.workloads.serving() for name, member in lab.world.members.items()}
        assert {name: steps.at(lab.t) for name, steps in serving(lab).by_cluster.items()} == now, lab.t


def test_serving_can_be_narrowed_to_a_workload() -> None:
    assert serving(power_off(), "nginx").total == serving(power_off()).total
    assert serving(power_off(), "web").clusters() == []


# --- where runs come from


def test_the_printed_records_of_a_run_give_the_same_outages() -> None:
    lab = power_off()
    printed = json.loads(json.dumps(lab.timeline.records()))
    ours, theirs = only(lab), outages(printed)[0]
    assert theirs.phases == ours.phases
    assert theirs.total_s == ours.total_s
    assert outages(lab.timeline)[0].phases == ours.phases


def test_lanes_are_in_natural_order() -> None:
    lab = Lab.fake(members=11)
    assert record(lab).clusters == tuple(f"member{n}" for n in range(1, 12))


def test_a_recording_says_its_profile_and_modes() -> None:
    recording = record(cut_off())
    assert recording.banner == Settings().banner()
    assert recording.modes["member3"] == "Pull"
    assert record(recording) is recording


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (7, "analysis: give a lab, a timeline or its records, not int"),
        ("run.json", "analysis: give a lab, a timeline or its records, not str"),
        ([{"t": 1}], r"records\[0\]: an event has t, kind, name and what \(KeyError: 'kind'\)"),
        ([{"t": "soon", "kind": "a", "name": "b", "what": "c"}], r"records\[0\]: .*could not convert string to float"),
        ([5], r"records\[0\]: an event has t, kind, name and what \(TypeError"),
    ],
)
def test_what_is_no_run_is_refused(source: Any, message: str) -> None:
    with pytest.raises(BadRequest, match=message):
        record(source)


# --- tables


def test_tables_have_their_columns_even_when_they_are_empty() -> None:
    lab = Lab.fake(members=1)
    assert list(phase_table(lab).columns) == ["cluster", "binding", "phase", "begin_s", "end_s", "seconds"]
    assert len(summary_table(lab)) == len(outage_table(lab)) == 0
    assert list(serving_table(lab).columns) == ["t", "total"]
    assert list(event_table(lab).columns) == ["t", "kind", "namespace", "name", "what"]


def test_tables_hold_what_the_outages_hold() -> None:
    lab = power_off()
    outage = only(lab)
    phases = phase_table(lab)
    assert list(phases["phase"]) == [*PHASES, "recover"]
    assert list(phases["seconds"]) == [record["seconds"] for record in phase_records(lab)]
    summary = summary_table(lab).iloc[0]
    assert (summary["total_s"], summary["lost"]) == (outage.total_s, outage.lost)
    assert set(band_table(lab)["about"]) == {"fault", "condition", "taint", "eviction"}
    table = serving_table(lab)
    assert (table["total"] == table[["member1", "member2", "member3"]].sum(axis=1)).all()


def test_pandas_is_loaded_only_for_tables() -> None:
    code = "import sys, karmadalab.analysis, karmadalab.show; print({'pandas', 'plotly', 'IPython'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
