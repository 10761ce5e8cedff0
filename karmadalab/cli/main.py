"""The commands and their options; what they do stands in the modules beside this one.

Exit codes: 0 all is well, 1 something was not as it should be (an expectation, an exercise), 2 the question made no
sense. Bad input gets one sentence, never a traceback.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from karmadalab.cli import kind
from karmadalab.cli.refusals import refusals

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


FORMATS = ("table", "json", "html")


def _format(name: str) -> str:
    """Checks it by hand: an enumeration's message begins with "Value error"."""
    if name not in FORMATS:
        raise typer.BadParameter(f"there is no format {name!r}; write {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    return name


File = Annotated[Path, typer.Argument(metavar="FILE", help="a scenario, for example environments/failover.yaml")]
Files = Annotated[list[Path], typer.Argument(metavar="FILE", help="scenarios, one or several")]
Format = Annotated[
    str,
    typer.Option(
        callback=_format, metavar=f"[{'|'.join(FORMATS)}]", help="a timeline, its events as data, a page with a figure"
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="FLAG=VALUE", help="a flag, for example cluster-failure-threshold=60s; repeatable"),
]
Seed = Annotated[int | None, typer.Option(help="another seed than the file's")]


def _say_version(wanted: bool) -> None:
    if wanted:
        version()
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="say the version, and end")
    ] = False,
) -> None:
    """A Karmada control plane in pure Python that a person can stop, rewind, question and rebuild."""


@app.command()
def run(
    files: Files,
    format: Format = "table",
    output: Annotated[Path | None, typer.Option("-o", metavar="PATH", help="write there, not to the terminal")] = None,
    set: Set = None,
    seed: Seed = None,
) -> None:
    """Run scenarios and say whether they went as expected.

    Exits with 1 if one did not, and says what happened instead.
    """
    with refusals():
        from karmadalab.cli.run import run_and_show_all

        met = run_and_show_all(files, format, output, flags_of(set), seed)
    if not met:
        raise typer.Exit(1)


@app.command()
def explain(
    file: File,
    what: Annotated[str, typer.Argument(metavar="OBJECT", help="deployment/nginx, cluster/member1, pod/NAME@member2")],
    set: Set = None,
    seed: Seed = None,
) -> None:
    """Run a scenario, then tell how an object came to be where it is, from the first cause on."""
    with refusals():
        from karmadalab.experiments import run_scenario

        typer.echo(repr(run_scenario(file, flags_of(set), seed).lab.explain(what)))


@app.command()
def serve(
    fleet: Annotated[Path | None, typer.Argument(metavar="[FLEET]", help="a fleet file; three members without")] = None,
    speed: Annotated[float, typer.Option(help="seconds in the lab for each real second")] = 1.0,
    port: Annotated[int, typer.Option(help="where to listen on loopback; 0 for any free port")] = 0,
    set: Set = None,
    seed: Seed = None,
    data: Annotated[
        Path | None, typer.Option(metavar="PATH", help="keep the control plane's objects there (SQLite)")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="where the kubeconfig goes; by default a temporary folder")
    ] = None,
) -> None:
    """Start a live control plane with simulated members, for the real kubectl; Ctrl-C ends it.

    To break a member of a live lab, serve it from Python instead: docs/kubectl.md has the lines.
    """
    with refusals():
        from karmadalab.cli.serve import serve_lab

        serve_lab(fleet, speed, port, flags_of(set), seed, data, folder)


@app.command()
def member(
    name: Annotated[str, typer.Argument(metavar="NAME", help="the member's name")],
    fleet: Annotated[Path | None, typer.Option(metavar="FLEET", help="a fleet file that describes it")] = None,
    karmada: Annotated[
        Path | None, typer.Option(metavar="KUBECONFIG", help="of the control plane, to go by its time")
    ] = None,
    speed: Annotated[float, typer.Option(help="seconds in the lab for each real second")] = 1.0,
    port: Annotated[int, typer.Option(help="where to listen on loopback; 0 for any free port")] = 0,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="where the kubeconfig goes; by default a temporary folder")
    ] = None,
) -> None:
    """Serve one simulated member in a process of its own; Ctrl-C ends it."""
    with refusals():
        from karmadalab.cli.processes import serve_member

        serve_member(name, fleet, karmada, speed, port, folder)


@app.command()
def agent(
    member: Annotated[str, typer.Option(metavar="NAME", help="the member it is the agent of")],
    karmada: Annotated[Path, typer.Option(metavar="KUBECONFIG", help="of the control plane")],
    kubeconfig: Annotated[
        Path | None, typer.Option(metavar="KUBECONFIG", help="of the member; in a pod of it the service account's")
    ] = None,
    set: Set = None,
    seed: Seed = None,
) -> None:
    """Run karmada-agent of a pull-mode member in a process of its own: kill it, stop it, start it again."""
    with refusals():
        from karmadalab.cli.processes import run_agent

        run_agent(member, karmada, kubeconfig, flags_of(set), seed)


