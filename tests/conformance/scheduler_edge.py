"""Area `scheduler-edge`: the named edge cases of the scheduler, each with a note on what it shows."""

from tests.conformance.scheduler import differences, emit

__all__ = ["differences", "emit"]
