"""A number that stays until it changes: replicas over time, and the areas above and below a line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True)
class Steps:
    """A step function that is 0 before its first change and holds its last value for ever.

    Attributes:
        times: when it changes, ascending, in seconds.
        values: what it is from then on; as long as `times`.
    """

    times: tuple[float, ...] = ()
    values: tuple[int, ...] = ()

    @classmethod
    def of_changes(cls, changes: Iterable[tuple[float, int]]) -> Steps:
        """From differences in the order of time; those of one instant become one step.

        >>> Steps.of_changes([(0, 2), (5, -1), (5, 1), (9, -2)])
        Steps(times=(0, 9), values=(2, 0))
        """
        times: list[float] = []
        values: list[int] = []
        level = 0
        for t, change in changes:
            level += change
            if times and times[-1] == t:
                values[-1] = level
            else:
                times.append(t)
                values.append(level)
        kept = [i for i in range(len(times)) if values[i] != (values[i - 1] if i else 0)]
        return cls(tuple(times[i] for i in kept), tuple(values[i] for i in kept))

    @classmethod
    def total(cls, parts: Iterable[Steps]) -> Steps:
        """The sum of several."""
        changes = [change for part in parts for change in part.changes()]
        return cls.of_changes(sorted(changes, key=lambda change: change[0]))

    def minus(self, other: Steps) -> Steps:
        """What is left of it at each moment when another is taken away.

        >>> Steps((0, 10), (4, 6)).minus(Steps((5,), (4,)))
        Steps(times=(0, 5, 10), values=(4, 0, 2))
        """
        changes = [*self.changes(), *((t, -change) for t, change in other.changes())]
        return Steps.of_changes(sorted(changes, key=lambda change: change[0]))

    def changes(self) -> Iterator[tuple[float, int]]:
        """The differences it is made of."""
        before = 0
        for t, value in zip(self.times, self.values, strict=True):
            yield t, value - before
            before = value

    def at(self, t: float) -> int:
        """Its value at a moment, changes of that very moment included."""
        place = bisect_right(self.times, t)
        return self.values[place - 1] if place else 0

    def before(self, t: float) -> int:
        """Its value just before a moment."""
        return next((v for s, v in zip(reversed(self.times), reversed(self.values), strict=True) if s < t), 0)

    def first(self, level: int, since_s: float) -> float | None:
        """The first moment, not before `since_s`, at which it is at least `level`; None if there is none."""
        if self.at(since_s) >= level:
            return since_s
        return next((t for t, v in zip(self.times, self.values, strict=True) if t > since_s and v >= level), None)

    def pieces(self, since_s: float, until_s: float) -> Iterator[tuple[float, float, int]]:
        """(begin, end, value) over a span, without gaps and without empty pieces."""
        marks = [since_s, *(t for t in self.times if since_s < t < until_s), until_s]
        for begin, end in pairwise(marks):
            if end > begin:
                yield begin, end, self.at(begin)

    def lacking(self, level: int, since_s: float, until_s: float) -> float:
        """The area between it and a level it stays below: replica-seconds lost.

        >>> Steps((0, 10, 14), (4, 2, 4)).lacking(4, 0, 20)
        8
        """
        return sum((end - begin) * max(0, level - value) for begin, end, value in self.pieces(since_s, until_s))

    def below(self, level: int, since_s: float, until_s: float) -> float:
        """For how many seconds it is below a level."""
        return sum(end - begin for begin, end, value in self.pieces(since_s, until_s) if value < level)

    def above(self, level: int, since_s: float, until_s: float) -> float:
        """For how many seconds it is above a level.

        >>> Steps((0, 10, 14), (4, 6, 4)).above(4, 0, 20)
        4
        """
        return sum(end - begin for begin, end, value in self.pieces(since_s, until_s) if value > level)
