"""The part of Kubernetes' JSONPath that state preservation rules are written in: text with `{.paths}` in it.

Not modelled: filters, slices, wildcards, unions, `range`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from karmadalab.api.errors import BadRequest, KarmadalabError

_TEMPLATE = re.compile(r"\{([^}]*)\}")
_STEP = re.compile(r"\.?(?P<name>[A-Za-z_][\w-]*)|\[(?P<index>-?\d+)\]|\[['\"](?P<quoted>[^'\"]+)['\"]\]|\.(?=\[)|\.$")


class JsonPathError(KarmadalabError):
    """A path leads nowhere."""


def evaluate(template: str, data: Any) -> str:
    """The template with each `{.path}` replaced by what is found there; text outside braces stays.

    Raises:
        JsonPathError: there is nothing at a path.
        BadRequest: a path can't be read.

    >>> evaluate("id-{.jobId}", {"jobId": "7"}), evaluate("{.items[0].up}", {"items": [{"up": True}]})
    ('id-7', 'true')
    """
    return _TEMPLATE.sub(lambda found: _text(_walk(found[1].strip().removeprefix("$"), data)), template)


def _walk(path: str, data: Any) -> Any:
    at = 0
    while at < len(path):
        step = _STEP.match(path, at)
        if step is None:
            raise BadRequest(f"jsonPath {path!r}: can't be read at {path[at:]!r}; write it like .status.items[0].name")
        at = step.end()
        if step["index"] is not None:
            data = _item(data, int(step["index"]))
        elif name := step["name"] or step["quoted"]:
            data = _field(data, name)
    return data


def _field(data: Any, name: str) -> Any:
    if not isinstance(data, dict) or name not in data:
        raise JsonPathError(f"{name} is not found")
    return data[name]


def _item(data: Any, index: int) -> Any:
    if not isinstance(data, list):
        raise JsonPathError(f"{_text(data)} is not array or slice")
    if not -len(data) <= index < len(data):
        raise JsonPathError(f"array index out of bounds: index {index}, length {len(data)}")
    return data[index]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"), sort_keys=True)
