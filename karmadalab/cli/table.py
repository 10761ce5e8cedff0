"""A run in a terminal: what it is about, the timeline, a paragraph about the outage, and what was expected."""

from __future__ import annotations

from textwrap import fill
from typing import Literal

from karmadalab.api.time import duration
from karmadalab.cli.story import Line, story
from karmadalab.experiments import ScenarioResult

_HEADS = ("time", "after fault", "where", "what")
_STYLES = {"fault": "bold red", "worse": "yellow", "better": "green", "move": "bold cyan", "plain": ""}
_PLAIN_WIDTH = 80


def plain_table(result: ScenarioResult) -> str:
    """The report as text, a line an event, however long."""
    rows = [_HEADS, *(_cells(line) for line in story(result.lab.timeline))]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [f"{row[0]:>{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:<{widths[2]}}  {row[3]}".rstrip() for row in rows]
    head = [result.where, fill(_flat(result.about), _PLAIN_WIDTH), _banner(result), ""]
    tail = ["", fill(_tale(result), _PLAIN_WIDTH), *_verdict(result), ""]
    return "\n".join([*head, *lines, *tail])


def rich_table(result: ScenarioResult) -> None:
    """Print the report to the terminal, in its width and with colours."""
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    console.print(Text(result.where, style="bold"))
    console.print(Text(_flat(result.about)))
    console.print(Text(_banner(result), style="dim"))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for head in _HEADS:
        justify: Literal["left", "right"] = "right" if head in _HEADS[:2] else "left"
        table.add_column(head, justify=justify, no_wrap=head != "what", overflow="fold")
    for line in story(result.lab.timeline):
        t, since, where, what = _cells(line)
        table.add_row(t, Text(since, style="dim"), where, Text(what, style=_STYLES[line.mood]))
    console.print(Padding(table, (1, 0)))
    console.print(Text(_tale(result)))
    for line_of_verdict in _verdict(result):
        console.print(Text(line_of_verdict, style="bold green" if result.met else "bold red"))


def _cells(line: Line) -> tuple[str, str, str, str]:
    return duration(round(line.t, 1)), line.since, line.where, line.what


def _banner(result: ScenarioResult) -> str:
    lab = result.lab
    seed = "" if lab.seed is None else f", seed {lab.seed}"
    return f"{lab.settings.banner()}; {len(lab.members)} members, {duration(lab.t)} of cluster time{seed}"


def _tale(result: ScenarioResult) -> str:
    from karmadalab.show.text import tell

    return tell(result.lab)


def _verdict(result: ScenarioResult) -> list[str]:
    failures = [f"  {outcome}" for outcome in result.failures]
    return [f"{'OK' if result.met else 'NOT AS EXPECTED'}: {result.summary()}", *failures]


def _flat(text: str) -> str:
    return " ".join(text.split())
