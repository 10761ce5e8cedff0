"""What came of a scenario."""

from __future__ import annotations

from dataclasses import dataclass

from karmadalab.experiments.judge import Outcome
from karmadalab.lab import Lab


@dataclass(frozen=True)
class ScenarioResult:
    """A scenario that was run.

    Attributes:
        where: its file.
        about: what it is about.
        lab: the lab as it is at the end; ask it, or run it on.
        outcomes: what became of each expectation, in the order of the file.
    """

    where: str
    about: str
    lab: Lab
    outcomes: tuple[Outcome, ...]

    @property
    def met(self) -> bool:
        """Whether all was as expected."""
        return all(outcome.met for outcome in self.outcomes)

    @property
    def failures(self) -> tuple[Outcome, ...]:
        """The expectations that were not met."""
        return tuple(outcome for outcome in self.outcomes if not outcome.met)

    def summary(self) -> str:
        """How many expectations were met, in one line."""
        count = len(self.outcomes)
        if not count:
            return "nothing was expected"
        if self.met:
            return f"all {count} expectations met" if count > 1 else "the expectation was met"
        return f"{len(self.failures)} of {count} expectations not met"

    def __repr__(self) -> str:
        return "\n".join([f"<ScenarioResult {self.where}: {self.summary()}>", *(f"  {o}" for o in self.outcomes)])

    def _repr_html_(self) -> str:
        from html import escape

        rows = "".join(
            f"<tr><td>{'✓ met' if o.met else '✗ not met'}</td><td style='text-align:left'>{escape(o.expected)}</td>"
            f"<td style='text-align:left'>{escape(o.instead)}</td></tr>"
            for o in self.outcomes
        )
        head = "<tr><th></th><th>expected</th><th>what happened</th></tr>"
        text = f"<p>{escape(self.about)}</p><p>{escape(self.summary())}</p>"
        return f"{text}<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
