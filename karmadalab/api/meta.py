"""What every object carries: metadata, conditions, selectors, taints and tolerations, with their matching rules.

Objects are frozen `msgspec` structs whose fields are spelled as in the JSON. Lists are tuples: an object that the store
has handed out cannot change under its reader. Maps (`labels`, `annotations`) are dicts that nobody changes in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, ClassVar, TypeVar, dataclass_transform

import msgspec

from karmadalab.api.labels import is_label_key, is_label_value
from karmadalab.api.time import Time

replace = msgspec.structs.replace

Int32 = Annotated[int, msgspec.Meta(ge=-(1 << 31), le=(1 << 31) - 1)]


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))  # for type checkers: subclasses are frozen
class Data(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A part of an object: fields as in the JSON, unknown ones refused, defaults left out when written."""


class _Absent(tuple[Any, ...]):
    """An empty tuple that knows it was never written."""

    __slots__ = ()


# The default of the few lists that a schema demands: "left out" and "empty" get different answers.
ABSENT: tuple[Any, ...] = _Absent()


class OwnerReference(Data):
    apiVersion: str
    kind: str
    name: str
    uid: str
    controller: bool | None = None
    blockOwnerDeletion: bool | None = None


class ObjectMeta(Data):
    """`metav1.ObjectMeta`. The store keeps uid, resourceVersion, generation and the timestamps."""

    name: str = ""
    generateName: str = ""
    namespace: str = ""
    uid: str = ""
    resourceVersion: str = ""
    generation: int = 0
    creationTimestamp: Time | None = None
    deletionTimestamp: Time | None = None
    deletionGracePeriodSeconds: int | None = None
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}
    ownerReferences: tuple[OwnerReference, ...] = ()
    finalizers: tuple[str, ...] = ()
    managedFields: tuple[dict[str, Any], ...] = ()
    selfLink: str = ""


class Condition(Data):
    """`metav1.Condition`; `status` is "True", "False" or "Unknown"."""

    type: str
    status: str
    reason: str = ""
    message: str = ""
    lastTransitionTime: Time | None = None
    observedGeneration: int = 0


class Resource(Data):
    """A stored object of a kind whose schema we own. `GROUP_KIND` is its name in the store: `Work.work.karmada.io`."""

    GROUP_KIND: ClassVar[str] = ""

    apiVersion: str = ""
    kind: str = ""
    metadata: ObjectMeta = ObjectMeta()

    def __repr__(self) -> str:
        meta = self.metadata
        where = f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name
        return f"<{self.kind} {where}{self.summary()}>"

    def summary(self) -> str:
        """What a person wants to know next; kinds override it. Starts with a blank when it is not empty."""
        return ""


R = TypeVar("R", bound=Resource)


def condition(conditions: tuple[Condition, ...], type: str) -> Condition | None:
    """The condition of that type, or None."""
    for item in conditions:
        if item.type == type:
            return item
    return None


def set_condition(conditions: tuple[Condition, ...], new: Condition, now: float) -> tuple[Condition, ...]:
    """`meta.SetStatusCondition`: put `new` in, keeping its transition time unless the status changed.

    A new type goes to the end. Returns `conditions` itself when nothing changes.
    """
    for index, old in enumerate(conditions):
        if old.type != new.type:
            continue
        if old.status == new.status:
            stamp = old.lastTransitionTime
        else:
            stamp = new.lastTransitionTime or Time(now)
        merged = replace(new, lastTransitionTime=stamp)
        return conditions if merged == old else (*conditions[:index], merged, *conditions[index + 1 :])
    return (*conditions, replace(new, lastTransitionTime=new.lastTransitionTime or Time(now)))


# --- selectors --------------------------------------------------------------------------------------------------------


class LabelSelectorRequirement(Data):
    key: str
    operator: str
    values: tuple[str, ...] = ()


class LabelSelector(Data):
    matchLabels: dict[str, str] = {}
    matchExpressions: tuple[LabelSelectorRequirement, ...] = ()


def requirement_matches(requirement: LabelSelectorRequirement, labels: Mapping[str, str]) -> bool:
    """Whether one requirement holds. An invalid one (`In` without values, an unknown operator) never does."""
    if not requirement_is_valid(requirement):
        return False
    operator, value = requirement.operator, labels.get(requirement.key)
    if operator == "In":
        return value in requirement.values
    if operator == "NotIn":
        return value not in requirement.values
    return (value is not None) == (operator == "Exists")


@lru_cache(maxsize=4096)  # each requirement is held against every cluster
def requirement_is_valid(requirement: LabelSelectorRequirement) -> bool:
    """Whether `labels.NewRequirement` would accept it: the operator, its values, and the spelling of all."""
    if requirement.operator in ("In", "NotIn"):
        well_formed = bool(requirement.values)
    else:
        well_formed = requirement.operator in ("Exists", "DoesNotExist") and not requirement.values
    return well_formed and is_label_key(requirement.key) and all(map(is_label_value, requirement.values))


def selector_is_valid(selector: LabelSelector) -> bool:
    """Whether the expressions are such that `metav1.LabelSelectorAsSelector` would accept them."""
    return all(map(requirement_is_valid, selector.matchExpressions))


def selector_matches(selector: LabelSelector, labels: Mapping[str, str]) -> bool:
    """Whether labels match. An empty selector matches all; one with an invalid requirement matches nothing.

    >>> selector_matches(LabelSelector(matchLabels={"app": "web"}), {"app": "web", "tier": "front"})
    True
    """
    for key, value in selector.matchLabels.items():
        if labels.get(key) != value:
            return False
    return not selector.matchExpressions or all(requirement_matches(r, labels) for r in selector.matchExpressions)


# --- taints and tolerations -------------------------------------------------------------------------------------------

NO_SCHEDULE, PREFER_NO_SCHEDULE, NO_EXECUTE = "NoSchedule", "PreferNoSchedule", "NoExecute"


class Taint(Data, kw_only=True):
    key: str
    value: str = ""
    effect: str
    timeAdded: Time | None = None

    def __str__(self) -> str:
        """As Karmada's messages write it: `key=value:effect`."""
        return f"{self.key}={self.value}:{self.effect}" if self.value else f"{self.key}:{self.effect}"


class Toleration(Data):
    """`tolerationSeconds` says how long a NoExecute taint is borne; None means for ever. Other effects ignore it."""

    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    tolerationSeconds: int | None = None


def tolerates(toleration: Toleration, taint: Taint) -> bool:
    """`Toleration.ToleratesTaint`: an empty effect or key matches any, `Exists` ignores the value.

    >>> tolerates(Toleration(key="gpu", operator="Exists"), Taint(key="gpu", value="a", effect="NoSchedule"))
    True
    """
    if toleration.effect and toleration.effect != taint.effect:
        return False
    if toleration.key and toleration.key != taint.key:
        return False
    if toleration.operator in ("", "Equal"):
        return toleration.value == taint.value
    return toleration.operator == "Exists"
