"""The way to a real API server with the official `kubernetes` client: TLS, client certificates, tokens.

Only the client's connections are used, not its 1,000 model classes: objects stay plain data all the way, so that no
field is lost and a server of any version can be read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from karmadalab.api.errors import BadRequest, KarmadalabError, Unreachable
from karmadalab.core.member import ClientFailed
from karmadalab.environments.files import load_yaml
from karmadalab.environments.http.refusal import refusal
from karmadalab.environments.http.transport import BROKEN, LATE, REFUSED, Answer, Stream, parsed, shut, target
from karmadalab.environments.kind.agents import with_token
from karmadalab.environments.kind.errors import NotInstalled

_CONNECT_TIMEOUT_S = 10.0
_WRONG_TYPES = (TypeError, AttributeError, KeyError)  # the official client does not look before it takes


class OfficialTransport:
    """See `http.transport.Transport`.

    Args:
        kubeconfig: a path, or the content; None for the service account that Kubernetes gives to this pod.
        token: a bearer token to use instead of the kubeconfig's own credentials.
        user_agent: how the server shall call us.

    Raises:
        NotInstalled: the `kubernetes` library is missing.
        ClientFailed: the kubeconfig can't be used.
    """

    def __init__(
        self, kubeconfig: str | Path | Mapping[str, Any] | None, token: str = "", user_agent: str = "karmadalab"
    ) -> None:
        self._user_agent = user_agent
        config = kubeconfig if kubeconfig is None or isinstance(kubeconfig, Mapping) else _read(kubeconfig)
        where = kubeconfig if isinstance(kubeconfig, str | Path) else "this kubeconfig"
        self._client = _api_client(config, token, str(where))
        self.server = str(self._client.configuration.host)

    def request(
        self, method: str, path: str, query: Mapping[str, str], body: Any, timeout_s: float, accept: str = ""
    ) -> Answer:
        """One request."""
        response = self._send(
            method, target(path, query), body, (min(_CONNECT_TIMEOUT_S, timeout_s), timeout_s), accept
        )
        try:
            return Answer(int(response.status), parsed(response.data))
        except Exception as error:
            raise unreachable(error) from None
        finally:
            response.release_conn()

    def stream(self, path: str, query: Mapping[str, str], timeout_s: float) -> Stream:
        """A watch."""
        response = self._send("GET", target(path, query), None, (_CONNECT_TIMEOUT_S, timeout_s), "")
        if response.status >= 400:
            raise refusal(Answer(int(response.status), parsed(response.data)))
        return _Lines(response)

    def close(self) -> None:
        """Close idle connections."""
        self._client.close()

    def _send(self, method: str, where: str, body: Any, timeout: tuple[float, float], accept: str) -> Any:
        headers: dict[str, str] = {"Accept": accept or "application/json", "User-Agent": self._user_agent}
        if body is not None:
            headers["Content-Type"] = "application/json"
        self._client.update_params_for_auth(headers, [], ["BearerToken"], where, method, body)
        try:
            answer = self._client.call_api(method, self.server + where, headers, body, _request_timeout=timeout)
        except Exception as error:
            raise unreachable(error) from None
        return answer.response


class _Lines:
    """The lines of a watch as plain data."""

    def __init__(self, response: Any) -> None:
        self._response = response

    def __iter__(self) -> Iterator[Any]:
        left = b""
        try:
            for chunk in self._response.stream(amt=None, decode_content=False):
                *lines, left = (left + chunk).split(b"\n")
                for line in lines:
                    if line.strip():
                        yield json.loads(line)
        except KarmadalabError:
            raise
        except Exception as error:
            raise unreachable(error) from None
        finally:
            self.close()

    def close(self) -> None:
        """End it, also from another thread that is not reading: the socket is shut, which wakes the reader."""
        connection = getattr(self._response, "connection", None) or getattr(self._response, "_connection", None)
        shut(getattr(connection, "sock", None))
        self._response.close()


def unreachable(error: Exception) -> Unreachable:
    """What urllib3 raised, in the words that a person knows."""
    text = f"{type(error).__name__}: {error}"
    if "refused" in text:
        return Unreachable(REFUSED)
    if "Timeout" in text or "timed out" in text:
        return Unreachable(LATE)
    return Unreachable(f"{BROKEN} ({type(error).__name__})")


def _api_client(config: Mapping[str, Any] | None, token: str, where: str) -> Any:
    try:
        from kubernetes import client
        from kubernetes.config import incluster_config, kube_config
    except ImportError as error:
        advice = "pip install 'karmadalab[kind]'"
        raise NotInstalled(f"kind mode needs the kubernetes library ({error}): {advice}") from None
    configuration = client.Configuration()
    files: Any = kube_config  # they have no types
    pods: Any = incluster_config
    try:
        if config is None:
            pods.load_incluster_config(client_configuration=configuration)
        else:
            used = with_token(config, token) if token else dict(config)
            files.load_kube_config_from_dict(used, client_configuration=configuration)
    except (files.ConfigException, ValueError, OSError, *_WRONG_TYPES) as error:
        if config is None:
            raise ClientFailed(f"there is no kubeconfig, and this is no pod of Kubernetes: {error}") from None
        text = f"a part of it has the wrong type ({error})" if isinstance(error, _WRONG_TYPES) else str(error)
        raise ClientFailed(f"{where} can't be used: {text}; kubectl config view shows what one looks like") from None
    configuration.retries = False  # the controllers decide when to try again
    configuration.proxy = None  # a member is on loopback, and a proxy is never on the way there
    configuration.connection_pool_maxsize = 32
    return client.ApiClient(configuration)


def _read(path: str | Path) -> dict[str, Any]:
    try:
        data = load_yaml(path)
    except KarmadalabError as error:
        raise ClientFailed(str(error)) from None
    if not isinstance(data, dict):
        raise BadRequest(f"{path}: is not a kubeconfig")
    return data
