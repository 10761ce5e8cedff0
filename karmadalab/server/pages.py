"""Long lists in pages: every page shows the moment at which the first was asked for.

Objects are immutable, so the rest of a list costs a reference each. Only the last few dozen are kept; who comes back
too late is told to start again, as a real API server does after its compaction.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from secrets import token_urlsafe
from typing import NamedTuple

from karmadalab.api.errors import BadRequest, Gone
from karmadalab.api.scheme import AnyObject

_KEPT = 64


class Page(NamedTuple):
    """A part of a list.

    Args:
        objects: the part.
        version: the resourceVersion of the whole list.
        token: what to ask for the next part with; empty at the end.
        remaining: how many objects come after this part.
    """

    objects: Sequence[AnyObject]
    version: int
    token: str = ""
    remaining: int = 0


class Pages:
    """The lists that somebody is in the middle of."""

    def __init__(self) -> None:
        self._rest: OrderedDict[str, _Rest] = OrderedDict()

    def first(self, question: object, objects: Sequence[AnyObject], version: int, limit: int) -> Page:
        """The first `limit` objects of a list, which answers a question; 0 means all."""
        if not limit or len(objects) <= limit:
            return Page(objects, version)
        token = token_urlsafe(12)
        self._rest[token] = _Rest(question, version, objects[limit:])
        while len(self._rest) > _KEPT:
            self._rest.popitem(last=False)
        return Page(objects[:limit], version, token, len(objects) - limit)

    def next(self, question: object, token: str, limit: int) -> Page:
        """The next part of a list. The part before may have got lost, so a token can be used again.

        Raises:
            Gone: the rest is no longer kept.
            BadRequest: the token belongs to the answer to another question.
        """
        rest = self._rest.get(token)
        if rest is None:
            raise Gone(
                "The provided continue parameter is too old to display a consistent list result. You must start a new "
                "list without the continue parameter."
            )
        if rest.question != question:
            raise BadRequest(
                "continue key is not valid: it is of a list of something else, or with other selectors; start a new "
                "list without the continue parameter"
            )
        return self.first(question, rest.objects, rest.version, limit)


class _Rest(NamedTuple):
    """What is left of a list, and which question it answers."""

    question: object
    version: int
    objects: Sequence[AnyObject]
