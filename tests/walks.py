"""Recorded walks of the real control plane, gone through again in a lab, and what differs.

A walk is a list of steps, the objects as they were after each, and every write in between. A test re-expresses the
steps as lab calls; this module looks at the lab after each, brings both sides into one form and says where they differ.

One form: no uids, versions, times, addresses and generated ids; no bookkeeping of kubectl's; none of the fields that an
API server fills in and nobody reads; nothing that is empty. Names that a cluster made up (slices of endpoints) are
matched by what they are for.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from karmadalab import Lab
from karmadalab.api.codec import to_dict
from karmadalab.api.endpoints import ENDPOINT_SLICE, SERVICE_NAME_LABEL, SLICE_MANAGED_BY_LABEL
from karmadalab.api.errors import BadRequest
from karmadalab.api.naming import work_name
from karmadalab.api.scheme import resource_type
from karmadalab.api.time import Time
from karmadalab.api.unstructured import group_kind
from karmadalab.core.trace import CREATE, DELETE, STATUS, UPDATE
from tests.conformance.timeline import FLEET

WALKS = Path(__file__).parent / "data" / "walks"

_UNTOLD = ("uid", "resourceVersion", "creationTimestamp", "managedFields", "selfLink", "deletionGracePeriodSeconds")
_TIMES = (
    "lastTransitionTime",
    "lastUpdateTime",
    "lastProbeTime",
    "lastScheduledTime",
    "terminatingReplicas",
    "collisionCount",
)
_MADE_UP = ("nodePort", "currentRevision", "updateRevision")  # compared is that there is one
_NOTES = ("kubectl.kubernetes.io/last-applied-configuration", "endpoints.kubernetes.io/last-change-trigger-time")
_DEFAULTS: tuple[tuple[str, Any], ...] = (
    ("imagePullPolicy", "IfNotPresent"),
    ("imagePullPolicy", "Always"),
    ("terminationMessagePath", "/dev/termination-log"),
    ("terminationMessagePolicy", "File"),
    ("restartPolicy", "Always"),
    ("terminationGracePeriodSeconds", 30),
    ("dnsPolicy", "ClusterFirst"),
    ("revisionHistoryLimit", 10),
    ("progressDeadlineSeconds", 600),
    ("backoffLimit", 6),
    ("completionMode", "NonIndexed"),
    ("podReplacementPolicy", "TerminatingOrFailed"),
    ("podManagementPolicy", "OrderedReady"),
    ("persistentVolumeClaimRetentionPolicy", {"whenDeleted": "Retain", "whenScaled": "Retain"}),
    ("updateStrategy", {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}),
    ("strategy", {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}}),
)
_REFERENCE = {"apiVersion", "kind", "namespace", "name", "labelSelector"}
_PATTERNS = (
    (re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"), "<id>"),
    (re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"), "<time>"),
    (re.compile(r"\b10\.\d+\.\d+\.\d+\b"), "<address>"),
    (re.compile(r"\b([a-z0-9-]+)-[bcdfghjklmnpqrstvwxz2456789]{6,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b"), r"\1-<pod>"),
    (re.compile(r'(ReplicaSet|replica set) "[a-z0-9-]+"'), r"\1 <name>"),
)
_KUBERNETES = "endpointslice-controller.k8s.io"

KUBECTL_S = 0.02  # kubectl applies the documents of a file one after the other

Step = Callable[[Lab, dict[str, Any]], object]


class Walk:
    """One recorded walk, and a lab that goes through it.

    Args:
        name: of the file, without its ending.
        cpus: of the members, where other workloads of the recorded fleet left less than there was.
        settings: flags beside those of the profile `localup`.
    """

    def __init__(self, name: str, cpus: dict[str, int] | None = None, **settings: Any) -> None:
        with gzip.open(WALKS / f"{name}.json.gz", "rt", encoding="utf-8") as text:
            self.data: dict[str, Any] = json.load(text)
        flags = {
            "failover-eviction-timeout": "30s",
            "default-not-ready-toleration-seconds": 30,
            "default-unreachable-toleration-seconds": 30,
            "feature-gates": "MultiClusterService=true,PropagationPolicyPreemption=true,StatefulFailoverInjection=true",
            **settings,
        }
        self.start = Time.parse(self.data["started"])
        fleet = {
            "members": [
                {
                    **member,
                    "nodes": {**member["nodes"], "cpu": (cpus or {}).get(member["name"], member["nodes"]["cpu"])},
                }
                for member in FLEET["members"]
            ]
        }
        self.lab = Lab.fake(fleet, settings=flags, epoch=self.start)
        self.steps = self.data["steps"]
        self.found: list[str] = []
        self.begun: list[int] = []  # the trace row with which each step began here

    def go(
        self, deeds: dict[int, Step], after: Callable[[str], float], ignore: Callable[[str, str], bool] | None = None
    ) -> None:
        """Do the steps at their times, and compare what was read with what there is here at that time.

        Args:
            deeds: what to do, by number of the step; a step that is not there applies its manifest.
            after: when a labelled object was read: a whole number means at the end of that step, else seconds.
            ignore: whether a difference, by label and path, is known; each has its reason in docs/fidelity.md.
        """
        last = max(self.steps[-1].get("done", self.steps[-1]["t"]) + 20.0, self.data["milestones"][-1]["t"] + 1.0)
        ends = [*(step["t"] for step in self.steps[1:]), last]
        moments: dict[float, list[str]] = {}
        for label in self.data["objects"]:
            when = after(label)
            moments.setdefault(ends[when] - 0.001 if isinstance(when, int) else when, []).append(label)
        for number, step in enumerate(self.steps):
            self.lab.run(max(0.0, step["t"] - self.lab.t))
            self.begun.append(len(self.lab.trace))
            self._do(deeds.get(number), step)
            for moment in sorted(t for t in moments if step["t"] <= t < ends[number]):
                self.lab.run(max(0.0, moment - self.lab.t))
                for label in moments[moment]:
                    self.found += [
                        f"{label}: {path}: {text}"
                        for path, text in self.differences(label, self.data["objects"][label])
                        if ignore is None or not ignore(label, path)
                    ]
            self.lab.run(max(0.0, ends[number] - self.lab.t - 0.001))

    def _do(self, deed: Step | None, step: dict[str, Any]) -> None:
        if deed is not None:
            deed(self.lab, step)
        elif "manifest" in step:
            for document in re.split(r"^---$", step["manifest"], flags=re.MULTILINE):
                self.lab.apply(document)
                self.lab.run(KUBECTL_S)

    # --- one object

    def differences(self, label: str, recorded: Any) -> Iterator[tuple[str, str]]:
        """Where a recorded object and ours disagree: path, and both values."""
        if isinstance(recorded, dict) and str(recorded.get("kind", "")).endswith("List"):
            return
        if not isinstance(recorded, dict):
            return  # absence is a matter of the writes
        where = next((word for word in label.split() if word in self.lab.members), "")
        recorded = _named(label, recorded)
        if recorded["kind"] == "Cluster":
            where = ""
        ours = self.our(where, recorded)
        if ours is None:
            yield "", "here there is none"
            return
        names = self._names()
        yield from unlike(
            "", plain(json.loads(_renamed(json.dumps(recorded), names))), plain(json.loads(json.dumps(to_dict(ours))))
        )

    def our(self, world: str, recorded: dict[str, Any]) -> Any:
        """Our object of the same kind, namespace and name, where the name is made up: for the same purpose."""
        kind = group_kind(recorded["apiVersion"], recorded["kind"])
        meta = recorded["metadata"]
        name = _renamed(meta["name"], self._names())
        store = self.lab.world.member(world).store if world else self.lab.store
        return store.find(kind, name, meta.get("namespace", ""))

    def _names(self) -> dict[str, str]:
        """Recorded names of slices of endpoints, of what is made of them and of their Works -> ours.

        Kubernetes makes the names up. The first slice of a Service in a member there is the first one here.
        """
        names: dict[str, str] = {}
        ours = {key: list(found) for key, found in self._made_here().items()}
        for key, theirs in self._made_there():
            if not ours.get(key):
                continue
            mine, namespace = ours[key].pop(0), key[1]
            for form in ("{}", "imported-member1-{}", *(f"{member}-{{}}" for member in self.lab.members)):
                old, new = form.format(theirs), form.format(mine)
                names[work_name("EndpointSlice", old, namespace)] = work_name("EndpointSlice", new, namespace)
                names[old] = new
        return names

    def _made_there(self) -> Iterator[tuple[tuple[str, str, str], str]]:
        for event in self.data["milestones"]:
            world, kind, *place = event["object"].split("/")
            if kind == "EndpointSlice" and event["what"] == "created" and world != "karmada":
                labels = event["detail"]["metadata"].get("labels") or {}
                if labels.get(SLICE_MANAGED_BY_LABEL) == _KUBERNETES:
                    yield (world, place[0], labels[SERVICE_NAME_LABEL]), place[1]

    def _made_here(self) -> dict[tuple[str, str, str], list[str]]:
        found: dict[tuple[str, str, str], list[str]] = {}
        for row in self.lab.trace.rows:
            if row.verb == CREATE and row.world and row.kind == ENDPOINT_SLICE and row.new is not None:
                labels = row.new.metadata.labels
                if labels.get(SLICE_MANAGED_BY_LABEL) == _KUBERNETES:
                    found.setdefault((row.world, row.namespace, labels[SERVICE_NAME_LABEL]), []).append(row.name)
        return found

    # --- the order of writes

    def disorder(
        self,
        concerns: Callable[[str], bool],
        free: str = "(none)",
        joined: range = range(0),
        apart_s: float = 0.1,
        chain: Callable[[str], str] = lambda what: "",
    ) -> list[str]:
        """Beginnings and ends of objects that are missing here, are only here, or come in another order.

        Args:
            concerns: whether an object, as `karmada/Work/karmada-es-member1/x`, matters.
            free: a pattern of objects whose place in the order is open.
            joined: steps that followed so closely that it is open what belongs to which.
            apart_s: two recorded writes closer than this may be in either order.
            chain: what must agree for two objects to have an order between them.
        """
        found = []
        recorded, ours = (_joined(w, joined) for w in (self._recorded_writes(concerns), self._our_writes(concerns)))
        for number in range(len(self.steps)):
            theirs, mine = recorded.get(number, {}), ours.get(number, {})
            action = self.steps[number]["action"]
            found += [f"{action}: {key}: recorded, not here" for key in theirs if key not in mine]
            found += [f"{action}: {key}: here, not recorded" for key in mine if key not in theirs]
            both = [key for key in theirs if key in mine and not re.search(free, key)]
            found += [
                f"{action}: {b} comes before {a}"
                for a in both
                for b in both
                if theirs[a] < theirs[b] - apart_s and mine[a] > mine[b] and chain(a) == chain(b)
            ]
        return found

    def _recorded_writes(self, concerns: Callable[[str], bool]) -> dict[int, dict[str, float]]:
        found: dict[int, dict[str, float]] = {}
        names = self._names()
        for event in self.data["milestones"]:
            if event["what"] in ("created", "gone", "deletionTimestamp set") and event.get("step") is not None:
                what = _renamed(event["object"], names)
                if concerns(what):
                    found.setdefault(event["step"], {}).setdefault(f"{what} {event['what']}", event["t"])
        return found

    def _our_writes(self, concerns: Callable[[str], bool]) -> dict[int, dict[str, float]]:
        found: dict[int, dict[str, float]] = {}
        for row in self.lab.trace.rows[self.begun[0] :]:
            if row.verb not in (CREATE, UPDATE, STATUS, DELETE):
                continue
            step = sum(1 for begun in self.begun if begun <= row.id) - 1
            parts = (row.world or "karmada", row.kind.partition(".")[0], row.namespace, row.name)
            what = "/".join(part for part in parts if part)
            word = {CREATE: "created", DELETE: "gone"}.get(row.verb)
            if word is None and row.new is not None and row.old is not None:
                leaves = row.new.metadata.deletionTimestamp and not row.old.metadata.deletionTimestamp
                word = "deletionTimestamp set" if leaves else None
            if word is not None and concerns(what):
                found.setdefault(step, {}).setdefault(f"{what} {word}", float(row.id))
        return found


def _joined(writes: dict[int, dict[str, float]], joined: range) -> dict[int, dict[str, float]]:
    found: dict[int, dict[str, float]] = {}
    for number in sorted(writes):
        first = found.setdefault(joined.start if number in joined else number, {})
        for key, when in writes[number].items():
            first.setdefault(key, when)
    return found


def _named(label: str, recorded: dict[str, Any]) -> dict[str, Any]:
    """An object that was read out of a list says neither kind nor version; its label does."""
    if "kind" in recorded:
        return recorded
    for word in label.split():
        try:
            rt = resource_type(word)
        except BadRequest:
            continue
        return {"apiVersion": rt.api_version, "kind": rt.kind, **recorded}
    raise AssertionError(f"{label}: of what kind is it?")


# --- bringing both sides into one form --------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A value without what no two clusters have in common."""
    if isinstance(value, dict):
        return _plain_mapping(value)
    if isinstance(value, list):
        items = [plain(item) for item in value]
        if all(isinstance(item, dict) and "type" in item and "status" in item for item in items):
            items.sort(key=lambda item: str(item["type"]))
        elif all(isinstance(item, dict) and set(item) <= {"name", "replicas"} for item in items):
            items.sort(key=lambda item: str(item["name"]))  # the clusters of a binding: equals come in any order
        elif all(isinstance(item, dict) and "apiVersion" in item and set(item) <= _REFERENCE for item in items):
            items.sort(
                key=lambda item: (item["kind"], str(item.get("name")))
            )  # dependencies: Karmada's order is random
        return items
    if isinstance(value, str):
        return _plain_text(value)
    return value


