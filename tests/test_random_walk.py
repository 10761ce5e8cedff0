"""A random walk of everything that can happen to a fleet; after each step every invariant must hold.

The steps are those of a person: faults that overlap and heal in any order, scalings, edits, taints, policy changes,
deletions, killed processes. Nothing here says what should happen; `Lab.check` says what must not.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from karmadalab.api.errors import NotFound
from karmadalab.api.meta import replace
from karmadalab.core.settings import Settings
from karmadalab.environments.fleet import MemberSpec
from karmadalab.lab import Lab

from .worlds import AT_MOST_TWO, DIVIDED, EVICTS, TAINT_POLICY, deployment, policy

MEMBERS, PULL, STEPS = 5, 2, 40
NAMES = ("web", "shop", "api")
LENGTHS = ("0s", "1s", "7s", "30s", "1m", "2m", "6m", "15m", "30m")
PROCESSES = ("karmada-controller-manager", "karmada-scheduler", "karmada-agent@member5")
TAINTS = ("maintenance=true:NoExecute", "gpu=true:NoSchedule", "cluster.karmada.io/not-ready:NoExecute")


class Walk:
    """A lab and the dice that decide what happens to it.

    Attributes:
        said: what was done, so that a failure can be told.
    """

    def __init__(self, seed: int, settings: Settings | None = None) -> None:
        self.dice = Random(seed)
        self.lab = Lab.fake(members=MEMBERS, pull=PULL, seed=seed, settings=settings)
        self.said: list[str] = []
        for name in NAMES:
            self.lab.apply([deployment(name, self.dice.randint(1, 6)), policy(name, **placement(self.dice))])

    def step(self) -> None:
        """Do one thing, let some time pass, check."""
        deed = self.dice.choice(DEEDS)
        self.said.append(f"{self.lab.t:g}s {deed.__name__}")
        try:
            deed(self)
        except NotFound as error:  # a person may ask for what is not there
            self.said.append(f"  {error}")
        self.check()
        length = self.dice.choice(LENGTHS)
        self.lab.run(length)
        self.check()

    def check(self) -> None:
        try:
            self.lab.check()
        except AssertionError as error:
            raise AssertionError(
                f"{error}\nafter {len(self.said)} steps, at {self.lab.t:g}s\n" + "\n".join(self.said)
            ) from None

    def member(self) -> str:
        return self.dice.choice(self.lab.members)

    def name(self) -> str:
        return self.dice.choice(NAMES)

    def for_(self) -> str | None:
        return self.dice.choice((None, "3s", "40s", "3m", "20m"))


def placement(dice: Random) -> dict[str, Any]:
    """One of the placements that differ in how they react."""
    chosen: dict[str, Any] = dice.choice(
        (
            {},
            {"spreadConstraints": AT_MOST_TWO},
            {"replicaScheduling": DIVIDED},
            {"replicaScheduling": DIVIDED, "spreadConstraints": AT_MOST_TWO},
            {"replicaScheduling": {"replicaSchedulingType": "Divided", "replicaDivisionPreference": "Aggregated"}},
            {"clusterAffinity": {"clusterNames": ["member1", "member2", "member5"]}},
        )
    )
    if dice.random() < 0.3:
        chosen = {
            **chosen,
            "clusterTolerations": [{"key": "maintenance", "operator": "Exists", "tolerationSeconds": 60}],
        }
    return chosen


# --- deeds ------------------------------------------------------------------------------------------------------------


def apply_workload(walk: Walk) -> None:
    name = walk.name()
    manifest, chosen = deployment(name, walk.dice.randint(0, 9)), policy(name, **placement(walk.dice))
    walk.lab.apply([manifest, chosen] if walk.dice.random() < 0.5 else [chosen, manifest])


def change_policy(walk: Walk) -> None:
    walk.lab.apply(policy(walk.name(), **placement(walk.dice)))


def scale(walk: Walk) -> None:
    walk.lab.scale(walk.name(), walk.dice.randint(0, 12))


def edit(walk: Walk) -> None:
    manifest = deployment(walk.name(), walk.dice.randint(1, 5), image=f"nginx:1.{walk.dice.randint(20, 29)}")
    walk.lab.apply(manifest)


def edit_in_member(walk: Walk) -> None:
    """Somebody reaches past Karmada."""
    store = walk.lab.world.member(walk.member()).store
    found = store.list("Deployment.apps")
    if found:
        store.update(walk.dice.choice(found).with_spec(replicas=walk.dice.randint(0, 4)))


def delete_in_member(walk: Walk) -> None:
    store = walk.lab.world.member(walk.member()).store
    found = store.list("Deployment.apps") + store.list("Pod")
    if found:
        chosen = walk.dice.choice(found)
        store.delete(chosen.GROUP_KIND, chosen.metadata.name, chosen.metadata.namespace)


def delete_workload(walk: Walk) -> None:
    walk.lab.delete("Deployment", walk.name())


def delete_policy(walk: Walk) -> None:
    walk.lab.delete("PropagationPolicy", walk.name())


def taint(walk: Walk) -> None:
    walk.lab.taint(walk.member(), walk.dice.choice(TAINTS))


def untaint(walk: Walk) -> None:
    walk.lab.untaint(walk.member(), walk.dice.choice(TAINTS))


def relabel(walk: Walk) -> None:
    cluster = walk.lab.get("Cluster", walk.member())
    labels = {"tier": walk.dice.choice(("gold", "iron"))}
    walk.lab.update(replace(cluster, metadata=replace(cluster.metadata, labels=labels)))


def break_member(walk: Walk) -> None:
    fault, dice = walk.lab.fault(walk.member()), walk.dice
    name = dice.choice(
        (
            *("power_off", "refuse", "hang", "silence", "cut_off", "slow", "lossy", "stop_agent", "freeze_agent"),
            *("bad_image", "slow_start", "exhaust_capacity", "flapping", "lose_credentials"),
        )
    )
    extra: dict[str, tuple[Any, ...]] = {
        "slow": (dice.choice(("200ms", "5s", "20s")),),
        "lossy": (dice.choice((0.1, 0.5, 1.0)),),
        "bad_image": ("nginx",),
        "slow_start": ("2m",),
        "flapping": ("20s", "25s", 4),
    }
    walk.said.append(f"  {fault.target} {name} {extra.get(name, ())}")
    agents_only, push_only = ("stop_agent", "freeze_agent"), ("lose_credentials",)
    if name in (push_only if walk.lab.world.member(fault.target).pulls else agents_only):
        return
    if name == "flapping":
        fault.flapping(*extra[name], kind=dice.choice(("refuse", "silence", "cut_off", "hang")))
    else:
        getattr(fault, name)(*extra.get(name, ()), for_=walk.for_())


def break_process(walk: Walk) -> None:
    fault = walk.lab.fault(walk.dice.choice(PROCESSES))
    name = walk.dice.choice(("stop", "freeze", "restart"))
    walk.said.append(f"  {fault.target} {name}")
    if name == "restart":
        fault.restart()
    else:
        getattr(fault, name)(for_=walk.for_() or "2m")


def leave(walk: Walk) -> None:
    """`karmadactl unjoin`, now and then."""
    if walk.dice.random() < 0.3 and len(walk.lab.list("Cluster")) > 2:
        walk.lab.delete("Cluster", walk.member())


def join(walk: Walk) -> None:
    if len(walk.lab.members) < 8:
        mode = walk.dice.choice(("Push", "Pull"))
        walk.lab.world.join(MemberSpec(name=f"member{len(walk.lab.members) + 1}", mode=mode))
        walk.lab.run("0s")


def heal_one(walk: Walk) -> None:
    if walk.lab.world.faults:
        walk.dice.choice(walk.lab.world.faults).heal()


def heal_all(walk: Walk) -> None:
    walk.lab.heal()


DEEDS: tuple[Callable[[Walk], None], ...] = (
    *(apply_workload, apply_workload, change_policy, scale, scale, edit, edit_in_member, delete_in_member),
    *(leave, join, delete_workload, delete_policy, taint, untaint, untaint, relabel),
    *(break_member, break_member, break_member, break_process, heal_one, heal_one, heal_all),
)


@pytest.mark.parametrize("seed", range(4))
def test_invariants_hold_on_a_random_walk(seed: int) -> None:
    walk = Walk(seed)
    for _ in range(STEPS):
        walk.step()


OTHER_FLAGS: dict[str, dict[str, Any]] = {
    "without the Failover gate": {"feature-gates": "Failover=false"},
    "without graceful eviction": {"feature-gates": "GracefulEviction=false"},
    "without patience": {"cluster-failure-threshold": 0, "failover-eviction-timeout": 0},
}


@pytest.mark.parametrize("flags", OTHER_FLAGS.values(), ids=list(OTHER_FLAGS))
def test_invariants_hold_under_other_flags(flags: dict[str, Any]) -> None:
    walk = Walk(9, Settings().with_flags(flags))
    for _ in range(STEPS):
        walk.step()


@pytest.mark.parametrize("purge_mode", ["Gracefully", "Directly"])
@pytest.mark.parametrize("seed", [1, 2])
def test_invariants_hold_in_v1_18_where_a_policy_taints(seed: int, purge_mode: str) -> None:
    walk = Walk(seed, Settings(profile="v1.18", no_execute_taint_eviction_purge_mode=purge_mode, **EVICTS))
    walk.lab.apply(TAINT_POLICY)
    for _ in range(STEPS):
        walk.step()


@pytest.mark.parametrize("seed", range(3))
def test_all_is_well_again_long_after_everything_is_healed(seed: int) -> None:
    """Level-triggered controllers come to the same end from wherever a walk left them."""
    walk = Walk(100 + seed)
    for _ in range(STEPS // 2):
        walk.step()
    lab = walk.lab
    lab.heal()
    known = [cluster.metadata.name for cluster in lab.list("Cluster")]
    for name in known:
        for item in TAINTS:
            lab.untaint(name, item)
    lab.run("2h")  # longer than flapping lasts, than every back-off (1000 s) and every graceful eviction
    walk.check()
    assert [cluster.metadata.name for cluster in lab.list("Cluster") if "Ready=True" not in repr(cluster)] == []
    assert [repr(binding) for binding in lab.list("ResourceBinding") if binding.spec.gracefulEvictionTasks] == []
    for binding in lab.list("ResourceBinding"):
        where = {target.name: target.replicas for target in binding.spec.clusters}
        name = binding.spec.resource.name
        if binding.spec.replicas != lab.get("Deployment", name).spec["replicas"]:
            continue  # its policy was deleted, then it was scaled: nobody carries that over
        running = {
            member: found.spec["replicas"]
            for member in known
            if (found := lab.member(member).find("Deployment", name)) is not None
        }
        assert running == where, repr(binding)
