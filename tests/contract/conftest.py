"""`make_client()`: each test of the contract runs once for each maker."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from .apis import MAKERS, Api


@pytest.fixture(params=MAKERS, ids=list(MAKERS))
def make_client(request: pytest.FixtureRequest) -> Callable[..., Api]:
    """Makes an empty server; `make_client(admit=...)` one with admission."""
    return MAKERS[request.param]


@pytest.fixture
def api(make_client: Callable[..., Api]) -> Api:
    """An empty server."""
    return make_client()
