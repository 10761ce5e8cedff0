"""What any Kubernetes API server checks before it stores an object: names, labels, and the few fields that we read.

Karmada's own kinds have their rules in `webhook`. Here is what holds for all kinds, and what would otherwise surface
much later, in a member, as a kubelet that can't count: a number of replicas that is no number, a request for
"lots" of memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.quantity import milli
from karmadalab.api.unstructured import Unstructured

_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_LABEL_KEY = re.compile(r"([a-z0-9][-a-z0-9.]*/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?")
_PATH = re.compile(r"(?!\.\.?$)[^/%]+")

_RBAC = ".rbac.authorization.k8s.io"
_REPLICAS = ("replicas", "parallelism", "completions")
_WORKLOADS = frozenset(
    ("Deployment.apps", "StatefulSet.apps", "ReplicaSet.apps", "DaemonSet.apps", "Job.batch", "CronJob.batch", "Pod")
)


def check_name(kind: str, group_kind: str, meta: ObjectMeta) -> None:
    """The name, and the namespace if there is one, can be part of an address.

    Raises:
        Invalid: naming the rule.
    """
    name = meta.name or f"{meta.generateName}x"
    if group_kind.endswith(_RBAC):
        if not _PATH.fullmatch(name):
            raise Invalid(f"{kind} {name}: metadata.name: {name!r} can't be part of an address: leave out '/' and '%'")
    elif not _SUBDOMAIN.fullmatch(name) or len(name) > 253:
        raise Invalid(
            f"{kind} {name}: metadata.name: {name!r} is not a name: lower case letters, digits, '-' and '.', "
            "at most 253 characters, a letter or a digit first and last"
        )
    if meta.namespace and (not _SUBDOMAIN.fullmatch(meta.namespace) or len(meta.namespace) > 63):
        raise Invalid(
            f"{kind} {name}: metadata.namespace: {meta.namespace!r} is not a name: lower case letters, digits and '-', "
            "at most 63 characters"
        )


def check_labels(kind: str, where: str, labels: Mapping[str, str]) -> None:
    """Keys and values of labels are short and plain.

    Raises:
        Invalid: naming the label.
    """
    for key, value in labels.items():
        if not _LABEL_KEY.fullmatch(key) or len(key.rpartition("/")[2]) > 63:
            raise Invalid(
                f"{kind} {where}: metadata.labels: {key!r} is not a label's name: letters, digits, '-', '_' and '.', "
                "at most 63 characters, with an optional prefix such as example.com/"
            )
        if not _LABEL_VALUE.fullmatch(value) or len(value) > 63:
            raise Invalid(
                f"{kind} {where}: metadata.labels.{key}: {value!r} is not a label's value: letters, digits, '-', '_' "
                "and '.', at most 63 characters; put longer texts into annotations"
            )


def check_content(obj: Any) -> None:
    """The fields of a native kind that the lab reads are what they should be; other kinds pass.

    Raises:
        Invalid: naming the path.
    """
    if isinstance(obj, Unstructured) and obj.GROUP_KIND in _WORKLOADS:
        meta = obj.metadata
        for path, problem in _workload_problems(obj.body):
            raise Invalid(f"{obj.kind} {f'{meta.namespace}/' if meta.namespace else ''}{meta.name}: {path}: {problem}")


def _workload_problems(body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    spec = body.get("spec", {})
    if not isinstance(spec, dict):
        yield "spec", f"expected a mapping, got {spec!r}"
        return
    for field in _REPLICAS:
        number = spec.get(field, 0)
        if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 0):
            yield f"spec.{field}", f"expected a whole number of 0 or more, got {number!r}"
    template = spec.get("template", {})
    if not isinstance(template, dict) or not isinstance(template.get("spec") or {}, dict):
        yield "spec.template", "expected a mapping with metadata and spec"
        return
    for path, pod in (("spec", spec), ("spec.template.spec", template.get("spec") or {})):
        yield from _container_problems(f"{path}.containers", pod.get("containers") or [])


def _container_problems(path: str, containers: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(containers, list):
        yield path, "expected a list, each entry with a '-'"
        return
    for index, container in enumerate(containers):
        at = f"{path}[{index}]"
        if not isinstance(container, dict):
            yield at, f"expected a mapping with name and image, got {container!r}"
        elif not isinstance(container.get("image", ""), str):
            yield f"{at}.image", f"expected text such as nginx:1.27, got {container['image']!r}"
        else:
            resources = container.get("resources") or {}
            requests = resources.get("requests") if isinstance(resources, dict) else resources
            yield from _request_problems(f"{at}.resources.requests", requests or {})


def _request_problems(path: str, requests: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(requests, dict):
        yield path, f"expected a mapping such as cpu: 100m, got {requests!r}"
        return
    for name, amount in requests.items():
        try:
            if milli(amount) < 0:
                yield f"{path}.{name}", f"can't be negative, got {amount}"
        except (BadRequest, TypeError):  # a list can't even be looked up
            yield f"{path}.{name}", f"{amount!r} is not a quantity: write for example 100m, 2, 64Mi or 1G"
