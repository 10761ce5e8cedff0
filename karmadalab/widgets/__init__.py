"""Thin shells over figures and runs: move a slider or press a button, and the lab and its figures follow.

TimeoutTuner({"power off": story})   # story: Settings -> Lab; six timeouts as sliders
Player(lab)                          # a finished run: play, pause, step, rewind
ControlRoom(lab)                     # break and heal clusters, and let time pass
"""

from karmadalab.widgets.control_room import ControlRoom
from karmadalab.widgets.inplace import redraw
from karmadalab.widgets.knobs import KNOBS, Knob
from karmadalab.widgets.player import Player
from karmadalab.widgets.tuner import TimeoutTuner

__all__ = ["KNOBS", "ControlRoom", "Knob", "Player", "TimeoutTuner", "redraw"]
