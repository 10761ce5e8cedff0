"""What runs inside a simulated member: the controllers of a small Kubernetes, its pod scheduler and its kubelet."""

from karmadalab.environments.workloads.deployment import DEPLOYMENT
from karmadalab.environments.workloads.pods import holds_room, is_ready, owner_of, pod_requests, workload_of
from karmadalab.environments.workloads.together import Workloads

__all__ = ["DEPLOYMENT", "Workloads", "holds_room", "is_ready", "owner_of", "pod_requests", "workload_of"]
