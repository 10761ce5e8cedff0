"""Write `docs/controllers.md`, one row a controller: `.venv/bin/python docs/controllers.py`.

What a controller is, what wakes it, its flags and its Go file are read from its module; where it runs, from the
processes of a lab; what it reads and writes, from a tour on which every controller has something to do (`tour.py`).
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "docs"))

import tour  # noqa: E402 - lies beside this file

from karmadalab import Lab  # noqa: E402 - as above
from karmadalab.core.settings import Settings  # noqa: E402 - as above
from karmadalab.environments.control_plane import TEMPLATE_KINDS  # noqa: E402 - as above

HEAD = """# The controllers

Written by `docs/controllers.py`; `tests/test_controllers_page.py` checks that it is up to date. Reads and writes are
those seen on a tour on which every controller has something to do. *templates* are objects of three or more kinds that
users write; *status of* is the status subresource. A flag stands beside each controller whose module asks for it.

"""
COLUMNS = (
    "controller",
    "what it is for",
    "woken by",
    "reads",
    "writes",
    "flags and gates",
    "runs in",
    "Karmada",
    "see",
)

# A controller of another name shares its module, and so its first sentence, with one that comes first there.
_SECOND = {
    "binding-eviction": "the queue in which bindings wait for their eviction",
    "cluster-binding-eviction": "the same for cluster-scoped bindings",
}
_TWINS = ("ResourceBinding", "PropagationPolicy", "OverridePolicy")
_MANY = 3


class Found(NamedTuple):
    """A reconciler as it runs somewhere."""

    reconciler: Any
    processes: tuple[str, ...]
    needs: str


def reconcilers() -> list[Found]:
    """Every controller, in the order of the processes' tables, with where it runs and what adds it."""
    plain = _by_process({})
    found: dict[str, Found] = {}
    for options, needs in _OPTIONS:
        for process, reconciler in _by_process(options) if options else plain:
            known = found.get(reconciler.name, Found(reconciler, (), needs))
            if process not in known.processes:
                found[reconciler.name] = known._replace(processes=(*known.processes, process))
    return list(found.values())


_OPTIONS: tuple[tuple[dict[str, Any], str], ...] = (
    ({}, ""),
    ({"feature_gates": {"MultiClusterService": True}}, "gate `MultiClusterService`"),
    ({"controllers": "*,hpaScaleTargetMarker"}, "`--controllers=*,hpaScaleTargetMarker`"),
    ({"controllers": "*,deploymentReplicasSyncer"}, "`--controllers=*,deploymentReplicasSyncer`"),
    ({"controllers": "*,unifiedAuth"}, "`--controllers=*,unifiedAuth`"),
)


def _by_process(settings: dict[str, Any]) -> list[tuple[str, Any]]:
    lab = Lab.fake(members=1, pull=1, settings=settings)
    plane = lab.world.control_plane
    managers = {
        "controller-manager": plane.controller_manager,
        "scheduler": plane.scheduler_process,
        "agent": lab.world.agents["member1"],
    }
    return [(name, item.reconciler) for name, manager in managers.items() for item in manager.controllers]


# --- what the module says ---------------------------------------------------------------------------------------------


def _sentence(reconciler: Any) -> str:
    if reconciler.name in _SECOND:
        return _SECOND[reconciler.name]
    first = (sys.modules[type(reconciler).__module__].__doc__ or "").strip().splitlines()[0]
    return first.partition(": ")[2].rstrip(".")


def _woken_by(reconciler: Any) -> str:
    text = " ".join((inspect.getdoc(type(reconciler).watches) or "").split()).rstrip(".")
    loop = "; a loop of its own" if "manager.every(" in inspect.getsource(type(reconciler)) else ""
    return text[0].lower() + text[1:] + loop if not text.startswith("Multi") else text + loop


def _go_file(reconciler: Any) -> str:
    text = " ".join((sys.modules[type(reconciler).__module__].__doc__ or "").split())
    mirrors = re.search(r"Mirrors (.*?)(?:\. |\.$|; )", text)
    return re.sub(r"`?(pkg/[\w./{},]*\w\}?(?:\.go)?)`?", r"`\1`", mirrors[1]) if mirrors else ""


