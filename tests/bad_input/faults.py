"""Faults that can't happen."""

from __future__ import annotations

from karmadalab.api.errors import BadRequest

from .wrong import Wrong

FAULTS = [
    Wrong(
        "a member that is not there",
        lambda lab: lab.fault("member9"),
        BadRequest,
        "there is no member or process 'member9'; members are member1, member2, member3, processes "
        "karmada-controller-manager, karmada-scheduler",
    ),
    Wrong("a number", lambda lab: lab.fault(3), BadRequest, "fault: name a member or a process, not 3"),
    Wrong(
        "a fault in the past",
        lambda lab: lab.fault("member1").refuse(at="10s"),
        BadRequest,
        "at: 10s has passed, it is 1m0s in the lab",
    ),
    Wrong(
        "at noon",
        lambda lab: lab.fault("member1").refuse(at="noon"),
        BadRequest,
        "at: 'noon' is not a duration: write 40s, 5m, 1h30m or a number of seconds",
    ),
    Wrong(
        "no length",
        lambda lab: lab.fault("member1").refuse(for_=0),
        BadRequest,
        "for_: a fault lasts longer than 0s, got 0",
    ),
    Wrong(
        "a negative length",
        lambda lab: lab.fault("member1").refuse(for_="-3s"),
        BadRequest,
        "for_: a fault lasts longer than 0s, got -3s",
    ),
    Wrong(
        "long",
        lambda lab: lab.fault("member1").refuse(for_="long"),
        BadRequest,
        "for_: 'long' is not a duration: write 40s, 5m, 1h30m or a number of seconds",
    ),
    Wrong(
        "slow by nothing",
        lambda lab: lab.fault("member1").slow(0),
        BadRequest,
        "latency: must be longer than 0s, got 0",
    ),
    Wrong(
        "very slow",
        lambda lab: lab.fault("member1").slow("very"),
        BadRequest,
        "latency: 'very' is not a duration: write 40s, 5m, 1h30m or a number of seconds",
    ),
    Wrong(
        "twice all packets",
        lambda lab: lab.fault("member1").lossy(2),
        BadRequest,
        "loss: expected a share above 0 and up to 1, got 2",
    ),
    Wrong(
        "a share in per cent",
        lambda lab: lab.fault("member1").lossy("10%"),
        BadRequest,
        "loss: expected a share above 0 and up to 1, got '10%'",
    ),
    Wrong(
        "flapping without down",
        lambda lab: lab.fault("member1").flapping(0, "3s", 2),
        BadRequest,
        "flapping: down and up must be longer than 0s, got 0 and 3s",
    ),
    Wrong(
        "flapping not once",
        lambda lab: lab.fault("member1").flapping("3s", "3s", 0),
        BadRequest,
        "times: expected a whole number of 1 or more, got 0",
    ),
    Wrong(
        "flapping without end",
        lambda lab: lab.fault("member1").flapping("3s", "3s", 10**7),
        BadRequest,
        "times: at most 10000 at once, got 10000000",
    ),
    Wrong(
        "flapping for centuries",
        lambda lab: lab.fault("member1").flapping("100000h", "1s", 10_000),
        BadRequest,
        "flapping: 3600000010060.0 is longer than a hundred years",
    ),
    Wrong(
        "an image can't flap",
        lambda lab: lab.fault("member1").flapping("3s", "3s", 2, kind="bad_image"),
        BadRequest,
        "kind: 'bad_image' can't flap; choose refuse, silence, cut_off or hang",
    ),
    Wrong(
        "flapping in the past",
        lambda lab: lab.fault("member1").flapping("3s", "3s", 2, at="1s"),
        BadRequest,
        "at: 1.0 has passed, it is 1m0s in the lab",
    ),
    Wrong(
        "an agent that is not there",
        lambda lab: lab.fault("member1").stop_agent(),
        BadRequest,
        "member1 is in push mode and has no agent; try refuse, silence or power_off",
    ),
    Wrong(
        "an image without a name",
        lambda lab: lab.fault("member1").bad_image(""),
        BadRequest,
        "image: expected a name such as nginx or nginx:1.27, got ''",
    ),
    Wrong(
        "a start before the beginning",
        lambda lab: lab.fault("member1").slow_start("-3s"),
        BadRequest,
        "startup: a length of time can't be negative, got -3s",
    ),
    Wrong(
        "healed in the past",
        lambda lab: lab.fault("member1").heal(at="1s"),
        BadRequest,
        "at: 1s has passed, it is 1m0s in the lab",
    ),
    Wrong(
        "a process that is not there",
        lambda lab: lab.fault("karmada-descheduler"),
        BadRequest,
        "there is no member or process 'karmada-descheduler'; members are member1, member2, member3, "
        "processes karmada-controller-manager, karmada-scheduler",
    ),
    Wrong(
        "down for no time",
        lambda lab: lab.fault("karmada-scheduler").restart(down_for=0),
        BadRequest,
        "for_: a fault lasts longer than 0s, got 0",
    ),
    Wrong(
        "frozen in the past",
        lambda lab: lab.fault("karmada-scheduler").freeze(at="1s"),
        BadRequest,
        "at: 1s has passed, it is 1m0s in the lab",
    ),
]
