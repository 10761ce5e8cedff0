"""What `up` has made, on disk: written before a cluster is begun, so that `down` knows of it whatever happens then.

One folder a fleet holds the state, the kind configs and the kubeconfig files, so that nothing is ever written into the
user's own kubeconfig. A cluster that is not in the state is not ours, and is never deleted.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from karmadalab.api.codec import convert, plain
from karmadalab.api.errors import BadRequest
from karmadalab.api.meta import Data

CREATING, READY, FAILED = "creating", "ready", "failed"
_VARIABLE = "KARMADALAB_HOME"


class ClusterState(Data):
    """One cluster of a fleet.

    Attributes:
        cluster: what kind calls it.
        phase: `creating` (begun, and perhaps never finished), `ready` or `failed`.
        message: why it failed.
        pid: the kind that makes it; it goes on when its lab is killed.
    """

    member: str
    cluster: str
    phase: str = CREATING
    message: str = ""
    pid: int = 0


class Measure(Data):
    """One thing that is done to one node.

    Attributes:
        node: the node container.
        what: in words.
        do, undo: arguments for the engine.
        volatile: whether it goes by itself when the node stops, as everything in its network namespace does.
        kind: `power`, `pause` or `inside`: something in the node, which must run for it.
        patience_s: how long undoing is tried, where it needs an API server that may just be starting.
    """

    node: str
    what: str
    do: tuple[str, ...]
    undo: tuple[str, ...]
    volatile: bool = False
    kind: str = "inside"
    patience_s: float = 0.0


class FleetState(Data):
    """The clusters that were begun for a fleet, and the measures that are in force on their nodes."""

    clusters: tuple[ClusterState, ...] = ()
    faults: tuple[Measure, ...] = ()


def home() -> Path:
    """The lab's own folder: $KARMADALAB_HOME, else $XDG_STATE_HOME/karmadalab, else ~/.local/state/karmadalab.

    Raises:
        BadRequest: there is no home folder to put it in.
    """
    if own := os.environ.get(_VARIABLE):
        return Path(own).absolute()
    if state := os.environ.get("XDG_STATE_HOME"):
        return Path(state).absolute() / "karmadalab"
    try:
        return Path.home() / ".local" / "state" / "karmadalab"
    except RuntimeError:
        raise BadRequest(f"this user has no home folder: set {_VARIABLE} to a folder for the lab's files") from None


class FleetFolder:
    """The folder of one fleet."""

    def __init__(self, fleet: str, root: Path | None = None) -> None:
        self.fleet = fleet
        self.path = (root or home()) / "kind" / fleet
        self._file = self.path / "state.json"

    def kubeconfig(self, member: str) -> Path:
        """Where the access to a member is."""
        return self.path / f"{member}.kubeconfig"

    def config(self, member: str) -> Path:
        """Where the kind config of a member is."""
        return self.path / f"{member}.kind.yaml"

    def read(self) -> FleetState:
        """What is known; an empty state when there is none.

        Raises:
            BadRequest, Invalid: the file can't be read, or was changed by hand.
        """
        try:
            data = self._file.read_bytes()
        except FileNotFoundError:
            return FleetState()
        except OSError as error:
            raise self._refused(error) from None
        try:
            return convert(json.loads(data), FleetState, str(self._file))
        except ValueError:  # not UTF-8 is one, too
            raise BadRequest(
                f"{self._file}: not JSON; kind get clusters shows the clusters named after the fleet, kind delete "
                "cluster --name NAME deletes them; then remove the file"
            ) from None

    def write(self, state: FleetState) -> None:
        """Store the state in one step: after a crash there is the old file or the new one, never half of one."""
        self.write_file(self._file, json.dumps(plain(state), indent=1) + "\n")

    def write_file(self, path: Path, text: str) -> None:
        """Write a file of the folder, readable by its owner only. Raises `BadRequest` when that is impossible."""
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh = path.with_name(path.name + ".new")
            fresh.touch(mode=0o600)
            with fresh.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())  # or a power cut could leave an empty file in the place of the old one
            fresh.replace(path)
        except OSError as error:
            raise self._refused(error) from None

    def put(self, *changed: ClusterState) -> None:
        """Store the state of some clusters."""
        state = self.read()
        known = {item.member: item for item in state.clusters} | {item.member: item for item in changed}
        self.write(FleetState(tuple(known[name] for name in sorted(known)), state.faults))

    def forget(self, member: str) -> None:
        """A cluster is gone, or was never ours; with the last one the folder goes."""
        state = self.read()
        left = tuple(item for item in state.clusters if item.member != member)
        self.kubeconfig(member).unlink(missing_ok=True)
        self.config(member).unlink(missing_ok=True)
        if left:
            self.write(FleetState(left, state.faults))
        else:
            shutil.rmtree(self.path, ignore_errors=True)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One `up` or `down` of a fleet at a time; the lock ends with its process.

        Raises:
            BadRequest: another one is at work.
        """
        try:
            import fcntl
        except ImportError:  # Windows
            raise BadRequest("kind mode needs a POSIX system: run karmadalab inside WSL 2, or use Lab.fake") from None
        lock = self.path.with_name(f".{self.fleet}.lock")
        try:
            lock.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            handle = lock.open("w", encoding="utf-8")
        except OSError as error:
            raise self._refused(error) from None
        with handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise BadRequest(f"fleet {self.fleet}: another karmadalab is at work on it; wait for it") from None
            yield

    def _refused(self, error: OSError) -> BadRequest:
        where = error.filename or self.path
        return BadRequest(f"{where}: {error.strerror}; set {_VARIABLE} to a folder that can be written")


def fleets(root: Path | None = None) -> list[str]:
    """The names of the fleets of which something is known."""
    folder = (root or home()) / "kind"
    try:
        return sorted(path.parent.name for path in folder.glob("*/state.json"))
    except OSError:
        return []
