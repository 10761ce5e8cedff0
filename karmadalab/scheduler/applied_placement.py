"""The annotation `policy.karmada.io/applied-placement`: the placement that the last decision was made for.

By comparing it with `spec.placement` the scheduler sees that the policy changed, and the taint manager reads the
tolerations from it. It is written as Go's JSON encoder would, so that the two are the same text in a real fleet.
"""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from karmadalab.api.codec import convert, plain
from karmadalab.api.errors import Invalid
from karmadalab.api.policy import ClusterAffinityTerm, Placement, StaticClusterWeight


def applied_placement(placement: Placement) -> str:
    """A placement as Karmada writes it: fields in the order of the Go types, empty ones left out.

    >>> applied_placement(Placement(clusterAffinities=(ClusterAffinityTerm(affinityName="a", clusterNames=("m1",)),)))
    '{"clusterAffinities":[{"affinityName":"a","clusterNames":["m1"]}]}'
    """
    data = plain(placement)
    if placement.clusterAffinities:
        data["clusterAffinities"] = [_name_first(term) for term in placement.clusterAffinities]
    scheduling = placement.replicaScheduling
    if scheduling is not None and scheduling.weightPreference is not None:
        rules = scheduling.weightPreference.staticWeightList
        if rules:
            data["replicaScheduling"]["weightPreference"]["staticWeightList"] = [_whole(rule) for rule in rules]
    return json.dumps(_sorted_maps(data), separators=(",", ":"), ensure_ascii=False)


def _name_first(term: ClusterAffinityTerm) -> dict[str, Any]:
    """`affinityName` has no `omitempty`, and the inlined affinity follows it."""
    return {"affinityName": term.affinityName, **plain(term)}


def _whole(rule: StaticClusterWeight) -> dict[str, Any]:
    """Neither field of a rule has `omitempty`."""
    return {"targetCluster": plain(rule.targetCluster), "weight": rule.weight}


def _sorted_maps(data: Any) -> Any:
    """Go writes maps, here `matchLabels`, in the order of their keys, but structs in the order of their fields."""
    if isinstance(data, dict):
        return {
            key: dict(sorted(value.items())) if key == "matchLabels" else _sorted_maps(value)
            for key, value in data.items()
        }
    if isinstance(data, (list, tuple)):
        return [_sorted_maps(item) for item in data]
    return data


@lru_cache(maxsize=4096)
def parse_applied_placement(text: str) -> Placement | None:
    """The placement in an annotation; None when it is not one, which Karmada takes for "unchanged"."""
    try:
        return convert(json.loads(text), Placement, "annotation policy.karmada.io/applied-placement")
    except (ValueError, Invalid):
        return None
