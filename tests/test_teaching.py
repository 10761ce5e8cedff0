"""The teaching kit: what a check says to no answer at all, the shape of labs, hints, predictions, parameters."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest

from karmadalab.api.errors import BadRequest
from karmadalab.teaching import Mistake, Unsolved, check, hint, labs, parameters, predict, reveal
from karmadalab.teaching.asking import ask, called, is_number
from karmadalab.teaching.checks import LABS
from karmadalab.teaching.labs.thresholds import Flags
from karmadalab.teaching.verdict import CheckFailed
from tests.answers import NeverWritten, never_written

CHECKS = [name for lab in LABS.values() for name in lab.checks]


@pytest.mark.parametrize("check_id", CHECKS)
def test_an_answer_not_written_yet_is_no_mistake(check_id: str) -> None:
    answer = NeverWritten() if check_id.startswith("21.") else never_written
    with pytest.raises(Unsolved, match=rf"^{check_id} is not written yet: .*YOUR CODE HERE") as caught:
        check(check_id, answer)
    assert caught.value._render_traceback_() == str(caught.value).splitlines()


@pytest.mark.parametrize("answer", [None, ...])
def test_no_answer_at_all_is_no_mistake_either(answer: Any) -> None:
    with pytest.raises(Unsolved, match=r"^11\.1 is not written yet"):
        check("11.1", answer)


# --- how a learner's function is asked


def divides(by: Any) -> float:
    return 1 / by


def gives_up(by: Any) -> float:
    raise CheckFailed("said already")


CALLS: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "it raises": (divides, (0,), r"`divides\(0\)` raises ZeroDivisionError: division by zero \(line \d+ of its cell\)"),
    "long arguments are left out": (divides, ("x" * 99,), r"What: `divides` raises TypeError"),
    "and those that nobody can type": (divides, (divides,), r"What: `divides` raises TypeError"),
    "it has no name": (lambda: {}["a"], (), r"What: your function raises KeyError: 'a'"),
    "it takes other arguments": (divides, (1, 2), r"`divides\(1, 2\)` raises TypeError: [^\n]* given\.\n"),
    "it is no function": (7, (), r"wants your function and got 7\."),
    "it returns another thing": (divides, (4,), r"`divides` returns 0\.25\.\nWhy:  it should return a text\.\n"),
    "it returns nothing": (print, (), r"`print` returns nothing\.[\s\S]*does every one end in a `return`\?"),
}


@pytest.mark.parametrize(("function", "arguments", "says"), CALLS.values(), ids=CALLS)
def test_what_is_wrong_with_a_call_is_told(function: Any, arguments: tuple[Any, ...], says: str) -> None:
    with pytest.raises(Mistake, match=says):
        ask(function, *arguments, fits=lambda said: isinstance(said, str), wanted="a text")


def test_what_a_check_has_said_and_what_is_not_written_come_through() -> None:
    with pytest.raises(CheckFailed, match=r"^said already$"):
        called(gives_up, 1)
    with pytest.raises(NotImplementedError):
        called(never_written, 1)
    assert called(divides, 4) == 0.25


# --- the house of the labs


@pytest.mark.parametrize("name", [module.name for module in iter_modules(labs.__path__)])
def test_each_labs_package_has_the_same_shape(name: str) -> None:
    package = import_module(f"{labs.__name__}.{name}")
    [table] = [module.name for module in iter_modules(package.__path__) if re.fullmatch(r"lab\d\d", module.name)]
    number = table.removeprefix("lab")
    assert LABS[number] is package.LAB
    assert "LAB" in package.__all__
    assert str(package.__doc__).startswith(f"Lab {number}, ")
    assert list(package.LAB.checks) == [f"{number}.{place + 1}" for place in range(len(package.LAB.checks))]


@pytest.mark.parametrize("check_id", CHECKS)
def test_the_module_of_a_judge_names_its_checks(check_id: str) -> None:
    judge = LABS[check_id.partition(".")[0]].checks[check_id].judge
    first = str(sys.modules[judge.__module__].__doc__).splitlines()[0]
    assert re.match(r"Checks? \d\d\.\d", first)
    assert check_id in first


# --- hints, predictions, parameters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("check_id", ["11.1", "11.2", "11.3"])
def test_hints_come_in_three_steps(check_id: str) -> None:
    steps = [str(hint(check_id, step)) for step in (1, 2, 3)]
    assert len(set(steps)) == 3
    assert f'hint("{check_id}", 2)' in steps[0]
    assert "Still stuck?" not in steps[2]
    assert repr(hint(check_id)) == steps[0]
    assert steps[0] not in hint(check_id, 0)


ALL = ", ".join(CHECKS)
BAD_CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "unknown check": (lambda: check("99.1", never_written), f"there is no check '99.1'; checks are {ALL}"),
    "unknown hint": (lambda: hint("11.9"), f"there is no check '11.9'; checks are {ALL}"),
    "fourth step": (lambda: hint("11.1", 4), "hint: there are three steps, 1, 2 and 3; you asked for 4"),
    "unknown lab": (lambda: parameters("98"), f"there is no lab '98'; labs are {', '.join(LABS)}"),
    "id that is no text": (
        lambda: parameters("11", 123),  # type: ignore[arg-type]
        "STUDENT: write your id as text, in quotes, not 123",
    ),
}


@pytest.mark.parametrize("name", BAD_CALLS)
def test_bad_calls(name: str) -> None:
    call, says = BAD_CALLS[name]
    with pytest.raises(BadRequest) as caught:
        call()
    assert str(caught.value) == says


PREDICTIONS: dict[str, tuple[Any, Any, float, str]] = {
    "right": (8, 8, 0, "You said 8. It is 8: as you said. Each flap is two."),
    "near enough": (33, 33.2, 0.5, "You said 33. It is 33.2: as you said. Each flap is two."),
    "wrong": (4, 8, 0, "You said 4. It is 8: a surprise. Each flap is two."),
    "words": (" Member3", "member3", 0, "You said  Member3. It is member3: as you said. Each flap is two."),
    "none": (..., 8, 0, "You made no prediction. It is 8. Each flap is two."),
}


@pytest.mark.parametrize("name", PREDICTIONS)
def test_predict_and_reveal(name: str) -> None:
    answer, happened, tolerance, says = PREDICTIONS[name]
    assert repr(reveal(predict("How many?", answer), happened, "each flap is two", tolerance)) == says


def test_a_prediction_says_what_it_waits_for() -> None:
    assert repr(predict("How many?")) == "How many? write your answer in place of `...`"
    assert repr(predict("How many?", 3)) == "How many? You say 3."


def test_parameters_differ_between_students_and_never_for_one() -> None:
    students = [f"student-{number}" for number in range(30)]
    assert len({parameters("11", student) for student in students}) >= 5
    assert parameters("11") == parameters("11", "  ") == Flags()
    assert parameters("11", "Ada") == parameters("11", " ada ")


def test_parameters_are_the_same_in_another_process() -> None:
    code = "from karmadalab.teaching import parameters; print([parameters('11', f's{n}') for n in range(9)])"
    seeds = ("0", "1")
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in seeds
    ]
    assert runs[0] == runs[1] == f"{[parameters('11', f's{n}') for n in range(9)]}\n"


def test_what_counts_as_a_number() -> None:
    said: list[object] = [0, -1.5, float("inf"), True, float("nan"), "1", None, 10**400]
    assert [is_number(one) for one in said] == [True] * 3 + [False] * 5
