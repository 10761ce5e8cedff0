"""A scenario's rehearsal: everything is done at once in a lab whose time stands still, to hear what it says.

Time moves on only for a cluster or a namespace that leaves and whose name is taken again.

A misspelt name is the dangerous mistake: `never: "Deployment default/shp: deleted"` would come true, and `running:
deployment/shp` would fail as if the lab were wrong. So what expectations name must have been there in the rehearsal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from karmadalab.api.errors import KarmadalabError
from karmadalab.api.naming import binding_name
from karmadalab.api.scheme import resource_type
from karmadalab.core.trace import CREATE, Row
from karmadalab.experiments.actions import Action, ApplyAction, located
from karmadalab.experiments.expectations import Expectation, patterns_of, state_of
from karmadalab.experiments.patterns import Pattern
from karmadalab.experiments.refusals import Refusals, saying
from karmadalab.experiments.words import Named, known
from karmadalab.lab import Lab

# Kinds that only a user makes; of others (Works, Jobs of a CronJob) more may come as time goes on.
_USERS = frozenset(
    (
        "Deployment",
        "StatefulSet",
        "DaemonSet",
        "PropagationPolicy",
        "ClusterPropagationPolicy",
        "OverridePolicy",
        "ClusterOverridePolicy",
    )
)
_LINGERING = ("Cluster", "Namespace")  # they take some seconds to go, and their names can't be used before
_LEAVING_S = 120.0
_BINDINGS = frozenset(("ResourceBinding", "ClusterResourceBinding"))


class Part(NamedTuple):
    """A part of a file, with its path for messages."""

    path: str
    what: Any


def rehearse(lab: Lab, base: Path, manifests: Part, actions: Iterable[Part], found: Refusals) -> bool:
    """Do everything in a fresh lab; refusals are noted.

    Returns:
        whether all could be done; what depends on something that failed is not tried.
    """
    before = len(found.errors)
    with found.noted(), saying(manifests.path):
        if manifests.what:
            lab.apply(located(manifests.what, base))
    all_done = len(found.errors) == before
    for path, action in actions if all_done else ():
        if not _done(lab, base, path, action, found):
            all_done = False
            if isinstance(action, ApplyAction):
                break
    return all_done


def _done(lab: Lab, base: Path, path: str, action: Action, found: Refusals) -> bool:
    before = len(found.errors)
    with found.noted(), saying(path):
        if not (_act(lab, base, action) or _act(lab.run(_LEAVING_S), base, action)):
            return False
    return len(found.errors) == before


def _act(lab: Lab, base: Path, action: Action) -> bool:
    """Do it. What is refused while something is on its way out may be right later on: then nothing is said yet."""
    try:
        action.act(lab, base)
    except KarmadalabError:
        if not any(obj.metadata.deletionTimestamp for kind in _LINGERING for obj in lab.list(kind)):
            raise
        return False
    return True


def check_names(lab: Lab, expectations: Iterable[Part], found: Refusals) -> None:
    """Note the objects that expectations name and that never were in the rehearsal."""
    seen = _Seen(lab.trace.rows)
    for path, expectation in expectations:
        with found.noted():
            _check_state(expectation, seen, path)
            for field, pattern in patterns_of(expectation):
                seen.check_event(pattern, f"{path}.{field}")


def _check_state(expectation: Expectation, seen: _Seen, path: str) -> None:
    state = state_of(expectation)
    if state is not None:
        field, what = state
        seen.check(what, f"{path}.{field}")


class _Seen:
    """The objects that were made in the control plane during the rehearsal."""

    def __init__(self, rows: Iterable[Row]) -> None:
        made = {(row.kind, row.namespace, row.name) for row in rows if row.verb == CREATE and not row.world}
        self._made = sorted((kind.partition(".")[0], namespace, name) for kind, namespace, name in made)
        self._crons = any(kind == "CronJob" for kind, *_ in self._made)

    def check(self, what: Named, where: str) -> None:
        """Raise `Invalid` if there never was such an object."""
        if what.kind == "Job" and self._crons:
            return  # it may be made later
        alike = [_path(namespace, name) for namespace, name in self._names(what.kind)]
        known(_path(what.namespace, what.name), alike, where, f"{what.kind} in the manifests and actions called")

    def check_event(self, pattern: Pattern, where: str) -> None:
        """Raise `Invalid` if it is about an object that only a user makes, and none does."""
        kind, _, name = pattern.subject.partition(" ")
        kind = kind.partition("@")[0]
        if "*" in pattern.subject or kind not in _USERS | _BINDINGS:
            return
        alike = [_path(namespace, made) for namespace, made in self._names(kind)]
        known(name, alike, where, f"{kind} in the manifests and actions called")

    def _names(self, kind: str) -> Iterator[tuple[str, str]]:
        for made, namespace, name in self._made:
            if made == kind and kind not in _BINDINGS:
                yield namespace, name
            elif kind in _BINDINGS and bool(namespace) == resource_type(kind).namespaced:
                yield namespace, binding_name(made, name)


def _path(namespace: str, name: str) -> str:
    return f"{namespace}/{name}" if namespace else name
