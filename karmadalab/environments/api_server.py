"""What any Kubernetes API server does to a write, whoever's it is: the control plane's, or a member's."""

from __future__ import annotations

from itertools import count
from typing import Any

from karmadalab.api.naming import fnv32a
from karmadalab.api.native_defaults import (
    COUNTS,
    default_job,
    default_namespace,
    default_secret,
    default_service,
    default_spec,
)
from karmadalab.api.unstructured import Unstructured
from karmadalab.core.clock import VirtualClock
from karmadalab.core.store import Admit, Store
from karmadalab.core.trace import Trace
from karmadalab.environments.namespaces import NAMESPACE, Namespaces, refuse_new_content

SERVICE, JOB, SECRET, VOLUME_CLAIM = "Service", "Job.batch", "Secret", "PersistentVolumeClaim"


class ApiServer:
    """A store with the manners of an API server, and the controller that sees to its namespaces.

    Args:
        clock, trace: the lab's.
        world: "" for the control plane, else the member's name.
        admit: admission of its own, after the defaults.
    """

    def __init__(self, clock: VirtualClock, trace: Trace, world: str = "", admit: Admit | None = None) -> None:
        self._admit = admit
        self._network = fnv32a(f"services of {world}") % 200 + 20
        graceful = frozenset({"Pod", NAMESPACE} if world else {NAMESPACE})
        self.store = Store(clock, trace, world=world, admit=self.admit, graceful=graceful)
        Namespaces(self.store, clock, trace)

    def admit(self, operation: str, obj: Any, old: Any) -> Any:
        """The object as it will be stored.

        Raises:
            Forbidden: it is new, and its namespace is being deleted.
            Invalid, Denied: admission refused it.
        """
        if operation == "CREATE":
            refuse_new_content(self.store, obj)
        if operation != "DELETE" and obj.__class__ is Unstructured:
            obj = self._defaulted(obj, old)
        return obj if self._admit is None else self._admit(operation, obj, old)

    def _defaulted(self, obj: Unstructured, old: Unstructured | None) -> Unstructured:
        kind = obj.GROUP_KIND
        if kind == SERVICE:
            return default_service(obj, old, self._address, self._node_ports)
        if kind == NAMESPACE:
            return default_namespace(obj)
        if kind == SECRET:
            return default_secret(obj)
        if kind == VOLUME_CLAIM and "volumeMode" not in obj.spec:
            return obj.with_spec(volumeMode="Filesystem")
        if kind == JOB and old is None:
            return default_job(obj, self._job_id)
        if kind in COUNTS and (old is None or obj.body is not old.body):
            return default_spec(obj)
        return obj

    def _address(self) -> str:
        """The first that is free: one that was given to a Service whose batch was then refused is free again."""
        taken = {service.spec.get("clusterIP") for service in self.store.list(SERVICE)}
        addresses = (f"10.{self._network}.{number >> 8 & 0xFF}.{number & 0xFF}" for number in count(1))
        return next(address for address in addresses if address not in taken)

    def _node_ports(self) -> set[int]:
        """Those that Services have."""
        services = self.store.list(SERVICE)
        return {port["nodePort"] for service in services for port in service.spec["ports"] if "nodePort" in port}

    def _job_id(self) -> str:
        return f"00000000-0000-4000-9000-{self._network:03x}{self.store.version:09x}"
