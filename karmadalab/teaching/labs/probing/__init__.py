"""Lab 10, push and pull: the learner's own probe, plugged into a running status controller, and what it gives away."""

from karmadalab.teaching.labs.probing.lab10 import LAB
from karmadalab.teaching.labs.probing.scenarios import NOT_REACHABLE, NOT_READY, READY, plugged, verdicts
from karmadalab.teaching.labs.probing.suspects import FAULTS, seen

__all__ = ["FAULTS", "LAB", "NOT_REACHABLE", "NOT_READY", "READY", "plugged", "seen", "verdicts"]
