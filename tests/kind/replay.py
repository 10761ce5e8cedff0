"""A fake `kind` or `docker` that answers one call as it was recorded, if it is called exactly as it was then.

Run as a program. FAKE_TRANSCRIPT is the recording; a call with other arguments is answered with exit code 99 and the
difference, so that a changed command line can't pass unnoticed. The order of flags is free, as it is in kind.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

_WITHOUT_VALUE = {"--retain", "--internal", "--quiet", "-q", "-A", "--all", "--help"}


def canonical(argv: list[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """The words in order, and the flags with their values, sorted."""
    words, flags, rest = [], [], list(argv)
    while rest:
        item = rest.pop(0)
        if item.startswith("-") and item != "-" and item not in _WITHOUT_VALUE and rest:
            flags.append((item, rest.pop(0)))
        elif item.startswith("-") and item != "-":
            flags.append((item, ""))
        else:
            words.append(item)
    return words, sorted(flags)


def main() -> int:
    recorded = json.loads(Path(os.environ["FAKE_TRANSCRIPT"]).read_text(encoding="utf-8"))
    argv = [Path(sys.argv[0]).name, *sys.argv[1:]]
    if canonical(argv) != canonical(recorded["argv"]):
        print(f"called as {argv}, recorded as {recorded['argv']}", file=sys.stderr)
        return 99
    if recorded["stdin"] is not None and sys.stdin.read() != recorded["stdin"]:
        print("stdin differs from the recording", file=sys.stderr)
        return 99
    sys.stdout.write(recorded["stdout"])
    sys.stderr.write(recorded["stderr"])
    time.sleep(float(os.environ.get("FAKE_DELAY_S", "0")))
    return int(recorded["returncode"])


if __name__ == "__main__":
    sys.exit(main())
