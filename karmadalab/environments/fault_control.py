"""`lab.fault("member1").power_off(at="2m", for_="45s")`: faults in the words of the person who causes them."""

from __future__ import annotations

from typing import Any

from karmadalab.api.errors import BadRequest, shortly
from karmadalab.api.time import duration, seconds
from karmadalab.core.clock import GRAIN_S, in_turn
from karmadalab.environments.fake import FakeWorld
from karmadalab.environments.faults import FROZEN, STOPPED, Effect, Fault, effect_of

When = str | float | None

_MOST_FLAPS = 10_000


class FaultControl:
    """The faults of one target. Every method takes `at` (lab time; now by default) and `for_` (how long; until healed).

    Args:
        world: the fake world.
        target: a member, or a process such as `karmada-controller-manager` or `karmada-agent@member3`.
    """

    def __init__(self, world: FakeWorld, target: str) -> None:
        self._world = world
        self.clock = world.clock
        self.target = target

    @in_turn
    def heal(self, at: When = None) -> None:
        """End all faults of this target that act at that moment, and cancel those that are still to come."""
        if at is not None:
            self._world.clock.call_at(self._moment(at, "at"), self.heal)
            return
        for fault in [f for f in (*self._world.to_come, *self._world.faults) if f.target == self.target]:
            fault.heal()

    def _moment(self, at: str | float, what: str) -> float:
        clock = self._world.clock
        moment = clock.epoch + seconds(at, what)
        if moment < clock.now() - GRAIN_S:  # `lab.t` is rounded, maybe to just before now
            raise BadRequest(f"{what}: {at} has passed, it is {duration(clock.elapsed())} in the lab")
        return max(moment, clock.now())

    @in_turn
    def _arm(self, fault: Fault, at: When, for_: When) -> Fault:
        """Let a fault begin and end when it should."""
        clock = self._world.clock
        begin = clock.now() if at is None else self._moment(at, "at")
        length_s = None if for_ is None else seconds(for_, "for_")
        if length_s is not None and length_s <= 0:
            raise BadRequest(f"for_: a fault lasts longer than 0s, got {for_}")
        if length_s is not None:
            clock.call_at(begin + length_s, fault.heal)
        if at is None:
            fault.begin()
        else:
            self._world.to_come.append(fault)
            clock.call_at(begin, self._begin, fault)
        return fault

    def _begin(self, fault: Fault) -> None:
        self._world.to_come.remove(fault)
        fault.begin()

    def __repr__(self) -> str:
        acting = [f.name for f in self._world.faults if f.target == self.target]
        waiting = sorted(f.name for f in self._world.to_come if f.target == self.target and not f.healed)
        more = f"; to come: {', '.join(waiting)}" if waiting else ""
        return f"<{type(self).__name__} {self.target}: {', '.join(acting) or 'healthy'}{more}>"


