"""Flags that Karmada would refuse, and seeds."""

from __future__ import annotations

from karmadalab.api.errors import BadRequest
from karmadalab.core.settings import Settings
from karmadalab.environments.phases import Phases
from karmadalab.lab import Lab

from .wrong import Wrong

SETTINGS = [
    Wrong(
        "a misspelt flag",
        lambda lab: Lab.fake(members=1, settings={"cluster-failure-treshold": "3s"}),
        BadRequest,
        "there is no flag 'cluster-failure-treshold'; did you mean cluster-failure-threshold?",
    ),
    Wrong(
        "soon",
        lambda lab: Lab.fake(members=1, settings={"cluster-failure-threshold": "soon"}),
        BadRequest,
        "cluster_failure_threshold: 'soon' is not a duration: write 40s, 5m, 1h30m or a number of seconds",
    ),
    Wrong(
        "a negative time",
        lambda lab: Lab.fake(members=1, settings={"cluster-failure-threshold": "-3s"}),
        BadRequest,
        "cluster_failure_threshold: a length of time can't be negative, got -3s",
    ),
    Wrong(
        "a loop without a pause",
        lambda lab: Lab.fake(members=1, settings={"cluster-monitor-period": 0}),
        BadRequest,
        "cluster_monitor_period: must be at least 1ms, or the loop would never pause, got 0s",
    ),
    Wrong(
        "a loop that hardly pauses",
        lambda lab: Lab.fake(members=1, settings={"horizontal-pod-autoscaler-sync-period": 1e-6}),
        BadRequest,
        "horizontal_pod_autoscaler_sync_period: must be at least 1ms, or the loop would never pause, got 1e-06s",
    ),
    *(
        Wrong(
            f"a loop that pauses for a century: {flag}",
            lambda lab, flag=flag: Lab.fake(members=1, settings={flag: "876000h"}),
            BadRequest,
            f"{flag.replace('-', '_')}: must be at most 168h0m0s, or the lab, which lets a round pass first, would "
            "hardly ever begin, got 876000h0m0s",
        )
        for flag in ("cluster-status-update-frequency", "cluster-monitor-period")
    ),
    Wrong(
        "a lease that is renewed a thousand times a second",
        lambda lab: Lab.fake(members=1, settings={"cluster-lease-duration": 0.004}),
        BadRequest,
        "cluster_lease_renew_interval_fraction: a lease is renewed after this fraction of cluster_lease_duration, "
        "which would be after 0.001s; at least 10ms must pass",
    ),
    Wrong(
        "a patience of a thousand years",
        lambda lab: Lab.fake(members=1, settings={"cluster-failure-threshold": "9000000h"}),
        BadRequest,
        "cluster_failure_threshold: '9000000h' is longer than a hundred years",
    ),
    Wrong(
        "an epoch that is no number",
        lambda lab: Lab.fake(members=1, epoch=float("nan")),
        BadRequest,
        "epoch: expected Unix seconds from 0 (1970) to 2^32 (2106), got nan",
    ),
    Wrong(
        "an epoch without end",
        lambda lab: Lab.fake(members=1, epoch=float("inf")),
        BadRequest,
        "epoch: expected Unix seconds from 0 (1970) to 2^32 (2106), got inf",
    ),
    Wrong(
        "an epoch in words",
        lambda lab: Lab.fake(members=1, epoch="now"),
        BadRequest,
        "epoch: expected Unix seconds from 0 (1970) to 2^32 (2106), got 'now'",
    ),
    Wrong(
        "a beat that is no number",
        lambda lab: Phases(monitor_s=float("nan")),
        BadRequest,
        "phases.monitor_s: nan is not a duration: write 40s, 5m, 1h30m or a number of seconds",
    ),
    Wrong(
        "a probe without end",
        lambda lab: Phases(probe_s={"member1": float("inf")}),
        BadRequest,
        "phases.probe_s['member1']: inf is not a duration: write 40s, 5m, 1h30m or a number of seconds",
    ),
    Wrong(
        "a latency in words",
        lambda lab: Phases(latency_s="1s"),
        BadRequest,
        "phases.latency_s: expected a number of seconds, got '1s'",
    ),
    Wrong(
        "maybe",
        lambda lab: Lab.fake(members=1, settings={"enable-taint-manager": "maybe"}),
        BadRequest,
        "enable_taint_manager: expected true or false, got 'maybe'",
    ),
    Wrong(
        "fast",
        lambda lab: Lab.fake(members=1, settings={"profile": "v1.18", "resource-eviction-rate": "fast"}),
        BadRequest,
        "resource_eviction_rate: expected a number, got 'fast'",
    ),
    Wrong(
        "half a second of whole seconds",
        lambda lab: Lab.fake(members=1, settings={"default-not-ready-toleration-seconds": 1.5}),
        BadRequest,
        "default_not_ready_toleration_seconds: expected a whole number, got 1.5",
    ),
    Wrong(
        "a lease renewed too late",
        lambda lab: Lab.fake(members=1, settings={"cluster-lease-renew-interval-fraction": 2}),
        BadRequest,
        "cluster_lease_renew_interval_fraction: a lease renewed later than it ends is never valid, and one "
        "renewed all the time never rests; choose a fraction above 0 and up to 1, not 2",
    ),
    Wrong(
        "a pattern that is a number",
        lambda lab: Lab.fake(members=1, settings={"skipped-propagating-namespaces": 3}),
        BadRequest,
        "skipped_propagating_namespaces: expected text, got 3",
    ),
    Wrong(
        "a release between the profiles",
        lambda lab: Lab.fake(members=1, settings={"profile": "v1.14"}),
        BadRequest,
        "profile: there is no 'v1.14'; choose one of v1.13, v1.18",
    ),
    Wrong(
        "a misspelt gate",
        lambda lab: Lab.fake(members=1, settings={"feature-gates": "Failovr=true"}),
        BadRequest,
        "feature_gates: v1.13 has no gate 'Failovr'; did you mean Failover?",
    ),
    Wrong(
        "a gate half open",
        lambda lab: Lab.fake(members=1, settings={"feature-gates": "Failover=perhaps"}),
        BadRequest,
        "feature_gates.Failover: expected true or false, got 'perhaps'",
    ),
    Wrong(
        "gates as a list",
        lambda lab: Settings(feature_gates=["Failover"]),
        BadRequest,
        "feature_gates: expected a mapping such as {'Failover': False}, got ['Failover']",
    ),
    Wrong(
        "a pattern that is none",
        lambda lab: Lab.fake(members=1, settings={"skipped-propagating-namespaces": "kube-("}),
        BadRequest,
        "skipped_propagating_namespaces: 'kube-(' is not a regular expression: missing ), unterminated "
        "subpattern at position 5; write for example kube-.*",
    ),
    Wrong(
        "settings as text",
        lambda lab: Lab.fake(members=1, settings="cluster-failure-threshold=3s"),
        BadRequest,
        "settings: expected a mapping such as {'cluster-failure-threshold': '60s'}, got 'cluster-failure-threshold=3s'",
    ),
    Wrong(
        "settings as a list",
        lambda lab: Lab.fake(members=1, settings=["x"]),
        BadRequest,
        "settings: expected a mapping such as {'cluster-failure-threshold': '60s'}, got ['x']",
    ),
    Wrong(
        "an unknown purge mode",
        lambda lab: Lab.fake(
            members=1, settings={"profile": "v1.18", "no-execute-taint-eviction-purge-mode": "Whenever"}
        ),
        BadRequest,
        "no_execute_taint_eviction_purge_mode: there is no 'Whenever'; choose Gracefully or Directly",
    ),
    Wrong(
        "a flag of the other release",
        lambda lab: Lab.fake(members=1, settings={"enable-no-execute-taint-eviction": True}),
        BadRequest,
        "enable-no-execute-taint-eviction: Karmada v1.13 has no such flag, v1.18 has; choose profile=v1.18",
    ),
    Wrong(
        "a gate given as a flag",
        lambda lab: Lab.fake(members=1, settings={"Failover": False}),
        BadRequest,
        "Failover is a feature gate, not a flag: write feature-gates=Failover=false",
    ),
    Wrong(
        "a back-off of nothing",
        lambda lab: Lab.fake(members=1, settings={"rate-limiter-base-delay": 0}),
        BadRequest,
        "rate_limiter_base_delay: must be at least 1ms, or the loop would never pause, got 0s",
    ),
    Wrong(
        "a lease renewed all the time",
        lambda lab: Lab.fake(members=1, settings={"cluster-lease-renew-interval-fraction": 0}),
        BadRequest,
        "cluster_lease_renew_interval_fraction: a lease renewed later than it ends is never valid, and one "
        "renewed all the time never rests; choose a fraction above 0 and up to 1, not 0",
    ),
    Wrong(
        "a seed in words",
        lambda lab: Lab.fake(members=1, seed="1"),
        BadRequest,
        "seed: expected a whole number or None, got '1'",
    ),
    Wrong(
        "half a seed",
        lambda lab: Lab.fake(members=1, seed=1.5),
        BadRequest,
        "seed: expected a whole number or None, got 1.5",
    ),
]
