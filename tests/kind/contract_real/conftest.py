"""`make_client()` as in `tests.contract`, for the API server of a cluster that kind makes for it.

Not one of its objects can be reached but through the client, and it has objects and controllers of its own. What the
contract says of admission is left out: a cluster's webhooks are not ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from karmadalab.api.errors import NotFound
from karmadalab.api.meta import ObjectMeta, replace
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.client import Handler
from karmadalab.core.trace import Trace
from karmadalab.core.wall_clock import WallClock
from karmadalab.environments.http.client import HttpClient
from karmadalab.environments.kind.fleet import read_kind_fleet
from karmadalab.environments.kind.official import OfficialTransport
from karmadalab.environments.kind.updown import Clusters
from tests.contract.apis import CONFIG, INGRESS, Api

OUR_WORDS = {
    "test_a_name_must_be_one",
    "test_a_stale_write_is_refused_and_says_both_versions",
    "test_no_finalizer_is_added_at_the_end",
    "test_too_old_a_version_means_list_again",
}
QUIET_S, PATIENCE_S = 3.0, 60.0
SPACES = ("here", "there")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All need a cluster, and a few compare sentences that are the lab's own."""
    for item in items:
        if item.path.parent != Path(__file__).parent:
            continue
        item.add_marker(pytest.mark.kind)
        item.add_marker(pytest.mark.slow)
        if item.originalname in OUR_WORDS:  # type: ignore[attr-defined]
            item.add_marker(pytest.mark.skip(reason="the words are the lab's own"))


class Ours(HttpClient):
    """A client that sees what tests have made, and not what a cluster brings along."""

    def list(self, kind: Any, *args: Any, **options: Any) -> list[Any]:
        """Without the cluster's own."""
        return [obj for obj in super().list(kind, *args, **options) if ours(obj)]

    def watch(self, kind: Any, handler: Handler, since: int | None = None) -> Callable[[], None]:
        """Without the cluster's own."""
        return super().watch(kind, lambda event, old, new: handler(event, old, new) if ours(new) else None, since)


def ours(obj: Any) -> bool:
    """Each namespace of a cluster is given a ConfigMap with the cluster's certificate."""
    return obj.metadata.namespace in SPACES and obj.metadata.name != "kube-root-ca.crt"


@pytest.fixture(scope="session")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The access to a cluster of one node, made for these tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KARMADALAB_HOME", str(tmp_path_factory.mktemp("home")))
        clusters = Clusters(read_kind_fleet({"name": "contract", "members": ["member1"]}))
        began = time.monotonic()
        try:
            clusters.up()
            print(f"\n{time.monotonic() - began:7.1f} s  a cluster for the contract", flush=True)
            yield clusters.folder.kubeconfig("member1")
        finally:
            clusters.down()


def opened(kubeconfig: Path) -> HttpClient:
    clock = WallClock()
    clock.begin()
    return Ours("here -> there", OfficialTransport(kubeconfig), clock, Trace(clock.now))


def emptied(kubeconfig: Path) -> None:
    """The namespaces are there, and nothing of ours is in them."""
    client = opened(kubeconfig)
    try:
        for space in SPACES:
            if client.find("Namespace", space) is None:
                client.create(Unstructured("v1", "Namespace", ObjectMeta(name=space)))
        end = time.monotonic() + PATIENCE_S
        while left := [(kind, obj) for kind in (CONFIG, INGRESS) for obj in client.list(kind)]:
            assert time.monotonic() < end, left
            for kind, obj in left:
                removed(client, kind, obj)
    finally:
        client.close()


def removed(client: HttpClient, kind: str, obj: Any) -> None:
    meta = obj.metadata
    try:
        if meta.finalizers:
            client.update(replace(obj, metadata=replace(meta, finalizers=(), resourceVersion="")))
        client.delete(kind, meta.name, meta.namespace)
    except NotFound:  # it went with its last finalizer, or its owner
        time.sleep(0.1)


@pytest.fixture
def make_client(kubeconfig: Path) -> Iterator[Callable[[], Api]]:
    clients: list[HttpClient] = []

    def make() -> Api:
        emptied(kubeconfig)
        client = opened(kubeconfig)
        clients.append(client)

        def settle() -> None:
            """Nobody says when a cluster's garbage collector has done; it is quiet then."""
            seen, since, end = client.version, time.monotonic(), time.monotonic() + PATIENCE_S
            while time.monotonic() - since < QUIET_S and time.monotonic() < end:
                time.sleep(0.05)
                if client.version != seen:
                    seen, since = client.version, time.monotonic()

        return Api(client, settle)

    yield make
    for client in clients:
        client.close()


@pytest.fixture
def api(make_client: Callable[[], Api]) -> Api:
    """A cluster without anything of ours."""
    return make_client()
