"""Admission: recorded cases, the recorded answers of a real API server, and what becomes of a minimal object."""

from __future__ import annotations

import doctest
import gzip
import itertools
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karmadalab.api import cron, explain, prune
from karmadalab.api.codec import decode, plain, to_dict
from karmadalab.api.errors import Denied, Forbidden, Invalid, KarmadalabError
from karmadalab.api.policy import ClusterAffinityTerm, Placement
from karmadalab.api.scheme import AnyObject
from karmadalab.environments.files import parse_yaml
from karmadalab.lab import Lab
from karmadalab.server.reading import known_part, read, read_applied
from karmadalab.webhook import Admission, rules, urls, warnings_for
from karmadalab.webhook.placement import validate_placement
from tests.conformance import webhook as recorded
from tests.conformance.__main__ import read_cases
from tests.conformance.agreement import DATA, disagreements


def admission(**parameters: Any) -> Admission:
    counter = itertools.count(1)
    return Admission(new_id=lambda: f"id-{next(counter)}", now=lambda: 0.0, **parameters)


@pytest.mark.parametrize("profile", ["v1.13", "v1.18"])
def test_every_recorded_case_agrees(profile: str) -> None:
    assert disagreements(recorded, f"karmada-{profile}/webhook.jsonl.gz", profile) == []


def test_what_was_admitted_once_is_left_alone_the_next_time() -> None:
    admit = admission()
    for case in read_cases(DATA / "karmada-v1.13/webhook.jsonl.gz"):
        if case["input"]["kind"] == "admission":
            once = admit.mutate("UPDATE", decode(case["input"]["object"]))
            assert admit.mutate("UPDATE", once) == once, case["id"]


@pytest.mark.parametrize("module", [cron, explain, prune, rules, urls], ids=lambda module: module.__name__)
def test_docstrings_tell_the_truth(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


# --- the manifests of walk 13, as a real API server and Karmada's webhooks answered them ----------------------------

# Where we answer otherwise, and why.
OTHER_TEXT = {
    "RIC empty": "no Lua here: the kind is refused with the way out",
    "RIC wrong lua": "no Lua here: the kind is refused with the way out",
}

_PREFIX = re.compile(r"^Error from server.*?(?:denied the request: |cannot be handled as an? \w+: )", re.DOTALL)


def walk_13() -> dict[str, dict[str, Any]]:
    with gzip.open(DATA / "walks/13-api-validation.json.gz", "rt", encoding="utf-8") as file:
        steps = json.load(file)["steps"]
    return {step["action"]: step for step in steps if step.get("manifest")}


WALK_13 = walk_13()


def read_as_it_came(action: str) -> AnyObject:
    """The object of a step: kubectl asks to be strict, unless it was told otherwise, and apply has words of its own."""
    [data] = parse_yaml(WALK_13[action]["manifest"])
    if "--validate=false" in action:
        return read(known_part(data))
    return read_applied(data) if "server-side apply" in action else decode(data)


def verdict(action: str) -> KarmadalabError | None:
    """What we say to a manifest; None if it is stored."""
    try:
        admission().admit("CREATE", read_as_it_came(action))
    except KarmadalabError as error:
        return error
    return None


@pytest.mark.parametrize("action", sorted(WALK_13))
def test_a_manifest_is_taken_or_refused_as_by_the_real_servers(action: str) -> None:
    step, error = WALK_13[action], verdict(action)
    output = step["output"].strip()
    if step.get("result") == "ACCEPTED" or output.endswith(" created"):
        assert error is None
        return
    assert error is not None
    if action in OTHER_TEXT:
        return
    findings = getattr(error, "errors", ())
    for finding in findings:
        assert f"{finding.field}: " in output
        assert finding.detail in output
    if not findings:
        core = _PREFIX.sub("", output).removeprefix("Error from server: ").partition("\n")[0]
        assert core.rpartition('"STDIN": ')[2] in str(error)


# Written by controllers, or by Kubernetes' own defaulting, between the admission and the recording.
LATER = {
    "Cluster resourceModels without gap rules": "the cluster controller has added its taint",
    "Deployment with resourcetemplate deletion protection then delete": "Kubernetes has filled in a Deployment",
    "Work outside of an execution namespace (valid?)": "the manifest carries the generated id",
}
STORED = sorted(name for name, step in WALK_13.items() if step.get("stored") and name not in LATER)


@pytest.mark.parametrize("action", STORED)
def test_what_is_stored_is_what_the_real_control_plane_stored(action: str) -> None:
    admit = admission(default_not_ready_toleration_seconds=30, default_unreachable_toleration_seconds=30)
    ours = admit.admit("CREATE", read_as_it_came(action))
    spec = json.loads(json.dumps(to_dict(ours)))["spec"]
    assert recorded.canonical(spec) == recorded.canonical(json.loads(WALK_13[action]["stored"])["spec"])


# Accepted by the real webhooks although it means nothing: what our warning says.
ACCEPTED_NONSENSE = {
    "PP selector without kind": "can't even be deleted",
    "PP selector in another namespace": "is not the policy's own namespace",
    "PP labelSelector In without values": "matches nothing",
    "PP toleration bad operator": "Like is no operator",
    "PP toleration tolerationSeconds with NoSchedule": "ignored for NoSchedule",
    "PP spread by label only": "doesn't spread by label yet",
    "OP no overrideRules": "changes nothing",
    "OP image remove with value": "ignored, since the operator is remove",
    "RB without resource": "names no kind",
    "MCS duplicate provider cluster": "member1 is listed more than once",
}


@pytest.mark.parametrize("action", ACCEPTED_NONSENSE)
def test_nonsense_that_the_real_webhooks_accept_is_accepted_with_a_warning(action: str) -> None:
    obj = admission().admit("CREATE", read_as_it_came(action))
    assert ACCEPTED_NONSENSE[action] in " ".join(warnings_for(obj))


def test_a_sensible_policy_gets_no_warning() -> None:
    policy = admission().admit("CREATE", manifest("PropagationPolicy", {"resourceSelectors": SELECTORS}))
    assert warnings_for(policy) == ()


def test_there_are_98_manifests_and_those_with_other_texts_are_among_them() -> None:
    assert len(WALK_13) == 98
    assert WALK_13.keys() > OTHER_TEXT.keys()
    assert all("runs no Lua" in str(verdict(action)) for action in OTHER_TEXT)


# --- defaults -------------------------------------------------------------------------------------------------------


def manifest(kind: str, spec: dict[str, Any], namespace: str = "default", **metadata: Any) -> Any:
    group = {"Work": "work.karmada.io/v1alpha1", "ResourceBinding": "work.karmada.io/v1alpha2"}
    group["Cluster"] = "cluster.karmada.io/v1alpha1"
    meta = {"name": "x", "namespace": namespace, **metadata}
    api_version = group.get(kind, "policy.karmada.io/v1alpha1")
    return decode({"apiVersion": api_version, "kind": kind, "metadata": meta, "spec": spec})


SELECTORS = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}]


