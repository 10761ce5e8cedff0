"""From a fleet to a running world of simulated members: its clock, its control plane, and what it keeps on disk."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from karmadalab.api.errors import BadRequest, shortly
from karmadalab.core.clock import DEFAULT_EPOCH, VirtualClock, real_time
from karmadalab.core.settings import Settings
from karmadalab.core.trace import Trace
from karmadalab.core.wall_clock import WallClock
from karmadalab.environments.control_plane import ControlPlane
from karmadalab.environments.fake import FakeWorld, lead_s
from karmadalab.environments.fleet import Fleet
from karmadalab.environments.phases import Phases

if TYPE_CHECKING:
    from karmadalab.core.journal import Journal

_LATEST = 1 << 32  # as an epoch: a hundred years on, moments are still exact


def open_fake_world(
    fleet: Fleet,
    settings: Settings,
    rng: Random,
    *,
    phases: Phases | None = None,
    epoch: float | None = DEFAULT_EPOCH,
    speed: float | None = None,
    data: str | Path | None = None,
    **parts: Any,
) -> FakeWorld:
    """A running world; see `Lab.fake`.

    Args:
        parts: `chance`, `scheduler`, `threshold`, `interpreter`, `strict`, as for `ControlPlane`.

    Raises:
        BadRequest: the epoch is no moment, or the file can't be used; nothing was started.
    """
    journal = None if data is None else _journal(data)
    if journal is not None and epoch is None:
        epoch = max(real_time(), journal.last_time + lead_s(settings))  # a fast lab may be ahead of the real world
    clock = _clock(epoch, speed, lead_s(settings))
    if phases is None:
        phases = Phases.drawn(fleet, rng, settings.cluster_monitor_period, settings.cluster_status_update_frequency)
    plane = ControlPlane(clock, Trace(clock.now), settings, phases, rng, **parts)
    if journal is not None:
        journal.attach(plane.store)
    world = FakeWorld(plane, fleet, rng, journal)
    world.start()
    if isinstance(clock, WallClock):
        if journal is not None:
            clock.after_turn = journal.flush
        clock.begin()
    return world


def _journal(path: str | Path) -> Journal:
    from karmadalab.core.journal import Journal  # a browser has no SQLite, and no files to keep either

    return Journal(path)


def _clock(epoch: float | None, speed: float | None, lead_s: float) -> VirtualClock:
    if epoch is not None and (
        isinstance(epoch, bool) or not isinstance(epoch, (int, float)) or not 0 <= epoch <= _LATEST
    ):
        raise BadRequest(f"epoch: expected Unix seconds from 0 (1970) to 2^32 (2106), got {shortly(epoch)}")
    if speed is not None:
        return WallClock(epoch, speed, lead_s)
    return VirtualClock(DEFAULT_EPOCH if epoch is None else epoch, lead_s)
