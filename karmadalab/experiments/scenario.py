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

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from karmadalab.api.errors import BadRequest, Invalid, KarmadalabError
from karmadalab.api.meta import Data
from karmadalab.api.scheme import convert
from karmadalab.core.settings import Settings
from karmadalab.environments.files import load_yaml
from karmadalab.environments.fleet import Fleet, read_fleet
from karmadalab.environments.phases import Phases
from karmadalab.experiments.actions import Action, located, read_action
from karmadalab.experiments.evidence import Evidence
from karmadalab.experiments.expectations import Expectation, read_expectations
from karmadalab.experiments.judge import judge
from karmadalab.experiments.membership import with_joiners
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
    scheduler_latency: Length = Phases.scheduler_latency_s


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
        where, base, raw = str(source), Path(source).parent, load_yaml(source)
    if not isinstance(raw, dict):
        raise Invalid(f"{where}: a scenario is a mapping with about, fleet and until, not {type(raw).__name__}")
    if "members" in raw and "fleet" not in raw:
        raise Invalid(f"{where}: is a fleet, not a scenario; a scenario names it as its fleet, beside about and until")
    data = convert(raw, ScenarioData, where)
    scenario = _scenario(data, where, base, settings or {}, seed)
    _rehearse(scenario)
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
        with _saying(path):
            action.act(lab, scenario.base)
        if action.name:
            moments[action.name] = at_s
    lab.run(max(0.0, scenario.until_s - lab.t))
    return ScenarioResult(scenario.where, scenario.about, lab, judge(scenario.expect, Evidence(lab, moments)))


def _scenario(data: ScenarioData, where: str, base: Path, settings: Mapping[str, Any], seed: int | None) -> Scenario:
    with _saying(f"{where}: settings"):
        flags = Settings().with_flags(data.settings)
    fleet = _fleet(data.fleet, where, base)
    until_s = length(data.until, f"{where}: until")
    everyone = with_joiners(fleet, data.actions, f"{where}: actions")
    timed = sorted(_timed(data, everyone, until_s, where), key=lambda item: item[0])
    names = [action.name for _, action, _ in timed if action.name]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise Invalid(f"{where}: actions: the name {twice!r} is used twice; every moment needs its own name")
    return Scenario(
        where=where,
        base=base,
        about=data.about,
        fleet=fleet,
        settings=flags.with_flags(settings),
        seed=data.seed if seed is None else seed,
        phases=_phases(data.phases, fleet, f"{where}: phases"),
        manifests=data.manifests,
        actions=tuple((at_s, action) for at_s, action, _ in timed),
        until_s=until_s,
        expect=read_expectations(data.expect, everyone, names, f"{where}: expect"),
        paths=tuple(path for _, _, path in timed),
    )


def _fleet(data: Any, where: str, base: Path) -> Fleet:
    if isinstance(data, str):
        return read_fleet(base / data)
    return read_fleet(data, f"{where}: fleet")


def _timed(data: ScenarioData, fleet: Fleet, until_s: float, where: str) -> list[tuple[float, Action, str]]:
    timed = []
    for index, item in enumerate(data.actions):
        path = f"{where}: actions[{index}]"
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


def _rehearse(scenario: Scenario) -> None:
    """Do everything at once in a lab whose time stands still, to hear what it says."""
    lab = scenario.lab()
    if scenario.manifests:
        with _saying(f"{scenario.where}: manifests"):
            lab.apply(located(scenario.manifests, scenario.base))
    for (_, action), path in zip(scenario.actions, scenario.paths, strict=True):
        with _saying(path):
            action.act(lab, scenario.base)


class _saying:  # noqa: N801 # used like a function, as contextlib's own are
    """For the length of a block, refusals say which part of the file they are about."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, KarmadalabError):
            raise Invalid(f"{self.path}: {error}") from None
