"""S3 of what users reported: which outages a push cluster's flap filter lets through, for every length and phase.

The oracle is arithmetic on the defaults (a probe each 10 s, both thresholds 30 s). Let the first probe after the fault
come `phase` seconds later. The probes fail until the outage is over, and the fourth one, 30 s after the first, turns
Ready to False. The first probe that succeeds begins a second count of 30 s, after which Ready is True again.
"""

from __future__ import annotations

import math

import pytest

from karmadalab import Lab, Phases

FAULT_S = 60.0
PROBE_S, THRESHOLD_S = 10.0, 30.0
PHASES_S = [0.5 + step for step in range(10)]  # half seconds: no probe falls on the edge of an outage of whole seconds
LENGTHS_S = list(range(25, 61))


def oracle(length_s: float, phase_s: float) -> tuple[float, float] | None:
    """When Ready becomes False and True again, in seconds after the fault; None when it never does."""
    if phase_s + THRESHOLD_S >= length_s:
        return None
    success_s = phase_s + PROBE_S * math.ceil((length_s - phase_s) / PROBE_S)
    return phase_s + THRESHOLD_S, success_s + THRESHOLD_S


def outage(length_s: float, phase_s: float) -> list[tuple[str, float]]:
    """What becomes of Ready in such an outage: the words, and when, in seconds after the fault."""
    lab = Lab.fake(members=1, seed=1, phases=Phases(0.0, {"member1": (FAULT_S + phase_s) % PROBE_S}))
    lab.fault("member1").refuse(at=FAULT_S, for_=length_s)
    lab.run("3m")
    events = lab.timeline.where("Cluster", "member1", "condition Ready")
    return [(event.what.removeprefix("condition Ready "), event.t - FAULT_S) for event in events]


@pytest.mark.parametrize("length_s", LENGTHS_S)
def test_an_outage_is_noticed_exactly_when_the_oracle_says(length_s: int) -> None:
    for phase_s in PHASES_S:
        expected = oracle(length_s, phase_s)
        found = outage(length_s, phase_s)
        if expected is None:
            assert found == [], f"phase {phase_s}"
            continue
        assert [what for what, _ in found] == ["True -> False", "False -> True"], f"phase {phase_s}"
        assert [t for _, t in found] == pytest.approx(expected, abs=0.3), f"phase {phase_s}"


@pytest.mark.parametrize(
    ("length_s", "share"),
    [(25, 0.0), (30, 0.0), *((length, (length - 30) / 10) for length in range(31, 40)), (40, 1.0), (60, 1.0)],
)
def test_the_chance_of_being_noticed_is_the_part_of_the_phases(length_s: int, share: float) -> None:
    noticed = [oracle(length_s, phase_s) is not None for phase_s in PHASES_S]
    assert sum(noticed) / len(noticed) == pytest.approx(share)


@pytest.mark.parametrize("phase_s", PHASES_S)
def test_45_seconds_are_noticed_after_30_to_40_and_not_ready_lasts_40_to_50(phase_s: float) -> None:
    (_, down_s), (_, up_s) = outage(45.0, phase_s)
    assert 30.0 <= down_s <= 40.3
    assert 39.7 <= up_s - down_s <= 50.3
    assert up_s - down_s > 45.0 - down_s, "NotReady lasts longer than what was left of the outage"
