"""Lab 40, tuning the timeouts: an outage taken apart by the learner's function, then cut to a budget."""

from karmadalab.teaching.labs.timeouts.lab40 import LAB
from karmadalab.teaching.labs.timeouts.stories import STORIES, failover
from karmadalab.teaching.labs.timeouts.tuning import total_s, worst

__all__ = ["LAB", "STORIES", "failover", "total_s", "worst"]
