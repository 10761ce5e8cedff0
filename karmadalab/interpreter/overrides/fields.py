"""The field overrider: a patch inside a text that is itself JSON or YAML, for example a file in a ConfigMap.

The text is read, patched and written again, so comments and the order of keys are lost, as in Karmada.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from karmadalab.api.errors import Invalid
from karmadalab.api.go_yaml import yaml_documents, yaml_text
from karmadalab.api.override import FieldOverrider, FieldPatchOperation
from karmadalab.interpreter.overrides.errors import OverrideError
from karmadalab.interpreter.overrides.patch import Operation, apply_patch
from karmadalab.interpreter.overrides.pods import Manifest

_MOST_IN_DIGITS = 1e21  # from here on Go writes an exponent


def override_field(manifest: Manifest, overrider: FieldOverrider) -> Manifest:
    """The manifest with the text at `fieldPath` patched. When both are given, `yaml` wins over `json`; when neither is,
    the text is emptied, as by Karmada.

    Raises:
        OverrideError: there is no text at the path, it can't be read, or the patch doesn't fit.
    """
    text = _text_at(manifest, overrider.fieldPath)
    if overrider.yaml:
        data = _as_json_has_it(_read_yaml(text, overrider.fieldPath))
        changed = yaml_text(_as_json_has_it(apply_patch(data, _operations(overrider.yaml))))
    elif overrider.json:
        changed = _write_json(apply_patch(_read_json(text, overrider.fieldPath), _operations(overrider.json)))
    else:
        changed = ""
    return apply_patch(manifest, [Operation("replace", overrider.fieldPath, changed)])


def _operations(operations: Iterable[FieldPatchOperation]) -> list[Operation]:
    return [Operation(step.operator, step.subPath, step.value) for step in operations]


def _text_at(manifest: Manifest, path: str) -> str:
    import jsonpointer

    try:
        found = jsonpointer.resolve_pointer(manifest, path)
    except jsonpointer.JsonPointerException as error:
        raise OverrideError(f"field overrider {path}: {error}") from None
    if not isinstance(found, str):
        raise OverrideError(f"Get object's value by overrider's path({path}) is not string")
    return found


def _read_json(text: str, path: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise OverrideError(f"field overrider {path}: the text is not JSON: {error}") from None


def _write_json(data: Any) -> str:
    """As Go's encoder writes it: compact, and safe inside HTML."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _read_yaml(text: str, path: str) -> Any:
    try:
        return next(iter(yaml_documents(text, f"field overrider {path}: the text")), None)
    except Invalid as error:
        raise OverrideError(str(error)) from None


def _as_json_has_it(data: Any) -> Any:
    """Karmada patches YAML as JSON, whose keys are texts. Go writes a number without a fraction as a whole one."""
    if isinstance(data, dict):
        return {k if isinstance(k, str) else json.dumps(k): _as_json_has_it(value) for k, value in data.items()}
    if isinstance(data, list):
        return [_as_json_has_it(item) for item in data]
    return int(data) if isinstance(data, float) and data.is_integer() and abs(data) < _MOST_IN_DIGITS else data
