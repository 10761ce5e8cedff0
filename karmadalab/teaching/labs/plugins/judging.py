"""Checks 21.1 and 21.3 on paper: one binding, one cluster, one answer."""

from __future__ import annotations

from typing import Any, NamedTuple

from karmadalab.scheduler import BindingInfo
from karmadalab.scheduler.snapshot import ClusterInfo
from karmadalab.teaching.labs.plugins.window import PRICE, Window, binding, cluster, points, why_not
from karmadalab.teaching.verdict import Finding, Mistake


class Case(NamedTuple):
    """What a filter is asked, whether it should refuse, and the idea that this tests."""

    asked: BindingInfo
    about: ClusterInfo
    refuses: bool
    why: str
    look: str


def _cases(window: Window) -> list[Case]:
    key, value = window
    marked, gone = {key: value}, "a workload that runs there stays: maintenance that is announced moves nobody."
    return [
        Case(binding(), cluster(**marked), True, f"{key}={value} announces maintenance: nothing new.", "your test."),
        Case(binding(), cluster(), False, "a cluster without the label will do.", "the return for all others."),
        Case(binding(), cluster(**{key: "none"}), False, f"only the value {value} announces it.", "the value."),
        Case(binding(), cluster(other=value), False, f"only the key {key} announces it.", "the key."),
        Case(binding(member1=2), cluster(**marked), False, gone, "`binding.previous`."),
        Case(
            binding(member1=0),
            cluster(**marked),
            False,
            "0 replicas are replicas: the cluster is in `spec.clusters`, so the workload is there.",
            "whether you ask for the key in `binding.previous`, or for its value.",
        ),
        Case(
            binding(member2=2),
            cluster(**marked),
            True,
            "the workload runs somewhere, but not on this cluster.",
            "whether you ask `binding.previous` about *this* cluster.",
        ),
    ]


def judge_filter(plugin: Any, window: Window | None = None) -> Finding | None:
    """Hold a filter against the cases, and look at its reason."""
    check_plugin(plugin, "filter")
    for _ in range(2):  # asked twice: a filter has no memory
        for case in _cases(window or Window()):
            said = why_not(plugin, case.asked, case.about)
            if (said is not None) != case.refuses:
                labels = ", ".join(f"{key}={value}" for key, value in case.about.labels.items()) or "no labels"
                there = ", ".join(f"{name} ({n})" for name, n in case.asked.previous.items()) or "nowhere"
                return Finding(
                    f"member1 has {labels}; the workload runs {there}: your filter "
                    f"{'lets it through' if said is None else f'says {said!r}'}.",
                    case.why,
                    case.look,
                )
    return _reason(plugin, window or Window())


def _reason(plugin: Any, window: Window) -> Finding | None:
    reasons = {why_not(plugin, binding(), cluster(name, **{window.key: window.value})) for name in ("eu-7", "us-9")}
    if len(reasons) > 1:
        return Finding(
            f"two clusters are refused with two reasons: {', '.join(sorted(map(str, reasons)))}.",
            "Karmada counts how many clusters had the same reason, so a reason must not name one.",
            "the text that you return.",
        )
    [reason] = reasons
    if not str(reason).startswith("cluster(s) "):
        return Finding(
            f"an error would read '3 {reason}'.",
            "the reason is put behind a number. It begins with 'cluster(s) ', as Karmada's own do.",
            "the text that you return.",
        )
    return None


def judge_score(plugin: Any) -> Finding | None:
    """Whether cheaper is better, nonsense is 0, and what runs somewhere never moves for a price."""
    check_plugin(plugin, "score")
    for text in (None, "", "free", "-3", "0", "100", "5000", "1.5"):
        labels = {} if text is None else {PRICE: text}
        if said := points(plugin, cluster(**labels)):
            what = "without a price" if text is None else f"with the price {text!r}"
            return Finding(
                f"a cluster {what} gets {said} points.",
                "a price is a whole number of cents from 1 to 99; anything else is no price, and no price is 0.",
                "the case in which the label is missing or makes no sense.",
            )
    scores = {price: points(plugin, cluster(**{PRICE: str(price)})) for price in range(1, 100)}
    for price, dearer in zip(range(1, 99), range(2, 100), strict=True):
        if scores[price] <= scores[dearer]:
            return Finding(
                f"at {price} cents a cluster gets {scores[price]} points, at {dearer} cents {scores[dearer]}.",
                "cheaper is better, at every price; as text, '9' would be more than '10'.",
                "how a price becomes points.",
            )
    if min(scores.values()) < 0 or scores[99] == 0:
        return Finding(
            f"at 99 cents a cluster gets {scores[99]} points.",
            "the dearest price is still better than no price, and points run from 0.",
            "how many points the dearest price gets.",
        )
    if scores[1] >= 100:
        return Finding(
            f"at 1 cent a cluster gets {scores[1]} points.",
            "ClusterLocality gives 100 to a cluster that the workload runs on, and the points are added. 100 points "
            "for a price weigh as much, and a workload may move.",
            "the largest number of points that you give.",
        )
    return None


def check_plugin(plugin: Any, method: str) -> None:
    """See that it is an object with a name and the method. Raises `Mistake` when it is not."""
    name = getattr(plugin, "name", "")
    if isinstance(plugin, type):
        what, why = f"the check got the class {plugin.__name__}.", "a plugin is an object."
        raise Mistake(Finding(what, why, f"the check's call: {plugin.__name__}()."))
    if not callable(getattr(plugin, method, None)) or not isinstance(name, str) or not name:
        what = f"the check got {plugin!r}, which has no name or no method {method}()."
        raise Mistake(Finding(what, "a plugin is an object with a name and one method.", "your class."))
