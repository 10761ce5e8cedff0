"""Every verdict behind a decision."""

from __future__ import annotations


class Explanation:
    """Filled in below."""

    def _repr_html_(self) -> str:
        return ""
