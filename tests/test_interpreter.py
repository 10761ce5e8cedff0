"""What kinds mean: the native hooks against recordings, and kinds of one's own."""

from __future__ import annotations

import copy
import doctest
import io
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, cast

import pytest

from karmadalab import Lab
from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.work import AggregatedStatusItem
from karmadalab.controllers.detector import DISCOVERY_S
from karmadalab.core.trace import CREATE
from karmadalab.interpreter import Dependency, HookNotFound, Hooks, Interpreter, requirements, status
from karmadalab.interpreter import interpreter as interpreter_module
from karmadalab.interpreter.aggregate import jobs
from tests.conformance import interpreter as recorded
from tests.conformance.__main__ import read_cases
from tests.conformance.agreement import DATA, disagreements


@pytest.mark.parametrize("profile", ["v1.13", "v1.18"])
def test_every_recorded_answer_agrees(profile: str) -> None:
    assert disagreements(recorded, f"karmada-{profile}/interpreter.jsonl.gz", profile) == []


def test_no_hook_changes_what_it_was_given() -> None:
    for case in read_cases(DATA / "karmada-v1.13/interpreter.jsonl.gz"):
        before = copy.deepcopy(case["input"])
        recorded.emit(case)
        assert case["input"] == before, case["id"]


@pytest.mark.parametrize("module", [interpreter_module, requirements, status, jobs], ids=lambda m: m.__name__)
def test_docstrings_tell_the_truth(module: Any) -> None:
    assert doctest.testmod(module).failed == 0


# --- a kind of one's own --------------------------------------------------------------------------------------------


def redis(**status: Any) -> Unstructured:
    return Unstructured("example.io/v1", "Redis", ObjectMeta(name="cache", namespace="default"), {"status": status})


def test_a_kind_of_ones_own_gets_its_meaning_in_python() -> None:
    interpreter = Interpreter()
    interpreter.register("Redis.example.io", Hooks(interpret_health=lambda obj: obj.status.get("role") == "master"))
    assert interpreter.interpret_health(redis(role="master")) == "Healthy"
    assert interpreter.interpret_health(redis()) == "Unhealthy"


def test_registering_one_hook_keeps_the_others_of_a_native_kind() -> None:
    interpreter = Interpreter()
    interpreter.register("Job.batch", Hooks(interpret_health=lambda obj: not obj.status.get("failed")))
    assert interpreter.hook_enabled("Job.batch", "interpret_health")
    assert interpreter.hook_enabled("Job.batch", "get_replicas")


def test_what_is_registered_in_one_lab_is_unknown_in_the_next() -> None:
    Interpreter().register("Redis.example.io", Hooks(interpret_health=lambda obj: True))
    assert not Interpreter().hook_enabled("Redis.example.io", "interpret_health")


def test_dependencies_of_a_kind_of_ones_own_are_named_the_same_way() -> None:
    interpreter = Interpreter()
    needed = (Dependency("v1", "Secret", "default", "redis-password"),)
    interpreter.register("Redis.example.io", Hooks(get_dependencies=lambda obj: needed))
    assert interpreter.get_dependencies(redis()) == needed


@pytest.mark.parametrize("name", ["redis.example.io", "example.io/v1/Redis", ""])
def test_a_name_that_is_no_kind_is_refused(name: str) -> None:
    with pytest.raises(BadRequest, match=r"write Kind\.group, for example Redis\.example\.io"):
        Interpreter().register(name, Hooks())


def test_a_profile_that_does_not_exist_is_refused() -> None:
    with pytest.raises(BadRequest, match=r"write one of v1\.13, v1\.18"):
        Interpreter("v1.8")


# --- edges that a lesson meets --------------------------------------------------------------------------------------


def test_an_unknown_kind_reports_its_status_whole_and_has_no_health() -> None:
    interpreter = Interpreter()
    assert interpreter.reflect_status(redis(role="replica")) == {"role": "replica"}
    with pytest.raises(HookNotFound, match=r'"example\.io/v1, Kind=Redis" not found'):
        interpreter.interpret_health(redis())


def test_a_number_of_replicas_that_is_text_is_an_error_that_names_the_field() -> None:
    body = {"spec": {"replicas": "two"}}
    with pytest.raises(Invalid, match=r"spec\.replicas: expected a whole number, got 'two'"):
        Interpreter().get_replicas(Unstructured("apps/v1", "Deployment", ObjectMeta(name="web"), body))


def test_a_member_object_without_the_generation_annotation_was_not_applied_by_karmada() -> None:
    deployment = Unstructured("apps/v1", "Deployment", ObjectMeta(name="web"), {"status": {"replicas": 1}})
    with pytest.raises(Invalid, match="was not applied by Karmada"):
        Interpreter().reflect_status(deployment)


