"""Lab 31, rescheduling: what becomes of the replicas of a dead cluster, by rule, by arithmetic and by bad luck."""

from karmadalab.teaching.labs.rescheduling.fleets import Case, Moved, deal, moved
from karmadalab.teaching.labs.rescheduling.lab31 import LAB
from karmadalab.teaching.labs.rescheduling.luck import unlucky_share

__all__ = ["LAB", "Case", "Moved", "deal", "moved", "unlucky_share"]
