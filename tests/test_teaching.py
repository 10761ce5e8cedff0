"""The teaching kit: what a check says to a right answer, to none, and to each answer that people get wrong."""

from __future__ import annotations

import gzip
import inspect
import json
import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from karmadalab.api.errors import BadRequest
from karmadalab.controllers.cluster_status import threshold_adjusted
from karmadalab.teaching import Mistake, Passed, Unsolved, check, hint, parameters, predict, reveal
from karmadalab.teaching.checks import LABS
from karmadalab.teaching.labs.thresholds import Flags, flapping, flipped_share, outage, ready_changes
from karmadalab.teaching.labs.thresholds import recorded as recorded_cases
from karmadalab.teaching.labs.thresholds.misconceptions import diagnose
from tests import wrong_filters as wrong

VECTORS = Path(__file__).parent / "data" / "karmada-v1.13" / "conditions.jsonl.gz"


def mistake(check_id: str, *answer: Any) -> str:
    with pytest.raises(Mistake) as caught:
        check(check_id, *answer)
    return str(caught.value)


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
    "keeps what is not there": (wrong.keeps_nothing, "where there is none, the observation is published as it is"),
}


@pytest.mark.parametrize("name", MISCONCEPTIONS)
def test_every_misconception_gets_its_own_message(name: str) -> None:
    adjust, says = MISCONCEPTIONS[name]
    told = mistake("11.1", adjust)
    assert told.startswith("11.1 is not right yet.\nWhat: ")
    assert says in told
    others = [other for other, (_, text) in MISCONCEPTIONS.items() if other != name and text in told]
    assert not others


def test_messages_do_not_show_the_answer() -> None:
    code = [line.strip() for line in inspect.getsource(threshold_adjusted).splitlines()]
    answer = {line for line in code if line.startswith(("if ", "return ", "saved =", "threshold_s ="))}
    for adjust, _ in MISCONCEPTIONS.values():
        told = mistake("11.1", adjust)
        assert not [line for line in answer if line in told]


@pytest.mark.parametrize("name", [n for n in MISCONCEPTIONS if n != "keeps what is not there"])
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


def empty(*_: Any) -> Any:
    raise NotImplementedError


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


@pytest.mark.parametrize("name", SHAPES)
def test_answers_of_the_wrong_shape(name: str) -> None:
    answer, says = SHAPES[name]
    assert says in mistake("11.1", answer)


@pytest.mark.parametrize("check_id", ["11.1", "11.2", "11.3"])
@pytest.mark.parametrize("answer", [empty, None, ...])
def test_an_unsolved_answer_is_no_mistake(check_id: str, answer: Any) -> None:
    with pytest.raises(Unsolved, match=rf"^{check_id} is not written yet: .*YOUR CODE HERE") as caught:
        check(check_id, answer)
    assert caught.value._render_traceback_() == str(caught.value).splitlines()


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


@pytest.mark.parametrize("name", IN_THE_LAB)
def test_a_wrong_filter_shows_in_a_running_control_plane(name: str) -> None:
    adjust, says = IN_THE_LAB[name]
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


@pytest.mark.parametrize("name", FORMULAS)
def test_every_wrong_formula_gets_its_own_message(name: str) -> None:
    answer, says = FORMULAS[name]
    assert says in mistake("11.3", answer, parameters("11", "s1"))


def test_a_right_formula_passes_with_any_students_flags() -> None:
    assert isinstance(check("11.3", share, Flags(20, 50)), Passed)


# --- hints, predictions, parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("check_id", ["11.1", "11.2", "11.3"])
def test_hints_come_in_three_steps(check_id: str) -> None:
    steps = [str(hint(check_id, step)) for step in (1, 2, 3)]
    assert len(set(steps)) == 3
    assert f'hint("{check_id}", 2)' in steps[0]
    assert "Still stuck?" not in steps[2]
    assert repr(hint(check_id)) == steps[0]
    assert steps[0] not in hint(check_id, 0)


CHECKS = ", ".join(name for lab in LABS.values() for name in lab.checks)
BAD_CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "unknown check": (lambda: check("99.1", empty), f"there is no check '99.1'; checks are {CHECKS}"),
    "unknown hint": (lambda: hint("11.9"), f"there is no check '11.9'; checks are {CHECKS}"),
    "fourth step": (lambda: hint("11.1", 4), "hint: there are three steps, 1, 2 and 3; you asked for 4"),
    "unknown lab": (lambda: parameters("98"), f"there is no lab '98'; labs are {', '.join(LABS)}"),
    "id that is no text": (
        lambda: parameters("11", 123),  # type: ignore[arg-type]
        "STUDENT: write your id as text, in quotes, not 123",
    ),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_bad_calls(name: str) -> None:
    call, says = BAD_CALLS[name]
    with pytest.raises(BadRequest) as caught:
        call()
    assert str(caught.value) == says


PREDICTIONS: dict[str, tuple[Any, Any, float, str]] = {
    "right": (8, 8, 0, "You said 8. It is 8: as you said. Each flap is two."),
    "near enough": (33, 33.2, 0.5, "You said 33. It is 33.2: as you said. Each flap is two."),
    "wrong": (4, 8, 0, "You said 4. It is 8: a surprise. Each flap is two."),
    "words": (" Member3", "member3", 0, "You said  Member3. It is member3: as you said. Each flap is two."),
    "none": (..., 8, 0, "You made no prediction. It is 8. Each flap is two."),
}


@pytest.mark.parametrize("name", PREDICTIONS)
def test_predict_and_reveal(name: str) -> None:
    answer, happened, tolerance, says = PREDICTIONS[name]
    assert repr(reveal(predict("How many?", answer), happened, "each flap is two", tolerance)) == says


def test_a_prediction_says_what_it_waits_for() -> None:
    assert repr(predict("How many?")) == "How many? write your answer in place of `...`"
    assert repr(predict("How many?", 3)) == "How many? You say 3."


def test_parameters_differ_between_students_and_never_for_one() -> None:
    students = [f"student-{number}" for number in range(30)]
    assert len({parameters("11", student) for student in students}) >= 5
    assert parameters("11") == parameters("11", "  ") == Flags()
    assert parameters("11", "Ada") == parameters("11", " ada ")


def test_parameters_are_the_same_in_another_process() -> None:
    code = "from karmadalab.teaching import parameters; print([parameters('11', f's{n}') for n in range(9)])"
    seeds = ("0", "1")
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in seeds
    ]
    assert runs[0] == runs[1] == f"{[parameters('11', f's{n}') for n in range(9)]}\n"
