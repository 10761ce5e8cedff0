"""Faults as commands to the engine: exactly these, and exactly these to undo them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from karmadalab.environments.faults import Effect, Fault, combined, effect_of
from karmadalab.environments.kind.engine import Engine, Node
from karmadalab.environments.kind.faults import KindFaults, wanted
from karmadalab.environments.kind.measures import Measures, UndoFailed
from karmadalab.environments.kind.running import Output
from karmadalab.environments.kind.state import ClusterState, FleetFolder

CP, WORKER = (
    Node("k-control-plane", "running", ("172.18.0.1",), ("172.18.0.2",)),
    Node("k-worker", "running", ("172.18.0.1",), ("172.18.0.3",)),
)
RULE = ("-p", "tcp", "--dport", "6443", "-m", "comment", "--comment")
FROM_HOST = ("-i", "eth0", "-s", "172.18.0.1")
RESET = ("--reject-with", "tcp-reset")


class Recorder(Engine):
    """Takes every command and says what it is told to say."""

    def __init__(self) -> None:
        super().__init__("docker")
        self.calls: list[str] = []
        self.fails: dict[str, str] = {}

    def run(self, *words: str) -> Output:
        said = " ".join(words)
        self.calls.append(said)
        error = next((text for part, text in self.fails.items() if part in said), "")
        return Output(("docker", *words), 1 if error else 0, "", error, 0.0)


@pytest.fixture
def engine() -> Recorder:
    return Recorder()


@pytest.fixture
def measures(engine: Recorder, tmp_path: Path) -> Measures:
    folder = FleetFolder("test", tmp_path)
    folder.put(ClusterState("m", "karmadalab-test-m", "ready"))
    return Measures(engine, folder)


def faults(*names: str, pulls: bool = False, **options: float | str) -> list[Fault]:
    found = []
    for name in names:
        own = options if name in ("slow", "lossy", "bad_image") else {}
        effect, text = effect_of(name, pulls, **own) if name != "freeze" else (Effect(), "frozen")
        found.append(Fault(name, "m", effect, text, lambda fault: None))
    return found


def apply(measures: Measures, *names: str, pulls: bool = False, **options: float | str) -> None:
    acting = faults(*names, pulls=pulls, **options)
    nodes = (CP, WORKER)
    measures.set([n.name for n in nodes], wanted(acting, combined([f.effect for f in acting]), nodes, pulls))


def inside(node: Node, *words: str) -> str:
    return " ".join(("exec", "--privileged", node.name, *words))


def filters(action: str, *rule: str) -> str:
    return inside(CP, "iptables", "-w", "5", action, "INPUT", *rule)


CORDON = ("kubectl", "--kubeconfig", "/etc/kubernetes/admin.conf")
NO_PULLS = ("OUTPUT", "-o", "eth0", "-p", "tcp", "-m", "multiport", "--dports", "80,443,5000", "-m", "comment")
CASES: dict[str, tuple[dict[str, float | str], list[str], list[str]]] = {
    "power_off": ({}, ["kill k-control-plane", "kill k-worker"], ["start k-control-plane", "start k-worker"]),
    "freeze": ({}, ["pause k-control-plane", "pause k-worker"], ["unpause k-control-plane", "unpause k-worker"]),
    "hang": (
        {},
        [filters("-I", *RULE, "karmadalab:api", "-j", "DROP")],
        [filters("-D", *RULE, "karmadalab:api", "-j", "DROP")],
    ),
    "refuse": (
        {},
        [filters("-I", *RULE, "karmadalab:api", "-j", "REJECT", *RESET)],
        [filters("-D", *RULE, "karmadalab:api", "-j", "REJECT", *RESET)],
    ),
    "silence": (
        {},
        [filters("-I", *FROM_HOST, *RULE, "karmadalab:path", "-j", "DROP")],
        [filters("-D", *FROM_HOST, *RULE, "karmadalab:path", "-j", "DROP")],
    ),
    "cut_off": (
        {},
        [filters("-I", *FROM_HOST, *RULE, "karmadalab:path", "-j", "REJECT", *RESET)],
        [filters("-D", *FROM_HOST, *RULE, "karmadalab:path", "-j", "REJECT", *RESET)],
    ),
    "slow": (
        {"latency_s": 2.5},
        [inside(CP, "tc", "qdisc", "add", "dev", "eth0", "root", "netem", "delay", "2500ms")],
        [inside(CP, "tc", "qdisc", "del", "dev", "eth0", "root", "netem")],
    ),
    "lossy": (
        {"loss": 0.3},
        [inside(CP, "tc", "qdisc", "add", "dev", "eth0", "root", "netem", "loss", "30.0000%")],
        [inside(CP, "tc", "qdisc", "del", "dev", "eth0", "root", "netem")],
    ),
    "exhaust_capacity": (
        {},
        [inside(CP, *CORDON, "cordon", CP.name), inside(CP, *CORDON, "cordon", WORKER.name)],
        [inside(CP, *CORDON, "uncordon", CP.name), inside(CP, *CORDON, "uncordon", WORKER.name)],
    ),
    "bad_image": (
        {"image": "nginx:1.27"},
        [
            inside(CP, "crictl", "rmi", "nginx:1.27"),
            inside(WORKER, "crictl", "rmi", "nginx:1.27"),
            *(
                inside(
                    n,
                    "iptables",
                    "-w",
                    "5",
                    "-I",
                    *NO_PULLS,
                    "--comment",
                    "karmadalab:bad-image",
                    "-j",
                    "REJECT",
                    *RESET,
                )
                for n in (CP, WORKER)
            ),
        ],
        [
            inside(
                n, "iptables", "-w", "5", "-D", *NO_PULLS, "--comment", "karmadalab:bad-image", "-j", "REJECT", *RESET
            )
            for n in (CP, WORKER)
        ],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_done_and_what_undoes_it(name: str, engine: Recorder, measures: Measures) -> None:
    options, do, undo = CASES[name]
    apply(measures, name, **options)
    assert engine.calls == do
    engine.calls.clear()
    apply(measures, name, **options)
    assert engine.calls == [], "what is in force is not done twice"
    apply(measures)
    assert engine.calls == undo
    assert measures.taken == []


@pytest.mark.parametrize("name", ["silence", "cut_off", "slow", "stop_agent"])
def test_faults_on_the_way_of_a_pull_member_leave_its_machines_alone(
    name: str, engine: Recorder, measures: Measures
) -> None:
    apply(measures, name, pulls=True, **({"latency_s": 1.0} if name == "slow" else {}))
    assert engine.calls == []


def test_the_guide_tells_of_every_fault_and_of_no_other() -> None:
    guide = (Path(__file__).resolve().parent.parent.parent / "docs" / "kind.md").read_text(encoding="utf-8")
    table = guide.partition("## What a fault does")[2].partition("## ")[0]
    told = {
        name
        for row in table.splitlines()
        if row.startswith("|")
        for name in re.findall(r"`(\w+)`", row.partition(" | ")[0])
    }
    there = {name for name in dir(KindFaults) if not name.startswith("_")} - {"heal", "flapping", "target"}
    assert told == there


def test_the_list_is_written_before_anything_is_done(measures: Measures, engine: Recorder, tmp_path: Path) -> None:
    engine.fails["iptables"] = "cannot exec in a stopped container"
    with pytest.raises(Exception, match="cannot exec"):
        apply(measures, "silence")
    assert len(FleetFolder("test", tmp_path).read().faults) == 1


def test_what_a_killed_lab_left_is_undone_by_the_next(engine: Recorder, measures: Measures, tmp_path: Path) -> None:
    apply(measures, "silence", "exhaust_capacity")
    engine.calls.clear()
    after = Measures(engine, FleetFolder("test", tmp_path))
    assert after.taken == measures.taken
    after.undo()
    assert sum("-D INPUT" in call for call in engine.calls) == 1
    assert FleetFolder("test", tmp_path).read().faults == ()
    assert [c.member for c in FleetFolder("test", tmp_path).read().clusters] == ["m"]


def test_of_two_faults_each_is_undone_by_itself(engine: Recorder, measures: Measures) -> None:
    apply(measures, "silence", "exhaust_capacity")
    engine.calls.clear()
    apply(measures, "exhaust_capacity")
    assert engine.calls == CASES["silence"][2]


def test_rules_go_with_the_power_and_come_back_with_it(engine: Recorder, measures: Measures) -> None:
    apply(measures, "silence")
    apply(measures, "silence", "power_off")
    engine.calls.clear()
    apply(measures, "silence")
    assert engine.calls == [*CASES["power_off"][2], *CASES["silence"][1]]


def test_a_cordon_that_ends_while_the_power_is_off_ends_with_that(engine: Recorder, measures: Measures) -> None:
    apply(measures, "exhaust_capacity", "power_off")
    engine.calls.clear()
    apply(measures, "power_off")
    assert engine.calls == []
    apply(measures)
    assert engine.calls == [*CASES["power_off"][2], *CASES["exhaust_capacity"][2]]


@pytest.mark.parametrize(
    "said",
    [
        "iptables: Bad rule (does a matching rule exist in that chain?).",
        "Error: Cannot delete qdisc with handle of zero.",
    ],
)
def test_what_is_gone_needs_no_undoing(said: str, engine: Recorder, measures: Measures) -> None:
    apply(
        measures, *(("slow",) if "qdisc" in said else ("silence",)), **({"latency_s": 1.0} if "qdisc" in said else {})
    )
    engine.fails = {"-D": said, "del": said}
    apply(measures)
    assert measures.taken == []


def test_one_that_can_not_be_undone_stops_no_other_and_stays_on_the_list(engine: Recorder, measures: Measures) -> None:
    apply(measures, "silence", "refuse")
    engine.fails = {"karmadalab:api": "the engine is tired"}
    with pytest.raises(UndoFailed, match=r"the engine is tired.*karmadalab kind heal tries again"):
        apply(measures)
    assert [measure.what for measure in measures.taken] == ["REJECT to the API server"]
    engine.fails.clear()
    measures.undo()
    assert measures.taken == []
