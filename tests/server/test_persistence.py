"""A control plane that keeps its objects: what it confirmed is there after any death."""

from __future__ import annotations

import random
import sqlite3
import stat
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from karmadalab.api.errors import BadRequest, Gone
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.clock import VirtualClock
from karmadalab.core.journal import Journal
from karmadalab.core.store import Store
from karmadalab.core.trace import Trace
from karmadalab.lab import Lab

from .processes import Api, nursery

CONFIGS = "/api/v1/namespaces/default/configmaps"


def kept(path: Path) -> tuple[Store, Journal]:
    clock = VirtualClock()
    store = Store(clock, Trace(clock.now))
    journal = Journal(path)
    journal.attach(store)
    return store, journal


def config(name: str, **data: str) -> Unstructured:
    return Unstructured("v1", "ConfigMap", ObjectMeta(name=name, namespace="default"), {"data": data})


def test_a_store_comes_back_as_it_was(tmp_path: Path) -> None:
    store, journal = kept(tmp_path / "objects.db")
    made = store.create(config("a", x="1"))
    store.update(made.with_body(data={"x": "2"}))
    store.create(config("gone"))
    store.delete("ConfigMap", "gone", "default")
    before = store.list("ConfigMap")
    journal.close()
    again, other = kept(tmp_path / "objects.db")
    assert again.list("ConfigMap") == before
    assert again.version == store.version
    again.check_indexes()
    assert again.create(config("b")).metadata.uid not in {obj.metadata.uid for obj in before}
    other.close()


def test_a_watcher_from_before_must_list_again(tmp_path: Path) -> None:
    store, journal = kept(tmp_path / "objects.db")
    for number in range(3):
        store.create(config(f"c{number}"))
    journal.close()
    again, other = kept(tmp_path / "objects.db")
    with pytest.raises(Gone, match="list again"):
        again.watch("ConfigMap", lambda *_: None, since=1)
    other.close()


def test_two_control_planes_do_not_share_a_file(tmp_path: Path) -> None:
    _, journal = kept(tmp_path / "objects.db")
    with pytest.raises(BadRequest, match="locked"):
        Journal(tmp_path / "objects.db")
    journal.close()


def test_a_file_that_is_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to be taken for one " * 20)
    with pytest.raises(BadRequest, match="can't be used"):
        Journal(path)
    assert path.read_text().startswith("not a database")


def test_nobody_else_reads_the_file(tmp_path: Path) -> None:
    store, journal = kept(tmp_path / "objects.db")
    store.create(config("a"))
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("objects.db*")} == {
        "objects.db": 0o600,
        "objects.db-wal": 0o600,
    }
    journal.close()


def test_a_live_lab_comes_back_with_its_bindings(tmp_path: Path) -> None:
    options: dict[str, Any] = {"members": 2, "seed": 1, "speed": 200.0, "data": tmp_path / "lab.db"}
    lab = Lab.live(**options)
    lab.apply("environments/nginx.yaml")
    lab.run("20s")
    before = lab.placement
    assert before
    lab.close()
    again = Lab.live(**options)
    assert again.placement == before
    again.run("20s")
    assert again.placement == before
    assert again.member("member1").get("deploy", "nginx").status["readyReplicas"] == 2
    assert again.clock.epoch > lab.clock.epoch
    again.close()


def write_until_dead(kubeconfig: Path, prefix: str, confirmed: list[str]) -> None:
    """Create and change objects as fast as it goes; note what was confirmed."""
    api = Api(kubeconfig)
    number = 0
    try:
        while True:
            name = f"{prefix}-{number}"
            body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"n": "created"}}
            status, _ = api("POST", CONFIGS, body)
            if status == 201:
                confirmed.append(f"{name}=created")
                status, _ = api(
                    "PATCH", f"{CONFIGS}/{name}", {"data": {"n": "changed"}}, "application/merge-patch+json"
                )
                if status == 200:
                    confirmed.append(f"{name}=changed")
            number += 1
    except OSError:
        return  # it is dead
    except Exception:  # a half answer is none
        return
    finally:
        api.close()


@pytest.mark.slow
def test_nothing_confirmed_is_lost_when_it_is_killed_twenty_times(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.yaml"
    fleet.write_text("members: [member1]\n")
    kubeconfig, data = tmp_path / "kubeconfig", tmp_path / "objects.db"
    chance = random.Random(1)
    confirmed: list[str] = []
    with nursery(fleet, data, tmp_path) as plane:
        for life in range(20):
            plane.start()
            names = [f"w{life}-{writer}" for writer in range(3)]
            writers = [threading.Thread(target=write_until_dead, args=(kubeconfig, n, confirmed)) for n in names]
            enough, end = len(confirmed) + 10, time.monotonic() + 20
            for writer in writers:
                writer.start()
            while len(confirmed) < enough and time.monotonic() < end:
                time.sleep(0.002)
            time.sleep(chance.random() * 0.1)
            plane.kill()
            for writer in writers:
                writer.join(20)
        last = dict(entry.split("=") for entry in confirmed)
        assert len(last) > 100, "the load was none"
        database = sqlite3.connect(data)
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)
        database.close()
        plane.start()
        api = Api(kubeconfig)
        found = {obj["metadata"]["name"]: obj["data"]["n"] for obj in api("GET", CONFIGS)[1]["items"]}
        api.close()
    lost = [name for name, state in last.items() if found.get(name) not in {state, "changed"}]
    assert not lost
