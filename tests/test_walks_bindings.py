"""Recorded walks about claims, bindings and what becomes of them in members."""

from __future__ import annotations

from typing import Any

from karmadalab import Lab, replace
from karmadalab.api.codec import decode
from karmadalab.api.policy import Suspension
from karmadalab.api.work import TargetCluster
from karmadalab.core.store import Store
from karmadalab.environments.files import parse_yaml
from tests.walks import Walk, assert_agrees, by_number, concerns, namespace

CLAIM = "propagationpolicy.karmada.io"


def edit(store: Store, kind: str, name: str, where: str, *, drop: str = "", **changes: dict[str, str]) -> None:
    """`kubectl label` (`labels`) and `kubectl annotate` (`annotations`)."""
    found = store.get(kind, name, where)
    meta = found.metadata
    fields = {key: {**getattr(meta, key), **changes.get(key, {})} for key in ("labels", "annotations")}
    fields = {key: {name: value for name, value in items.items() if name != drop} for key, items in fields.items()}
    store.update(replace(found, metadata=replace(meta, **fields)))


def set_image(store: Store, where: str, image: str, **container: Any) -> None:
    found = store.get("Deployment.apps", "app", where)
    template = found.spec["template"]
    containers = [{**template["spec"]["containers"][0], "image": image, **container}]
    store.update(found.with_spec(template={**template, "spec": {**template["spec"], "containers": containers}}))


def known(label: str, path: str) -> bool:
    """How often a binding is written while several controllers work on it."""
    return "binding" in label and path in ("metadata.generation", "status.schedulerObservedGeneration")


# --- 03: the detector -------------------------------------------------------------------------------------------------


def test_03_claims() -> None:
    walk = Walk("03-detector")
    walk.lab.apply([namespace(f"s3{letter}") for letter in "abcdef"])

    def hand(lab: Lab, _: Any) -> None:
        binding = lab.get("ResourceBinding", "app-deployment", "s3e")
        lab.update(replace(binding, spec=replace(binding.spec, clusters=(TargetCluster("member5", 1),))))

    walk.go(
        {
            5: lambda lab, _: lab.delete("PropagationPolicy", "early", "s3a"),
            6: lambda lab, _: lab.scale("app", 3, "s3a"),
            8: lambda lab, _: lab.delete("Deployment", "app", "s3a"),
            13: lambda lab, _: lab.delete("PropagationPolicy", "top", "s3b"),
            18: lambda lab, _: lab.delete("PropagationPolicy", "pp", "s3c"),
            19: lambda lab, _: lab.delete("ClusterPropagationPolicy", "s3-cpp"),
            23: hand,
            24: lambda lab, _: lab.delete("ResourceBinding", "app-deployment", "s3e"),
            25: lambda lab, _: edit(lab.store, "Deployment.apps", "app", "s3e", drop=f"{CLAIM}/permanent-id"),
            26: lambda lab, _: edit(lab.store, "Deployment.apps", "app", "s3e", drop=f"{CLAIM}/name"),
            29: lambda lab, _: edit(lab.store, "Deployment.apps", "app", "s3f", annotations={"touch": "1"}),
        },
        by_number(walk),
        known,
    )
    assert_agrees(walk, concerns("/s3"), free="/s3d/")


def in_mid_rollout(label: str, path: str) -> bool:
    """What was read while pods were being replaced: how far that was is a matter of tenths of a second."""
    return label.split()[0] in ("6", "14a", "15") and "status" in path


# --- 04a: updates, overrides, drift -----------------------------------------------------------------------------------


