"""Reading an API server as a person does: short kind names, a default namespace, YAML."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from karmadalab.api.codec import to_dict
from karmadalab.api.errors import BadRequest, NotFound
from karmadalab.api.meta import Resource
from karmadalab.api.scheme import ResourceType, resource_type
from karmadalab.core.snapshot import Snapshot
from karmadalab.core.store import Store


class View:
    """Reading one API server, now or at a past moment; kinds as a person writes them."""

    def __init__(self, source: Store | Snapshot, what: str) -> None:
        self._source = source
        self._what = what
        self._alone: Callable[[], AbstractContextManager[None]] = (
            nullcontext if isinstance(source, Snapshot) else source.clock.taken
        )

    @property
    def placement(self) -> dict[str, dict[str, int]]:
        """By binding, the clusters it is scheduled to and the replicas of each."""
        return {
            f"{binding.metadata.namespace}/{binding.metadata.name}": {t.name: t.replicas for t in binding.spec.clusters}
            for binding in self.list("ResourceBinding")
        }

    def get(self, kind: str | type[Resource], name: str = "", namespace: str = "default") -> Any:
        """The object of that name, as an immutable object.

        Args:
            kind: `Deployment`, `deploy`, `rb`, a class, or `Kind.group` for custom kinds; `deployment/nginx` has the
                name in it.

        Raises:
            NotFound: it is not there.
            BadRequest: there is no such kind.
        """
        if not name:
            kind, namespace, name = split_name(kind, namespace)
        rt = resource_type(kind)
        namespace = namespace if rt.namespaced else ""
        with self._alone():
            try:
                return self._source.get(rt.group_kind, name, namespace)
            except NotFound as error:
                raise NotFound(f"{error}; {self._others(rt, namespace)}") from None

    def _others(self, rt: ResourceType, namespace: str) -> str:
        """What there is instead of what was not found."""
        found = self._source.list(rt.group_kind)
        names = [obj.metadata.name for obj in found if obj.metadata.namespace == namespace]
        if names:
            more = f" and {len(names) - 5} more" if len(names) > 5 else ""
            return f"there is {', '.join(names[:5])}{more}"
        elsewhere = sorted({obj.metadata.namespace for obj in found})
        return f"there are some in {', '.join(elsewhere)}" if elsewhere else f"there is no {rt.kind} at all"

    def find(self, kind: str | type[Resource], name: str, namespace: str = "default") -> Any:
        """The object of that name, or None."""
        rt = resource_type(kind)
        with self._alone():
            return self._source.find(rt.group_kind, name, namespace if rt.namespaced else "")

    def list(self, kind: str | type[Resource], namespace: str | None = None) -> list[Any]:
        """The objects of a kind, by namespace and name."""
        group_kind = resource_type(kind).group_kind
        with self._alone():
            return self._source.list(group_kind, namespace)

    def yaml(self, kind: str | type[Resource], name: str, namespace: str = "default") -> str:
        """An object as `kubectl get -o yaml` shows it."""
        return to_yaml(to_dict(self.get(kind, name, namespace)))

    def __repr__(self) -> str:
        return f"<View of {self._what}: {self._source}>"


def split_name(what: Any, namespace: str = "default") -> tuple[str, str, str]:
    """`deployment/nginx` or `deployment/shop/nginx` as kind, namespace and name.

    Raises:
        BadRequest: it is neither.
    """
    parts = what.split("/") if isinstance(what, str) else []
    if len(parts) not in (2, 3) or not all(parts):
        raise BadRequest(f"which one? write a kind and a name, for example deployment/nginx, not {what!r}")
    return parts[0], parts[1] if len(parts) == 3 else namespace, parts[-1]


def to_yaml(data: Any) -> str:
    """Plain data as YAML."""
    from io import StringIO

    from ruamel.yaml import YAML

    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment] # typed by its default, None
    out = StringIO()
    writer.dump(data, out)
    return out.getvalue()
