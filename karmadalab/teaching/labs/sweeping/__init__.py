"""Lab 42, sweeps: the learner's own sweep, a hunt for broken ones, and which settings are never right."""

from karmadalab.teaching.labs.sweeping.lab42 import LAB
from karmadalab.teaching.labs.sweeping.running import measured, outage
from karmadalab.teaching.labs.sweeping.suspects import SUSPECTS

__all__ = ["LAB", "SUSPECTS", "measured", "outage"]
