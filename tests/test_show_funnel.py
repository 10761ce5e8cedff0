"""The scheduling funnel: every cluster has a row, stops where the scheduler stopped it, and says why."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from karmadalab import Lab, show
from karmadalab.api.errors import BadRequest
from karmadalab.scheduler import FILTERS, Explanation, Scheduler
from karmadalab.show import style
from karmadalab.show.funnel import LOOKS, MOST_ROWS, steps_of
from karmadalab.teaching import deployment, policy
from tests.worlds import ENVIRONMENTS


@cache
def lab() -> Lab:
    lab = Lab.fake(ENVIRONMENTS / "five-members.yaml", seed=1, scheduler=Scheduler(filters=FILTERS))
    lab.taint("member2", "maintenance=true:NoSchedule")
    weights = [{"targetCluster": {"clusterNames": [f"member{n}"]}, "weight": n} for n in (1, 3, 5)]
    static = {
        "replicaSchedulingType": "Divided",
        "replicaDivisionPreference": "Weighted",
        "weightPreference": {"staticWeightList": weights},
    }
    lab.apply(ENVIRONMENTS / "nginx.yaml")
    lab.apply([deployment("divided", 7), policy("divided", {"replicaScheduling": static})])
    lab.apply([deployment("lost"), policy("lost", {"clusterAffinity": {"clusterNames": ["member2"]}})])
    return lab.run("10s")


def told(name: str) -> Explanation:
    explanation: Explanation = lab().explain(f"deployment/{name}").scheduling
    return explanation


def rows(name: str) -> dict[str, list[str]]:
    return {v.cluster: [cell.words for cell in steps_of(v, told(name))] for v in told(name).verdicts}


def test_each_cluster_goes_as_far_as_the_scheduler_let_it() -> None:
    full = ["pass", "0, room 80", "chosen", "full copy", "2"]
    assert rows("nginx") == {
        "member1": full,
        "member2": ["TaintToleration"],
        "member3": full,
        "member4": ["ClusterAffinity"],
        "member5": ["pass", "0, room 80", "not chosen"],
    }


def test_division_shows_weight_and_exact_share() -> None:
    cells = rows("divided")
    assert cells["member5"][3:] == ["weight 5: 3.89", "4"]
    assert cells["member1"][3] == "weight 1: 0.78"
    assert cells["member1"][4] == "none"


def test_the_sentence_counts_and_names() -> None:
    assert show.funnel(told("nginx")).text == (
        "Of 5 clusters 3 pass the filters (ClusterAffinity refuses 1, TaintToleration refuses 1), 2 are selected, "
        "2 get replicas: member1 2, member3 2."
    )
    assert "Nothing is placed: NoClusterFit, 0/5 clusters are available" in show.funnel(told("lost")).text


def test_it_comes_with_a_table_and_an_alternative_text() -> None:
    figure = show.funnel(told("nginx"))
    assert len(figure.table) == 5
    assert "filters, score, room, selection, division, replicas" in figure.alt
    assert figure.text in figure.alt
    assert figure.figure.layout.xaxis.ticktext[0] == "<b>filters</b><br>5 → 3"


def test_a_decision_will_do_as_well() -> None:
    binding = lab().get("ResourceBinding", "nginx-deployment")
    decision = Scheduler(filters=FILTERS).schedule(binding.spec, binding.status, lab().list("Cluster"))
    assert "member1 2, member3 2" in show.funnel(decision).text


def test_anything_else_is_refused_with_the_way_out() -> None:
    thing: Any = lab()
    with pytest.raises(BadRequest, match=r"lab\.explain\('deployment/nginx'\)\.scheduling, not Lab"):
        show.funnel(thing)


def test_states_differ_in_hatching_and_a_large_fleet_keeps_the_best() -> None:
    assert len({shape for _, shape in LOOKS.values()}) == len(LOOKS)
    assert all(fill.startswith("#") for fill, _ in LOOKS.values())
    large = Lab.fake(members=40, seed=1)
    large.apply([deployment("web"), policy("web", {})])
    large.run("5s")
    parts = show.funnel_parts(large.explain("deployment/web").scheduling, "large")
    assert len(parts.layout["yaxis"]["ticktext"]) == MOST_ROWS
    assert parts.layout["width"] == style.WIDTH_PX
