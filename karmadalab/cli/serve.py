"""`karmadalab serve`: a live world that the real kubectl talks to, until Ctrl-C."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import typer

from karmadalab.environments.files import load_yaml
from karmadalab.lab import Lab


def serve_lab(
    fleet: Path | None,
    speed: float,
    port: int,
    flags: Mapping[str, Any],
    seed: int | None = None,
    data: Path | None = None,
    folder: Path | None = None,
) -> None:
    """Start a live lab and its server, say how to reach it, and end both on Ctrl-C.

    Args:
        fleet: a fleet file; three members without one.
        speed: lab seconds for each real second.
        port: where to listen on loopback; 0 for any free one.
        flags: Karmada's flags that differ from the defaults.
        seed: for phases and ids.
        data: an SQLite file in which the control plane's objects outlive the process.
        folder: where the kubeconfig goes; a new one that goes with the process without it.
    """
    document = load_yaml(fleet) if fleet is not None else None
    if isinstance(document, dict) and "fleet" in document:
        typer.echo(f"of {fleet} only the fleet is served; karmadalab run goes through the scenario", err=True)
    lab = Lab.live(fleet, speed=speed, settings=flags, seed=seed, data=data)
    run_until_stopped(
        lab.serve(port=port, folder=folder), f"{lab.settings.banner()}, {speed:g} s in the lab each second"
    )


def run_until_stopped(served: Any, banner: str) -> None:
    """Say how to reach a server, then wait for Ctrl-C (or SIGTERM) and end it cleanly."""
    signal.signal(signal.SIGTERM, as_interrupt)
    try:
        with served:
            typer.echo(banner)
            for name, value in served.environment.items():
                typer.echo(exported(name, value))
            sys.stdout.flush()  # a pipe shall hear it now
            typer.echo(f"serving {', '.join(served.contexts)} at {served.address}; Ctrl-C ends it", err=True)
            served.wait()
    except KeyboardInterrupt:
        typer.echo("ended", err=True)


def exported(name: str, value: str, windows: bool = os.name == "nt") -> str:
    """The line that sets a variable, for a person to paste.

    >>> exported("KUBECONFIG", "my lab/k", windows=False), exported("KUBECONFIG", "my lab/k", windows=True)
    ("export KUBECONFIG='my lab/k'", "$env:KUBECONFIG = 'my lab/k'")
    """
    if windows:
        quoted = value.replace("'", "''")
        return f"$env:{name} = '{quoted}'"
    return f"export {name}={shlex.quote(value)}"


def as_interrupt(number: int, frame: FrameType | None) -> None:
    """Let a polite request to end (SIGTERM) do what Ctrl-C does."""
    raise KeyboardInterrupt
