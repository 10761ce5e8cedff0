"""The scheduler: which clusters run a workload, with how many replicas each, and why."""

from karmadalab.scheduler.behaviour import BEHAVIOURS, V1_13, V1_18, Behaviour
from karmadalab.scheduler.binding_info import BindingInfo, Strategy
from karmadalab.scheduler.decision import Decision
from karmadalab.scheduler.errors import CrashError, FitError, PluginError, ScheduleError
from karmadalab.scheduler.estimator import GeneralEstimator
from karmadalab.scheduler.explanation import ClusterVerdict, Explanation
from karmadalab.scheduler.filters import FILTERS
from karmadalab.scheduler.plugins import ClusterWeight, DivisionStrategy, Estimator, FilterPlugin, ScorePlugin
from karmadalab.scheduler.scheduler import Scheduler, schedule
from karmadalab.scheduler.scores import SCORES
from karmadalab.scheduler.snapshot import ClusterInfo, Snapshot

__all__ = [
    "BEHAVIOURS",
    "FILTERS",
    "SCORES",
    "V1_13",
    "V1_18",
    "Behaviour",
    "BindingInfo",
    "ClusterInfo",
    "ClusterVerdict",
    "ClusterWeight",
    "CrashError",
    "Decision",
    "DivisionStrategy",
    "Estimator",
    "Explanation",
    "FilterPlugin",
    "FitError",
    "GeneralEstimator",
    "PluginError",
    "ScheduleError",
    "Scheduler",
    "ScorePlugin",
    "Snapshot",
    "Strategy",
    "schedule",
]
