"""Strangers and broken clients: whatever comes, it is refused at once, costs little, and the lab goes on."""

from __future__ import annotations

import json
import socket
import ssl
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from karmadalab.api.errors import BadRequest
from karmadalab.lab import Lab
from karmadalab.server import Served, connection, serve

from .conftest import Http

CONFIGS = "/api/v1/namespaces/default/configmaps"
DEPLOYMENT = "/apis/apps/v1/namespaces/default/deployments/nginx"
AT_ONCE_S = 5.0  # without the bounds it was a minute, or the memory was full


def dial(served: Served) -> ssl.SSLSocket:
    context = ssl.create_default_context(cafile=str(served.folder / "server.crt"))
    return context.wrap_socket(socket.create_connection(("127.0.0.1", served.port), 10), server_hostname="127.0.0.1")


def answer(served: Served, request: bytes) -> bytes:
    """What comes back before the server hangs up; nothing, if it does so without a word."""
    with dial(served) as sock:
        try:
            sock.sendall(request)
            return b"".join(iter(lambda: sock.recv(1 << 16), b""))
        except ConnectionError:
            return b""


def head(served: Served, method: str, path: str, *more: str) -> bytes:
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: x",
        "Connection: close",
        f"Authorization: Bearer {served.token}",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


# --- before there is a request


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(b"\x00\x01\xff\xfe\r\n\r\n", id="no HTTP"),
        pytest.param(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", id="HTTP/2"),
        pytest.param(b"FOO / HTTP/1.1\r\nHost: x\r\n\r\n", id="no such method"),
        pytest.param(b"CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", id="use as a proxy"),
        pytest.param(b"GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n", id="a zero in the path"),
        pytest.param(b"POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 5\r\n\r\n{}abc", id="two lengths"),
        pytest.param(
            b"POST / HTTP/1.1\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            id="length and chunks",
        ),
        pytest.param(b"POST / HTTP/1.1\r\nContent-Length: -2\r\n\r\n{}", id="a negative length"),
        pytest.param(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nZZZ\r\n", id="no chunk"),
        pytest.param(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000 + b"\r\n", id="very many headers"),
    ],
)
def test_what_is_no_request_gets_400_and_the_line_is_closed(asking: Http, request_: bytes) -> None:
    assert answer(asking.served, request_).startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 401 "))


