"""What one submission may use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits on one submission.

    Attributes:
        cell_s: seconds of work a cell, and a check of what it defined, may take each; four times that by the clock.
        total_s: seconds of the whole submission, by the clock.
        memory_mb: MiB that a process may address, and that all of a submission's processes hold together.
        output_mb: MiB that it may print, and that each of its files may have.
        processes: how many it may have at a time, itself among them.
    """

    cell_s: float = 30.0
    total_s: float = 300.0
    memory_mb: int = 2048
    output_mb: int = 10
    processes: int = 32
