"""How keys and values of labels may be written.

A selector that breaks these rules is none, and matches nothing. The sentences in which the admission refuses such a
text are in `webhook/rules.py`. Mirrors `apimachinery/util/validation`.
"""

from __future__ import annotations

import re

NAME = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
SUBDOMAIN = rf"{DNS_LABEL}(\.{DNS_LABEL})*"


def is_label_key(key: str) -> bool:
    """`name` or `prefix/name`, the prefix being a DNS subdomain.

    >>> is_label_key("example.com/app"), is_label_key("bad key!"), is_label_key("/app")
    (True, False, False)
    """
    prefix, slash, name = key.rpartition("/")
    if slash and (len(prefix) > 253 or re.fullmatch(SUBDOMAIN, prefix) is None):
        return False
    return len(name) <= 63 and re.fullmatch(NAME, name) is not None


def is_label_value(value: str) -> bool:
    """At most 63 characters of a name; the empty value is fine.

    >>> is_label_value(""), is_label_value("us-east"), is_label_value("us east")
    (True, True, False)
    """
    return len(value) <= 63 and re.fullmatch(f"({NAME})?", value) is not None
