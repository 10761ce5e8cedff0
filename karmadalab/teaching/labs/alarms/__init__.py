"""Lab 41, false alarms: find the cheapest attack that moves a healthy workload, then flags that make it dear."""

from karmadalab.teaching.labs.alarms.attack import Target, attacked, moved_s, price, ready_changes, replaced_s
from karmadalab.teaching.labs.alarms.lab41 import LAB

__all__ = ["LAB", "Target", "attacked", "moved_s", "price", "ready_changes", "replaced_s"]
