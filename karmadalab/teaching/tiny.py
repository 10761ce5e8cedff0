"""Karmada in 150 lines: the concept, with everything left out that can be.

Objects in a store. Controllers that look at one object, decide, and write the difference; a change wakes those who
watch. Two clocks for what no change can tell. Left out: pull mode, dividing replicas, conflicts, errors, and speed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

PROBE_S, THRESHOLD_S, MONITOR_S, EVICTION_S, START_S = 10.0, 30.0, 5.0, 300.0, 3.0


class Store:
    """Objects by kind and name, and a clock. Whoever watches a kind is woken when an object of it changes."""

    def __init__(self) -> None:
        self.now = 0.0
        self.objects: dict[tuple[str, str], dict[str, Any]] = {}
        self.log: list[tuple[float, str, str, dict[str, Any] | None, dict[str, Any] | None]] = []
        self.watchers: dict[str, list[Callable[[str], None]]] = {}
        self._woken: list[tuple[Callable[[str], None], str]] = []
        self._timers: list[tuple[float, Callable[..., None], tuple[str, ...]]] = []

    def get(self, kind: str, name: str) -> Any:
        return self.objects.get((kind, name))

    def put(self, kind: str, name: str, **fields: Any) -> None:
        """Create an object, or change some of its fields."""
        self.write(kind, name, {**(self.get(kind, name) or {}), **fields})

    def write(self, kind: str, name: str, new: dict[str, Any] | None) -> None:
        """Write an object, or delete it. Writing the same again wakes nobody, or there would never be rest."""
        old = self.objects.pop((kind, name), None)
        if new is not None:
            self.objects[kind, name] = new
        if new != old:
            self.log.append((self.now, kind, name, old, new))
            self._woken.extend((reconcile, name) for reconcile in self.watchers.get(kind, ()))

    def later(self, delay_s: float, call: Callable[..., None], *names: str) -> None:
        self._timers.append((self.now + delay_s, call, names))
        self._timers.sort(key=lambda timer: timer[0])

    def run(self, until_s: float) -> None:
        """First all that was woken; only then may time pass, up to the next timer."""
        while self._woken or (self._timers and self._timers[0][0] <= until_s):
            if self._woken:
                reconcile, name = self._woken.pop(0)
                reconcile(name)
            else:
                self.now, call, names = self._timers.pop(0)
                call(*names)
        self.now = until_s


class TinyKarmada(Store):
    """The control plane: the controllers in `WATCHES` are woken, `probe` and `monitor` look by their own clock."""

    WATCHES = (
        *(("Deployment", "detect"), ("Policy", "detect"), ("Binding", "schedule"), ("Binding", "bind")),
        *(("Work", "execute"), ("Work", "aggregate"), ("Work", "finish"), ("Cluster", "taint"), ("Cluster", "evict")),
    )

    def __init__(self, members: Sequence[str], first_probe_s: float = 0.0, without: Collection[str] = ()) -> None:
        super().__init__()
        self.powered = dict.fromkeys(members, True)  # what is true; the Cluster objects are what is believed
        self.seen = dict.fromkeys(members, (True, 0.0))  # the last answer of each, and since when it is so
        for kind, controller in self.WATCHES:
            if controller not in without:
                self.watchers.setdefault(kind, []).append(getattr(self, controller))
        for name in members:
            self.put("Cluster", name, ready=True, since=0.0, taints={})
            self.later(first_probe_s, self.probe, name)
        self.later(0.0, self.monitor)

    def detect(self, name: str) -> None:
        template, policy = self.get("Deployment", name), self.get("Policy", name)
        if template and policy:
            kept = self.get("Binding", name) or {"clusters": [], "evicting": []}
            self.put("Binding", name, **{**kept, **policy, "replicas": template["replicas"]})

    def schedule(self, name: str) -> None:
        binding = self.get("Binding", name)
        taken = (*binding["clusters"], *binding["evicting"])
        fit = [c for c in binding["allowed"] if c not in taken and not self.get("Cluster", c)["taints"]]
        self.put("Binding", name, clusters=[*binding["clusters"], *fit][: binding["groups"]])

    def bind(self, name: str) -> None:
        binding = self.get("Binding", name)
        for cluster in self.powered:
            if cluster in binding["clusters"]:
                self.put("Work", f"{name}@{cluster}", replicas=binding["replicas"])
            elif cluster not in binding["evicting"]:  # an old copy stays while its replacement starts
                self.write("Work", f"{name}@{cluster}", None)

    def execute(self, work: str) -> None:
        wanted, pods = self.get("Work", work), self.get("Pods", work)
        if not self.powered[work.partition("@")[2]]:
            self.later(PROBE_S, self.execute, work)  # nothing is forgotten: the Work says what is still to be done
        elif wanted is None:
            self.write("Pods", work, None)
        elif pods is None or pods["replicas"] != wanted["replicas"]:
            self.put("Pods", work, replicas=wanted["replicas"])
            self.later(START_S, self.report, work)

    def report(self, work: str) -> None:
        if self.powered[work.partition("@")[2]] and self.get("Work", work):
            self.put("Work", work, ready=self.get("Pods", work)["replicas"])

    def aggregate(self, work: str) -> None:
        name = work.partition("@")[0]
        works = [self.get("Work", f"{name}@{cluster}") or {} for cluster in self.powered]
        self.put("Deployment", name, ready=sum(work.get("ready", 0) for work in works))

    def finish(self, work: str) -> None:
        name = work.partition("@")[0]
        binding = self.get("Binding", name)
        works = [self.get("Work", f"{name}@{cluster}") or {} for cluster in binding["clusters"]]
        if len(works) == binding["groups"] and all(w.get("ready") == binding["replicas"] for w in works):
            self.put("Binding", name, evicting=[])

    def taint(self, cluster: str) -> None:
        state = self.get("Cluster", cluster)
        self.put("Cluster", cluster, taints={} if state["ready"] else {"NoSchedule": self.now, **state["taints"]})

    def evict(self, cluster: str) -> None:
        added = self.get("Cluster", cluster)["taints"].get("NoExecute")
        for name in [name for kind, name in self.objects if kind == "Binding" and added is not None]:
            binding = self.get("Binding", name)
            kept = [c for c in binding["clusters"] if c != cluster]
            if kept != binding["clusters"] and self.now < added + binding["tolerates_s"]:
                self.later(added + binding["tolerates_s"] - self.now, self.evict, cluster)
            elif kept != binding["clusters"]:
                self.put("Binding", name, clusters=kept, evicting=[*binding["evicting"], cluster])

    def probe(self, cluster: str) -> None:
        answers, (before, since) = self.powered[cluster], self.seen[cluster]
        self.seen[cluster] = answers, since if answers == before else self.now
        if answers != self.get("Cluster", cluster)["ready"] and self.now >= self.seen[cluster][1] + THRESHOLD_S:
            self.put("Cluster", cluster, ready=answers, since=self.now)
        self.later(PROBE_S, self.probe, cluster)

    def monitor(self) -> None:
        for cluster in self.powered:
            state = self.get("Cluster", cluster)
            if not state["ready"] and self.now > state["since"] + EVICTION_S:
                self.put("Cluster", cluster, taints={"NoExecute": self.now, **state["taints"]})
        self.later(MONITOR_S, self.monitor)
