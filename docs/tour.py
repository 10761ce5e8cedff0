"""A tour that gives every controller something to do, and who read and wrote what on it."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from karmadalab import Lab
from karmadalab.core.store import Store
from karmadalab.core.trace import CREATE, DELETE, STATUS, UPDATE
from karmadalab.experiments import run_scenario

SCENARIOS = ("failover", "service-exported", "namespace-everywhere", "federated-hpa", "cluster-life")
EVERYTHING = {
    "feature_gates": {"MultiClusterService": True, "PropagationPolicyPreemption": True},
    "controllers": "*,hpaScaleTargetMarker,deploymentReplicasSyncer,unifiedAuth",
}
V1_18 = {
    "profile": "v1.18",
    "enable_no_execute_taint_eviction": True,
    "allow_no_execute_taint_policy": True,
    "resource_eviction_rate": 5,
}

WORKLOADS = """
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {a: b}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx, envFrom: [{configMapRef: {name: settings}}]}]}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}, minReplicas: 1, maxReplicas: 5}
---
apiVersion: policy.karmada.io/v1alpha1
kind: PropagationPolicy
metadata: {name: web}
spec:
  propagateDeps: true
  failover: {application: {decisionConditions: {tolerationSeconds: 20}, purgeMode: Graciously}}
  resourceSelectors:
    - {apiVersion: apps/v1, kind: Deployment, name: web}
    - {apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, name: web}
  placement:
    clusterAffinity: {clusterNames: [member1, member2]}
    spreadConstraints: [{spreadByField: cluster, minGroups: 1, maxGroups: 1}]
    replicaScheduling: {replicaSchedulingType: Divided, replicaDivisionPreference: Aggregated}
---
apiVersion: policy.karmada.io/v1alpha1
kind: OverridePolicy
metadata: {name: web}
spec:
  resourceSelectors: [{apiVersion: apps/v1, kind: Deployment, name: web}]
  overrideRules: [{overriders: {labelsOverrider: [{operator: add, value: {from: override}}]}}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules: []
---
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterPropagationPolicy
metadata: {name: reader}
spec:
  resourceSelectors: [{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, name: reader}]
  placement: {}
---
apiVersion: networking.karmada.io/v1alpha1
kind: MultiClusterService
metadata: {name: web}
spec:
  types: [CrossCluster]
  providerClusters: [{name: member1}, {name: member2}]
  consumerClusters: [{name: member3}]
---
apiVersion: remedy.karmada.io/v1alpha1
kind: Remedy
metadata: {name: away}
spec:
  decisionMatches:
    - clusterConditionMatch: {conditionType: Ready, operator: NotEqual, conditionStatus: "True"}
  actions: [TrafficControl]
"""

LATER = """
apiVersion: autoscaling.karmada.io/v1alpha1
kind: CronFederatedHPA
metadata: {name: web}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}
  rules: [{name: up, schedule: "*/2 * * * *", targetReplicas: 3}]
---
apiVersion: apps.karmada.io/v1alpha1
kind: WorkloadRebalancer
metadata: {name: again}
spec:
  ttlSecondsAfterFinished: 5
  workloads: [{apiVersion: apps/v1, kind: Deployment, name: web, namespace: default}]
"""

TAINT_POLICY = """
apiVersion: policy.karmada.io/v1alpha1
kind: ClusterTaintPolicy
metadata: {name: down}
spec:
  addOnConditions: [{conditionType: Ready, operator: NotIn, statusValues: ["True"]}]
  removeOnConditions: [{conditionType: Ready, operator: In, statusValues: ["True"]}]
  taints: [{key: down, effect: NoExecute}]
