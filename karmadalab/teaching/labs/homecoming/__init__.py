"""Lab 33, what comes back: who goes home alone, whom an order brings home, and how to do it without a gap."""

from karmadalab.teaching.labs.homecoming.fleet import Fleet, returned
from karmadalab.teaching.labs.homecoming.lab33 import LAB
from karmadalab.teaching.labs.homecoming.runbook import carried_out, serving_of

__all__ = ["LAB", "Fleet", "carried_out", "returned", "serving_of"]
