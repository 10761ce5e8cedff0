"""Check 11.1: a filter of the learner's own, held against what people get wrong and against the recorded Karmada."""

from __future__ import annotations

from karmadalab.controllers.cluster_status import ThresholdFilter, threshold_adjusted
from karmadalab.teaching.labs.thresholds import recorded
from karmadalab.teaching.labs.thresholds.misconceptions import diagnose
from karmadalab.teaching.verdict import Finding


def judge(adjust: ThresholdFilter) -> Finding | None:
    """Whether a filter is the learner's own, behaves, and agrees with the recorded Karmada."""
    return _borrowed(adjust) or diagnose(adjust) or recorded.compare(adjust)


def _borrowed(adjust: ThresholdFilter) -> Finding | None:
    names = getattr(getattr(adjust, "__code__", None), "co_names", ())
    if adjust is not threshold_adjusted and threshold_adjusted.__name__ not in names:
        return None
    return Finding(
        "this is karmadalab's own filter.",
        "it is right, of course; but the one who writes it is the one who understands it.",
        "the rules above. Write yours from them, then compare.",
    )
