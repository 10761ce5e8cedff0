"""Check 10.1: what one probe finds, by what the two health endpoints answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, NamedTuple

from karmadalab.api.errors import Unreachable
from karmadalab.controllers.cluster_status import probe_of_code, ready_from_probe
from karmadalab.teaching.asking import ask
from karmadalab.teaching.verdict import Finding

Get = Callable[[str], int]
Verdict = tuple[str, str]  # status and reason
OwnProbe = Callable[[Get], Verdict]

READY, NOT_READY, NOT_REACHABLE = (
    (condition.status, condition.reason)
    for condition in (ready_from_probe(True, True), ready_from_probe(True, False), ready_from_probe(False, False))
)
REFUSED = 0  # in place of a code: the connection fails


class Endpoints:
    """A member's API server as a probe sees it; it remembers what it was asked."""

    def __init__(self, readyz: int, healthz: int) -> None:
        self._codes = {"/readyz": readyz, "/healthz": healthz}
        self.asked: list[str] = []

    def get(self, path: str) -> int:
        """The status code of a GET. Raises `Unreachable`."""
        self.asked.append(path)
        code = self._codes.get(path, 404)
        if code == REFUSED:
            raise Unreachable(f"GET {path}: connection refused")
        return code


class Case(NamedTuple):
    """What the endpoints answer, and the idea that it tests."""

    readyz: int
    healthz: int
    why: str
    look: str


_ERROR = "an error status, 400 or more, counts as no answer at all: Karmada calls the cluster not reachable."
CASES: tuple[Case, ...] = (
    Case(200, 200, "200 is the one answer that says: well.", "the code 200."),
    Case(
        REFUSED,
        REFUSED,
        "a connection that fails is the answer that the lesson is about.",
        "`except Unreachable` around what you ask.",
    ),
    Case(200, 500, "`/readyz` is there and has spoken; `/healthz` is for old API servers that lack it.", "rule 1."),
    Case(404, 200, "404 at `/readyz` means: an API server of old, ask `/healthz`.", "the code 404 at `/readyz`."),
    Case(500, 200, _ERROR, "the code 500 at `/readyz`: does your probe go on to `/healthz`?"),
    Case(500, 500, _ERROR, "the codes of 400 and above."),
    Case(403, 200, _ERROR, "the codes of 400 and above."),
    Case(202, 200, "another good status than 200: it was reached, and does not say that it is well.", "200 or 2xx?"),
    Case(404, REFUSED, "`/healthz` may be refused as well.", "where your `try` begins and ends."),
    Case(404, 404, "404 at `/healthz` is an error status like any other.", "what `/healthz` said, by the same rules."),
    Case(404, 202, "`/healthz` is read by the same rules as `/readyz`.", "what `/healthz` said, by the same rules."),
)


def judge(probe: OwnProbe) -> Finding | None:
    """Hold a probe against the cases above, then count its questions, then try all pairs of a few codes."""
    for look in (_verdict, _questions):
        for case in CASES:
            if finding := look(probe, case):
                return finding
    for readyz, healthz in product((REFUSED, 200, 201, 204, 401, 404, 503), repeat=2):
        case = Case(readyz, healthz, "one of the rules is broken.", "the rules, in order.")
        if finding := _verdict(probe, case) or _questions(probe, case):
            return finding
    return None


def call(probe: OwnProbe, get: Get) -> Verdict:
    """Let a probe ask. Raises as `ask` does."""
    wanted = "READY, NOT_READY or NOT_REACHABLE"
    hint = "`get` raises `Unreachable` when the connection fails. For a probe that is an answer: catch it."
    answer: Verdict = ask(probe, get, fits=_is_verdict, wanted=wanted, hint=hint)
    return answer


def _is_verdict(said: Any) -> bool:
    return isinstance(said, tuple) and said in (READY, NOT_READY, NOT_REACHABLE)


def _verdict(probe: OwnProbe, case: Case) -> Finding | None:
    mine, right = call(probe, Endpoints(case.readyz, case.healthz).get), _right(case)
    if mine == right:
        return None
    return Finding(f"{_answers(case)}: you say {' '.join(mine)}, Karmada {' '.join(right)}.", case.why, case.look)


def _questions(probe: OwnProbe, case: Case) -> Finding | None:
    server = Endpoints(case.readyz, case.healthz)
    call(probe, server.get)
    paths = ["/readyz", "/healthz"] if case.readyz == 404 else ["/readyz"]
    if server.asked == paths:
        return None
    return Finding(
        f"{_answers(case)}: your verdict is right, but you ask {' and '.join(server.asked) or 'nothing'}; Karmada asks "
        f"{' and '.join(paths)}.",
        "with a silent member each question takes a time-out of ten seconds, and that every ten seconds.",
        "how often, and in which order, your probe calls `get`.",
    )


def _right(case: Case) -> Verdict:
    code = case.healthz if case.readyz == 404 else case.readyz
    condition = ready_from_probe(False, False) if code == REFUSED else probe_of_code(code).condition
    return condition.status, condition.reason


def _answers(case: Case) -> str:
    return f"/readyz {_word(case.readyz)}, /healthz {_word(case.healthz)}"


def _word(code: int) -> str:
    return "refuses" if code == REFUSED else f"says {code}"


CODES: Mapping[str, Mapping[str, int]] = {
    "readyz says 500": {"/readyz": 500, "/healthz": 200},
    "readyz says 202": {"/readyz": 202, "/healthz": 200},
    "there is no readyz": {"/healthz": 200},
    "there is neither": {},
}
