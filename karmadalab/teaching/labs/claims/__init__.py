"""Lab 20, policies and claims: the learner's own choice among policies, in a running detector, and who may preempt."""

from karmadalab.teaching.labs.claims.lab20 import LAB
from karmadalab.teaching.labs.claims.scenarios import claims, history, plugged

__all__ = ["LAB", "claims", "history", "plugged"]
