"""Karmada's flags: names, defaults, ways to write them."""

from __future__ import annotations

from typing import Any

import pytest

from karmadalab import Lab
from karmadalab.core.settings import PROFILES, Settings

# karmada/controllers.md, section 4: the flags of v1.13 that have to do with time.
DEFAULTS_S = {
    "cluster-status-update-frequency": 10,
    "cluster-lease-duration": 40,
    "cluster-success-threshold": 30,
    "cluster-failure-threshold": 30,
    "cluster-monitor-period": 5,
    "cluster-monitor-grace-period": 40,
    "cluster-startup-grace-period": 60,
    "failover-eviction-timeout": 300,
    "graceful-eviction-timeout": 600,
    "rate-limiter-base-delay": 0.005,
    "rate-limiter-max-delay": 1000,
    "leader-elect-lease-duration": 15,
    "leader-elect-retry-period": 2,
}


@pytest.mark.parametrize(("flag", "default_s"), DEFAULTS_S.items(), ids=list(DEFAULTS_S))
def test_defaults_are_karmadas(flag: str, default_s: float) -> None:
    assert getattr(Settings(), flag.replace("-", "_")) == default_s


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("1m", 60), ("1h30m", 5400), ("250ms", 0.25), (40, 40), (1.5, 1.5), ("40", 40), (" 40s ", 40)],
)
def test_durations_are_given_as_kubernetes_writes_them(value: Any, seconds: float) -> None:
    assert Settings(cluster_monitor_grace_period=value).cluster_monitor_grace_period == seconds


@pytest.mark.parametrize(
    "flag",
    ["cluster-failure-threshold", "--cluster-failure-threshold", "cluster_failure_threshold"],
)
def test_flags_are_named_as_on_the_command_line_or_as_the_fields(flag: str) -> None:
    assert Settings().with_flags({flag: "7s"}).cluster_failure_threshold == 7


def test_with_flags_keeps_what_it_does_not_name() -> None:
    settings = Settings(cluster_success_threshold="5s").with_flags({"cluster-failure-threshold": "7s"})
    assert (settings.cluster_success_threshold, settings.cluster_failure_threshold) == (5, 7)


def test_defaults_of_the_gates() -> None:
    assert Settings().gate("Failover")
    assert Settings().gate("GracefulEviction")
    assert not Settings().gate("PropagationPolicyPreemption")
    assert Settings(profile="v1.18").gate("ControllerPriorityQueue")


@pytest.mark.parametrize("given", [{"Failover": False}, {"Failover": "false"}, "Failover=false", "Failover=False,"])
def test_gates_are_given_as_a_mapping_or_as_on_the_command_line(given: Any) -> None:
    settings = Settings().with_flags({"feature-gates": given})
    assert not settings.gate("Failover")
    assert settings.gate("GracefulEviction")


def test_gates_add_up() -> None:
    first = Settings().with_flags({"feature-gates": "Failover=false"})
    both = first.with_flags({"feature-gates": "GracefulEviction=false"})
    assert (both.gate("Failover"), both.gate("GracefulEviction")) == (False, False)


def test_what_differs_is_always_visible() -> None:
    settings = Settings(
        cluster_monitor_grace_period="1m", enable_taint_manager=False, feature_gates={"Failover": False}
    )
    assert settings.changed() == {
        "cluster-monitor-grace-period": "1m0s",
        "enable-taint-manager": "false",
        "feature-gates": "Failover=false",
    }
    assert repr(settings) == (
        "<Settings Karmada v1.13, Failover off cluster-monitor-grace-period=1m0s enable-taint-manager=false>"
    )
    assert Settings().changed() == {}


@pytest.mark.parametrize("profile", PROFILES)
def test_what_differs_makes_the_same_settings_again(profile: str) -> None:
    own = {"v1.13": {"failover_eviction_timeout": "1m"}, "v1.18": {"resource_eviction_rate": 2}}[profile]
    settings = Settings(profile=profile, cluster_failure_threshold="1.5s", **own)
    assert Settings(profile=profile).with_flags(settings.changed()) == settings


def test_another_profile_has_its_own_gates() -> None:
    settings = Settings(feature_gates={"Failover": False}).with_flags({"profile": "v1.18"})
    assert settings.gate("ControllerPriorityQueue")
    assert settings.banner().startswith("Karmada v1.18")


@pytest.mark.parametrize("flag", ["cluster-status-update-frequency", "cluster-monitor-period"])
def test_a_lab_begins_with_the_longest_loop_that_is_taken(flag: str) -> None:
    assert Lab.fake(members=1, settings={flag: "168h"}, seed=1).t == 0
