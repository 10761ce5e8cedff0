"""karmadalab: a Karmada control plane in pure Python that a person can stop, rewind, question and rebuild."""

from karmadalab.api.meta import replace
from karmadalab.core.settings import Settings
from karmadalab.environments.phases import Phases
from karmadalab.lab import Lab
from karmadalab.scheduler import Scheduler

__version__ = "0.1.0"
__all__ = ["Lab", "Phases", "Scheduler", "Settings", "__version__", "replace"]
