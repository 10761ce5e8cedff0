"""Records as a pandas data frame, for whoever has pandas; the core itself does not need it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any


def to_frame(records: Sequence[dict[str, Any]]) -> Any:
    """A data frame with a row a record.

    Raises:
        ImportError: pandas is not installed; names the extra that brings it.
    """
    try:  # by name, because the core must also load where there is no pandas
        return import_module("pandas").DataFrame(list(records))
    except ImportError:
        raise ImportError("a data frame needs pandas: pip install 'karmadalab[notebooks]'") from None
