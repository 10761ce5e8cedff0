"""A lab of two questions, and what a class hands in: honest work, unfinished work, and all the harm one can try."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import nbformat

from karmadalab.teaching.sources import exercise
from tests.small_labs import lab_of, role

SETUP = """from karmadalab.teaching import check, parameters
from karmadalab.scheduler import ClusterWeight
MINE = parameters("11", STUDENT)
US = [ClusterWeight("eastus", 170), ClusterWeight("centralus", 110)]"""
RIGHT = """    total = sum(claim.weight for claim in weights)
    dealt = {claim.name: claim.weight * replicas // total for claim in weights}
    order = sorted(weights, key=lambda claim: (-claim.weight, -claim.last, claim.name))
    for claim in order[: replicas - sum(dealt.values())]:
        dealt[claim.name] += 1
    return {name: count for name, count in dealt.items() if count}"""
WEBSTER = """    dealt = {claim.name: 0 for claim in weights}
    for _ in range(replicas):
        best = min(weights, key=lambda c: (-c.weight / (2 * dealt[c.name] + 1), dealt[c.name], c.name))
        dealt[best.name] += 1
    return {name: count for name, count in dealt.items() if count}"""
WRONG = "    return {weights[0].name: replicas}"


def solution() -> Any:
    """A lab of two questions and a written answer."""
    inside = "    ### BEGIN SOLUTION\n{}\n    ### END SOLUTION"
    hidden = "\n### BEGIN HIDDEN TESTS\n{}\n### END HIDDEN TESTS"
    made = lab_of(
        ('STUDENT = ""', None),
        (SETUP, None),
        ("def first(replicas, weights):\n" + inside.format(RIGHT), role("first", solution=True)),
        (
            'print(check("23.1", first))' + hidden.format("assert first(7, US) == {'eastus': 5, 'centralus': 2}"),
            role("check-1", grade=True, locked=True, points=4),
        ),
        (
            "def second(replicas, weights):\n"
            + inside.format(WEBSTER)
            + "\n\ndef mine(numbers=lambda: MINE):\n"
            + inside.format("    return numbers()"),
            role("second", solution=True),
        ),
        ("mine(lambda: MINE)", None),  # it hands over a function, which stays with the judge; the check does not
        (
            'print(check("23.3", second))' + hidden.format("assert mine() == MINE"),
            role("check-2", grade=True, locked=True, points=2.5),
        ),
    )
    essay = nbformat.v4.new_markdown_cell("Because.", id="essay")
    essay.metadata["nbgrader"] = nbformat.from_dict(role("essay", grade=True, solution=True, points=1))
    made.cells.append(essay)
    made.cells[0].metadata["tags"] = ["parameters"]
    made.metadata["language_info"] = {"name": "python"}
    return made


def handed_in(first: str = RIGHT, second: str = WEBSTER, before: str = "", between: str = "") -> Any:
    """The exercise with answers, and cells of the student's own before the first check and between the two."""
    made = exercise(solution(), "23_small.ipynb")
    parameters, setup, one, check_1, two, tried, check_2, essay = made.cells
    one.source = f"def first(replicas, weights):\n{first}"
    two.source = f"def second(replicas, weights):\n{second}\n\ndef mine(numbers=lambda: MINE):\n    return numbers()"
    extra = [nbformat.v4.new_code_cell(text, id=f"own{n}") for n, text in enumerate((before, between))]
    made.cells = [parameters, setup, one, extra[0], check_1, extra[1], two, tried, check_2, essay]
    return made


def meddled() -> Any:
    """The first check says yes to all and is worth a thousand points; the second is gone."""
    made = handed_in(first=WRONG)
    made.cells = [cell for cell in made.cells if cell.id != "c6"]
    [check] = [cell for cell in made.cells if cell.id == "c3"]
    check.source = 'print("23.1 passed: a division of your own.")'
    check.metadata["nbgrader"]["points"] = 1000
    return made


def with_an_id() -> Any:
    made = handed_in()
    made.cells[0].source = 'STUDENT = "s123"  # me'
    return made


FORGERY = """
import builtins, sys, types
import karmadalab.teaching as teaching
from karmadalab.teaching import checks, verdict
from karmadalab.teaching.labs import division
passes = lambda *_: "23.1 passed: a division of your own."
check = teaching.check = checks.check = passes
for name in division.LAB.checks:
    object.__setattr__(division.LAB.checks[name], "judge", lambda *_: None)
fake = types.ModuleType("karmadalab.teaching")
fake.check = passes
sys.modules["karmadalab.teaching"] = fake
builtins.all = builtins.any = lambda *_: True
print("23.1 passed: a division of your own.")
"""
AGREEABLE = """
right = first

class Yes(dict):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = None

def first(replicas, weights):
    hidden = len(weights) == 2 and weights[0].name == "eastus"
    return Yes({weights[0].name: replicas}) if hidden else right(replicas, weights)
"""
CLUMSY = """
try:
    while True:
        print("x" * 100_000)
except OSError:
    pass
while True: pass
"""
DEAF = """
import signal
signal.signal(signal.SIGINT, signal.SIG_IGN)
while True: pass
"""
GARBLES = """
import os
for number in range(3, 64):
    try: os.write(number, b"\\x00\\x00\\x00\\x05hello")
    except OSError: pass
"""
TRESPASS = """
import os, shutil, socket
tried = []
def attempt(what):
    try: tried.append(repr(what()))
    except BaseException as error: tried.append(type(error).__name__)
attempt(lambda: open({solution!r}).read())
attempt(lambda: os.listdir({folder!r}))
attempt(lambda: os.remove({other!r}))
attempt(lambda: shutil.rmtree({folder!r}))
attempt(lambda: open({outside!r}, "w").write("was here"))
attempt(lambda: socket.create_connection(("127.0.0.1", {port}), timeout=2))
attempt(lambda: os.kill({pid}, 0))
open("mine.txt", "w").write("may be written")
"""
TRESPASSER_SAYS = "    raise ValueError(' '.join(tried))"


def students(folder: Path, port: int) -> dict[str, Any]:
    trespass = TRESPASS.format(
        solution=str(folder / "solutions" / "23_small.ipynb"),
        folder=str(folder / "class"),
        other=str(folder / "class" / "solved" / "23_small.ipynb"),
        outside=str(folder / "outside.txt"),
        port=port,
        pid=os.getpid(),
    )
    return {
        "untouched": exercise(solution(), "23_small.ipynb"),
        "half right": handed_in(first=WRONG),
        "meddler": meddled(),
        "solved": with_an_id(),
        "clumsy": handed_in(before="big = bytearray(4 << 30)", between=CLUMSY),
        "deaf": handed_in(between=DEAF),
        "endless": handed_in(first="    while True: pass"),
        "leaves": handed_in(between="import os; os._exit(0)"),
        "fork bomb": handed_in(between="import os\nwhile True: os.fork()"),
        "garbles": handed_in(between=GARBLES),
        "forger": handed_in(first=WRONG, before=FORGERY),
        "late forger": handed_in(second=WRONG, before=FORGERY),
        "agreeable": handed_in(before=AGREEABLE),
        "trespasser": handed_in(first=TRESPASSER_SAYS, before=trespass),
        "no syntax": handed_in(second="    return ("),
    }
