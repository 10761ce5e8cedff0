"""The annotation `policy.karmada.io/applied-placement`: the placement that the last decision was made for.

By comparing it with `spec.placement` the scheduler sees that the policy changed, and the taint manager reads the
tolerations from it. It is written as Go's JSON encoder would, so that the two are the same text in a real fleet.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from typing import Any

from msgspec import inspect

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
    """The placement in an annotation; None when it is not one, which Karmada takes for "unchanged".

    Anybody may have written it, another release or a person, and it is read with Go's patience.
    """
    try:
        data = _as_go_reads(json.loads(text), _placement_type())
        return convert(data, Placement, "annotation policy.karmada.io/applied-placement")
    except (ValueError, Invalid):
        return None


@cache
def _placement_type() -> inspect.Type:
    return inspect.type_info(Placement)  # takes a millisecond


def _as_go_reads(data: Any, wanted: inspect.Type) -> Any:
    """Fields by their names in any case, without unknown ones; what is missing or null is empty.

    What has the wrong type stays as it is: that is an error for Go, too.
    """
    if isinstance(wanted, inspect.UnionType):  # a pointer in Go; null is what it is without
        return None if data is None else _as_go_reads(data, wanted.types[0])
    if isinstance(wanted, inspect.StrType) and data is None:
        return ""
    if isinstance(wanted, inspect.StructType) and (data is None or isinstance(data, dict)):
        given = {name.lower(): value for name, value in (data or {}).items() if value is not None}
        return {
            field.encode_name: _as_go_reads(given.get(field.encode_name.lower()), field.type)
            for field in wanted.fields
            if field.required or field.encode_name.lower() in given
        }
    if isinstance(wanted, inspect.VarTupleType) and isinstance(data, list):
        return [_as_go_reads(item, wanted.item_type) for item in data]
    if isinstance(wanted, inspect.DictType) and isinstance(data, dict):
        return {key: _as_go_reads(value, wanted.value_type) for key, value in data.items()}
    return data
