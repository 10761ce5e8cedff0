"""The Python side: its version, the packages of each extra, the lab's own folder, free ports."""

from __future__ import annotations

import re
import socket
import sys
from importlib import metadata
from pathlib import Path

from karmadalab.api.errors import KarmadalabError
from karmadalab.environments.doctor.findings import NOTE, OK, PROBLEM, Finding
from karmadalab.environments.kind.state import home

_EXTRAS = ("notebooks", "kind", "server", "sweep")
_PORTS = {8888: "JupyterLab's (it takes the next one by itself)"}
_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+).*extra == ['\"]([a-z]+)['\"]")


def interpreter() -> Finding:
    """Which Python this is."""
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("python", OK, f"{version} on {sys.platform}")


def extras() -> list[Finding]:
    """For each extra, whether its packages are installed."""
    try:
        required = metadata.requires("karmadalab") or []
    except metadata.PackageNotFoundError:
        return [Finding("packages", NOTE, "karmadalab runs from a folder and is not installed", "pip install -e .")]
    wanted: dict[str, list[str]] = {extra: [] for extra in _EXTRAS}
    for line in required:
        found = _REQUIREMENT.match(line)
        if found and found[2] in wanted:
            wanted[found[2]].append(found[1])
    return [_extra(extra, names) for extra, names in wanted.items()]


def _extra(extra: str, names: list[str]) -> Finding:
    if not names:
        return Finding("packages", NOTE, f"extra {extra}: not known to this installation", "install karmadalab again")
    missing = [name for name in names if not _installed(name)]
    if missing:
        fix = f"pip install 'karmadalab[{extra}]'"
        return Finding("packages", NOTE, f"extra {extra}: {', '.join(missing)} missing", fix)
    return Finding("packages", OK, f"extra {extra}: {', '.join(f'{n} {metadata.version(n)}' for n in names)}")


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def folder() -> Finding:
    """Whether the lab can keep what it needs to know of its clusters."""
    try:
        place = home()
    except KarmadalabError as error:
        return Finding("folder", PROBLEM, *str(error).split(": ", 1))
    existing = next(path for path in (place, *place.parents) if path.exists())
    if _writable(existing):
        return Finding("folder", OK, f"{place} can be written")
    fix = "set KARMADALAB_HOME to a folder that can be written"
    return Finding("folder", PROBLEM, f"{place} can't be written", fix)


def _writable(folder: Path) -> bool:
    """By trying: permission bits don't tell of read-only file systems, and root passes them all."""
    try:
        trial = folder / f".karmadalab-{id(folder):x}"
        trial.touch()
        trial.unlink()
    except OSError:
        return False
    return True


def ports() -> Finding:
    """Whether the ports that the lab likes are free. kind itself takes any that is."""
    taken = [f"{port} ({whose})" for port, whose in _PORTS.items() if _taken(port)]
    if taken:
        return Finding("ports", NOTE, f"in use: {', '.join(taken)}")
    return Finding("ports", OK, f"{', '.join(map(str, _PORTS))} free; kind chooses free ones itself")


def _taken(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0
