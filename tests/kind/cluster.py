"""A fake `kind` and a fake `docker` with a memory, for whole stories: fleets that come up, half come up, go down.

Run as a program under either name. FAKE_WORLD is a folder: `clusters.json` is what exists, `plan.json` says which
clusters fail and how (by the name of a recording) or hang, `log.jsonl` is every call with the state of the lab at that
moment. What kind prints is taken from the recordings; what docker prints follows its documentation, not a recording.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

WORLD = Path(os.environ["FAKE_WORLD"])
TRANSCRIPTS = Path(os.environ["FAKE_TRANSCRIPTS"])


@contextmanager
def clusters() -> Iterator[dict[str, Any]]:
    """What exists: cluster -> state of its one node."""
    with (WORLD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        path = WORLD / "clusters.json"
        found = json.loads(path.read_text()) if path.exists() else {}
        yield found
        fresh = path.with_suffix(".new")
        fresh.write_text(json.dumps(found))
        fresh.replace(path)


def replay(name: str, recorded_cluster: str, cluster: str) -> int:
    recorded = json.loads((TRANSCRIPTS / f"{name}.json").read_text(encoding="utf-8"))
    sys.stdout.write(recorded["stdout"].replace(recorded_cluster, cluster))
    sys.stderr.write(recorded["stderr"].replace(recorded_cluster, cluster))
    sys.stderr.flush()
    return int(recorded["returncode"])


def flag(argv: list[str], name: str) -> str:
    return argv[argv.index(name) + 1]


def create(argv: list[str], plan: dict[str, Any]) -> int:
    text = Path(flag(argv, "--config")).read_text()
    cluster = next(line.split()[1] for line in text.splitlines() if line.startswith("name: "))
    how = plan.get(cluster, "")
    with clusters() as found:
        if cluster in found:
            return replay("create-already-exists", "member1", cluster)
        if how == "stolen":  # somebody else was quicker
            found[cluster] = "running"
            return replay("create-already-exists", "member1", cluster)
        if how == "hang":
            found[cluster] = "created"
    if how == "hang":
        print(f'Creating cluster "{cluster}" ...\n • Preparing nodes 📦   ...', file=sys.stderr, flush=True)
        time.sleep(60)
    if how:
        return replay(how, "member3" if "init" in how else "member1", cluster)
    with clusters() as found:
        found[cluster] = "running"
    Path(flag(argv, "--kubeconfig")).write_text(f"access to {cluster}\n")
    return replay("create-success-second", "member2", cluster)


def kind(argv: list[str], plan: dict[str, Any]) -> int:
    if plan.get("hangs-at") == " ".join(argv[:2]):
        time.sleep(60)
    if "engine" in plan:
        return replay(
            {"get": "get-clusters", "create": "create", "delete": "delete"}[argv[0]] + plan["engine"], "-", "-"
        )
    if argv[:2] == ["create", "cluster"]:
        return create(argv, plan)
    if argv[:2] == ["delete", "cluster"]:
        cluster = flag(argv, "--name")
        with clusters() as found:
            gone = found.pop(cluster, None)
        Path(flag(argv, "--kubeconfig")).unlink(missing_ok=True)
        return replay("delete-member2" if gone else "delete-cluster-missing", "member2" if gone else "member1", cluster)
    if argv[:2] == ["get", "clusters"]:
        with clusters() as found:
            print("\n".join(sorted(found)) if found else "", end="\n" if found else "")
        return 0
    if argv[:2] == ["load", "docker-image"]:
        return 0 if argv[2] in plan.get("images", []) else replay("load-image-missing-image", "nginx:1.27", argv[2])
    if argv[:2] == ["load", "image-archive"]:
        return 0 if Path(argv[2]).read_text() in plan["images"] else 1
    print(f"the fake kind has no {argv}", file=sys.stderr)
    return 99


def docker(argv: list[str], plan: dict[str, Any]) -> int:
    if argv[0] == "-v":
        print("podman version 5.4.0" if Path(sys.argv[0]).name == "podman" else "Docker version 28.2.2, build e6534b4")
    elif argv[0] == "save":
        if argv[3] not in plan.get("images", []):
            print(f"Error: {argv[3]}: image not known", file=sys.stderr)
            return 125
        Path(argv[2]).write_text(argv[3])
    elif argv[0] == "info":
        print(json.dumps({"MemTotal": plan.get("memory", 16 << 30), "CgroupVersion": "2", "CgroupDriver": "systemd"}))
    elif argv[0] == "ps":
        cluster = flag(argv, "--filter").rpartition("=")[2]
        with clusters() as found:
            print(f"{cluster}-control-plane" if cluster in found else "")
    elif argv[0] == "inspect":
        with clusters() as found:
            state = found[argv[-1].removesuffix("-control-plane")]
        networks = {"kind": {"Gateway": "172.18.0.1", "IPAddress": "172.18.0.2"}}
        print(json.dumps([{"State": {"Status": state}, "NetworkSettings": {"Networks": networks}}]))
    elif argv[0] in ("stop", "start", "pause", "unpause", "kill"):
        with clusters() as found:
            states = {"stop": "exited", "kill": "exited", "pause": "paused"}
            found[argv[-1].removesuffix("-control-plane")] = states.get(argv[0], "running")
    elif argv[0] != "exec":
        print(f"the fake docker has no {argv}", file=sys.stderr)
        return 99
    return int(plan.get("exec", 0)) if argv[0] == "exec" else 0


def main() -> int:
    program, argv = Path(sys.argv[0]).name, sys.argv[1:]
    plan_path = WORLD / "plan.json"
    plan = json.loads(plan_path.read_text()) if plan_path.exists() else {}
    state = next(Path(os.environ["KARMADALAB_HOME"]).glob("kind/*/state.json"), None)
    try:
        seen = json.loads(state.read_text()) if state else None
    except ValueError:  # a test has broken it
        seen = None
    with (WORLD / "log.jsonl").open("a") as log:
        log.write(json.dumps({"argv": [program, *argv], "state": seen}) + "\n")
    return kind(argv, plan) if program == "kind" else docker(argv, plan)


if __name__ == "__main__":
    sys.exit(main())