exercises = typer.Typer(help="Make the exercises out of their solutions, and try both.", no_args_is_help=True)
app.add_typer(exercises, name="exercises")
Solutions = Annotated[Path, typer.Option(metavar="FOLDER", help="where the sources are")]
Exercises = Annotated[Path, typer.Option(metavar="FOLDER", help="where the exercises are")]


@exercises.command()
def build(solutions: Solutions = Path("solutions"), exercises: Exercises = Path("exercises")) -> None:
    """Write an exercise for each solution; those that are right already are left alone."""
    with refusals():
        from karmadalab.teaching.exercises import build as build_exercises

        for path in build_exercises(solutions, exercises):
            typer.echo(str(path))


@exercises.command()
def verify(solutions: Solutions = Path("solutions"), exercises: Exercises = Path("exercises")) -> None:
    """Try that every solution passes, and that every unsolved exercise fails at its first check."""
    with refusals():
        from karmadalab.teaching.exercises import verify as verify_exercises

        problems = verify_exercises(solutions, exercises)
    for problem in problems:
        typer.echo(problem)
    if problems:
        raise typer.Exit(1)
    typer.echo("every solution passes, and every exercise is unsolved at its first check")


@app.command()
def check(
    check_id: Annotated[str, typer.Argument(metavar="NN.x", help="the check, for example 11.1")],
    folder: Annotated[Path, typer.Option(metavar="FOLDER", help="where the labs are")] = Path("exercises"),
    file: Annotated[
        Path | None, typer.Option(metavar="NOTEBOOK", help="the notebook itself, whatever its name")
    ] = None,
) -> None:
    """Run one check of a lab outside Jupyter: all cells up to it, in a kernel of its own.

    Exits with 0 if it passes and with 1 if it does not; save the notebook first.
    """
    with refusals():
        from karmadalab.teaching.exercises import check_notebook, notebook_of

        result = check_notebook(file or notebook_of(check_id, folder), check_id)
    typer.echo(result.text)
    if not result.passed:
        raise typer.Exit(1)


@app.command()
def grade(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="holds a folder for each student")],
    output: Annotated[
        Path, typer.Option("-o", metavar="DIR", help="where marks.csv, totals.csv and feedback/ go")
    ] = Path("graded"),
    solutions: Solutions = Path("solutions"),
    jobs: Annotated[int, typer.Option(min=1, max=64, help="submissions at a time")] = 2,
    cell_s: Annotated[float, typer.Option(min=1, help="seconds that a cell may take")] = 30.0,
    total_s: Annotated[float, typer.Option(min=1, help="seconds that a notebook may take")] = 300.0,
    memory_mb: Annotated[int, typer.Option(min=512, help="MiB that a notebook may use")] = 2048,
) -> None:
    """Grade a folder of submissions against the solutions, each in processes of its own.

    Takes STUDENT/NOTEBOOK.ipynb and nbgrader's submitted/STUDENT/ASSIGNMENT/NOTEBOOK.ipynb. Exits with 1 when one could
    not be graded to its end; docs/teaching.md says what keeps a submission from harm, and what does not.
    """
    with refusals():
        from karmadalab.cli.grade import grade_folder
        from karmadalab.teaching.grading import Limits

        limits = Limits(cell_s=cell_s, total_s=total_s, memory_mb=memory_mb)
        complete = grade_folder(folder, solutions, output, limits, jobs)
    if not complete:
        raise typer.Exit(1)


app.add_typer(kind.app, name="kind")


@app.command()
def doctor(as_json: Annotated[bool, typer.Option("--json", help="the findings as data")] = False) -> None:
    """Say what this machine has and lacks: Python packages, container engine, kind, memory, limits, proxies.

    Exits with 1 when kind mode can't be used; the fake world needs none of it.
    """
    from karmadalab.cli.doctor import show

    if not show(as_json):
        raise typer.Exit(1)


@app.command()
def version() -> None:
    """Say which version this is, and which Karmada it follows."""
    from karmadalab import Settings, __version__

    typer.echo(f"karmadalab {__version__} ({Settings().banner()})")


def flags_of(pairs: list[str] | None) -> dict[str, Any]:
    """`["cluster-failure-threshold=60s"]` as a mapping.

    Raises:
        BadRequest: one is written otherwise.
    """
    from karmadalab.api.errors import BadRequest

    flags = {}
    for pair in pairs or ():
        flag, sign, value = pair.partition("=")
        if not sign or not flag:
            raise BadRequest(f"--set: write FLAG=VALUE, for example cluster-failure-threshold=60s, not {pair!r}")
        flags[flag] = value
    return flags


def main() -> None:
    """Run the command line."""
    app(prog_name="karmadalab")
