"""Lab 12, leases: the learner's own rule for when a pull cluster counts as silent."""

from karmadalab.teaching.labs.silence.lab12 import LAB
from karmadalab.teaching.labs.silence.scenarios import plugged, verdicts

__all__ = ["LAB", "plugged", "verdicts"]
