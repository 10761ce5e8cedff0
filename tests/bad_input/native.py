"""Fields of Kubernetes' own kinds that hold something of the wrong type. A controller would meet them much later."""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import Invalid
from tests.worlds import deployment

from .wrong import Wrong, spec_of

WEB = deployment()["spec"]["template"]


def pod(**spec: Any) -> dict[str, Any]:
    """`web` with fields of its pods' spec replaced."""
    return spec_of(template={**WEB, "spec": {**WEB["spec"], **spec}})


def limited(**limits: Any) -> dict[str, Any]:
    """`web` with limits."""
    return pod(containers=[{"name": "web", "resources": {"limits": limits}}])


def other(kind: str, api_version: str = "v1", **body: Any) -> dict[str, Any]:
    """An object of another kind."""
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "web"}, **body}


LIMIT = "containers[0].resources.limits."
WRITE = "write a number with a suffix such as 100m, 2, 64Mi or 1G"
MOST = "at most 2^63-1 (8Ei less one) fits"

PODS = [
    ("a node selector that is text", pod(nodeSelector="ssd"), "nodeSelector: expected a mapping, got 'ssd'"),
    ("volumes that are a mapping", pod(volumes={"name": "data"}), "volumes: expected a list, each entry with a '-'"),
    (
        "a volume's source that is text",
        pod(volumes=[{"name": "data", "configMap": "web"}]),
        "volumes[0].configMap: expected a mapping, got 'web'",
    ),
    (
        "a service account that is a mapping",
        pod(serviceAccountName={"name": "web"}),
        "serviceAccountName: expected text, got {'name': 'web'}",
    ),
    (
        "a pull secret that is text",
        pod(imagePullSecrets=["secret"]),
        "imagePullSecrets[0]: expected a mapping, got 'secret'",
    ),
    (
        "an environment that is a mapping",
        pod(containers=[{"name": "web", "env": {"PORT": "8080"}}]),
        "containers[0].env: expected a list, each entry with a '-'",
    ),
    (
        "a number in the environment",
        pod(containers=[{"name": "web", "env": [{"name": "P", "value": 80}]}]),
        "containers[0].env[0].value: expected text, got 80; put it in quotes",
    ),
    (
        "an environment from text",
        pod(containers=[{"name": "web", "envFrom": ["web"]}]),
        "containers[0].envFrom[0]: expected a mapping, got 'web'",
    ),
    (
        "init containers that are text",
        pod(initContainers="wait"),
        "initContainers: expected a list, each entry with a '-'",
    ),
    (
        "a container that is nothing",
        pod(containers=[None]),
        "containers[0]: expected a mapping with name and image, got None",
    ),
    (
        "tolerations that are a mapping",
        pod(tolerations={"key": "a"}),
        "tolerations: expected a list, each entry with a '-'",
    ),
    (
        "a toleration in minutes",
        pod(tolerations=[{"key": "a", "tolerationSeconds": "5m"}]),
        "tolerations[0].tolerationSeconds: expected a whole number, got '5m'",
    ),
    (
        "a misspelt toleration",
        pod(tolerations=[{"key": "a", "seconds": 5}]),
        "tolerations[0].seconds: unknown field; there are key, operator, value, effect, tolerationSeconds",
    ),
    ("an affinity that is text", pod(affinity="web"), "affinity: expected a mapping, got 'web'"),
    (
        "a node affinity that is a list",
        pod(affinity={"nodeAffinity": []}),
        "affinity.nodeAffinity: expected a mapping, got []",
    ),
    ("an overhead that is a number", pod(overhead=1), "overhead: expected a mapping such as cpu: 100m, got 1"),
    (
        "limits that are text",
        pod(containers=[{"name": "web", "resources": {"limits": "1 cpu"}}]),
        "containers[0].resources.limits: expected a mapping such as cpu: 100m, got '1 cpu'",
    ),
    (
        "a limit that is no quantity",
        pod(containers=[{"name": "web", "resources": {"limits": {"cpu": "a"}}}]),
        f"{LIMIT}cpu: 'a' is not a quantity: {WRITE}",
    ),
    (
        "pods that end",
        pod(restartPolicy="Never"),
        'restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ),
    (
        "a restart policy that is a number",
        pod(restartPolicy=1),
        "restartPolicy: expected text, got 1; put it in quotes",
    ),
]
WORKLOADS = [
    (
        "more replicas than fit",
        spec_of(replicas=2**31),
        "replicas: expected a whole number up to 2147483647, got 2147483648",
    ),
    (
        "replicas without bound",
        spec_of(replicas=10**30),
        "replicas: expected a number of at most 64 bits, got a longer one",
    ),
    ("a selector that is text", spec_of(selector="x"), "selector: expected a mapping, got 'x'"),
    (
        "labels to match that are a list",
        spec_of(selector={"matchLabels": ["app"]}),
        "selector.matchLabels: expected a mapping, got ['app']",
    ),
    (
        "a label to match that is a number",
        spec_of(selector={"matchLabels": {"app": 1}}),
        "selector.matchLabels.app: expected text, got 1; put it in quotes",
    ),
    ("a strategy that is text", spec_of(strategy="Recreate"), "strategy: expected a mapping, got 'Recreate'"),
    (
        "a rolling update that is text",
        spec_of(strategy={"rollingUpdate": "25%"}),
        "strategy.rollingUpdate: expected a mapping, got '25%'",
    ),
    (
        "a surge in words",
        spec_of(strategy={"rollingUpdate": {"maxSurge": "a few"}}),
        "strategy.rollingUpdate.maxSurge: expected a whole number or a percentage such as 25%, got 'a few'",
    ),
    (
        "a history in words",
        spec_of(revisionHistoryLimit="all"),
        "revisionHistoryLimit: expected a whole number of 0 or more, got 'all'",
    ),
    (
        "a template that is a list",
        spec_of(template=[WEB]),
        "template: expected a mapping with metadata and spec, got [{'metadata': {'labels': {'app': 'web...",
    ),
    (
        "a template's metadata that is text",
        spec_of(template={**WEB, "metadata": "web"}),
        "template.metadata: expected a mapping, got 'web'",
    ),
    (
        "a template's labels that are a list",
        spec_of(template={**WEB, "metadata": {"labels": ["web"]}}),
        "template.metadata.labels: expected a mapping, got ['web']",
    ),
    (
        "a template's label that is a number",
        spec_of(template={**WEB, "metadata": {"labels": {"app": 1}}}),
        "template.metadata.labels.app: expected text, got 1; put it in quotes",
    ),
]
OTHERS = [
    (
        "a cron job's template that is text",
        other("CronJob", "batch/v1", spec={"jobTemplate": "x"}),
        "CronJob default/web: spec.jobTemplate: expected a mapping with metadata and spec, got 'x'",
    ),
    (
        "a cron job's pods that are text",
        other("CronJob", "batch/v1", spec={"jobTemplate": {"spec": {"template": {"spec": "x"}}}}),
        "CronJob default/web: spec.jobTemplate.spec.template.spec: expected a mapping, got 'x'",
    ),
    (
        "a job's selector that is text",
        other("Job", "batch/v1", spec={"selector": "x"}),
        "Job default/web: spec.selector: expected a mapping, got 'x'",
    ),
    (
        "claims that are text",
        other("StatefulSet", "apps/v1", spec={"volumeClaimTemplates": ["data"]}),
        "StatefulSet default/web: spec.volumeClaimTemplates[0]: expected a mapping, got 'data'",
    ),
    (
        "a service that is text",
        other("Service", spec="web"),
        "Service default/web: spec: expected a mapping, got 'web'",
    ),
    (
        "ports that are a number",
        other("Service", spec={"ports": 80}),
        "Service default/web: spec.ports: expected a list, each entry with a '-'",
    ),
    (
        "a port that is a number",
        other("Service", spec={"ports": [80]}),
        "Service default/web: spec.ports[0]: expected a mapping, got 80",
    ),
    (
        "a port in words",
        other("Service", spec={"ports": [{"port": "http"}]}),
        "Service default/web: spec.ports[0].port: expected a whole number from 1 to 65535, got 'http'",
    ),
    (
        "a port without number",
        other("Service", spec={"ports": [{"name": "http"}]}),
        "Service default/web: spec.ports[0].port: required, but missing",
    ),
    (
        "a service's selector that is a list",
        other("Service", spec={"selector": ["web"]}),
        "Service default/web: spec.selector: expected a mapping, got ['web']",
    ),
    (
        "a config map of a number",
        other("ConfigMap", data={"port": 8080}),
        "ConfigMap default/web: data.port: expected text, got 8080; put it in quotes",
    ),
    (
        "a config map of a mapping",
        other("ConfigMap", data={"server": {"port": "8080"}}),
        "ConfigMap default/web: data.server: expected text, got {'port': '8080'}",
    ),
    ("a secret that is a list", other("Secret", data=["x"]), "Secret default/web: data: expected a mapping, got ['x']"),
    (
        "certificates that are text",
        other("Ingress", "networking.k8s.io/v1", spec={"tls": ["web"]}),
        "Ingress default/web: spec.tls[0]: expected a mapping, got 'web'",
    ),
    (
        "a custom kind's spec that is a number",
        other("Redis", "example.io/v1", spec=3),
        "Redis default/web: spec: expected a mapping, got 3",
    ),
]
RBAC = "rbac.authorization.k8s.io/v1"
LONG = "x" * 64
NO_VALUE = (
    f"{LONG!r} is not a label's value: letters, digits, '-', '_' and '.', at most 63 characters; put longer texts into "
    "annotations"
)
ROLES = [
    ("ClusterRole", "rules", "x", "rules: expected a list, each entry with a '-'"),
    ("ClusterRole", "rules", ["x"], "rules[0]: expected a mapping, got 'x'"),
    ("ClusterRole", "rules", [{"apiGroups": 5}], "rules[0].apiGroups: expected a list, each entry with a '-'"),
    ("ClusterRoleBinding", "subjects", [5], "subjects[0]: expected a mapping, got 5"),
    ("ClusterRoleBinding", "roleRef", "x", "roleRef: expected a mapping, got 'x'"),
]
CUSTOMIZATION = {
    "apiVersion": "config.karmada.io/v1alpha1",
    "kind": "ResourceInterpreterCustomization",
    "metadata": {"name": "r"},
}

CASES = [
    *((name, manifest, f"Deployment default/web: spec.template.spec.{rest}") for name, manifest, rest in PODS),
    *((name, manifest, f"Deployment default/web: spec.{rest}") for name, manifest, rest in WORKLOADS),
    *OTHERS,
    (
        "a kind that is misspelt",
        {"apiVersion": "apps/v1", "kind": "Deploymnt", "metadata": {"name": "web"}},
        "Deploymnt web: apiVersion: apps/v1 has no kind Deploymnt; did you mean Deployment?",
    ),
    (
        "a namespace with a dot",
        other("Namespace", metadata={"name": "a.b"}),
        "Namespace a.b: metadata.name: 'a.b' is not a name: lower case letters, digits and '-', at most 63 characters, "
        "a letter or a digit first and last",
    ),
    (
        "pods with a label that is too long",
        spec_of(template={"metadata": {"labels": {"app": "web", "a": LONG}}, "spec": WEB["spec"]}),
        f"Deployment default/web: spec.template.metadata.labels.a: {NO_VALUE}",
    ),
    (
        "a CronJob whose pods have one",
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "web"},
            "spec": {
                "schedule": "* * * * *",
                "jobTemplate": {"spec": {"template": {"metadata": {"labels": {"a": LONG}}, "spec": WEB["spec"]}}},
            },
        },
        f"CronJob default/web: spec.jobTemplate.spec.template.metadata.labels.a: {NO_VALUE}",
    ),
    *(
        (
            f"{kind}: {field}",
            {"apiVersion": RBAC, "kind": kind, "metadata": {"name": "r"}, field: value},
            f"{kind} r: {rest}",
        )
        for kind, field, value, rest in ROLES
    ),
    *(
        (f"a customization: {spec}", {**CUSTOMIZATION, "spec": spec}, f"ResourceInterpreterCustomization r: {rest}")
        for spec, rest in (
            ("x", "spec: expected a mapping, got 'x'"),
            ({"target": ["x"]}, "spec.target: expected a mapping, got ['x']"),
        )
    ),
]
NATIVE = [
    Wrong(name, lambda lab, manifest=manifest: lab.apply(manifest), Invalid, message)
    for name, manifest, message in CASES
]
