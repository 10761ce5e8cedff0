"""`karmadalab kind up|down|status`: a fleet of real member clusters on this machine."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from karmadalab.cli.refusals import refusals
from karmadalab.core.clock import stopwatch

app = typer.Typer(help="Real member clusters with kind: make them, look at them, remove them.", no_args_is_help=True)
Fleet = Annotated[Path, typer.Argument(metavar="FILE", help="a fleet, for example environments/kind-three.yaml")]
KnownFleet = Annotated[
    str | None, typer.Argument(metavar="[FILE]", help="a fleet's file or name; by default all that up has made")
]


@app.command()
def up(file: Fleet = Path("environments/kind-three.yaml")) -> None:
    """Make the clusters of a fleet that are missing; those that are up stay as they are."""
    with refusals():
        from karmadalab.environments.kind.fleet import read_kind_fleet
        from karmadalab.environments.kind.updown import Clusters, FleetError

        clusters = Clusters(read_kind_fleet(file), on_step=_Teller())
        name = clusters.fleet.name
        with _interruptible(f"karmadalab kind up {file} goes on, karmadalab kind down {name} removes what was begun"):
            try:
                clusters.up()
            except FleetError as error:  # not a wrong question: something is not as it should be
                typer.echo(f"karmadalab: {error}", err=True)
                raise typer.Exit(1) from None
        path = clusters.folder.kubeconfig(clusters.fleet.members[0].name)
    typer.echo(f"fleet {name} is up. Your own kubeconfig is as it was; to look in with kubectl:")
    typer.echo(f"  kubectl --kubeconfig {path} get nodes")
    typer.echo(f"  karmadalab kind down {name}    # removes it")


@app.command()
def down(fleet: KnownFleet = None) -> None:
    """Remove exactly what up has made, finished or not."""

    def remove(name: str) -> str:
        from karmadalab.environments.kind.state import FleetFolder
        from karmadalab.environments.kind.tool import Kind
        from karmadalab.environments.kind.updown import take_down

        with _interruptible(f"what is left of fleet {name} is still known: karmadalab kind down {name} goes on"):
            deleted = take_down(FleetFolder(name), Kind(), _Teller())
        return f"deleted {', '.join(deleted) or 'nothing, no cluster of it was there'}"

    _each(fleet, remove, "there is nothing to remove")


@app.command()
def heal(fleet: KnownFleet = None) -> None:
    """Undo what the faults of a lab that was killed have left on the machines."""

    def undo(name: str) -> str:
        from karmadalab.environments.kind.engine import Engine
        from karmadalab.environments.kind.measures import Measures
        from karmadalab.environments.kind.state import FleetFolder

        measures = Measures(Engine.found(), FleetFolder(name))
        left = [f"{measure.node}: {measure.what}" for measure in measures.taken]
        measures.undo()
        return "; ".join(left) or "nothing was left to undo"

    _each(fleet, undo, "there is nothing to undo")


@app.command()
def status(
    fleet: KnownFleet = None,
    as_json: Annotated[bool, typer.Option("--json", help="as data")] = False,
) -> None:
    """Say how each cluster is. Exits with 1 unless all are ready."""
    with refusals():
        from karmadalab.environments.kind.state import FleetFolder
        from karmadalab.environments.kind.status import status_of
        from karmadalab.environments.kind.tool import Kind

        rows = [(name, row) for name in _names(fleet) for row in status_of(FleetFolder(name), Kind())]
    if as_json:
        typer.echo(json.dumps([{"fleet": name, **row._asdict()} for name, row in rows], indent=1))
    elif not rows and fleet:
        typer.echo(f"{_none_of(fleet)}; karmadalab kind up FILE makes it")
    elif not rows:
        typer.echo(f"{_NONE}; karmadalab kind up makes some")
    else:
        for name, row in rows:
            nodes = ", ".join(f"{node} {state}" for node, state in row.nodes.items()) or "no node"
            typer.echo(f"{name:<10} {row.member:<10} {row.phase:<9} {nodes}  {row.message}".rstrip())
    if any(row.phase != "ready" for _, row in rows) or (fleet and not rows):
        raise typer.Exit(1)


_NONE = "karmadalab has made no clusters"


def _each(fleet: str | None, do: Callable[[str], str], nothing: str) -> None:
    """Do something to each fleet that is meant; one that refuses keeps no other from it."""
    from karmadalab.environments.kind.state import fleets

    with refusals():
        known = fleets()
        names = [name for name in _names(fleet) if name in known]
    refused: list[typer.Exit] = []
    for name in names:
        try:
            with refusals():
                typer.echo(f"fleet {name}: {do(name)}")
        except typer.Exit as error:
            refused.append(error)
    if not names:
        typer.echo(f"{_none_of(fleet)}; {nothing}")
    if refused:
        raise refused[0]


def _names(fleet: str | None) -> list[str]:
    """The fleets that are meant: one by its name or file, or all that are known."""
    from karmadalab.environments.fleet import check_name
    from karmadalab.environments.kind.fleet import read_kind_fleet
    from karmadalab.environments.kind.state import fleets

    if fleet is None:
        return fleets()
    if fleet.endswith((".yaml", ".yml")):
        return [read_kind_fleet(fleet).name]
    check_name("fleet", fleet, set())  # it becomes a path
    return [fleet]


def _none_of(fleet: str | None) -> str:
    from karmadalab.environments.kind.state import fleets

    if fleet is None:
        return _NONE
    known = f" (it has made some for {', '.join(fleets())})" if fleets() else ""
    return f"{_NONE} for {fleet}{known}"


@contextmanager
def _interruptible(advice: str) -> Iterator[None]:
    """Whoever presses Ctrl-C is told how to go on."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"karmadalab: interrupted; {advice}", err=True)
        raise typer.Exit(130) from None


class _Teller:
    """Prints progress, a line a step, as it comes from several clusters at once."""

    def __init__(self) -> None:
        self._began = stopwatch()
        self._lock = threading.Lock()

    def __call__(self, member: str, step: object) -> None:
        with self._lock:
            typer.echo(f"{stopwatch() - self._began:5.0f}s  {member:<10} {step}", err=True)
