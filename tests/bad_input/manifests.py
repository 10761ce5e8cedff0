"""Manifests that make no sense."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from karmadalab.api.errors import BadRequest, Invalid
from karmadalab.api.meta import ObjectMeta
from karmadalab.api.unstructured import Unstructured
from tests.worlds import deployment

from .wrong import Wrong, spec_of, with_meta

CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
ALIASES = "\n".join(f"  {b}: &{b} [{', '.join([f'*{a}'] * 9)}]" for a, b in pairwise("abcdefghij"))
ITSELF: list[Any] = []
ITSELF.append(ITSELF)


def config_map(data: str) -> str:
    """A manifest as text, with a line of its own."""
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\n{data}\n"


def holding_itself() -> dict[str, Any]:
    """A manifest that is its own data."""
    found: dict[str, Any] = {**CONFIG_MAP}
    found["data"] = found
    return found


MANIFESTS = [
    Wrong(
        "a list that is not closed",
        lambda lab: lab.apply("a: [1\nb: 2"),
        Invalid,
        "manifest: not YAML at line 2, column 2: expected ',' or ']', but got ':'",
    ),
    Wrong(
        "a tab",
        lambda lab: lab.apply("a:\n\t- b"),
        Invalid,
        "manifest: not YAML at line 2, column 1: found character '\\t' that cannot start any token",
    ),
    Wrong("nothing but comments", lambda lab: lab.apply("# nothing\n---\n"), Invalid, "manifest: holds no manifest"),
    Wrong(
        "a list",
        lambda lab: lab.apply("- a\n- b\n"),
        Invalid,
        "manifest: a manifest is a mapping with apiVersion, kind and metadata, not list",
    ),
    Wrong(
        "a file that is not there",
        lambda lab: lab.apply("no-such-file.yaml"),
        BadRequest,
        "no-such-file.yaml: no such file (looked in <cwd>)",
    ),
    Wrong(
        "a number", lambda lab: lab.apply(7), BadRequest, "apply: expected a file, a YAML text or manifests, got int"
    ),
    Wrong(
        "no kind",
        lambda lab: lab.apply({"apiVersion": "v1", "metadata": {"name": "a"}}),
        Invalid,
        "object a: kind: required, but missing; write for example kind: Deployment",
    ),
    Wrong(
        "no apiVersion",
        lambda lab: lab.apply({"kind": "Pod", "metadata": {"name": "a"}}),
        Invalid,
        "Pod a: apiVersion: required, but missing; write for example apiVersion: apps/v1",
    ),
    Wrong(
        "a kind that is a number",
        lambda lab: lab.apply({"apiVersion": "v1", "kind": 3}),
        Invalid,
        "object (no kind): kind: expected text such as Deployment, got 3",
    ),
    Wrong(
        "the wrong group",
        lambda lab: lab.apply({"apiVersion": "v1", "kind": "Deployment", "metadata": {"name": "a"}}),
        Invalid,
        "Deployment a: apiVersion: v1 has no kind Deployment; write apps/v1",
    ),
    Wrong(
        "a version that is not served",
        lambda lab: lab.apply(
            {
                "apiVersion": "policy.karmada.io/v1beta1",
                "kind": "PropagationPolicy",
                "metadata": {"name": "a"},
                "spec": {},
            }
        ),
        Invalid,
        "PropagationPolicy a: apiVersion: policy.karmada.io/v1beta1 is not served; write "
        'policy.karmada.io/v1alpha1 (no matches for kind "PropagationPolicy" in version '
        '"policy.karmada.io/v1beta1")',
    ),
    Wrong(
        "a misspelt kind",
        lambda lab: lab.apply(
            {"apiVersion": "policy.karmada.io/v1alpha1", "kind": "PropagatePolicy", "metadata": {"name": "a"}}
        ),
        Invalid,
        "PropagatePolicy a: apiVersion: policy.karmada.io/v1alpha1 has no kind PropagatePolicy that this lab "
        "knows; did you mean PropagationPolicy?",
    ),
    Wrong(
        "no name",
        lambda lab: lab.apply(with_meta(name="")),
        BadRequest,
        "Deployment (no name): metadata.name: required, but missing; write name: something",
    ),
    Wrong(
        "no metadata",
        lambda lab: lab.apply({"apiVersion": "v1", "kind": "ConfigMap"}),
        BadRequest,
        "ConfigMap (no name): metadata.name: required, but missing; write name: something",
    ),
    Wrong(
        "metadata that is a list",
        lambda lab: lab.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": ["a"]}),
        Invalid,
        "ConfigMap (no name): metadata: expected a mapping, got a list",
    ),
    Wrong(
        "a name in upper case",
        lambda lab: lab.apply(with_meta(name="Web")),
        Invalid,
        "Deployment Web: metadata.name: 'Web' is not a name: lower case letters, digits, '-' and '.', at most"
        " 253 characters, a letter or a digit first and last",
    ),
    Wrong(
        "a name with an underscore",
        lambda lab: lab.apply(with_meta(name="my_web")),
        Invalid,
        "Deployment my_web: metadata.name: 'my_web' is not a name: lower case letters, digits, '-' and '.', "
        "at most 253 characters, a letter or a digit first and last",
    ),
    Wrong(
        "a namespace with a blank",
        lambda lab: lab.apply(with_meta(namespace="My Team")),
        Invalid,
        "Deployment web: metadata.namespace: 'My Team' is not a name: lower case letters, digits and '-', at "
        "most 63 characters",
    ),
    Wrong(
        "a misspelt metadata field",
        lambda lab: lab.apply(with_meta(lables={"a": "b"})),
        Invalid,
        "Deployment default/web: metadata.lables: unknown field; did you mean labels?",
    ),
    Wrong(
        "a label that is a number",
        lambda lab: lab.apply(with_meta(labels={"a": 1})),
        Invalid,
        "Deployment default/web: metadata.labels[...]: expected text, got a whole number; put it in quotes",
    ),
    Wrong(
        "a label with a blank",
        lambda lab: lab.apply(with_meta(labels={"a": "b c"})),
        Invalid,
        "Deployment default/web: metadata.labels.a: 'b c' is not a label's value: letters, digits, '-', '_' "
        "and '.', at most 63 characters; put longer texts into annotations",
    ),
    Wrong(
        "a label's name with a blank",
        lambda lab: lab.apply(with_meta(labels={"a b": "c"})),
        Invalid,
        "Deployment default/web: metadata.labels: 'a b' is not a label's name: letters, digits, '-', '_' and "
        "'.', at most 63 characters, with an optional prefix such as example.com/",
    ),
    Wrong(
        "replicas in words",
        lambda lab: lab.apply(spec_of(replicas="three")),
        Invalid,
        "Deployment default/web: spec.replicas: expected a whole number of 0 or more, got 'three'",
    ),
    Wrong(
        "negative replicas",
        lambda lab: lab.apply(spec_of(replicas=-1)),
        Invalid,
        "Deployment default/web: spec.replicas: expected a whole number of 0 or more, got -1",
    ),
    Wrong(
        "one and a half replicas",
        lambda lab: lab.apply(spec_of(replicas=1.5)),
        Invalid,
        "Deployment default/web: spec.replicas: expected a whole number of 0 or more, got 1.5",
    ),
    Wrong(
        "replicas that are true",
        lambda lab: lab.apply(spec_of(replicas=True)),
        Invalid,
        "Deployment default/web: spec.replicas: expected a whole number of 0 or more, got True",
    ),
    Wrong(
        "a spec that is a list",
        lambda lab: lab.apply({**deployment(), "spec": [1]}),
        Invalid,
        "Deployment default/web: spec: expected a mapping, got [1]",
    ),
    Wrong(
        "containers without dashes",
        lambda lab: lab.apply(spec_of(template={"spec": {"containers": {"name": "a"}}})),
        Invalid,
        "Deployment default/web: spec.template.spec.containers: expected a list, each entry with a '-'",
    ),
    Wrong(
        "a container that is text",
        lambda lab: lab.apply(spec_of(template={"spec": {"containers": ["nginx"]}})),
        Invalid,
        "Deployment default/web: spec.template.spec.containers[0]: expected a mapping with name and image, got 'nginx'",
    ),
    Wrong(
        "an image that is a number",
        lambda lab: lab.apply(deployment(image=1.27)),
        Invalid,
        "Deployment default/web: spec.template.spec.containers[0].image: expected text such as nginx:1.27, got 1.27",
    ),
    Wrong(
        "lots of cpu",
        lambda lab: lab.apply(deployment(resources={"requests": {"cpu": "lots"}})),
        Invalid,
        "Deployment default/web: spec.template.spec.containers[0].resources.requests.cpu: 'lots' is not a "
        "quantity: write a number with a suffix such as 100m, 2, 64Mi or 1G",
    ),
    Wrong(
        "a list of cpu",
        lambda lab: lab.apply(deployment(resources={"requests": {"cpu": ["1"]}})),
        Invalid,
        "Deployment default/web: spec.template.spec.containers[0].resources.requests.cpu: ['1'] is not a "
        "quantity: write a number with a suffix such as 100m, 2, 64Mi or 1G",
    ),
    Wrong(
        "negative cpu",
        lambda lab: lab.apply(deployment(resources={"requests": {"cpu": "-1"}})),
        Invalid,
        "Deployment default/web: spec.template.spec.containers[0].resources.requests.cpu: can't be negative, got -1",
    ),
    Wrong(
        "requests that are text",
        lambda lab: lab.apply(deployment(resources={"requests": "1 cpu"})),
        Invalid,
        "Deployment default/web: spec.template.spec.containers[0].resources.requests: expected a mapping such"
        " as cpu: 100m, got '1 cpu'",
    ),
    Wrong(
        "aliases that stand for a billion texts",
        lambda lab: lab.apply(config_map(f"data:\n  a: &a [x, x, x, x, x, x, x, x, x]\n{ALIASES}")),
        Invalid,
        "manifest: larger than 1.5 MiB with its aliases written out: no API server would take it",
    ),
    Wrong(
        "an alias inside what it stands for",
        lambda lab: lab.apply(config_map("data: &d {a: *d}")),
        Invalid,
        "manifest: data.a: holds itself, and so has no end",
    ),
    Wrong(
        "a mapping that holds itself",
        lambda lab: lab.apply(holding_itself()),
        Invalid,
        "ConfigMap a: data.data: holds itself, and so has no end",
    ),
    Wrong(
        "a list that holds itself",
        lambda lab: lab.apply(ITSELF),
        Invalid,
        "apply: a list of manifests holds itself, and so has no end",
    ),
    Wrong(
        "an object that holds itself",
        lambda lab: lab.apply(Unstructured("example.io/v1", "Redis", ObjectMeta(name="a"), {"spec": {"a": ITSELF}})),
        Invalid,
        "Redis a: spec.a[0]: holds itself, and so has no end",
    ),
    Wrong(
        "two hundred mappings in each other",
        lambda lab: lab.apply('{"a":' * 200 + "1" + "}" * 200),
        Invalid,
        f"manifest: {'a.' * 20}...: nested more than 100 deep",
    ),
    Wrong(
        "five thousand mappings in each other",
        lambda lab: lab.apply('{"a":' * 5000 + "1" + "}" * 5000),
        Invalid,
        "manifest: nested too deeply to be read",
    ),
    Wrong(
        "more than an API server takes",
        lambda lab: lab.apply({**CONFIG_MAP, "data": {"a": "x" * 2_000_000}}),
        Invalid,
        "ConfigMap a: larger than 1.5 MiB with its aliases written out: no API server would take it",
    ),
    Wrong(
        "bytes",
        lambda lab: lab.apply(config_map("data: {a: !!binary aGVsbG8=}")),
        Invalid,
        "manifest: not YAML at line 4, column 11: JSON has no !!binary; write plain text, a list or a mapping",
    ),
    Wrong(
        "a set",
        lambda lab: lab.apply(config_map("data: !!set {a, b}")),
        Invalid,
        "manifest: not YAML at line 4, column 7: JSON has no !!set; write plain text, a list or a mapping",
    ),
    Wrong(
        "a tag of one's own",
        lambda lab: lab.apply(config_map("data: !mine {a: b}")),
        Invalid,
        "manifest: not YAML at line 4, column 7: JSON has no !mine; write plain text, a list or a mapping",
    ),
    Wrong(
        "a set of Python's",
        lambda lab: lab.apply({**CONFIG_MAP, "data": {"a", "b"}}),
        Invalid,
        "ConfigMap a: data: expected text, a number, true, false, a list or a mapping, got a set",
    ),
    Wrong(
        "a key twice",
        lambda lab: lab.apply(config_map("data: {a: b, a: c}")),
        Invalid,
        'manifest: not YAML at line 4, column 14: found duplicate key "a" with value "c" (original value: "b")',
    ),
    Wrong(
        "a key twice in JSON",
        lambda lab: lab.apply('{"kind": "ConfigMap", "data": {"a": "b", "a": "c"}}'),
        Invalid,
        'manifest: not YAML at line 1, column 42: found duplicate key "a" with value "c" (original value: "b")',
    ),
    Wrong(
        "a list as a key",
        lambda lab: lab.apply(config_map("data: {[1, 2]: x}")),
        Invalid,
        "manifest: data: (1, 2) can't name a field: write text",
    ),
    Wrong(
        "no number",
        lambda lab: lab.apply({"apiVersion": "example.io/v1", "kind": "Redis", "spec": {"a": float("nan")}}),
        Invalid,
        "Redis (no name): spec.a: expected a number, got nan",
    ),
    Wrong(
        "no number in JSON",
        lambda lab: lab.apply('{"kind": "Redis", "spec": {"a": NaN}}'),
        Invalid,
        "manifest: spec.a: expected a number, got nan",
    ),
    Wrong(
        "a number of five thousand digits",
        lambda lab: lab.apply(f"spec:\n  replicas: {'9' * 5000}\n"),
        Invalid,
        "manifest: not YAML: a number of thousands of digits",
    ),
    Wrong(
        "half a character",
        lambda lab: lab.apply(with_meta(annotations={"a": "\ud800"})),
        Invalid,
        "Deployment default/web: metadata.annotations.a: holds half a character (\\ud800)",
    ),
    Wrong(
        "half a character in an object",
        lambda lab: lab.apply(Unstructured("v1", "ConfigMap", ObjectMeta(name="a", annotations={"a": "\ud800"}))),
        Invalid,
        "ConfigMap a: metadata.annotations.a: holds half a character (\\ud800)",
    ),
]
