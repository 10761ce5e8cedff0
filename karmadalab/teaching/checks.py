"""`check("11.1", answer)`, `hint("11.1")`, `parameters("11", STUDENT)`: what a lab's notebook calls."""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import BadRequest
from karmadalab.teaching.lab import Check, TeachingLab
from karmadalab.teaching.labs import (
    alarms,
    claims,
    division,
    double,
    eviction,
    homecoming,
    nowhere,
    objective,
    plugins,
    probing,
    recommending,
    rescheduling,
    silence,
    spreading,
    sweeping,
    taints,
    thresholds,
    timeouts,
    tolerations,
)
from karmadalab.teaching.student import generator
from karmadalab.teaching.verdict import Mistake, Passed, Unsolved

LABS: dict[str, TeachingLab] = {
    "10": probing.LAB,
    "11": thresholds.LAB,
    "12": silence.LAB,
    "13": taints.LAB,
    "20": claims.LAB,
    "21": plugins.LAB,
    "22": spreading.LAB,
    "23": division.LAB,
    "30": tolerations.LAB,
    "31": rescheduling.LAB,
    "32": eviction.LAB,
    "33": homecoming.LAB,
    "34": nowhere.LAB,
    "35": double.LAB,
    "40": timeouts.LAB,
    "41": alarms.LAB,
    "42": sweeping.LAB,
    "43": recommending.LAB,
    "49": objective.LAB,
}


def check(check_id: str, answer: Any, *more: Any) -> Passed:
    """Whether an answer is right.

    Args:
        check_id: lab and number, `11.1`.
        answer: usually a function of the learner's.
        more: what else this check takes, such as the learner's parameters.

    Raises:
        Unsolved: the answer is not written yet.
        Mistake: what is wrong, why, and where to look.
        BadRequest: there is no such check.
    """
    found = _check(check_id)
    if answer is None or answer is ...:
        raise _unsolved(check_id)
    try:
        finding = found.judge(answer, *more)
    except NotImplementedError:
        raise _unsolved(check_id) from None
    except Mistake as mistake:
        raise Mistake(mistake.finding, check_id) from None
    if finding is not None:
        raise Mistake(finding, check_id)
    return Passed(check_id, found.passed)


def _unsolved(check_id: str) -> Unsolved:
    return Unsolved(
        f"{check_id} is not written yet: further up, put your code in place of `# YOUR CODE HERE` and the line after "
        f'it, run that cell, then this one.\nNo idea where to begin? hint("{check_id}")'
    )


class Hint(str):
    """A hint that prints as it reads."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def hint(check_id: str, step: int = 1) -> Hint:
    """A hint: step 1 says where to look, step 2 says more, step 3 nearly says it. Step 0 keeps quiet.

    Raises:
        BadRequest: there is no such check or step.
    """
    hints = _check(check_id).hints
    if isinstance(step, bool) or step not in range(len(hints) + 1):
        raise BadRequest(f"hint: there are three steps, 1, 2 and 3; you asked for {step!r}")
    if step == 0:
        return Hint(f'{len(hints)} hints for {check_id} are ready, the first with hint("{check_id}", 1).')
    more = f'\nStill stuck? hint("{check_id}", {step + 1})' if step < len(hints) else ""
    return Hint(f"{step} of {len(hints)}: {hints[step - 1]}{more}")


def parameters(lab: str, student: str = "") -> Any:
    """The numbers a student works with; without an id, the usual ones.

    Raises:
        BadRequest: there is no such lab.
    """
    found = _lab(lab)
    if not isinstance(student, str):
        raise BadRequest(f"STUDENT: write your id as text, in quotes, not {student!r}")
    return found.drawn(generator(student, lab)) if student.strip() else found.usual


def _lab(number: str) -> TeachingLab:
    if number not in LABS:
        raise BadRequest(f"there is no lab {number!r}; labs are {', '.join(LABS)}")
    return LABS[number]


def _check(check_id: str) -> Check:
    checks = {name: found for lab in LABS.values() for name, found in lab.checks.items()}
    if check_id not in checks:
        raise BadRequest(f"there is no check {check_id!r}; checks are {', '.join(checks)}")
    return checks[check_id]
