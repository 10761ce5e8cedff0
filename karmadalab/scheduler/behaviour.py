"""What changed in the scheduler between the Karmada releases the lab reproduces, as one table.

Each field is one documented difference, so `V1_13` and `V1_18` side by side are the whole story. Code asks for the
behaviour it needs (`behaviour.scale_down_to_selected_only`) and never for a version.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from karmadalab.api.errors import BadRequest


class Behaviour(msgspec.Struct, frozen=True, kw_only=True):
    """How one release of the scheduler behaves where releases differ.

    Attributes:
        profile: the release, as the lab's settings name it.
        division: how the remainder of a division is dealt out.
        any_zone_matches: a field selector `zone In` needs one zone of the cluster in the list, not all of them.
        deleting_clusters_skipped: clusters with a deletionTimestamp are left out before the filters run.
        targets_keep_api: a cluster that already runs the workload passes APIEnablement whatever its API list says.
        capacity_error_reason: the reason of the Scheduled condition when there is too little capacity.
        zero_replicas_divided: a workload scaled to 0 that has resource requirements goes through the division.
        models_simulate_nodes: resource models place pods node by node, and count nodes by grade; v1.13 multiplies, and
            takes the count that is at the model's place in the list.
        empty_group_scores_zero: a group where no cluster can hold a duplicate scores 0; v1.13 divides by zero.
        scale_down_to_selected_only: scaling down weighs only clusters that are still selected.
    """

    profile: str
    division: Literal["largest-weight", "webster"]
    any_zone_matches: bool
    deleting_clusters_skipped: bool
    targets_keep_api: bool
    capacity_error_reason: str
    zero_replicas_divided: bool
    models_simulate_nodes: bool
    empty_group_scores_zero: bool
    scale_down_to_selected_only: bool


V1_13 = Behaviour(
    profile="v1.13",
    division="largest-weight",
    any_zone_matches=False,
    deleting_clusters_skipped=False,
    targets_keep_api=False,
    capacity_error_reason="SchedulerError",
    zero_replicas_divided=False,
    models_simulate_nodes=False,
    empty_group_scores_zero=False,
    scale_down_to_selected_only=False,
)

V1_18 = Behaviour(
    profile="v1.18",
    division="webster",
    any_zone_matches=True,
    deleting_clusters_skipped=True,
    targets_keep_api=True,
    capacity_error_reason="Unschedulable",
    zero_replicas_divided=True,
    models_simulate_nodes=True,
    empty_group_scores_zero=True,
    scale_down_to_selected_only=True,
)

BEHAVIOURS: Mapping[str, Behaviour] = {"v1.13": V1_13, "v1.18": V1_18}


def behaviour_of(profile: str) -> Behaviour:
    """The behaviour of a profile.

    Raises:
        BadRequest: no such profile.
    """
    try:
        return BEHAVIOURS[profile]
    except KeyError:
        raise BadRequest(f"there is no scheduler profile {profile!r}; write one of {', '.join(BEHAVIOURS)}") from None
