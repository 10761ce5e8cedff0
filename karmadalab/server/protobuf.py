"""The few protobuf messages that kubectl sends although it could send JSON.

`kubectl create namespace`, `create deployment`, `auth can-i` and their like encode their object in protobuf since 1.32
and do not try again when they are refused. Decoding all of Kubernetes' messages would need its schemas; the few that a
lesson is likely to send need a table.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from karmadalab.server.status import HttpError

_MAGIC = b"k8s\x00"
_NUMBERS, _TEXTS = ("int", "bool"), ("string", "bytes")

# message -> field number -> (JSON name, type). A `map` is from strings, `[...]` is repeated, another name is a message
# of this table. Fields that are not named here are refused, not dropped.
_MESSAGES: dict[str, dict[int, tuple[str, str]]] = {
    "Unknown": {1: ("typeMeta", "TypeMeta"), 2: ("raw", "bytes"), 3: ("", "ignored"), 4: ("", "ignored")},
    "TypeMeta": {1: ("apiVersion", "string"), 2: ("kind", "string")},
    "ObjectMeta": {
        1: ("name", "string"),
        2: ("generateName", "string"),
        3: ("namespace", "string"),
        11: ("labels", "map"),
        12: ("annotations", "map"),
    },
    "Namespace": {1: ("metadata", "ObjectMeta")},
    "Secret": {1: ("metadata", "ObjectMeta"), 2: ("data", "bytes map"), 3: ("type", "string")},
    "ConfigMap": {1: ("metadata", "ObjectMeta"), 2: ("data", "map"), 4: ("immutable", "bool")},
    "ServiceAccount": {1: ("metadata", "ObjectMeta")},
    "Deployment": {1: ("metadata", "ObjectMeta"), 2: ("spec", "DeploymentSpec")},
    "DeploymentSpec": {
        1: ("replicas", "int"),
        2: ("selector", "LabelSelector"),
        3: ("template", "PodTemplate"),
    },
    "LabelSelector": {1: ("matchLabels", "map")},
    "PodTemplate": {1: ("metadata", "ObjectMeta"), 2: ("spec", "PodSpec")},
    "PodSpec": {
        2: ("containers", "[Container]"),
        3: ("restartPolicy", "string"),
        6: ("dnsPolicy", "string"),
        **dict.fromkeys((8, 10, 11, 12, 13, 14, 16, 17, 19), ("", "ignored")),  # sent empty
    },
    "Container": {
        1: ("name", "string"),
        2: ("image", "string"),
        3: ("command", "[string]"),
        4: ("args", "[string]"),
        6: ("ports", "[ContainerPort]"),
        **dict.fromkeys((5, 8, 13, 14, 16, 17, 18, 20), ("", "ignored")),  # sent empty
    },
    "ContainerPort": {
        1: ("name", "string"),
        3: ("containerPort", "int"),
        4: ("protocol", "string"),
    },
    "SelfSubjectAccessReview": {
        2: ("spec", "ReviewSpec"),
    },
    "SelfSubjectReview": {},
    "SelfSubjectRulesReview": {2: ("", "ignored")},  # the namespace; the answer is the same everywhere
    "ReviewSpec": {1: ("resourceAttributes", "Resource"), 2: ("nonResourceAttributes", "NonResource")},
    "Resource": {
        number: (name, "string")
        for number, name in enumerate(("namespace", "verb", "group", "version", "resource", "subresource", "name"), 1)
    },
    "NonResource": {1: ("path", "string"), 2: ("verb", "string")},
    "DeleteOptions": {
        1: ("gracePeriodSeconds", "int"),
        2: ("preconditions", "Preconditions"),
        3: ("orphanDependents", "bool"),
        4: ("propagationPolicy", "string"),
        5: ("dryRun", "[string]"),
    },
    "Preconditions": {1: ("uid", "string"), 2: ("resourceVersion", "string")},
}
_REVIEWS = ("SelfSubjectAccessReview", "SelfSubjectRulesReview", "SelfSubjectReview")
_TOP = ("Namespace", "ConfigMap", "Secret", "ServiceAccount", "Deployment", "DeleteOptions", *_REVIEWS)


def decode_known(body: bytes) -> dict[str, Any]:
    """The manifest in a protobuf body.

    Raises:
        HttpError: 415, it is none of those this server can read; the message says what to do instead.
    """
    head: dict[str, Any] = {}
    try:
        envelope = _message("Unknown", body.removeprefix(_MAGIC))
        head = envelope.get("typeMeta", {})
        if body.startswith(_MAGIC) and head.get("kind") in _TOP:
            return {**head, **_message(head["kind"], envelope.get("raw", b""))}
    except (ValueError, IndexError, RecursionError):
        pass  # it has something that this table does not know
    raise HttpError(
        415,
        "UnsupportedMediaType",
        f"this server reads no protobuf{' of a ' + head['kind'] if head.get('kind') else ''}: write the manifest to a "
        "file (add --dry-run=client -o yaml) and use kubectl apply -f",
    )


def _message(name: str, data: bytes) -> dict[str, Any]:
    found: dict[str, Any] = {}
    known = _MESSAGES[name]
    for number, value in _fields(data):
        if number not in known and not _says_nothing(value):
            raise ValueError(f"field {number} of {name} is not known")
        field, type_ = known.get(number, ("", "ignored"))
        if type_.endswith("map"):
            key, content = _entry(value)
            text = b64encode(content).decode() if type_ == "bytes map" else content.decode()
            found.setdefault(field, {})[key] = text
        elif type_.startswith("["):
            found.setdefault(field, []).append(_value(type_[1:-1], value))
        elif _is_meant(type_, value):
            found[field] = _value(type_, value)
    return found


def _is_meant(type_: str, value: Any) -> bool:
    """Whether a field is there for more than the encoder's sake. A 0 is: `--replicas=0` is not one replica."""
    if type_ in _TEXTS:
        return bool(value)  # never looked into: many a word can be read as a message, too
    return type_ in _NUMBERS or (type_ != "ignored" and not _says_nothing(value))


def _says_nothing(value: Any) -> bool:
    """Whether a field is empty, all the way down: encoders of Kubernetes write those too."""
    if not isinstance(value, bytes):
        return not value
    try:
        return all(_says_nothing(inner) for _, inner in _fields(value))
    except (ValueError, IndexError):
        return False


def _value(type_: str, value: Any) -> Any:
    if isinstance(value, int) is not (type_ in _NUMBERS):
        raise ValueError(f"a {type_} is written in another way")
    if type_ == "string":
        return value.decode()
    if type_ == "bool":
        return bool(value)
    if type_ == "int":
        return value - (1 << 64) if value >> 63 else value  # a negative number is written as a very large one
    return value if type_ == "bytes" else _message(type_, value)


def _entry(data: Any) -> tuple[str, bytes]:
    if not isinstance(data, bytes):
        raise ValueError("an entry of a map is a message")
    parts = dict(_fields(data))
    return bytes(parts.get(1, b"")).decode(), bytes(parts.get(2, b""))


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """(field number, value) of a message: a number, or bytes."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = _varint(data, at)
            yield tag >> 3, value
        elif wire == 2:
            length, at = _varint(data, at)
            if at + length > len(data):
                raise ValueError("cut off")
            yield tag >> 3, data[at : at + length]
            at += length
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            if at + size > len(data):
                raise ValueError("cut off")
            yield tag >> 3, int.from_bytes(data[at : at + size], "little")
            at += size
        else:
            raise ValueError("not protobuf")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
    raise ValueError("not protobuf")
