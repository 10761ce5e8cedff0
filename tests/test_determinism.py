"""Same inputs, same bytes: in one process, across processes, and whatever Python's hash seed is.

A run with every kind of fault and of edit, on members of both modes; what is compared is the JSON of its whole timeline
and of every object that is left.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from karmadalab.api.codec import to_dict
from karmadalab.lab import Lab

from .worlds import AT_MOST_TWO, DIVIDED, deployment, policy

ROOT = Path(__file__).parent.parent


def story(seed: int | None) -> str:
    """A busy hour, as JSON."""
    lab = Lab.fake(members=5, pull=2, seed=seed)
    lab.apply([deployment("web", 2), policy("web", spreadConstraints=AT_MOST_TWO)])
    lab.apply([deployment("shop", 7), policy("shop", replicaScheduling=DIVIDED)])
    lab.run("1m")
    first = next(iter(lab.placement["default/web-deployment"]))
    lab.fault(first).power_off(at="2m", for_="20m")
    lab.fault("member5").lossy(0.3, at="1m30s", for_="10m")
    lab.fault("member4").silence(at="5m", for_="15m")
    lab.fault("karmada-controller-manager").restart(at="9m")
    lab.run("10m")
    lab.scale("shop", 11)
    lab.taint("member2", "maintenance=true:NoExecute")
    lab.run("20m")
    lab.untaint("member2", "maintenance=true:NoExecute")
    lab.delete("Deployment", "web")
    lab.run("30m")
    lab.check()
    stores = (lab.store, *(lab.world.member(name).store for name in lab.members))
    objects = [to_dict(obj) for store in stores for kind in store.kinds() for obj in store.list(kind)]
    return json.dumps({"timeline": lab.timeline.records(), "objects": objects})


def digest(seed: int | None) -> str:
    return hashlib.sha256(story(seed).encode()).hexdigest()


def in_another_process(seed: int, hash_seed: str) -> str:
    code = f"from tests.test_determinism import digest; print(digest({seed}))"
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return found.stdout.strip()


@pytest.mark.parametrize("hash_seed", ["0", "1", "12345"])
def test_same_seed_same_bytes_in_another_process(hash_seed: str) -> None:
    assert in_another_process(7, hash_seed) == digest(7)


@pytest.mark.parametrize("seed", [None, 0, 3])
def test_same_seed_same_bytes_in_one_process(seed: int | None) -> None:
    assert story(seed) == story(seed)


def test_another_seed_is_another_run() -> None:
    assert len({digest(seed) for seed in range(6)}) == 6


def test_a_lab_leaves_the_worlds_dice_alone() -> None:
    """Randomness is handed in: nothing here draws from, or seeds, Python's own generator."""
    import random

    random.seed(5)
    before = random.getstate()
    story(1)
    assert random.getstate() == before


def test_looking_changes_nothing() -> None:
    """Reading, explaining and checking between two steps leaves the same run."""
    plain, watched = (Lab.fake(members=3, pull=1, seed=4) for _ in range(2))
    for lab in (plain, watched):
        lab.apply([deployment(), policy()])
        lab.fault("member1").power_off(at="1m")
    plain.run("20m")
    for _ in range(20):
        watched.run("1m")
        watched.check()
        repr(watched), watched.timeline.records(), watched.placement, watched.at("30s").list("Cluster")
        watched.explain("deployment/web")
    assert plain.timeline.records() == watched.timeline.records()
