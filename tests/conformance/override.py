"""Override policies: the object they make, and the names of what was applied.

Of errors only the presence is compared: most texts are those of Go's JSON patch library. Where the real code crashes
(`panic`: an override turned a container into something else), an error is the right answer.
"""

from __future__ import annotations

import json
from typing import Any

from karmadalab.api.codec import decode
from karmadalab.api.errors import KarmadalabError
from karmadalab.interpreter.overrides import apply_overrides


def emit(case: dict[str, Any], profile: str = "v1.13") -> dict[str, Any]:
    """The object of one recorded case after its overrides."""
    given = case["input"]
    cluster_policies = tuple(map(decode, given.get("clusterOverridePolicies") or ()))
    policies = tuple(map(decode, given.get("overridePolicies") or ()))
    try:
        obj, cluster = decode(given["object"]), decode(given["cluster"])
        done = apply_overrides(obj, cluster, cluster_policies, policies, any_zone=profile == "v1.18")  # type: ignore[arg-type]
    except KarmadalabError as error:
        return {"error": str(error)}
    return {
        "error": None,
        "object": done.manifest,
        "appliedClusterOverridePolicies": [override.policy for override in done.cluster_overrides] or None,
        "appliedOverridePolicies": [override.policy for override in done.overrides] or None,
    }


def differences(case: dict[str, Any], actual: dict[str, Any]) -> list[str]:
    """One line for each recorded part that differs."""
    expected = case["expected"]
    if expected.get("error") or expected.get("panic"):
        return (
            [] if actual.get("error") else [f"no error instead of {expected.get('error') or expected.get('panic')!r}"]
        )
    if actual.get("error"):
        return [f"error: {actual['error']}"]
    ours = json.loads(json.dumps(actual))
    parts = ("object", "appliedClusterOverridePolicies", "appliedOverridePolicies")
    return [f"{part}: {ours[part]!r} instead of {expected[part]!r}" for part in parts if ours[part] != expected[part]]