def _plain_mapping(value: dict[str, Any]) -> dict[str, Any]:
    kept = {}
    for key, item in value.items():
        if key in _UNTOLD or key in _TIMES or key in _NOTES or (key, item) in _DEFAULTS:
            continue
        if key == "schedulerName" and "containers" in value:
            continue
        kept[key] = f"<{key}>" if item and key in _MADE_UP else plain(item)
    return {key: item for key, item in kept.items() if item not in ("", None, False, 0, [], {})}


def _plain_text(text: str) -> Any:
    if text.startswith(("{", "[")) and text[-1:] in "}]":
        try:
            return plain(json.loads(text))
        except ValueError:
            pass
    if "," in text and all("/" in part or part.islower() for part in text.split(",")):
        return sorted(part for part in text.split(",") if part not in _NOTES)
    for pattern, word in _PATTERNS:
        text = pattern.sub(word, text)
    return text


def _renamed(text: str, names: dict[str, str]) -> str:
    for theirs in sorted(names, key=len, reverse=True):
        text = text.replace(theirs, names[theirs])
    return text


def unlike(path: str, recorded: Any, ours: Any) -> Iterator[tuple[str, str]]:
    """Where two plain values differ."""
    if isinstance(recorded, dict) and isinstance(ours, dict):
        for key in sorted({*recorded, *ours}):
            yield from unlike(f"{path}.{key}" if path else key, recorded.get(key), ours.get(key))
    elif isinstance(recorded, list) and isinstance(ours, list) and len(recorded) == len(ours):
        for index, (a, b) in enumerate(zip(recorded, ours, strict=True)):
            yield from unlike(f"{path}[{index}]", a, b)
    elif recorded != ours:
        yield path, f"recorded {recorded!r}, here {ours!r}"


