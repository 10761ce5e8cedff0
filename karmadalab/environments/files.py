"""Reading YAML and JSON files, with errors that name the file, the line and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.api.go_yaml import yaml_documents
from karmadalab.environments.plain import FILE_BYTES, MANIFEST_BYTES, plain


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
    return [plain(document, where, limit) for document in yaml_documents(text, where) if document is not None]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key twice")
    return found


def _constant(name: str) -> float:
    """`NaN` and `Infinity`, which JSON does not have and YAML takes for texts."""
    return float(name)


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
