"""The native kinds' fields that somebody here reads, and what each must be.

A real API server decodes every field into a Go type and refuses what does not fit, before anything else looks at it.
Here the table below does that. What is not in it is kept as it was written.
"""

from __future__ import annotations

from karmadalab.api.shapes import (
    ANY,
    COUNT,
    LENGTH,
    NUMBER,
    PORT,
    PORT_OR_NAME,
    QUANTITY,
    SHARE,
    TEXT,
    TEXTS,
    TRUTH,
    Each,
    Fields,
    Named,
    Shape,
    text,
)

_REF = Fields({"name": TEXT})
_META = Fields({"name": TEXT, "labels": TEXTS, "annotations": TEXTS})
_TERM = Fields({"key": TEXT, "operator": TEXT, "values": Each(TEXT)})
_SELECTOR = Fields({"matchLabels": TEXTS, "matchExpressions": Each(_TERM)})
_QUANTITIES = Named(QUANTITY, " such as cpu: 100m")
_RESOURCES = Fields({"requests": _QUANTITIES, "limits": _QUANTITIES})

_SOURCE = Fields({"configMap": _REF, "secret": _REF})
_VOLUME = Fields(
    {
        "name": TEXT,
        "configMap": _REF,
        "secret": Fields({"secretName": TEXT}),
        "persistentVolumeClaim": Fields({"claimName": TEXT}),
        "projected": Fields({"sources": Each(_SOURCE)}),
        "azureFile": Fields({"secretName": TEXT}),
        "csi": Fields({"nodePublishSecretRef": _REF}),
        **{kind: Fields({"secretRef": _REF}) for kind in ("cephfs", "cinder", "flexVolume", "rbd", "scaleIO")},
        **{kind: Fields({"secretRef": _REF}) for kind in ("iscsi", "storageos")},
    }
)
_ENV = Fields(
    {"name": TEXT, "value": TEXT, "valueFrom": Fields({"configMapKeyRef": _REF, "secretKeyRef": _REF})},
    " with name and value",
)
_CONTAINER = Fields(
    {
        "name": TEXT,
        "image": text(" such as nginx:1.27"),
        "command": Each(TEXT),
        "args": Each(TEXT),
        "env": Each(_ENV),
        "envFrom": Each(Fields({"configMapRef": _REF, "secretRef": _REF})),
        "ports": Each(Fields({"name": TEXT, "containerPort": PORT, "protocol": TEXT})),
        "resources": _RESOURCES,
        "volumeMounts": Each(Fields({"name": TEXT, "mountPath": TEXT})),
        "imagePullPolicy": TEXT,
    },
    " with name and image",
)
_TOLERATION = Fields(
    {"key": TEXT, "operator": TEXT, "value": TEXT, "effect": TEXT, "tolerationSeconds": NUMBER}, closed=True
)
_NODE_TERM = Fields({"matchExpressions": Each(_TERM), "matchFields": Each(_TERM)})
_NODE_AFFINITY = Fields(
    {
        "requiredDuringSchedulingIgnoredDuringExecution": Fields({"nodeSelectorTerms": Each(_NODE_TERM)}),
        "preferredDuringSchedulingIgnoredDuringExecution": Each(Fields({"weight": COUNT, "preference": _NODE_TERM})),
    }
)
_POD = Fields(
    {
        **{kind: Each(_CONTAINER) for kind in ("containers", "initContainers", "ephemeralContainers")},
        "volumes": Each(_VOLUME),
        "nodeSelector": TEXTS,
        "nodeName": TEXT,
        "serviceAccountName": TEXT,
        "imagePullSecrets": Each(_REF),
        "tolerations": Each(_TOLERATION),
        "affinity": Fields({"nodeAffinity": _NODE_AFFINITY, "podAffinity": ANY, "podAntiAffinity": ANY}),
        "overhead": _QUANTITIES,
        "priorityClassName": TEXT,
        "restartPolicy": TEXT,
        "terminationGracePeriodSeconds": LENGTH,
        "topologySpreadConstraints": Each(ANY),
        "securityContext": ANY,
        "hostNetwork": TRUTH,
    }
)
_TEMPLATE = Fields({"metadata": _META, "spec": _POD}, " with metadata and spec")
_ROLLING = Fields({"maxSurge": SHARE, "maxUnavailable": SHARE, "partition": COUNT})
_STRATEGY = Fields({"type": TEXT, "rollingUpdate": _ROLLING})
_WORKLOAD: dict[str, Shape] = {
    "replicas": COUNT,
    "selector": _SELECTOR,
    "template": _TEMPLATE,
    "minReadySeconds": COUNT,
    "revisionHistoryLimit": COUNT,
}
_CLAIM = Fields(
    {
        "accessModes": Each(TEXT),
        "resources": _RESOURCES,
        "selector": _SELECTOR,
        "storageClassName": TEXT,
        "volumeMode": TEXT,
        "volumeName": TEXT,
    }
)
_JOB = Fields(
    {
        "parallelism": COUNT,
        "completions": COUNT,
        "backoffLimit": COUNT,
        "activeDeadlineSeconds": LENGTH,
        "ttlSecondsAfterFinished": COUNT,
        "completionMode": TEXT,
        "manualSelector": TRUTH,
        "suspend": TRUTH,
        "selector": _SELECTOR,
        "template": _TEMPLATE,
    }
)
_SERVICE_PORT = Fields(
    {"name": TEXT, "port": PORT, "targetPort": PORT_OR_NAME, "nodePort": COUNT, "protocol": TEXT}, required=("port",)
)
_SERVICE = Fields(
    {
        "type": TEXT,
        "selector": TEXTS,
        "ports": Each(_SERVICE_PORT),
        "clusterIP": TEXT,
        "clusterIPs": Each(TEXT),
        "externalIPs": Each(TEXT),
        "externalName": TEXT,
        "sessionAffinity": TEXT,
    }
)
_RULE = Fields({field: Each(TEXT) for field in ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")})
_ROLE = Fields({"rules": Each(_RULE)})
_ROLE_BINDING = Fields(
    {
        "subjects": Each(Fields({"kind": TEXT, "apiGroup": TEXT, "name": TEXT, "namespace": TEXT})),
        "roleRef": Fields({"apiGroup": TEXT, "kind": TEXT, "name": TEXT}),
    }
)
_ENDPOINT = Fields({"addresses": Each(TEXT), "conditions": ANY, "nodeName": TEXT})


def _with_spec(spec: Shape) -> Fields:
    return Fields({"spec": spec})


SHAPES: dict[str, Fields] = {
    "Deployment.apps": _with_spec(
        Fields({**_WORKLOAD, "strategy": _STRATEGY, "paused": TRUTH, "progressDeadlineSeconds": COUNT})
    ),
    "ReplicaSet.apps": _with_spec(Fields(_WORKLOAD)),
    "StatefulSet.apps": _with_spec(
        Fields(
            {
                **_WORKLOAD,
                "serviceName": TEXT,
                "podManagementPolicy": TEXT,
                "updateStrategy": _STRATEGY,
                "volumeClaimTemplates": Each(Fields({"metadata": _META, "spec": _CLAIM})),
            }
        )
    ),
    "DaemonSet.apps": _with_spec(Fields({**_WORKLOAD, "updateStrategy": _STRATEGY})),
    "Job.batch": _with_spec(_JOB),
    "CronJob.batch": _with_spec(
        Fields(
            {
                "schedule": TEXT,
                "timeZone": TEXT,
                "suspend": TRUTH,
                "concurrencyPolicy": TEXT,
                "startingDeadlineSeconds": LENGTH,
                "jobTemplate": Fields({"metadata": _META, "spec": _JOB}, " with metadata and spec"),
            }
        )
    ),
    "Pod": _with_spec(_POD),
    "Service": _with_spec(_SERVICE),
    "ConfigMap": Fields({"data": TEXTS, "binaryData": TEXTS, "immutable": TRUTH}),
    "Secret": Fields({"data": TEXTS, "stringData": TEXTS, "type": TEXT, "immutable": TRUTH}),
    "ServiceAccount": Fields({"secrets": Each(_REF), "imagePullSecrets": Each(_REF)}),
    "Namespace": _with_spec(Fields({"finalizers": Each(TEXT)})),
    "PersistentVolumeClaim": _with_spec(_CLAIM),
    "PersistentVolume": _with_spec(Fields({"capacity": _QUANTITIES, "claimRef": Fields({"name": TEXT})})),
    "Ingress.networking.k8s.io": _with_spec(
        Fields({"tls": Each(Fields({"secretName": TEXT, "hosts": Each(TEXT)})), "rules": Each(ANY)})
    ),
    "PodDisruptionBudget.policy": _with_spec(
        Fields({"selector": _SELECTOR, "minAvailable": SHARE, "maxUnavailable": SHARE})
    ),
    "HorizontalPodAutoscaler.autoscaling": _with_spec(
        Fields(
            {
                "scaleTargetRef": Fields({"apiVersion": TEXT, "kind": TEXT, "name": TEXT}),
                "minReplicas": COUNT,
                "maxReplicas": COUNT,
                "metrics": Each(ANY),
            }
        )
    ),
    "EndpointSlice.discovery.k8s.io": Fields({"endpoints": Each(_ENDPOINT), "ports": Each(ANY), "addressType": TEXT}),
    "ServiceImport.multicluster.x-k8s.io": _with_spec(
        Fields({"type": TEXT, "ips": Each(TEXT), "ports": Each(_SERVICE_PORT)})
    ),
    **{f"{kind}.rbac.authorization.k8s.io": _ROLE for kind in ("Role", "ClusterRole")},
    **{f"{kind}.rbac.authorization.k8s.io": _ROLE_BINDING for kind in ("RoleBinding", "ClusterRoleBinding")},
    "CustomResourceDefinition.apiextensions.k8s.io": _with_spec(
        Fields(
            {
                "group": TEXT,
                "names": Fields({"plural": TEXT, "kind": TEXT}),
                "versions": Each(Fields({"name": TEXT})),
            }
        )
    ),
}
