"""What a CustomResourceDefinition says, read strictly.

The lab keeps definitions as they are written, since their schemas are many and nothing here reads them. But what a
definition calls its kind goes into the answer from which every client learns what there is: one with a number for a
name would keep kubectl from all other kinds, and from deleting it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from karmadalab.api.codec import convert
from karmadalab.api.meta import Data

CRD = "CustomResourceDefinition.apiextensions.k8s.io"

_Name = Annotated[str, msgspec.Meta(min_length=1)]


class Part(Data, forbid_unknown_fields=False):
    """A part of a definition; it has fields beside those that are read here."""


class Names(Part):
    """How a kind is called."""

    kind: _Name
    plural: _Name
    shortNames: tuple[_Name, ...] = ()


class PrinterColumn(Part):
    """A column of `kubectl get`."""

    name: str
    jsonPath: str
    type: str = "string"
    priority: int = 0


class ScalePaths(Part):
    """Where the replicas are of what can be scaled."""

    specReplicasPath: str = ".spec.replicas"
    statusReplicasPath: str = ".status.replicas"


class Subresources(Part):
    """What else there is of an object."""

    scale: ScalePaths | None = None


class Version(Part):
    """One version of a kind."""

    name: _Name
    served: bool = True
    storage: bool = False
    additionalPrinterColumns: tuple[PrinterColumn, ...] = ()
    subresources: Subresources = Subresources()


class Definition(Part):
    """The `spec`."""

    group: _Name
    names: Names
    versions: tuple[Version, ...]
    scope: Literal["Namespaced", "Cluster"] = "Namespaced"


class _Manifest(Part):
    spec: Definition


def definition(spec: Any, name: str = "") -> Definition:
    """The `spec` of a CustomResourceDefinition.

    Raises:
        Invalid: it is none, for this reason.
    """
    return convert({"spec": spec}, _Manifest, f"CustomResourceDefinition {name}").spec
