"""Lab 35, double running: when the old copy is gone, who forgot it, and which flags keep two copies apart."""

from karmadalab.teaching.labs.double.lab35 import LAB
from karmadalab.teaching.labs.double.story import Double, partition, twice_s
from karmadalab.teaching.labs.double.suspects import CASES, SUSPECTS, case_of

__all__ = ["CASES", "LAB", "SUSPECTS", "Double", "case_of", "partition", "twice_s"]
