"""What a kind means, and how its objects differ from cluster to cluster."""

from karmadalab.interpreter.hooks import Dependency, Hooks
from karmadalab.interpreter.interpreter import HookNotFound, Interpreter
from karmadalab.interpreter.native import NATIVE
from karmadalab.interpreter.overrides import Overridden, OverrideError, apply_overrides

__all__ = [
    "NATIVE",
    "Dependency",
    "HookNotFound",
    "Hooks",
    "Interpreter",
    "Overridden",
    "OverrideError",
    "apply_overrides",
]
