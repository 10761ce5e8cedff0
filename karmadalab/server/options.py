"""`DeleteOptions`: what a deletion waits for, whom it takes along, and whether it is meant."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from karmadalab.api.codec import convert
from karmadalab.api.errors import BadRequest
from karmadalab.api.meta import Data
from karmadalab.server.call import Call


class Preconditions(Data):
    """What the object must still be."""

    uid: str | None = None
    resourceVersion: str | None = None


class DeleteOptions(Data, forbid_unknown_fields=False):
    """The options that change something here."""

    kind: Literal["DeleteOptions"] = "DeleteOptions"
    gracePeriodSeconds: Annotated[int, msgspec.Meta(ge=0)] | None = None
    preconditions: Preconditions = Preconditions()
    orphanDependents: bool = False
    propagationPolicy: Literal["Orphan", "Background", "Foreground"] | None = None
    dryRun: tuple[Literal["All"], ...] = ()


def delete_options(call: Call) -> DeleteOptions:
    """From the body and from the address.

    Raises:
        BadRequest, Invalid: they make no sense. Whoever obeys the rest of them might delete too much.
    """
    body = call.data()
    if not isinstance(body, dict):
        raise BadRequest(f"the body is DeleteOptions or nothing, not {type(body).__name__}")
    asked: dict[str, Any] = {name: call.query[name] for name in ("propagationPolicy",) if name in call.query}
    if "gracePeriodSeconds" in call.query:
        asked["gracePeriodSeconds"] = call.number("gracePeriodSeconds")
    return convert({**body, **asked}, DeleteOptions, "DeleteOptions")