# --- what tests of walks share ----------------------------------------------------------------------------------------

# Not made here: accounts of namespaces, and what other scenarios did to the recorded fleet at the same time.
_NOISE = ("/Pod/", "/ServiceAccount/", "/ReplicaSet/", "/ConfigMap/", "/Event/", "bad", "member6", "/Secret/")


def concerns(*parts: str) -> Any:
    """Whether an object, as `karmada/Work/karmada-es-member1/x`, is one whose writes matter."""
    return lambda what: any(part in what for part in parts) and not any(noise in what for noise in _NOISE)


def by_number(walk: Walk, **late: float) -> Any:
    """The step of a label `2b work ...`, by the action `2b: ...`; some were read only after a later one."""
    steps: dict[str, float] = {}
    for number, step in enumerate(walk.steps):
        if found := re.match(r"([a-z]?\d+\w?):", step["action"]):
            steps[found[1]] = number
    steps |= {name.removeprefix("after_"): number for name, number in late.items()}

    def after(label: str) -> float:
        number = label.partition(" ")[0]
        if number not in steps and number[-1] == "a" and number[:-1] in steps:
            return float(walk.steps[steps[number[:-1]]]["t"] + 1.0)  # read at once, while it was going on
        if number not in steps and number[-1] == "b":
            return steps[number[:-1]]
        return steps[number]

    return after


def namespace(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}


def assert_agrees(walk: Walk, matters: Any, free: str = "(none)", joined: range = range(0), **more: Any) -> None:
    assert walk.found == [], "\n".join(walk.found[:30])
    disorder = walk.disorder(matters, free, joined, **more)
    assert disorder == [], "\n".join(disorder[:30])
    walk.lab.check()
