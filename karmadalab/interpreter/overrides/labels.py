"""The label and annotation overriders: like a JSON patch on the map, but a key that is absent is no error."""

from __future__ import annotations

from karmadalab.api.override import LabelAnnotationOverrider
from karmadalab.interpreter.overrides.patch import Operation, apply_patch, pointer_token
from karmadalab.interpreter.overrides.pods import Manifest


def override_map(manifest: Manifest, overrider: LabelAnnotationOverrider, field: str) -> Manifest:
    """The manifest with keys of `metadata.labels` or `metadata.annotations` added, replaced or removed."""
    current = (manifest.get("metadata") or {}).get(field)
    # Karmada can't read a map that a plaintext overrider has put a number into. It takes it for absent, with all its
    # keys: what is added then is put into a new one.
    present = current if current is not None and all(isinstance(value, str) for value in current.values()) else None
    operations = []
    if overrider.operator == "add" and overrider.value and present is None:
        operations.append(Operation("add", f"/metadata/{field}", {}))
    for key, value in overrider.value.items():
        if overrider.operator == "add" or key in (present or ()):
            operations.append(Operation(overrider.operator, f"/metadata/{field}/{pointer_token(key)}", value))
    return apply_patch(manifest, operations)
