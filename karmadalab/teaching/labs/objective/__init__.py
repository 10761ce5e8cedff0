"""Lab 49, the capstone: meet an availability objective over a week of faults, without a needless failover."""

from karmadalab.teaching.labs.objective.judging import OBJECTIVE, Objective
from karmadalab.teaching.labs.objective.lab49 import LAB
from karmadalab.teaching.labs.objective.running import (
    DIVIDED,
    ONE,
    REPLICAS,
    Move,
    Plan,
    availability,
    lived,
    moves,
    tolerates,
)
from karmadalab.teaching.labs.objective.week import FIRST_S, USUAL, Incident, Week

__all__ = [
    "DIVIDED",
    "FIRST_S",
    "LAB",
    "OBJECTIVE",
    "ONE",
    "REPLICAS",
    "USUAL",
    "Incident",
    "Move",
    "Objective",
    "Plan",
    "Week",
    "availability",
    "lived",
    "moves",
    "tolerates",
]
