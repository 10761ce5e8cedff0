"""What a controller may do with a cluster's API: the seam between controllers and stores, near or far."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol, TypeVar, overload

from karmadalab.api.meta import LabelSelector, Resource
from karmadalab.api.scheme import AnyObject

R = TypeVar("R", bound=Resource)

ADDED, MODIFIED, DELETED = "ADDED", "MODIFIED", "DELETED"
Handler = Callable[[str, AnyObject | None, AnyObject], None]


class Client(Protocol):
    """What a controller may do with a cluster's API, near or far: the store itself, or one behind a network.

    `list` stands last: below it, the name would mean the method and not the type.
    """

    @overload
    def get(self, kind: type[R], name: str, namespace: str = "") -> R: ...
    @overload
    def get(self, kind: str, name: str, namespace: str = "") -> Any: ...
    @overload
    def find(self, kind: type[R], name: str, namespace: str = "") -> R | None: ...
    @overload
    def find(self, kind: str, name: str, namespace: str = "") -> Any: ...
    def indexed(self, kind: type[R], index: str, value: Hashable) -> list[R]: ...
    def create(self, obj: Any) -> Any: ...
    def update(self, obj: Any) -> Any: ...
    def update_status(self, obj: Any) -> Any: ...
    def delete(self, kind: str | type[Resource], name: str, namespace: str = "") -> None: ...
    def watch(self, kind: str | type[Resource], handler: Handler, since: int | None = None) -> Callable[[], None]: ...
    @overload
    def list(self, kind: type[R], namespace: str | None = None, selector: LabelSelector | None = None) -> list[R]: ...
    @overload
    def list(self, kind: str, namespace: str | None = None, selector: LabelSelector | None = None) -> list[Any]: ...
