"""The fleet at one moment, in the form the scheduler asks about it.

A real scheduler copies every Cluster for every decision; with thousands of clusters that copy is a third of the work.
Objects here never change, so the facts of a cluster (its API list as a set, the free resources as integers, ...) are
worked out once for each *version* of the object and shared by all decisions until the store holds another version.

Mirrors Karmada's `cache.Snapshot` and `framework.ClusterInfo`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType

import msgspec

from karmadalab.api.cluster import COMPLETE_API_ENABLEMENTS, Cluster, Quantity, ResourceSummary
from karmadalab.api.errors import BadRequest
from karmadalab.api.meta import NO_EXECUTE, NO_SCHEDULE, Taint, condition
from karmadalab.api.quantity import milli, reported

CPU, PODS = "cpu", "pods"


class NodeGrade(msgspec.Struct, frozen=True, gc=False):
    """Nodes of one size, as resource models count them.

    Attributes:
        count: how many there are: v1.13 takes the count at the model's position in the status.
        count_of_grade: how many v1.18 finds: what is counted under the model's grade.
        least: what the smallest of them has, by resource, in the units of `amount`.
    """

    count: int
    count_of_grade: int
    least: Mapping[str, int]


class ClusterInfo(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One cluster as plugins see it.

    Attributes:
        name: the cluster's name.
        labels: its labels.
        provider: empty when not set; so are region and zones.
        region: see provider.
        zones: see provider.
        taints: those that keep new workloads away: NoSchedule and NoExecute.
        apis: the (apiVersion, kind) pairs the cluster says it has.
        apis_complete: whether that list is known to be complete.
        free: allocatable - allocated - allocating, in thousandths for cpu, in whole units otherwise; None when the
            cluster never reported resources.
        nodes: its nodes by size, None when it does not report by resource models.
        cluster: the object itself.
    """

    name: str
    labels: Mapping[str, str]
    provider: str
    region: str
    zones: tuple[str, ...]
    taints: tuple[Taint, ...]
    apis: frozenset[tuple[str, str]]
    apis_complete: bool
    free: Mapping[str, int] | None
    nodes: tuple[NodeGrade, ...] | None
    cluster: Cluster

    @classmethod
    def of(cls, cluster: Cluster) -> ClusterInfo:
        """Work out the facts of a cluster. Raises `BadRequest` for a quantity that is none."""
        spec, status = cluster.spec, cluster.status
        complete = condition(status.conditions, COMPLETE_API_ENABLEMENTS)
        return cls(
            name=cluster.metadata.name,
            labels=MappingProxyType(cluster.metadata.labels),  # a plugin that writes must not reach the store
            provider=spec.provider,
            region=spec.region,
            zones=spec.zones,
            taints=tuple(taint for taint in spec.taints if taint.effect in (NO_SCHEDULE, NO_EXECUTE)),
            apis=frozenset((e.groupVersion, api.kind) for e in status.apiEnablements for api in e.resources),
            apis_complete=complete is not None and complete.status == "True",
            free=_free(cluster, status.resourceSummary),
            nodes=_nodes(cluster, status.resourceSummary),
            cluster=cluster,
        )

    def __repr__(self) -> str:
        taints = ", ".join(map(str, self.taints))
        free = None if self.free is None else dict(self.free)
        return f"<ClusterInfo {self.name} region={self.region or '-'} taints=[{taints}] free={free}>"


def _free(cluster: Cluster, summary: ResourceSummary | None) -> Mapping[str, int] | None:
    if summary is None:
        return None
    try:
        used = [(n, _counted(n, size)) for part in (summary.allocated, summary.allocating) for n, size in part.items()]
        left = {name: _counted(name, size) for name, size in summary.allocatable.items()}
    except BadRequest as error:
        raise BadRequest(f"Cluster {cluster.metadata.name}: status.resourceSummary: {error}") from None
    for name, size in used:
        if name in left:
            left[name] -= size
    return MappingProxyType({name: in_units(name, size) for name, size in left.items()})


