"""URLs as Go reads them, with Go's words for what is wrong with one."""

from __future__ import annotations

import re
from typing import NamedTuple


class Url(NamedTuple):
    """The parts of a URL that have rules; `user` is `name:password` as written."""

    scheme: str
    user: str | None
    host: str
    path: str
    query: str
    fragment: str


class UrlError(ValueError):
    """Go's `url.Error`."""


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")


def parse_url(text: str) -> Url:
    """`url.Parse`.

    Raises:
        UrlError: with Go's message.

    >>> parse_url("https://10.0.0.1:6443").host
    '10.0.0.1:6443'
    >>> parse_url("10.0.0.1:6443")
    Traceback (most recent call last):
    ...
    karmadalab.webhook.urls.UrlError: parse "10.0.0.1:6443": first path segment in URL cannot contain colon
    """
    rest, _, fragment = text.partition("#")
    if rest.startswith(":"):
        raise UrlError(f'parse "{text}": missing protocol scheme')
    found = _SCHEME.match(rest)
    scheme = found[1].lower() if found else ""
    rest, _, query = (rest[found.end() :] if found else rest).partition("?")
    if not scheme and ":" in rest.partition("/")[0]:
        raise UrlError(f'parse "{text}": first path segment in URL cannot contain colon')
    if not rest.startswith("//"):
        return Url(scheme, None, "", rest, query, fragment)
    authority, slash, path = rest[2:].partition("/")
    user, at, host = authority.rpartition("@")
    if " " in host:
        raise UrlError(f'parse "{text}": invalid character " " in host name')
    return Url(scheme, user if at else None, host, slash + path, query, fragment)