def _flags(reconciler: Any) -> list[str]:
    """Flags and gates by the names that the module uses them under."""
    tree = ast.parse(inspect.getsource(sys.modules[type(reconciler).__module__]))
    fields = set(Settings.__struct_fields__) - {"profile", "feature_gates", "controllers"}
    flags = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and node.attr in fields}
    gates = {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _is_gate(node.func) and node.args and isinstance(node.args[0], ast.Constant)
    }
    return [f"`--{flag.replace('_', '-')}`" for flag in sorted(flags)] + [f"gate `{gate}`" for gate in sorted(gates)]


def _is_gate(function: ast.expr) -> bool:
    """`settings.gate("X")`, or `settings.feature_gates.get("X")` for a gate that only one profile has."""
    if not isinstance(function, ast.Attribute):
        return False
    inner = function.value
    return function.attr == "gate" or (
        function.attr == "get" and isinstance(inner, ast.Attribute) and inner.attr == "feature_gates"
    )


# --- what the tour says -----------------------------------------------------------------------------------------------


def _words(kinds: Iterable[tuple[str, bool]]) -> str:
    found: set[str] = set()
    for in_member in (False, True):
        names = {kind for kind, member in kinds if member == in_member}
        templates = {name for name in names if name.partition(" ")[0] in TEMPLATE_KINDS and not name.endswith("status")}
        if len(templates) >= _MANY:
            names -= templates
            found.add("objects in members" if in_member else "templates")
        found |= {_word(name) + (" in members" if in_member else "") for name in names}
    for twin in _TWINS:
        for before in ("", "status of "):
            pair = {f"{before}{twin}", f"{before}Cluster{twin}"}
            if pair <= found:
                found = found - pair | {f"{before}(Cluster){twin}"}
    return ", ".join(sorted(found, key=lambda word: (word.startswith("status of "), word.lower().strip("("))))


def _word(kind: str) -> str:
    name, _, status = kind.partition(" ")
    plain = name.partition(".")[0]
    return f"status of {plain}" if status else plain


# --- where to see it --------------------------------------------------------------------------------------------------


def _shown_in(reconciler: Any, scenarios: list[str]) -> str:
    """The first notebooks that name the controller or its module, else a scenario in which it writes, or the tour."""
    module = type(reconciler).__module__.rpartition(".")[2]
    package = type(reconciler).__module__.rpartition(".")[0]
    named = re.compile(
        rf"\b{re.escape(package)}\.{module}\b|from {re.escape(package)} import [^\"\\]*\b{module}\b|"
        rf"(?<![\w-]){re.escape(reconciler.name)}(?![\w-])"
    )
    notebooks = [path.stem for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if named.search(path.read_text())]
    if notebooks:
        return ", ".join(f"[{name[:2]}](../notebooks/{name}.ipynb)" for name in notebooks[:3])
    return ", ".join(f"[{name.rpartition('/')[2]}](../{name})" for name in scenarios[:1] or ["docs/tour.py"])


def page() -> str:
    """The text of `docs/controllers.md`."""
    read, written, scenarios = tour.take(ROOT)
    rows = []
    for reconciler, processes, needs in reconcilers():
        name, module = reconciler.name, type(reconciler).__module__.replace(".", "/") + ".py"
        # Whoever never looks into a member doesn't write there: Kubernetes has controllers of the same names.
        looks_into_members = any(member for _, member in read[name])
        wrote = {(kind, member) for kind, member in written[name] if looks_into_members or not member}
        rows.append(
            (
                f"[{name}](../{module})",
                _sentence(reconciler),
                _woken_by(reconciler),
                _words(read[name]),
                _words(wrote) or "nothing; it fills a queue",
                ", ".join(([needs] if needs else []) + _flags(reconciler)),
                ", ".join(processes),
                _go_file(reconciler),
                _shown_in(reconciler, scenarios.get(name, [])),
            )
        )
    lines = [COLUMNS, ("---",) * len(COLUMNS), *rows]
    return HEAD + "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "controllers.md").write_text(page())
