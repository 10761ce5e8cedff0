"""Lab 11, thresholds and flapping: the learner's own filter between a probe's answer and the Ready condition."""

from karmadalab.teaching.labs.thresholds.lab11 import LAB
from karmadalab.teaching.labs.thresholds.probability import Flags, flipped_share
from karmadalab.teaching.labs.thresholds.scenarios import flapping, outage, ready_changes

__all__ = ["LAB", "Flags", "flapping", "flipped_share", "outage", "ready_changes"]
