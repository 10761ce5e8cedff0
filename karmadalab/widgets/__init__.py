"""Thin shells over figures and runs: move a slider, and the lab runs again and the figures follow.

TimeoutTuner({"power off": story})   # story: Settings -> Lab
"""

from karmadalab.widgets.inplace import redraw
from karmadalab.widgets.knobs import KNOBS, Knob
from karmadalab.widgets.tuner import TimeoutTuner

__all__ = ["KNOBS", "Knob", "TimeoutTuner", "redraw"]
