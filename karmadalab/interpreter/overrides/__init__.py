"""How an object differs from cluster to cluster: override policies and their overriders."""

from karmadalab.interpreter.overrides.apply import Overridden, apply_overrides
from karmadalab.interpreter.overrides.errors import OverrideError

__all__ = ["Overridden", "OverrideError", "apply_overrides"]
