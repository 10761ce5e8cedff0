"""Lab 21, filters and scores: plugins of the learner's own, on paper and in a running scheduler."""

from karmadalab.teaching.labs.plugins.lab21 import LAB
from karmadalab.teaching.labs.plugins.scenarios import homes, label, plugged, refusal
from karmadalab.teaching.labs.plugins.window import PRICE

__all__ = ["LAB", "PRICE", "homes", "label", "plugged", "refusal"]
