"""What the library refuses, as a sentence and an exit code instead of a traceback."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer


@contextmanager
def refusals() -> Iterator[None]:
    """For the length of a block, what the library refuses becomes a sentence and exit code 2."""
    from karmadalab.api.errors import KarmadalabError

    try:
        yield
    except KarmadalabError as error:
        refused = str(error)
    except ImportError as error:  # an extra that is missing; the message names it
        if "pip install" not in str(error):
            raise
        refused = str(error)
    except OSError as error:
        refused = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    else:
        return
    typer.echo(f"karmadalab: {refused}", err=True)
    raise typer.Exit(2)
