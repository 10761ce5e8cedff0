"""What the API promises to whoever watches: no change is missed, and who is too slow is told."""

from __future__ import annotations

import itertools
import json
import socket

import pytest

from karmadalab.lab import Lab
from karmadalab.server import Served, stream
from karmadalab.server.selectors import Selection
from karmadalab.server.watch import QUEUED_BYTES, Watcher

from .conftest import CLUSTERS, CONFIGS, MERGE, Http, config, eventually

EVENTS = "/api/v1/events"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


def test_a_watch_begins_where_the_list_ended(http_to: Http) -> None:
    _, listed = http_to("GET", CONFIGS)
    version = listed["metadata"]["resourceVersion"]
    http_to("POST", CONFIGS, config("a", x="1"))
    http_to("PATCH", f"{CONFIGS}/a", {"data": {"x": "2"}}, Content_Type=MERGE)
    http_to("DELETE", f"{CONFIGS}/a")
    watch = http_to.watch(f"{CONFIGS}?watch=1&resourceVersion={version}")
    missed = list(itertools.islice(watch, 3))
    assert [event["type"] for event in missed] == ["ADDED", "MODIFIED", "DELETED"]
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in missed]
    assert versions == sorted(set(versions)), "each event has a version of its own to resume from"
    http_to("POST", CONFIGS, config("b"))
    assert next(watch)["object"]["metadata"]["name"] == "b"
    again = http_to.watch(f"{CONFIGS}?watch=1&resourceVersion={versions[1]}")
    assert [event["type"] for event in itertools.islice(again, 2)] == ["DELETED", "ADDED"]


def test_a_watch_of_events_begins_where_the_list_ended(http_to: Http, lab: Lab) -> None:
    """They are read off the record, in which they have the versions of the writes that they tell of."""
    _, listed = http_to("GET", EVENTS)
    version = listed["metadata"]["resourceVersion"]
    lab.fault("member1").power_off()
    lab.run("1m")
    told = {event["metadata"]["uid"] for event in http_to("GET", EVENTS)[1]["items"]}
    watch = http_to.watch(f"{EVENTS}?watch=1&timeoutSeconds=1&resourceVersion={version}")
    missed = [event["object"] for event in watch]
    assert {event["metadata"]["uid"] for event in missed} == told - {e["metadata"]["uid"] for e in listed["items"]}
    assert "TaintClusterSucceed" in {event["reason"] for event in missed}
    versions = [int(event["metadata"]["resourceVersion"]) for event in missed]
    assert versions == sorted(versions)
    assert versions[0] > int(version)


def test_a_version_that_is_forgotten_is_410(http_to: Http, lab: Lab) -> None:
    lab.store.oldest_version = lab.store.version
    status, body = http_to("GET", f"{CONFIGS}?watch=1&resourceVersion=1")
    assert (status, body["reason"]) == (410, "Expired")


def test_bookmarks_come_only_when_asked_for(http_to: Http) -> None:
    assert list(http_to.watch(f"{CONFIGS}?watch=1&timeoutSeconds=1")) == []
    informer = "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true"
    asked = f"{CLUSTERS}?watch=1&timeoutSeconds=1&{informer}"
    *initial, mark = itertools.islice(http_to.watch(asked), 6)
    assert [event["type"] for event in initial] == ["ADDED"] * 5
    assert mark["type"] == "BOOKMARK"
    assert mark["object"]["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}


def test_bookmarks_say_how_far_a_quiet_watch_is(http_to: Http, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "_BOOKMARK_S", 0.1)
    asked = http_to.watch(f"{CONFIGS}?watch=1&allowWatchBookmarks=true")
    first = next(asked)
    assert first["type"] == "BOOKMARK"
    _, made = http_to("POST", CONFIGS, config("a"))
    added = next(event for event in asked if event["type"] == "ADDED")
    assert added["object"]["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
    later = next(asked)["object"]["metadata"]["resourceVersion"]
    assert int(later) >= int(made["metadata"]["resourceVersion"]) > int(first["object"]["metadata"]["resourceVersion"])
    assert list(http_to.watch(f"{CONFIGS}?watch=1&timeoutSeconds=1&resourceVersion={later}")) == []


def test_what_leaves_a_selection_looks_deleted(http_to: Http) -> None:
    watch = http_to.watch(f"{CONFIGS}?watch=1&labelSelector=seen")
    seen: list[str] = []
    for labels in ({"seen": "yes"}, {"seen": "still"}, {"seen": None}, {"seen": "again"}):
        if not seen:
            http_to("POST", CONFIGS, {**config("a"), "metadata": {"name": "a", "labels": labels}})
        else:
            http_to("PATCH", f"{CONFIGS}/a", {"metadata": {"labels": labels}}, Content_Type=MERGE)
        seen.append(next(watch)["type"])
    assert seen == ["ADDED", "MODIFIED", "DELETED", "ADDED"]


def test_a_watch_as_a_table(http_to: Http, lab: Lab) -> None:
    watch = http_to.watch(f"{CLUSTERS}?watch=1&fieldSelector=metadata.name%3Dmember2", Accept=TABLE)
    row = next(watch)["object"]["rows"][0]
    assert row["cells"][:4] == ["member2", "v1.32.0", "Push", "True"]
    assert row["object"]["kind"] == "PartialObjectMetadata"


def test_a_watcher_that_left_is_forgotten(http_to: Http, served: Served) -> None:
    watch = http_to.watch(f"{CLUSTERS}?watch=1")
    next(watch)
    assert served.watchers == 1
    watch.close()  # type: ignore[attr-defined]
    eventually(lambda: served.watchers == 0)


def test_a_slow_watcher_loses_its_place_and_holds_no_memory(http_to: Http, served: Served, lab: Lab) -> None:
    """One who does not read at all: what is queued for it stays bounded, and it is told to list again."""
    connection = http_to.connect()
    connection.connect()
    connection.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.request("GET", f"{CONFIGS}?watch=1", headers=http_to.headers())
    answer = connection.getresponse()
    assert answer.status == 200
    (watcher,) = served._app.apis.all()[0].hub._watchers["ConfigMap"]  # type: ignore[union-attr]
    lab.apply(config("busy"))
    number = 0
    while not watcher.over and number < 100_000:  # how much the sockets take in before differs from run to run
        number += 1
        with lab.clock.taken():
            found = lab.store.get("ConfigMap", "busy", "default")
            lab.store.update(found.with_body(data={"text": f"{number:05d}" * 100}))
    eventually(lambda: watcher.over)
    assert watcher.queued < 1000, "only the word that it must list again"
    answer.close()
    connection.close()
    eventually(lambda: served.watchers == 0)


def test_a_watcher_that_overflows_hears_why() -> None:
    watcher = Watcher(Selection(None, None, ()), lambda event, obj, now: b"", 7)
    for _ in range(QUEUED_BYTES // 1000 + 1):
        watcher.put(b"x" * 1000)
    assert watcher.over
    assert json.loads(watcher.take())["object"]["code"] == 410
    assert watcher.take() == b""
