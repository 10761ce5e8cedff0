"""Watching a control plane without touching it: a real Karmada, or the lab's own server.

What a lab predicts and what a real control plane does can only be laid side by side if both are recorded in the same
way. An observation lists and watches Karmada's kinds over HTTP and writes what it hears into a trace; the timeline over
that trace is the same as a lab's. It sends nothing but GET.

Not seen from outside: what caused what, and writes that the API server merged before a watch delivered them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from karmadalab.api.cluster import Cluster
from karmadalab.api.errors import BadRequest
from karmadalab.api.native import Lease
from karmadalab.api.policy import ClusterPropagationPolicy, PropagationPolicy
from karmadalab.api.scheme import resource_type
from karmadalab.api.time import duration, seconds
from karmadalab.api.work import ClusterResourceBinding, ResourceBinding, Work
from karmadalab.core.client import ADDED, DELETED, Handler
from karmadalab.core.clock import in_turn
from karmadalab.core.snapshot import Snapshot
from karmadalab.core.timeline import Timeline
from karmadalab.core.trace import CREATE, DELETE, UPDATE, Trace
from karmadalab.core.view import View
from karmadalab.core.wall_clock import WallClock
from karmadalab.environments.http.client import HttpClient
from karmadalab.environments.http.lab_time import clock_of
from karmadalab.environments.http.transport import Transport

KINDS = tuple(
    cls.GROUP_KIND
    for cls in (Cluster, PropagationPolicy, ClusterPropagationPolicy, ResourceBinding, ClusterResourceBinding, Work)
)
TEMPLATES = ("Deployment.apps", "StatefulSet.apps", "Job.batch", "Service", "ConfigMap")


class Observation:
    """A control plane, watched.

    Args:
        transport: the way there.
        kinds: what to watch, besides Karmada's own kinds; as a person writes them.
        leases: whether heartbeats are recorded too; they are many.

    Attributes:
        trace: what was heard, row by row. What was there at the start is its first rows.
    """

    def __init__(self, transport: Transport, kinds: Iterable[str] = TEMPLATES, leases: bool = False) -> None:
        self._transport = transport
        self.clock: WallClock = clock_of(transport)
        self.clock.begin()
        self.trace = Trace(self.clock.now)
        self.client = HttpClient("observer", transport, self.clock, self.trace)
        self._began = 0
        self._closed = threading.Event()
        wanted = dict.fromkeys([*KINDS, *(resource_type(kind).group_kind for kind in kinds)])
        if leases:
            wanted[Lease.GROUP_KIND] = None
        try:
            for kind in wanted:
                self.client.watch(kind, self._recorder())
            for kind in wanted:
                self.client.list(kind)  # waits for the first list
        except BaseException:
            self.client.close()
            raise
        self._began = len(self.trace)
        self._thread = threading.Thread(target=self._pace, name="karmadalab observer", daemon=True)
        self._thread.start()

    def _recorder(self) -> Handler:
        verbs = {ADDED: CREATE, DELETED: DELETE}

        def record(event: str, old: Any, new: Any) -> None:
            meta = new.metadata
            gone = event == DELETED
            version = int(meta.resourceVersion) if meta.resourceVersion.isdigit() else 0
            with self.trace.acting("observed", None):
                self.trace.write(
                    "",
                    verbs.get(event, UPDATE),
                    new.GROUP_KIND,
                    (meta.namespace, meta.name),
                    old if not gone else new,
                    None if gone else new,
                    version,
                )

        return record

    def _pace(self) -> None:
        while not self._closed.is_set():
            self.clock.step(0.5)

    # --- looking

    @property
    @in_turn
    def t(self) -> float:
        """Seconds since the observation began."""
        return round(self.clock.elapsed(), 6)

    def run(self, length: str | float) -> Observation:
        """Let time pass there: `observation.run("30s")`."""
        length_s = seconds(length, "run")
        if length_s < 0:
            raise BadRequest("run: time runs one way")
        with self.clock.taken():
            self.clock.run_until(self.clock.now() + length_s)
        return self

    @property
    @in_turn
    def timeline(self) -> Timeline:
        """What has happened since the observation began."""
        return Timeline(self._seen(), self.clock.epoch, banner="observed")

    def _seen(self) -> Trace:
        """The rows after the first lists; those say what was, not what happened."""
        seen = Trace(self.clock.now)
        seen.rows = self.trace.rows[self._began :]
        return seen

    @in_turn
    def at(self, t: str | float) -> View:
        """The control plane as it was known at a moment of the observation."""
        t_s = seconds(t, "at")
        if t_s > self.t:
            raise BadRequest(f"at: {t} has not come yet; the observation has gone on for {duration(self.t)}")
        rows = self.trace.rows[: self._began] + [
            r for r in self.trace.rows[self._began :] if r.at <= self.clock.epoch + t_s
        ]
        return View(Snapshot.from_rows(rows, "", float("inf")), f"the control plane at {duration(t_s)}")

    @property
    def now(self) -> View:
        """The control plane as it is known now."""
        with self.clock.taken():
            return View(Snapshot.from_rows(self.trace.rows, "", float("inf")), "the control plane")

    def close(self) -> None:
        """Stop watching; what was recorded stays. Closing twice is no error."""
        self._closed.set()
        self.client.close()
        self._thread.join(5.0)
        self._transport.close()

    def __enter__(self) -> Observation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Observation {duration(self.t)}, {len(self.trace) - self._began} changes>"
