"""What a controller is, and how it works off its queue.

A controller is a function from a request to a result: look at the whole state of one object, decide, write the
difference. What wakes it is a list of watches; what it returns says whether it wants to look again. It lives and dies
with its process, a `core.manager.Manager`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from threading import get_ident
from typing import NamedTuple, Protocol

from karmadalab.api.errors import Conflict, KarmadalabError
from karmadalab.api.meta import Resource
from karmadalab.api.scheme import AnyObject
from karmadalab.core.client import MODIFIED, Client
from karmadalab.core.clock import VirtualClock
from karmadalab.core.queue import Request, WorkQueue
from karmadalab.core.settings import Settings
from karmadalab.core.trace import ERROR, NO_THREAD, Trace


class Result(NamedTuple):
    """What a reconcile leaves to do. `requeue_after_s` of None or 0 means nothing."""

    requeue_after_s: float | None = None


DONE = Result()


class Retry(KarmadalabError):
    """A reconcile can't do its work yet and shall be tried again with back-off; ordinary, not a defect."""


class Wait(Exception):  # not an error: the call is on its way
    """A call crosses a slow network: take the request up again when the answer is there.

    Args:
        delay_s: how long the answer takes.
        arrive: called when it is there, before the reconcile runs again; the far side's answer is then known. A
            reconcile that crosses a second slow network runs a third time, and `arrive` must give the same answer then.
        leave: called after that run.
        subscribe: for a real network, where nobody knows how long it takes: called once with what is to be called, in
            the lab's turn, when the answer is there. `delay_s` is then the longest that it can take.
    """

    def __init__(
        self,
        delay_s: float,
        arrive: Callable[[], None],
        leave: Callable[[], None],
        subscribe: Callable[[Callable[[], None]], None] | None = None,
    ) -> None:
        super().__init__(f"the answer takes {delay_s:g}s")
        self.delay_s, self.arrive, self.leave, self.subscribe = delay_s, arrive, leave, subscribe


Mapper = Callable[[str, AnyObject | None, AnyObject], Iterable[Request]]


class Watch(NamedTuple):
    """What wakes a controller.

    Args:
        client: where to watch.
        kind: what to watch.
        requests: which requests an event (type, old, new) makes; None means the object itself.
    """

    client: Client
    kind: str | type[Resource]
    requests: Mapper | None = None


def on_spec_change(event: str, old: AnyObject | None, new: AnyObject) -> Sequence[Request]:
    """The requests of a watch for the object itself, except when its spec stays as it was."""
    if event == MODIFIED and old is not None and old.metadata.generation == new.metadata.generation:
        return ()
    return (Request(new.metadata.namespace, new.metadata.name),)


class Reconciler(Protocol):
    """A controller, in Karmada's sense.

    One that wants another queue than a `WorkQueue` has an attribute `make_queue`, called with the same arguments.
    """

    name: str

    def watches(self) -> Sequence[Watch]:
        """What wakes it."""
        ...

    def reconcile(self, request: Request) -> Result:
        """Bring one object to where it should be.

        Raises:
            Retry: not possible yet.
            ApiError: a write was refused; the request is tried again with back-off.
        """
        ...


class Controller:
    """A reconciler with its queue.

    Args:
        reconciler: what it does.
        clock, trace, settings: the lab's.
        strict: whether an error that is not one of ours is raised.
        latency_s: how long an event takes from the API server to the queue.
    """

    def __init__(
        self,
        reconciler: Reconciler,
        clock: VirtualClock,
        trace: Trace,
        settings: Settings,
        *,
        strict: bool,
        latency_s: float,
    ) -> None:
        self.reconciler = reconciler
        self.name = reconciler.name
        self._reconcile = reconciler.reconcile
        self._trace = trace
        self._strict = strict
        make_queue: Callable[..., WorkQueue] = getattr(reconciler, "make_queue", WorkQueue)
        delays_s = settings.rate_limiter_base_delay, settings.rate_limiter_max_delay
        self.queue = make_queue(clock, trace, self._work, *delays_s)
        self.queue.latency_s = latency_s
        self._requests: dict[tuple[str, str], Request] = {}  # made once an object, not once an event
        self._stops: list[Callable[[], None]] = []

    def start(self) -> None:
        """Begin to watch; what there is already counts as added."""
        for watch in self.reconciler.watches():
            self.watch(watch)

    def watch(self, watch: Watch) -> Callable[[], None]:
        """Begin one watch; returns what ends it."""
        handler = self._mapped(watch.requests) if watch.requests is not None else self._itself
        stop = watch.client.watch(watch.kind, handler)
        self._stops.append(stop)
        return stop

    def stop(self) -> None:
        """End the watches and forget the queue."""
        for stop in self._stops:
            stop()
        self.queue.close()

    def _itself(self, event: str, old: AnyObject | None, new: AnyObject) -> None:
        meta = new.metadata
        key = (meta.namespace, meta.name)
        request = self._requests.get(key)
        if request is None:
            request = self._requests[key] = Request(*key)
        self.queue.add(request)

    def _mapped(self, requests: Mapper) -> Callable[[str, AnyObject | None, AnyObject], None]:
        add = self.queue.add

        def handle(event: str, old: AnyObject | None, new: AnyObject) -> None:
            for request in requests(event, old, new):
                add(request)

        return handle

    def _work(self, request: Request, cause: int | None, answered: tuple[Wait, ...] = ()) -> None:
        trace = self._trace
        actor, before = trace.actor, trace.cause
        trace.actor, trace.cause, trace.thread = self.name, cause, get_ident()
        try:
            delay_s = self._reconcile(request)[0]
        except Wait as wait:
            waits = (*answered, wait)
            resume = partial(self._answered, request, cause, waits)
            if wait.subscribe is not None:
                self.queue.hold_until(request, wait.subscribe, resume)
            else:
                self.queue.hold(request, wait.delay_s, resume)
        except Exception as error:
            self._failed(request, error)
        except BaseException:  # Ctrl-C for the second time: it is begun again when the clock runs again
            self.queue.add(request)
            raise
        else:
            self.queue.forget(request)
            if delay_s is not None and delay_s > 0:  # less is none, as in controller-runtime
                # A requeue is due to whatever made the reconcile run, and so may be traced further back.
                self.queue.add_after(request, delay_s)
        finally:
            trace.actor, trace.cause, trace.thread = actor, before, NO_THREAD

    def _answered(self, request: Request, cause: int | None, waits: tuple[Wait, ...]) -> None:
        with ExitStack() as stack:
            for wait in waits:
                wait.arrive()
                stack.callback(wait.leave)
            self._work(request, cause, waits)

    def _failed(self, request: Request, error: Exception) -> None:
        delay_s = self.queue.add_rate_limited(request)
        if isinstance(error, (Retry, Conflict)):
            return
        if self._strict and not isinstance(error, KarmadalabError):
            raise error
        self._trace.note(
            self.name,
            request.name,
            f"{type(error).__name__}: {error}",
            namespace=request.namespace,
            verb=ERROR,
            detail={"retry_after_s": round(delay_s, 3), "failures": self.queue.failures(request)},
        )
