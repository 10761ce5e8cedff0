"""Lessons: they run, they keep their shape, and nothing of a run is committed."""

from __future__ import annotations

import ast
import re
from html import escape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from karmadalab.api.errors import Invalid
from tests.lessons import LESSONS, ROOT, UnknownParameter, parameters_of, read, run, tagged

pytest.importorskip("papermill")

MOST_CELLS, MOST_LINES, MOST_LINES_A_CELL = 40, 150, 15
WORDS = range(900, 1801)
FORBIDDEN = (r"^\s*[!%]", r"\bpip install\b", r"https?://", r"['\"]/(?!/)\w", r"\btime\.sleep\b")

every_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
# What papermill says of its own dependencies is not ours to mend.
pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning:papermill.*")]


def code_of(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def prose_of(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "markdown"]


# --- they run

# Each lesson once as Jupyter runs it, by turns with seed 1 and 5. The prose must hold for any seed, and kernels for all
# of them cost minutes, so more seeds follow without one; on these an assertion measured on 1 and 5 alone has failed.
RUNS = [(path, (1, 5)[n % 2]) for n, path in enumerate(LESSONS)]
MORE_SEEDS = (3, 4)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "seed"), RUNS, ids=lambda value: getattr(value, "stem", str(value)))
def test_a_lesson_runs_and_all_its_numbers_hold(path: Path, seed: int, tmp_path: Path) -> None:
    done = run(path, tmp_path / path.name, {"SEED": seed})
    assert all(cell.execution_count for cell in code_of(done) if cell.source)
    streams = [out for cell in code_of(done) for out in cell.outputs if out.get("name") == "stderr"]
    assert streams == []
    figures = [
        out for cell in code_of(done) for out in cell.outputs if "application/vnd.plotly.v1+json" in out.get("data", {})
    ]
    assert figures, "a lesson shows a figure without anyone touching a slider"
    assert all(len(out.data["text/plain"]) > 60 for out in figures), "each with its alternative text"