def test_a_minimal_policy_tolerates_a_failing_cluster_for_five_minutes() -> None:
    policy = to_dict(admission().admit("CREATE", manifest("PropagationPolicy", {"resourceSelectors": SELECTORS})))
    assert plain(policy["spec"]) == {
        "resourceSelectors": ({**SELECTORS[0], "namespace": "default"},),
        "placement": {
            "clusterTolerations": (
                {
                    "key": "cluster.karmada.io/not-ready",
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": 300,
                },
                {
                    "key": "cluster.karmada.io/unreachable",
                    "operator": "Exists",
                    "effect": "NoExecute",
                    "tolerationSeconds": 300,
                },
            )
        },
        "priority": 0,
        "preemption": "Never",
        "schedulerName": "default-scheduler",
        "conflictResolution": "Abort",
    }
    assert policy["metadata"]["labels"] == {"propagationpolicy.karmada.io/permanent-id": "id-1"}
    assert policy["metadata"]["finalizers"] == ("karmada.io/propagation-policy-controller",)


def test_release_v1_18_adds_no_tolerations() -> None:
    seconds: dict[str, Any] = dict.fromkeys(
        ("default_not_ready_toleration_seconds", "default_unreachable_toleration_seconds")
    )
    admit = admission(profile="v1.18", **seconds)
    policy: Any = admit.admit("CREATE", manifest("PropagationPolicy", {"resourceSelectors": SELECTORS}))
    assert policy.spec.placement.clusterTolerations == ()


