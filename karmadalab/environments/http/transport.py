"""Carrying one request, or one stream of lines, to an API server: the part that differs between HTTP libraries."""

from __future__ import annotations

import base64
import http.client
import json
import socket
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlencode, urlsplit

from karmadalab.api.errors import BadRequest, Unreachable
from karmadalab.environments.files import load_yaml

REFUSED, LATE, BROKEN = "connection refused", "no answer in time", "the connection broke"

_CONNECT_TIMEOUT_S = 10.0


class Answer(NamedTuple):
    """What came back: the HTTP status, and the JSON or, failing that, the text."""

    code: int
    data: Any


class Stream(Protocol):
    """Lines of JSON that come as things happen."""

    def __iter__(self) -> Iterator[Any]: ...

    def close(self) -> None:
        """End it, from any thread; whoever iterates then gets the end or `Unreachable`."""
        ...


class Transport(Protocol):
    """The way to one API server. Safe to use from several threads."""

    def close(self) -> None:
        """Give idle connections back."""
        ...

    def request(
        self, method: str, path: str, query: Mapping[str, str], body: Any, timeout_s: float, accept: str = ""
    ) -> Answer:
        """One request. `body` is plain data or None.

        Raises:
            Unreachable: refused, broken, or no answer within `timeout_s`.
        """
        ...

    def stream(self, path: str, query: Mapping[str, str], timeout_s: float) -> Stream:
        """A watch. Raises `Unreachable`, also while iterating; `ApiError` for a refusal."""
        ...


def target(path: str, query: Mapping[str, str]) -> str:
    """A path with its query.

    >>> target("/api/v1/pods", {"watch": "1"})
    '/api/v1/pods?watch=1'
    """
    return f"{path}?{urlencode(query)}" if query else path


def parsed(body: bytes) -> Any:
    """JSON, or the text itself (health checks answer `ok`)."""
    try:
        return json.loads(body)
    except ValueError:
        return body.decode("utf-8", "replace")


class PlainTransport:
    """HTTP with the standard library: for the lab's own server, where the official client need not be installed.

    Args:
        base_url: `https://127.0.0.1:6443`.
        headers: sent with every request, such as `Authorization`.
        context: whom to trust, for https.
        connect_timeout_s: how long a new connection may take.
    """

    def __init__(
        self,
        base_url: str,
        headers: Mapping[str, str] | None = None,
        context: ssl.SSLContext | None = None,
        connect_timeout_s: float = _CONNECT_TIMEOUT_S,
    ) -> None:
        parts = urlsplit(base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadRequest(f"{base_url}: expected an address such as https://127.0.0.1:6443")
        self._host, self._port = parts.hostname, parts.port or (443 if parts.scheme == "https" else 80)
        self._secure, self._context = parts.scheme == "https", context
        self._prefix = parts.path.rstrip("/")
        self._headers = {"Accept": "application/json", **(headers or {})}
        self._connect_timeout_s = connect_timeout_s

    @classmethod
    def from_kubeconfig(
        cls, path: str | Path, context: str = "", connect_timeout_s: float = _CONNECT_TIMEOUT_S
    ) -> PlainTransport:
        """The way that a kubeconfig describes, if it needs no more than a CA and a token.

        Raises:
            BadRequest, Invalid: the file can't be read, or has no such context.
        """
        config = load_yaml(path)
        wanted = context or config.get("current-context")
        try:
            found = _of(config, "context", wanted)
            cluster, user = _of(config, "cluster", found["cluster"]), _of(config, "user", found["user"])
        except (KeyError, TypeError):
            raise BadRequest(f"{path}: has no context {wanted!r} with a cluster and a user") from None
        authority = base64.b64decode(cluster.get("certificate-authority-data", "")).decode()
        trust = ssl.create_default_context(cadata=authority or None)
        headers = {"Authorization": f"Bearer {user.get('token', '')}"}
        return cls(cluster["server"], headers, trust, connect_timeout_s)

    def request(
        self, method: str, path: str, query: Mapping[str, str], body: Any, timeout_s: float, accept: str = ""
    ) -> Answer:
        """See `Transport.request`."""
        connection, response = self._send(method, target(path, query), body, timeout_s, accept)
        try:
            return Answer(response.status, parsed(response.read()))
        except (OSError, http.client.HTTPException) as error:
            raise unreachable(error) from None
        finally:
            connection.close()

    def stream(self, path: str, query: Mapping[str, str], timeout_s: float) -> Stream:
        """See `Transport.stream`."""
        connection, response = self._send("GET", target(path, query), None, timeout_s, "")
        sock = connection.sock  # http.client forgets it once the response is to end with the connection
        return LineStream(response, response.status, sock, connection.close)

    def close(self) -> None:
        """Each request has a connection of its own: none is idle."""

    def _send(
        self, method: str, where: str, body: Any, timeout_s: float, accept: str
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        connection = self._connection()
        headers = dict(self._headers, **({"Accept": accept} if accept else {}))
        payload = None
        if body is not None:
            payload, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        try:
            connection.connect()
            connection.sock.settimeout(timeout_s)
            connection.request(method, self._prefix + where, payload, headers)
            return connection, connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise unreachable(error) from None

    def _connection(self) -> http.client.HTTPConnection:
        if self._secure:
            where, limit_s = (self._host, self._port), self._connect_timeout_s
            return http.client.HTTPSConnection(*where, timeout=limit_s, context=self._context)
        return http.client.HTTPConnection(self._host, self._port, timeout=self._connect_timeout_s)


def _of(config: Any, what: str, name: str) -> dict[str, Any]:
    """An entry of a kubeconfig's list by name."""
    found: dict[str, Any] = {entry["name"]: entry[what] for entry in config[f"{what}s"]}[name]
    return found


class LineStream:
    """The lines of a response as plain data."""

    def __init__(self, response: Any, code: int, sock: socket.socket | None, close: Callable[[], None]) -> None:
        self._response = response
        self._sock, self._close = sock, close
        if code >= 400:
            from karmadalab.environments.http.refusal import refusal

            try:
                raise refusal(Answer(code, parsed(response.read())))
            finally:
                self.close()

    def __iter__(self) -> Iterator[Any]:
        try:
            for line in self._response:
                if line.strip():
                    yield json.loads(line)
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            raise unreachable(error) from None  # AttributeError: it was closed from another thread
        finally:
            self.close()

    def close(self) -> None:
        """See `Stream.close`."""
        shut(self._sock)
        self._close()


def shut(sock: socket.socket | None) -> None:
    """Shut a socket down; closing it alone does not wake a thread that reads from it."""
    with suppress(OSError):
        if sock is not None:
            sock.shutdown(socket.SHUT_RDWR)


def unreachable(error: BaseException) -> Unreachable:
    """An error of a socket in the words that a person knows."""
    if isinstance(error, ConnectionRefusedError):
        return Unreachable(REFUSED)
    if isinstance(error, TimeoutError):
        return Unreachable(LATE)
    return Unreachable(f"{BROKEN} ({type(error).__name__})")
