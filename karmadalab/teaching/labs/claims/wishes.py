"""Policies that want the Deployment `web`, in short, and a student's own four."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, NamedTuple, cast

from karmadalab.api.claims import policy_for
from karmadalab.api.codec import decode
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.policy import AnyPropagationPolicy
from karmadalab.api.unstructured import Unstructured
from karmadalab.teaching.manifests import policy

OWN, FLEET = "PropagationPolicy", "ClusterPropagationPolicy"
_SELECTORS: dict[str, dict[str, Any]] = {
    "name": {"name": "web", "namespace": "default"},  # without a namespace no policy for the fleet preempts it
    "labels": {"labelSelector": {"matchLabels": {"app": "web"}}},
    "kind": {},
    "another": {"name": "api"},
}

WEB = Unstructured("apps/v1", "Deployment", ObjectMeta(name="web", namespace="default", labels={"app": "web"}))


class Wish(NamedTuple):
    """A policy in short.

    Attributes:
        name, kind: its own.
        selects: `web` by its "name", by its "labels", by its "kind"; or "another" Deployment.
        priority: None: the policy says nothing of it.
        cluster: where its workloads are to run.
    """

    name: str
    kind: str = OWN
    selects: str = "name"
    priority: int | None = None
    cluster: str = "member1"

    def manifest(self, **spec: Any) -> dict[str, Any]:
        """The policy as one would apply it."""
        if self.priority is not None:
            spec["priority"] = self.priority
        placement = {"clusterAffinity": {"clusterNames": [self.cluster]}}
        return policy(self.name, placement, selector=_SELECTORS[self.selects], kind=self.kind, **spec)

    def object(self, **metadata: Any) -> AnyPropagationPolicy:
        """The policy as a rule gets it."""
        manifest = self.manifest()
        namespace = {"namespace": "default"} if self.kind == OWN else {}
        return policy_of({**manifest, "metadata": {**manifest["metadata"], **namespace, **metadata}})

    def __str__(self) -> str:
        priority = "no priority" if self.priority is None else f"priority {self.priority}"
        return f"{self.name} ({self.kind}, selects by {self.selects}, {priority})"


def policy_of(manifest: Mapping[str, Any]) -> AnyPropagationPolicy:
    """The policy that a manifest describes."""
    return cast("AnyPropagationPolicy", decode(manifest))


USUAL = (
    Wish("everything", FLEET, "name", 100, "member1"),
    Wish("team-all", OWN, "kind", 10, "member2"),
    Wish("app", OWN, "labels", 10, "member3"),
    Wish("web", OWN, "name", None, "member4"),
)


def winner(wishes: Iterable[Wish]) -> str:
    """The name of the policy that `web` follows when nobody has claimed it; empty for none."""
    found = policy_for(WEB, [wish.object() for wish in wishes])
    return found.metadata.name if found is not None else ""


def drawn(rng: Random) -> tuple[Wish, ...]:
    """A student's own four: drawn anew until the highest priority of all is not what wins, nor the best selector."""
    while True:
        names = rng.sample(("app", "base", "shop", "team", "web", "zone"), 4)
        fleet, *own = (
            Wish(name, kind, rng.choice(("name", "labels", "kind")), rng.choice((None, 5, 10, 20)), f"member{number}")
            for number, (name, kind) in enumerate(zip(names, (FLEET, OWN, OWN, OWN), strict=True), 1)
        )
        wishes = (fleet, *own)
        [won] = [wish for wish in wishes if wish.name == winner(wishes)]
        highest = all((fleet.priority or 0) > (wish.priority or 0) for wish in own)
        if highest and won.selects != "name" and any(wish.selects == "name" for wish in own):
            return wishes