@pytest.mark.parametrize(
    "endless", [b"GET /", b"GET / HTTP/1.1\r\nX: ", b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;"]
)
def test_a_head_without_end_is_cut_off(asking: Http, endless: bytes) -> None:
    """An address, a header, and the extension of a chunk."""
    with dial(asking.served) as sock:
        assert pushed(sock, endless, 64 << 20) < 8 << 20, "what was sent when it was cut off, and on its way"


def pushed(sock: socket.socket, first: bytes, most: int) -> int:
    """How many bytes can be sent after the first ones, until nobody takes more."""
    sock.sendall(first)
    for sent in range(0, most, 1 << 14):
        try:
            sock.sendall(b"a" * (1 << 14))
        except OSError:
            return sent
    return most


def test_who_says_nothing_is_hung_up_on(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_HEAD_S", 0.5)
    with serve(lab) as served:
        for said in (b"", b"GET /version HTT"):
            with dial(served) as sock:
                sock.sendall(said)
                assert sock.recv(100) == b""
        assert b" 200 OK" in answer(served, head(served, "GET", "/version")), "and who asks is answered"
        watch = Http(served).watch(
            f"{CONFIGS}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true&sendInitialEvents=true"
        )
        assert {event["type"] for event in watch} == {"BOOKMARK"}, "who listens says nothing either"


def test_many_idle_connections_keep_nobody_out(asking: Http) -> None:
    with ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(dial(asking.served))
        assert asking("GET", "/version")[0] == 200


@pytest.mark.parametrize("protocol", ["websocket", "h2c", "SPDY/3.1"])
def test_no_other_protocol_is_spoken(asking: Http, protocol: str) -> None:
    found = answer(asking.served, head(asking.served, "GET", "/version", "Connection: Upgrade", f"Upgrade: {protocol}"))
    assert b" 200 OK" in found
    assert b"upgrade" not in found.lower()


# --- bodies that are small and cost much


def nested(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize("depth", [150, 400, 900, 3000])
@pytest.mark.parametrize(
    ("method", "path", "body", "kind"),
    [
        ("POST", CONFIGS, '{"metadata":{"name":"deep"},"x":%s}', "json"),
        ("PATCH", DEPLOYMENT, '{"spec":{"template":{"x":%s}}}', "merge-patch+json"),
        ("PATCH", DEPLOYMENT, '{"spec":{"template":{"x":%s}}}', "strategic-merge-patch+json"),
        ("PATCH", DEPLOYMENT, '[{"op":"add","path":"/spec/x","value":%s}]', "json-patch+json"),
        ("PATCH", f"{DEPLOYMENT}?fieldManager=f", '{"spec":{"x":%s}}', "apply-patch+yaml"),
        ("POST", CONFIGS, "metadata: {name: deep}\nx: %s\n", "yaml"),
    ],
)
def test_depth_has_an_end(asking: Http, method: str, path: str, body: str, kind: str, depth: int) -> None:
    began = time.monotonic()
    status, found = asking(method, path, body % nested(depth), Content_Type=f"application/{kind}")
    assert (status, found["kind"]) == (400, "Status")
    assert time.monotonic() - began < AT_ONCE_S


def test_depth_can_not_be_piled_up(http_to: Http) -> None:
    """Each patch is shallow; what they would leave is not."""
    http_to("POST", CONFIGS, {"metadata": {"name": "pile"}, "x": {}})
    path = "/x"
    codes = []
    for _ in range(4):
        patch = [{"op": "add", "path": f"{path}/a", "value": json.loads(nested(60))}]
        codes.append(http_to("PATCH", f"{CONFIGS}/pile", patch, Content_Type="application/json-patch+json")[0])
        path += "/a" * 61
        if codes[-1] != 200:
            break
        http_to(
            "PATCH",
            f"{CONFIGS}/pile",
            [{"op": "replace", "path": path, "value": {}}],
            Content_Type="application/json-patch+json",
        )
    assert codes == [200, 400]


def doubling(times: int) -> list[dict[str, Any]]:
    """A patch that copies everything into itself, again and again."""
    grown = [{"op": "copy", "from": "/data", "path": f"/data/k{number}"} for number in range(times)]
    return [{"op": "add", "path": "/data", "value": {"a": "x" * 1000}}, *grown]


@pytest.mark.parametrize("patch", [doubling(40), [{"op": "test", "path": "/kind", "value": "ConfigMap"}] * 10_001])
def test_a_patch_does_not_grow_without_end(http_to: Http, patch: list[Any]) -> None:
    http_to("POST", CONFIGS, {"metadata": {"name": "bomb"}})
    began = time.monotonic()
    status, found = http_to("PATCH", f"{CONFIGS}/bomb", patch, Content_Type="application/json-patch+json")
    assert (status, found["reason"]) == (413, "RequestEntityTooLarge")
    assert time.monotonic() - began < AT_ONCE_S


def test_long_yaml_is_refused_before_it_is_read(asking: Http) -> None:
    body = "metadata: {name: long}\ndata:\n" + "".join(f"  k{number}: v\n" for number in range(20_000))
    began = time.monotonic()
    assert asking("POST", CONFIGS, body, Content_Type="application/yaml")[0] == 413
    assert time.monotonic() - began < AT_ONCE_S


def test_a_selector_of_thousands_of_parts_is_read_quickly(asking: Http) -> None:
    began = time.monotonic()
    assert asking("GET", f"{CONFIGS}?labelSelector=" + ",".join(["a"] * 15_000))[0] == 200
    assert time.monotonic() - began < AT_ONCE_S


POLICIES = "/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies?fieldValidation=Ignore"


def test_thousands_of_fields_that_there_are_not_are_left_out_quickly(http_to: Http) -> None:
    unknown = {f"x{number}": {} for number in range(8000)}
    spec = {"resourceSelectors": [{"apiVersion": "v1", "kind": "ConfigMap", **unknown}], **unknown}
    began = time.monotonic()
    status, policy = http_to("POST", POLICIES, {"metadata": {"name": "long", **unknown}, "spec": spec, **unknown})
    assert time.monotonic() - began < AT_ONCE_S
    assert (status, policy["spec"]["resourceSelectors"][0]["kind"]) == (201, "ConfigMap")
    assert "x7999" not in json.dumps(policy)


MANY = [f"example.com/{number}" for number in range(60_000)]


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("apply-patch+yaml", {"metadata": {"finalizers": MANY[::-1]}}),
        ("apply-patch+yaml", {"metadata": {}}),
        ("strategic-merge-patch+json", {"metadata": {"finalizers": MANY[::-1]}}),
        ("strategic-merge-patch+json", {"metadata": {"$deleteFromPrimitiveList/finalizers": MANY[::-1]}}),
    ],
    ids=["apply them again", "apply without them", "merge", "take out"],
)
def test_a_long_set_is_compared_quickly(http_to: Http, kind: str, body: dict[str, Any]) -> None:
    """Each with each would be billions of comparisons."""
    path = f"{CONFIGS}/long?fieldManager=f"
    made = {"metadata": {"finalizers": MANY}}
    assert http_to("PATCH", path, made, Content_Type="application/apply-patch+yaml")[0] == 201
    began = time.monotonic()
    assert http_to("PATCH", path, body, Content_Type=f"application/{kind}")[0] == 200
    assert time.monotonic() - began < AT_ONCE_S


# --- files


def test_nothing_goes_into_the_folder_of_kubectl(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for folder in (tmp_path / ".kube", tmp_path / ".kube" / "lab", tmp_path / "x" / ".." / ".kube"):
        with pytest.raises(BadRequest, match="kubectl's own"):
            serve(lab, folder=folder)
    assert not (tmp_path / ".kube").exists()


def test_nor_by_way_of_a_link(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "real" / "elsewhere").mkdir(parents=True)
    (tmp_path / "home").symlink_to(tmp_path / "real")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folders = [tmp_path / home / ".kube" / "lab" for home in ("home", "real")]
    for folder in folders:
        with pytest.raises(BadRequest, match="kubectl's own"):
            serve(lab, folder=folder)
    (tmp_path / "real" / ".kube").symlink_to(tmp_path / "real" / "elsewhere")
    for folder in (*folders, tmp_path / "real" / "elsewhere" / "lab"):
        with pytest.raises(BadRequest, match="kubectl's own"):
            serve(lab, folder=folder)
    assert not [*(tmp_path / "real" / "elsewhere").iterdir()]


def test_a_link_that_waits_in_the_folder_is_not_followed(lab: Lab, tmp_path: Path) -> None:
    (victim := tmp_path / "victim").write_text("mine")
    (folder := tmp_path / "lab").mkdir()
    for name in ("kubeconfig", "server.key", "server.crt"):
        (folder / name).symlink_to(victim)
    with serve(lab, folder=folder):
        assert victim.read_text() == "mine"
        assert not (folder / "kubeconfig").is_symlink()
    assert {path.name for path in folder.iterdir()} == {"kubeconfig", "server.key", "server.crt"}
