"""Which event is meant: `Cluster member1: condition Ready True -> False`, as the timeline prints it.

A line copied from a timeline is a pattern that finds its event. The words may stop early, and `*` stands for anything:
`Pod@member3 default/nginx-*: Ready`, `Work karmada-es-member1/*: *`. A pattern that no event could ever match would
make a `never` come true by mistake, so kinds, members, the first word and the types of conditions are checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.api.scheme import resource_type
from karmadalab.core.timeline import Event
from karmadalab.experiments.words import known

_CHANGES = ("created", "deleted", "deletionTimestamp")
_BINDING = (*_CHANGES, "spec.clusters", "gracefulEvictionTasks", "applied-placement", "condition", "scheduler")
_TEMPLATE = (*_CHANGES, "spec.replicas", "spec", "status")
_FIRST_WORDS: dict[str, tuple[str, ...]] = {
    "Cluster": ("initial", "condition", "taint", "deleted", "deletionTimestamp"),
    "Lease": ("created", "renewed", "deleted"),
    "ResourceBinding": _BINDING,
    "ClusterResourceBinding": _BINDING,
    "Work": (*_CHANGES, "manifest", "manifestStatuses", "spec", "condition"),
    "Deployment": _TEMPLATE,
    "StatefulSet": _TEMPLATE,
    "PropagationPolicy": (*_CHANGES, "spec"),
}
_BINDING_CONDITIONS = ("Scheduled", "FullyApplied")
_CONDITIONS: dict[str, tuple[str, ...]] = {
    "Cluster": ("Ready", "CompleteAPIEnablements"),
    "ResourceBinding": _BINDING_CONDITIONS,
    "ClusterResourceBinding": _BINDING_CONDITIONS,
    "Work": ("Applied", "Dispatching"),
}


class Pattern:
    """A pattern for events.

    Args:
        text: `Kind object: words`, or `Kind@member namespace/object: words`.
    """

    def __init__(self, text: str) -> None:
        self.text = " ".join(text.split())
        self.subject, _, self.words = self.text.partition(": ")
        self._regex = re.compile(".*".join(map(re.escape, self.text.split("*"))), re.DOTALL)

    def matches(self, text: str) -> bool:
        """Whether an event, as `words_of` prints it, is meant: it begins as the pattern says."""
        return self._regex.match(text) is not None

    def __str__(self) -> str:
        return self.text


def words_of(event: Event) -> str:
    """An event as the timeline prints it, without its time, with single blanks."""
    return " ".join(str(event).split()[1:])


def read_pattern(text: str, members: Iterable[str], where: str) -> Pattern:
    """A pattern of a file.

    Raises:
        Invalid: no event could ever match it.
    """
    pattern = Pattern(text)
    kind, blank, name = pattern.subject.partition(" ")
    if not blank or not pattern.words:
        raise Invalid(
            f"{where}: write an event as the timeline prints it, for example "
            f"'Cluster member1: condition Ready True -> False', not {text!r}"
        )
    kind, _, member = kind.partition("@")
    _check_kind(kind, where)
    if member and "*" not in member:
        known(member, members, where, "member")
    if kind == "Cluster" and "*" not in name:
        known(name, members, where, "cluster")
    _check_words(kind, pattern.words, where)
    return pattern


def _check_kind(kind: str, where: str) -> None:
    if kind == "*" or kind == kind.lower():
        return  # `fault`, and the notes that controllers leave under their own names
    try:
        exact = resource_type(kind).kind
    except BadRequest as error:
        raise Invalid(f"{where}: {error}") from None
    if exact != kind:
        raise Invalid(f"{where}: events write the kind as {exact}, not {kind}")


def _check_words(kind: str, words: str, where: str) -> None:
    first, *rest = words.split(" ")
    known_words = _FIRST_WORDS.get(kind)
    if known_words and "*" not in first and not first.startswith("aggregatedStatus["):
        known(first, known_words, where, f"change of a {kind} that begins with")
    types = _CONDITIONS.get(kind)
    if first == "condition" and types and rest and "*" not in rest[0]:
        stops_early = len(rest) == 1 and any(type_.startswith(rest[0]) for type_ in types)
        if not stops_early:
            known(rest[0], types, where, f"condition of a {kind} called")
