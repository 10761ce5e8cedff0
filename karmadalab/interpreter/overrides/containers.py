"""The command and args overriders.

They add to the list or take from it. `replace`, though the API has it, changes nothing in Karmada v1.13; where there
was no list, it leaves an empty one.
"""

from __future__ import annotations

from karmadalab.api.override import CommandArgsOverrider
from karmadalab.interpreter.overrides.patch import Operation, apply_patch
from karmadalab.interpreter.overrides.pods import Manifest, container_path, containers


def override_container_list(manifest: Manifest, overrider: CommandArgsOverrider, field: str) -> Manifest:
    """The manifest with `command` or `args` of the named container changed.

    Raises:
        OverrideError: the object's containers are broken.
    """
    path = container_path(manifest)
    operations = []
    for index, container in enumerate(containers(manifest)):
        if container.get("name") == overrider.containerName:
            current = container.get(field)
            op = "add" if current is None else "replace"
            value = _changed([str(item) for item in current or ()], overrider)
            operations.append(Operation(op, f"{path}/{index}/{field}", value))
    return apply_patch(manifest, operations)


def _changed(current: list[str], overrider: CommandArgsOverrider) -> list[str]:
    if overrider.operator == "add":
        return current + list(overrider.value)
    if overrider.operator == "remove":
        return [item for item in current if item not in overrider.value]
    return current
