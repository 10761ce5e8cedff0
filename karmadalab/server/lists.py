"""Which lists of an object are really maps: by what key their items are told apart.

Strategic merge patches and server-side apply both need to know. Kubernetes keeps it in the Go tags of each type; here
it is one table by field name, since the same name means the same thing wherever it stands in the native kinds. Lists of
custom resources, Karmada's among them, are replaced as a whole, as their CRDs say.
"""

from __future__ import annotations

from types import NoneType
from typing import Any

# field name -> keys. The first is the one that a strategic merge patch goes by.
_KEYS: dict[str, tuple[str, ...]] = {
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "env": ("name",),
    "volumes": ("name",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "imagePullSecrets": ("name",),
    "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "conditions": ("type",),
    "ownerReferences": ("uid",),
    "secrets": ("name",),
}
_CONTAINER_PORTS, _SERVICE_PORTS = ("containerPort", "protocol"), ("port", "protocol")
_SETS = frozenset(("finalizers",))
# These are so for every object, custom ones included.
_METADATA = frozenset(("ownerReferences", "finalizers"))
_DEFAULTS = {"protocol": "TCP"}


def merge_keys(field: str, items: list[Any], builtin: bool) -> tuple[str, ...]:
    """The keys that tell the items of a list apart; empty when the list is one value.

    Args:
        field: the list's own name.
        items: the list, from which the two kinds of `ports` are told apart. If one of them can't have keys, the list
            is one value, and what it holds is for the rules of its kind to judge.
        builtin: whether it belongs to one of Kubernetes' own kinds.

    >>> merge_keys("ports", [{"port": 80}], True), merge_keys("clusters", [{"name": "a"}], False)
    (('port', 'protocol'), ())
    >>> merge_keys("containers", [{"name": "a"}, 1], True)
    ()
    """
    if not builtin and field not in _METADATA:
        return ()
    keys = _KEYS.get(field, ())
    if field == "ports":
        first = items[0] if items and isinstance(items[0], dict) else {}
        keys = _CONTAINER_PORTS if "containerPort" in first else _SERVICE_PORTS if "port" in first else ()
    return keys if all(has_keys(item, keys) for item in items) else ()


def has_keys(item: Any, keys: tuple[str, ...]) -> bool:
    """Whether an item can be told apart by its keys."""
    return isinstance(item, dict) and all(isinstance(item.get(key), str | int | float | NoneType) for key in keys)


def is_set(field: str, *lists: list[Any]) -> bool:
    """Whether lists of that name are sets of texts."""
    return field in _SETS and all(isinstance(item, str) for items in lists for item in items)


def united(old: list[str], new: list[str]) -> list[str]:
    """What is in one set or the other, in the order of their coming."""
    return [*dict.fromkeys([*old, *new])]


def identity(item: dict[str, Any], keys: tuple[str, ...]) -> tuple[Any, ...]:
    """What tells an item apart."""
    return tuple(item.get(key, _DEFAULTS.get(key)) for key in keys)