def test_a_strategy_without_a_type_divides_and_no_strategy_duplicates() -> None:
    spec = {"resourceSelectors": SELECTORS, "placement": {"replicaScheduling": {}}}
    divided: Any = admission().admit("CREATE", manifest("PropagationPolicy", spec))
    assert divided.spec.placement.replicaScheduling.replicaSchedulingType == "Divided"
    assert divided.spec.placement.replicaScheduling.replicaDivisionPreference == "Weighted"
    plain_policy: Any = admission().admit("CREATE", manifest("PropagationPolicy", {"resourceSelectors": SELECTORS}))
    assert plain_policy.spec.placement.replicaScheduling is None


@pytest.mark.parametrize(("profile", "mode"), [("v1.13", "Graciously"), ("v1.18", "Gracefully")])
def test_application_failover_keeps_the_old_copy_for_ten_minutes(profile: str, mode: str) -> None:
    spec = {"resourceSelectors": SELECTORS, "propagateDeps": True, "failover": {"application": {}}}
    policy: Any = admission(profile=profile).admit("CREATE", manifest("PropagationPolicy", spec))
    application = policy.spec.failover.application
    assert (application.purgeMode, application.gracePeriodSeconds) == (mode, 600)
    assert application.decisionConditions.tolerationSeconds == 300


def test_a_new_cluster_gets_nine_grades_of_nodes_and_no_status() -> None:
    cluster: Any = admission().admit("CREATE", manifest("Cluster", {"syncMode": "Push", "zone": "a"}, namespace=""))
    assert [model.grade for model in cluster.spec.resourceModels] == list(range(9))
    assert (cluster.spec.zone, cluster.spec.zones) == ("", ("a",))


def test_an_object_of_an_unknown_kind_passes_as_it_is() -> None:
    obj = decode({"apiVersion": "example.io/v1", "kind": "Redis", "metadata": {"name": "x"}})
    assert admission().admit("CREATE", obj) is obj


# --- refusals -------------------------------------------------------------------------------------------------------


def test_a_denial_names_the_object_the_webhook_and_the_rule() -> None:
    spec = {"resourceSelectors": SELECTORS, "placement": {"spreadConstraints": [{"minGroups": 3, "maxGroups": 2}]}}
    with pytest.raises(Denied) as refused:
        admission().admit("CREATE", manifest("PropagationPolicy", spec))
    assert str(refused.value) == (
        'PropagationPolicy default/x: admission webhook "propagationpolicy.karmada.io" denied the request: '
        'spec.placement.spreadConstraints[0]: Invalid value: {"spreadByField":"cluster","maxGroups":2,"minGroups":3}: '
        "maxGroups lower than minGroups is not allowed"
    )
    assert [error.field for error in refused.value.errors] == ["spec.placement.spreadConstraints[0]"]
    assert (refused.value.code, refused.value.reason) == (403, "Forbidden")


def test_a_policy_keeps_its_scheduler_and_its_identity() -> None:
    admit = admission()
    old: Any = admit.admit("CREATE", manifest("PropagationPolicy", {"resourceSelectors": SELECTORS}))
    labels = old.metadata.labels
    spec = {"resourceSelectors": SELECTORS, "schedulerName": "other"}
    with pytest.raises(Forbidden, match="the schedulerName should not be updated"):
        admit.admit("UPDATE", manifest("PropagationPolicy", spec, labels=labels), old)
    with pytest.raises(Forbidden, match="permanent-id is immutable"):
        admit.admit("UPDATE", manifest("PropagationPolicy", {"resourceSelectors": SELECTORS}), old)


