"""Deletion protection: a label that keeps an object from being deleted by accident."""

from __future__ import annotations

from karmadalab.api.scheme import AnyObject

DELETION_PROTECTED_LABEL = "resourcetemplate.karmada.io/deletion-protected"
PROTECTED = f"This resource is protected, please make sure to remove the label: {DELETION_PROTECTED_LABEL}"


def is_protected(obj: AnyObject) -> bool:
    """Whether the label says so; any value but `Always` means nothing."""
    return obj.metadata.labels.get(DELETION_PROTECTED_LABEL) == "Always"
