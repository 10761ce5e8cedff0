"""Lab 30, tolerations and NoExecute: the learner's own arithmetic of patience, plugged into a running taint manager."""

from karmadalab.teaching.labs.tolerations.lab30 import LAB
from karmadalab.teaching.labs.tolerations.scenarios import leaves, plugged

__all__ = ["LAB", "leaves", "plugged"]
