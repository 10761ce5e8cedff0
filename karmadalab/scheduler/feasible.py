"""The filter step: ask every filter plugin about every cluster."""

from __future__ import annotations

from collections.abc import Sequence

from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.errors import FitError
from karmadalab.scheduler.notes import Notes
from karmadalab.scheduler.plugins import FilterPlugin, plugin_error, wrong_answer
from karmadalab.scheduler.snapshot import ClusterInfo


def find_clusters_that_fit(
    binding: BindingInfo, clusters: Sequence[ClusterInfo], filters: Sequence[FilterPlugin], notes: Notes | None = None
) -> list[ClusterInfo]:
    """The clusters that every plugin accepts, in the order they came in.

    One plugin after the other is asked about a cluster until one refuses it, and only that reason counts in the error.
    With notes, the other plugins are asked too.

    Raises:
        FitError: no cluster is left.
        PluginError: a plugin raised, or returned neither None nor a reason.
    """
    fitting = _not_leaving(clusters, notes) if binding.behaviour.deleting_clusters_skipped else list(clusters)
    reasons: list[str] = []
    for plugin in filters:
        if _skips(plugin, binding):
            continue
        refused = _refusals(plugin, binding, fitting if notes is None else clusters)
        if refused:
            reasons += [refused[cluster.name] for cluster in fitting if cluster.name in refused]
            fitting = [cluster for cluster in fitting if cluster.name not in refused]
            if notes is not None:
                notes.refusals += [(cluster, plugin.name, reason) for cluster, reason in refused.items()]
    if not fitting:
        raise FitError(len(clusters), reasons)
    return fitting


def _not_leaving(clusters: Sequence[ClusterInfo], notes: Notes | None) -> list[ClusterInfo]:
    """v1.18: clusters that are being deleted are out before anybody is asked, and out of the error's counts too."""
    leaving = {cluster.name for cluster in clusters if cluster.cluster.metadata.deletionTimestamp is not None}
    if notes is not None:
        notes.refusals += [(name, "(before the filters)", "the cluster is being deleted") for name in sorted(leaving)]
    return [cluster for cluster in clusters if cluster.name not in leaving] if leaving else list(clusters)


def _skips(plugin: FilterPlugin, binding: BindingInfo) -> bool:
    """Whether a plugin has no objection to any cluster, as it may say in the Kubernetes scheduler's `PreFilter`."""
    skips = getattr(plugin, "skips", None)
    if skips is None:
        return False
    try:
        return bool(skips(binding))
    except Exception as error:
        raise plugin_error(plugin, "skips", None, error) from error


def _refusals(plugin: FilterPlugin, binding: BindingInfo, clusters: Sequence[ClusterInfo]) -> dict[str, str]:
    """Reasons by cluster, of the clusters one plugin refuses."""
    ask, refused = plugin.filter, {}
    cluster: ClusterInfo | None = None
    try:
        for cluster in clusters:
            reason = ask(binding, cluster)
            if reason is not None:
                refused[cluster.name] = reason
    except Exception as error:
        raise plugin_error(plugin, "filter", cluster.name if cluster else None, error) from error
    for name, answer in refused.items():
        if type(answer) is not str or answer == "":
            raise wrong_answer(plugin, "filter", name, answer, "None to accept the cluster or a reason to refuse it")
    return refused
