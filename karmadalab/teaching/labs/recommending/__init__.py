"""Lab 43, recommending flags: from a table of runs and some prices to a recommendation, and where it tips."""

from karmadalab.teaching.labs.recommending.lab43 import LAB
from karmadalab.teaching.labs.recommending.table import Case, Records, table

__all__ = ["LAB", "Case", "Records", "table"]
