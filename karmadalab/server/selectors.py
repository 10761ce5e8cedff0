"""Label and field selectors as they stand in a URL.

Which fields a kind can be selected by is a short list in Kubernetes, too; another one is an error and not an empty
answer.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from karmadalab.api.codec import to_dict
from karmadalab.api.errors import BadRequest, shortly
from karmadalab.api.meta import LabelSelector, LabelSelectorRequirement, requirement_is_valid, selector_matches
from karmadalab.api.scheme import AnyObject

_SET = re.compile(r"^([^\s!=,()]+)\s+(in|notin)\s*\(([^)]*)\)$")
_PART = re.compile(r"(?:\([^)]*\)?|[^,(])+")  # up to a comma that is not inside brackets

_EVERY = frozenset(("metadata.name", "metadata.namespace"))
_FIELDS: dict[str, frozenset[str]] = {
    "Pod": frozenset(("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "status.phase", "status.podIP")),
    "Event": frozenset(
        [f"involvedObject.{field}" for field in ("kind", "name", "namespace", "uid", "apiVersion", "fieldPath")]
        + ["reason", "type", "source", "reportingComponent"]
    ),
    "Namespace": frozenset(("status.phase",)),
    "Node": frozenset(("spec.unschedulable",)),
    "Secret": frozenset(("type",)),
    "ReplicaSet.apps": frozenset(("status.replicas",)),
    "Job.batch": frozenset(("status.successful",)),
}


class Selection(NamedTuple):
    """What a list or a watch asks for."""

    namespace: str | None
    labels: LabelSelector | None
    fields: tuple[tuple[str, str, bool], ...]

    def matches(self, obj: AnyObject) -> bool:
        """Whether an object is meant."""
        meta = obj.metadata
        if self.namespace is not None and meta.namespace != self.namespace:
            return False
        if self.labels is not None and not selector_matches(self.labels, meta.labels):
            return False
        return all((_value(obj, path) == value) is equal for path, value, equal in self.fields)


def parse_labels(text: str) -> LabelSelector | None:
    """`app=web,tier in (a,b),!old` as a selector, None when empty.

    >>> parse_labels("app=web").matchExpressions[0].values
    ('web',)

    Raises:
        BadRequest: it can't be read.
    """
    parts = [part.strip() for part in _PART.findall(text) if part.strip()]
    return LabelSelector(matchExpressions=tuple(map(_valid, parts))) if parts else None


def _valid(part: str) -> LabelSelectorRequirement:
    found = _requirement(part)
    if not requirement_is_valid(found):
        raise BadRequest(
            f"unable to parse requirement: {shortly(part)}: keys and values are letters, digits, '-', '_' and '.', at "
            "most 63 characters, a letter or a digit first and last"
        )
    return found


def _requirement(part: str) -> LabelSelectorRequirement:
    if found := _SET.match(part):
        operator = {"in": "In", "notin": "NotIn"}[found[2]]
        return LabelSelectorRequirement(found[1], operator, tuple(v.strip() for v in found[3].split(",")))
    for sign, operator in (("!=", "NotIn"), ("==", "In"), ("=", "In")):
        key, found_sign, value = part.partition(sign)
        if found_sign:
            return LabelSelectorRequirement(key.strip(), operator, (value.strip(),))
    if re.fullmatch(r"!?[^\s!=,()]+", part):
        return LabelSelectorRequirement(part.lstrip("!"), "DoesNotExist" if part[0] == "!" else "Exists")
    raise BadRequest(f"unable to parse requirement: {shortly(part)}; write key=value, key in (a,b), key or !key")


def parse_fields(text: str, group_kind: str) -> tuple[tuple[str, str, bool], ...]:
    """`metadata.name=web,status.phase!=Running` as (path, value, whether equal).

    Raises:
        BadRequest: it can't be read, or the kind can't be selected by that field.
    """
    found = []
    for part in (part.strip() for part in text.split(",") if part.strip()):
        sign = next((sign for sign in ("!=", "==", "=") if sign in part), None)
        if sign is None:
            raise BadRequest(f"invalid field selector {part!r}; write for example metadata.name=web")
        path, _, value = part.partition(sign)
        if path not in _EVERY and path not in _FIELDS.get(group_kind, ()):
            raise BadRequest(f"field label not supported: {path}; {', '.join(sorted(_EVERY))} always are")
        found.append((path, value, sign != "!="))
    return tuple(found)


def _value(obj: AnyObject, path: str) -> str:
    if path in _EVERY:
        return str(getattr(obj.metadata, path.partition(".")[2]))
    value = at(to_dict(obj), path)
    if path == "source" and isinstance(value, dict):
        value = value.get("component")
    if value is None:
        return "false" if path == "spec.unschedulable" else ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def at(data: Any, path: str) -> Any:
    """The value at a dotted path, None where there is none.

    >>> at({"spec": {"replicas": 2}}, "spec.replicas")
    2
    """
    for part in path.split("."):
        data = data.get(part) if isinstance(data, dict) else None
    return data
