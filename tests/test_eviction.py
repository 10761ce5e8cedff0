"""When the taint manager makes a workload leave, beyond what was recorded."""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab.api.applied import tolerations_in
from karmadalab.api.errors import Invalid
from karmadalab.api.meta import Taint, Toleration, replace
from karmadalab.api.policy import APPLIED_PLACEMENT_ANNOTATION
from karmadalab.api.time import Time
from karmadalab.api.work import TargetCluster
from karmadalab.controllers.taint_manager import eviction_deadline
from karmadalab.core.settings import Settings
from karmadalab.environments.phases import Phases
from karmadalab.lab import Lab

from .worlds import DIVIDED, EVICTS, deployment, policy

NOW = 1_000_000


@pytest.mark.parametrize(
    ("added", "seconds", "left_s"),
    [(NOW + 20, -5, 15), (NOW + 3, -5, -2), (NOW - 10, -5, -15), (NOW + 20, 0, 20)],
    ids=["before the taint's time", "already over", "long over", "zero is the taint's time"],
)
def test_negative_seconds_count_back_from_the_taints_time(added: int, seconds: int, left_s: float) -> None:
    taint = Taint(key="maintenance", effect="NoExecute", timeAdded=Time(added))
    patience = Toleration(key="maintenance", operator="Exists", tolerationSeconds=seconds)
    assert eviction_deadline([taint], [patience]) - NOW == left_s


# --- the applied placement --------------------------------------------------------------------------------------------

GO_VALUE = "json: cannot unmarshal {} into Go value of type v1alpha1.Placement"
GO_FIELD = "json: cannot unmarshal {} into Go struct field {} of type {}"
SECONDS = "Toleration.clusterTolerations.tolerationSeconds"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "unexpected end of JSON input"),
        ('{"clusterTolerations":[{"key":"a', "unexpected end of JSON input"),
        ("{bad", "invalid character 'b' looking for beginning of object key string"),
        ('{"a":1,}', "invalid character '}' looking for beginning of object key string"),
        ("bad", "invalid character 'b' looking for beginning of value"),
        ("'{}'", r"invalid character '\'' looking for beginning of value"),
        ("\u00e9", "invalid character '\u00c3' looking for beginning of value"),
        ('{"a" 1}', "invalid character '1' after object key"),
        ('{"a":1 2}', "invalid character '2' after object key:value pair"),
        ("[1 2]", "invalid character '2' after array element"),
        ("{}x", "invalid character 'x' after top-level value"),
        ("[" * 100_000, "exceeded max depth"),
        ("[]", GO_VALUE.format("array")),
        ("7", GO_VALUE.format("number")),
        ('{"clusterTolerations":{}}',
         GO_FIELD.format("object", "Placement.clusterTolerations", "[]v1.Toleration")),
        ('{"clusterTolerations":["a"]}',
         GO_FIELD.format("string", "Placement.clusterTolerations", "v1.Toleration")),
        ('{"clusterTolerations":[{"key":1}]}',
         GO_FIELD.format("number", "Toleration.clusterTolerations.key", "string")),
        ('{"clusterTolerations":[{"tolerationSeconds":"5"}]}', GO_FIELD.format("string", SECONDS, "int64")),
        (f'{{"clusterTolerations":[{{"tolerationSeconds":1{"0" * 400}}}]}}',
         GO_FIELD.format(f"number 1{'0' * 400}", SECONDS, "int64")),
    ],
)  # fmt: skip
def test_what_go_cannot_read_is_refused_in_its_words(text: str, error: str) -> None:
    with pytest.raises(Invalid) as refused:
        tolerations_in(text)
    assert str(refused.value) == error


@pytest.mark.parametrize(
    ("text", "tolerations"),
    [
        ("null", ()),
        ('{"foo":1}', ()),
        ('{"clusterTolerations":null}', ()),
        ('{"clusterTolerations":[null]}', (Toleration(),)),
        ('{"clusterTolerations":[{"key":"a","foo":1,"tolerationSeconds":null}]}', (Toleration("a"),)),
    ],
)
def test_what_go_passes_over_is_passed_over(text: str, tolerations: tuple[Toleration, ...]) -> None:
    assert tolerations_in(text) == tolerations


def tainted(profile: str, annotation: str) -> Lab:
    """`a` and `b` tolerate a taint for an hour, `c` doesn't; what the scheduler wrote of `a` was changed."""
    flags: dict[str, Any] = EVICTS if profile == "v1.18" else {}
    settings = Settings(profile=profile, feature_gates={"Failover": True}, **flags)
    lab = Lab.fake(members=2, settings=settings, phases=Phases(eviction_order={"member1": ["default/a-deployment"]}))
    patient = [{"key": "maintenance", "operator": "Exists", "tolerationSeconds": 3600}]
    lab.apply([deployment(name) for name in "abc"])
    on: dict[str, Any] = {"clusterAffinity": {"clusterNames": ["member1"]}}
    lab.apply([policy("a", clusterTolerations=patient, **on), policy("b", clusterTolerations=patient, **on)])
    lab.apply(policy("c", **on))
    lab.run("1m")
    binding = lab.get("ResourceBinding", "a-deployment")
    annotations = {**binding.metadata.annotations, APPLIED_PLACEMENT_ANNOTATION: annotation}
    lab.update(replace(binding, metadata=replace(binding.metadata, annotations=annotations)))
    lab.taint("member1", "maintenance=true:NoExecute")
    return lab.run("10ms")  # the scheduler, which writes the annotation anew, is not there before 20 ms


def gave_up(lab: Lab) -> list[str]:
    """The bindings that gave member1 up."""
    changes = lab.timeline.where(kind="ResourceBinding", what="gracefulEvictionTasks changed")
    return sorted({event.name.removesuffix("-deployment") for event in changes})


@pytest.mark.parametrize("profile", ["v1.13", "v1.18"])
@pytest.mark.parametrize(
    ("annotation", "leave"),
    [("[]", ["c"]), ("{bad", ["c"]), ("", ["c"]), ("null", ["a", "c"]), ('{"foo":1}', ["a", "c"])],
)
def test_an_annotation_that_somebody_changed_concerns_its_own_binding(
    profile: str, annotation: str, leave: list[str]
) -> None:
    assert gave_up(tainted(profile, annotation)) == leave


# --- looks ------------------------------------------------------------------------------------------------------------


def test_any_change_of_a_tainted_cluster_is_a_look_at_its_bindings() -> None:
    lab = Lab.fake(members=2)
    lab.apply([deployment(), policy(clusterAffinity={"clusterNames": ["member2"]}, replicaScheduling=DIVIDED)])
    lab.run("1m")
    lab.taint("member1", "maintenance=true:NoExecute")
    lab.run("1s")
    binding = lab.get("ResourceBinding", "web-deployment")
    lab.update(replace(binding, spec=replace(binding.spec, clusters=(TargetCluster("member1", 2),))))
    lab.run("1s")
    assert gave_up(lab) == [], "the next look of its own is ten seconds after the first"
    cluster = lab.get("Cluster", "member1")
    lab.update(replace(cluster, metadata=replace(cluster.metadata, labels={"owner": "storage"})))
    lab.run("10ms")
    assert gave_up(lab) == ["web"]
