"""The bounds of a lesson's parameters.

A lesson tells one story, and a parameter may be changed as long as the story still happens: a failover that takes
eleven minutes can't be watched for five. Whoever goes too far should hear that sentence at the top of the notebook, not
a TypeError in the middle of it.
"""

from __future__ import annotations

from karmadalab.api.errors import Invalid
from karmadalab.api.time import seconds


def bounded(least: str | float, most: str | float | None = None, *, because: str, **parameter: str | float) -> float:
    """One parameter, a length of time, in seconds; or another number, with numbers for its bounds.

    >>> bounded("11m", because="a failover takes so long", HORIZON="15m")
    900.0

    Args:
        least, most: the shortest and the longest (or the least and the most) for which the lesson's story happens.
        because: what happens otherwise, as half a sentence.
        parameter: its name and its value.

    Raises:
        Invalid: it is outside of its bounds.
        BadRequest: it is no length of time, and no number.
    """
    [(name, value)] = parameter.items()
    length_s = seconds(value, name)
    if length_s < seconds(least) or (most is not None and length_s > seconds(most)):
        span = f"{least} or more" if most is None else f"{least} to {most}"
        raise Invalid(f"{name} = {value!r}: this lesson needs {span}: {because}")
    return length_s
