"""What only a client at the other end of a wire meets: the watch is cut, and the server may have lost its past."""

from __future__ import annotations

import time
from typing import Any

import pytest

from karmadalab.environments.http.client import HttpClient
from tests.contract.apis import CONFIG, Api, config


def informer_of(api: Api) -> Any:
    """The one informer there is, with its watch open, so that there is something to cut."""
    client = api.client
    assert isinstance(client, HttpClient)
    (informer,) = client.informers
    deadline = time.monotonic() + 5
    while informer._stream is None and time.monotonic() < deadline:
        time.sleep(0.002)
    assert informer._stream is not None
    return informer


@pytest.mark.parametrize("since", [None, 0])
def test_it_goes_on_where_it_was(api: Api, since: int | None) -> None:
    """With a shared cache, and in a watch of its own that began at a version."""
    made = api.client.create(config("a"))
    seen = api.watch(CONFIG, since if since is None else int(made.metadata.resourceVersion))
    api.settle()
    api.client.create(config("b"))
    api.settle()
    informer_of(api).cut()
    api.client.create(config("c"))
    api.settle()
    expected = ["ADDED a", "ADDED b", "ADDED c"]
    assert seen.words() == (expected if since is None else expected[1:])


def test_what_it_missed_comes_as_differences_when_the_server_forgot(api: Api) -> None:
    assert api.store is not None
    for name in ("a", "b"):
        api.client.create(config(name))
    seen = api.watch(CONFIG)
    api.settle()
    informer = informer_of(api)
    with api.store.clock.taken():
        informer.cut()
        api.store.delete(CONFIG, "a", api.here)
        api.store.create(config("c"))
        api.store.create(config("passing"))
        api.store.delete(CONFIG, "passing", api.here)
        api.store.oldest_version = api.store.version
    api.settle()
    assert seen.words() == ["ADDED a", "ADDED b", "DELETED a", "ADDED c"]


def test_a_server_that_began_anew_is_listed_again(api: Api) -> None:
    """It knows no version as large as ours: a member that lost its disk."""
    assert api.store is not None
    api.client.create(config("a"))
    seen = api.watch(CONFIG)
    api.settle()
    informer = informer_of(api)
    with informer._clock.taken():
        informer.version = api.store.version + 1000
    informer.cut()
    api.client.create(config("b"))
    api.settle()
    assert seen.words() == ["ADDED a", "ADDED b"]
    assert informer.version <= api.store.version
