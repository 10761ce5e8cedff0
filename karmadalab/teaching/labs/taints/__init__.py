"""Lab 13, conditions and taints: the learner's own way to change taints, and from a condition to them."""

from karmadalab.teaching.labs.taints.lab13 import LAB
from karmadalab.teaching.labs.taints.scenarios import marks, plugged

__all__ = ["LAB", "marks", "plugged"]
