"""Figures: complete in themselves, readable without colour, the same each time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from karmadalab import Lab, show
from karmadalab.api.errors import BadRequest
from karmadalab.controllers.graceful_eviction import assess_eviction_tasks
from karmadalab.show import style
from karmadalab.show.axis import short, ticks
from karmadalab.show.words import Label, placed
from tests.worlds import five_members, lab_with_web, power_off


def traces(parts: show.Parts) -> dict[str, dict[str, Any]]:
    return {trace["name"]: trace for trace in parts.data}


# --- a figure is never alone


@pytest.mark.parametrize("make", [show.timeline, show.outage_split], ids=["timeline", "outage split"])
def test_a_figure_comes_with_text_table_and_alternative(make: Any) -> None:
    figure = make(power_off())
    assert figure.figure.data
    assert "5m" in figure.text
    assert len(figure.alt) > 80
    assert list(figure.table.columns) == list(figure.columns)
    assert len(figure.table)
    assert figure.text in repr(figure)


def test_the_profile_stands_in_every_title() -> None:
    lab = Lab.fake(members=2, settings={"cluster-failure-threshold": "60s"})
    for figure in (show.timeline(lab.run("1m")), show.outage_split(lab)):
        assert "Karmada v1.13, Failover on cluster-failure-threshold=1m0s" in figure.figure.layout.title.text


def test_runs_with_different_flags_share_only_their_profile() -> None:
    other = Lab.fake(members=2, settings={"cluster-failure-threshold": "60s"})
    title = show.split_parts({"a": power_off(), "b": other}).layout["title"]["text"]
    assert "Karmada v1.13<" in title


def test_a_notebook_shows_figure_paragraph_and_table(monkeypatch: pytest.MonkeyPatch) -> None:
    from IPython import display

    shown: list[dict[str, str]] = []
    monkeypatch.setattr(display, "display", lambda bundle, raw: shown.append(bundle))
    figure = show.timeline(power_off())
    figure._ipython_display_()
    assert shown[0]["text/plain"] == figure.alt
    assert "<table>" in shown[1]["text/html"]
    assert shown[1]["text/plain"] == figure.text


def test_a_figure_fits_the_screen_and_a_picture_of_it_has_its_own_width() -> None:
    figure = show.timeline(power_off())
    assert figure.fitting.layout.width is None, "or a narrow window would cut the legend off"
    assert figure.figure.layout.width == style.WIDTH_PX


# --- without colour


def test_states_and_phases_differ_in_hatching_and_carry_their_name() -> None:
    for looks in (style.STATES, style.PHASE_LOOKS):
        assert len({shape for _, shape in looks.values()}) == len(looks)
    by_name = traces(show.timeline_parts(power_off()))
    assert by_name["NotReady"]["text"] == ["<b>NotReady</b>"]
    assert by_name["NotReady"]["marker"]["pattern"]["shape"] != by_name["Ready"]["marker"]["pattern"]["shape"]
    lines = [by_name[f"taint {effect}"]["line"] for effect in ("NoSchedule", "NoExecute")]
    assert lines[0]["dash"] != lines[1]["dash"]
    assert lines[0]["width"] != lines[1]["width"]


def test_neighbouring_clusters_differ_in_hatching() -> None:
    shapes = [style.cluster_look(place)[1] for place in range(9)]
    assert len(set(shapes[:8])) == 8
    assert shapes[8] == shapes[0]


def luminance(colour: str) -> float:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return 0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2


def test_ink_is_readable_on_every_tint() -> None:
    tints = [tint for tint, _ in (*style.STATES.values(), *style.SERIES, *style.PHASE_LOOKS.values(), style.OTHERS)]
    for tint in tints:
        contrast = (luminance(tint) + 0.05) / (luminance(style.INK) + 0.05)
        assert contrast >= 7, tint  # WCAG AAA


# --- what is drawn


def test_a_lane_shows_truth_belief_and_taints() -> None:
    by_name = traces(show.timeline_parts(power_off()))
    assert by_name["fault"]["x"][:2] == [60.0, 1260.0]
    [begin] = by_name["NotReady"]["base"]
    assert 90 <= begin <= 100
    assert by_name["taint NoSchedule"]["x"][0] == begin
    assert by_name["taint NoExecute"]["x"][0] > begin + 300
    assert by_name["serving before the fault"]["y"] == [4, 4]


def test_the_words_of_the_moments_are_those_of_the_events() -> None:
    words = " | ".join(traces(show.timeline_parts(power_off()))["moments"]["text"])
    for expected in (
        "nginx → member1 (2), member2 (2)",
        "member1: power off",
        "member1: Ready True → False",
        "member1: + NoExecute",
        "nginx leaves member1",
        "nginx → member3 (2)",
        "member3 serves",
        "graceful eviction done",
        "member1: power off ends",
        "member1: Ready False → True",
        "member1: pods gone",
    ):
        assert expected in words


def test_the_blocks_below_stack_up_to_what_serves() -> None:
    parts = show.timeline_parts(power_off())
    blocks = [
        (x - w / 2, x + w / 2, base, base + y)
        for trace in parts.data
        if trace.get("yaxis") == "y2" and trace["type"] == "bar"
        for x, w, base, y in zip(trace["x"], trace["width"], trace["base"], trace["y"], strict=True)
    ]
    for t, total in ((30, 4), (500, 2), (1000, 4), (1265, 6), (1790, 4)):
        piled = sorted((low, high) for begin, end, low, high in blocks if begin <= t < end)
        assert [low for low, _ in piled] == [0, *(high for _, high in piled[:-1])], t
        assert piled[-1][1] == total


def test_the_axis_ends_where_it_is_told_to_and_nothing_reaches_beyond() -> None:
    parts = show.timeline_parts(power_off(), until="5m")
    assert parts.layout["xaxis"]["range"] == [0, 300.0]
    for trace in parts.data:
        if trace["type"] == "bar" and trace.get("orientation") == "h":
            assert all(base + x <= 300.0 for base, x in zip(trace["base"], trace["x"], strict=True) if x > 0)


@pytest.mark.parametrize("until", [0, "0s", "-5m", -1.0])
@pytest.mark.parametrize("draw", [show.timeline, show.timeline_parts, show.replicas])
def test_an_axis_has_a_length(draw: Callable[..., object], until: str | float) -> None:
    with pytest.raises(BadRequest, match=r"until: .* is no length of an axis, which begins at 0s"):
        draw(power_off(), until=until)


@pytest.mark.parametrize(
    "draw",
    [show.sequence, show.control_plane_map, lambda run: show.lease_clock(run, "member1")],
    ids=["sequence", "map", "lease clock"],
)
def test_what_follows_causes_needs_the_lab_itself(draw: Callable[..., object]) -> None:
    with pytest.raises(BadRequest, match="give the lab itself, not Timeline"):
        draw(power_off().timeline)


def test_a_figure_that_is_cut_tells_what_it_shows() -> None:
    whole, cut = show.timeline(power_off()), show.timeline(power_off(), until="5m")
    assert (whole.alt[:15], cut.alt[:14]) == ("Timeline of 30m", "Timeline of 5m")
    assert cut.text.startswith("The first 5m of 30m. ")
    assert "the replacement serves" in whole.text
    assert "Nothing is evicted." in cut.text
    assert {row["phase"] for row in cut.records} == {"detect"} < {row["phase"] for row in whole.records}
    assert not whole.text.startswith("The first")
    beyond = show.timeline(power_off(), until="1h")
    assert (beyond.text, beyond.alt) == (whole.text, whole.alt)


def test_a_large_fleet_gets_lanes_for_those_to_whom_something_happened() -> None:
    lab = Lab.fake(members=40, seed=1)
    lab.fault("member17").refuse()
    figure = show.timeline(lab.run("2m"))
    assert figure.parts.layout["yaxis"]["ticktext"] == ["member17 <i>push</i>"]
    assert "39 more clusters" in figure.alt


@pytest.mark.parametrize("members", [1, 3], ids=["one member", "three members"])
def test_a_run_in_which_nothing_happens_is_drawn_too(members: int) -> None:
    lab = Lab.fake(members=members)
    figure = show.timeline(lab)
    assert figure.figure.layout.xaxis.range == (0, 1)
    assert "no member fails" in show.timeline(lab.run("1m")).text
    assert "no outage" in str(show.outage_split(lab).parts.data)


def test_no_line_crosses_a_word() -> None:
    made = [Label(float(t), n, (f"{n} word", "x" * 30)) for n, t in enumerate((0, 10, 12, 40, 300, 310, 900), 1)]
    done = placed(made, px_per_s=0.7)
    for place, label in enumerate(done):
        for later in done[place + 1 :]:
            if later.t * 0.7 < label.t * 0.7 + label.width_px:
                assert label.row >= later.row + len(later.lines), (label, later)


# --- the split


def test_the_split_says_what_is_too_short_to_be_seen() -> None:
    parts = show.split_parts({"mine": power_off()})
    by_name = traces(parts)
    assert re.search(
        r"detect 3\d\.\ds · wait 5m.* · evict .* · reschedule \d+ms · start 3s", by_name["lengths"]["text"][0]
    )
    assert re.search(r"10m\d+s", by_name["total"]["text"][0])


def test_outages_that_do_not_end_say_so() -> None:
    blip, quiet = five_members(), five_members()
    blip.fault("member1").refuse(for_="10s")
    text = show.outage_split({"blip": blip.run("3m"), "quiet": quiet}).text
    assert text == "blip: the fault is never noticed. quiet: no member with replicas fails."


# --- the page


def test_the_page_stands_alone_and_is_the_same_each_time(tmp_path: Path) -> None:
    figure = show.timeline(power_off(), title="A <failover>")
    first = figure.to_html(tmp_path / "one.html").read_text()
    assert first == figure.to_html(tmp_path / "two.html").read_text()
    own = first.replace(re.search(r"<script.*?plotly\.js v.*?</script>", first, re.DOTALL).group(), "")  # type: ignore[union-attr]
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", own)
    assert "<title>A &lt;failover&gt;</title>" in own
    assert 'role="img" aria-label="Timeline of 30m' in own
    assert "<details open>" in own
    assert '"width":1000' not in own.replace(" ", "")
    assert first.count("plotly.js v") == 1


def test_several_figures_share_one_page_and_one_library() -> None:
    text = show.page([show.timeline(power_off()), show.outage_split(power_off())], "Two", "<p>after</p>")
    assert [f'id="figure-{n}"' in text for n in (0, 1)] == [True, True]
    assert text.count("plotly.js v") == 1
    assert "<p>after</p>\n</main>" in text


@pytest.mark.slow
def test_figures_do_not_depend_on_the_hash_seed() -> None:
    code = (
        "from karmadalab import Lab, show; lab = Lab.fake(members=3, pull=1, seed=7)\n"
        "lab.fault('member3').stop_agent(at='30s', for_='2m'); lab.taint('member1', 'a=b:NoExecute')\n"
        "parts = show.timeline_parts(lab.run('5m')); print(parts, show.tell(lab))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


# --- words


@pytest.mark.parametrize(
    ("length_s", "text"),
    [
        (0, "0s"),
        (0.02, "20ms"),
        (0.999, "1s"),
        (59.94, "59.9s"),
        (59.97, "1m"),
        (90, "1m30s"),
        (3600, "1h"),
        (-5, "-5s"),
    ],
)
def test_lengths_are_said_as_one_says_them(length_s: float, text: str) -> None:
    assert short(length_s) == text


@pytest.mark.parametrize("end_s", [1, 45, 300, 960, 1800, 86400, 10_000_000])
def test_an_axis_has_at_most_ten_steps(end_s: float) -> None:
    places, words = ticks(end_s)
    assert 1 <= len(places) == len(words) <= 11
    assert places[-1] <= end_s


# --- code in a notebook


def test_source_shows_the_code_and_where_it_stands_in_the_package() -> None:
    shown = show.source(assess_eviction_tasks)
    assert shown.where.startswith("karmadalab/controllers/graceful_eviction.py, line ")
    assert shown.code.startswith("def assess_eviction_tasks(")
    assert shown._repr_markdown_().startswith(f"`{shown.where}`\n\n```python\ndef ")
    assert show.source(show.Figure.to_html).code.startswith("def to_html(")  # a method, without its indentation


@pytest.mark.parametrize("thing", [len, 5])
def test_source_of_what_has_none_is_refused(thing: Any) -> None:
    with pytest.raises(BadRequest, match="source: give a function or a class written in Python"):
        show.source(thing)


def test_missing_extras_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    figure = show.timeline(Lab.fake(members=1))
    gone: Mapping[str, Any] = {"plotly": None, "plotly.graph_objects": None, "pandas": None}
    for name, module in gone.items():
        monkeypatch.setitem(sys.modules, name, module)
    with pytest.raises(ImportError, match=r"figures need plotly: pip install 'karmadalab\[notebooks\]'"):
        _ = figure.figure
    with pytest.raises(ImportError, match=r"tables need pandas: pip install 'karmadalab\[notebooks\]'"):
        _ = figure.table


@pytest.mark.parametrize("draw", [show.replicas, show.timeline], ids=["replicas", "timeline"])
def test_a_workload_that_never_was_is_refused_with_the_nearest_name(draw: Any) -> None:
    lab = lab_with_web()
    with pytest.raises(BadRequest) as refused:
        draw(lab, workload="wbe")
    assert str(refused.value) == "workload: there is no 'wbe' in this run; did you mean web?"
    with pytest.raises(BadRequest) as refused:
        draw(lab, workload="nope")
    assert str(refused.value) == "workload: there is no 'nope' in this run; there is web"
    with pytest.raises(BadRequest) as refused:
        draw(Lab.fake(members=1), workload="web")
    assert str(refused.value) == "workload: there is no 'web' in this run; there is none"
    assert draw(lab, workload="web").text
