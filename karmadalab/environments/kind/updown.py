"""Fleets up and down: what is missing is made, what was made is removed, and nothing else is touched.

`up` may be repeated: clusters that are up stay, half-made ones are made anew. It may be interrupted or crash: the state
was written before each cluster was begun, so `down` removes what is left of it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from karmadalab.api.errors import BadRequest, KarmadalabError
from karmadalab.api.quantity import value
from karmadalab.api.time import duration, seconds
from karmadalab.core.view import to_yaml
from karmadalab.environments.kind.config import plain_config
from karmadalab.environments.kind.engine import Engine
from karmadalab.environments.kind.errors import ToolError
from karmadalab.environments.kind.fleet import PREFIX, KindFleet
from karmadalab.environments.kind.progress import DONE, FAILED, TOLD, Step, step
from karmadalab.environments.kind.running import Running, end_orphan
from karmadalab.environments.kind.state import FAILED as HAS_FAILED
from karmadalab.environments.kind.state import READY, ClusterState, FleetFolder
from karmadalab.environments.kind.status import MemberStatus, status_of
from karmadalab.environments.kind.tool import Creation, Kind, finish

_OFF = ("exited", "created", "stopped")  # as the engines call it
OnStep = Callable[[str, Step], None]


class FleetError(KarmadalabError):
    """Some clusters of a fleet could not be made; the others are up.

    Attributes:
        failures: by member, what went wrong.
    """

    def __init__(self, fleet: str, failures: dict[str, KarmadalabError], up: list[str]) -> None:
        self.failures = failures
        told = "; ".join(f"{member}: {error}" for member, error in failures.items())
        stays = f"{', '.join(up)} stay{'s' if len(up) == 1 else ''} up; " if up else ""
        super().__init__(
            f"fleet {fleet}: {told}. {stays}karmadalab kind up tries the others again, karmadalab kind down removes all"
        )


def _silent(member: str, step: Step) -> None:
    """Nobody wants to know."""


def take_down(folder: FleetFolder, kind: Kind, on_step: OnStep = _silent) -> list[str]:
    """Delete what was made for a fleet, finished or not; its file is not needed. Returns the clusters that were there.

    Raises:
        BadRequest: the state names a cluster that can't be the fleet's.
        ToolError: kind's message; what was not deleted is still known, and this may be repeated.
    """
    deleted = []
    with folder.locked():
        for item in folder.read().clusters:
            if not item.cluster.startswith(f"{PREFIX}-{folder.fleet}-"):
                raise BadRequest(
                    f"{folder.path}: {item.cluster} is no cluster of fleet {folder.fleet}; it is left alone"
                )
            on_step(item.member, Step(f"Deleting cluster {item.cluster}", TOLD))
            end_orphan(item.pid, str(folder.config(item.member)))
            if kind.delete(item.cluster, folder.kubeconfig(item.member)):
                deleted.append(item.cluster)
            folder.forget(item.member)
    return deleted


class Clusters:
    """The clusters of one fleet.

    Args:
        fleet: what there should be.
        root: the lab's own folder.
        kind, engine: the programs; found on the PATH by default.
        on_step: told of progress, by member, from any thread.
    """

    def __init__(
        self,
        fleet: KindFleet,
        root: Path | None = None,
        kind: Kind | None = None,
        engine: Engine | None = None,
        on_step: OnStep | None = None,
    ) -> None:
        self.fleet = fleet
        self.folder = FleetFolder(fleet.name, root)
        self.kind = kind or Kind()
        self._engine = engine
        self._on_step = on_step or _silent

    @property
    def engine(self) -> Engine:
        """The container engine. Raises `NotInstalled`."""
        if self._engine is None:
            self._engine = Engine.found()
        return self._engine

    def up(self) -> None:
        """Make what is missing.

        Raises:
            BadRequest: a cluster of that name exists that is not ours, or there is no room; nothing was started.
            ToolError, NotInstalled: kind or the engine can't be used; nothing was started.
            FleetError: some clusters could not be made.
        """
        with self.folder.locked():
            missing = self._missing(set(self.kind.clusters()))
            if missing:
                self._check_room(missing)
            started = self._start_stopped(missing)
            failures = self._create(missing)
            ours = {member.name for member in self.fleet.members}
            ready = [item.member for item in self.folder.read().clusters if item.phase == READY]
            for member in ready:
                if member in ours and member not in started:  # which has them on its disk, and is not up yet
                    failures |= self._load_images(member)
        if failures:
            raise FleetError(self.fleet.name, failures, [member for member in ready if member not in failures])

    def down(self) -> list[str]:
        """Delete what `up` made, finished or not; returns the clusters that were there.

        Raises:
            ToolError: kind's message; what was not deleted is still known, and `down` may be repeated.
        """
        return take_down(self.folder, self.kind, self._on_step)

    def status(self) -> list[MemberStatus]:
        """How each member is. Raises as `status_of`."""
        known = {status.member: status for status in status_of(self.folder, self.kind, self.engine)}
        absent = {m.name: MemberStatus(m.name, self.fleet.cluster_name(m.name)) for m in self.fleet.members}
        return list({**absent, **known}.values())

    # --- up

    def _start_stopped(self, missing: list[str]) -> set[str]:
        """Clusters that are there, but whose machines are off: after a power cut, real or not. Returns which."""
        started = set()
        for item in self.folder.read().clusters:
            if item.phase != READY or item.member in missing:
                continue
            for node in self.engine.nodes(item.cluster):
                if node.state in _OFF:
                    self._on_step(item.member, Step(f"Starting {node.name}, which is {node.state}", TOLD))
                    self.engine.call("start", node.name)
                    started.add(item.member)
        return started

    def _missing(self, existing: set[str]) -> list[str]:
        known = {item.member: item for item in self.folder.read().clusters}
        missing = []
        for member in self.fleet.members:
            cluster, item = self.fleet.cluster_name(member.name), known.get(member.name)
            if item is None and cluster in existing:
                raise BadRequest(
                    f"fleet {self.fleet.name}: there is a cluster {cluster} that karmadalab did not make (or its state "
                    f"in {self.folder.path} was lost); delete it with kind delete cluster --name {cluster}, or rename "
                    "the fleet"
                )
            if item is None or item.phase != READY or cluster not in existing:
                missing.append(member.name)
        return missing

    def _check_room(self, missing: list[str]) -> None:
        """Whether the engine has the memory that the fleet file states."""
        info = self.engine.info()
        has = int(info.get("MemTotal") or (info.get("host") or {}).get("memTotal") or 0)  # the latter is Podman's
        nodes = self.fleet.nodes
        needs = nodes * value(self.fleet.memory)
        if has and has < needs:
            raise BadRequest(
                f"fleet {self.fleet.name}: {nodes} nodes of {self.fleet.memory} need {needs >> 20} MiB, the engine has "
                f"{has >> 20} MiB: give it more memory, or take a smaller fleet"
            )

    def _create(self, missing: list[str]) -> dict[str, KarmadalabError]:
        known = {item.member: item for item in self.folder.read().clusters}
        for member in missing:
            if member in known:  # what an earlier try left; deleting nothing is no error
                end_orphan(known[member].pid, str(self.folder.config(member)))
                self.kind.delete(known[member].cluster, self.folder.kubeconfig(member))
        self.folder.put(*(ClusterState(member, self.fleet.cluster_name(member)) for member in missing))
        running: dict[str, Running] = {}
        failures: dict[str, KarmadalabError] = {}
        try:
            for member in missing:
                process = running[member] = self._start(member)
                self.folder.put(ClusterState(member, self.fleet.cluster_name(member), pid=process.pid))
            for member in missing:
                try:
                    finish(running[member])
                except ToolError as error:
                    failures[member] = error
                    self._note_failure(member, error)
                else:
                    self._note(member, READY)
        except BaseException:
            for process in running.values():
                process.end()
            raise
        return failures

    def _start(self, member: str) -> Running:
        config = next(c for c in self.fleet.configs if c.name == self.fleet.cluster_name(member))
        spec = next(m for m in self.fleet.members if m.name == member)
        path = self.folder.config(member)
        self.folder.write_file(path, to_yaml(plain_config(config)))
        wait_s = seconds(self.fleet.wait)
        creation = Creation(
            name=config.name,  # the file has it too, but KIND_CLUSTER_NAME would win over that
            config=path,
            image=spec.image or self.fleet.image,
            kubeconfig=self.folder.kubeconfig(member),
            wait=duration(wait_s) if wait_s else "",
        )
        return self.kind.start_create(creation, lambda line: self._hear(member, line))

    def _hear(self, member: str, line: str) -> None:
        told = step(line)
        if told is not None:
            self._on_step(member, told)

    def _note_failure(self, member: str, error: ToolError) -> None:
        self._on_step(member, Step(str(error), FAILED))
        if "already exist" in error.message:  # somebody made one of that name since we looked: not ours to delete
            self.folder.forget(member)
        else:
            self._note(member, HAS_FAILED, str(error))

    def _note(self, member: str, phase: str, message: str = "") -> None:
        self.folder.put(ClusterState(member, self.fleet.cluster_name(member), phase, message))
        if phase == READY:
            self._on_step(member, Step("Ready", DONE))

    def _load_images(self, member: str) -> dict[str, KarmadalabError]:
        for image in self.fleet.images_of(member):
            self._on_step(member, Step(f"Loading image {image}", TOLD))
            try:
                self._load_image(image, self.fleet.cluster_name(member))
            except ToolError as error:
                return {member: error}
        return {}

    def _load_image(self, image: str, cluster: str) -> None:
        if self.engine.program == "docker":
            self.kind.load_image(image, cluster)
            return
        archive = self.folder.path / "image.tar"
        try:
            self.engine.call("save", "-o", str(archive), image)
            self.kind.load_archive(archive, cluster)
        finally:
            archive.unlink(missing_ok=True)
