"""Which known word somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable


def similar(word: str, known: Iterable[str], at_most: int = 1, cutoff: float = 0.6) -> list[str]:
    """The known words that are most like a word, the nearest first; `cutoff` is how like it they must be, 0 to 1.

    >>> similar("Deploymnet", ["Deployment", "Service"])
    ['Deployment']
    """
    from difflib import get_close_matches  # takes 2 ms, and only errors need it

    return get_close_matches(word, list(known), at_most, cutoff)
