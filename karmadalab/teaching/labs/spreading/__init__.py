"""Lab 22, spread constraints: a bug hunt in the selection of clusters, and constraints that survive a region."""

from karmadalab.teaching.labs.spreading.culprits import CULPRITS, Spot, karmada
from karmadalab.teaching.labs.spreading.goal import failing
from karmadalab.teaching.labs.spreading.lab22 import LAB
from karmadalab.teaching.labs.spreading.repair import plugged

__all__ = ["CULPRITS", "LAB", "Spot", "failing", "karmada", "plugged"]
