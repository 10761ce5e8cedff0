"""Lab 11: right filters and formulas pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

import gzip
import inspect
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from karmadalab.controllers.cluster_status import threshold_adjusted
from karmadalab.teaching import Passed, check, parameters
from karmadalab.teaching.labs.thresholds import Flags, flapping, flipped_share, outage, ready_changes
from karmadalab.teaching.labs.thresholds import recorded as recorded_cases
from karmadalab.teaching.labs.thresholds.misconceptions import diagnose
from tests import wrong_filters as wrong
from tests.answers import mistake

VECTORS = Path(__file__).parent / "data" / "karmada-v1.13" / "conditions.jsonl.gz"


# --- 11.1: the filter -------------------------------------------------------------------------------------------------

MISCONCEPTIONS: dict[str, tuple[Callable[..., Any], str]] = {
    "counts consecutive probes": (wrong.counts_probes, "a threshold is a length of time, not a number of probes"),
    "compares with the last observation": (wrong.compares_last, "the last observation says when the clock started"),
    "keeps when nothing changed": (wrong.keeps_on_no_change, "may still be news for those who read the API"),
    "no threshold at all": (wrong.no_threshold, "one lost packet would move a workload"),
    "no threshold on the way up": (wrong.nothing_on_the_way_up, "recovery is doubted too"),
    "one threshold for both ways": (wrong.one_threshold, "leaving True and coming back to it have a threshold each"),
    "first observation delayed": (wrong.first_delayed, "its first observation is all it knows"),
    "> instead of >=": (wrong.one_moment_late, "that moment counts"),
    "clock never starts again": (wrong.clock_never_restarts, "what it remembers still starts in the past"),
    "clock outlives a good probe": (wrong.clock_outlives_a_good_probe, "failures before a good probe don't count"),
    "clock starts at every probe": (wrong.clock_always_restarts, "each probe starts the clock anew"),
    "half a condition": (wrong.half_a_condition, "held back whole, reason and message too"),
    "any change waits": (wrong.any_change_waits, "the threshold guards one border"),
    "clock of the published condition": (wrong.clock_of_the_published, "a change of what is published?"),
    "first observation starts now": (wrong.first_starts_now, "counts as having lasted for ever"),
    "keeps what is not there": (wrong.keeps_nothing, "where there is none, the observation is published as it is.\n"),
    "forgets where there is none": (wrong.forgets_without_a_condition, "what is remembered is not touched"),
    "moves the clock where there is none": (wrong.clock_moves_without_a_condition, "what is remembered is not touched"),
}
# In no recorded sequence does somebody remove the condition.
NOT_RECORDED = ("keeps what is not there", "forgets where there is none", "moves the clock where there is none")


@pytest.mark.parametrize(("adjust", "says"), MISCONCEPTIONS.values(), ids=MISCONCEPTIONS)
def test_a_misconception_is_told_and_no_other(adjust: Any, says: str) -> None:
    told = mistake("11.1", adjust)
    assert {text for _, text in MISCONCEPTIONS.values() if text in told} == {says}


def test_messages_do_not_show_the_answer() -> None:
    code = [line.strip() for line in inspect.getsource(threshold_adjusted).splitlines()]
    answer = {line for line in code if line.startswith(("if ", "return ", "saved =", "threshold_s ="))}
    for adjust, _ in MISCONCEPTIONS.values():
        told = mistake("11.1", adjust)
        assert not [line for line in answer if line in told]


@pytest.mark.parametrize("name", [n for n in MISCONCEPTIONS if n not in NOT_RECORDED])
def test_recorded_cases_alone_would_find_it_too(name: str) -> None:
    finding = recorded_cases.compare(MISCONCEPTIONS[name][0])
    assert finding is not None
    assert "the real Karmada published" in finding.what


def test_a_right_filter_passes() -> None:
    assert isinstance(check("11.1", wrong.right), Passed)
    assert "32 sequences recorded from a real Karmada v1.13.10" in repr(check("11.1", wrong.right))


def test_karmadalabs_own_filter_behaves_but_is_not_the_learners() -> None:
    assert diagnose(threshold_adjusted) is None
    assert recorded_cases.compare(threshold_adjusted) is None
    assert "this is karmadalab's own filter" in mistake("11.1", threshold_adjusted)
    assert "this is karmadalab's own filter" in mistake("11.1", lambda *given: threshold_adjusted(*given))


def raises_at_first(saved: Any, observed: Any, *_: Any) -> Any:
    return saved, observed if saved.status == "True" else saved


SHAPES: dict[str, tuple[Any, str]] = {
    "no function": (42, "wants your function and got 42"),
    "returns nothing": (lambda *_: None, "your filter returns nothing"),
    "returns one thing": (lambda saved, observed, *_: observed, "not a pair"),
    "the wrong order": (lambda saved, observed, *_: (observed, saved), "returns the condition first"),
    "publishes a text": (lambda saved, observed, *_: (saved, "True"), "'True', not a Ready condition"),
    "forgets that nothing is saved": (raises_at_first, "`saved` is None at a cluster's first probe"),
    "divides by zero": (lambda *_: 1 / 0, "raises ZeroDivisionError: division by zero"),
    "takes too few arguments": (lambda saved: saved, "raises TypeError"),
}


@pytest.mark.parametrize(("answer", "says"), SHAPES.values(), ids=SHAPES)
def test_answers_of_the_wrong_shape(answer: Any, says: str) -> None:
    assert says in mistake("11.1", answer)


# --- the recorded cases -----------------------------------------------------------------------------------------------


def test_the_packages_cases_are_the_recorded_ones() -> None:
    lines = gzip.decompress(VECTORS.read_bytes()).splitlines()
    originals = {item["id"].removeprefix("conditions.seq."): item for item in map(json.loads, lines)}
    known = recorded_cases.recording()
    for case in known.cases:
        given, expected = originals[case.id]["input"], originals[case.id]["expected"]["steps"]
        flags = (given["failureThresholdSeconds"], given["successThresholdSeconds"])
        assert (case.failure_threshold_s, case.success_threshold_s) == flags
        assert [step[0] for step in case.steps] == [round(step["at"], 6) for step in given["steps"]]
        for step, there in zip(case.steps, expected, strict=True):
            if step[1] == "probe":
                for name, what in ((step[2], "observed"), (step[3], "published")):
                    recorded = tuple(there[what][key] for key in ("status", "reason", "message"))
                    assert known.conditions[name] == recorded


def test_the_cases_hold_what_the_rules_speak_of() -> None:
    steps = [step for case in recorded_cases.recording().cases for step in case.steps]
    held = [s for s in steps if s[1] == "probe" and s[2] != s[3]]
    assert len(held) > 100
    assert {s[1] for s in steps} == {"probe", "write", "restart"}


# --- 11.2: plugged in -------------------------------------------------------------------------------------------------

IN_THE_LAB: dict[str, tuple[Callable[..., Any], str]] = {
    "no threshold": (wrong.no_threshold, "flaps four times for 20 s, and Ready turns False"),
    "counts probes": (wrong.counts_probes, "turns False 21 s after the beginning"),
    "never": (wrong.clock_always_restarts, "Ready stays True"),
    "late": (wrong.one_moment_late, "turns False 41 s after the beginning"),
    "hasty on the way up": (wrong.nothing_on_the_way_up, "Ready turns True at"),
    "clock outlives a good probe": (wrong.clock_outlives_a_good_probe, "flaps four times for 20 s"),
}


@pytest.mark.parametrize(("adjust", "says"), IN_THE_LAB.values(), ids=IN_THE_LAB)
def test_a_wrong_filter_shows_in_a_running_control_plane(adjust: Any, says: str) -> None:
    told = mistake("11.2", adjust)
    assert says in told
    assert "And 11.1 would tell you: " in told


def test_a_right_filter_passes_in_the_lab() -> None:
    assert isinstance(check("11.2", wrong.right), Passed)


@pytest.mark.parametrize("probe_s", [0.0, 3.0, 9.5])
def test_flapping_is_not_seen_and_an_outage_is(probe_s: float) -> None:
    assert ready_changes(flapping(wrong.right, probe_s=probe_s)) == []
    down, up = ready_changes(outage("45s", wrong.right, probe_s))
    assert (down.status, up.status) == ("False", "True")
    assert down.t - 60 == pytest.approx(30 + probe_s, abs=1e-3)
    assert 40 <= up.t - down.t <= 50


def test_a_filter_that_raises_in_the_lab_is_told_as_in_11_1() -> None:
    assert "raises ZeroDivisionError" in mistake("11.2", lambda *_: 1 / 0)


# --- 11.3: which outages are seen -------------------------------------------------------------------------------------


@pytest.mark.parametrize("length_s", [25, 30, 32, 35, 37.5, 40, 45, 60])
def test_s3_arithmetic_holds_in_the_control_plane(length_s: float) -> None:
    assert flipped_share(length_s, Flags()) == pytest.approx(min(1, max(0, (length_s - 30) / 10)), abs=0.026)


def whole_probes(flags: Flags, more: int = 0) -> float:
    return (math.ceil(flags.threshold_s / flags.frequency_s) + more) * flags.frequency_s


def clamped(value: float) -> float:
    return min(1.0, max(0.0, value))


def share(outage_s: float, flags: Flags) -> float:
    return clamped((outage_s - whole_probes(flags)) / flags.frequency_s)


FORMULAS: dict[str, tuple[Callable[[float, Flags], Any], str]] = {
    "not clamped": (lambda s, f: (s - whole_probes(f)) / f.frequency_s, "never below 0 or above 1"),
    "percent": (lambda s, f: 100 * share(s, f), "runs from 0 to 1, not to 100"),
    "clock starts with the outage": (lambda s, f: 1.0 if s > f.threshold_s else 0.0, "not at the outage"),
    "threshold between two probes": (
        lambda s, f: clamped((s - f.threshold_s) / f.frequency_s),
        "a filter can publish only when a probe comes",
    ),
    "one probe too many": (
        lambda s, f: clamped((s - whole_probes(f, 1)) / f.frequency_s),
        "the probe that falls on the very end of the threshold publishes already",
    ),
    "anything else": (lambda s, f: 0.123, "the outage must still last when the deciding probe comes"),
    "no number": (lambda s, f: "half", "a probability is a number"),
    "raises": (lambda s, f: 1 / 0, "raises ZeroDivisionError"),
}


@pytest.mark.parametrize(("answer", "says"), FORMULAS.values(), ids=FORMULAS)
def test_every_wrong_formula_gets_its_own_message(answer: Any, says: str) -> None:
    assert says in mistake("11.3", answer, parameters("11", "s1"))


def test_a_right_formula_passes_with_any_students_flags() -> None:
    assert isinstance(check("11.3", share, Flags(20, 50)), Passed)
