"""YAML as Kubernetes' Go libraries read and write it.

They read YAML 1.1 where a Python reader knows 1.2: a bare `yes`, `on` or `n` is a truth value and `0644` is octal. They
make JSON's types only. They write keys in natural order (`k2` before `k10`), texts of several lines as blocks, and
texts that could be taken for something else in double quotes.
"""

from __future__ import annotations

import io
import re
from functools import cache
from typing import Any

from karmadalab.api.errors import Invalid

_ORDERED = ("tag:yaml.org,2002:omap", "tag:yaml.org,2002:pairs")
_TRUTH = frozenset(["y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "n", "N", "no", "No", "NO", "off", "Off", "OFF"])
_OCTAL = re.compile(r"[-+]?0[0-7_]+")
_BASE_60 = re.compile(r"[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?")
_TEXT = "tag:yaml.org,2002:str"


@cache
def _resolver() -> type[Any]:
    from ruamel.yaml.nodes import ScalarNode  # 40 ms that a lab without files need not pay
    from ruamel.yaml.resolver import VersionedResolver
    from ruamel.yaml.tag import Tag

    class Resolver(VersionedResolver):
        """Knows more truth values."""

        def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
            if kind is ScalarNode and implicit[0] and value in _TRUTH:
                return Tag(suffix="tag:yaml.org,2002:bool")
            return super().resolve(kind, value, implicit)

    return Resolver


def yaml_documents(text: str, where: str) -> list[Any]:
    """The documents of a text, in JSON's types; times stay the texts that they are written as.

    Args:
        text: what is read.
        where: what it is called in an error.

    Raises:
        Invalid: with line and column.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.constructor import ConstructorError, SafeConstructor
    from ruamel.yaml.error import YAMLError

    class Constructor(SafeConstructor):
        """Makes JSON's types only."""

    def refuse(_: Any, node: Any) -> None:
        tag = node.tag.replace("tag:yaml.org,2002:", "!!")
        raise ConstructorError(None, None, f"JSON has no {tag}; write plain text, a list or a mapping", node.start_mark)

    def number(constructor: Any, node: Any) -> int:
        octal = _OCTAL.fullmatch(node.value)
        return int(octal[0], 8) if octal else int(SafeConstructor.construct_yaml_int(constructor, node))

    Constructor.add_constructor("tag:yaml.org,2002:int", number)
    Constructor.add_constructor("tag:yaml.org,2002:timestamp", SafeConstructor.construct_yaml_str)
    for tag in ("tag:yaml.org,2002:binary", "tag:yaml.org,2002:set", *_ORDERED, None):
        Constructor.add_constructor(tag, refuse)
    reader = YAML(typ="safe", pure=True)
    reader.Constructor = Constructor
    reader.Resolver = _resolver()
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


def yaml_text(data: Any) -> str:
    """Plain data as a text.

    >>> print(yaml_text({"k10": "yes", "k2": "two\\nlines", "k3": ["1", 1]}), end="")
    k2: |-
      two
      lines
    k3:
    - "1"
    - 1
    k10: "yes"
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.nodes import ScalarNode
    from ruamel.yaml.representer import SafeRepresenter

    resolver = _resolver()()

    def is_ambiguous(text: str) -> bool:
        if not text or _BASE_60.fullmatch(text):
            return True
        return str(resolver.resolve(ScalarNode, text, (True, False))) != _TEXT

    class Representer(SafeRepresenter):
        """Chooses between plain, quoted and block."""

    def represent_text(representer: Any, text: str) -> Any:
        style = "|" if "\n" in text else '"' if is_ambiguous(text) else None
        return representer.represent_scalar(_TEXT, text, style=style)

    def represent_mapping(representer: Any, data: dict[str, Any]) -> Any:
        pairs = [(key, data[key]) for key in sorted(data, key=_natural)]
        return representer.represent_mapping("tag:yaml.org,2002:map", pairs)

    Representer.add_representer(str, represent_text)
    Representer.add_representer(dict, represent_mapping)
    writer = YAML(typ="safe", pure=True)
    writer.Representer = Representer
    writer.default_flow_style = False
    stream = io.StringIO()
    writer.dump(data, stream)
    return stream.getvalue()


def _natural(key: Any) -> list[tuple[bool, int, str]]:
    """Numbers by their size, and letters after all else."""
    parts = re.findall(r"[0-9]+|[^0-9]", str(key))
    return [(part.isalpha(), int(part) if part[0] in "0123456789" else -1, part) for part in parts]
