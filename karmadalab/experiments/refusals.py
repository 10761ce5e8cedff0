"""All that is wrong with a scenario, not only the first thing: a file is mended once, not once for each mistake."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from karmadalab.api.errors import Invalid, KarmadalabError


@contextmanager
def saying(path: str) -> Iterator[None]:
    """For the length of a block, refusals say which part of the file they are about."""
    try:
        yield
    except KarmadalabError as error:
        raise Invalid(f"{path}: {error}") from None


class Refusals:
    """Collects refusals while a file is read on."""

    def __init__(self) -> None:
        self.errors: list[KarmadalabError] = []

    def __bool__(self) -> bool:
        return bool(self.errors)

    @contextmanager
    def noted(self) -> Iterator[None]:
        """For the length of a block, a refusal ends the block but not the reading."""
        try:
            yield
        except KarmadalabError as error:
            self.errors.append(error)

    def settle(self) -> None:
        """Raise what was noted: a single refusal as it is, several with a line each."""
        if len(self.errors) == 1:
            raise self.errors[0]
        if self.errors:
            raise Invalid("\n".join(str(error) for error in self.errors))
