"""Check 10.3: from a verdict back to the faults that may be behind it.

What is right is not written down here: every fault is tried on a push member and on a pull member, and those that end
in the same verdict cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from functools import cache
from typing import Any, NamedTuple

from karmadalab.api.cluster import PULL, PUSH
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.asking import ask
from karmadalab.teaching.labs.probing.judging import CODES
from karmadalab.teaching.labs.probing.scenarios import BEGIN_S
from karmadalab.teaching.verdict import Finding

AGENT = ("stop_agent", "freeze_agent")
_ENDPOINTS = {"readyz_500": "readyz says 500", "readyz_202": "readyz says 202"}
FAULTS = ("power_off", "refuse", "hang", "silence", "cut_off", *AGENT, *_ENDPOINTS)
LATE_S = 60.0

Suspects = Callable[[str, str, float], Set[str]]


class Evidence(NamedTuple):
    """What `kubectl get cluster` and a clock tell: who calls whom, the reason, seconds from fault to verdict."""

    mode: str
    reason: str
    after_s: float

    @property
    def kind(self) -> tuple[str, str, bool]:
        """All that can be told apart, whatever the beat of the probes."""
        return self.mode, self.reason, self.after_s > LATE_S


def seen(mode: str, fault: str, seed: int = 1) -> Evidence:
    """What a fault looks like on a member of that mode.

    Raises:
        BadRequest: a push member has no agent.
    """
    lab = Lab.fake(members=1, pull=int(mode == PULL), seed=seed).run(BEGIN_S)
    if fault in _ENDPOINTS:
        lab.world.members["member1"].health_codes = dict(CODES[_ENDPOINTS[fault]])
    else:
        getattr(MemberFaults(lab.world, "member1"), fault)()
    event = next(iter(lab.run("3m").timeline.where(kind="Cluster", what="condition Ready ")))
    return Evidence(mode, event.detail["reason"], round(event.t - BEGIN_S, 1))


@cache
def _trials() -> tuple[tuple[Evidence, str], ...]:
    """Every fault on every mode, at three beats."""
    tried = [(mode, fault) for mode in (PUSH, PULL) for fault in FAULTS if mode == PULL or fault not in AGENT]
    return tuple((seen(mode, fault, seed), fault) for seed in (1, 2, 3) for mode, fault in tried)


def judge(suspects: Suspects) -> Finding | None:
    """Whether a function names, for each verdict, exactly the faults that end in it."""
    groups: dict[tuple[str, str, bool], set[str]] = {}
    for evidence, fault in _trials():
        groups.setdefault(evidence.kind, set()).add(fault)
    for evidence, _ in _trials():
        mine = ask(suspects, *evidence, fits=_is_names, wanted='a set of names, such as {"refuse", "hang"}')
        if finding := _compare(evidence, set(mine), groups[evidence.kind]):
            return finding
    return None


def _is_names(said: Any) -> bool:
    return isinstance(said, Set | list | tuple) and all(isinstance(name, str) for name in said)


def _compare(evidence: Evidence, mine: set[str], right: set[str]) -> Finding | None:
    head = f"{evidence.mode}, {evidence.reason}, {evidence.after_s:g} s after the fault"
    if unknown := sorted(mine - set(FAULTS)):
        return Finding(f"{head}: {unknown[0]!r} is no fault.", f"the faults are {', '.join(FAULTS)}.", "the spelling.")
    if extra := _first(mine - right):
        return Finding(f"{head}: you suspect {extra}, and it never looks like that.", *_innocent(evidence, extra))
    if missing := _first(right - mine):
        return Finding(f"{head}: it may have been {missing}, and you don't suspect it.", *_guilty(evidence, missing))
    return None


def _first(names: Iterable[str]) -> str:
    return min(names, key=FAULTS.index, default="")


def _innocent(evidence: Evidence, fault: str) -> tuple[str, str]:
    """Why a fault can't be behind a verdict, and where to look."""
    run = f"`seen({evidence.mode!r}, {fault!r})`."
    if evidence.mode == PUSH and fault in AGENT:
        return "a push member has no agent: the control plane asks it itself.", "the mode."
    if fault == "readyz_202" or evidence.reason == "ClusterNotReady":
        return "ClusterNotReady says: reached, and another good status than 200. Nothing else gives it.", run
    if evidence.mode == PULL and evidence.reason == "ClusterStatusUnknown":
        return "Unknown is for a member that is not heard from; here the agent lives and says what it finds.", run
    if evidence.mode == PULL and fault not in ("refuse", "hang", "readyz_500"):
        return "`False` of a pull member is posted by its agent, so the agent lives and can be heard.", run
    return (
        "more than a minute means that each probe waited for a time-out; an answer, be it a refusal, comes at once.",
        f"the seconds, and {run}",
    )


def _guilty(evidence: Evidence, fault: str) -> tuple[str, str]:
    """Why a fault may be behind a verdict, and where to look."""
    run = f"`seen({evidence.mode!r}, {fault!r})`."
    if fault == "readyz_500":
        return "an error status counts as no answer, so an API server that says 500 is called not reachable.", run
    if evidence.reason == "ClusterStatusUnknown":
        return "dead, cut off, silent or merely stopped: whatever keeps the agent's renewals away looks the same.", run
    return "what is refused at once is found by the next probes; what is swallowed only after time-outs.", run
