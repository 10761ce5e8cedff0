"""The lab's faults on real clusters: the same words, carried out on machines.

What a push member meets happens in the network namespace of its nodes. A pull member's agent runs beside the lab, so
its way to the control plane is the lab's own link, and faults on that way act there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karmadalab.api.errors import BadRequest
from karmadalab.environments.fault_control import MemberFaults, When
from karmadalab.environments.faults import FROZEN, Effect, Fault
from karmadalab.environments.kind import measures
from karmadalab.environments.kind.engine import Node
from karmadalab.environments.kind.measures import Measure
from karmadalab.environments.link import REFUSED, SILENT, UP

_ONLY_FAKE = {"slow_start": "pods of a real cluster start as fast as they start"}
_ON_THE_WAY = ("silence", "cut_off", "slow", "lossy")
_ACTIONS = {SILENT: "DROP", REFUSED: "REJECT"}


class KindFaults(MemberFaults):
    """What can go wrong with a real member."""

    def freeze(self, at: When = None, for_: When = None) -> Fault:
        """All machines stand still, as under `docker pause`: calls get no answer, and pods don't work either."""
        effect = Effect(api=SILENT, path=SILENT, process=FROZEN)
        text = "machines frozen: nothing answers, nothing runs"
        fault = Fault("freeze", self.target, effect, text, self._world.inject)
        return self._arm(fault.on_heal(self._world.end), at, for_)

    def _fault(self, name: str, at: When, for_: When, **options: Any) -> Fault:
        if name in _ONLY_FAKE:
            raise BadRequest(f"{name} exists only in Lab.fake: {_ONLY_FAKE[name]}")
        in_process = getattr(self._world, "processes", None) is not None and self._world.member(self.target).pulls
        if in_process and name in _ON_THE_WAY:
            raise BadRequest(
                f"{name}: {self.target}'s agent is a process with a way of its own; use stop_agent, or agents='here'"
            )
        return super()._fault(name, at, for_, **options)


def wanted(acting: Sequence[Fault], effect: Effect, nodes: Sequence[Node], pulls: bool) -> list[Measure]:
    """The measures that the faults on a member add up to.

    Args:
        acting: the faults.
        effect: what they add up to.
        nodes: the member's node containers, the control plane's first.
        pulls: whether the member is in pull mode.
    """
    entrance = nodes[0]
    found: list[Measure] = []
    if effect.full:
        found += [measures.cordoned(node.name, entrance.name) for node in nodes]
    for image in sorted({fault.effect.bad_image for fault in acting} - {""}):
        found += [measures.without_image(node.name, image) for node in nodes]
        found += [m for node in nodes if (m := measures.no_pulls(node.name, "bad-image")) not in found]
    if not effect.powered:
        return found + [measures.power_off(node.name) for node in nodes]
    if any(fault.name == "freeze" for fault in acting):
        return found + [measures.freeze(node.name) for node in nodes]
    if effect.api != UP:
        found += measures.filtered(entrance.name, _ACTIONS[effect.api], "api")
    if not pulls:
        found += _on_the_way(effect, entrance)
    return found


def _on_the_way(effect: Effect, entrance: Node) -> list[Measure]:
    """Faults on the way from the control plane, which comes in at the control-plane node."""
    found: list[Measure] = []
    if effect.path != UP:
        # An engine that names no gateway: all that comes from outside the node, its own pods excepted.
        sources = entrance.gateways or ("0.0.0.0/0",)
        found += measures.filtered(entrance.name, _ACTIONS[effect.path], "path", sources)
    if effect.latency_s or effect.loss:
        found.append(measures.shaped(entrance.name, effect.latency_s, effect.loss))
    return found