"""

# What reads on behalf of the store or of a member, though a controller set it off.
_OTHERS = ("karmadalab.webhook", "karmadalab.environments.namespaces", "karmadalab.environments.workloads")

Kinds = dict[str, set[tuple[str, bool]]]  # by actor: the kinds, and whether in a member


def take(root: Path) -> tuple[Kinds, Kinds, dict[str, list[str]]]:
    """Go on the tour: what was read and written, and the scenario files on which each actor wrote."""
    written: Kinds = defaultdict(set)
    seen_in: dict[str, list[str]] = defaultdict(list)
    with _recording() as read:
        for name in SCENARIOS:
            wrote = _written(run_scenario(root / "environments" / f"{name}.yaml").lab)
            for actor, kinds in wrote.items():
                written[actor] |= kinds
                seen_in[actor].append(f"environments/{name}.yaml")
        for lab in (_everything(), _policies_that_taint()):
            for actor, kinds in _written(lab).items():
                written[actor] |= kinds
    return read, written, seen_in


def _everything() -> Lab:
    """v1.13 with all that is optional: a bad image, a rebalancer, a schedule, a dead member, a stronger policy."""
    lab = Lab.fake(members=3, pull=1, settings=EVERYTHING)
    lab.apply(WORKLOADS)
    lab.run("1m")
    home = next(iter(lab.placement["default/web-deployment"]))
    there = lab.world.member(home).store
    there.update(there.get("Deployment.apps", "web", "default").with_spec(replicas=4))  # as an autoscaler there would
    lab.run("1m")
    bad = lab.fault(home).bad_image("nginx")
    lab.apply(WORKLOADS.replace("{labels: {app: web}}", "{labels: {app: web, version: two}}"))
    lab.run("2m")
    bad.heal()
    lab.apply(LATER)
    lab.run("5m")
    lab.fault("member2").power_off(for_="3m")
    lab.fault("member3").stop_agent(for_="3m")
    lab.run("5m")
    lab.apply(WORKLOADS.replace("metadata: {name: web}\nspec:\n  propagateDeps: true", _STRONGER))
    lab.run("1m")
    return lab


_STRONGER = "metadata: {name: stronger}\nspec:\n  priority: 5\n  preemption: Always\n  propagateDeps: true"


def _policies_that_taint() -> Lab:
    lab = Lab.fake(members=3, settings=V1_18)
    lab.apply(TAINT_POLICY)
    lab.apply(WORKLOADS.partition("---\napiVersion: networking")[0])
    lab.run("1m")
    lab.fault("member1").power_off(for_="3m")
    lab.run("6m")
    return lab


def _written(lab: Lab) -> Kinds:
    found: Kinds = defaultdict(set)
    for row in lab.trace.rows:
        if row.verb in (CREATE, UPDATE, STATUS, DELETE):
            found[row.actor].add((row.kind + (" status" if row.verb == STATUS else ""), bool(row.world)))
    return found


@contextmanager
def _recording() -> Iterator[Kinds]:
    """Note every read of a store by a controller."""
    read: Kinds = defaultdict(set)
    originals = {name: getattr(Store, name) for name in ("find", "get", "list", "indexed")}

    def noted(original: Any) -> Any:
        def call(self: Store, kind: Any, *args: Any, **options: Any) -> Any:
            reader = _reader()
            if reader:
                read[reader].add((kind if isinstance(kind, str) else kind.GROUP_KIND, bool(self.world)))
            return original(self, kind, *args, **options)

        return call

    for name, original in originals.items():
        setattr(Store, name, noted(original))
    try:
        yield read
    finally:
        for name, original in originals.items():
            setattr(Store, name, original)


def _reader() -> str:
    """The controller on whose behalf a store is read: the innermost one on the stack, also one that maps an event."""
    frame = sys._getframe(2)
    while frame is not None:
        if str(frame.f_globals.get("__name__", "")).startswith(_OTHERS):
            return ""
        owner = frame.f_locals.get("self")
        if hasattr(owner, "watches") and hasattr(owner, "reconcile"):
            return str(owner.name)
        frame = frame.f_back
    return ""
