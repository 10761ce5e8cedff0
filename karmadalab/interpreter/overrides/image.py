"""The image overrider: another registry, repository or tag.

Without a predicate it changes the containers of known kinds, never the init containers. Images are read by the rules of
container registries (`distribution/reference`): `localhost:5000/team/app:v1` has the registry `localhost:5000`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from karmadalab.api.override import ImageOverrider
from karmadalab.interpreter.overrides.errors import OverrideError
from karmadalab.interpreter.overrides.patch import Operation, apply_patch
from karmadalab.interpreter.overrides.pods import Manifest, check_types, container_path, containers

_LABEL = r"(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])"
_HOST = rf"{_LABEL}(?:\.{_LABEL})*(?::[0-9]+)?"
_PART = r"[a-z0-9]+(?:(?:[._]|__|[-]+)[a-z0-9]+)*"
_TAG = r"\w[\w.-]{0,127}"
_DIGEST = r"[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}"
_REFERENCE = re.compile(rf"((?:{_HOST}/)?{_PART}(?:/{_PART})*)(?::({_TAG}))?(?:@({_DIGEST}))?", re.ASCII)
_DIGEST_LENGTH = {"sha256": 64, "sha384": 96, "sha512": 128}


class Image(NamedTuple):
    """The parts of an image name. Of a tag and a digest together only the tag is kept, as in Karmada."""

    registry: str
    repository: str
    tag: str = ""
    digest: str = ""

    def __str__(self) -> str:
        name = f"{self.registry}/{self.repository}" if self.registry else self.repository
        return f"{name}:{self.tag}" if self.tag else f"{name}@{self.digest}" if self.digest else name

    @classmethod
    def parse(cls, text: str) -> Image:
        """Read an image name.

        Raises:
            OverrideError: it is none.

        >>> Image.parse("localhost:5000/team/app:v1")
        Image(registry='localhost:5000', repository='team/app', tag='v1', digest='')
        """
        found = _REFERENCE.fullmatch(text)
        if found is None or not _digest_is_valid(found[3]):
            reason = "invalid reference format" if text else "repository name must have at least one component"
            raise OverrideError(f"failed to parse image value({text}), error: {reason}; write registry/repository:tag")
        name, tag, digest = found[1], found[2] or "", found[3] or ""
        head, slash, rest = name.partition("/")
        has_registry = bool(slash) and ("." in head or ":" in head or head == "localhost")
        registry, repository = (head, rest) if has_registry else ("", name)
        return cls(registry, repository, tag, "" if tag else digest)

    def with_version(self, version: str) -> Image:
        """Another tag or digest, whichever `version` looks like; anything else is not taken."""
        if re.fullmatch(_TAG, version, re.ASCII):
            return self._replace(tag=version, digest="")
        return self._replace(tag="", digest=version) if re.fullmatch(_DIGEST, version) else self


def _digest_is_valid(digest: str | None) -> bool:
    if digest is None:
        return True
    algorithm, _, value = digest.partition(":")
    return _DIGEST_LENGTH.get(algorithm) == len(value) and value == value.lower()


def override_images(manifest: Manifest, overrider: ImageOverrider) -> Manifest:
    """The manifest with its images changed.

    Raises:
        OverrideError: the predicate's path holds no image, or the result is none.
    """
    if overrider.predicate is not None:
        path = overrider.predicate.path
        return apply_patch(manifest, [Operation("replace", path, _changed(_image_at(manifest, path), overrider))])
    check_types(manifest)
    path = container_path(manifest) or ""
    return apply_patch(
        manifest,
        [
            Operation("replace", f"{path}/{index}/image", _changed(container.get("image") or "", overrider))
            for index, container in enumerate(containers(manifest))
        ],
    )


def _image_at(manifest: Manifest, path: str) -> str:
    found: Any = manifest
    for part in path.removeprefix("/").split("/"):
        try:
            found = found[int(part)] if isinstance(found, list) else found[part]
        except (KeyError, IndexError, TypeError, ValueError):
            raise OverrideError(f"failed to obtain imageValue with predicate path({path}): nothing at {part}") from None
    if not isinstance(found, str):
        raise OverrideError(f"failed to obtain imageValue with predicate path({path}): it holds {found!r}, not text")
    return found


def _changed(text: str, overrider: ImageOverrider) -> str:
    image, value = Image.parse(text), overrider.value
    current = {"Registry": image.registry, "Repository": image.repository, "Tag": image.tag or image.digest}
    wanted = {"add": current.get(overrider.component, "") + value, "replace": value, "remove": ""}.get(
        overrider.operator
    )
    if wanted is None:
        return str(image)
    if overrider.component == "Registry":
        return str(image._replace(registry=wanted))
    if overrider.component == "Repository":
        return str(image._replace(repository=wanted))
    if overrider.component == "Tag":
        return str(image.with_version(wanted) if wanted else image._replace(tag="", digest=""))
    return str(image)
