"""The player and the control room, without a browser: set a value or press a button, and the figure changes."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

from karmadalab import Lab, show
from karmadalab.api.errors import BadRequest
from karmadalab.show.film import Film
from karmadalab.widgets import ControlRoom, Player
from tests.worlds import five_members

pytest.importorskip("ipywidgets")


@pytest.fixture(scope="module")
def finished() -> Lab:
    lab = five_members()
    lab.fault("member1").power_off(for_="20m")
    return lab.run("29m")


@pytest.fixture
def player(finished: Lab) -> Player:
    return Player(finished)


@pytest.fixture
def room() -> ControlRoom:
    return ControlRoom(five_members())


def texts(widget: Any) -> dict[str, tuple[str, ...]]:
    """The words in a figure widget, by trace."""
    return {trace.name: tuple(trace.text or ()) for trace in widget.screen.figure.data}


def title(widget: Any) -> str:
    return str(widget.screen.figure.layout.title.text)


# --- the player


def test_a_figure_is_there_before_anyone_touches_anything(finished: Lab) -> None:
    player = Player(finished, start="7m")
    assert title(player).startswith("<b>The fleet at 7m</b>")
    assert texts(player)["NotReady"] == ("<b>NotReady</b> for 5m22s",)
    assert player.figure.text == show.moment(finished, "7m").text
    assert "replicas are assigned" in player.screen.text.value


@pytest.mark.parametrize("second", [0, 60, 85, 99, 401, 701, 1263, 1800])
def test_each_second_shows_what_a_fresh_picture_of_it_shows(player: Player, second: int) -> None:
    player.slider.value = second
    fresh = show.moment_parts(player.film, float(second))
    assert texts(player) == {trace["name"]: tuple(trace.get("text", ())) for trace in fresh.data}
    assert title(player) == fresh.layout["title"]["text"]


def test_the_browsers_counter_moves_the_picture_too(player: Player) -> None:
    player.play.value = 420
    assert title(player).startswith("<b>The fleet at 7m</b>")
    assert player.t == 420


def test_steps_go_from_change_to_change_and_stop_the_play(player: Player) -> None:
    player.slider.value = 60
    player.play.playing = True
    player.on.click()
    assert (player.t, player.play.playing) == (99, False)
    assert "member1: Ready True → False" in player.screen.text.value
    player.on.click()
    assert player.t == 401
    player.back.click()
    player.back.click()
    assert player.t == 60


def test_rewind_goes_back_to_the_start_and_no_step_leaves_the_run(player: Player) -> None:
    player.slider.value = player.slider.max
    player.on.click()
    assert player.t == 1800
    player.rewind.click()
    player.back.click()
    assert player.t == 0
    assert title(player).startswith("<b>The fleet at 0s</b>")


def test_buttons_move_the_browsers_counter_too(player: Player) -> None:
    """Slider and counter are tied to each other in the browser only."""
    player.play.value = 100
    player.rewind.click()
    assert (player.t, player.play.value, player.slider.value) == (0, 0, 0)
    player.play.value = 100
    player.on.click()
    assert (player.t, player.play.value, player.slider.value) == (401, 401, 401)


def test_speed_is_seconds_of_the_run_a_second(player: Player) -> None:
    for _, speed in player.speed.options:
        player.speed.value = speed
        assert player.play.step * 1000 / player.play.interval == speed


def test_a_run_that_ends_between_two_seconds_is_played_to_its_end() -> None:
    player = Player(Lab.fake(members=1).run(10.5))
    player.slider.value = player.slider.max
    assert (player.slider.value, player.t) == (11, 10.5)


def test_records_of_a_run_can_be_played(finished: Lab) -> None:
    player = Player(finished.timeline.records())
    player.slider.value = 420
    assert texts(player)["truth"][0] == "<b>power off</b>"


def test_playing_changes_nothing_in_the_lab(finished: Lab, player: Player) -> None:
    before = len(finished.trace)
    player.slider.value = 900
    assert len(finished.trace) == before


def test_a_start_outside_the_run_is_refused(finished: Lab) -> None:
    with pytest.raises(BadRequest, match="Player: start 31m lies outside the run, which ends at 30m"):
        Player(finished, start="31m")


# --- the control room


def test_a_press_breaks_a_cluster_and_another_heals_it(room: ControlRoom) -> None:
    assert room.buttons["member1"].description == "break member1"
    room.buttons["member1"].click()
    assert room.buttons["member1"].description == "heal member1"
    assert texts(room)["truth"][0] == "<b>power off</b>"
    assert texts(room)["replicas"][0] == "<b>□□  0 of 2</b>"
    assert room.lab.t == 60, "no time passes by itself"
    room.buttons["member1"].click()
    assert not room.lab.world.faults
    assert texts(room)["truth"][0] == "works"


def test_counting_lets_time_pass_at_the_chosen_speed(room: ControlRoom) -> None:
    room.buttons["member1"].click()
    room.speed.value = 60
    room.play.value = 5  # a second of the watcher's
    assert room.lab.t == 120
    assert texts(room)["NotReady"][0].startswith("<b>NotReady</b>")
    room.play.value = 0  # the stop button
    assert room.lab.t == 120
    room.step.click()
    assert room.lab.t == 130
    assert title(room).startswith("<b>The fleet at 2m10s</b>")


def test_to_the_next_change_walks_through_a_failover(room: ControlRoom) -> None:
    room.buttons["member1"].click()
    seen = []
    for _ in range(6):
        room.on.click()
        seen.append(Film(room.lab).last_words(room.lab.t)[0][1])
    assert seen == [
        "member1: Ready True → False",
        "member1: + NoExecute",
        "nginx leaves member1",
        "nginx → member3 (2)",
        "graceful eviction done",
        "graceful eviction done",
    ]
    assert "Nothing happens in 15m." in room.message.value


@pytest.mark.parametrize(
    ("fault", "words"), [("refuse", "API server down"), ("silence", "silence"), ("cut_off", "cut off")]
)
def test_the_kind_of_fault_can_be_chosen(room: ControlRoom, fault: str, words: str) -> None:
    room.fault.value = fault
    room.buttons["member2"].click()
    [acting] = room.lab.world.faults
    assert (acting.name, acting.target) == (fault, "member2")
    assert words in texts(room)["truth"][1]


def test_the_lab_can_be_questioned_afterwards(room: ControlRoom) -> None:
    room.buttons["member1"].click()
    for _ in range(5):
        room.on.click()
    room.lab.check()
    assert "gave up member1" in repr(room.lab.explain("deployment/nginx"))
    assert "member1" not in room.lab.placement["default/nginx-deployment"]


def test_a_large_fleet_gets_a_button_for_twelve() -> None:
    room = ControlRoom(Lab.fake(members=20))
    assert list(room.buttons) == [f"member{n}" for n in range(1, 13)]
    assert len(texts(room)["truth"]) == 12


def test_a_lab_in_which_time_passes_by_itself_is_refused() -> None:
    with Lab.live(members=1) as lab, pytest.raises(BadRequest, match="in a live lab time passes by itself"):
        ControlRoom(lab)
    with pytest.raises(BadRequest, match="ControlRoom: give the lab itself, not int"):
        ControlRoom(5)  # type: ignore[arg-type] # that is the slip


# --- both


def test_no_thread_is_started(finished: Lab) -> None:
    before = threading.active_count()
    player, room = Player(finished), ControlRoom(five_members())
    player.play.value = 60
    room.play.value = 3
    assert threading.active_count() == before


@pytest.mark.parametrize("make", [Player, ControlRoom])
def test_missing_extras_are_named(make: Any, finished: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(ImportError, match=r"pip install 'karmadalab\[notebooks\]'"):
        make(finished)


def test_a_member_that_joins_gets_a_button_and_one_that_has_left_can_not_be_broken(room: ControlRoom) -> None:
    room.lab.join("member6")
    room.lab.unjoin("member2")
    room.lab.run("2m")
    room.step.click()
    assert room.buttons["member6"] in room.box.children[0].children
    assert room.screen.figure.layout.height > ControlRoom(five_members()).screen.figure.layout.height
    room.buttons["member6"].click()
    assert [fault.target for fault in room.lab.world.faults] == ["member6"]
    left = room.buttons["member2"]
    assert (left.description, left.disabled) == ("member2 has left", True)
    left.click()
    assert [fault.target for fault in room.lab.world.faults] == ["member6"]
    room.lab.join("member2")
    room.step.click()
    assert (left.description, left.disabled) == ("break member2", False)


def test_a_fault_on_a_member_that_has_left_can_still_be_healed(room: ControlRoom) -> None:
    room.lab.unjoin("member2")
    room.buttons["member2"].click()
    room.lab.run("2m")
    room.step.click()
    assert room.buttons["member2"].description == "heal member2"
    room.buttons["member2"].click()
    assert not room.lab.world.faults
