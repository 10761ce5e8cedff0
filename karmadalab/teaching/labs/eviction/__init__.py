"""Lab 32, graceful eviction: the learner's own assessment of eviction tasks, plugged into the running controller."""

from karmadalab.teaching.labs.eviction.lab32 import LAB
from karmadalab.teaching.labs.eviction.scenarios import Drain, hole_s, plugged

__all__ = ["LAB", "Drain", "hole_s", "plugged"]
