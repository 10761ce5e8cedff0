"""The label of a maintenance window, a student's own, and the plugins that the learner's are held against."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from karmadalab.api.cluster import Cluster
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.policy import Placement
from karmadalab.api.work import ResourceBindingSpec, TargetCluster
from karmadalab.scheduler import BindingInfo
from karmadalab.scheduler.snapshot import ClusterInfo
from karmadalab.teaching.asking import ask

PRICE = "price"  # cents an hour, as text, for all label values are text


class Window(NamedTuple):
    """The label that announces maintenance: this key with this value, and no other."""

    key: str = "maintenance"
    value: str = "tonight"


def drawn(rng: Random) -> Window:
    """A student's own."""
    return Window(
        rng.choice(("maintenance", "patching", "window")), rng.choice(("planned", "soon", "tonight", "weekly"))
    )


class Announced:
    """The filter as it should be."""

    name = "Announced"

    def __init__(self, window: Window) -> None:
        self._window = window

    def filter(self, binding: BindingInfo, cluster: ClusterInfo) -> str | None:
        """Refuses a cluster in a window to whoever is not there yet."""
        if cluster.name in binding.previous or cluster.labels.get(self._window.key) != self._window.value:
            return None
        return "cluster(s) with maintenance announced"


class Cheap:
    """A score as it should be."""

    name = "Cheap"

    def score(self, binding: BindingInfo, cluster: ClusterInfo) -> int:
        """99 down to 1; 0 for a price that is none."""
        text = cluster.labels.get(PRICE, "")
        return 100 - int(text) if text.isdecimal() and 1 <= int(text) <= 99 else 0


def cluster(name: str = "member1", **labels: str) -> ClusterInfo:
    """A cluster as plugins see it."""
    return ClusterInfo.of(Cluster(metadata=ObjectMeta(name=name, labels=labels)))


def binding(**previous: int) -> BindingInfo:
    """A binding as plugins see it; `previous` are replicas by cluster."""
    targets = tuple(TargetCluster(name, replicas) for name, replicas in previous.items())
    return BindingInfo.of(ResourceBindingSpec(placement=Placement(), replicas=2, clusters=targets))


def why_not(plugin: Any, asked: BindingInfo, about: ClusterInfo) -> str | None:
    """Ask a filter. Raises as `ask` does."""
    hint = (
        "not every cluster has the label: `cluster.labels` is a plain mapping, and `[...]` raises for what is missing."
    )
    said: str | None = ask(
        plugin.filter, asked, about, fits=_is_reason, wanted="None for a cluster that will do, or a text", hint=hint
    )
    return said


def _is_reason(said: Any) -> bool:
    return said is None or (isinstance(said, str) and bool(said))


def points(plugin: Any, about: ClusterInfo, asked: BindingInfo | None = None) -> int:
    """Ask a score. Raises as `ask` does."""
    hint = "a label may be missing, and its text need not be a number."
    said: int = ask(
        plugin.score, asked or binding(), about, fits=lambda n: type(n) is int, wanted="a whole number", hint=hint
    )
    return said
