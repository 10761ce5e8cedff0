"""The kernel's side: memory, disk, inotify limits, cgroups, swap. Pure functions over what the kernel's files say.

kind's nodes share the host's kernel, or that of the engine's virtual machine on macOS and Windows, where these files
can't be read; then the checks say so instead of guessing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from karmadalab.environments.doctor.findings import NOTE, OK, PROBLEM, Finding

_GIB = 1 << 30
# One node of one member needs about 900 MiB; three members and what runs beside them.
WANTED_MEMORY, LEAST_MEMORY = 4 * _GIB, 2 * _GIB
WANTED_DISK, LEAST_DISK = 10 * _GIB, 4 * _GIB
# kind's own advice (known issues, "pod errors due to too many open files"): enough for some ten clusters.
WANTED_WATCHES, WANTED_INSTANCES = 524288, 512


class Kernel(NamedTuple):
    """What could be read; None where there is no such file.

    Attributes:
        memory, available: bytes in all, and bytes that can still be used.
        limit: bytes that the control group of this process may use.
        swap: bytes of swap.
        watches, instances: fs.inotify.max_user_watches, max_user_instances.
        cgroup: 1 or 2.
        controllers: what a version 2 hierarchy offers.
    """

    memory: int | None = None
    available: int | None = None
    limit: int | None = None
    swap: int | None = None
    watches: int | None = None
    instances: int | None = None
    cgroup: int | None = None
    controllers: tuple[str, ...] = ()

    @classmethod
    def read(cls, proc: Path = Path("/proc"), sys: Path = Path("/sys/fs/cgroup")) -> Kernel:
        """What the kernel says of itself; never raises."""
        meminfo = _meminfo(_text(proc / "meminfo"))
        version, controllers = _cgroup(sys)
        return cls(
            meminfo.get("MemTotal"),
            meminfo.get("MemAvailable"),
            _number(sys / "memory.max") or _number(sys / "memory" / "memory.limit_in_bytes"),
            meminfo.get("SwapTotal"),
            _number(proc / "sys/fs/inotify/max_user_watches"),
            _number(proc / "sys/fs/inotify/max_user_instances"),
            version,
            controllers,
        )


def memory(kernel: Kernel) -> Finding:
    """Whether there is room for three members.

    >>> memory(Kernel(memory=16 << 30, available=12 << 30)).text
    '12.0 of 16.0 GiB can be used'
    """
    if kernel.memory is None or kernel.available is None:
        return Finding("memory", NOTE, "this system does not say how much there is", "give the engine 4 GiB or more")
    usable = min(kernel.available, kernel.limit or kernel.available)
    limited = kernel.limit is not None and kernel.limit < kernel.memory
    text = f"{usable / _GIB:.1f} of {kernel.memory / _GIB:.1f} GiB can be used"
    if limited and kernel.limit is not None:
        text += f" (this control group may use {kernel.limit / _GIB:.1f})"
    if usable >= WANTED_MEMORY:
        return Finding("memory", OK, text)
    fix = "three members on kind want 4 GiB: close something, or take environments/kind-one.yaml"
    return Finding("memory", NOTE if usable >= LEAST_MEMORY else PROBLEM, text, fix)


def disk(path: str | Path) -> Finding:
    """Whether node images and what runs in them have room where the engine keeps them."""
    place = Path(path)
    while not place.exists() and place != place.parent:
        place = place.parent
    try:
        free = shutil.disk_usage(place).free
    except OSError as error:
        return Finding("disk", NOTE, f"{place}: {error.strerror}", "see to 10 GiB for the engine's images")
    text = f"{free / _GIB:.1f} GiB free at {place}"
    if free >= WANTED_DISK:
        return Finding("disk", OK, text)
    fix = "three members on kind want 10 GiB: docker system df, docker system prune"
    return Finding("disk", NOTE if free >= LEAST_DISK else PROBLEM, text, fix)


def inotify(kernel: Kernel) -> Finding:
    """Whether the second and later clusters will start.

    >>> inotify(Kernel(watches=8192, instances=128)).level
    'problem'
    """
    if kernel.watches is None or kernel.instances is None:
        return Finding("inotify", NOTE, "no such limits can be read here; the engine's virtual machine has its own")
    text = f"max_user_watches {kernel.watches}, max_user_instances {kernel.instances}"
    if kernel.watches >= WANTED_WATCHES and kernel.instances >= WANTED_INSTANCES:
        return Finding("inotify", OK, text)
    enough_for_some = kernel.watches >= WANTED_WATCHES // 8 and kernel.instances >= WANTED_INSTANCES // 4
    fix = (
        f"sudo sysctl fs.inotify.max_user_watches={WANTED_WATCHES} fs.inotify.max_user_instances={WANTED_INSTANCES} "
        "(in /etc/sysctl.d to keep it), or pods of later clusters crash with 'too many open files'"
    )
    return Finding("inotify", NOTE if enough_for_some else PROBLEM, text, fix)


def cgroup(kernel: Kernel) -> Finding:
    """Which control groups there are: rootless engines and current Kubernetes want version 2."""
    if kernel.cgroup is None:
        return Finding("cgroup", NOTE, "no control groups can be read here; the engine's virtual machine has its own")
    if kernel.cgroup == 1:
        fix = "boot with systemd.unified_cgroup_hierarchy=1; Kubernetes 1.35 and later refuses to start on version 1"
        return Finding("cgroup", NOTE, "version 1", fix)
    lacking = [name for name in ("cpu", "memory", "pids") if name not in kernel.controllers]
    if lacking:
        fix = "delegate them to your user (systemd: Delegate=yes), or use an engine that runs as root"
        return Finding("cgroup", PROBLEM, f"version 2 without {', '.join(lacking)}", fix)
    return Finding("cgroup", OK, "version 2")


def swap(kernel: Kernel) -> Finding:
    """Whether the machine swaps; kind's kubelets tolerate it, the measured times don't."""
    if kernel.swap is None:
        return Finding("swap", OK, "not known here")
    if not kernel.swap:
        return Finding("swap", OK, "none")
    fix = "harmless for kind; if timings scatter, try sudo swapoff -a"
    return Finding("swap", NOTE, f"{kernel.swap / _GIB:.1f} GiB", fix)


_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


def proxies(env: Mapping[str, str] = os.environ) -> Finding:
    """Whether a proxy would catch connections to members on loopback. Addresses may hold passwords: not shown."""
    set_ = [name for name in _PROXIES if env.get(name) or env.get(name.lower())]
    if not set_:
        return Finding("proxies", OK, "none set")
    excepted = [item.strip() for item in (env.get("NO_PROXY") or env.get("no_proxy") or "").split(",")]
    if "*" in excepted or {"127.0.0.1", "localhost"} <= set(excepted):
        return Finding("proxies", NOTE, f"{', '.join(set_)} set, loopback is excepted", "kind hands them to its nodes")
    fix = "export NO_PROXY=localhost,127.0.0.1,.svc,.cluster.local,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16"
    return Finding("proxies", PROBLEM, f"{', '.join(set_)} set, and loopback goes through it", fix)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _number(path: Path) -> int | None:
    text = _text(path).strip()
    number = int(text) if text.isdigit() else None
    return None if number is not None and number >= 1 << 60 else number  # "no limit" in version 1


def _meminfo(text: str) -> dict[str, int]:
    fields = (line.split() for line in text.splitlines())
    return {f[0].rstrip(":"): int(f[1]) << 10 for f in fields if len(f) >= 2 and f[1].isdigit()}


def _cgroup(sys: Path) -> tuple[int | None, tuple[str, ...]]:
    if controllers := _text(sys / "cgroup.controllers").split():
        return 2, tuple(controllers)
    if (sys / "cgroup.controllers").exists():
        return 2, ()
    return (1, ()) if (sys / "memory").is_dir() or (sys / "cpu").is_dir() else (None, ())
