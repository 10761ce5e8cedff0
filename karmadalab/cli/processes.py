"""`karmadalab member` and `karmadalab agent`: parts of a live world as processes that one can kill."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import typer

from karmadalab.api.errors import BadRequest
from karmadalab.cli.serve import as_interrupt, run_until_stopped
from karmadalab.core.settings import Settings
from karmadalab.core.trace import Trace
from karmadalab.core.wall_clock import WallClock
from karmadalab.environments.agent import Agent
from karmadalab.environments.fleet import MemberSpec, read_fleet
from karmadalab.environments.http.lab_time import clock_of
from karmadalab.environments.kind.official import OfficialTransport
from karmadalab.environments.member import SimulatedMember


def serve_member(
    name: str, fleet: Path | None, karmada: Path | None, speed: float, port: int, folder: Path | None
) -> None:
    """Serve one simulated member until Ctrl-C.

    Args:
        name: of the member.
        fleet: where it is described; a plain one without.
        karmada: a kubeconfig of the control plane, to go by its time.
        speed: lab seconds for each real second, where there is no control plane to go by.
        port, folder: as for `serve`.
    """
    from karmadalab.server import serve_store

    spec = _spec(name, fleet)
    clock = clock_of(OfficialTransport(karmada)) if karmada is not None else WallClock(speed=speed)
    trace = Trace(clock.now)
    member = SimulatedMember(spec, clock, trace, Random(0))
    clock.begin()
    served = serve_store(member.store, name, spec.kubernetes, port=port, folder=folder)
    run_until_stopped(served, f"{name}, Kubernetes {spec.kubernetes}")


def run_agent(name: str, karmada: Path, kubeconfig: Path | None, flags: Mapping[str, Any], seed: int | None) -> None:
    """Run the agent of a pull-mode member until Ctrl-C.

    Args:
        name: of the member.
        karmada: a kubeconfig of the control plane.
        kubeconfig: one of the member itself; None in a pod of it.
        flags: Karmada's flags that differ from the defaults.
        seed: for the jitter of heartbeats.
    """
    settings = Settings().with_flags(flags)
    agent = Agent(
        name,
        OfficialTransport(karmada, user_agent=f"karmada-agent@{name}"),
        OfficialTransport(kubeconfig, user_agent=f"karmada-agent@{name}"),
        settings,
        Random(seed),
    )
    signal.signal(signal.SIGTERM, as_interrupt)
    typer.echo(f"running karmada-agent@{name}; Ctrl-C ends it")
    sys.stdout.flush()  # a pipe shall hear it now
    try:
        agent.run()
    except KeyboardInterrupt:
        typer.echo("ended", err=True)


def _spec(name: str, fleet: Path | None) -> MemberSpec:
    if fleet is None:
        return read_fleet([name]).members[0]
    members = read_fleet(fleet).members
    found = next((spec for spec in members if spec.name == name), None)
    if found is None:
        raise BadRequest(f"{fleet}: has no member {name}; it has {', '.join(spec.name for spec in members)}")
    return found
