"""Reading YAML and JSON files, with errors that name the file, the line and what to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from karmadalab.api.errors import BadRequest, Invalid

_MAX_BYTES = 16 << 20


def read_text(path: str | Path) -> str:
    """The text of a file.

    Raises:
        BadRequest: it is not there, is a folder, is not text, or is larger than 16 MiB.
    """
    file = Path(path)
    try:
        if file.is_dir():
            raise BadRequest(f"{path}: is a folder; name a file in it")
        if file.stat().st_size > _MAX_BYTES:
            raise BadRequest(f"{path}: larger than {_MAX_BYTES >> 20} MiB; is it the right file?")
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        looked = "" if file.is_absolute() else f" (looked in {Path.cwd()})"
        raise BadRequest(f"{path}: no such file{looked}") from None
    except UnicodeDecodeError:
        raise BadRequest(f"{path}: is not a text file") from None
    except OSError as error:
        raise BadRequest(f"{path}: can't be read: {error.strerror}") from None


def parse_yaml(text: str, where: str = "manifest") -> list[Any]:
    """The documents of a YAML (or JSON) text; empty documents are left out.

    Raises:
        Invalid: with line and column.
    """
    from ruamel.yaml import YAML  # 40 ms that a lab without files need not pay
    from ruamel.yaml.error import YAMLError

    if text.lstrip().startswith("{"):
        try:
            return [json.loads(text)]
        except ValueError:
            pass  # YAML's flow style starts so too; its reader gives the better message
    reader = YAML(typ="safe", pure=True)
    try:
        return [document for document in reader.load_all(text) if document is not None]
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f" at line {mark.line + 1}, column {mark.column + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise Invalid(f"{where}: not YAML{place}: {problem}") from None
    except (ValueError, RecursionError) as error:
        raise Invalid(f"{where}: not YAML: {error}") from None


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
