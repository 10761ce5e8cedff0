"""Area `bench-golden`: decisions over the benchmark's fleets, to prove that our copy of that world is the same."""

from tests.conformance.scheduler import differences, emit

__all__ = ["differences", "emit"]
