"""Lab 41: the cheapest attack and a dear defence pass, and each mistake that people make gets its own sentence."""

from __future__ import annotations

from math import ceil, inf
from typing import Any

import pytest

from karmadalab.teaching import check, parameters
from karmadalab.teaching.labs.alarms import Target, attacked, moved_s, price, ready_changes, replaced_s
from karmadalab.teaching.labs.alarms.attack import DRAWN, cheapest
from tests.answers import mistake

USUAL = Target()


def in_a_row(target: Target) -> list[int]:
    """The blips that turn Ready False."""
    return [3 + target.frequency_s * n for n in range(ceil(target.failure_s / target.frequency_s) + 1)]


def right(target: Target) -> list[int]:
    blips = in_a_row(target)
    while moved_s(lab := attacked(target, blips)) is None:
        blips.append(int(next(t for t, status in ready_changes(lab) if status == "True")))
    return blips


def every_probe(target: Target) -> list[int]:
    return [3 + target.frequency_s * n for n in range(20)]


def sooner_than_needed(target: Target) -> list[int]:
    row = in_a_row(target)
    return row + [row[-1] + 2 * target.frequency_s * n for n in range(1, 10)]


def before_the_verdict(target: Target) -> Target:
    return target._replace(failure_s=target.failure_s + target.wait_s + target.toleration_s, wait_s=0, toleration_s=0)


@pytest.mark.parametrize("target", [USUAL, DRAWN[3], DRAWN[5], DRAWN[7]], ids=str)
def test_no_blip_of_the_cheapest_attack_can_be_left_out_or_come_a_beat_later(target: Target) -> None:
    blips = cheapest(target)
    assert blips is not None
    assert moved_s(attacked(target, blips)) is not None
    for place in range(len(blips)):
        assert moved_s(attacked(target, blips[:place] + blips[place + 1 :])) is None
        later = [*blips[:place], blips[place] + target.frequency_s, *blips[place + 1 :]]
        assert moved_s(attacked(target, sorted(set(later)))) is None


@pytest.mark.slow
@pytest.mark.parametrize("target", DRAWN, ids=str)
def test_each_students_target_can_be_defended(target: Target) -> None:
    for own in (before_the_verdict(target), target._replace(success_s=0)):
        assert price(own) >= 2 * price(target)
        assert replaced_s(own) <= replaced_s(target) + 10


def test_a_student_has_a_target_of_their_own() -> None:
    assert parameters("41", "s1") in DRAWN
    assert len({parameters("41", f"s{n}") for n in range(30)}) > 3


def test_a_patient_control_plane_is_not_for_sale() -> None:
    assert price(USUAL._replace(failure_s=3600)) == inf


ATTACKS: dict[str, tuple[Any, str]] = {
    "nothing": (lambda t: None, "list of whole seconds"),
    "fractions": (lambda t: [3.5], "list of whole seconds"),
    "months later": (lambda t: [*in_a_row(t), 10**7], "seconds after the beginning of the attack, 3600 at most"),
    "twice the same": (lambda t: [3, 3], "each second once"),
    "one in vain": (lambda t: [0, *in_a_row(t)], "a blip that no probe meets is not seen: at 0 s there is none"),
    "beside the beat": (lambda t: [n * t.frequency_s for n in range(9)], "no probe meets"),
    "one too few in a row": (lambda t: in_a_row(t)[:-1], "how many probes in a row must fail"),
    "only the verdict": (in_a_row, "It ends when probes have succeeded"),
    "every probe": (every_probe, "no more failing probes in a row"),
    "every second probe": (sooner_than_needed, "could come later"),
    "raises": (lambda t: t.blips, "raises AttributeError: 'Target' object has no attribute 'blips'"),
    "two for nothing": (lambda t: sorted({*right(t), 5, 17}), "meet no probe"),
}


@pytest.mark.parametrize(("answer", "says"), ATTACKS.values(), ids=ATTACKS)
def test_a_wrong_attack_gets_its_own_sentence(answer: Any, says: str) -> None:
    assert says in mistake("41.1", answer)


DEFENCES: dict[str, tuple[Any, str]] = {
    "a dict": (lambda t: {"success_s": 0}, "flags are a Target"),
    "a negative wait": (lambda t: t._replace(wait_s=-5), "whole number of seconds"),
    "months of patience": (lambda t: t._replace(failure_s=10**7), "nobody waits for more than 3600 s"),
    "more probes": (lambda t: t._replace(frequency_s=1), "costs the members something"),
    "slower": (lambda t: t._replace(failure_s=300), "paid by the outage that lasts"),
    "as it is": (lambda t: t, "one blip now and then is enough"),
    "more doubt afterwards": (lambda t: t._replace(success_s=60), "one blip now and then is enough"),
    "half way": (lambda t: t._replace(success_s=10), "success still has to last for 10 s"),
    "a part of the waiting": (lambda t: t._replace(failure_s=60, wait_s=0), "What is left after it"),
}


@pytest.mark.parametrize(("answer", "says"), DEFENCES.values(), ids=DEFENCES)
def test_a_wrong_defence_gets_its_own_sentence(answer: Any, says: str) -> None:
    assert says in mistake("41.2", answer)


def test_the_right_answers_pass() -> None:
    assert "fewer blips" in check("41.1", right).text
    assert "twice as many" in check("41.2", before_the_verdict).text
    assert check("41.2", lambda target: target._replace(success_s=0)), "the other way is as good"
