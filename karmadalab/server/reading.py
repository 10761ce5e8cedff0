"""How strictly a written manifest is read: whether a field that its kind does not have is refused, and in which words.

kubectl asks the server to be strict (`fieldValidation=Strict`), and so does who says nothing: a misspelt field that is
dropped in silence is the worst of answers. A real server only warns those who say nothing. Who asks for `Ignore` gets
it, for Karmada's own kinds; what a workload's `spec` may hold is checked at admission, for everybody.
"""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

from karmadalab.api.codec import decode
from karmadalab.api.errors import Invalid
from karmadalab.api.scheme import AnyObject
from karmadalab.server.status import HttpError

Manifest = dict[str, Any]


def read(data: Manifest, strict: bool) -> AnyObject:
    """A manifest as an object.

    Args:
        data: the manifest.
        strict: whether a field that its kind does not have is refused, else it is left out.

    Raises:
        Invalid: it makes no sense.
    """
    if strict:
        return decode(data)
    data = deepcopy(data)
    while True:
        try:
            return decode(data)
        except Invalid as error:
            if not (error.unknown and _removed(data, error.unknown)):
                raise


def read_applied(data: Manifest, strict: bool) -> AnyObject:
    """The same for a server-side apply, which compares with a schema before it looks at anything else.

    Raises:
        HttpError: a field is in no schema.
        Invalid: it makes no sense.
    """
    try:
        return read(data, strict)
    except Invalid as error:
        if not error.unknown:
            raise
        meta = data["metadata"]
        name = "/".join(part for part in (meta.get("namespace"), meta.get("name")) if part)
        raise HttpError(
            400,
            "",
            f"failed to create typed patch object ({name}; {data['apiVersion']}, Kind={data['kind']}): "
            f".{error.unknown}: field not declared in schema",
        ) from None


def _removed(data: Any, path: str) -> bool:
    """Take a field out, in place; whether it was found."""
    *way, last = re.findall(r"\[(\d+)\]|([^.\[\]]+)", path)
    for index, name in way:
        if name and isinstance(data, dict) and name in data:
            data = data[name]
        elif index and isinstance(data, list) and int(index) < len(data):
            data = data[int(index)]
        else:
            return False
    if not isinstance(data, dict) or last[1] not in data:
        return False
    del data[last[1]]
    return True
