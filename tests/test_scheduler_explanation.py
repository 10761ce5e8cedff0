"""Why member3 and not member4."""

from __future__ import annotations

import sys

import pytest

from karmadalab.api.errors import NotFound
from karmadalab.api.meta import replace
from karmadalab.api.policy import ClusterAffinity, SpreadConstraint
from karmadalab.api.time import Time
from karmadalab.scheduler import Scheduler
from tests.scheduler_worlds import AGGREGATE, DEDICATED, DYNAMIC, binding, cluster

FLEET = [cluster("member1", 6), cluster("member2", 3), cluster("member3", 4), cluster("member4", 9, taints=[DEDICATED])]


def explain(spec, fleet=FLEET, profile="v1.13"):
    return Scheduler(profile).schedule(spec, None, fleet).explain()


def test_in_a_sentence():
    told = explain(binding(4, DYNAMIC)).why("member3", not_cluster="member4")
    assert told == (
        "member3: selected (score 0, room for 4); gets 2: weight 4 is an exact share of 1.231, and it was dealt 2; "
        "member4: refused by TaintToleration: cluster(s) had untolerated taint {dedicated=a:NoSchedule}"
    )


def test_as_text():
    assert str(explain(binding(4, DYNAMIC))).splitlines() == [
        "Deployment default/web, 4 replicas, DynamicWeight, scale up (v1.13): {member1:2, member3:2}",
        "cluster  before  now  score  room  weight  share  verdict",
        "member1            2      0     6       6  1.846  selected",
        "member3            2      0     4       4  1.231  selected",
        "member2                   0     3       3  0.923  selected",
        "member4                                           "
        "refused: cluster(s) had untolerated taint {dedicated=a:NoSchedule}",
    ]


def test_all_refusals_are_told_though_only_the_first_counts():
    spec = binding(1, evicting=["member4"], clusterAffinity=ClusterAffinity(clusterNames=("member1",)))
    assert [plugin for plugin, _ in explain(spec)["member4"].refusals] == [
        "TaintToleration",
        "ClusterAffinity",
        "ClusterEviction",
    ]


def test_who_gave_way_to_whom():
    two = (SpreadConstraint("cluster", minGroups=1, maxGroups=2),)
    told = explain(binding(9, AGGREGATE, on={"member2": 1}, spreadConstraints=two))
    assert told["member2"].selection == ""
    assert told["member3"].selection == "spread by cluster: not among the 2 chosen (maxGroups 2)"
    tight = explain(binding(10, AGGREGATE, on={"member2": 1, "member3": 0}, spreadConstraints=two))
    assert tight["member1"].selection == "came in for member3, which has less room"
    assert tight["member3"].selection.startswith("gave way to member1, which has more room")


def test_which_regions_were_not_chosen():
    fleet = [cluster("a1", 9, region="ra"), cluster("b1", 8, region="rb"), cluster("c1", 1, region="rc")]
    spread = (
        SpreadConstraint("region", minGroups=2, maxGroups=2),
        SpreadConstraint("cluster", minGroups=2, maxGroups=2),
    )
    told = explain(binding(4, DYNAMIC, spreadConstraints=spread), fleet)
    assert told["c1"].selection == "spread by region: rc is not among the chosen (ra, rb)"


def test_an_error_is_explained_too():
    told = explain(binding(40, DYNAMIC))
    assert told.error is not None
    assert "SchedulerError: failed to assign replicas" in str(told)
    assert told["member1"].selected
    assert told["member1"].replicas is None


def test_as_a_table_for_notebooks():
    html = explain(binding(4, DYNAMIC))._repr_html_()
    assert "<caption>Deployment default/web" in html
    assert "<td>refused: cluster(s) had untolerated taint {dedicated=a:NoSchedule}</td>" in html
    hostile = explain(binding(1), [cluster("<b>member1</b>")])._repr_html_()
    assert "<b>" not in hostile


def test_as_a_data_frame():
    frame = explain(binding(4, DYNAMIC)).to_frame()
    assert list(frame.index) == ["member1", "member2", "member3", "member4"]
    assert frame.loc["member1", "replicas"] == 2
    assert not frame.loc["member4", "fits"]


def test_without_pandas_one_hears_where_it_comes_from(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    told = explain(binding(1))
    with pytest.raises(ImportError, match=r"pip install 'karmadalab\[notebooks\]'; rows\(\) has the same"):
        told.to_frame()
    assert {tuple(row) for row in told.rows()} == {tuple(told.rows()[0])}


def test_a_large_fleet_is_cut_short():
    text = str(explain(binding(1), [cluster(f"c{i:03d}") for i in range(100)]))
    assert text.endswith("... and 60 more clusters; rows() and to_frame() have them all")


def test_an_unknown_cluster():
    with pytest.raises(NotFound, match="cluster member9 was not there when this was decided; there were member1"):
        explain(binding(1))["member9"]


def test_a_deleted_cluster_in_v1_18():
    leaving = cluster("member1")
    leaving = replace(leaving, metadata=replace(leaving.metadata, deletionTimestamp=Time(0)))
    told = explain(binding(1), [leaving, cluster("member2")], "v1.18")
    assert told["member1"].refusals == (("(before the filters)", "the cluster is being deleted"),)
