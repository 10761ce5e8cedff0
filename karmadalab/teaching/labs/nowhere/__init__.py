"""Lab 34, nowhere to go: an adversary's faults, and the policy that they cannot harm."""

from karmadalab.teaching.labs.nowhere.attacking import budget_s
from karmadalab.teaching.labs.nowhere.fleet import POLICY, Fleet, attacked, drained, nowhere_s, placements
from karmadalab.teaching.labs.nowhere.lab34 import LAB

__all__ = ["LAB", "POLICY", "Fleet", "attacked", "budget_s", "drained", "nowhere_s", "placements"]
