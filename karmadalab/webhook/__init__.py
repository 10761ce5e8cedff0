"""Admission: what Karmada fills into an object that is written, what it refuses, and what it should have."""

from karmadalab.webhook.admission import Admission
from karmadalab.webhook.warnings import warnings_for

__all__ = ["Admission", "warnings_for"]