def test_04a_overrides_and_drift() -> None:
    walk = Walk("04a-binding-update-override-drift")
    walk.lab.apply(namespace("s4a"))

    def member(lab: Lab, name: str = "member1") -> Store:
        return lab.world.member(name).store

    def mirror(lab: Lab, _: Any) -> None:
        policy = lab.get("OverridePolicy", "app-m2", "s4a")
        [rule] = policy.spec.overrideRules
        first, *others = rule.overriders.imageOverrider
        images = (replace(first, value="mirror2.example.net"), *others)
        rule = replace(rule, overriders=replace(rule.overriders, imageOverrider=images))
        lab.update(replace(policy, spec=replace(policy.spec, overrideRules=(rule,))))

    def scale_in_member(lab: Lab, _: Any) -> None:
        store = member(lab)
        store.update(store.get("Deployment.apps", "app", "s4a").with_spec(replicas=7))

    def delete_pods(lab: Lab, _: Any) -> None:
        for pod in member(lab, "member2").list("Pod", "s4a"):
            member(lab, "member2").delete("Pod", pod.metadata.name, "s4a")

    image = "registry.example.io/library/nginx:1.28"
    label = lambda store, **labels: edit(store, "Deployment.apps", "app", "s4a", labels=labels)  # noqa: E731
    walk.go(
        {
            1: lambda lab, _: lab.scale("app", 4, "s4a"),
            2: lambda lab, _: set_image(lab.store, "s4a", image),
            4: mirror,
            5: lambda lab, _: lab.delete("OverridePolicy", "app-m2", "s4a"),
            6: lambda lab, _: set_image(member(lab), "s4a", "hand.example/edited:1"),
            7: scale_in_member,
            8: lambda lab, _: label(member(lab), **{"by-hand": "yes"}),
            9: lambda lab, _: edit(member(lab), "Deployment.apps", "app", "s4a", drop="karmada.io/managed"),
            10: lambda lab, _: set_image(member(lab), "s4a", "hand.example/edited:2"),
            11: lambda lab, _: edit(lab.store, "Deployment.apps", "app", "s4a", annotations={"touch": "1"}),
            12: lambda lab, _: member(lab).delete("Deployment.apps", "app", "s4a"),
            13: delete_pods,
            14: lambda lab, _: lab.delete("Work", "app-77b989c69", "karmada-es-member1"),
            15: lambda lab, _: edit(lab.store, "Deployment.apps", "app", "s4a", annotations={"note": "x"}),
            16: lambda lab, _: edit(lab.store, "Deployment.apps", "app", "s4a", drop="note"),
            17: lambda lab, _: set_image(lab.store, "s4a", image, resources={}),
        },
        by_number(walk, after_14a=15, after_14b=16),
        lambda label, path: known(label, path) or in_mid_rollout(label, path),
    )
    assert_agrees(walk, concerns("/s4a/", "app-77b989c69"))


# --- 04b: conflicts, preserving, suspending ---------------------------------------------------------------------------


def test_04b_conflict_preserve_suspend() -> None:
    walk = Walk("04b-conflict-preserve-suspend")
    walk.lab.apply([namespace(f"s4b{letter}") for letter in "dquv"])

    def unmanaged(lab: Lab, step: Any) -> None:
        lab.world.member("member1").store.create(decode(parse_yaml(step["manifest"], "step")[0]))

    def scheduling(lab: Lab, suspended: bool) -> None:
        binding = lab.get("ResourceBinding", "app-deployment", "s4bv")
        suspension = replace(binding.spec.suspension or Suspension(), scheduling=suspended)
        lab.update(replace(binding, spec=replace(binding.spec, suspension=suspension)))

    walk.go(
        {
            0: unmanaged,
            3: unmanaged,
            6: lambda lab, _: lab.delete("Deployment", "app", "s4bq"),
            12: lambda lab, _: lab.scale("app", 3, "s4bu"),
            13: lambda lab, _: lab.world.member("member1").store.delete("Deployment.apps", "app", "s4bu"),
            16: lambda lab, _: lab.delete("Deployment", "app", "s4bu"),
            18: lambda lab, _: scheduling(lab, True),
            20: lambda lab, _: scheduling(lab, False),
        },
        by_number(walk, after_1=0, after_3=28.0, after_3b=2, after_5=4, after_15=16),
        # The Work that can't be released was read for the status before it was marked for deletion.
        lambda label, path: known(label, path) or (label == "8 binding" and path == "status.aggregatedStatus"),
    )
    assert_agrees(walk, concerns("/s4b"))
