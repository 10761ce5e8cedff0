"""Check 30.1: whether a toleration matches a taint."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

from karmadalab.api.meta import NO_EXECUTE, NO_SCHEDULE, Taint, Toleration, tolerates
from karmadalab.teaching.asking import ask
from karmadalab.teaching.verdict import Finding

Match = Callable[[Toleration, Taint], bool]

BAD = Taint(key="disk", value="full", effect=NO_EXECUTE)


class Case(NamedTuple):
    """A toleration for the taint disk=full:NoExecute, and the idea that it tests."""

    toleration: Toleration
    why: str
    look: str


CASES: tuple[Case, ...] = (
    Case(Toleration("disk", "Exists", effect=NO_EXECUTE), "`Exists` does not ask for the value.", "`Exists`."),
    Case(Toleration("net", "Exists", effect=NO_EXECUTE), "another key is another taint.", "the key."),
    Case(Toleration("disk", "Exists", effect=NO_SCHEDULE), "another effect is another taint.", "the effect."),
    Case(Toleration("disk", "Exists"), "an empty effect matches any effect.", "a toleration without an effect."),
    Case(Toleration("", "Exists", effect=NO_EXECUTE), "an empty key matches any key.", "a toleration without a key."),
    Case(Toleration("", "Exists"), "neither key nor effect: it matches every taint.", "rules 1 and 2 together."),
    Case(Toleration("disk", "Equal", "full"), "`Equal` matches the same value.", "`Equal`."),
    Case(Toleration("disk", "Equal", "slow"), "`Equal` asks for the same value.", "`Equal`."),
    Case(Toleration("disk", "", "full"), "no operator is as good as `Equal`.", "a toleration without an operator."),
    Case(Toleration("disk", "", ""), "no operator is as good as `Equal`: here the value is missing.", "the operator."),
    Case(Toleration("disk", "Gt", "full"), "an operator that nobody knows matches nothing.", "your last line."),
)


def judge(match: Match) -> Finding | None:
    """Hold it against the cases above, then against all combinations of a few keys, operators, values and effects."""
    for case in CASES:
        if finding := _compare(match, case, BAD):
            return finding
    effects = ("", NO_SCHEDULE, NO_EXECUTE)
    for key, operator, value, effect in product(("", "disk", "net"), ("", "Equal", "Exists"), ("", "full"), effects):
        for taint in (BAD, Taint(key="net", effect=NO_SCHEDULE), Taint(key="disk", value="slow", effect=NO_SCHEDULE)):
            case = Case(Toleration(key, operator, value, effect), "one of the rules is broken.", "the rules, in order.")
            if finding := _compare(match, case, taint):
                return finding
    return None


def _compare(match: Match, case: Case, taint: Taint) -> Finding | None:
    wanted = "True or False"
    mine = ask(match, case.toleration, taint, fits=lambda said: isinstance(said, bool), wanted=wanted)
    if mine == tolerates(case.toleration, taint):
        return None
    said = "matches" if mine else "does not match"
    return Finding(f"by your rule {words(case.toleration)} {said} the taint {taint}.", case.why, case.look)


def words(toleration: Toleration) -> str:
    """A toleration as one would say it."""
    fields = {
        "key": toleration.key,
        "operator": toleration.operator,
        "value": toleration.value,
        "effect": toleration.effect,
    }
    told = [f"{name} {value}" for name, value in fields.items() if value]
    if toleration.tolerationSeconds is not None:
        told.append(f"{toleration.tolerationSeconds} s")
    return f"({', '.join(told) or 'all empty'})"
