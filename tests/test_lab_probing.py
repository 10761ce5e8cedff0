"""Lab 10: right probes and right suspicions pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from karmadalab.api.errors import Unreachable
from karmadalab.teaching import check
from karmadalab.teaching.labs.probing import NOT_REACHABLE, NOT_READY, READY, plugged, seen, verdicts
from tests.answers import mistake

Get = Callable[[str], int]


def right(get: Get) -> Any:
    try:
        code = get("/readyz")
        code = get("/healthz") if code == 404 else code
    except Unreachable:
        return NOT_REACHABLE
    return NOT_REACHABLE if code >= 400 else READY if code == 200 else NOT_READY


def reads(verdict: Callable[[int], Any], falls_back: Callable[[int], bool] = lambda code: code == 404) -> Any:
    """A probe that reads the code in another way, or goes on to `/healthz` at other times."""

    def probe(get: Get) -> Any:
        try:
            code = get("/readyz")
            return verdict(get("/healthz") if falls_back(code) else code)
        except Unreachable:
            return NOT_REACHABLE

    return probe


def of_code(code: int) -> Any:
    return NOT_REACHABLE if code >= 400 else READY if code == 200 else NOT_READY


def never_catches(get: Get) -> Any:
    code = get("/readyz")
    return of_code(get("/healthz") if code == 404 else code)


def catches_the_first(get: Get) -> Any:
    try:
        code = get("/readyz")
    except Unreachable:
        return NOT_REACHABLE
    return of_code(get("/healthz") if code == 404 else code)


def asks_both(get: Get) -> Any:
    answer = right(get)
    if answer != NOT_REACHABLE:
        get("/healthz")
    return answer


PROBES: dict[str, tuple[Any, str]] = {
    "it lets the refusal through": (never_catches, "For a probe that is an answer: catch it"),
    "its try ends too early": (catches_the_first, "For a probe that is an answer: catch it"),
    "it asks the old endpoint": (lambda get: reads(of_code)(lambda path: get("/healthz")), "`/healthz` is for old"),
    "it has no fallback": (reads(of_code, lambda code: False), "an API server of old"),
    "it falls back on any error": (reads(of_code, lambda code: code >= 400), "an error status"),
    "500 is not ready": (reads(lambda c: READY if c == 200 else NOT_READY), "an error status"),
    "any 2xx is well": (reads(lambda c: READY if c < 300 else NOT_REACHABLE), "does not say that it is well"),
    "what is not 200 is not reachable": (reads(lambda c: READY if c == 200 else NOT_REACHABLE), "200 or 2xx?"),
    "it asks both always": (asks_both, "each question takes a time-out"),
    "it returns a truth value": (lambda get: True, "it should return READY, NOT_READY or NOT_REACHABLE"),
    "it returns nothing": (lambda get: None, "returns nothing"),
}


@pytest.mark.parametrize(("probe", "says"), PROBES.values(), ids=PROBES)
def test_a_wrong_probe_is_told_what_is_wrong(probe: Any, says: str) -> None:
    assert says in mistake("10.1", probe)


def suspects(mode: str, reason: str, after_s: float) -> set[str]:
    if reason == "ClusterStatusUnknown":
        return {"power_off", "silence", "cut_off", "stop_agent", "freeze_agent"}
    if reason == "ClusterNotReady":
        return {"readyz_202"}
    if mode == "Pull":
        return {"hang"} if after_s > 60 else {"refuse", "readyz_500"}
    return {"hang", "silence"} if after_s > 60 else {"power_off", "refuse", "cut_off", "readyz_500"}


def suspecting(**more: set[str]) -> Callable[..., Any]:
    """The right suspects, with some more, or some less, for a verdict."""

    def function(mode: str, reason: str, after_s: float) -> set[str]:
        key = f"{mode}_{reason.removeprefix('Cluster')}_{'late' if after_s > 60 else 'soon'}"
        names = suspects(mode, reason, after_s) | more.get(key, set())
        return names - more.get(f"not_{key}", set())

    return function


SUSPECTS: dict[str, tuple[Any, str]] = {
    "an agent in a push member": (suspecting(Push_NotReachable_soon={"stop_agent"}), "a push member has no agent"),
    "a dead machine that speaks": (suspecting(Pull_NotReachable_soon={"power_off"}), "so the agent lives"),
    "an agent that is not heard, though it speaks": (
        suspecting(Pull_StatusUnknown_soon={"refuse"}),
        "Unknown is for a member that is not heard from",
    ),
    "a hanging server at once": (suspecting(Push_NotReachable_soon={"hang"}), "waited for a time-out"),
    "not ready in any case": (suspecting(Push_NotReady_soon={"refuse"}), "ClusterNotReady says"),
    "500 is an answer": (suspecting(not_Push_NotReachable_soon={"readyz_500"}), "an error status counts as no answer"),
    "frozen is not stopped": (suspecting(not_Pull_StatusUnknown_soon={"freeze_agent"}), "merely stopped"),
    "silence is like refusal": (suspecting(not_Push_NotReachable_late={"silence"}), "only after time-outs"),
    "a misspelt fault": (suspecting(Pull_NotReady_soon={"poweroff"}), "'poweroff' is no fault"),
    "one name": (lambda mode, reason, after_s: "refuse", "it should return a set of names"),
}


@pytest.mark.parametrize(("function", "says"), SUSPECTS.values(), ids=SUSPECTS)
def test_a_wrong_suspicion_is_told_what_is_wrong(function: Any, says: str) -> None:
    assert says in mistake("10.3", function)


def test_the_right_answers_pass() -> None:
    assert "49 pairs" in check("10.1", right).text
    assert "seven stories" in check("10.2", right).text
    assert "48 trials" in check("10.3", suspects).text


def test_a_probe_that_takes_500_for_an_answer_is_seen_in_the_run() -> None:
    told = mistake("10.2", reads(lambda code: READY if code == 200 else NOT_READY))
    assert "readyz says 500: only with your probe member2 turns False (ClusterNotReady)" in told


def test_an_answer_that_is_still_on_its_way_is_no_refusal_however_wide_the_except_is() -> None:
    def wide(get: Get) -> Any:
        try:
            return right(get)
        except Exception:
            return NOT_REACHABLE

    story = "the API server hangs for 2 minutes"
    assert verdicts(plugged(wide, story)) == verdicts(plugged(None, story))


def test_faults_look_the_same_on_both_modes_only_where_the_api_server_is_concerned() -> None:
    assert seen("Push", "refuse").reason == seen("Pull", "refuse").reason == "ClusterNotReachable"
    assert (seen("Push", "silence").reason, seen("Pull", "silence").reason) == (
        "ClusterNotReachable",
        "ClusterStatusUnknown",
    )