class MemberFaults(FaultControl):
    """What can go wrong with a member."""

    def _fault(self, name: str, at: When, for_: When, **options: Any) -> Fault:
        member = self._world.member(self.target)
        if name in ("stop_agent", "freeze_agent") and not member.pulls:
            raise BadRequest(f"{self.target} is in push mode and has no agent; try refuse, silence or power_off")
        if name == "lose_credentials" and member.pulls:
            raise BadRequest(
                f"{self.target} is in pull mode: its agent has its own credentials; try cut_off, silence or stop_agent"
            )
        effect, text = effect_of(name, member.pulls, **options)
        fault = Fault(name, self.target, effect, text, self._world.inject)
        return self._arm(fault.on_heal(self._world.end), at, for_)

    def power_off(self, at: When = None, for_: When = None) -> Fault:
        """The machines are off: connections are refused, pods and agent don't run."""
        return self._fault("power_off", at, for_)

    def refuse(self, at: When = None, for_: When = None) -> Fault:
        """The API server is down: connections to it are refused, pods go on running."""
        return self._fault("refuse", at, for_)

    def hang(self, at: When = None, for_: When = None) -> Fault:
        """The API server stands still (SIGSTOP): calls to it get no answer, pods go on running."""
        return self._fault("hang", at, for_)

    def silence(self, at: When = None, for_: When = None) -> Fault:
        """Packets between member and control plane vanish: whoever calls waits for its time-out."""
        return self._fault("silence", at, for_)

    def cut_off(self, at: When = None, for_: When = None) -> Fault:
        """Connections between member and control plane are refused; the member itself is well."""
        return self._fault("cut_off", at, for_)

    def slow(self, latency: str | float, at: When = None, for_: When = None) -> Fault:
        """Every answer over the link takes that long."""
        latency_s = seconds(latency, "latency")
        if latency_s <= 0:
            raise BadRequest(f"latency: must be longer than 0s, got {latency}")
        return self._fault("slow", at, for_, latency_s=latency_s)

    def lossy(self, loss: float, at: When = None, for_: When = None) -> Fault:
        """That share of the calls (0 to 1) gets no answer."""
        if isinstance(loss, bool) or not isinstance(loss, (int, float)) or not 0 < loss <= 1:
            raise BadRequest(f"loss: expected a share above 0 and up to 1, got {loss!r}")
        return self._fault("lossy", at, for_, loss=float(loss))

    @in_turn
    def flapping(
        self, down: str | float, up: str | float, times: int, at: When = None, kind: str = "refuse"
    ) -> list[Fault]:
        """The link goes down and comes back, again and again.

        Args:
            down, up: how long each time.
            times: how many times it goes down.
            kind: `refuse`, `silence`, `cut_off` or `hang`.
        """
        down_s, up_s = seconds(down, "down"), seconds(up, "up")
        if down_s <= 0 or up_s <= 0:
            raise BadRequest(f"flapping: down and up must be longer than 0s, got {down} and {up}")
        if isinstance(times, bool) or not isinstance(times, int) or times < 1:
            raise BadRequest(f"times: expected a whole number of 1 or more, got {times!r}")
        if times > _MOST_FLAPS:
            raise BadRequest(f"times: at most {_MOST_FLAPS} at once, got {shortly(times)}")
        if kind not in ("refuse", "silence", "cut_off", "hang"):
            raise BadRequest(f"kind: {kind!r} can't flap; choose refuse, silence, cut_off or hang")
        first = self._world.clock.elapsed() if at is None else seconds(at, "at")
        seconds(first + times * (down_s + up_s), "flapping")  # before the first is planned
        return [self._fault(kind, first + i * (down_s + up_s), down_s) for i in range(times)]

    def stop_agent(self, at: When = None, for_: When = None) -> Fault:
        """The agent's process is killed; what it had in memory is gone."""
        return self._fault("stop_agent", at, for_)

    def freeze_agent(self, at: When = None, for_: When = None) -> Fault:
        """The agent's process stands still (SIGSTOP) and remembers everything."""
        return self._fault("freeze_agent", at, for_)

    def bad_image(self, image: str, at: When = None, for_: When = None) -> Fault:
        """New pods with that image (a tag may be left out) never start."""
        if not image or not isinstance(image, str):
            raise BadRequest(f"image: expected a name such as nginx or nginx:1.27, got {image!r}")
        return self._fault("bad_image", at, for_, image=image)

    def slow_start(self, startup: str | float, at: When = None, for_: When = None) -> Fault:
        """New pods take that long to become ready."""
        startup_s = seconds(startup, "startup")
        if startup_s < 0:
            raise BadRequest(f"startup: a length of time can't be negative, got {startup}")
        return self._fault("slow_start", at, for_, startup_s=startup_s)

    def exhaust_capacity(self, at: When = None, for_: When = None) -> Fault:
        """There is no room for new pods: they stay pending."""
        return self._fault("exhaust_capacity", at, for_)

    def lose_credentials(self, at: When = None, for_: When = None) -> Fault:
        """The Secret with the credentials for the member is gone from the control plane; the member itself is well."""
        return self._fault("lose_credentials", at, for_)


class ProcessFaults(FaultControl):
    """What can go wrong with a process of the control plane. What it knew is lost when it is stopped."""

    def _fault(self, name: str, text: str, state: str, at: When, for_: When) -> Fault:
        world = self._world
        fault = Fault(name, self.target, Effect(process=state), text, world.inject)
        return self._arm(fault.on_heal(world.end), at, for_)

    def stop(self, at: When = None, for_: When = None) -> Fault:
        """The process is killed. When it is healed a new one waits for the old leader lease first, some 17 s."""
        return self._fault("stop", "process stopped (SIGKILL)", STOPPED, at, for_)

    def freeze(self, at: When = None, for_: When = None) -> Fault:
        """The process stands still (SIGSTOP)."""
        return self._fault("freeze", "process frozen (SIGSTOP)", FROZEN, at, for_)

    def restart(self, at: When = None, down_for: str | float = "2s") -> Fault:
        """The process is killed and started again after a while."""
        return self.stop(at, down_for)


def fault_control(world: FakeWorld, target: str) -> MemberFaults | ProcessFaults:
    """The faults of a member or a process.

    Raises:
        BadRequest: there is neither of that name.
    """
    if not isinstance(target, str):
        raise BadRequest(f"fault: name a member or a process, not {target!r}")
    if target in world.members:
        kind: type[MemberFaults] = getattr(world, "member_faults", MemberFaults)  # real members have their own
        return kind(world, target)
    try:
        return ProcessFaults(world, world.process(target).name)
    except BadRequest:
        members, processes = ", ".join(sorted(world.members)), "karmada-controller-manager, karmada-scheduler"
        raise BadRequest(
            f"there is no member or process {target!r}; members are {members}, processes {processes}"
        ) from None
