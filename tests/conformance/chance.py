"""Where Karmada flips a coin, a recording lists outcomes or says which clusters were tied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def replicas_by_name(targets: list[dict[str, Any]]) -> dict[str, int]:
    """A list of targets as a mapping."""
    return {target["name"]: target["replicas"] for target in targets}


def is_tie(got: Mapping[str, int], listed: Mapping[str, int], tie: Mapping[str, Any]) -> bool:
    """Whether `got` is like a listed outcome but for *which* of the tied clusters got one replica more."""
    names, base, extra = tie["names"], tie["base"], tie["extra"]
    if any(got.get(name) != listed.get(name) for name in {*got, *listed} - set(names)):
        return False
    more = sorted(got.get(name, 0) - base[name] for name in names)
    return more == [0] * (len(more) - extra) + [1] * extra
