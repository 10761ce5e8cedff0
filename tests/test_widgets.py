"""Sliders: a move runs the story again and redraws both figures in place, quickly."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from karmadalab import Lab, Settings, show
from karmadalab.api.errors import BadRequest
from karmadalab.environments.files import parse_yaml, read_text
from karmadalab.environments.fleet import read_fleet
from karmadalab.show import Parts
from karmadalab.widgets import KNOBS, TimeoutTuner, redraw
from karmadalab.widgets.inplace import differences, narrowed

pytest.importorskip("ipywidgets")

ENVIRONMENTS = Path(__file__).resolve().parent.parent / "environments"
FLEET = read_fleet(ENVIRONMENTS / "five-members.yaml")
NGINX = parse_yaml(read_text(ENVIRONMENTS / "nginx.yaml"))
REDRAW_S = 0.150  # a slider that is slower than this does not feel like one


def push_dies(settings: Settings) -> Lab:
    lab = Lab.fake(FLEET, seed=1, settings=settings)
    lab.apply(NGINX)
    lab.run("1m").fault("member1").power_off(for_="20m")
    return lab.run("29m")


def pull_is_cut_off(settings: Settings) -> Lab:
    lab = Lab.fake(FLEET, seed=1, settings=settings)
    lab.taint("member2", "maintenance=true:NoSchedule")
    lab.apply(NGINX)
    lab.run("1m").fault("member3").cut_off(for_="14m")
    return lab.run("29m")


@pytest.fixture(scope="module")
def shared() -> TimeoutTuner:
    return TimeoutTuner({"push": push_dies, "pull": pull_is_cut_off})


@pytest.fixture
def tuner(shared: TimeoutTuner) -> Iterator[TimeoutTuner]:
    yield shared
    shared.stories.value = "push"
    shared._reset.click()


def figures(tuner: TimeoutTuner) -> list[Any]:
    return [child for child in tuner.box.children if type(child).__name__ == "FigureWidget"]


def plain(figure: Any) -> Any:
    return figure.to_plotly_json()


def fresh(parts: Parts) -> Any:
    from plotly import graph_objects

    return graph_objects.Figure({"data": parts.data, "layout": narrowed(parts.layout)}).to_plotly_json()


def without_nothing(value: Any) -> Any:
    """A figure without empty containers and Nones, which mean the same as nothing."""
    if isinstance(value, dict):
        items = {key: without_nothing(item) for key, item in value.items() if key != "uid"}
        return {key: item for key, item in items.items() if item not in (None, {}, ())}
    if isinstance(value, (list, tuple)):
        return [without_nothing(item) for item in value]
    return value


def test_there_are_six_sliders_each_for_flags_that_exist() -> None:
    assert len(KNOBS) == 6
    for knob in KNOBS:
        for value in (knob.low, knob.high):
            Settings().with_flags(dict.fromkeys(knob.flags, f"{value}s" if "seconds" not in knob.flags[0] else value))
        assert (knob.high - knob.low) % knob.step == 0
        assert len(knob.why) > 20


def test_sliders_begin_at_the_settings(tuner: TimeoutTuner) -> None:
    assert {label: slider.value for label, slider in tuner.sliders.items()} == {
        "cluster-failure-threshold": 30,
        "cluster-monitor-grace-period": 40,
        "failover-eviction-timeout": 300,
        "tolerationSeconds": 300,
        "cluster-success-threshold": 30,
        "graceful-eviction-timeout": 600,
    }
    assert tuner.settings == Settings()
    assert len(figures(tuner)) == 2


def test_a_move_redraws_both_figures_in_place(tuner: TimeoutTuner) -> None:
    before = figures(tuner)
    text = tuner._text.value
    tuner.sliders["failover-eviction-timeout"].value = 30
    assert [id(figure) for figure in figures(tuner)] == [id(figure) for figure in before]
    split, timeline = figures(tuner)
    assert "failover-eviction-timeout=30s" in timeline.layout.title.text
    assert "wait 5m" in split.data[-1].text[0]
    assert "wait 3" in split.data[-1].text[1]
    assert tuner._text.value != text
    assert tuner.lab.settings.failover_eviction_timeout == 30


@pytest.mark.parametrize("knob", KNOBS, ids=lambda knob: knob.label)
@pytest.mark.parametrize("story", ["push", "pull"])
def test_every_end_of_every_slider_gives_the_figure_that_a_fresh_drawing_gives(
    tuner: TimeoutTuner, knob: Any, story: str
) -> None:
    tuner.stories.value = story
    for value in (knob.low, knob.high):
        tuner.sliders[knob.label].value = value
        timeline = figures(tuner)[1]
        wanted = fresh(show.timeline_parts(tuner.lab, until="30m", least_lines=14))
        assert without_nothing(plain(timeline)) == without_nothing(wanted), value


def test_the_tolerance_is_written_for_both_taints(tuner: TimeoutTuner) -> None:
    tuner.sliders["tolerationSeconds"].value = 10
    policy = tuner.lab.get("PropagationPolicy", "nginx")
    assert [t.tolerationSeconds for t in policy.spec.placement.clusterTolerations] == [10, 10]


def test_each_story_is_compared_with_its_own_start(tuner: TimeoutTuner) -> None:
    tuner.sliders["cluster-failure-threshold"].value = 60
    tuner.stories.value = "pull"
    at_start, now = figures(tuner)[0].data[-1].text
    assert at_start == now  # a pull member has no failure threshold
    assert "Unknown" in str(figures(tuner)[1].data[2].text)


def test_back_to_the_start_goes_back(tuner: TimeoutTuner) -> None:
    before = plain(figures(tuner)[0])
    tuner.sliders["tolerationSeconds"].value = 0
    tuner._reset.click()
    assert tuner.settings == Settings()
    assert without_nothing(plain(figures(tuner)[0])) == without_nothing(before)


def test_a_story_that_is_refused_says_why_and_keeps_the_figures(tuner: TimeoutTuner) -> None:
    def refused(settings: Settings) -> Lab:
        raise BadRequest("no such member")

    tuner._stories["refused"] = refused
    before = plain(figures(tuner)[0])
    tuner.stories.options = ["push", "pull", "refused"]
    tuner.stories.value = "refused"
    assert "This does not run:</b> no such member" in tuner._text.value
    assert plain(figures(tuner)[0]) == before
    tuner.stories.value = "push"
    tuner.stories.options = ["push", "pull"]


def test_a_tuner_needs_a_story() -> None:
    with pytest.raises(BadRequest, match="TimeoutTuner: give at least one story"):
        TimeoutTuner({})


def test_no_thread_is_started(tuner: TimeoutTuner) -> None:
    before = threading.active_count()
    tuner.sliders["cluster-success-threshold"].value = 60
    assert threading.active_count() == before


def test_another_fleet_is_drawn_anew() -> None:
    from plotly import graph_objects

    small, large = (show.timeline_parts(Lab.fake(members=n).run("1m")) for n in (2, 4))
    widget = graph_objects.FigureWidget({"data": small.data, "layout": small.layout})
    redraw(widget, small, large)
    assert without_nothing(plain(widget)) == without_nothing(fresh(large))


def test_what_does_not_differ_is_not_sent() -> None:
    parts = show.timeline_parts(Lab.fake(members=2).run("1m"))
    assert list(differences(parts.layout, dict(parts.layout))) == []


def test_a_slow_drag_feels_instant(tuner: TimeoutTuner) -> None:
    slider = tuner.sliders["cluster-failure-threshold"]
    taken = []
    for value in range(35, 95, 5):
        begun = time.process_time()  # the processor's time: the machine may have other things to do
        slider.value = value
        taken.append(time.process_time() - begun)
    assert sorted(taken)[len(taken) // 2] < REDRAW_S, taken


def test_missing_extras_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(ImportError, match=r"sliders need ipywidgets: pip install 'karmadalab\[notebooks\]'"):
        TimeoutTuner({"push": push_dies})
