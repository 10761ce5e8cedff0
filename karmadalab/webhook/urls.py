"""URLs as Go reads them, with Go's words for what is wrong with one."""

from __future__ import annotations

import re
from typing import NamedTuple

from karmadalab.webhook.rules import Errors, invalid


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


def not_an_address(url: Url, path: str) -> Errors:
    """What a URL has that an address may not have."""
    errors: Errors = []
    if url.user is not None:  # Go tells an empty user from none
        errors.append(invalid(path, url.user, "user information is not permitted in the URL"))
    if url.fragment:
        errors.append(invalid(path, url.fragment, "fragments are not permitted in the URL"))
    if url.query:
        errors.append(invalid(path, url.query, "query parameters are not permitted in the URL"))
    return errors
