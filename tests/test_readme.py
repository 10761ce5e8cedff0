"""The README keeps its word: its lesson runs, its commands exist, its picture shows what happens today."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from karmadalab.core.story import Story
from karmadalab.experiments import run_scenario

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def values_of(lines: list[str]) -> list[Any]:
    """What the lines of a block that are not statements give, each held against the remark behind it."""
    names: dict[str, Any] = {}
    values: list[Any] = []
    for line in lines:
        code, _, remark = line.partition("#")
        if re.match(r"(from |import |\w+ = )", code):
            exec(code, names)
            continue
        values.append(eval(code.strip(), names))
        if remark.startswith(" = "):
            assert repr(values[-1]) == remark.removeprefix(" = ").strip()
    return values


def test_the_first_lesson_has_ten_lines_and_each_says_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    lesson, _ = blocks("python")
    lines = [line for line in lesson.splitlines() if line.strip()]
    assert len(lines) == 10
    values = values_of(lines)
    noticed, then = values[-4], values[-1]
    assert repr(noticed) == repr(then)
    assert "Ready=False" in repr(noticed)
    assert isinstance(values[-2], Story)
    assert "power off" in repr(values[-2])


def test_the_loop_over_seeds_gives_the_table_it_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(ROOT)
    _, loop = blocks("python")
    assert len(values_of([line for line in loop.splitlines() if line.strip()])) == 1


def test_the_readme_says_which_python_it_means_before_it_uses_it() -> None:
    assert README.index("`. .venv/bin/activate`") < README.index("```python")
    for page in re.findall(r"\]\(((?:notebooks|docs)/[^)]+)\)", README):
        assert (ROOT / page).is_file(), page


def test_the_commands_of_the_readme_work(monkeypatch: pytest.MonkeyPatch) -> None:
    from typer.testing import CliRunner

    from karmadalab.cli import app

    monkeypatch.chdir(ROOT)
    commands = [line for block in blocks("sh") for line in block.splitlines() if line.startswith("karmadalab ")]
    assert len(commands) == 2
    codes = [CliRunner().invoke(app, shlex.split(command)[1:]).exit_code for command in commands]
    assert codes == [1, 0], "the first changes a flag, and expectations no longer hold"


def test_the_picture_shows_what_happens_today() -> None:
    pytest.importorskip("pandas")
    from karmadalab.analysis import record, serving
    from karmadalab.show.words import labels

    picture = ROOT / "docs" / "failover.svg"
    assert f"](docs/{picture.name})" in README
    assert picture.stat().st_size < 100_000
    drawn = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", picture.read_text()))
    recording = record(run_scenario(ROOT / "environments" / "failover.yaml").lab)
    words = [
        " ".join(line.split()) for label in labels(recording, serving(recording), 900, 800) for line in label.lines
    ]
    assert [line for line in words if line not in drawn] == [], "draw it again: python docs/picture.py"


def test_the_example_of_the_scenario_guide_holds() -> None:
    from ruamel.yaml import YAML

    guide = (ROOT / "docs" / "scenarios.md").read_text()
    [example] = re.findall(r"```yaml\n(.*?)```", guide, re.DOTALL)
    result = run_scenario(YAML(typ="safe", pure=True).load(example))
    assert result.met, repr(result)
    assert len(result.outcomes) == 6


def test_the_scenario_guide_names_every_fault_action_and_expectation() -> None:
    from karmadalab.environments.fault_control import MemberFaults
    from karmadalab.experiments import actions, expectations

    guide = (ROOT / "docs" / "scenarios.md").read_text()
    faults = [name for name in vars(MemberFaults) if not name.startswith("_")]
    assert sorted(faults) == sorted(actions._OPTIONS), "a fault that scenario files don't know"
    words = [*faults, *actions._CLASSES, *expectations._CLASSES]
    assert [word for word in words if not re.search(rf"\b{word}\b", guide)] == []
