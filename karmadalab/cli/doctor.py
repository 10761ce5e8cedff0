"""`karmadalab doctor`: a line a finding."""

from __future__ import annotations

import json
import textwrap

import typer

_WIDTH = 110


def show(as_json: bool) -> bool:
    """Print the findings; returns whether there is no problem."""
    from karmadalab.environments.doctor.doctor import examine, verdict
    from karmadalab.environments.doctor.findings import PROBLEM

    findings = examine()
    if as_json:
        typer.echo(json.dumps([finding._asdict() for finding in findings], indent=1, ensure_ascii=False))
    else:
        for finding in findings:
            typer.echo(str(finding))
        typer.echo("\n" + textwrap.fill(verdict(findings), _WIDTH))
    return not any(finding.level == PROBLEM for finding in findings)
