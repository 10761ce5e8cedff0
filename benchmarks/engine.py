"""How fast time passes: the engine beside a bare heap and SimPy, the store and the controllers, and whole labs.

    python benchmarks/engine.py [--quick]

Everything is measured in one run, so that the ratios hold on any machine. Each figure is the best of several rounds:
noise only ever adds.
"""

from __future__ import annotations

import argparse
import gc
import heapq
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import simpy

from karmadalab import Lab, Settings
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.native import Lease, LeaseSpec
from karmadalab.core.clock import VirtualClock
from karmadalab.core.controller import DONE, Result, Watch
from karmadalab.core.manager import Manager
from karmadalab.core.queue import Request
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace

TIMERS = 100
ENVIRONMENTS = Path(__file__).parents[1] / "environments"


def bare_heap(rounds: int) -> tuple[int, float]:
    """The least that any event loop has to do."""
    heap = [(0.0, number) for number in range(TIMERS)]
    started, fired = time.perf_counter(), 0
    while heap[0][0] < rounds:
        when, number = heapq.heappop(heap)
        heapq.heappush(heap, (when + 1.0, number))
        fired += 1
    return fired, time.perf_counter() - started


def simpy_timers(rounds: int) -> tuple[int, float]:
    """SimPy, as its documentation writes a periodic process."""
    env = simpy.Environment()

    def beat(env: simpy.Environment):  # type: ignore[no-untyped-def] # a generator of SimPy's own events
        while True:
            yield env.timeout(1.0)

    for _ in range(TIMERS):
        env.process(beat(env))
    started = time.perf_counter()
    env.run(until=rounds)
    return TIMERS * rounds, time.perf_counter() - started


def engine_timers(rounds: int) -> tuple[int, float]:
    """The lab's clock with the same timers."""
    clock = VirtualClock()

    def beat() -> None:
        clock.call_later(1.0, beat)

    for _ in range(TIMERS):
        clock.call_later(0.0, beat)
    started = time.perf_counter()
    clock.run_until(clock.now() + rounds)
    return TIMERS * (rounds + 1), time.perf_counter() - started


class Idle:
    """A controller that looks and finds nothing to do."""

    def __init__(self, name: str, store: Store) -> None:
        self.name, self._store, self.runs = name, store, 0

    def watches(self) -> list[Watch]:
        """All leases."""
        return [Watch(self._store, Lease)]

    def reconcile(self, request: Request) -> Result:
        """Count."""
        self.runs += 1
        return DONE


def engine_updates(rounds: int) -> tuple[int, int, float]:
    """Each timer updates one stored object that two controllers watch: (timers, timers and reconciles, seconds)."""
    clock = VirtualClock()
    trace = Trace(clock.now)
    store = Store(clock, trace)
    for number in range(TIMERS):
        store.create(Lease(metadata=ObjectMeta(name=f"lease{number}", namespace="bench")))
    controllers = [Idle("first", store), Idle("second", store)]
    Manager("bench", clock, trace, Settings(), lambda manager: controllers).start()
    clock.run_until(clock.now())
    for controller in controllers:
        controller.runs = 0

    def beat(name: str) -> None:
        lease = store.get(Lease, name, "bench")
        spec = LeaseSpec(leaseDurationSeconds=lease.spec.leaseDurationSeconds + 1)
        store.update(replace(lease, spec=spec))
        clock.call_later(1.0, beat, name)

    for number in range(TIMERS):
        clock.call_later(0.0, beat, f"lease{number}")
    before, started = len(trace), time.perf_counter()
    clock.run_until(clock.now() + rounds)
    seconds = time.perf_counter() - started
    timers = len(trace) - before  # each writes once
    return timers, timers + sum(controller.runs for controller in controllers), seconds


def best(measure: Callable[[], float], times: int) -> float:
    """The least of several measurements, in seconds."""
    results = []
    for _ in range(times):
        gc.collect()
        results.append(measure())
    return min(results)


def rate(run: Callable[[int], tuple[int, float]], rounds: int, times: int) -> float:
    """Events a second, best of several runs."""
    results = []
    for _ in range(times):
        gc.collect()
        count, seconds = run(rounds)
        results.append(count / seconds)
    return max(results)


def in_turn(rounds: int, times: int) -> tuple[float, float, float]:
    """SimPy's bare rate, and ours with updates in timers and in events, a second.

    Run in turn, so that a slow spell of the machine meets both; the best of each.
    """
    rates = []
    for _ in range(times):
        gc.collect()
        bare, bare_s = simpy_timers(rounds)
        gc.collect()
        timers, events, ours_s = engine_updates(rounds)
        rates.append((bare / bare_s, timers / ours_s, events / ours_s))
    sim, timers_s, events_s = (max(column) for column in zip(*rates, strict=True))
    return sim, timers_s, events_s


