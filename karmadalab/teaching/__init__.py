"""The teaching kit: a lesson predicts, reveals and checks; exercises are made out of solutions."""

from karmadalab.teaching.bounds import bounded
from karmadalab.teaching.checks import check, hint, parameters
from karmadalab.teaching.manifests import deployment, policy
from karmadalab.teaching.prediction import predict, reveal
from karmadalab.teaching.verdict import Finding, Mistake, Passed, Unsolved

__all__ = [
    "Finding",
    "Mistake",
    "Passed",
    "Unsolved",
    "bounded",
    "check",
    "deployment",
    "hint",
    "parameters",
    "policy",
    "predict",
    "reveal",
]
