"""The lab's faults on real clusters: the same words, carried out on machines.

What a push member meets happens in the network namespace of its nodes, and so does what an agent in a pod meets. A pull
member's agent that runs beside the lab has the lab's own link for its way to the control plane; faults on it act there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from karmadalab.api.errors import BadRequest
from karmadalab.environments.fault_control import MemberFaults, When
from karmadalab.environments.faults import FROZEN, Effect, Fault
from karmadalab.environments.kind import measures
from karmadalab.environments.kind.agent_pod import AGENT
from karmadalab.environments.kind.agents import Agents
from karmadalab.environments.kind.engine import Node
from karmadalab.environments.kind.state import Measure
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
        if name in _ON_THE_WAY:
            self._check_way(name)
        return super()._fault(name, at, for_, **options)

    def _check_way(self, name: str) -> None:
        """The way of an agent to the control plane must be one that the lab, or a node's packet filter, can act on."""
        agents: Agents | None = getattr(self._world, "processes", None)
        if agents is None or not self._world.member(self.target).pulls:
            return
        if not agents.pods:
            raise BadRequest(
                f"{name}: {self.target}'s agent is a process with a way of its own; use stop_agent, or agents='here'"
            )
        if agents.way is None and name in ("silence", "cut_off"):
            raise BadRequest(
                f"{name}: {self.target}'s agent calls the control plane by a name, and packets have addresses; use "
                "stop_agent, or a listen= with an address"
            )


def wanted(
    acting: Sequence[Fault], effect: Effect, nodes: Sequence[Node], pulls: bool, agents: Agents | None = None
) -> list[Measure]:
    """The measures that the faults on a member add up to.

    Args:
        acting: the faults.
        effect: what they add up to.
        nodes: the member's node containers, the control plane's first.
        pulls: whether the member is in pull mode.
        agents: those outside this process, if there are any.
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
    elif agents is not None and agents.pods:
        found += _on_the_pods_way(effect, nodes, agents.way)
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


def _on_the_pods_way(effect: Effect, nodes: Sequence[Node], way: tuple[str, int] | None) -> list[Measure]:
    """Faults on an agent in a pod, and on its way out; it may be on any of the nodes."""
    found: list[Measure] = []
    if effect.process == FROZEN:
        found += [measures.agent_frozen(node.name, AGENT) for node in nodes]
    if effect.path != UP and way is not None:
        found += [measures.agent_cut_off(node.name, _ACTIONS[effect.path], way) for node in nodes]
    if effect.latency_s or effect.loss:
        found += [measures.shaped(node.name, effect.latency_s, effect.loss) for node in nodes]
    return found
