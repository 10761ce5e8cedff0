"""The lease clock: renewals, the age of the last one, and the grace period that it crosses."""

from __future__ import annotations

from functools import cache

import pytest

from karmadalab import Lab, show
from karmadalab.analysis import Heartbeat, heartbeat
from karmadalab.api.errors import BadRequest


@cache
def cut_off() -> Lab:
    lab = Lab.fake(members=2, pull=1, seed=1)
    lab.run("1m").fault("member2").cut_off(for_="2m")
    return lab.run("4m")


@cache
def quiet() -> Lab:
    return Lab.fake(members=1, pull=1, seed=2).run("5m")


# --- the heartbeat


def test_an_agent_renews_every_ten_seconds_and_up_to_four_per_cent_later() -> None:
    gaps = heartbeat(quiet(), "member1").gaps()
    assert len(gaps) >= 28
    assert 10 <= min(gaps) < max(gaps) <= 10.4


def test_the_lease_is_older_than_the_run() -> None:
    beat = heartbeat(quiet(), "member1")
    assert beat.renewals[0] < 0
    assert 0 < beat.age(0) < 10.4


def test_a_renewal_that_fails_is_kept_apart() -> None:
    beat = heartbeat(cut_off(), "member2")
    assert len(beat.missed) >= 10
    assert all(60 <= t <= 180 for t in beat.missed)
    assert not [t for t in beat.renewals if 60 < t < 180]


def test_unknown_comes_when_the_last_renewal_is_older_than_the_grace_period() -> None:
    beat = heartbeat(cut_off(), "member2")
    (unknown_s, status), (true_s, back) = beat.verdicts
    assert (status, back) == ("Unknown", "True")
    assert beat.grace_s < beat.age(unknown_s) <= beat.grace_s + 2 * 5
    assert 180 <= true_s <= 192


def test_the_age_is_that_of_the_latest_renewal() -> None:
    beat = Heartbeat("m", (-4.0, 6.0, 16.0), (), (), 40.0, 60.0)
    assert [beat.age(t) for t in (-5, 0, 6, 15.5, 60)] == [0.0, 4.0, 0.0, 9.5, 44.0]


@pytest.mark.parametrize("name", ["member1", "member9"])
def test_a_member_without_a_lease_is_refused(name: str) -> None:
    with pytest.raises(BadRequest, match=rf"'{name}' is no pull member and has no lease; pull members are member2"):
        heartbeat(cut_off(), name)


# --- the figure


def test_the_figure_has_its_text_table_and_alternative() -> None:
    figure = show.lease_clock(cut_off(), "member2", title="Cut off")
    assert "the grace period is 40s" in figure.text
    assert "Ready turns Unknown at " in figure.text
    assert figure.alt.startswith("The age of the last renewal of the lease of member2 over 5m")
    assert list(figure.table.columns) == ["t", "what", "age_s"]
    assert {record["what"] for record in figure.records} == {"renewed", "not renewed", "Ready Unknown", "Ready True"}
    assert figure.parts.layout["title"]["text"].startswith("<b>Cut off</b><br>")


def test_the_saw_starts_at_nought_after_each_renewal() -> None:
    beat = heartbeat(quiet(), "member1")
    [saw] = [t for t in show.lease_clock(quiet(), "member1").parts.data if t["name"] == "age of the last renewal"]
    falls = [x for x, y in zip(saw["x"], saw["y"], strict=True) if y == 0]
    assert falls == [t for t in beat.renewals if t > 0]
    assert saw["x"] == sorted(saw["x"])


def test_nothing_is_drawn_beyond_the_end() -> None:
    figure = show.lease_clock(cut_off(), "member2", until="90s")
    xs = [x for trace in figure.parts.data for x in trace["x"] if x is not None and trace["type"] == "scatter"]
    assert max(xs) == 90
    assert not figure.parts.layout["annotations"][1:]


def test_nothing_is_told_beyond_the_end() -> None:
    cut, whole = (show.lease_clock(cut_off(), "member2", until=until) for until in ("90s", None))
    assert "Ready turns" not in cut.text
    assert "Ready turns Unknown at " in whole.text
    assert max(record["t"] for record in cut.records) <= 90 < max(record["t"] for record in whole.records)


def test_many_verdicts_are_counted_and_not_told_one_by_one() -> None:
    lab = Lab.fake(members=1, pull=1, seed=1, settings={"cluster-monitor-grace-period": "5s"}).run("5m")
    figure = show.lease_clock(lab, "member1")
    changes = len(heartbeat(lab, "member1").verdicts)
    assert changes > 20
    assert figure.text.endswith(f"In all, Ready changes {changes} times.")
    assert len(figure.parts.layout["annotations"]) == 2


def test_a_heartbeat_that_never_fails() -> None:
    figure = show.lease_clock(quiet(), "member1")
    assert figure.text.endswith("Ready never changes.")
    [missed] = [t for t in figure.parts.data if t["name"] == "renewal that fails"]
    assert missed["showlegend"] is False


def test_the_figure_is_the_same_each_time() -> None:
    assert show.lease_clock(quiet(), "member1").parts == show.lease_clock(quiet(), "member1").parts
