"""Invariants of a lab, checked all at once."""

from __future__ import annotations

from karmadalab.environments.fake import FakeWorld


def check(world: FakeWorld) -> None:
    """Verify the invariants."""
