"""The servers that the contract is held against, and small objects to write to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from karmadalab.api.meta import ObjectMeta, OwnerReference, replace
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.client import Client
from karmadalab.core.clock import VirtualClock
from karmadalab.core.store import Admit, Store
from karmadalab.core.trace import Trace
from karmadalab.environments.link import Link, Remote


@dataclass
class Api:
    """A server, from outside.

    Attributes:
        client: how to talk to it.
        settle: lets garbage collection, and whatever else runs in the background, finish.
        store: the store itself where there is one, for what no client can ask for (forgetting old versions).
        here, there: two namespaces that may be written in.
    """

    client: Client
    settle: Callable[[], None]
    store: Store | None = None
    here: str = "here"
    there: str = "there"

    def watch(self, kind: str, since: int | None = None) -> Seen:
        """Watch a kind from now on; with `since` from that version on."""
        seen = Seen()
        seen.stop = self.client.watch(kind, seen.add, since)
        return seen


@dataclass
class Seen:
    """The events of a watch."""

    events: list[tuple[str, Any, Any]] = field(default_factory=list)
    stop: Callable[[], None] = lambda: None

    def add(self, event: str, old: Any, new: Any) -> None:
        self.events.append((event, old, new))

    def words(self) -> list[str]:
        """`ADDED web`, `MODIFIED web`, ..."""
        return [f"{event} {new.metadata.name}" for event, _, new in self.events]


def near(admit: Admit | None = None) -> Api:
    """The store itself."""
    clock = VirtualClock()
    store = Store(clock, Trace(clock.now), admit=admit)
    return Api(store, lambda: clock.run_until(clock.now()), store)


def far(admit: Admit | None = None) -> Api:
    """The same at the other end of a healthy link."""
    clock = VirtualClock()
    trace = Trace(clock.now)
    store = Store(clock, trace, admit=admit)
    link = Link("here -> there", clock, trace, Random(1))
    return Api(Remote(store, link, clock, trace), lambda: clock.run_until(clock.now()), store)


MAKERS: dict[str, Callable[..., Api]] = {"the store": near, "a client behind a link": far}


# --- objects ----------------------------------------------------------------------------------------------------------


def config(name: str = "web", namespace: str = "here", **meta: Any) -> Unstructured:
    """A ConfigMap: no generation, no status, no controller that touches it."""
    metadata = ObjectMeta(name=name, namespace=namespace, **meta)
    return Unstructured(apiVersion="v1", kind="ConfigMap", metadata=metadata, body={"data": {"colour": "red"}})


def ingress(name: str = "web", namespace: str = "here", **meta: Any) -> Unstructured:
    """An Ingress: has a generation and a status, and no controller in a plain cluster."""
    spec = {"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}}
    metadata = ObjectMeta(name=name, namespace=namespace, **meta)
    return Unstructured(apiVersion="networking.k8s.io/v1", kind="Ingress", metadata=metadata, body={"spec": spec})


def with_meta(obj: Unstructured, **changes: Any) -> Unstructured:
    """The object with other metadata."""
    return replace(obj, metadata=replace(obj.metadata, **changes))


def other_port(obj: Unstructured, number: int = 81) -> Unstructured:
    """An Ingress with another spec."""
    return obj.with_spec(defaultBackend={"service": {"name": "web", "port": {"number": number}}})


def owned_by(*owners: Unstructured) -> tuple[OwnerReference, ...]:
    """References to owners."""
    return tuple(OwnerReference(o.apiVersion, o.kind, o.metadata.name, o.metadata.uid) for o in owners)


CONFIG, INGRESS = "ConfigMap", "Ingress.networking.k8s.io"
ADDRESS = {"loadBalancer": {"ingress": [{"ip": "192.0.2.1"}]}}
