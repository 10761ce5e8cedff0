"""When the taint manager makes a workload leave, beyond what was recorded."""

from __future__ import annotations

import pytest

from karmadalab.api.meta import Taint, Toleration
from karmadalab.api.time import Time
from karmadalab.controllers.taint_manager import eviction_deadline

NOW = 1_000_000


@pytest.mark.parametrize(
    ("added", "seconds", "left_s"),
    [(NOW + 20, -5, 15), (NOW + 3, -5, -2), (NOW - 10, -5, -15), (NOW + 20, 0, 20)],
    ids=["before the taint's time", "already over", "long over", "zero is the taint's time"],
)
def test_negative_seconds_count_back_from_the_taints_time(added: int, seconds: int, left_s: float) -> None:
    taint = Taint(key="maintenance", effect="NoExecute", timeAdded=Time(added))
    patience = Toleration(key="maintenance", operator="Exists", tolerationSeconds=seconds)
    assert eviction_deadline([taint], [patience]) - NOW == left_s
