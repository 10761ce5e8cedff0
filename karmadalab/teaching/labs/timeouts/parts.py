"""Check 40.1: the five parts of an outage, from the events of a run, and what people get wrong about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from karmadalab.analysis import PHASES, outages
from karmadalab.api.errors import shortly
from karmadalab.core.timeline import Event
from karmadalab.lab import Lab
from karmadalab.teaching.asking import called, is_number
from karmadalab.teaching.labs.timeouts.stories import FAULT_S, MEMBER, STORIES, failover
from karmadalab.teaching.verdict import Finding

Parts = Mapping[str, float | None]
Splitter = Callable[[Sequence[Event], str, float], Parts]

_NEAR_S = 0.05
_MEANS = {
    "detect": "from the fault to the moment when Ready is no longer True.",
    "wait": "from there to the NoExecute taint.",
    "evict": "from there to the moment when the cluster leaves `spec.clusters`.",
    "reschedule": "from there to the moment when another cluster gains replicas.",
    "start": "from there until as many pods as were gained are Ready on the clusters that gained them.",
}


def split(lab: Lab) -> dict[str, float | None]:
    """The parts of member1's outage, as the package itself finds them."""
    return next(outage.phases for outage in outages(lab) if (outage.cluster, outage.fault_s) == (MEMBER, FAULT_S))


def judge(splitter: Splitter) -> Finding | None:
    """Hold the learner's parts against the package's, story by story, at two beats each."""
    for story in STORIES:
        for beat_s in (3.0, 8.25):
            lab = failover(story, probe_s=beat_s)
            mine, right = called(splitter, list(lab.timeline), MEMBER, FAULT_S), split(lab)
            finding = _shape(mine) or _compared(mine, right, lab, story)
            if finding is not None:
                return finding
    return None


def _shape(mine: Any) -> Finding | None:
    if not isinstance(mine, Mapping) or set(mine) != set(PHASES):
        why = f"the parts are {', '.join(PHASES)}; one that never came is there too, and is None."
        return Finding(f"your function returns {shortly(mine)}.", why, "what it returns, and by which keys.")
    for part, span in mine.items():
        if span is not None and not is_number(span):
            what = f"your `{part}` is {shortly(span)}."
            return Finding(what, "a part is a number of seconds, or None.", "how you make it out of two moments.")
    return None


def _compared(mine: Parts, right: Parts, lab: Lab, story: str) -> Finding | None:
    wrong = next((part for part in PHASES if not _same(mine[part], right[part])), None)
    if wrong is None:
        return None
    what = f"{story}: your `{wrong}` is {_said(mine[wrong])}, and should be {_said(right[wrong])}."
    return Finding(what, *_cause(wrong, mine, right, lab, story))


def _cause(wrong: str, mine: Parts, right: Parts, lab: Lab, story: str) -> tuple[str, str]:
    """The idea behind a wrong part, and where to look."""
    said, should = mine[wrong], right[wrong]
    spans = [right[part] for part in PHASES[: PHASES.index(wrong) + 1]]
    came = [span for span in spans if span is not None]
    since_fault = sum(came) if len(came) == len(spans) else None
    if since_fault is not None and _same(said, since_fault + FAULT_S):
        return "that is a moment, counted from the beginning of the run. A part is a span.", "what you subtract."
    if since_fault is not None and wrong != "detect" and _same(said, since_fault):
        return (
            "that counts from the fault. The parts follow each other: each begins where the one before ends.",
            "what you subtract.",
        )
    if should is None and said == 0:
        return (
            "0 s would mean that it came at once. It never came, and None says so.",
            "what you do if nothing is found.",
        )
    if said is not None and said < 0:
        return (
            "you take something that happened before the part began: a cluster that joins, somebody else's blip.",
            "from which moment on you search.",
        )
    if wrong == "detect" and said is None and _words(lab, "-> Unknown"):
        return (
            "a pull member that falls silent becomes Unknown, not False. Both are no longer True.",
            "the words that you look for in the change of Ready.",
        )
    if wrong == "wait" and said == 0:
        return (
            "NoSchedule comes with the condition and moves nothing. The wait ends with NoExecute.",
            "which of the two taints you look for.",
        )
    if wrong == "start" and said is not None and should is not None and said < should:
        return (
            "you stop at a pod that is not the last one. Two clusters gained a replica each, and one is slow.",
            "how many pods must be Ready, and on which clusters.",
        )
    return _MEANS[wrong], f"`for event in failover({story!r}).timeline.important(): print(event)`."


def _words(lab: Lab, end: str) -> bool:
    return any(e.what.endswith(end) for e in lab.timeline.where("Cluster", MEMBER, "condition Ready", since_s=FAULT_S))


def _same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return abs(one - other) <= _NEAR_S


def _said(span: float | None) -> str:
    return "None" if span is None else f"{span:g} s"
