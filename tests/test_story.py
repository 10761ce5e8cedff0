"""lab.explain: every chain ends in what began it, and blames whom it should."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from karmadalab import Lab
from tests.worlds import deployment, policy

APP = [
    deployment(),
    policy(
        replicaScheduling={"replicaSchedulingType": "Duplicated"},
        spreadConstraints=[{"spreadByField": "cluster", "minGroups": 1, "maxGroups": 1}],
    ),
]


@pytest.fixture
def lab() -> Lab:
    return Lab.fake(members=3, pull=1, seed=1)


def causes(lab: Lab, what: str) -> list[str]:
    """The faults that a story names."""
    return [text for text in lab.explain(what).sentences if "a fault began" in text]


@pytest.mark.parametrize(
    ("begin", "cluster", "word"),
    [
        pytest.param(lambda lab: lab.fault("member1").power_off(), "member1", "power off", id="power off, push"),
        pytest.param(lambda lab: lab.fault("member1").hang(), "member1", "hangs", id="hang, push"),
        pytest.param(lambda lab: lab.fault("member1").silence(), "member1", "silence", id="silence, push"),
        pytest.param(lambda lab: lab.fault("member1").lossy(1.0), "member1", "lossy", id="lossy, push"),
        pytest.param(lambda lab: lab.fault("member3").hang(), "member3", "hangs", id="hang, pull"),
        pytest.param(lambda lab: lab.fault("member3").silence(), "member3", "silence", id="silence, pull"),
        pytest.param(lambda lab: lab.fault("member3").stop_agent(), "member3", "agent stopped", id="agent stopped"),
        pytest.param(
            lambda lab: lab.fault("karmada-agent@member3").freeze(), "member3", "frozen", id="agent frozen by its name"
        ),
    ],
)
def test_a_cluster_that_is_not_ready_names_the_fault(
    lab: Lab, begin: Callable[[Lab], object], cluster: str, word: str
) -> None:
    begin(lab)
    lab.run("3m")
    assert any(word in text for text in causes(lab, f"cluster/{cluster}"))


def test_of_two_faults_the_one_that_did_it_is_named(lab: Lab) -> None:
    lab.fault("member1").power_off()
    lab.run("5s")
    lab.fault("member1").slow_start("30s")
    lab.run("2m")
    (named,) = causes(lab, "cluster/member1")
    assert "power off" in named


def test_what_a_user_does_later_is_not_due_to_an_old_fault(lab: Lab) -> None:
    lab.apply(APP)
    fault = lab.fault("member1").hang()
    lab.run("2m")
    fault.heal()
    lab.run("5m")
    assert lab.trace.cause is None
    lab.scale("web", 3)
    (scaled,) = [
        row for row in lab.trace.rows if row.kind == "Deployment.apps" and not row.world and row.verb == "update"
    ][-1:]
    assert lab.trace.chain(scaled.id) == [scaled]


def test_a_story_ends_where_the_workload_is(lab: Lab) -> None:
    lab.apply(APP)
    lab.run("1m")
    (place,) = lab.placement["default/web-deployment"]
    lab.fault(place).power_off()
    lab.run("12m")
    story = lab.explain("deployment/web")
    assert "a fault began" in "".join(story.sentences)
    assert "was completed" in story.sentences[-1]
    assert story.scheduling is not None


@pytest.mark.parametrize(
    "ask", [lambda lab: lab.explain("deployment", "web"), lambda lab: lab.explain(lab.get("deploy/web"))]
)
def test_an_object_can_be_named_in_other_ways(lab: Lab, ask: Callable[[Lab], object]) -> None:
    lab.apply(APP)
    lab.run("1m")
    assert repr(ask(lab)).splitlines()[1:] == repr(lab.explain("deployment/web")).splitlines()[1:]


def test_a_pod_can_be_named_as_in_the_timeline_and_is_offered_where_it_is(lab: Lab) -> None:
    lab.apply(APP)
    lab.run("1m")
    event = lab.timeline.where("pod", what="Ready")[0]
    assert "became ready" in lab.explain(f"{event.kind}/{event.namespace}/{event.name}").sentences[-1]
    with pytest.raises(Exception, match=f"ask for pod/default/{event.name}@member"):
        lab.explain(f"pod/{event.name}")


def test_a_cluster_that_comes_back_has_a_story_of_its_own() -> None:
    lab = Lab.fake(members=2)
    lab.run("1m")
    lab.unjoin("member2")
    lab.run("5m")
    lab.join("member2")
    lab.run("1m")
    since = [
        row for row in lab.trace.rows if row.text.startswith("probe of member2") and row.at > lab.clock.epoch + 300
    ]
    assert len(since) == 1