def test_a_protected_object_is_not_deleted() -> None:
    labels = {"resourcetemplate.karmada.io/deletion-protected": "Always"}
    obj = decode({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x", "labels": labels}})
    with pytest.raises(Forbidden, match="please make sure to remove the label"):
        admission().admit("DELETE", obj, obj)


NEWER: dict[str, dict[str, Any]] = {
    "workloadAffinity": {"workloadAffinity": {"affinity": {"groupByLabelKey": "app"}}},
    "overflowAffinities": {
        "clusterAffinities": [
            {"affinityName": "a", "clusterNames": ["m"], "overflowAffinities": [{"affinityName": "b"}]}
        ],
        "replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"},
    },
}


@pytest.mark.parametrize("field", NEWER)
def test_a_field_of_a_later_release_is_refused_by_the_older_profile(field: str) -> None:
    policy = manifest("PropagationPolicy", {"resourceSelectors": SELECTORS, "placement": NEWER[field]})
    with pytest.raises(Invalid, match=f"{field}: Forbidden: unknown field in profile v1.13"):
        admission().admit("CREATE", policy)
    admission(profile="v1.18").admit("CREATE", policy)


def test_a_taint_policy_needs_the_later_release_and_permission_for_no_execute() -> None:
    taints = [{"key": "broken", "effect": "NoExecute"}]
    policy = manifest("ClusterTaintPolicy", {"taints": taints}, namespace="")
    with pytest.raises(Denied, match=r"use profile v1\.18"):
        admission().admit("CREATE", policy)
    with pytest.raises(Denied, match="NoExecute effect is not allowed"):
        admission(profile="v1.18").admit("CREATE", policy)
    admission(profile="v1.18", allow_no_execute_taint_policy=True).admit("CREATE", policy)


# --- schedules ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "a * * * *", "5-1 * * * *",
     "*/0 * * * *", "@never"],
)  # fmt: skip
def test_a_schedule_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(KarmadalabError, match="is not a cron schedule"):
        cron.Cron.parse(text)


@pytest.mark.parametrize(
    ("text", "zone", "after", "expected"),
    [
        ("*/15 * * * *", "UTC", "2026-01-01T00:07:30+00:00", "2026-01-01T00:15:00+00:00"),
        ("0 8 * * *", "UTC", "2026-01-01T08:00:00+00:00", "2026-01-02T08:00:00+00:00"),
        ("0 8 * * *", "Europe/Berlin", "2026-01-01T00:00:00+00:00", "2026-01-01T07:00:00+00:00"),
        ("0 0 29 2 *", "UTC", "2026-01-01T00:00:00+00:00", "2028-02-29T00:00:00+00:00"),
        ("0 0 * * sun", "UTC", "2026-01-01T00:00:00+00:00", "2026-01-04T00:00:00+00:00"),
        ("0 0 13 * fri", "UTC", "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"),
    ],
)
def test_a_schedule_says_when_it_runs_next(text: str, zone: str, after: str, expected: str) -> None:
    from karmadalab.api.time import MicroTime

    assert cron.Cron.parse(text).next(MicroTime.parse(after), zone) == float(MicroTime.parse(expected))


def test_the_thirtieth_of_february_never_comes() -> None:
    assert cron.Cron.parse("0 0 30 2 *").next(0.0) is None


_numbers = st.integers(0, 7)
_fields = st.one_of(st.just("*"), _numbers.map(str), st.tuples(_numbers, _numbers).map(lambda t: f"{min(t)}-{max(t)}"))


@given(minute=_fields, hour=_fields, start=st.integers(0, 60 * 24 * 40))
def test_the_next_run_is_the_first_minute_that_fits(minute: str, hour: str, start: int) -> None:
    schedule = cron.Cron.parse(f"{minute} {hour} * * *")
    fits = (m for m in itertools.count(start + 1) if m % 60 in schedule.minutes and m // 60 % 24 in schedule.hours)
    assert schedule.next(start * 60.0) == next(fits) * 60.0


@pytest.mark.parametrize(
    ("part", "path"),
    [
        ({"kind": []}, "kind"),
        ({"metadata": 5}, "metadata"),
        ({"metadata": {"labels": 1.5}}, "metadata.labels"),
        ({"metadata": {"annotations": {"a": []}}}, "metadata.annotations.a"),
        ({"spec": 5}, "spec"),
    ],
    ids=str,
)
def test_a_work_holds_manifests(part: dict[str, Any], path: str) -> None:
    manifest = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, **part}
    meta = {"name": "w", "namespace": "karmada-es-member1"}
    head = {"apiVersion": "work.karmada.io/v1alpha1", "kind": "Work", "metadata": meta}
    with pytest.raises(Invalid, match=re.escape(f"Work karmada-es-member1/w: spec.workload.manifests[0].{path}: ")):
        Lab.fake(members=1, seed=1).apply({**head, "spec": {"workload": {"manifests": [manifest]}}})


def test_each_affinity_whose_name_came_before_is_a_finding_of_its_own() -> None:
    placement = Placement(clusterAffinities=tuple(ClusterAffinityTerm(affinityName="x") for _ in range(3)))
    found = validate_placement(placement, "spec.placement")
    assert [(error.field, error.detail) for error in found] == [
        ("spec.placement.clusterAffinities", "each affinity term in a policy must have a unique name")
    ] * 2
