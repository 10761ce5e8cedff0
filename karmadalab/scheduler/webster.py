"""How v1.18 divides replicas: by Webster's method, see `karmadalab.api.webster`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from karmadalab.api.naming import fnv32a
from karmadalab.api.webster import webster
from karmadalab.scheduler.binding_info import BindingInfo
from karmadalab.scheduler.plugins import ClusterWeight


class Webster:
    """v1.18: Webster's method; ties go to who has fewer, then by name.

    Whether names count up or down is settled by the template's uid, so that among many small workloads it is not always
    the first cluster of the alphabet that gets the odd one.
    """

    name = "webster"

    def divide(
        self, binding: BindingInfo, replicas: int, weights: Sequence[ClusterWeight], chance: Random | None
    ) -> Mapping[str, int]:
        uid = binding.spec.resource.uid
        return webster(replicas, weights, descending=bool(uid) and fnv32a(uid) & 1 == 1)
