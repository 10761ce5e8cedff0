"""`make_client()` as in `tests.contract`, but the server is at the other end of a TLS connection."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.clock import VirtualClock
from karmadalab.core.store import Admit, Store
from karmadalab.core.trace import Trace
from karmadalab.core.wall_clock import WallClock
from karmadalab.environments.http.client import HttpClient
from karmadalab.environments.http.transport import PlainTransport, Transport
from karmadalab.environments.kind.official import OfficialTransport
from karmadalab.server import serve_store
from tests.contract.apis import Api

TRANSPORTS: dict[str, Callable[..., Transport]] = {
    "the official client": OfficialTransport,
    "the standard library": PlainTransport.from_kubeconfig,
}


def caught_up(store: Store, client: HttpClient) -> bool:
    """Whether the client has heard of all that has happened in the store, and knows what is there."""
    with store.clock.taken():
        informers = client.informers
        kinds = {informer.rt.group_kind for informer in informers}
        there = {kind: {o.metadata.uid: o for o in store.list(kind)} for kind in kinds}
        newest = {row.kind: row.version for row in store.trace.rows if row.version}
    return all(
        informer.synced
        and informer.version >= newest.get(informer.rt.group_kind, 0)
        and {o.metadata.uid: o for o in informer.objects.values()} == there[informer.rt.group_kind]
        for informer in informers
    )


@pytest.fixture(scope="session")
def far() -> Iterator[tuple[Store, Path]]:
    """One server for all tests, for it takes a while to start: its store, and the kubeconfig for it."""
    clock = VirtualClock()
    store = Store(clock, Trace(clock.now))
    for name in ("here", "there"):
        store.create(Unstructured("v1", "Namespace", ObjectMeta(name=name)))
    with serve_store(store, "member1") as served:
        yield store, served.kubeconfig


def emptied(store: Store, admit: Admit | None) -> None:
    """Let nothing be left of the test before."""
    store.admit = None
    for kind in store.kinds():
        for obj in store.list(kind) if kind != "Namespace" else ():
            meta = obj.metadata
            if meta.finalizers:
                store.update(replace(obj, metadata=replace(meta, finalizers=())))
            if store.find(kind, meta.name, meta.namespace) is not None:
                store.delete(kind, meta.name, meta.namespace)
    store.clock.run_until(store.clock.now() + 1)
    store.admit = admit


@pytest.fixture(params=TRANSPORTS, ids=list(TRANSPORTS))
def make_client(request: pytest.FixtureRequest, far: tuple[Store, Path]) -> Iterator[Callable[..., Api]]:
    store, kubeconfig = far
    with ExitStack() as stack:

        def make(admit: Admit | None = None) -> Api:
            with store.clock.taken():
                emptied(store, admit)
            near = WallClock()
            near.begin()
            client = HttpClient("here -> there", TRANSPORTS[request.param](kubeconfig), near, Trace(near.now))
            stack.callback(client.close)

            def settle() -> None:
                with store.clock.taken():
                    store.clock.catch_up()
                deadline = time.monotonic() + 5
                while not caught_up(store, client) and time.monotonic() < deadline:
                    time.sleep(0.002)

            return Api(client, settle, store)

        yield make


@pytest.fixture
def api(make_client: Callable[..., Api]) -> Api:
    """An empty server."""
    return make_client()
