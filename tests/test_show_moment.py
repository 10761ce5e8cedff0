"""The fleet at a moment, and replicas over time: what is drawn is what the lab was."""

from __future__ import annotations

import pytest

from karmadalab import Lab, show
from karmadalab.analysis import assigned, serving
from karmadalab.api.cluster import Cluster
from karmadalab.api.errors import BadRequest
from karmadalab.show.film import Film
from tests.worlds import ENVIRONMENTS, power_off

MOMENTS = [*range(0, 1801, 60), 99, 401, 1263, 1300]


@pytest.mark.parametrize("t", MOMENTS)
def test_a_moment_of_the_film_is_the_lab_as_it_was(t: float) -> None:
    lab = power_off()
    then = lab.at(t)
    [placement] = then.placement.values() or [{}]
    states = {"True": "Ready", "False": "NotReady", "Unknown": "Unknown"}
    for member in Film(lab).at(t):
        cluster: Cluster = then.get("Cluster", member.name)
        [ready] = [c for c in cluster.status.conditions if c.type == "Ready"]
        assert member.ready == states[ready.status]
        keys = {f"{taint.key.rpartition('/')[2]}:{taint.effect}" for taint in cluster.spec.taints}
        assert set(member.taints) == keys
        assert member.assigned == placement.get(member.name, 0)
        assert member.faults == (("power off",) if member.name == "member1" and 60 <= t < 1260 else ())


def test_the_picture_shows_truth_belief_and_replicas_in_words() -> None:
    figure = show.moment(power_off(), "7m")
    by_name = {trace["name"]: trace for trace in figure.parts.data}
    assert by_name["NotReady"]["text"] == ["<b>NotReady</b> for 5m22s"]
    assert by_name["truth"]["text"][0] == "<b>power off</b>"
    assert by_name["taints"]["text"][0] == "<b>not-ready:NoSchedule<br>not-ready:NoExecute</b>"
    assert by_name["replicas"]["text"][:2] == ["<b>□□  0 of 2</b>", "■■  2 of 2"]
    assert by_name["now"]["text"] == ["last: 6m41s member1: + NoExecute"]
    assert figure.parts.layout["title"]["text"].startswith("<b>The fleet at 7m</b>")


def test_it_says_when_truth_and_belief_differ() -> None:
    lab = power_off()
    assert "Truth and belief differ: member1: power off; it is taken for Ready" in show.moment(lab, "1m25s").text
    assert "Truth and belief agree." in show.moment(lab, "7m").text
    assert "2 more than assigned" in show.moment(lab, "21m30s").text
    assert "member1" in show.moment(lab, "7m").alt


def test_every_moment_has_the_same_traces() -> None:
    film = Film(power_off())
    names = [trace["name"] for trace in show.moment_parts(film, 0.0).data]
    for t in film.marks:
        assert [trace["name"] for trace in show.moment_parts(film, t).data] == names


def test_a_large_fleet_in_which_nothing_happens_shows_its_first_twelve() -> None:
    assert len(show.moment(Lab.fake(members=20).run("1m"), "1m").records) == 12


def test_a_moment_outside_the_run_is_refused() -> None:
    with pytest.raises(BadRequest, match=r"moment: 31m lies outside the run, which goes from 0s to 30m0s"):
        show.moment(power_off(), "31m")


# --- replicas over time


def test_the_bindings_word_is_followed_step_by_step() -> None:
    word = assigned(power_off())
    assert (word["member1"].at(600), word["member1"].at(701)) == (2, 0)
    assert (word["member3"].at(600), word["member3"].at(701)) == (0, 2)
    assert word["member4"].times == ()
    assert assigned(power_off(), "other")["member1"].times == ()


def test_areas_serve_and_the_dashed_line_is_assigned() -> None:
    figure = show.replicas(power_off())
    by_name = {trace["name"]: trace for trace in figure.parts.data}
    assert by_name["serving, all clusters"]["y"] == [4, 2, 4, 6, 4]
    assert by_name["serving, member3"]["y"] == [2]
    assert by_name["assigned"]["line"]["dash"] == "dash"
    shapes = [t["marker"]["pattern"]["shape"] for n, t in by_name.items() if n.startswith("serving, member")]
    assert len(set(shapes)) == len(shapes)


def test_what_is_missing_and_what_is_too_much_is_told() -> None:
    text = show.replicas(power_off()).text
    assert "member1 is assigned replicas that do not serve for 10m43s." in text
    assert "member1 serves replicas that nobody assigns it any more for 1m35s." in text
    assert "At the most 6 replicas serve at once; at the end 4 (member2 2, member3 2)." in text
    calm = Lab.fake(members=2)
    calm.apply(ENVIRONMENTS / "nginx.yaml")
    assert "What serves is what is assigned" in show.replicas(calm.run("1m")).text


def test_the_table_has_a_row_a_change_and_the_lanes_add_up() -> None:
    figure = show.replicas(power_off())
    assert {"member1", "member2", "member3", "all clusters"} == set(figure.table["cluster"])
    total = serving(power_off()).total
    for row in figure.records:
        if row["cluster"] == "all clusters":
            assert row["serving"] == total.at(row["t"])


def test_an_empty_run_is_drawn_too() -> None:
    figure = show.replicas(Lab.fake(members=1))
    assert figure.figure.layout.xaxis.range == (0, 1)
    assert "at the end 0 (none)" in figure.text
