"""Check 33.2: a WorkloadRebalancer that names the workloads it brings home, and no others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from karmadalab.api.errors import KarmadalabError
from karmadalab.lab import Lab
from karmadalab.teaching.asking import called
from karmadalab.teaching.labs.homecoming.fleet import Fleet, returned
from karmadalab.teaching.verdict import Finding

_KIND = "WorkloadRebalancer"


def judge(answer: Callable[[], Any], own: Fleet | None = None) -> Finding | None:
    """Apply the manifest to the learner's fleet and look who is home."""
    fleet = own or Fleet()
    manifest = called(answer)
    if not isinstance(manifest, Mapping) or manifest.get("kind") != _KIND:
        said = manifest.get("kind") if isinstance(manifest, Mapping) else manifest
        why = "one object of one kind gives the order to decide anew, once."
        return Finding(f"you return {said!r}, not a {_KIND}.", why, "`kind` in your manifest.")
    lab = returned(fleet)
    try:
        lab.apply(_kept(manifest))
    except (KarmadalabError, TypeError, ValueError) as error:
        why = "the API server does not take it."
        return Finding(f"your manifest is refused: {error}", why, "the example in the lesson, field by field.")
    lab.run("2m")
    return _unknown(lab) or _too_many(lab, fleet) or _missing(lab, fleet)


def _kept(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest without a time to live: an order that is gone tells nothing of whom it named."""
    spec = manifest.get("spec")
    if not isinstance(spec, Mapping):
        return dict(manifest)
    return {**manifest, "spec": {key: value for key, value in spec.items() if key != "ttlSecondsAfterFinished"}}


def _results(lab: Lab) -> list[Any]:
    return [item for order in lab.list(_KIND) for item in order.status.observedWorkloads]


def _unknown(lab: Lab) -> Finding | None:
    for item in _results(lab):
        if item.result != "Failed":
            continue
        wanted = item.workload
        what = f"{wanted.kind} {wanted.namespace or '(no namespace)'}/{wanted.name}: {item.result}, {item.reason}."
        if wanted.kind == "ResourceBinding":
            return Finding(what, "the order names workloads; Karmada finds their bindings itself.", "`kind`.")
        why = "no binding belongs to this apiVersion, kind, namespace and name."
        return Finding(what, why, "the namespace first: `lab.placement` writes it before the slash.")
    return None


def _too_many(lab: Lab, fleet: Fleet) -> Finding | None:
    for item in _results(lab):
        if item.workload.name in fleet.divided:
            continue
        what = f"you name {item.workload.kind} {item.workload.name}, which is on {fleet.home} already."
        why = "an order that is not needed is an order that can go wrong: name only who does not come home alone."
        return Finding(what, why, "33.1: what does your function say about it?")
    return None


def _missing(lab: Lab, fleet: Fleet) -> Finding | None:
    for name, space in fleet.divided.items():
        key = f"{space}/{name}-deployment"
        if fleet.home not in lab.placement[key]:
            what = f"{space}/{name} is on {', '.join(lab.placement[key])}, as before your order."
            why = "an order counts for the workloads that it names."
            return Finding(what, why, f"who in `lab.placement` is not on {fleet.home}: {len(fleet.divided)} in all.")
    return None
