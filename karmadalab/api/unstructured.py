"""An object whose schema we don't own: Deployments, Services, custom resources.

Its metadata is typed, so that the store treats all objects alike; everything else is kept exactly as it was written, in
`body`. Nobody changes `body` in place: make a new object with `with_body`, `with_spec` or `with_status`.
"""

from __future__ import annotations

from typing import Any

from karmadalab.api.meta import Data, ObjectMeta, replace

_GROUP_KINDS: dict[tuple[str, str], str] = {}


def group_kind(api_version: str, kind: str) -> str:
    """The name of a kind in the store, whatever its version: `Deployment.apps`, `Pod`.

    >>> group_kind("apps/v1", "Deployment"), group_kind("v1", "Pod")
    ('Deployment.apps', 'Pod')
    """
    key = (api_version, kind)
    name = _GROUP_KINDS.get(key)
    if name is None:
        group = api_version.rpartition("/")[0]
        name = _GROUP_KINDS[key] = f"{kind}.{group}" if group else kind
    return name


class Unstructured(Data):
    """Reads like the manifest: `deployment["spec"]["replicas"]`, `deployment.status.get("readyReplicas", 0)`."""

    apiVersion: str
    kind: str
    metadata: ObjectMeta = ObjectMeta()
    body: dict[str, Any] = {}

    @property
    def GROUP_KIND(self) -> str:  # noqa: N802 - the same name as on the typed kinds
        return group_kind(self.apiVersion, self.kind)

    @property
    def spec(self) -> dict[str, Any]:
        """`spec`, or an empty dict when there is none."""
        return self.body.get("spec") or {}

    @property
    def status(self) -> dict[str, Any]:
        """`status`, or an empty dict when there is none."""
        return self.body.get("status") or {}

    def __getitem__(self, field: str) -> Any:
        return self.body[field]

    def get(self, field: str, default: Any = None) -> Any:
        """A top-level field other than apiVersion, kind and metadata."""
        return self.body.get(field, default)

    def with_body(self, **fields: Any) -> Unstructured:
        """A copy with top-level fields set."""
        return replace(self, body={**self.body, **fields})

    def with_spec(self, **fields: Any) -> Unstructured:
        """A copy with fields of `spec` set."""
        return self.with_body(spec={**self.spec, **fields})

    def with_status(self, status: dict[str, Any]) -> Unstructured:
        """A copy with that status."""
        return self.with_body(status=status)

    def __repr__(self) -> str:
        meta = self.metadata
        where = f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name
        return f"<{self.kind} {where}{self._counts()}>"

    def _counts(self) -> str:
        """What a person wants to know next of a workload or a pod."""
        if self.kind == "Pod":
            ready = any(c["type"] == "Ready" and c["status"] == "True" for c in self.status.get("conditions") or ())
            return f" {self.status.get('phase', 'Pending')}{'' if ready else ', not ready'}"
        if "replicas" not in self.spec:
            return ""
        return f" ready {self.status.get('readyReplicas', 0)}/{self.spec['replicas']}"
