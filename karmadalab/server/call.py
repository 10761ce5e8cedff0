"""One request, read: which server, which kind, which object, and what is asked of it.

Nothing here knows of HTTP libraries, so that the cluster proxy can hand a request on to a member as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgspec

from karmadalab.api.errors import BadRequest
from karmadalab.core.store import Store
from karmadalab.environments.plain import DEPTH
from karmadalab.server.kinds import Served, find
from karmadalab.server.limits import MAX_YAML, check_depth
from karmadalab.server.selectors import Selection, parse_fields, parse_labels
from karmadalab.server.status import HttpError

_INTO_CONTAINERS = ("exec", "attach", "portforward")


class Call(NamedTuple):
    """A request.

    Args:
        method: GET, POST, PUT, PATCH or DELETE.
        path: below the API server's own prefix, still percent-encoded.
        query: the last value of each parameter.
        accept, content_type, user_agent: the headers that matter.
        body: as it came.
        prefix: what stands before `path` in this server's addresses.
    """

    method: str
    path: str
    query: Mapping[str, str]
    accept: str = ""
    content_type: str = ""
    user_agent: str = ""
    body: bytes = b""
    prefix: str = ""

    @property
    def parts(self) -> list[str]:
        """The path's segments, decoded after splitting, so that no `%2F` makes a new one."""
        return [unquote(part) for part in self.path.split("/") if part]

    def split(self, count: int) -> tuple[str, str]:
        """The path before its last `count` segments, and these; both still encoded."""
        segments = [part for part in self.path.split("/") if part]
        at = len(segments) - count
        return "".join(f"/{part}" for part in segments[:at]), "".join(f"/{part}" for part in segments[at:])

    def flag(self, name: str) -> bool:
        """A parameter that is on or off."""
        return self.query.get(name, "").lower() in ("true", "1")

    def number(self, name: str, default: int = 0) -> int:
        """A parameter that is a whole number of 0 or more. Raises `BadRequest`."""
        text = self.query.get(name, "")
        if not text:
            return default
        if not text.isascii() or not text.isdigit() or len(text) > 18:
            raise BadRequest(f"{name}: expected a whole number of 0 or more, got {text!r}")
        return int(text)

    def data(self) -> Any:
        """The body as plain data: JSON, or YAML where the type says so.

        Raises:
            BadRequest: it can't be read.
            HttpError: 415, it is neither.
        """
        if not self.body:
            return {}
        if "protobuf" in self.content_type:
            from karmadalab.server.protobuf import decode_known

            return decode_known(self.body)
        try:
            data = msgspec.json.decode(self.body)
            check_depth(data)
            return data
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            if "yaml" not in self.content_type:
                raise BadRequest(f"the body can't be read as JSON: {error}") from None
        return _yaml(self.body)


def _yaml(body: bytes) -> Any:
    from karmadalab.environments.files import parse_yaml

    if len(body) > MAX_YAML:
        message = f"a body of YAML has at most {MAX_YAML} bytes; send JSON, which has more"
        raise HttpError(413, "RequestEntityTooLarge", message)
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise BadRequest("the body is not UTF-8") from None
    _check_tokens(text)
    documents = parse_yaml(text, "the body")
    if len(documents) != 1:
        raise BadRequest(f"the body holds {len(documents)} YAML documents; send one")
    return documents[0]


def _check_tokens(text: str) -> None:
    """What a reader of YAML would choke on. Raises `BadRequest`."""
    from ruamel.yaml import YAML, tokens
    from ruamel.yaml.error import YAMLError

    starts = (tokens.FlowSequenceStartToken, tokens.FlowMappingStartToken)
    ends = (tokens.FlowSequenceEndToken, tokens.FlowMappingEndToken)
    depth = 0  # of brackets; of lines the indentation is bound enough
    try:
        for token in YAML(typ="safe", pure=True).scan(text):
            depth += isinstance(token, starts) - isinstance(token, ends)
            if depth > DEPTH:
                raise BadRequest(f"the body: nested more than {DEPTH} deep")
            if isinstance(token, tokens.AliasToken):
                raise BadRequest("the body has YAML aliases, by which a few bytes can become gigabytes; write it out")
    except YAMLError:
        pass  # the reader says what is wrong, and where


class Target(NamedTuple):
    """What a request is about.

    Args:
        kind: of the object.
        namespace: None for all namespaces, empty for kinds that have none.
        name: empty for the collection.
        subresource: `status`, `scale`, `log`, `proxy` or empty.
        rest: what follows the subresource.
    """

    kind: Served
    namespace: str | None
    name: str = ""
    subresource: str = ""
    rest: tuple[str, ...] = ()

    def selection(self, call: Call) -> Selection:
        """What a list or watch of this target wants to see. Raises `BadRequest`."""
        fields = parse_fields(call.query.get("fieldSelector", ""), self.kind.type.group_kind)
        if self.name:
            fields = (*fields, ("metadata.name", self.name, True))
        namespace = self.namespace if self.kind.type.namespaced else None
        return Selection(namespace, parse_labels(call.query.get("labelSelector", "")), fields)


def target(store: Store, parts: list[str]) -> Target:
    """What `/api/v1/...` or `/apis/GROUP/VERSION/...` names.

    Raises:
        HttpError: 404, there is no such kind or subresource.
    """
    group, rest = ("", parts[1:]) if parts[0] == "api" else (parts[1], parts[2:])
    version, rest = rest[0], rest[1:]
    namespace: str | None = None
    # `namespaces/web` is the namespace itself, `namespaces/web/status` its subresource; all else is inside of it.
    if rest[0] == "namespaces" and len(rest) > 2 and not (group == "" and rest[2] in ("status", "finalize")):
        namespace, rest = rest[1], rest[2:]
    kind = find(store, group, version, rest[0])
    if kind is None:
        raise not_served()
    if namespace is not None and not kind.type.namespaced:
        raise not_served()
    where = namespace if kind.type.namespaced else ""
    name, subresource = (*rest[1:3], "", "")[:2]
    found = Target(kind, where, name, subresource, tuple(rest[3:]))
    if kind.type.group_kind == "Pod" and found.subresource in _INTO_CONTAINERS:
        raise HttpError(501, "NotImplemented", f"{found.subresource}: containers run nothing here; try kubectl logs")
    if found.subresource and not kind.has(found.subresource):
        raise not_served()
    if found.name and kind.type.namespaced and namespace is None:
        raise not_served()
    return found


def not_served() -> HttpError:
    """What Kubernetes says of a path that it does not know."""
    return HttpError(404, "NotFound", "the server could not find the requested resource")
