"""The error that overriders share."""

from __future__ import annotations

from karmadalab.api.errors import KarmadalabError


class OverrideError(KarmadalabError):
    """An overrider doesn't fit the object. Karmada then makes no Work at all for that cluster."""
