"""The map of the control plane: its counters are those of the trace, and no arrow joins two controllers."""

from __future__ import annotations

from functools import cache

from karmadalab import Lab, show
from karmadalab.analysis import activity
from karmadalab.analysis.activity import IN_MEMBERS, MEMBERS_OWN
from tests.worlds import five_members


@cache
def failed_over() -> Lab:
    lab = five_members()
    lab.fault("member1").power_off()
    return lab.run("15m")


# --- the counts


def test_every_write_is_counted_once() -> None:
    lab = failed_over()
    writes = [
        r for r in lab.trace.rows if r.at >= lab.clock.epoch and r.verb in ("create", "update", "status", "delete")
    ]
    counted = activity(lab)
    assert sum(counted.total(actor) for actor in counted.actors()) == len(writes)


def test_eleven_controllers_take_part_in_a_failover() -> None:
    own = set(activity(failed_over()).actors()) - {"user", MEMBERS_OWN}
    assert len(own) == 11
    assert {"default-scheduler", "binding-eviction", "graceful-eviction-controller", "resource-detector"} < own


def test_a_note_passes_on_what_it_is_due_to() -> None:
    """The scheduler's verdict lies between the binding that woke it and its write; the binding is what counts."""
    assert activity(failed_over(), until="1m").wakes["ResourceBinding", "default-scheduler"] == 2


def test_what_a_clock_led_to_is_no_wake() -> None:
    counted = activity(failed_over(), "1m")
    assert not [
        kind for kind, actor in counted.wakes if actor in ("cluster-lease-controller", "cluster-status-controller")
    ]
    assert counted.unprompted["cluster-lease-controller"] == counted.total("cluster-lease-controller") > 80


def test_a_span_counts_both_its_ends() -> None:
    lab = failed_over()
    early, late = activity(lab, until="1m"), activity(lab, since="1m")
    assert early.writes["user", "Deployment"] == {"create": 1}
    assert ("user", "Deployment") not in late.writes
    assert "user" not in activity(lab, "2m", "3m").actors()


def test_members_keep_to_themselves() -> None:
    counted = activity(failed_over())
    assert {kind for actor, kind in counted.writes if actor == MEMBERS_OWN} == {IN_MEMBERS}
    assert counted.writes["execution-controller", IN_MEMBERS] == {"create": 3}


# --- the figure


def test_each_arrow_joins_a_controller_and_an_object() -> None:
    figure = show.control_plane_map(failed_over())
    counted = activity(failed_over())
    actors, kinds = set(counted.actors()), set(counted.kinds())
    assert not actors & kinds
    assert {record["actor"] for record in figure.records} == actors
    assert len(figure.parts.layout["annotations"]) == len(counted.writes) + len(counted.wakes)


def test_numbers_stand_beside_the_arrows_and_in_the_table() -> None:
    figure = show.control_plane_map(failed_over(), since="1m", title="The failover")
    shown = sorted(int(item["text"].strip("</b>")) for item in figure.parts.layout["annotations"])
    table = sorted(count for record in figure.records for count in (record["woken"], record["wrote"]) if count)
    assert shown == table
    assert figure.parts.layout["title"]["text"].startswith("<b>The failover</b>")


def test_writes_and_wakes_differ_without_colour() -> None:
    data = {trace["name"]: trace for trace in show.control_plane_map(failed_over()).parts.data}
    assert data["writes"]["line"]["dash"] != data["wakes"]["line"]["dash"]


def test_arrows_dock_at_places_of_their_own() -> None:
    data = {trace["name"]: trace for trace in show.control_plane_map(failed_over()).parts.data}
    ends = [
        (x, y)
        for name in ("writes", "wakes")
        for x, y in zip(data[name]["x"], data[name]["y"], strict=True)
        if x is not None
    ]
    assert len(ends) == len(set(ends))


def test_the_words_say_what_is_drawn() -> None:
    figure = show.control_plane_map(failed_over())
    assert figure.text.startswith("11 controllers made ")
    assert "binding-eviction wrote 1 time to ResourceBinding." in figure.alt
    assert "Cluster woke binding-eviction 1 time." in figure.alt


def test_nothing_happened() -> None:
    figure = show.control_plane_map(Lab.fake(members=1), since="0s")
    assert figure.text == "No controller wrote anything in this span."
    assert not figure.parts.layout["annotations"]


def test_the_same_run_gives_the_same_figure() -> None:
    first, second = show.control_plane_map(failed_over()), show.control_plane_map(failed_over())
    assert first.parts == second.parts
