"""The native kinds and their hooks: Karmada's default interpreter as one table.

A kind that is not here has its status reflected whole, is reported healthy, and counts no replicas.
"""

from __future__ import annotations

from karmadalab.interpreter import dependencies, health, reflect, replicas, retain
from karmadalab.interpreter.aggregate import network, storage, v1_18, workloads
from karmadalab.interpreter.aggregate.jobs import aggregate_cron_job, aggregate_job
from karmadalab.interpreter.aggregate.pods import aggregate_pod
from karmadalab.interpreter.hooks import Hooks

_V1_13: dict[str, Hooks] = {
    "Deployment.apps": Hooks(
        get_replicas=replicas.workload_replicas,
        revise_replica=replicas.revise_workload,
        retain=retain.retain_replicas,
        reflect_status=reflect.deployment_status,
        aggregate_status=workloads.aggregate_deployment,
        interpret_health=health.workload_healthy,
        get_dependencies=dependencies.pod_template_dependencies,
    ),
    "StatefulSet.apps": Hooks(
        get_replicas=replicas.workload_replicas,
        revise_replica=replicas.revise_workload,
        reflect_status=reflect.stateful_set_status,
        aggregate_status=workloads.aggregate_stateful_set,
        interpret_health=health.workload_healthy,
        get_dependencies=dependencies.stateful_set_dependencies,
    ),
    "DaemonSet.apps": Hooks(
        reflect_status=reflect.daemon_set_status,
        aggregate_status=workloads.aggregate_daemon_set,
        interpret_health=health.daemon_set_healthy,
        get_dependencies=dependencies.pod_template_dependencies,
    ),
    "ReplicaSet.apps": Hooks(interpret_health=health.replica_set_healthy),
    "Job.batch": Hooks(
        get_replicas=replicas.job_replicas,
        revise_replica=replicas.revise_job,
        retain=retain.retain_job,
        reflect_status=reflect.job_status,
        aggregate_status=aggregate_job,
        get_dependencies=dependencies.pod_template_dependencies,
    ),
    "CronJob.batch": Hooks(
        aggregate_status=aggregate_cron_job,
        get_dependencies=dependencies.cron_job_dependencies,
    ),
    "Pod": Hooks(
        get_replicas=replicas.pod_replicas,
        retain=retain.retain_pod,
        aggregate_status=aggregate_pod,
        interpret_health=health.pod_healthy,
        get_dependencies=dependencies.pod_dependencies,
    ),
    "Service": Hooks(
        retain=retain.retain_service,
        reflect_status=reflect.service_status,
        aggregate_status=network.aggregate_service,
        interpret_health=health.service_healthy,
    ),
    "Ingress.networking.k8s.io": Hooks(
        aggregate_status=network.aggregate_ingress,
        interpret_health=health.ingress_healthy,
        get_dependencies=dependencies.ingress_dependencies,
    ),
    "ServiceImport.multicluster.x-k8s.io": Hooks(get_dependencies=dependencies.service_import_dependencies),
    "ServiceAccount": Hooks(retain=retain.retain_service_account),
    "Secret": Hooks(retain=retain.retain_secret),
    "PersistentVolumeClaim": Hooks(
        retain=retain.retain_volume_claim,
        aggregate_status=storage.aggregate_volume_claim,
        interpret_health=health.volume_claim_healthy,
    ),
    "PersistentVolume": Hooks(
        retain=retain.retain_volume,
        aggregate_status=storage.aggregate_volume,
    ),
    "PodDisruptionBudget.policy": Hooks(
        reflect_status=reflect.disruption_budget_status,
        aggregate_status=workloads.aggregate_disruption_budget,
        interpret_health=health.disruption_budget_healthy,
    ),
    "HorizontalPodAutoscaler.autoscaling": Hooks(
        reflect_status=reflect.autoscaler_status,
        aggregate_status=workloads.aggregate_autoscaler,
    ),
}

_V1_18: dict[str, Hooks] = {
    **_V1_13,
    "ReplicaSet.apps": Hooks(
        get_replicas=replicas.workload_replicas,
        revise_replica=replicas.revise_workload,
        reflect_status=reflect.replica_set_status,
        aggregate_status=v1_18.aggregate_replica_set,
        interpret_health=health.replica_set_healthy,
        get_dependencies=dependencies.pod_template_dependencies,
    ),
    "ServiceAccount": Hooks(retain=retain.retain_service_account_and_pull_secrets),
    "Job.batch": _V1_13["Job.batch"]._replace(aggregate_status=v1_18.aggregate_job_keeping_start),
    "Service": _V1_13["Service"]._replace(aggregate_status=v1_18.aggregate_service),
    "Ingress.networking.k8s.io": _V1_13["Ingress.networking.k8s.io"]._replace(
        aggregate_status=v1_18.aggregate_ingress,
        get_dependencies=dependencies.ingress_dependencies_with_unnamed,
    ),
}

# The hooks of each profile.
NATIVE: dict[str, dict[str, Hooks]] = {"v1.13": _V1_13, "v1.18": _V1_18}