def failover_s() -> float:
    """The default failover: 5 members, 1 Deployment, 30 cluster minutes."""
    lab = Lab.fake(ENVIRONMENTS / "five-members.yaml")
    started = time.perf_counter()
    lab.apply(ENVIRONMENTS / "nginx.yaml")
    lab.run("1m")
    lab.fault("member1").power_off()
    lab.run("29m")
    return time.perf_counter() - started


def new_lab_s() -> float:
    """From a fleet file to a lab with all clusters Ready."""
    started = time.perf_counter()
    Lab.fake(ENVIRONMENTS / "five-members.yaml")
    return time.perf_counter() - started


def idle_day_s() -> float:
    """24 hours of 3 idle clusters."""
    lab = Lab.fake(ENVIRONMENTS / "three-members.yaml")
    started = time.perf_counter()
    lab.run("24h")
    return time.perf_counter() - started


def import_s() -> float:
    """`import karmadalab` in a new process, less what an empty one takes."""

    def process_s(code: str) -> float:
        started = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - started

    return min(process_s("import karmadalab") for _ in range(7)) - min(process_s("pass") for _ in range(7))


_BIG = """
import resource, sys, time
from karmadalab import Lab
members, bindings = int(sys.argv[1]), int(sys.argv[2])
started = time.perf_counter()
lab = Lab.fake(members=members)
objects = []
for i in range(bindings):
    name = f"app{i:04d}"
    near = [f"member{(i + k) % members + 1}" for k in range(3)]
    objects.append({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": {
        "replicas": 2, "selector": {"matchLabels": {"app": name}}, "template": {"metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "c", "image": "nginx"}]}}}})
    objects.append({"apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagationPolicy", "metadata": {"name": name},
        "spec": {"resourceSelectors": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": name}], "placement": {
        "clusterAffinity": {"clusterNames": near}, "spreadConstraints": [{"spreadByField": "cluster", "minGroups": 2,
        "maxGroups": 2}], "replicaScheduling": {"replicaSchedulingType": "Duplicated"}}}})
lab.apply(objects)
lab.run("1m")
made = time.perf_counter()
lab.fault("member1").power_off()
lab.run("15m")
moved = sum(1 for row in lab.timeline.where(kind="ResourceBinding", what="gracefulEvictionTasks changed")
            if row.detail["from"] is None)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(f"{made - started:.2f} {time.perf_counter() - made:.2f} {peak:.0f} {moved} {len(lab.trace)}")
"""


def big(members: int, bindings: int) -> str:
    """A large fleet loses a member; measured in a process of its own for its memory."""
    run = subprocess.run(
        [sys.executable, "-c", _BIG, str(members), str(bindings)], check=True, capture_output=True, text=True
    )
    made, failed, peak, moved, rows = run.stdout.split()
    failure = f"15 minutes with a dead member {failed} s, {moved} bindings moved"
    return f"set up {made} s, {failure}, {rows} rows, peak {peak} MiB"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, no large fleets")
    quick = parser.parse_args().quick
    rounds, times = (300, 3) if quick else (1000, 5)
    heap, ours = rate(bare_heap, rounds, times), rate(engine_timers, rounds, times)
    sim, timers, events = in_turn(rounds, 4 * times)
    print(f"bare heapq                     {heap:12,.0f} events/s")
    print(f"SimPy {simpy.__version__:<24} {sim:12,.0f} events/s   1.00")
    print(f"engine, the same timers        {ours:12,.0f} events/s   {ours / sim:.2f} of SimPy")
    print(f"engine, updates, timers only   {timers:12,.0f} timers/s   {timers / sim:.2f} of SimPy's bare rate")
    print(f"engine, updates, with reconciles {events:10,.0f} events/s   {events / sim:.2f} of SimPy's bare rate")
    print(f"default failover               {best(failover_s, times) * 1000:12.1f} ms")
    print(f"a new lab                      {best(new_lab_s, times) * 1000:12.1f} ms")
    print(f"24 h of 3 idle clusters        {best(idle_day_s, times) * 1000:12.0f} ms")
    print(f"import karmadalab              {import_s() * 1000:12.0f} ms")
    print(f"peak memory of this process    {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:12.0f} MiB")
    if not quick:
        for members, bindings in ((100, 1000), (200, 2000)):
            print(f"{members} members, {bindings} bindings: {big(members, bindings)}")


if __name__ == "__main__":
    main()