def _counted(resource: str, quantity: Quantity) -> int:
    """Thousandths. Karmada rounds pods up to whole ones before it subtracts, and all else after that."""
    thousandths = reported(quantity)
    return thousandths if resource != PODS else -(-thousandths // 1000) * 1000


def _nodes(cluster: Cluster, summary: ResourceSummary | None) -> tuple[NodeGrade, ...] | None:
    """Sizes are in `spec.resourceModels`, counts in the status; releases differ in what belongs together.

    None when nothing is counted, which is not the same as counts without sizes.
    """
    if summary is None or not summary.allocatableModelings:
        return None
    by_position = [modeling.count for modeling in summary.allocatableModelings]
    by_position += [0] * len(cluster.spec.resourceModels)
    by_grade: Counter[int] = Counter()
    for modeling in summary.allocatableModelings:
        by_grade[modeling.grade] += modeling.count
    try:
        return tuple(
            NodeGrade(
                count,
                by_grade[model.grade],
                MappingProxyType({each.name: in_units(each.name, reported(each.min)) for each in model.ranges}),
            )
            for model, count in zip(cluster.spec.resourceModels, by_position, strict=False)
        )
    except BadRequest as error:
        raise BadRequest(f"Cluster {cluster.metadata.name}: spec.resourceModels: {error}") from None


def in_units(resource: str, thousandths: int) -> int:
    """Thousandths in the unit Karmada compares: milli cores for cpu, whole units rounded up for all else.

    >>> in_units("cpu", 1500), in_units("memory", 1500)
    (1500, 2)
    """
    return thousandths if resource == CPU else -(-thousandths // 1000)


def amount(resource: str, quantity: Quantity) -> int:
    """A quantity in the unit Karmada compares.

    >>> amount("cpu", "250m"), amount("memory", "1Ki")
    (250, 1024)
    """
    return in_units(resource, milli(quantity))


class Snapshot:
    """All clusters at one moment, in the order of their names.

    Example:
        >>> from karmadalab.api.cluster import ClusterSpec
        >>> from karmadalab.api.meta import ObjectMeta
        >>> Snapshot([Cluster(metadata=ObjectMeta(name="member1"), spec=ClusterSpec(syncMode="Push"))])
        <Snapshot 1 cluster>
    """

    __slots__ = ("_by_name", "infos")

    infos: tuple[ClusterInfo, ...]
    _by_name: dict[str, ClusterInfo]

    def __init__(self, clusters: Iterable[Cluster], previous: Snapshot | None = None) -> None:
        """Take a snapshot.

        Args:
            clusters: in any order; the order never matters.
            previous: an earlier snapshot. Facts of a cluster that is still *the same object* are taken over from it;
                a new version of the object, and nothing else, invalidates them.

        Raises:
            BadRequest: two clusters of one name, or a quantity that is none.
        """
        known: dict[str, ClusterInfo] = previous._by_name if previous is not None else {}
        infos = [_info(cluster, known.get(cluster.metadata.name)) for cluster in clusters]
        infos.sort(key=_name)
        self.infos = tuple(infos)
        self._by_name = {info.name: info for info in infos}
        if len(self._by_name) != len(infos):
            twice = sorted({info.name for info, other in pairwise(infos) if info.name == other.name})
            raise BadRequest(f"cluster names are unique, but {', '.join(twice)} came twice; hand in one of each")

    def __len__(self) -> int:
        return len(self.infos)

    def __iter__(self) -> Iterator[ClusterInfo]:
        return iter(self.infos)

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def __getitem__(self, name: str) -> ClusterInfo:
        """The facts of a cluster. Raises `KeyError` when it is not in the fleet."""
        return self._by_name[name]

    def __repr__(self) -> str:
        return f"<Snapshot {len(self)} cluster{'s' if len(self) != 1 else ''}>"


def _info(cluster: Cluster, known: ClusterInfo | None) -> ClusterInfo:
    return known if known is not None and known.cluster is cluster else ClusterInfo.of(cluster)


def _name(info: ClusterInfo) -> str:
    return info.name
