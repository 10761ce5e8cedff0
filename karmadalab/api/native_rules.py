"""What any Kubernetes API server checks before it stores an object: names, labels, and the few fields that we read.

Karmada's own kinds have their rules in `webhook`. Here is what holds for all kinds, and what would otherwise surface
much later, in a member, as a kubelet that can't count: a number of replicas that is no number, a request for
"lots" of memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from karmadalab.api.errors import Invalid
from karmadalab.api.labels import DNS_LABEL, SUBDOMAIN, is_label_key, is_label_value
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.native_shapes import SHAPES
from karmadalab.api.shapes import ANY, Fields
from karmadalab.api.unstructured import Unstructured
from karmadalab.api.workload_rules import check_workload

_PATH = re.compile(r"(?!\.\.?$)[^/%]+")

_RBAC = ".rbac.authorization.k8s.io"
_CUSTOM = Fields({"spec": ANY})
_DNS_LABELS = ("Namespace", "Service")  # their names become parts of host names
_FOR_EVER = frozenset(("Deployment.apps", "StatefulSet.apps", "ReplicaSet.apps", "DaemonSet.apps"))
_WITH_PODS = _FOR_EVER | {"Job.batch", "CronJob.batch"}


def check_name(kind: str, group_kind: str, meta: ObjectMeta) -> None:
    """The name, and the namespace if there is one, can be part of an address.

    Raises:
        Invalid: naming the rule.
    """
    name = meta.name or f"{meta.generateName}x"
    if group_kind.endswith(_RBAC):
        if not _PATH.fullmatch(name):
            raise Invalid(f"{kind} {name}: metadata.name: {name!r} can't be part of an address: leave out '/' and '%'")
    elif kind in _DNS_LABELS and (not re.fullmatch(DNS_LABEL, name) or len(name) > 63):
        raise Invalid(
            f"{kind} {name}: metadata.name: {name!r} is not a name: lower case letters, digits and '-', at most 63 "
            "characters, a letter or a digit first and last"
        )
    elif not re.fullmatch(SUBDOMAIN, name) or len(name) > 253:
        raise Invalid(
            f"{kind} {name}: metadata.name: {name!r} is not a name: lower case letters, digits, '-' and '.', "
            "at most 253 characters, a letter or a digit first and last"
        )
    if meta.namespace and (not re.fullmatch(SUBDOMAIN, meta.namespace) or len(meta.namespace) > 63):
        raise Invalid(
            f"{kind} {name}: metadata.namespace: {meta.namespace!r} is not a name: lower case letters, digits and '-', "
            "at most 63 characters"
        )


def check_labels(kind: str, where: str, labels: Mapping[str, str], path: str = "metadata.labels") -> None:
    """Keys and values of labels are short and plain.

    Raises:
        Invalid: naming the label.
    """
    for key, value in labels.items():
        if not is_label_key(key):
            raise Invalid(
                f"{kind} {where}: {path}: {key!r} is not a label's name: letters, digits, '-', '_' and '.', "
                "at most 63 characters, with an optional prefix such as example.com/"
            )
        if not is_label_value(value):
            raise Invalid(
                f"{kind} {where}: {path}.{key}: {value!r} is not a label's value: letters, digits, '-', '_' "
                "and '.', at most 63 characters; put longer texts into annotations"
            )


def check_content(obj: Any, old: Any = None) -> None:
    """The fields of a native kind that the lab reads are what they should be; other kinds' pass.

    Args:
        old: an object that was checked before; what both share is not looked at again.

    Raises:
        Invalid: naming the path.
    """
    if not isinstance(obj, Unstructured):
        return
    meta = obj.metadata
    where = f"{meta.namespace}/{meta.name}" if meta.namespace else meta.name
    found = SHAPES.get(obj.GROUP_KIND, _CUSTOM).misfit(_changed(obj.body, old)) or _wrong_restart(obj)
    if found is not None:
        path, problem = found
        raise Invalid(f"{obj.kind} {where}: {path.removeprefix('.')}: {problem}")
    check_workload(obj, old)
    if obj.GROUP_KIND in _WITH_PODS:
        before = [] if old is None else list(_pod_labels(old.spec))
        for path, labels in _pod_labels(obj.spec):
            if (path, labels) not in before:
                check_labels(obj.kind, where, labels, path)


def _pod_labels(spec: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """The labels that the pods of a workload will have, or a CronJob's Jobs, and where they stand."""
    prefix = "spec"
    if (jobs := spec.get("jobTemplate")) is not None:
        yield "spec.jobTemplate.metadata.labels", _labels(jobs)
        prefix, spec = "spec.jobTemplate.spec", jobs.get("spec") or {}
    yield f"{prefix}.template.metadata.labels", _labels(spec.get("template") or {})


def _labels(template: Mapping[str, Any]) -> dict[str, str]:
    return (template.get("metadata") or {}).get("labels") or {}


def _changed(body: Mapping[str, Any], old: Any) -> Mapping[str, Any]:
    """The fields, and those of the spec, that are not the very ones of `old`."""
    if old is None:
        return body
    known = old.body
    fields = {key: value for key, value in body.items() if value is not known.get(key)}
    spec = fields.get("spec")
    if isinstance(spec, dict) and (before := known.get("spec")):
        fields["spec"] = {key: value for key, value in spec.items() if value is not before.get(key)}
    return fields


def _wrong_restart(obj: Unstructured) -> tuple[str, str] | None:
    """What is to run for ever starts again whenever it ends."""
    if obj.GROUP_KIND in _FOR_EVER:
        policy = ((obj.spec.get("template") or {}).get("spec") or {}).get("restartPolicy") or "Always"
        if policy != "Always":
            return "spec.template.spec.restartPolicy", f'Unsupported value: "{policy}": supported values: "Always"'
    return None
