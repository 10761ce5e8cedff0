"""Karmada's flags, one field each, with Karmada's names and defaults.

In a real fleet these are spread over four binaries (karmada-controller-manager, karmada-agent, karmada-scheduler,
karmada-webhook) that must agree; here they are one object. A profile is a release: `v1.13` (with its `Failover` gate
on, the last release that adds NoExecute taints by itself) or `v1.18`.

Not modelled: flags about certificates, profiling, addresses and API rate limits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from typing import Annotated, Any

import msgspec

from karmadalab.api.errors import BadRequest
from karmadalab.api.similar import similar
from karmadalab.api.time import duration, seconds

Seconds = Annotated[float, "seconds"]

PROFILES = ("v1.13", "v1.18")
PURGE_MODES = ("Gracefully", "Directly")

# A loop that pauses less than that does nothing else.
_LEAST_S = dict.fromkeys(
    (
        *("cluster_monitor_period", "cluster_status_update_frequency", "cluster_lease_duration"),
        *("rate_limiter_base_delay", "rate_limiter_max_delay", "horizontal_pod_autoscaler_sync_period"),
    ),
    0.001,
)
_LEAST_RENEWAL_S = 0.01
# One round of each passes before the lab begins, and all of it is simulated.
_MOST_S = dict.fromkeys(("cluster_monitor_period", "cluster_status_update_frequency"), 7 * 86400.0)

_GATES_V1_13 = {
    "Failover": True,  # off by default in Karmada v1.13; without it there is no lesson
    "GracefulEviction": True,
    "PropagateDeps": True,
    "CustomizedClusterResourceModeling": True,
    "PropagationPolicyPreemption": False,
    "MultiClusterService": False,
    "ResourceQuotaEstimate": False,
    "StatefulFailoverInjection": False,
    "PriorityBasedScheduling": False,
}
_GATES_V1_18 = {
    **_GATES_V1_13,
    "FederatedQuotaEnforcement": False,
    "MultiplePodTemplatesScheduling": False,
    "WorkloadAffinity": False,
    "SchedulingOvercommitProtection": False,
    "ControllerPriorityQueue": True,
}
DEFAULT_GATES: Mapping[str, Mapping[str, bool]] = {"v1.13": _GATES_V1_13, "v1.18": _GATES_V1_18}


class Settings(msgspec.Struct, frozen=True):
    """The flags of one control plane. Durations are given as Kubernetes writes them and kept in seconds.

    >>> Settings(cluster_monitor_grace_period="1m").cluster_monitor_grace_period
    60.0

    Raises:
        BadRequest: a value that its flag would refuse.
    """

    profile: str = "v1.13"

    cluster_status_update_frequency: Seconds = 10.0
    cluster_lease_duration: Seconds = 40.0
    cluster_lease_renew_interval_fraction: float = 0.25
    cluster_success_threshold: Seconds = 30.0
    cluster_failure_threshold: Seconds = 30.0
    cluster_monitor_period: Seconds = 5.0
    cluster_monitor_grace_period: Seconds = 40.0
    cluster_startup_grace_period: Seconds = 60.0
    failover_eviction_timeout: Seconds = 300.0
    graceful_eviction_timeout: Seconds = 600.0
    enable_taint_manager: bool = True
    enable_no_execute_taint_eviction: bool = False
    no_execute_taint_eviction_purge_mode: str = "Gracefully"
    resource_eviction_rate: float = 0.5
    default_not_ready_toleration_seconds: int = 300
    default_unreachable_toleration_seconds: int = 300
    enable_empty_workload_propagation: bool = False
    skipped_propagating_apis: str = ""
    skipped_propagating_namespaces: str = "kube-.*"
    rate_limiter_base_delay: Seconds = 0.005
    rate_limiter_max_delay: Seconds = 1000.0
    horizontal_pod_autoscaler_sync_period: Seconds = 15.0
    horizontal_pod_autoscaler_downscale_stabilization: Seconds = 300.0
    horizontal_pod_autoscaler_tolerance: float = 0.1
    horizontal_pod_autoscaler_cpu_initialization_period: Seconds = 300.0
    horizontal_pod_autoscaler_initial_readiness_delay: Seconds = 30.0
    leader_elect_lease_duration: Seconds = 15.0
    leader_elect_retry_period: Seconds = 2.0
    controllers: str = "*"
    allow_no_execute_taint_policy: bool = False
    feature_gates: Mapping[str, bool] = {}

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise BadRequest(f"profile: there is no {self.profile!r}; choose one of {', '.join(PROFILES)}")
        for name in self.__struct_fields__:
            msgspec.structs.force_setattr(self, name, self._checked(name, getattr(self, name)))
        if not 0 < self.cluster_lease_renew_interval_fraction <= 1:
            raise BadRequest(
                "cluster_lease_renew_interval_fraction: a lease renewed later than it ends is never valid, and one "
                f"renewed all the time never rests; choose a fraction above 0 and up to 1, not "
                f"{self.cluster_lease_renew_interval_fraction:g}"
            )
        if (renewal_s := self.cluster_lease_duration * self.cluster_lease_renew_interval_fraction) < _LEAST_RENEWAL_S:
            raise BadRequest(
                "cluster_lease_renew_interval_fraction: a lease is renewed after this fraction of "
                f"cluster_lease_duration, which would be after {renewal_s:g}s; at least {duration(_LEAST_RENEWAL_S)} "
                "must pass"
            )
        if self.no_execute_taint_eviction_purge_mode not in PURGE_MODES:
            raise BadRequest(
                f"no_execute_taint_eviction_purge_mode: there is no {self.no_execute_taint_eviction_purge_mode!r}; "
                f"choose {' or '.join(PURGE_MODES)}"
            )
        for pattern in self.skipped_propagating_namespaces.split(","):
            _check_pattern("skipped_propagating_namespaces", pattern.strip())

    def _checked(self, name: str, value: Any) -> Any:
        type_ = self.__annotations__[name]
        if name == "feature_gates":
            return self._gates(value)
        if type_ == "Seconds":
            return _length(name, seconds(value, name))
        if type_ == "bool":
            return _boolean(name, value)
        if type_ in ("int", "float"):
            return _number(name, type_, value)
        if not isinstance(value, str):
            raise BadRequest(f"{name}: expected text, got {value!r}")
        return value

    def _gates(self, given: Any) -> dict[str, bool]:
        if not isinstance(given, Mapping):
            raise BadRequest(f"feature_gates: expected a mapping such as {{'Failover': False}}, got {given!r}")
        known = DEFAULT_GATES[self.profile]
        for gate in given:
            if gate not in known:
                raise BadRequest(f"feature_gates: {self.profile} has no gate {gate!r}{_offer(gate, known)}")
        return {**known, **{gate: _boolean(f"feature_gates.{gate}", on) for gate, on in given.items()}}

    def gate(self, name: str) -> bool:
        """Whether a feature gate is on."""
        return self.feature_gates[name]

    def with_flags(self, flags: Mapping[str, Any]) -> Settings:
        """These settings with some flags changed, named as on Karmada's command line or as the fields here.

        >>> Settings().with_flags({"cluster-failure-threshold": "60s"}).cluster_failure_threshold
        60.0

        Raises:
            BadRequest: an unknown flag (the message offers a close one) or a bad value.
        """
        if not isinstance(flags, Mapping):
            raise BadRequest(
                f"settings: expected a mapping such as {{'cluster-failure-threshold': '60s'}}, got {flags!r}"
            )
        names = self.__struct_fields__
        changes: dict[str, Any] = {}
        for flag, value in flags.items():
            name = str(flag).lstrip("-").replace("-", "_")
            if any(str(flag) in gates for gates in DEFAULT_GATES.values()):
                raise BadRequest(
                    f"{flag} is a feature gate, not a flag: write feature-gates={flag}={str(value).lower()}"
                )
            if name not in names:
                known = [item.replace("_", "-") for item in names] if "-" in str(flag) else names
                raise BadRequest(f"there is no flag {flag!r}{_offer(str(flag), known)}")
            changes[name] = value
        _check_release(changes, changes.get("profile", self.profile))
        if "profile" in changes and "feature_gates" not in changes:
            changes["feature_gates"] = {}
        elif "feature_gates" in changes:
            changes["feature_gates"] = {**self._changed_gates(), **_parsed_gates(changes["feature_gates"])}
        return Settings(**{**{name: getattr(self, name) for name in names}, **changes})

    def _changed_gates(self) -> dict[str, bool]:
        known = DEFAULT_GATES[self.profile]
        return {gate: on for gate, on in self.feature_gates.items() if on != known[gate]}

    def changed(self) -> dict[str, str]:
        """The flags that differ from the profile's defaults, as they would be written on a command line."""
        plain = Settings(profile=self.profile)
        flags = {}
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if name in ("profile", "feature_gates") or value == getattr(plain, name):
                continue
            flags[name.replace("_", "-")] = _as_flag(value, self.__annotations__[name])
        if gates := self._changed_gates():
            flags["feature-gates"] = ",".join(f"{gate}={str(on).lower()}" for gate, on in sorted(gates.items()))
        return flags

    def banner(self) -> str:
        """One line for titles: the profile, whether clusters fail over, and what differs from the defaults."""
        failover = "Failover on" if self.gate("Failover") else "Failover off"
        if self.profile == "v1.18":
            evicts = self.gate("Failover") and self.enable_taint_manager and self.enable_no_execute_taint_eviction
            failover += f", NoExecute eviction {'on' if evicts else 'off'}"
        changes = "".join(f" {flag}={value}" for flag, value in self.changed().items() if flag != "feature-gates")
        return f"Karmada {self.profile}, {failover}{changes}"

    def __repr__(self) -> str:
        return f"<Settings {self.banner()}>"


