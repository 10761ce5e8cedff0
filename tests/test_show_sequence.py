"""The sequence of a failover: its messages are causes in the trace, and its waits are those of the outage."""

from __future__ import annotations

import pytest

from karmadalab import Lab, show
from karmadalab.analysis import messages, outages
from karmadalab.analysis.messages import FAULT_ITSELF
from karmadalab.api.errors import BadRequest
from tests.worlds import ENVIRONMENTS, cut_off, five_members, power_off

# --- who told whom


def test_a_power_failure_passes_from_hand_to_hand() -> None:
    assert [(m.teller, m.told) for m in messages(power_off())] == [
        (FAULT_ITSELF, "cluster-status-controller"),
        ("cluster-status-controller", "cluster-controller"),
        ("cluster-controller", "binding-eviction"),
        ("binding-eviction", "default-scheduler"),
        ("default-scheduler", "binding-controller"),
        ("binding-controller", "execution-controller"),
        ("execution-controller", "member3"),
        ("member3", "work-status-controller"),
        ("work-status-controller", "binding-status-controller"),
        ("binding-status-controller", "graceful-eviction-controller"),
        ("graceful-eviction-controller", "binding-controller"),
        ("binding-controller", "execution-controller"),
        ("execution-controller", ""),
    ]


def test_a_silent_pull_member_is_noticed_by_the_monitor_itself() -> None:
    first, second, third, *_ = messages(cut_off())
    assert (first.teller, first.told) == (FAULT_ITSELF, "cluster-controller")
    assert (second.teller, second.told) == ("cluster-controller", "cluster-controller")
    assert second.event.what == "condition Ready True -> Unknown"
    assert third.event.what.endswith(":NoExecute")


def test_the_waits_are_the_phases_of_the_outage() -> None:
    [outage] = outages(power_off())
    told = messages(power_off())
    assert told[0].wait_s == outage.phases["detect"]
    assert told[1].wait_s == pytest.approx(outage.phases["wait"])
    assert told[2].wait_s == pytest.approx(outage.phases["evict"])
    assert sum(m.wait_s for m in told[:7]) == pytest.approx(outage.total_s)


@pytest.mark.parametrize("lab", [power_off, cut_off])
def test_a_message_is_an_object_written_by_its_teller(lab: object) -> None:
    run = lab()  # type: ignore[operator]  # a parameter of several functions
    for message in messages(run):
        row = run.trace.rows[message.event.row]
        assert message.teller in (row.actor, row.world, FAULT_ITSELF)
        assert (message.teller == FAULT_ITSELF) == (row.verb == "fault")


def test_one_of_several_outages_can_be_chosen() -> None:
    lab = Lab.fake(members=3, seed=1)
    lab.apply(ENVIRONMENTS / "nginx.yaml")
    lab.run("1m").fault("member1").power_off(for_="15m")
    lab.run("30m").fault("member2").power_off()
    lab.run("15m")
    second = outages(lab)[-1]
    told = messages(lab, second)
    assert second.fault_s == told[0].t > 1800
    assert {m.event.name for m in told if m.event.kind == "Cluster"} == {second.cluster}


def test_a_failover_that_gets_stuck_is_told_as_far_as_it_got() -> None:
    lab = five_members()
    lab.fault("karmada-scheduler").stop()
    lab.fault("member1").power_off()
    told = messages(lab.run("15m"))
    assert (told[-1].teller, told[-1].told) == ("binding-eviction", "")
    assert "default-scheduler" not in {m.told for m in told}


def test_a_run_without_an_outage_has_nothing_to_tell() -> None:
    with pytest.raises(BadRequest, match=r"no member that has replicas fails.*power_off\(\)"):
        messages(Lab.fake(members=2).run("1m"))


# --- the picture


def test_each_message_has_an_arrow_with_its_words_and_its_time() -> None:
    figure = show.sequence(power_off())
    notes = [note["text"] for note in figure.parts.layout["annotations"]]
    heads = next(trace for trace in figure.parts.data if trace["name"] == "heads")
    assert len(heads["x"]) == len([m for m in messages(power_off()) if m.told])
    for words in (
        "member1: power off",
        "Cluster member1: Ready True → False",
        "Cluster member1: + NoExecute",
        "ResourceBinding nginx leaves member1",
        "ResourceBinding nginx → member3 (2)",
        "Work for member3: created",
        "Deployment in member3: ready 2 of 2",
        "ResourceBinding graceful eviction done",
        "Work for member1: deleted",
        "<b>11m40s</b>",
        "<i>38.5s</i>",
    ):
        assert words in notes


def test_text_table_and_alternative_tell_the_same() -> None:
    figure = show.sequence(power_off())
    assert "cluster-status-controller 38.5s, cluster-controller 5m2s, binding-eviction 4m59s" in figure.text
    assert list(figure.table.columns) == ["t", "teller", "told", "what", "wait_s"]
    assert len(figure.table) == len(messages(power_off()))
    assert "At 11m40s binding-eviction tells default-scheduler: ResourceBinding nginx leaves member1." in figure.alt


def test_time_runs_down_the_page_and_no_arrow_points_up() -> None:
    heads = next(trace for trace in show.sequence(cut_off()).parts.data if trace["name"] == "heads")
    assert heads["y"] == sorted(heads["y"], reverse=True)
    assert {round(angle) for angle in heads["marker"]["angle"]} <= {90, -90}
