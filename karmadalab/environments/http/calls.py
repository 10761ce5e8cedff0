"""Calls over a network that keep nobody else waiting.

A call leaves on a thread of its own and the reconcile that asked for it is taken up again when the answer is there
(`core.controller.Wait`), so that a member which drops packets holds up no other, as with Karmada's many workers. At a
prompt, outside of any reconcile, the caller waits.

How long an answer is waited for are Go's numbers, for they decide when a silent member is noticed: 45 s after the
network last carried anything, 10 s where there is no connection.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any

from karmadalab.api.errors import KarmadalabError, Unreachable
from karmadalab.core.clock import VirtualClock, stopwatch
from karmadalab.core.controller import Wait
from karmadalab.core.trace import Trace

IDLE_CONNECTION_TIMEOUT_S = 45.0
HANDSHAKE_TIMEOUT_S = 10.0

Call = Callable[[float], Any]  # does it, given how many seconds it may take


class Calls:
    """The calls over one network.

    Args:
        name: how to call it in errors: `karmada -> member1`.
        clock: whose turn is taken to deliver an answer.
        trace: says whether a reconcile is going on.
        cut: gives up other connections, because a call found the network dead.
    """

    def __init__(self, name: str, clock: VirtualClock, trace: Trace, cut: Callable[[], None]) -> None:
        self._name, self._clock, self._trace, self._cut = name, clock, trace, cut
        self._last_active = 0.0  # monotonic seconds
        self._answers: list[tuple[Hashable, Any, KarmadalabError | None]] = []
        self._used = 0

    def ask(self, key: Hashable, call: Call) -> Any:
        """Do something over the network.

        In a reconcile the call leaves now and `Wait` is raised; when the reconcile runs again its n-th call gets the
        n-th answer, if it is still the same question.

        Args:
            key: what is asked: method, path, and what the body says.
            call: asks it, in another thread; it must not touch the lab.

        Raises:
            Unreachable: no answer.
            ApiError: the server refused.
            Wait: in a reconcile, for the answer.
        """
        for number in range(self._used, len(self._answers)):
            if self._answers[number][0] == key:
                self._used = number + 1
                return _returned(*self._answers[number][1:])
        if not self._trace.reconciling:
            return _returned(*self._tried(call, self._patience_s()))
        raise self._left(key, call)

    def _left(self, key: Hashable, call: Call) -> Wait:
        """Send a call off; the wait for its answer."""
        outcome: list[Any] = []
        resumes: list[Callable[[], None]] = []
        timeout_s = self._patience_s()

        def work() -> None:
            result = self._tried(call, timeout_s)
            with self._clock.taken():
                outcome.extend(result)
                for resume in resumes:
                    self._clock.call_soon((take_up, resume))

        def subscribe(resume: Callable[[], None]) -> None:
            resumes.append(resume)  # in the turn, so before the thread can have its answer delivered
            threading.Thread(target=work, name=f"call {self._name}", daemon=True).start()

        def arrive() -> None:
            self._answers.append((key, outcome[0], outcome[1]))
            self._used = 0

        return Wait(timeout_s, arrive, self._leave, subscribe)

    def _leave(self) -> None:
        self._answers.pop()
        self._used = 0

    def _tried(self, call: Call, timeout_s: float) -> tuple[Any, KarmadalabError | None]:
        try:
            answer = call(timeout_s)
        except Unreachable as error:
            self._cut()
            return None, Unreachable(f"{self._name}: {error}")
        except KarmadalabError as error:  # it answered, if only to refuse
            self._last_active = stopwatch()
            return None, error
        self._last_active = stopwatch()
        return answer, None

    def _patience_s(self) -> float:
        left_s = self._last_active + IDLE_CONNECTION_TIMEOUT_S - stopwatch()
        self._last_active = 0.0 if left_s <= 0 else self._last_active
        return left_s if left_s > 0 else HANDSHAKE_TIMEOUT_S


def take_up(resume: Callable[[], None]) -> None:
    """Go on with what has waited."""
    resume()


def _returned(answer: Any, error: KarmadalabError | None) -> Any:
    if error is not None:
        raise error
    return answer