# Flags that one of the two releases does not have; there they would be accepted and do nothing.
_ONLY_IN = {
    "enable_no_execute_taint_eviction": "v1.18",
    "no_execute_taint_eviction_purge_mode": "v1.18",
    "resource_eviction_rate": "v1.18",
    "allow_no_execute_taint_policy": "v1.18",
    "failover_eviction_timeout": "v1.13",
    "default_not_ready_toleration_seconds": "v1.13",
    "default_unreachable_toleration_seconds": "v1.13",
}


def _check_release(changes: Mapping[str, Any], profile: str) -> None:
    for name in changes:
        release = _ONLY_IN.get(name, profile)
        if release != profile:
            flag = name.replace("_", "-")
            raise BadRequest(f"{flag}: Karmada {profile} has no such flag, {release} has; choose profile={release}")


def _as_flag(value: Any, type_: str) -> str:
    """A value as it would be written on a command line."""
    if type_ == "Seconds":
        return duration(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _offer(name: str, known: Any) -> str:
    close = similar(name, known, cutoff=0.5)
    return f"; did you mean {close[0]}?" if close else ""


def _length(name: str, value: float) -> float:
    if value < 0:
        raise BadRequest(f"{name}: a length of time can't be negative, got {duration(value)}")
    if value < (least := _LEAST_S.get(name, 0)):
        raise BadRequest(f"{name}: must be at least {duration(least)}, or the loop would never pause, got {value:g}s")
    if value > (most := _MOST_S.get(name, inf)):
        raise BadRequest(
            f"{name}: must be at most {duration(most)}, or the lab, which lets a round pass first, would hardly ever "
            f"begin, got {duration(value)}"
        )
    return value


def _check_pattern(name: str, pattern: str) -> None:
    try:
        re.compile(pattern)
    except re.error as error:
        raise BadRequest(
            f"{name}: {pattern!r} is not a regular expression: {error}; write for example kube-.*"
        ) from None


def _boolean(name: str, value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    raise BadRequest(f"{name}: expected true or false, got {value!r}")


def _number(name: str, type_: str, value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise BadRequest(f"{name}: expected a number, got {value!r}") from None
    if isinstance(value, bool) or number < 0 or number - number != 0:
        raise BadRequest(f"{name}: expected a number of 0 or more, got {value!r}")
    if type_ == "int":
        if number != int(number):
            raise BadRequest(f"{name}: expected a whole number, got {value!r}")
        return int(number)
    return number


def _parsed_gates(value: Any) -> dict[str, Any]:
    """`"Failover=false,GracefulEviction=true"`, as on the command line, or a mapping."""
    if isinstance(value, Mapping):
        return dict(value)
    pairs = [part.partition("=") for part in str(value).split(",") if part]
    return {gate.strip(): on.strip() for gate, _, on in pairs}
