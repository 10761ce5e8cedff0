"""Scenarios that are not met or make no sense: each is told what happened instead, or what is wrong with it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.experiments import read_scenario, run_scenario
from tests.worlds import deployment, policy

# --- expectations that are not met say what happened instead


def scenario(**parts: Any) -> dict[str, Any]:
    base = {
        "about": "a test",
        "fleet": {"members": ["member1", "member2"]},
        "seed": 1,
        "phases": {"monitor": "1s", "probes": {"member1": "6s"}},
        "actions": [{"at": "1m", "fault": "refuse", "target": "member1", "name": "fault"}],
        "until": "8m",
    }
    return {**base, **parts}


READY = "Cluster member1: condition Ready True -> False"
INSTEAD = [
    ("too late", {"happens": READY, "at": "30s", "after": "fault"},
     "it happened at 1m36s (36s after fault)"),
    ("too early", {"happens": READY, "between": ["40s", "1m"], "after": "fault"},
     "it happened at 1m36s (36s after fault)"),
    ("not at all", {"happens": "Cluster member1: condition Ready False -> True"},
     "it never happened; of Cluster member1 there was: condition Ready True -> False (ClusterNotReachable) at 1m36s; "
     "taint added cluster.karmada.io/not-ready:NoSchedule at 1m36s; "
     "taint added cluster.karmada.io/not-ready:NoExecute at 6m4*"),
    ("to nobody", {"happens": "Deployment default/web: deleted", "after": "fault"},
     "nothing happened to Deployment default/web"),
    ("too often", {"happens": "Cluster member1: taint added", "times": 1},
     "it happened twice: at 1m36s, at 6m4*"),
    ("although never", {"never": "Cluster member1: taint added *NoExecute"},
     "Cluster member1: taint added cluster.karmada.io/not-ready:NoExecute happened at 6m4*"),
    ("out of turn", {"order": ["Cluster member1: taint added *NoExecute", READY]},
     f"number 2, {READY}, did not come in its turn: it came at 1m36s, before it should"),
    ("placed nowhere", {"placement": "deployment/web", "is": {"member1": 1}},
     "it was {} at 8m0s"),
    ("not for so long", {"ready": "deployment/web", "is": 1, "between": ["1m", "2m"]},
     "it was 0 from 1m0s on"),
    ("after the end", {"running": "deployment/web", "is": {}, "at": "9m"},
     "the run ended before, at 8m0s"),
]  # fmt: skip


@pytest.mark.parametrize(("expectation", "instead"), [case[1:] for case in INSTEAD], ids=[case[0] for case in INSTEAD])
def test_an_expectation_that_is_not_met_says_what_happened_instead(expectation: dict[str, Any], instead: str) -> None:
    [outcome] = run_scenario(scenario(manifests=[deployment()], expect=[expectation])).outcomes
    assert not outcome.met
    # NoExecute falls on a pass of the health monitor, whose period is a little longer than its flag says.
    assert re.sub(r"6m(3[5-9]|4[0-3])[.\d]*s", "6m4*", outcome.instead) == instead


def test_what_comes_after_something_that_never_came_is_not_met_either() -> None:
    back = {"happens": "Cluster member1: condition Ready False -> True", "name": "back"}
    untainted = {"happens": "Cluster member1: taint removed *NoExecute", "after": "back"}
    outcomes = run_scenario(scenario(expect=[back, untainted])).outcomes
    assert [outcome.met for outcome in outcomes] == [False, False]
    assert outcomes[1].instead == "back itself never happened"


@pytest.mark.parametrize(
    ("expectation", "when"),
    [
        ({"ready": "deployment/web", "is": 2, "at": "end"}, "at 8m0s"),
        ({"placement": "deployment/web", "is": {"member2": 2}, "at": "end", "after": "fault"}, "at 8m0s"),
        ({"happens": "Deployment default/web: spec.replicas changed", "at": "end"}, "at 8m0s"),
        ({"running": "deployment/web", "is": {"member2": 2}, "between": ["5s", "end"]}, "from 5s to 8m0s"),
    ],
)
def test_the_end_is_a_moment_too(expectation: dict[str, Any], when: str) -> None:
    manifests = [deployment(), policy(clusterAffinity={"clusterNames": ["member2"]})]
    actions = [*scenario()["actions"], {"at": "8m", "scale": "deployment/web", "replicas": 3}]
    [outcome] = run_scenario(scenario(manifests=manifests, actions=actions, expect=[expectation])).outcomes
    assert when in outcome.instead
    if "at" in expectation:
        assert " at the end" in outcome.expected


# --- scenarios that make no sense are refused before anything runs

POLICY = {"apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagationPolicy", "metadata": {"name": "web"}}
REFUSED = [
    ("no fleet", {"fleet": None}, "scenario: fleet: required, but missing"),
    ("unknown part", {"expct": []}, "scenario: expct: unknown field; did you mean expect?"),
    ("unknown flag", {"settings": {"cluster-failure-treshold": "60s"}},
     "scenario: settings: there is no flag 'cluster-failure-treshold'; did you mean cluster-failure-threshold?"),
    ("negative flag", {"settings": {"cluster-failure-threshold": "-1s"}},
     "scenario: settings: cluster_failure_threshold: a length of time can't be negative, got -1s"),
    ("unknown gate", {"settings": {"feature-gates": {"Failovr": True}}},
     "scenario: settings: feature_gates: v1.13 has no gate 'Failovr'; did you mean Failover?"),
    ("fleet file that is not there", {"fleet": "no.yaml"}, "no.yaml: no such file"),
    ("member twice", {"fleet": {"members": ["a", "a"]}}, "scenario: fleet: members[1].name: 'a' is used twice"),
    ("phase of an unknown member", {"phases": {"probes": {"membr1": "1s"}}},
     "scenario: phases.probes: there is no member 'membr1'; did you mean member1?"),
    ("negative latency", {"phases": {"scheduler-latency": "-1s"}},
     "scenario: phases.scheduler-latency: a time can't be negative, got -1s"),
    ("negative end", {"until": "-5m"}, "scenario: until: a time can't be negative, got -5m"),
    ("end that is no time", {"until": "soon"}, "scenario: until: 'soon' is not a duration: write 40s, 5m, 1h30m"),
    ("action without a verb", {"actions": [{"at": "1m"}]},
     "scenario: actions[0]: an action says exactly one of fault, heal, restart, apply, scale, delete, taint, untaint, "
     "join, unjoin, cordon, uncordon, load; "
     "it has at"),
    ("action with two verbs", {"actions": [{"at": "1m", "fault": "refuse", "heal": "all"}]},
     "scenario: actions[0]: an action says exactly one of fault, heal, restart, apply, scale, delete, taint, untaint, "
     "join, unjoin, cordon, uncordon, load; "
     "it says fault and heal"),
    ("action that is text", {"actions": ["heal"]}, "scenario: actions[0]: an action is a mapping such as {fault: ...}"),
    ("unknown cluster", {"actions": [{"at": "1m", "fault": "refuse", "target": "member9"}]},
     "scenario: actions[0].target: there is no member or process 'member9'; did you mean"),
    ("unknown fault", {"actions": [{"at": "1m", "fault": "power_of", "target": "member1"}]},
     "scenario: actions[0].fault: there is no fault 'power_of'; did you mean power_off?"),
    ("negative time", {"actions": [{"at": "-1m", "fault": "refuse", "target": "member1"}]},
     "scenario: actions[0].at: a time can't be negative, got -1m"),
    ("negative length", {"actions": [{"at": "1m", "fault": "refuse", "target": "member1", "for": "-3s"}]},
     "scenario: actions[0].for: a time can't be negative, got -3s"),
    ("no length", {"actions": [{"at": "1m", "fault": "refuse", "target": "member1", "for": "0s"}]},
     "scenario: actions[0].for: a fault lasts longer than 0s"),
    ("action after the end", {"actions": [{"at": "1h", "heal": "all"}]},
     "scenario: actions[0].at: 1h is after the end, until: 8m"),
    ("fault that lacks a number", {"actions": [{"at": "1m", "fault": "slow", "target": "member1"}]},
     "scenario: actions[0].latency: required by the fault slow, but missing"),
    ("fault with a stray number", {"actions": [{"at": "1m", "fault": "hang", "target": "member1", "loss": 0.5}]},
     "scenario: actions[0].loss: means nothing to the fault hang; leave it out"),
    ("fault with a bad number", {"actions": [{"at": "1m", "fault": "lossy", "target": "member1", "loss": 7}]},
     "scenario: actions[0]: loss: expected a share above 0 and up to 1, got 7"),
    ("agent of a push member", {"actions": [{"at": "1m", "fault": "stop_agent", "target": "member1"}]},
     "scenario: actions[0].fault: member1 is in push mode and has no agent; try refuse or power_off"),
    ("process that can't lose power",
     {"actions": [{"at": "1m", "fault": "power_off", "target": "karmada-scheduler"}]},
     "scenario: actions[0].fault: there is no fault of a process 'power_off'; there are stop, freeze"),
    ("unknown process", {"actions": [{"at": "1m", "restart": "karmada-shceduler"}]},
     "scenario: actions[0].restart: there is no process 'karmada-shceduler'; did you mean karmada-scheduler?"),
    ("heal of nobody", {"actions": [{"at": "1m", "heal": "memer1"}]},
     "scenario: actions[0].heal: there is no member or process 'memer1'; did you mean member1?"),
    ("scale of what is not there", {"actions": [{"at": "1m", "scale": "deployment/web", "replicas": 3}]},
     "scenario: actions[0]: Deployment default/web not found"),
    ("scale below zero", {"actions": [{"at": "1m", "scale": "deployment/web", "replicas": -3}]},
     "scenario: actions[0].replicas: expected a whole number of 0 or more, got -3"),
    ("delete of an unknown kind", {"actions": [{"at": "1m", "delete": "deplyment/web"}]},
     "scenario: actions[0].delete: there is no kind 'deplyment'"),
    ("delete without a kind", {"actions": [{"at": "1m", "delete": "web"}]},
     "scenario: actions[0].delete: write kind/name or kind/namespace/name, for example deployment/nginx, not 'web'"),
    ("taint that is none", {"actions": [{"at": "1m", "taint": "member1", "with": "gone:Never"}]},
     "scenario: actions[0]: taint: write key=value:effect with one of NoSchedule, PreferNoSchedule, NoExecute"),
    ("taint of an unknown cluster", {"actions": [{"at": "1m", "taint": "mars", "with": "a:NoExecute"}]},
     "scenario: actions[0].taint: there is no cluster 'mars'; there are member1, member2"),
    ("name used twice",
     {"actions": [{"at": "1m", "heal": "all", "name": "x"}, {"at": "2m", "heal": "all", "name": "x"}]},
     "scenario: actions: the name 'x' is used twice"),
    ("manifest that admission refuses", {"manifests": [{**POLICY, "spec": {"resourceSelectrs": []}}]},
     "scenario: manifests: PropagationPolicy web: spec.resourceSelectrs: unknown field; did you mean resourceSelect"),
    ("manifest refused at a later time", {"actions": [{"at": "5m", "apply": {**POLICY, "spec": {"placement": []}}}]},
     "scenario: actions[0]: PropagationPolicy web: "),
    ("manifest file that is not there", {"manifests": ["no.yaml"]}, "scenario: manifests: no.yaml: no such file"),
    ("expectation of nothing", {"expect": [{"at": "1m"}]},
     "scenario: expect[0]: an expectation says exactly one of happens, never, order, placement, running, ready; it ha"),
    ("expectation with a stray field", {"expect": [{"never": READY, "at": "1m"}]},
     "scenario: expect[0]: at: unknown field"),
    ("expectation about an unknown cluster", {"expect": [{"never": "Cluster member7: condition Ready"}]},
     "scenario: expect[0].never: there is no cluster 'member7'; did you mean"),
    ("expectation about an unknown kind", {"expect": [{"never": "Clutser member1: condition Ready"}]},
     "scenario: expect[0].never: there is no kind 'Clutser'; did you mean Cluster"),
    ("expectation in unknown words", {"expect": [{"never": "Cluster member1: conditon Ready"}]},
     "scenario: expect[0].never: there is no change of a Cluster that begins with 'conditon'; did you mean condition?"),
    ("expectation of an unknown condition", {"expect": [{"happens": "Cluster member1: condition Redy True -> False"}]},
     "scenario: expect[0].happens: there is no condition of a Cluster called 'Redy'; did you mean Ready?"),
    ("expectation of a condition of another kind",
     {"expect": [{"never": "Work karmada-es-member1/*: condition Ready"}]},
     "scenario: expect[0].never: there is no condition of a Work called 'Ready'; there are Applied, Dispatching"),
    ("expectation about pods of nobody", {"manifests": [deployment("shop")],
     "expect": [{"running": "deployment/shp", "is": {}}]},
     "scenario: expect[0].running: there is no Deployment in the manifests and actions called 'default/shp'; "
     "did you mean default/shop?"),
    ("expectation about the placement of nobody", {"expect": [{"placement": "deployment/shop", "is": {}}]},
     "scenario: expect[0].placement: there is no Deployment in the manifests and actions called 'default/shop'; "
     "there are none"),
    ("expectation about another namespace", {"manifests": [deployment()],
     "expect": [{"ready": "deployment/prod/web", "is": 2}]},
     "scenario: expect[0].ready: there is no Deployment in the manifests and actions called 'prod/web'; there are def"),
    ("event of nobody", {"manifests": [deployment()], "expect": [{"never": "Deployment default/wbe: deleted"}]},
     "scenario: expect[0].never: there is no Deployment in the manifests and actions called 'default/wbe'; "
     "did you mean default/web?"),
    ("event of a copy of nobody", {"manifests": [deployment()],
     "expect": [{"order": [READY, "Deployment@member1 default/wbe: created"]}]},
     "scenario: expect[0].order[1]: there is no Deployment in the manifests and actions called 'default/wbe'; "),
    ("event of a binding of nobody", {"manifests": [deployment()],
     "expect": [{"never": "ResourceBinding default/web: spec.clusters changed"}]},
     "scenario: expect[0].never: there is no ResourceBinding in the manifests and actions called 'default/web'; "
     "did you mean default/web-deployment?"),
    ("expectation without an object", {"expect": [{"happens": "Ready is False"}]},
     "scenario: expect[0].happens: write an event as the timeline prints it"),
    ("both at and between", {"expect": [{"happens": READY, "at": "1s", "between": ["1s", "2s"]}]},
     "scenario: expect[0]: write either at or between, not both"),
    ("range backwards", {"expect": [{"happens": READY, "between": ["2m", "1m"]}]},
     "scenario: expect[0].between: the range ends before it begins: 2m to 1m"),
    ("negative tolerance", {"expect": [{"happens": READY, "at": "1m", "within": "-1s"}]},
     "scenario: expect[0].within: a time can't be negative, got -1s"),
    ("after what is not named", {"expect": [{"happens": READY, "after": "falt"}]},
     "scenario: expect[0].after: there is no action or earlier expectation named 'falt'; did you mean fault?"),
    ("placement on an unknown cluster", {"expect": [{"placement": "deployment/web", "is": {"member8": 1}}]},
     "scenario: expect[0].is: there is no cluster 'member8'; did you mean"),
    ("order of one", {"expect": [{"order": [READY]}]}, "scenario: expect[0].order: an order needs two events or more"),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "message"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_a_scenario_that_makes_no_sense_is_refused_before_anything_runs(parts: dict[str, Any], message: str) -> None:
    with pytest.raises((Invalid, BadRequest)) as refused:
        read_scenario({key: value for key, value in scenario(**parts).items() if value is not None})
    assert str(refused.value).startswith(message)


def test_all_that_is_wrong_is_said_at_once() -> None:
    parts = scenario(
        settings={"cluster-failure-treshold": "60s"},
        actions=[{"at": "1m", "fault": "power_of", "target": "member1", "name": "off"}, {"at": "1h", "heal": "all"}],
        manifests=[{**POLICY, "spec": {"resourceSelectrs": []}}],
        expect=[{"never": "Cluster member1: conditon Ready"}, {"happens": READY, "after": "off"}],
    )
    with pytest.raises(Invalid) as refused:
        read_scenario(parts)
    paths = [line.removeprefix("scenario: ").partition(": ")[0] for line in str(refused.value).splitlines()]
    assert paths == ["actions[0].fault", "actions[1].at", "expect[0].never", "settings", "manifests"]


def test_what_only_follows_from_a_mistake_is_not_said() -> None:
    apply = {"at": "1s", "apply": [{**deployment(), "kind": None}]}
    actions = [apply, {"at": "2s", "scale": "deployment/web", "replicas": 3}]
    with pytest.raises(Invalid) as refused:
        read_scenario(scenario(actions=actions, expect=[{"ready": "deployment/web", "is": 3}]))
    assert str(refused.value).startswith("scenario: actions[0]: ")
    assert len(str(refused.value).splitlines()) == 1


def test_several_refusals_of_actions_are_all_said() -> None:
    actions = [{"at": "1s", "scale": f"deployment/{name}", "replicas": 3} for name in ("a", "b")]
    with pytest.raises(Invalid) as refused:
        read_scenario(scenario(actions=actions))
    assert str(refused.value).count("not found") == 2


def test_names_of_what_comes_later_and_of_what_is_deleted_are_known() -> None:
    later = {"at": "1m", "apply": [deployment("late"), policy("late")]}
    deleted = {"at": "2m", "delete": "deployment/late"}
    expect = [
        {"happens": "ResourceBinding default/late-deployment: created", "at": "1m"},
        {"happens": "Deployment default/late: deleted", "at": "2m", "within": "10s"},
    ]
    assert read_scenario(scenario(actions=[later, deleted], expect=expect)).expect


NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}


@pytest.mark.parametrize(
    ("actions", "expected"),
    [
        (
            [{"at": "10s", "unjoin": "member2"}, {"at": "2m", "join": "member2"}, {"at": "3m", "cordon": "member2"}],
            {"happens": "Cluster member2: condition Ready added (ClusterReady)", "between": ["2m", "2m5s"]},
        ),
        (
            [
                {"at": "10s", "apply": [NAMESPACE, deployment(namespace="shop")]},
                {"at": "1m", "delete": "namespace/shop"},
                {"at": "2m", "apply": [NAMESPACE, deployment("other", namespace="shop")]},
                {"at": "3m", "scale": "deployment/shop/other", "replicas": 3},
            ],
            {"happens": "Deployment shop/other: created", "between": ["2m", "2m5s"]},
        ),
    ],
    ids=["a cluster", "a namespace"],
)
def test_what_has_left_may_come_back(actions: list[dict[str, Any]], expected: dict[str, Any]) -> None:
    result = run_scenario(
        {"about": "x", "fleet": ["member1", "member2"], "until": "4m", "actions": actions, "expect": [expected]}
    )
    assert result.met, repr(result)


def test_what_comes_back_before_it_has_left_is_refused_when_it_does() -> None:
    actions = [{"at": "10s", "unjoin": "member2"}, {"at": "11s", "join": "member2"}]
    scenario = read_scenario({"about": "x", "fleet": ["member1", "member2"], "until": "1m", "actions": actions})
    with pytest.raises(Invalid, match=r"scenario: actions\[1\]: .* has been registered"):
        run_scenario(scenario)


def test_the_file_is_named_in_what_is_wrong_with_it(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    with file.open("w") as out:
        YAML(typ="safe").dump(scenario(until="-1s"), out)
    with pytest.raises(Invalid, match=rf"^{file}: until: a time can't be negative"):
        read_scenario(file)
