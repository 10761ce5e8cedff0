"""Check 32.3: the learner's assessment in a running graceful eviction controller, and the stories that try it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from random import Random
from typing import NamedTuple

from karmadalab.analysis import record, serving, task_bands
from karmadalab.api.meta import replace
from karmadalab.api.work import ResourceBinding
from karmadalab.controllers.graceful_eviction import NAME, GracefulEvictionController
from karmadalab.environments.fault_control import MemberFaults
from karmadalab.lab import Lab
from karmadalab.teaching.labs.eviction.judging import Assess, call
from karmadalab.teaching.manifests import ONE_CLUSTER, deployment, policy
from karmadalab.teaching.verdict import Finding

BEGIN_S = 210.0
TAINT = "maintenance=true:NoExecute"


class Drain(NamedTuple):
    """A drain of the one cluster that `web` runs on.

    Attributes:
        startup_s: how long a new replica takes to start.
        timeout_s: `--graceful-eviction-timeout`.
    """

    startup_s: int = 90
    timeout_s: int = 600


def drawn(rng: Random) -> Drain:
    """A student's own drain; its timeout is long enough, or it is not."""
    startup_s = rng.choice((45, 60, 75, 105, 120))
    return Drain(startup_s, rng.choice((startup_s - 20, startup_s - 10, startup_s + 60, 600)))


def _nothing(lab: Lab) -> None:
    """The plain drain."""


def _bad_image(lab: Lab) -> None:
    """No replica ever starts on the other two."""
    for name in ("member2", "member3"):
        MemberFaults(lab.world, name).bad_image("nginx")


def _again(lab: Lab) -> None:
    """The replacement's cluster is drained too, before the new replicas serve."""
    lab.run("20s")
    lab.taint(next(iter(lab.placement["default/web-deployment"])), TAINT)


def _nowhere(lab: Lab) -> None:
    """So is every other one."""
    for name in ("member2", "member3"):
        lab.taint(name, TAINT)


def _by_hand(value: bool, lab: Lab) -> None:
    """Somebody decides for the task."""
    lab.run("10s")
    found: ResourceBinding = lab.get("ResourceBinding", "web-deployment")
    tasks = tuple(replace(task, suppressDeletion=value) for task in found.spec.gracefulEvictionTasks)
    lab.update(replace(found, spec=replace(found.spec, gracefulEvictionTasks=tasks)))


STORIES: dict[str, Callable[[Lab], None]] = {
    "a drain": _nothing,
    "no image on the others": _bad_image,
    "the next cluster is drained, too": _again,
    "all clusters are drained": _nowhere,
    "held by hand": partial(_by_hand, True),
    "let go by hand": partial(_by_hand, False),
}


def plugged(assess: Assess | None, drain: Drain | None = None, story: str = "a drain", run: str = "15m") -> Lab:
    """A control plane whose eviction tasks are assessed by `assess`; after 210 s the cluster of `web` is drained.

    Args:
        assess: the learner's function; None for Karmada's own.
        drain: startup and timeout.
        story: one of `STORIES`.
        run: cluster time from the drain on.
    """
    drain = drain or Drain()
    members = [{"name": f"member{number}", "startup": drain.startup_s} for number in (1, 2, 3)]
    lab = Lab.fake({"members": members}, settings={"graceful-eviction-timeout": f"{drain.timeout_s}s"})
    if assess is not None:
        controller: GracefulEvictionController = lab.world.control_plane.controller_manager.controller(NAME)
        controller.assess = partial(call, assess)
    lab.apply([deployment("web"), policy("web", ONE_CLUSTER)])
    lab.run(BEGIN_S)
    lab.taint(next(iter(lab.placement["default/web-deployment"])), TAINT)
    STORIES[story](lab)
    return lab.run(run)


def hole_s(lab: Lab) -> int:
    """For how many seconds nobody served after the drain."""
    return round(serving(lab).total.below(1, BEGIN_S, lab.t))


def judge(assess: Assess, drain: Drain | None = None) -> Finding | None:
    """32.3: whether the eviction goes as with Karmada's own decision, in every story."""
    for chosen in dict.fromkeys((Drain(), drain or Drain(), Drain(90, 30))):
        for story in STORIES:
            mine, karmada = plugged(assess, chosen, story), plugged(None, chosen, story)
            if _tasks(mine) != _tasks(karmada):
                return Finding(
                    f"{story}, {chosen.startup_s} s to start, a timeout of {chosen.timeout_s} s: with your function "
                    f"{_told(mine)}; with Karmada's {_told(karmada)}.",
                    "a task that ends lets the old copy go, at once and for good; one that never ends keeps it.",
                    f"`plugged(my_assess, Drain{tuple(chosen)}, {story!r})`, in `show.timeline`.",
                )
    return None


def _tasks(lab: Lab) -> list[tuple[str, float, float]]:
    return [(band.cluster, band.begin_s, band.end_s) for band in task_bands(record(lab))]


def _told(lab: Lab) -> str:
    tasks = [f"{name} for {end - begin:.0f} s" for name, begin, end in _tasks(lab)]
    return f"there is a task of {' and of '.join(tasks) or 'nobody'}, and nobody serves for {hole_s(lab)} s"
