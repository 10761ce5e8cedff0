"""Grading for a class: `grade` a folder of submissions, and `write` the marks and a page for each student."""

from karmadalab.teaching.grading.grade import Interrupted, grade, write
from karmadalab.teaching.grading.limits import Limits
from karmadalab.teaching.grading.marks import Graded, Mark

__all__ = ["Graded", "Interrupted", "Limits", "Mark", "grade", "write"]
