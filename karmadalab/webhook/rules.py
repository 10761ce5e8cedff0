"""Kubernetes' rules for names and labels, with Kubernetes' own sentences (`apimachinery/util/validation`).

Each `check_` function returns the sentences of the rules that a text breaks; the callers attach a path. The makers of
`FieldError` are named after Go's `field.Required`, `field.Invalid` ...
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from karmadalab.api.codec import plain
from karmadalab.api.errors import FieldError
from karmadalab.api.labels import DNS_LABEL, NAME, SUBDOMAIN

Errors = list[FieldError]

_DNS_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"

_NAME_RULE = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    f"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{NAME}')"
)
_LABEL_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', "
    f"regex used for validation is '({NAME})?')"
)
_DNS_LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    f"an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{DNS_LABEL}')"
)
_DNS_1035_RULE = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    f"regex used for validation is '{_DNS_1035}')"
)
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    f"end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{SUBDOMAIN}')"
)


def required(field: str, detail: str = "") -> FieldError:
    """The field is missing or empty."""
    return FieldError("FieldValueRequired", field, detail, "")


def invalid(field: str, value: object, detail: str) -> FieldError:
    """The value breaks a rule."""
    return FieldError("FieldValueInvalid", field, detail, plain(value))


def duplicate(field: str, value: object, detail: str = "") -> FieldError:
    """The value was there before."""
    return FieldError("FieldValueDuplicate", field, detail, plain(value))


def not_supported(field: str, value: object, supported: Iterable[str]) -> FieldError:
    """The value is none of a fixed set."""
    names = ", ".join(f'"{name}"' for name in supported)
    return FieldError("FieldValueNotSupported", field, f"supported values: {names}", plain(value))


def invalid_each(field: str, value: object, details: Iterable[str]) -> Errors:
    """One finding a sentence."""
    return [invalid(field, value, detail) for detail in details]


def check_qualified_name(name: str) -> list[str]:
    """A label or annotation key: `name` or `prefix/name`.

    >>> check_qualified_name("example.com/app"), check_qualified_name("")[0]
    ([], 'name part must be non-empty')
    """
    parts = name.split("/")
    if len(parts) > 2:
        rule = _NAME_RULE.removesuffix(")")
        return [f"a qualified name {rule}) with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"]
    details = []
    if len(parts) == 2:
        prefix = parts[0]
        if not prefix:
            details.append("prefix part must be non-empty")
        else:
            details += [f"prefix part {detail}" for detail in check_subdomain(prefix)]
    last = parts[-1]
    if not last:
        details.append("name part must be non-empty")
    elif len(last) > 63:
        details.append("name part must be no more than 63 characters")
    if not re.fullmatch(NAME, last):
        details.append(f"name part {_NAME_RULE}")
    return details


def check_label_value(value: str) -> list[str]:
    """A label's value; the empty one is fine."""
    details = ["must be no more than 63 characters"] if len(value) > 63 else []
    return details if re.fullmatch(f"({NAME})?", value) else [*details, _LABEL_VALUE_RULE]


def check_dns_label(value: str) -> list[str]:
    """RFC 1123: a name without dots."""
    details = ["must be no more than 63 characters"] if len(value) > 63 else []
    if not re.fullmatch(DNS_LABEL, value):
        details.append("must not contain dots" if re.fullmatch(SUBDOMAIN, value) else _DNS_LABEL_RULE)
    return details


def check_dns_1035_label(value: str) -> list[str]:
    """A Service's name: as `check_dns_label`, but it starts with a letter."""
    details = ["must be no more than 63 characters"] if len(value) > 63 else []
    return details if re.fullmatch(_DNS_1035, value) else [*details, _DNS_1035_RULE]


def check_subdomain(value: str) -> list[str]:
    """RFC 1123: a name that may have dots."""
    details = ["must be no more than 253 characters"] if len(value) > 253 else []
    return details if re.fullmatch(SUBDOMAIN, value) else [*details, _SUBDOMAIN_RULE]


def check_cluster_name(name: str) -> list[str]:
    """A cluster's name becomes part of a namespace, `karmada-es-<name>`, and that sets its limits."""
    if not name:
        return ["must be not empty"]
    return ["must be no more than 48 characters"] if len(name) > 48 else check_dns_label(name)


def check_json_pointer(pointer: str) -> list[str]:
    """RFC 6901: empty, or starting with a slash."""
    return [] if not pointer or pointer.startswith("/") else ['JSON pointer must be empty or start with a "/']
