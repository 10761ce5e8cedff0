"""`karmadalab run`: a scenario as a table, as data or as a page."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import typer

from karmadalab.api.errors import BadRequest
from karmadalab.experiments import ScenarioResult, read_scenario, run_scenario


def run_and_show_all(
    files: Sequence[Path], format: str, output: Path | None, flags: Mapping[str, Any], seed: int | None
) -> bool:
    """Run scenarios one after the other; all are read before the first is run.

    Returns:
        whether all was as expected.

    Raises:
        BadRequest: several were to become one file or one JSON text.
        Invalid: one of them makes no sense; nothing was run.
    """
    if len(files) == 1:
        return run_and_show(files[0], format, output, flags, seed)
    if output is not None or format != "table":
        raise BadRequest(
            f"run: several files are shown as tables; give {'-o' if output else format} one file at a time"
        )
    for file in files:
        read_scenario(file, flags, seed)
    missed = []
    for file in files:
        if not run_and_show(file, format, output, flags, seed):
            missed.append(file)
        typer.echo()
    typer.echo(
        f"{len(files) - len(missed)} of {len(files)} files as expected" + "".join(f"\n  not {f}" for f in missed)
    )
    return not missed


def run_and_show(file: Path, format: str, output: Path | None, flags: Mapping[str, Any], seed: int | None) -> bool:
    """Run a scenario and show it.

    Args:
        file: the scenario.
        format: `table`, `json` or `html`.
        output: where to write; the terminal by default.
        flags: flags that differ from the file's.
        seed: another seed than the file's.

    Returns:
        whether all was as expected.
    """
    result = run_scenario(file, flags, seed)
    if format == "table":
        _show_table(result, output)
    else:
        _write(as_json(result) if format == "json" else as_page(result), output)
        _say_failures(result)
    if output is not None:
        typer.echo(f"{file}: {result.summary()}; written to {output}", err=True)
    return result.met


def as_json(result: ScenarioResult) -> str:
    """The events as a JSON list, one event a line."""
    events = (json.dumps(record, ensure_ascii=False) for record in result.lab.timeline.records())
    return "[\n" + ",\n".join(events) + "\n]\n"


def as_page(result: ScenarioResult) -> str:
    """A page that stands alone: the figure, its text, its table, and what was expected."""
    from karmadalab import show
    from karmadalab.show.page import table

    title = Path(result.where).stem.replace("-", " ").capitalize()
    columns = ("met", "expected", "what happened")
    rows = [dict(zip(columns, ("yes" if o.met else "NO", o.expected, o.instead), strict=True)) for o in result.outcomes]
    after = f"<h2>What was expected</h2>\n<p>{escape(result.summary().capitalize())}.</p>\n"
    after += table(rows, columns)
    about = f"<p>{escape(' '.join(result.about.split()))}</p>\n<p>Scenario {escape(result.where)}.</p>"
    return show.page([show.timeline(result.lab, title=title)], title, about + after)


def _show_table(result: ScenarioResult, output: Path | None) -> None:
    from karmadalab.cli.table import plain_table, rich_table

    if output is None and sys.stdout.isatty():
        rich_table(result)
    else:
        _write(plain_table(result), output)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.parent.mkdir(parents=True, exist_ok=True)
        output.write_text(text, encoding="utf-8")


def _say_failures(result: ScenarioResult) -> None:
    """Beside data, failures go where they do not mix with it."""
    if result.failures:
        typer.echo(f"{result.where}: {result.summary()}", err=True)
    for outcome in result.failures:
        typer.echo(f"  {outcome}", err=True)
