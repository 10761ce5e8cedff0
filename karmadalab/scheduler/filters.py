"""The filter plugins: which clusters are out of the question, and why.

Whether a cluster is Ready is *not* asked here: a cluster that stops answering is tainted by the cluster controller, and
it is the taint that keeps new workloads away. Mirrors `pkg/scheduler/framework/plugins`.
"""

from __future__ import annotations

from karmadalab.api.affinity import affinity_matches
from karmadalab.api.meta import tolerates
from karmadalab.api.policy import SPREAD_BY_PROVIDER, SPREAD_BY_REGION, SPREAD_BY_ZONE
from karmadalab.api.policy import ClusterAffinity as Affinity
from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.plugins import FilterPlugin
from karmadalab.scheduler.snapshot import ClusterInfo

ANYWHERE = Affinity()


class APIEnablement:
    """The cluster must have the template's API, at that very version.

    A cluster that runs the workload already gets the benefit of the doubt while its API list is incomplete (v1.18:
    always), so that a hiccup in reading the list does not move workloads.
    """

    name = "APIEnablement"

    def filter(self, binding: BindingInfo, cluster: ClusterInfo) -> str | None:
        if binding.api in cluster.apis:
            return None
        doubtful = binding.behaviour.targets_keep_api or not cluster.apis_complete
        if doubtful and cluster.name in binding.previous:
            return None
        return "cluster(s) did not have the API resource"


class TaintToleration:
    """NoSchedule and NoExecute taints keep new workloads away. Those already there leave by eviction, not by this."""

    name = "TaintToleration"

    def filter(self, binding: BindingInfo, cluster: ClusterInfo) -> str | None:
        if not cluster.taints or cluster.name in binding.previous:
            return None
        for taint in cluster.taints:
            if not any(tolerates(toleration, taint) for toleration in binding.tolerations):
                return f"cluster(s) had untolerated taint {{{taint}}}"
        return None


class ClusterAffinity:
    """The cluster must match the affinity, or the current term of the ordered affinities."""

    name = "ClusterAffinity"

    def skips(self, binding: BindingInfo) -> bool:
        return binding.affinity is None or binding.affinity == ANYWHERE

    def filter(self, binding: BindingInfo, cluster: ClusterInfo) -> str | None:
        affinity = binding.affinity
        if affinity is None or affinity_matches(affinity, cluster, binding.behaviour.any_zone_matches):
            return None
        return "cluster(s) did not match the placement cluster affinity constraint"


class SpreadConstraint:
    """A cluster that is to be spread by provider, region or zone must say which it is in."""

    name = "SpreadConstraint"

    def skips(self, binding: BindingInfo) -> bool:
        return not binding.placement.spreadConstraints

    def filter(self, binding: BindingInfo, cluster: ClusterInfo) -> str | None:
        for constraint in binding.placement.spreadConstraints:
            by = constraint.spreadByField
            if by == SPREAD_BY_PROVIDER and not cluster.provider:
                return "cluster(s) did not have provider property"
            if by == SPREAD_BY_REGION and not cluster.region:
                return "cluster(s) did not have region property"
            if by == SPREAD_BY_ZONE and not cluster.zones:
                return "cluster(s) did not have zones property"
        return None


class ClusterEviction:
    """A cluster that the workload is being evicted from is not chosen again while the eviction lasts."""

    name = "ClusterEviction"

    def skips(self, binding: BindingInfo) -> bool:
        return not binding.evicting

    def filter(self, binding: BindingInfo, cluster: ClusterInfo) -> str | None:
        return "cluster(s) is in the process of eviction" if cluster.name in binding.evicting else None


FILTERS: tuple[FilterPlugin, ...] = (
    APIEnablement(),
    TaintToleration(),
    ClusterAffinity(),
    SpreadConstraint(),
    ClusterEviction(),
)
