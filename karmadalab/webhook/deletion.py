"""Deletion protection: a label that keeps an object from being deleted by accident."""

from __future__ import annotations

from karmadalab.api.errors import Forbidden
from karmadalab.api.scheme import AnyObject

DELETION_PROTECTED_LABEL = "resourcetemplate.karmada.io/deletion-protected"


def refuse_deletion(obj: AnyObject) -> None:
    """Nothing, for most objects.

    Raises:
        Forbidden: the object carries the label with value `Always`.
    """
    if obj.metadata.labels.get(DELETION_PROTECTED_LABEL) == "Always":
        raise Forbidden(f"This resource is protected, please make sure to remove the label: {DELETION_PROTECTED_LABEL}")