def test_the_template_moves_on_only_when_every_member_has_caught_up() -> None:
    template = Unstructured("apps/v1", "Deployment", ObjectMeta(name="web", generation=3), {"spec": {"replicas": 2}})
    member = {"replicas": 1, "generation": 5, "observedGeneration": 5, "resourceTemplateGeneration": 3}
    behind = {**member, "resourceTemplateGeneration": 2}
    for second, expected in ((member, 3), (behind, None)):
        items = (AggregatedStatusItem("member1", member), AggregatedStatusItem("member2", second))
        done = Interpreter().aggregate_status(template, items, now=0.0)
        assert done.status.get("observedGeneration") == expected
        assert done.status["replicas"] == 2


@pytest.mark.parametrize(
    ("phases", "expected"),
    [
        (["Bound", "Lost", "Pending"], "Lost"),
        (["Pending", "Bound"], "Pending"),
        (["Pending", None, "Bound"], None),
        ([], "Bound"),
    ],
)
def test_the_last_claim_that_is_not_bound_decides(phases: list[str | None], expected: str | None) -> None:
    claim = Unstructured("v1", "PersistentVolumeClaim", ObjectMeta(name="data"), {})
    items = tuple(AggregatedStatusItem("m", {"phase": phase} if phase else {}) for phase in phases)
    assert Interpreter().aggregate_status(claim, items, now=0.0).status.get("phase") == expected


def test_a_pod_of_which_nobody_has_reported_is_as_it_was() -> None:
    pod = Unstructured("v1", "Pod", ObjectMeta(name="web"), {"status": {"phase": "Running"}})
    assert Interpreter().aggregate_status(pod, (), now=0.0) is pod


@pytest.mark.parametrize(("profile", "pulls"), [("v1.13", []), ("v1.18", ["pull"])])
def test_a_service_account_keeps_the_secrets_of_other_names(profile: str, pulls: list[str]) -> None:
    desired = Unstructured("v1", "ServiceAccount", ObjectMeta(name="sa"), {"secrets": [{"name": "a"}]})
    members = {"secrets": [{"name": "a", "namespace": "x"}, {"name": "b"}], "imagePullSecrets": [{"name": "pull"}]}
    kept = Interpreter(profile).retain(desired, Unstructured("v1", "ServiceAccount", ObjectMeta(name="sa"), members))
    assert kept.get("secrets") == [{"name": "a"}, {"name": "b"}]
    assert [secret["name"] for secret in kept.get("imagePullSecrets") or ()] == pulls


@pytest.mark.parametrize("profile", ["v1.13", "v1.18"])
def test_aggregating_the_same_statuses_again_returns_the_template_itself(profile: str) -> None:
    interpreter = Interpreter(profile)
    for case in read_cases(DATA / f"karmada-{profile}/interpreter.jsonl.gz"):
        given = case["input"]
        if given["operation"] != "AggregateStatus" or case["expected"]["error"]:
            continue
        template, items = recorded.template_and_items(given)
        once = interpreter.aggregate_status(template, items, now=0.0)
        assert interpreter.aggregate_status(once, items, now=9.0) is once, case["id"]


# --- a kind of one's own, from its definition to the members ---------------------------------------------------------

GUIDE = (Path(__file__).resolve().parent.parent / "docs" / "own-kinds.md").read_text()


@pytest.fixture(scope="module")
def redis_lab() -> Lab:
    """The lab at the end of the guide's example."""
    [example] = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)
    names: dict[str, Any] = {}
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(example, names)
    assert printed.getvalue().strip() == re.findall(r"print\(.*\)  # (.*)", example)[0]
    return cast("Lab", names["lab"])


def test_replicas_of_a_kind_of_ones_own_are_divided_and_its_health_is_told(redis_lab: Lab) -> None:
    lab = redis_lab
    sizes = {}
    for name in lab.members:
        store = lab.world.member(name).store
        copy_there = store.get("Redis.example.io", "cache", "default")
        sizes[name] = copy_there.spec["size"]
        if name == "member1":
            store.update_status(copy_there.with_status({"ready": 2}))
    assert sizes == {"member1": 2, "member2": 2}
    lab.run("5s")
    items = lab.get("ResourceBinding", "cache-redis").status.aggregatedStatus
    assert {item.clusterName: item.health for item in items} == {"member1": "Healthy", "member2": "Unhealthy"}
    assert items[0].status == {"ready": 2}, "without a hook the status is reflected whole"


def test_a_kind_is_propagated_from_the_next_look_for_definitions_on(redis_lab: Lab) -> None:
    names = ("redises.example.io", "cache-redis")
    definition, binding = (
        next(row.at for row in redis_lab.trace.rows if row.verb == CREATE and row.name == name and not row.world)
        for name in names
    )
    assert 0 < binding - definition <= DISCOVERY_S


def test_the_guide_names_every_hook() -> None:
    assert set(re.findall(r"^\| `(\w+)\(", GUIDE, re.MULTILINE)) == set(Hooks._fields)
