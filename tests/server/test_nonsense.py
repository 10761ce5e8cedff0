"""Requests that nobody would send: whatever comes, the answer is a Status that is no 500, and the lab goes on."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from karmadalab.api.codec import to_dict
from karmadalab.api.scheme import RESOURCE_TYPES
from karmadalab.lab import Lab

from .conftest import Http

JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    10**25,
    "",
    "x",
    "a" * 300,
    [],
    {},
    [None],
    [{}],
    {"name": None},
    {"": ""},
    [1, "a"],
]
QUERIES = [
    "", "", "?dryRun=All", "?fieldManager=f", "?fieldManager=f&force=true", "?watch=x", "?fieldSelector=a%3Db",
    "?limit=1&continue=z", "?includeObject=Object", "?propagationPolicy=Foreground", "?resourceVersion=x",
]  # fmt: skip
PATCHES = ("json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml")
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


def spoiled(data: Any, chance: random.Random) -> Any:
    """A manifest with something wrong deep inside."""
    data = json.loads(json.dumps(data))
    at = data
    for _ in range(chance.randint(0, 5)):
        keys: list[Any] = list(at) if isinstance(at, dict) else list(range(len(at)))
        inner = [key for key in keys if isinstance(at[key], (dict, list)) and at[key]]
        if not inner:
            break
        at = at[chance.choice(inner)]
    key = (
        chance.choice([*at, "spec", "status", "metadata", "$patch"])
        if isinstance(at, dict)
        else chance.randrange(len(at))
    )
    at[key] = chance.choice(JUNK)
    return data


def operations(chance: random.Random) -> list[Any]:
    """A JSON patch of sorts."""
    paths = ["/spec", "/metadata/labels/x", "/status/-", "x", "", None, "/metadata/managedFields", "/spec/replicas"]
    verb = chance.choice(["add", "remove", "replace", "move", "copy", "test", 3])
    return [{"op": verb, "path": chance.choice(paths), "value": chance.choice(JUNK), "from": chance.choice(paths)}]


def requests(lab: Lab, chance: random.Random, count: int) -> Iterator[tuple[str, str, Any, str]]:
    """(method, address, body, content type)."""
    objects = [to_dict(obj) for kind in lab.store.kinds() for obj in lab.store.list(kind)[:3]]
    for _ in range(count):
        obj = chance.choice(objects)
        meta = obj["metadata"]
        rt = next(rt for rt in RESOURCE_TYPES if (rt.api_version, rt.kind) == (obj["apiVersion"], obj["kind"]))
        space = f"/namespaces/{meta['namespace']}" if rt.namespaced else ""
        base = f"/{'apis' if '/' in rt.api_version else 'api'}/{rt.api_version}{space}/{rt.plural}"
        method = chance.choice(["POST", "PUT", "PATCH", "PATCH", "PATCH", "GET"])
        part = chance.choice(["", "", "", "/status", "/scale", "/log", "/proxy/api/v1/pods"])
        where = base if method == "POST" else f"{base}/{meta['name']}{part}"
        body = spoiled(obj, chance) if chance.random() < 0.9 else chance.choice(JUNK)
        kind = chance.choice(PATCHES) if method == "PATCH" else "json"
        if kind == "json-patch+json":
            body = operations(chance)
        elif isinstance(body, dict) and isinstance(body.get("metadata"), dict) and chance.random() < 0.7:
            body["metadata"] = {
                key: value for key, value in body["metadata"].items() if key not in ("uid", "resourceVersion")
            }
        yield method, where + chance.choice(QUERIES), body, f"application/{kind}"


@pytest.mark.parametrize("seed", [1, 2])
def test_nonsense_is_refused_politely(http_to: Http, lab: Lab, seed: int) -> None:
    chance = random.Random(seed)
    connection = http_to.connect()
    codes = set()
    for method, where, body, kind in requests(lab, chance, 400):
        accept = chance.choice(["application/json", TABLE])
        connection.request(method, where, json.dumps(body), http_to.headers(Content_Type=kind, Accept=accept))
        answer = connection.getresponse()
        data = answer.read()
        codes.add(answer.status)
        assert answer.status != 500, (method, where, body, data)
        assert answer.status < 400 or json.loads(data)["kind"] == "Status", (method, where, data)
    connection.close()
    assert {200, 400, 404, 422} <= codes
    lab.run("20s")
