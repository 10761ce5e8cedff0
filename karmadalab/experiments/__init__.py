"""Runs that are written down: scenario files, what they expect, what became of it."""

from karmadalab.experiments.judge import Outcome
from karmadalab.experiments.result import ScenarioResult
from karmadalab.experiments.scenario import Scenario, read_scenario, run_scenario
from karmadalab.experiments.sweep import Sweep, sweep

__all__ = ["Outcome", "Scenario", "ScenarioResult", "Sweep", "read_scenario", "run_scenario", "sweep"]
