"""Scenario files: a fleet, its flags, what is applied, what goes wrong and when, and what should come of it.

    about: A push member loses power and its workload moves.
    fleet: five-members.yaml
    seed: 1
    settings: {failover-eviction-timeout: 1m}
    manifests: [nginx.yaml]
    actions:
      - {at: 1m, fault: power_off, target: member1, name: fault}
    until: 20m
    expect:
      - {happens: "Cluster member1: condition Ready True -> False", between: [30s, 40s], after: fault}

A file is read strictly, and then rehearsed: all that it does is tried on a lab whose time stands still. So whatever is
wrong is said before anything runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from karmadalab.api.codec import convert
from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.api.meta import Data
from karmadalab.core.settings import Settings
from karmadalab.environments.files import parse_yaml, read_text, single
from karmadalab.environments.fleet import Fleet, read_fleet
from karmadalab.environments.phases import Phases
from karmadalab.experiments.actions import Action, located, read_action
from karmadalab.experiments.evidence import Evidence
from karmadalab.experiments.expectations import Expectation, read_expectations
from karmadalab.experiments.judge import judge
from karmadalab.experiments.membership import with_joiners
from karmadalab.experiments.refusals import Refusals, saying
from karmadalab.experiments.rehearsal import Part, check_names, rehearse
from karmadalab.experiments.result import ScenarioResult
from karmadalab.experiments.words import Length, known, length
from karmadalab.lab import Lab

Source = str | Path | Mapping[str, Any]


class PhasesData(Data, rename="kebab"):
    """At which beat the loops fall and how quick the processes are; members that are not named beat at 0 s."""

    monitor: Length = 0.0
    probes: dict[str, Length] = {}
    jitter: bool = True
    latency: Length = 0.0
    scheduler_latency: Length = Phases().scheduler_latency_s


class ScenarioData(Data):
    """A scenario file as it is written."""

    about: str
    fleet: Any
    until: Length
    settings: dict[str, Any] = {}
    seed: int | None = None
    phases: PhasesData | None = None
    manifests: tuple[Any, ...] = ()
    actions: tuple[Any, ...] = ()
    expect: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Scenario:
    """A scenario that was read and found to make sense.

    Attributes:
        where: the file, for messages.
        base: the folder that file names in it start from.
        actions: in the order of their times.
    """

    where: str
    base: Path
    about: str
    fleet: Fleet
    settings: Settings
    seed: int | None
    phases: Phases | None
    manifests: tuple[Any, ...]
    actions: tuple[tuple[float, Action], ...]
    until_s: float
    expect: tuple[Expectation, ...]
    paths: tuple[str, ...] = field(repr=False)

    def lab(self) -> Lab:
        """A lab of this fleet under these flags, in which nothing was done yet."""
        return Lab.fake(self.fleet, seed=self.seed, settings=self.settings, phases=self.phases)

    def __repr__(self) -> str:
        return f"<Scenario {self.where}: {self.about.strip().splitlines()[0]}>"


def read_scenario(source: Source, settings: Mapping[str, Any] | None = None, seed: int | None = None) -> Scenario:
    """Read a scenario and rehearse it.

    Args:
        source: a file, or a mapping with the same content (its file names start from the current folder).
        settings: flags that differ from those of the file.
        seed: another seed than the file's.

    Raises:
        Invalid, BadRequest: what is wrong, in which file and at which path; nothing was run.
    """
    if isinstance(source, Mapping):
        where, base, raw = "scenario", Path(), dict(source)
    else:
        where, base, raw = str(source), Path(source).parent, _document(source)
    if not isinstance(raw, dict):
        raise Invalid(f"{where}: a scenario is a mapping with about, fleet and until, not {type(raw).__name__}")
    if "members" in raw and "fleet" not in raw:
        raise Invalid(f"{where}: is a fleet, not a scenario; a scenario names it as its fleet, beside about and until")
    data = convert(raw, ScenarioData, where)
    found = Refusals()
    scenario, expectations = _scenario(data, where, base, settings or {}, seed, found)
    _rehearse(scenario, expectations, len(scenario.actions) == len(data.actions), found)
    found.settle()
    return scenario


def run_scenario(
    source: Source | Scenario, settings: Mapping[str, Any] | None = None, seed: int | None = None
) -> ScenarioResult:
    """Run a scenario to its end and judge it.

    Args:
        source: a file, a mapping, or a scenario that was read.
        settings: flags that differ from those of the file, `{"cluster-failure-threshold": "60s"}`.
        seed: another seed than the file's.

    Returns:
        the lab as it was at the end, and what became of each expectation.

    Raises:
        Invalid, BadRequest: the scenario makes no sense; nothing was run.
    """
    if isinstance(source, Scenario):
        if settings or seed is not None:
            raise BadRequest("run_scenario: give flags and seed to read_scenario; this one is read already")
        scenario = source
    else:
        scenario = read_scenario(source, settings, seed)
    lab = scenario.lab()
    moments = {}
    if scenario.manifests:
        lab.apply(located(scenario.manifests, scenario.base))
    for (at_s, action), path in zip(scenario.actions, scenario.paths, strict=True):
        lab.run(max(0.0, at_s - lab.t))
        with saying(path):
            action.act(lab, scenario.base)
        if action.name:
            moments[action.name] = at_s
    lab.run(max(0.0, scenario.until_s - lab.t))
    return ScenarioResult(scenario.where, scenario.about, lab, judge(scenario.expect, Evidence(lab, moments)))


def _document(source: str | Path) -> Any:
    """The single document of a file, unless it holds something else that is often at hand."""
    documents = parse_yaml(read_text(source), str(source))
    if documents and all(isinstance(item, dict) and {"apiVersion", "kind"} <= set(item) for item in documents):
        raise Invalid(
            f"{source}: these are manifests, not a scenario; a scenario lists them under manifests, "
            "beside about, fleet and until"
        )
    return single(documents, str(source))


def _scenario(
    data: ScenarioData, where: str, base: Path, settings: Mapping[str, Any], seed: int | None, found: Refusals
) -> tuple[Scenario, tuple[Part, ...]]:
    """The parts of a file that make sense, and its expectations with their paths; the rest is noted."""
    fleet = _fleet(data.fleet, where, base)  # nothing else can be judged without it
    everyone = with_joiners(fleet, data.actions, f"{where}: actions")
    until_s = math.inf
    with found.noted():
        until_s = length(data.until, f"{where}: until")
    timed = sorted(_timed(data, everyone, until_s, where, found), key=lambda item: item[0])
    names = [item["name"] for item in data.actions if isinstance(item, dict) and item.get("name")]
    with found.noted():
        _check_unique(names, f"{where}: actions")
    expect = read_expectations(data.expect, everyone, names, f"{where}: expect", found)
    flags, phases = Settings(), None
    with found.noted():
        flags = _flags(data.settings, settings, where)
    with found.noted():
        phases = _phases(data.phases, fleet, f"{where}: phases")
    scenario = Scenario(
        where=where,
        base=base,
        about=data.about,
        fleet=fleet,
        settings=flags,
        seed=data.seed if seed is None else seed,
        phases=phases,
        manifests=data.manifests,
        actions=tuple((at_s, action) for at_s, action, _ in timed),
        until_s=until_s,
        expect=tuple(expectation for _, expectation in expect),
        paths=tuple(path for _, _, path in timed),
    )
    return scenario, tuple(Part(*item) for item in expect)


def _flags(data: Mapping[str, Any], others: Mapping[str, Any], where: str) -> Settings:
    with saying(f"{where}: settings"):
        flags = Settings().with_flags(data)
    return flags.with_flags(others)


def _check_unique(names: list[str], where: str) -> None:
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise Invalid(f"{where}: the name {twice!r} is used twice; every moment needs its own name")


def _fleet(data: Any, where: str, base: Path) -> Fleet:
    if isinstance(data, str):
        return read_fleet(base / data)
    return read_fleet(data, f"{where}: fleet")


def _timed(
    data: ScenarioData, fleet: Fleet, until_s: float, where: str, found: Refusals
) -> list[tuple[float, Action, str]]:
    timed = []
    for index, item in enumerate(data.actions):
        path = f"{where}: actions[{index}]"
        with found.noted():
            action = read_action(item, fleet, path)
            at_s = length(action.at, f"{path}.at")
            if at_s > until_s:
                raise Invalid(f"{path}.at: {action.at} is after the end, until: {data.until}")
            timed.append((at_s, action, path))
    return timed


def _phases(data: PhasesData | None, fleet: Fleet, where: str) -> Phases | None:
    if data is None:
        return None
    probes = {}
    for member, phase in data.probes.items():
        known(member, [spec.name for spec in fleet.members], f"{where}.probes", "member")
        probes[member] = length(phase, f"{where}.probes.{member}")
    return Phases(
        monitor_s=length(data.monitor, f"{where}.monitor"),
        probe_s=probes,
        jitter=data.jitter,
        latency_s=length(data.latency, f"{where}.latency"),
        scheduler_latency_s=length(data.scheduler_latency, f"{where}.scheduler-latency"),
    )


def _rehearse(scenario: Scenario, expectations: tuple[Part, ...], complete: bool, found: Refusals) -> None:
    """Try all that the scenario does; with actions missing, later ones and names would be blamed for their absence."""
    lab = scenario.lab()
    manifests = Part(f"{scenario.where}: manifests", scenario.manifests)
    actions = [Part(path, action) for (_, action), path in zip(scenario.actions, scenario.paths, strict=True)]
    if rehearse(lab, scenario.base, manifests, actions if complete else (), found) and complete:
        check_names(lab, expectations, found)
