"""Reading YAML and JSON files, with errors that name the file, the line and what to do."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.environments.plain import FILE_BYTES, MANIFEST_BYTES, plain

_ORDERED = ("tag:yaml.org,2002:omap", "tag:yaml.org,2002:pairs")

# kubectl reads YAML 1.1 in these two points, the reader here 1.2: what one takes must not be refused by the other.
_TRUTH = frozenset(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off", "OFF"])
_OCTAL = re.compile(r"[-+]?0[0-7_]+")


def read_text(path: str | Path) -> str:
    """The text of a file.

    Raises:
        BadRequest: it is not there, is a folder, is not text, or is larger than 16 MiB.
    """
    file = Path(path)
    try:
        if file.is_dir():
            raise BadRequest(f"{path}: is a folder; name a file in it")
        if file.stat().st_size > FILE_BYTES:
            raise BadRequest(f"{path}: larger than {FILE_BYTES >> 20} MiB; is it the right file?")
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        looked = "" if file.is_absolute() else f" (looked in {Path.cwd()})"
        raise BadRequest(f"{path}: no such file{looked}") from None
    except UnicodeDecodeError:
        raise BadRequest(f"{path}: is not a text file") from None
    except OSError as error:
        raise BadRequest(f"{path}: can't be read: {error.strerror}") from None


def parse_yaml(text: str, where: str = "manifest") -> list[Any]:
    """The documents of a YAML (or JSON) text, in JSON's types; empty documents are left out.

    Read as by kubectl: a bare `yes`, `on` or `n` is a truth value, `0644` is octal, and times stay the texts that they
    are written as.

    Raises:
        Invalid: with line and column.
    """
    if len(text) > FILE_BYTES:
        raise Invalid(f"{where}: larger than {FILE_BYTES >> 20} MiB; is it the right text?")
    limit = MANIFEST_BYTES + 4 * len(text)  # what is more was written by aliases
    if text.lstrip().startswith("{"):
        try:
            return [plain(json.loads(text, object_pairs_hook=_pairs, parse_constant=_constant), where, limit)]
        except (ValueError, RecursionError):
            pass  # YAML's flow style starts so too; its reader gives the better message
    return [plain(document, where, limit) for document in _yaml_documents(text, where) if document is not None]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _constant(name: str) -> float:
    """`NaN` and `Infinity`, which JSON does not have and YAML takes for texts."""
    return float(name)


def _yaml_documents(text: str, where: str) -> list[Any]:
    from ruamel.yaml import YAML  # 40 ms that a lab without files need not pay
    from ruamel.yaml.constructor import ConstructorError, SafeConstructor
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.nodes import ScalarNode
    from ruamel.yaml.resolver import VersionedResolver
    from ruamel.yaml.tag import Tag

    class Constructor(SafeConstructor):
        """Makes JSON's types only."""

    def refuse(_: Any, node: Any) -> None:
        tag = node.tag.replace("tag:yaml.org,2002:", "!!")
        raise ConstructorError(None, None, f"JSON has no {tag}; write plain text, a list or a mapping", node.start_mark)

    class Resolver(VersionedResolver):
        """Knows more truth values."""

        def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
            if kind is ScalarNode and implicit[0] and value in _TRUTH:
                return Tag(suffix="tag:yaml.org,2002:bool")
            return super().resolve(kind, value, implicit)

    def number(constructor: Any, node: Any) -> int:
        octal = _OCTAL.fullmatch(node.value)
        return int(octal[0], 8) if octal else int(SafeConstructor.construct_yaml_int(constructor, node))

    Constructor.add_constructor("tag:yaml.org,2002:int", number)
    Constructor.add_constructor("tag:yaml.org,2002:timestamp", SafeConstructor.construct_yaml_str)
    for tag in ("tag:yaml.org,2002:binary", "tag:yaml.org,2002:set", *_ORDERED, None):
        Constructor.add_constructor(tag, refuse)
    reader = YAML(typ="safe", pure=True)
    reader.Constructor = Constructor
    reader.Resolver = Resolver
    try:
        return list(reader.load_all(text))
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise Invalid(f"{where}: not YAML{place}: {problem}") from None
    except RecursionError:
        raise Invalid(f"{where}: nested too deeply to be read") from None
    except ValueError as error:
        text = "a number of thousands of digits" if "digits" in str(error) else str(error)
        raise Invalid(f"{where}: not YAML: {text}") from None


def load_yaml(path: str | Path) -> Any:
    """The single document of a file.

    Raises:
        BadRequest, Invalid: it can't be read, or holds none or several documents.
    """
    return single(parse_yaml(read_text(path), str(path)), str(path))


def single(documents: list[Any], where: str) -> Any:
    """The only one of a file's documents.

    Raises:
        Invalid: there is none, or there are several.
    """
    if len(documents) != 1:
        raise Invalid(f"{where}: expected one YAML document, found {len(documents)}")
    return documents[0]
