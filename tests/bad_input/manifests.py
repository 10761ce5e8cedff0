"""Manifests that make no sense."""

from __future__ import annotations

from karmadalab.api.errors import BadRequest, Invalid
from tests.worlds import deployment

from .wrong import Wrong, spec_of, with_meta

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
]
