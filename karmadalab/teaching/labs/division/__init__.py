"""Lab 23, dividing replicas: the learner's own division by weight, plugged into a running scheduler."""

from karmadalab.teaching.labs.division.lab23 import LAB
from karmadalab.teaching.labs.division.scenarios import plugged, shares

__all__ = ["LAB", "plugged", "shares"]
