"""The seams of the scheduler: what a plugin looks like, and what happens when one misbehaves.

A plugin is any object with the named methods; it inherits nothing and registers nowhere:

    class InEurope:
        name = "InEurope"

        def filter(self, binding, cluster):
            return None if cluster.region.startswith("eu") else "cluster(s) outside Europe"

    Scheduler(filters=[*FILTERS, InEurope()])

Plugins are pure: same binding and cluster, same answer. Mirrors Karmada's `framework.FilterPlugin`, `ScorePlugin`,
`estimator.ReplicaEstimator` and the dispenser of its division.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Protocol, TypeVar

import msgspec

from karmadalab.api.errors import BadRequest
from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.errors import PluginError
from karmadalab.scheduler.snapshot import ClusterInfo


class FilterPlugin(Protocol):
    """Says which clusters are out of the question.

    A filter may also have `skips(binding) -> bool`; when that is true, it is not asked about any cluster.
    """

    @property
    def name(self) -> str: ...

    def filter(self, binding: BindingInfo, cluster: ClusterInfo) -> str | None:
        """None when the cluster will do, otherwise the reason, worded so that "3 <reason>" reads well."""
        ...


class ScorePlugin(Protocol):
    """Says which of the remaining clusters are better."""

    @property
    def name(self) -> str: ...

    def score(self, binding: BindingInfo, cluster: ClusterInfo) -> int:
        """0 (worst) to 100 (best). The scores of all plugins are added, without weights."""
        ...


class Estimator(Protocol):
    """Says how much room clusters have."""

    @property
    def name(self) -> str: ...

    def estimate(self, binding: BindingInfo, cluster: ClusterInfo) -> int:
        """How many *more* replicas of the binding the cluster could run; -1 for "don't know", which is room enough."""
        ...


class ClusterWeight(msgspec.Struct, frozen=True, gc=False):
    """A cluster's claim in a division.

    Attributes:
        name: the cluster.
        weight: its claim.
        last: replicas it has already; between equal weights, the larger goes first.
    """

    name: str
    weight: int
    last: int = 0


class DivisionStrategy(Protocol):
    """Deals replicas out by weight. The result says who gets how many *new* ones."""

    @property
    def name(self) -> str: ...

    def divide(
        self, binding: BindingInfo, replicas: int, weights: Sequence[ClusterWeight], chance: Random | None
    ) -> Mapping[str, int]:
        """Divide.

        Args:
            binding: whose replicas they are.
            replicas: how many to deal out.
            weights: the claims; their sum is not 0.
            chance: where to take coin flips from; None asks for a stable choice.

        Returns:
            replicas by cluster; they add up to `replicas`.
        """
        ...


P = TypeVar("P")


def checked(plugins: Iterable[P], method: str, what: str) -> tuple[P, ...]:
    """The plugins as a tuple, if they are plugins.

    Args:
        plugins: as handed to the `Scheduler`.
        method: the method that each must have.
        what: the argument's name, for messages.

    Raises:
        BadRequest: they are no list, or one has no such method or no name, is a class instead of an object, or shares
            its name with another.
    """
    if not isinstance(plugins, Iterable):
        raise BadRequest(f"{what}: expected a list of objects with {method}(), got {plugins!r}")
    names: set[str] = set()
    plugins = tuple(plugins)
    for index, plugin in enumerate(plugins):
        where = f"{what}[{index}]"
        if isinstance(plugin, type):
            raise BadRequest(f"{where} is the class {plugin.__name__}; make an object of it: {plugin.__name__}()")
        if not callable(getattr(plugin, method, None)):
            raise BadRequest(
                f"{where}: {type(plugin).__name__} has no method {method}(), so it can't be one of the {what}"
            )
        name = getattr(plugin, "name", None)
        if not isinstance(name, str) or not name:
            raise BadRequest(
                f'{where}: {type(plugin).__name__} has no name; write name = "{type(plugin).__name__}" in it'
            )
        if name in names:
            raise BadRequest(f"{where}: there are two plugins named {name}; give one of them another name")
        names.add(name)
    return plugins


def plugin_error(plugin: object, method: str, cluster: str | None, error: Exception) -> PluginError:
    """A plugin raised: say which, on what, and what it said."""
    where = f" on cluster {cluster}" if cluster else ""
    return PluginError(
        f"plugin {plugin_name(plugin)}: {method}() raised {type(error).__name__}{where}: {error}; "
        "mend the plugin or leave it out of the Scheduler"
    )


def wrong_answer(plugin: object, method: str, cluster: str | None, answer: object, wanted: str) -> PluginError:
    """A plugin returned something that is no answer."""
    where = f" for cluster {cluster}" if cluster else ""
    return PluginError(f"plugin {plugin_name(plugin)}: {method}() returned {answer!r}{where}; it must return {wanted}")


def plugin_name(plugin: object) -> str:
    """A plugin's name, or the name of its class when it has none."""
    return str(getattr(plugin, "name", type(plugin).__name__))
