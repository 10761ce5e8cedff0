"""Whether an object is one that a policy's `resourceSelectors` speak of, and how precisely they name it.

Propagation and override policies share the rule (`util.ResourceMatchSelectorsPriority`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from karmadalab.api.meta import ObjectMeta, selector_matches
from karmadalab.api.policy import ResourceSelector

MISMATCH, MATCH_ALL, MATCH_LABELS, MATCH_NAME = 0, 1, 2, 3


class Selectable(Protocol):
    """What a selector looks at."""

    @property
    def apiVersion(self) -> str: ...  # noqa: N802 - the JSON name
    @property
    def kind(self) -> str: ...
    @property
    def metadata(self) -> ObjectMeta: ...


def match_priority(obj: Selectable, selectors: Iterable[ResourceSelector]) -> int:
    """The best match of several selectors: by name, by labels, by kind alone, or none. No selectors: `MISMATCH`."""
    return max((selector_priority(obj, selector) for selector in selectors), default=MISMATCH)


def selector_priority(obj: Selectable, selector: ResourceSelector) -> int:
    """How one selector matches. Versions are compared as text; a name makes `labelSelector` irrelevant.

    >>> from karmadalab.api.unstructured import Unstructured
    >>> deployment = Unstructured("apps/v1", "Deployment", ObjectMeta(name="web", namespace="default"))
    >>> selector_priority(deployment, ResourceSelector("apps/v1", "Deployment", name="web")) == MATCH_NAME
    True
    """
    if selector.apiVersion != obj.apiVersion or selector.kind != obj.kind:
        return MISMATCH
    if selector.namespace and selector.namespace != obj.metadata.namespace:
        return MISMATCH
    if selector.name:
        return MATCH_NAME if selector.name == obj.metadata.name else MISMATCH
    if selector.labelSelector is None:
        return MATCH_ALL
    return MATCH_LABELS if selector_matches(selector.labelSelector, obj.metadata.labels) else MISMATCH
