"""`python -m tests.conformance emit AREA FILE`: answer recorded inputs with the package's own code.

For each case one line of JSON, `{"id": ..., "actual": {...}}`; for `timeline`, one object for the whole file.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def read_cases(path: Path) -> Iterator[dict[str, Any]]:
    """The cases of a `.jsonl` or `.jsonl.gz` file."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def area_module(area: str) -> Any:
    """The module of an area; `scheduler-edge` and other variants share one."""
    return importlib.import_module(f"tests.conformance.{area.replace('-', '_')}")


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("command", choices=["emit"])
    parser.add_argument("area")
    parser.add_argument("file", type=Path)
    parser.add_argument("--profile", default="v1.13", choices=["v1.13", "v1.18"])
    args = parser.parse_args(argv)
    module = area_module(args.area)
    if hasattr(module, "emit_file"):
        print(json.dumps(module.emit_file(args.file, args.profile)))
        return 0
    for case in read_cases(args.file):
        sys.stdout.write(json.dumps({"id": case["id"], "actual": module.emit(case, args.profile)}) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
