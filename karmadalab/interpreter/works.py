"""Writing Works: several controllers do, each for its own reason, and all in the same way."""

from __future__ import annotations

from karmadalab.api.codec import to_json
from karmadalab.api.meta import replace
from karmadalab.api.override import APPLIED_CLUSTER_OVERRIDES_ANNOTATION, APPLIED_OVERRIDES_ANNOTATION
from karmadalab.api.work import Work
from karmadalab.core.client import Client
from karmadalab.core.controller import Retry
from karmadalab.interpreter.overrides import Overridden


def applied_overrides(overridden: Overridden) -> dict[str, str]:
    """The annotations that say which override policies shaped a manifest."""
    texts = {}
    for key, applied in (
        (APPLIED_CLUSTER_OVERRIDES_ANNOTATION, overridden.cluster_overrides),
        (APPLIED_OVERRIDES_ANNOTATION, overridden.overrides),
    ):
        if applied:
            texts[key] = to_json([{"policyName": item.policy, "overriders": item.overriders} for item in applied])
    return texts


def write_work(client: Client, work: Work) -> None:
    """Create a Work, or bring the one of its name to it; labels and annotations that it has stay.

    So do those that name override policies: a Work goes on naming the last ones after they are deleted.

    Raises:
        Retry: an older one of that name is still being deleted.
    """
    meta = work.metadata
    old = client.find(Work, meta.name, meta.namespace)
    if old is None:
        client.create(work)
        return
    if old.metadata.deletionTimestamp is not None:
        raise Retry(f"work {meta.namespace}/{meta.name} is being deleted")
    merged = replace(
        old.metadata,
        labels={**old.metadata.labels, **meta.labels},
        annotations={**old.metadata.annotations, **meta.annotations},
        finalizers=meta.finalizers,
    )
    client.update(replace(old, metadata=merged, spec=work.spec))
