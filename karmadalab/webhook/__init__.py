"""Admission: what Karmada fills into an object that is written, and what it refuses."""

from karmadalab.webhook.admission import Admission

__all__ = ["Admission"]