@pytest.mark.slow
@pytest.mark.parametrize("seed", MORE_SEEDS)
@every_lesson
def test_its_numbers_hold_for_other_seeds(path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    execute(path, {"SEED": seed}, monkeypatch)


@every_lesson
def test_an_unknown_parameter_is_refused(path: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownParameter, match=f"{path.name}: there is no parameter SEEED; there are WORLD, SEED"):
        run(path, tmp_path / path.name, {"SEEED": 2})


BEYOND = [
    ("00", {"HORIZON": "5m"}, "a failover takes eleven minutes"),
    ("01", {"HORIZON": "2s"}, "round 3 looks just after that"),
    ("01", {"REPLICAS": 2}, "both must be changes"),
    ("01", {"REPLICAS": 7}, "both must be changes"),
    ("02", {"HORIZON": "5m"}, "a failover takes eleven minutes"),
    ("03", {"HORIZON": "5m"}, "a failover takes eleven minutes"),
    ("10", {"HORIZON": "1m"}, "silence is noticed after up to 90 s"),
    ("10", {"QUIET": "10s"}, "a lease is renewed every 10 s"),
    ("11", {"OUTAGE": 20.0}, "a shorter one may not be noticed"),
    ("11", {"BLIP": "35s"}, "two probes must fail, but for less than the threshold"),
    ("12", {"FROZEN": "30s"}, "a shorter silence may go unnoticed"),
    ("13", {"HORIZON": "5m"}, "NoExecute comes nine and a half minutes after the fault"),
    ("20", {"HORIZON": "2s"}, "a pod needs 3 s to start"),
    ("21", {"HORIZON": "20s"}, "the failure of member1 may not be known yet"),
    ("22", {"HORIZON": "5m"}, "a failover takes eleven minutes"),
    ("23", {"SLOW": "30m"}, "all replicas must have started before"),
    ("30", {"HORIZON": "4m"}, "a toleration of five minutes must run out"),
    ("31", {"STARTUP": "5m"}, "all replicas must have started when the drain begins"),
    ("32", {"STARTUP": "10s"}, "30 s must be too short a timeout"),
    ("33", {"OUTAGE": "5m"}, "just before the old deletion strikes"),
    ("34", {"HORIZON": "10m"}, "followed for a quarter of an hour"),
    ("35", {"HORIZON": "30m"}, "two copies run for that long"),
    ("35", {"OUTAGE": "25m"}, "the try after 1,311 s"),
    ("35", {"OUTAGE": "5m"}, "the try after 1,311 s"),
    ("40", {"REPAIR": "5m"}, "a failover takes eleven minutes"),
    ("40", {"BLIP": "40s"}, "over just before the quick settings evict"),
    ("41", {"HORIZON": "1m"}, "silence is noticed after up to 90 s"),
    ("42", {"HORIZON": "10m"}, "a failover takes eleven minutes"),
    ("42", {"SHORT": "40s"}, "over just before the middle settings evict"),
    ("42", {"LONG": "5m"}, "a failover takes eleven minutes"),
    ("43", {"HORIZON": "5m"}, "a failover takes eleven minutes"),
    ("43", {"YEAR": 0}, "without a month there are no costs"),
    ("90", {"HORIZON": "2m"}, "a failover takes up to 140 s here"),
    ("91", {"HORIZON": "2m"}, "a failover takes up to 140 s here"),
]
WITHIN = [
    ("00", {"HORIZON": "30m"}),
    ("01", {"HORIZON": "4s", "REPLICAS": 6}),
    ("02", {"HORIZON": "30m"}),
    ("03", {"HORIZON": "12m"}),
    ("10", {"HORIZON": "2m", "QUIET": "30m"}),
    ("11", {"BLIP": "30s", "OUTAGE": "2m"}),
    ("12", {"HORIZON": "10m", "FROZEN": "2m"}),
    ("13", {"HORIZON": "12m"}),
    ("20", {"HORIZON": "2m"}),
    ("21", {"HORIZON": "5m"}),
    ("22", {"HORIZON": "12m"}),
    ("23", {"HORIZON": "2m", "SLOW": "5m"}),
    ("30", {"HORIZON": "6m"}),
    ("31", {"HORIZON": "3m", "STARTUP": "2m"}),
    ("32", {"HORIZON": "5m", "STARTUP": "45s"}),
    ("33", {"HORIZON": "25m", "OUTAGE": "19m"}),
    ("34", {"HORIZON": "16m"}),
    ("35", {"HORIZON": "46m", "OUTAGE": "12m"}),
    ("35", {"OUTAGE": "20m"}),
    ("40", {"REPAIR": "12m", "BLIP": "90s"}),
    ("41", {"HORIZON": "2m"}),
    ("42", {"HORIZON": "13m", "LONG": "12m", "SHORT": "72s"}),
    ("42", {"SHORT": "85s"}),
    ("43", {"HORIZON": "13m", "YEAR": 1}),
    ("90", {"HORIZON": "3m"}),
    ("91", {"HORIZON": "3m"}),
]


def lesson(number: str) -> Path:
    [path] = [path for path in LESSONS if path.stem.startswith(f"{number}_")]
    return path


def execute(path: Path, parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch, cells: int | None = None) -> None:
    """Run the code cells here, without a kernel: quick, and errors arrive as they are."""
    monkeypatch.chdir(path.parent)
    known = parameters_of(read(path))
    assert set(parameters) <= set(known)
    names: dict[str, Any] = {}
    for cell in code_of(read(path))[:cells]:
        exec(compile(cell.source, cell.id, "exec"), names)
        if "parameters" in cell.metadata.get("tags", ()):
            names.update(parameters)


@every_lesson
def test_each_parameter_but_the_world_and_the_seed_has_its_bounds(path: Path) -> None:
    notebook = read(path)
    guarded = set(re.findall(r"^(?:\w+ = )?bounded\(.*, ([A-Z]+)=\1\)$", notebook.cells[2].source, re.MULTILINE))
    assert guarded == set(parameters_of(notebook)) - {"WORLD", "SEED"}


@pytest.mark.parametrize(("number", "parameters", "sentence"), BEYOND)
def test_a_parameter_that_spoils_the_story_is_refused_in_a_sentence_at_the_top(
    number: str, parameters: dict[str, Any], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    [(name, value)] = parameters.items()
    with pytest.raises(Invalid) as refused:
        execute(lesson(number), parameters, monkeypatch, cells=2)
    assert str(refused.value).startswith(f"{name} = {value!r}: this lesson needs ")
    assert sentence in str(refused.value)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "parameters"), WITHIN)
