"""The command line: what it prints, what it exits with, and that bad input gets a sentence."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import karmadalab

ROOT = Path(__file__).resolve().parent.parent
FAILOVER = "environments/failover.yaml"


def cli(*args: str, seed: str = "0", module: bool = False, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "karmadalab"] if module else [str(Path(sys.executable).with_name("karmadalab"))]
    env = {**os.environ, "PYTHONHASHSEED": seed, "NO_COLOR": "1"}
    return subprocess.run([*command, *args], capture_output=True, text=True, cwd=cwd, env=env, timeout=60, check=False)


def test_a_run_as_a_table() -> None:
    done = cli("run", FAILOVER)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == FAILOVER
    assert "Karmada v1.13, Failover on; 5 members, 15m0s of cluster time, seed 1" in lines
    assert any(re.fullmatch(r" *1m0s +\+0s  member1  FAULT: power off", line) for line in lines)
    assert any(
        re.fullmatch(r" *1m3\d(\.\d)?s +\+3\d(\.\d)?s  member1  Ready: True -> False \(.*\)", line) for line in lines
    )
    assert any(line.endswith("Karmada  nginx: eviction from member1 begins") for line in lines)
    assert any(line.endswith("member3  2 pods ready") for line in lines)
    assert lines[-1] == "OK: all 11 expectations met"
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_a_run_in_a_terminal_of_80_columns_has_colours_and_fits() -> None:
    import pty

    ours, theirs = pty.openpty()
    env = {**os.environ, "COLUMNS": "80", "TERM": "xterm-256color"}
    env.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "karmadalab", "run", FAILOVER]
    with subprocess.Popen(command, stdout=theirs, stderr=subprocess.STDOUT, cwd=ROOT, env=env) as process:
        os.close(theirs)
        text = b""
        while chunk := _read(ours):
            text += chunk
        assert process.wait(60) == 0
    os.close(ours)
    shown = text.decode()
    assert "\x1b[" in shown
    lines = re.sub(r"\x1b\[[0-9;]*m", "", shown).splitlines()
    assert max(len(line) for line in lines) <= 80
    assert any(line.strip().endswith("FAULT: power off") for line in lines)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # the other end is closed
        return b""


def test_json_is_the_list_of_events_and_nothing_else() -> None:
    done = cli("run", FAILOVER, "--format", "json")
    events = json.loads(done.stdout)
    assert done.returncode == 0
    assert all(list(event) == ["t", "kind", "namespace", "name", "what", "detail", "cause"] for event in events)
    assert [event["t"] for event in events] == sorted(event["t"] for event in events)
    noticed = next(event for event in events if event["what"] == "condition Ready True -> False")
    chain = []
    at: int | None = noticed["cause"]
    while at is not None:
        chain.append(events[at]["kind"])
        at = events[at]["cause"]
    assert "fault" in chain


@pytest.mark.parametrize("file", ["failover", "story-b", "divided-dynamic"])
def test_json_is_the_same_to_the_byte_in_every_process(file: str) -> None:
    texts = {cli("run", f"environments/{file}.yaml", "--format", "json", seed=seed).stdout for seed in ("0", "4711")}
    assert len(texts) == 1
    assert len(texts.pop()) > 10_000


def test_another_seed_gives_other_phases() -> None:
    one, two = (cli("run", FAILOVER, "--format", "json", "--seed", seed).stdout for seed in ("1", "2"))
    assert one != two


def test_a_page_stands_alone(tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    page = tmp_path / "new" / "failover.html"
    done = cli("run", FAILOVER, "--format", "html", "-o", str(page))
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == f"{FAILOVER}: all 11 expectations met; written to {page}\n"
    text = page.read_text()
    assert text.startswith("<!doctype html>")
    assert "power off" in text
    assert "What was expected" in text
    assert "<script src=" not in text


def test_expectations_that_are_not_met_make_it_1_and_say_what_happened_instead() -> None:
    done = cli("run", FAILOVER, "--set", "cluster-failure-threshold=60s")
    assert done.returncode == 1
    assert "NOT AS EXPECTED: " in done.stdout
    assert re.search(r"instead: it happened at 2m\d+(\.\d+)?s \(1m\d+(\.\d+)?s after power off\)", done.stdout)
    assert "cluster-failure-threshold=1m0s" in done.stdout


def test_beside_json_they_are_told_on_the_other_channel() -> None:
    done = cli("run", FAILOVER, "--format", "json", "--set", "cluster-failure-threshold=60s")
    assert done.returncode == 1
    json.loads(done.stdout)
    assert "instead: it happened at 2m" in done.stderr


BAD = [
    ("no such file", ["run", "environments/no.yaml"], "environments/no.yaml: no such file (looked in"),
    ("a folder", ["run", "environments"], "environments: is a folder; name a file in it"),
    ("a fleet", ["run", "environments/five-members.yaml"], "environments/five-members.yaml: is a fleet"),
    ("manifests", ["run", "environments/nginx.yaml"],
     "environments/nginx.yaml: these are manifests, not a scenario; a scenario lists them under manifests"),
    ("no such file at a full path", ["run", "/nowhere/no.yaml"], "/nowhere/no.yaml: no such file\n"),
    ("several files into one", ["run", FAILOVER, FAILOVER, "-o", "out.txt"], "run: several files are shown as tables"),
    ("several files as one JSON", ["run", FAILOVER, FAILOVER, "--format", "json"], "run: several files are shown as"),
    ("one bad file of several", ["run", FAILOVER, "environments/nginx.yaml"], "environments/nginx.yaml: these are man"),
    ("an unknown flag", ["run", FAILOVER, "--set", "cluster-failure-treshold=60s"],
     "there is no flag 'cluster-failure-treshold'; did you mean cluster-failure-threshold?"),
    ("a bad value", ["run", FAILOVER, "--set", "cluster-failure-threshold=soon"],
     "cluster_failure_threshold: 'soon' is not a duration"),
    ("a negative value", ["run", FAILOVER, "--set", "cluster-failure-threshold=-5s"],
     "cluster_failure_threshold: a length of time can't be negative, got -5s"),
    ("a flag without a value", ["run", FAILOVER, "--set", "cluster-failure-threshold"],
     "--set: write FLAG=VALUE, for example cluster-failure-threshold=60s, not 'cluster-failure-threshold'"),
    (
        "an object that is misspelt",
        ["explain", FAILOVER, "deployment/ngin"],
        "explain: there never was a Deployment default/ngin; did you mean deployment/default/nginx?",
    ),
    ("an unknown object", ["explain", FAILOVER, "deployment/web"], "explain: there never was a Deployment default/web"),
    ("an object without a kind", ["explain", FAILOVER, "nginx"], "explain: write kind/name"),
    ("a place that can't be written", ["run", FAILOVER, "-o", "/dev/null/x"], "/dev/null"),
    ("no solutions", ["exercises", "build", "--solutions", "nowhere"], "nowhere: there is no such folder"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "message"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
def test_bad_input_gets_one_sentence_and_2(args: list[str], message: str) -> None:
    done = cli(*args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(f"karmadalab: {message}")
    assert len(done.stderr.splitlines()) == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "args", [["run", FAILOVER, "--format", "xml"], ["run"], ["rum"], ["run", FAILOVER, "--seed", "x"]]
)
def test_a_command_that_is_written_wrong_is_2_too(args: list[str]) -> None:
    done = cli(*args)
    assert done.returncode == 2
    assert "Usage: karmadalab" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_unknown_format_is_answered_with_those_there_are() -> None:
    done = cli("run", FAILOVER, "--format", "xml")
    assert "there is no format 'xml'; write table, json or html" in done.stderr


def test_several_files_are_run_one_after_the_other() -> None:
    done = cli("run", FAILOVER, "environments/blip.yaml", "--set", "cluster-failure-threshold=60s")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line for line in lines if line in (FAILOVER, "environments/blip.yaml")] == [
        FAILOVER,
        "environments/blip.yaml",
    ]
    assert lines[-2:] == ["1 of 2 files as expected", f"  not {FAILOVER}"]


def test_explain_begins_with_the_first_cause() -> None:
    done = cli("explain", FAILOVER, "deployment/nginx")
    assert done.returncode == 0
    assert "a fault began on member1: power off" in done.stdout


def test_version_names_the_release_it_follows() -> None:
    said = f"karmadalab {karmadalab.__version__} (Karmada v1.13, Failover on)\n"
    assert (cli("version").stdout, cli("--version").stdout) == (said, said)


def test_help_lists_what_there_is_and_loads_nothing_heavy() -> None:
    done = cli("--help", module=True)
    commands = re.findall(r"^  (\w+)  ", done.stdout.partition("Commands:")[2], re.MULTILINE)
    assert {"run", "explain", "version", "exercises"} <= set(commands)
    heavy = ["plotly", "pandas", "ruamel.yaml", "rich.console"]
    code = f"import sys, karmadalab.cli; print([name for name in {heavy} if name in sys.modules])"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout
    assert loaded == "[]\n"
