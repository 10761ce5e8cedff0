"""All checks in the order in which a person would put things right."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from karmadalab.environments.doctor import machine, programs, python
from karmadalab.environments.doctor.findings import NOTE, PROBLEM, Finding


def examine(kernel: machine.Kernel | None = None) -> list[Finding]:
    """Look at everything; a check that breaks is itself a finding, and stops no other."""
    kernel = kernel or machine.Kernel.read()
    findings, info = _engine()
    checks: tuple[tuple[str, Callable[[], Finding | list[Finding]]], ...] = (
        ("python", python.interpreter),
        ("packages", python.extras),
        ("folder", python.folder),
        ("engine", lambda: findings),
        ("kind", programs.kind),
        ("kubectl", programs.kubectl),
        ("memory", lambda: machine.memory(kernel)),
        ("disk", lambda: machine.disk(info.get("DockerRootDir") or "/var/lib/docker")),
        ("inotify", lambda: machine.inotify(kernel)),
        ("cgroup", lambda: machine.cgroup(kernel)),
        ("swap", lambda: machine.swap(kernel)),
        ("proxies", machine.proxies),
        ("ports", python.ports),
    )
    return [finding for name, check in checks for finding in _tried(name, check)]


def verdict(findings: Iterable[Finding]) -> str:
    """What it adds up to, in a sentence."""
    problems = [finding for finding in findings if finding.level == PROBLEM]
    if not problems:
        return "Lab.fake and kind mode can both be used."
    what = ", ".join(dict.fromkeys(finding.check for finding in problems))
    return f"Lab.fake can be used; kind mode can't yet: {what}."


def _engine() -> tuple[list[Finding], dict[str, Any]]:
    try:
        return programs.engine()
    except Exception as error:
        return [_broken("engine", error)], {}


def _tried(name: str, check: Callable[[], Finding | list[Finding]]) -> list[Finding]:
    try:
        found = check()
    except Exception as error:
        return [_broken(name, error)]
    return found if isinstance(found, list) else [found]


def _broken(name: str, error: Exception) -> Finding:
    return Finding(name, NOTE, f"could not be checked ({type(error).__name__}: {error})", "please report this")