def test_a_parameter_within_its_bounds_spoils_nothing(
    number: str, parameters: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    execute(lesson(number), parameters, monkeypatch)


@pytest.mark.slow
def test_another_world_is_refused_in_a_sentence(tmp_path: Path) -> None:
    from papermill.exceptions import PapermillExecutionError

    with pytest.raises(PapermillExecutionError, match="this lesson runs on the fake; part 90 takes it to kind"):
        run(LESSONS[0], tmp_path / LESSONS[0].name, {"WORLD": "kind"})


# --- nothing of a run is committed


@every_lesson
def test_a_lesson_is_committed_clean(path: Path) -> None:
    notebook = read(path)
    for cell in code_of(notebook):
        assert (cell.outputs, cell.execution_count) == ([], None), cell.id
    assert set(notebook.metadata) == {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert dict(notebook.metadata.language_info) == {"name": "python"}  # a version would change with the machine


@every_lesson
def test_cell_ids_are_names_not_noise(path: Path) -> None:
    ids = [cell.id for cell in read(path).cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", name) for name in ids)


@every_lesson
def test_a_lesson_is_stored_as_nbformat_writes_it(path: Path) -> None:
    import nbformat

    notebook = read(path)
    nbformat.validate(notebook)
    assert nbformat.writes(notebook).strip() == path.read_text(encoding="utf-8").strip()


# --- the shape


@every_lesson
def test_a_lesson_begins_with_its_title_its_parameters_and_the_lab(path: Path) -> None:
    title, parameters, lab, *_ = read(path).cells
    assert title.cell_type == "markdown"
    assert title.source.startswith("# ")
    summary = title.source.split("\n\n")[1]
    assert re.fullmatch(r"[^.?!]+\.", summary), "one sentence"
    questions = re.search(r"\*\*Questions\.\*\*(.*)", title.source)
    assert questions
    assert 1 <= questions.group(1).count("?") <= 3
    assert 3 <= len(re.findall(r"^\* [a-z]", title.source, re.MULTILINE)) <= 5
    assert "**You will be able to**" in title.source
    assert re.search(r"About \d+ minutes", title.source)
    assert "Profile: Karmada v1.13" in title.source
    assert (parameters.cell_type, parameters.metadata.tags) == ("code", ["parameters"])
    assert "import" in lab.source
    assert "banner()" in lab.source


@every_lesson
def test_parameters_are_literals_one_a_line_each_with_its_meaning(path: Path) -> None:
    notebook = read(path)
    [cell] = tagged(notebook, "parameters")
    lines = cell.source.splitlines()
    assert len(parameters_of(notebook)) == len(lines)
    for line in lines:
        assert re.fullmatch(r"[A-Z_]+ = [^#]+  # .+", line)
        ast.literal_eval(line.split(" = ")[1].split("  #")[0])


@every_lesson
def test_a_lesson_ends_with_its_check_its_points_and_where_to_go(path: Path) -> None:
    *_, check, points, ways = read(path).cells
    assert check.metadata.tags == ["check"]
    assert check.source.count("assert ") >= 8
    assert points.source.startswith("## Key points")
    for part in ("**Recall.**", "**Where this lives in Karmada.**", ".go`", "kubectl "):
        assert part in points.source
    for part in ("**Exercise.**", "**Previous:**", "**Next:**"):
        assert part in ways.source


def test_each_lesson_names_the_one_before_it_and_the_one_after_it() -> None:
    links = re.compile(r"\*\*(Previous|Next):\*\* \[[^]]+\]\(([^)]+)\)")
    named = {path.name: dict(links.findall(read(path).cells[-1].source)) for path in LESSONS}
    names = list(named)
    before = {name: {"Previous": other} for other, name in pairwise(names)}
    after = {name: {"Next": other} for name, other in pairwise(names)}
    assert named == {name: before.get(name, {}) | after.get(name, {}) for name in names}


@every_lesson
def test_a_lesson_has_three_to_five_rounds_each_with_prediction_look_and_reason(path: Path) -> None:
    text = "\n".join(cell.source for cell in prose_of(read(path)))
    rounds = re.split(r"^## Round \d", text, flags=re.MULTILINE)[1:]
    assert 3 <= len(rounds) <= 5
    for number, words in enumerate(rounds, 1):
        assert "**Predict.**" in words, number
        assert "**Why.**" in words, number
    assert text.count("**Look**") >= 2
    assert "**Change one thing" in text
    assert [line for line in text.splitlines() if line.startswith("# ")] == [text.splitlines()[0]]


@every_lesson
def test_each_prediction_is_made_before_its_run_and_revealed_once(path: Path) -> None:
    code = "\n".join(cell.source for cell in code_of(read(path)))
    guesses = re.findall(r"^(guess_\w+) = predict\(.*, \.\.\.\)$", code, re.MULTILINE)
    assert len(guesses) >= 3
    for guess in guesses:
        [reveal] = re.finditer(rf"\breveal\(\s*{guess}\b", code)
        assert reveal.start() > code.index(guess)


@every_lesson
def test_a_lesson_keeps_its_measure(path: Path) -> None:
    notebook = read(path)
    words = sum(len(cell.source.split()) for cell in prose_of(notebook))
    lines = [len(cell.source.splitlines()) for cell in code_of(notebook)]
    assert len(notebook.cells) <= MOST_CELLS
    assert words in WORDS
    assert max(lines) <= MOST_LINES_A_CELL
    assert sum(lines) <= MOST_LINES


@every_lesson
def test_no_cell_defines_and_runs_at_once(path: Path) -> None:
    names: list[str] = []
    for cell in code_of(read(path)):
        body = ast.parse(cell.source).body
        defined = [node for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        assert not defined or len(defined) == len(body), cell.id
        names += [node.name for node in defined]
    assert len(set(names)) == len(names), "nothing is defined twice"


@every_lesson
def test_a_lesson_needs_no_shell_no_network_and_no_machine(path: Path) -> None:
    for cell in code_of(read(path)):
        for pattern in FORBIDDEN:
            assert not re.search(pattern, cell.source, re.MULTILINE), (cell.id, pattern)


@every_lesson
def test_links_and_files_are_there(path: Path) -> None:
    notebook = read(path)
    targets = [
        target
        for cell in prose_of(notebook)
        for target in re.findall(r"\]\(([^)]+)\)", cell.source)
        if "://" not in target
    ]
    targets += [t for cell in code_of(notebook) for t in re.findall(r"[\"'](\.\./[^\"']+)[\"']", cell.source)]
    assert targets
    missing = [target for target in targets if not (path.parent / target.partition("#")[0]).is_file()]
    assert missing == []


@every_lesson
def test_flags_that_the_prose_names_exist(path: Path) -> None:

    from karmadalab import Settings

    flags = {name.replace("_", "-") for name in Settings.__struct_fields__}
    prose = "\n".join(cell.source for cell in prose_of(read(path)))
    named = set(re.findall(r"`(?:--)?((?:cluster|failover|graceful|default)-[a-z-]+)`", prose))
    assert named <= flags


def test_there_are_lessons_and_the_makefile_opens_the_first() -> None:
    assert [path.stem for path in LESSONS][:1] == ["00_a_cluster_dies"]
    assert f"notebooks/{LESSONS[0].name}" in (ROOT / "Makefile").read_text()


class Drawings(HTMLParser):
    """The figures of a page: for each plotly drawing the label of the element around it that says it is an image."""

    def __init__(self) -> None:
        super().__init__()
        self.labels: list[str] = []
        self._around: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        if tag == "figure":
            self._around.append(named.get("aria-label", "") if named.get("role") == "img" else "")
        elif "plotly-graph-div" in named.get("class", "").split():
            self.labels.append(self._around[-1] if self._around else "")
        elif tag == "img":
            self.labels.append(named.get("alt", ""))

    def handle_endtag(self, tag: str) -> None:
        if tag == "figure":
            self._around.pop()


@pytest.mark.slow
def test_an_executed_lesson_is_exported_with_its_figures_and_what_they_show(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the real nbconvert, with the settings that `make lab` gives to Jupyter, and by JupyterLab's own server."""
    from jupyter_server.serverapp import ServerApp
    from nbconvert import HTMLExporter
    from nbconvert.nbconvertapp import NbConvertApp
    from traitlets.config import Config

    executed = run(LESSONS[0], tmp_path / "out.ipynb")
    assert "widgets" not in executed.metadata
    figures = [
        out.data
        for c in code_of(executed)
        for out in c.outputs
        if "application/vnd.plotly.v1+json" in out.get("data", {})
    ]
    assert len(figures) >= 2
    assert (tmp_path / "out.ipynb").stat().st_size < 1_000_000, "the library is not in the notebook"

    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(ROOT / ".jupyter"))
    for command in (NbConvertApp, ServerApp):
        settings = command()
        settings.load_config_file()
        html, _ = HTMLExporter(config=Config(settings.config)).from_notebook_node(read(tmp_path / "out.ipynb"))
        page = Drawings()
        page.feed(html)
        assert page.labels == [data["text/plain"] for data in figures]
        assert all(len(label) > 60 for label in page.labels)
        assert html.count("* plotly.js v") == 1

    html, _ = HTMLExporter().from_notebook_node(executed)  # without the settings, words stand in their place
    assert "plotly-graph-div" not in html
    assert all(escape(data["text/plain"], quote=False) in html for data in figures)
