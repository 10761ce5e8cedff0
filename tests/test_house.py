"""The house around the code: what the project promises about its own files.

A version range stands in three places (pyproject.toml, requirements.lock, environment.yml) and a command in two
(README.md, Makefile). Each pair is compared here, so that none of them goes stale unnoticed.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from rattler import MatchSpec
from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ENVIRONMENT: dict[str, Any] = YAML(typ="safe").load((ROOT / "environment.yml").read_text())
ASKED_FOR = ("jupyterlab", "ipywidgets", "kubernetes", "sh", "plotly", "papermill")
CORE = ("api", "core", "webhook", "interpreter", "controllers", "scheduler", "environments", "lab")
CORE_LIBRARIES = {"karmadalab", "msgspec", "ruamel"}
PATCHES = {"jsonpatch", "jsonpointer"}  # pure Python, imported by overriders when one is applied
REAL_WORLDS = ("environments/kind/", "environments/observe.py")  # they import the `kind` extra inside functions


def requirements(lines: list[str]) -> dict[str, Requirement]:
    return {canonicalize_name(r.name): r for r in map(Requirement, lines)}


def declared() -> dict[str, Requirement]:
    extras = PROJECT["optional-dependencies"].values()
    return requirements([*PROJECT["dependencies"], *(line for extra in extras for line in extra)])


def lines_of(path: str) -> list[str]:
    lines = (line.split("#")[0].strip() for line in (ROOT / path).read_text().splitlines())
    return [line for line in lines if line]


def conda_specs() -> list[str]:
    return [entry for entry in ENVIRONMENT["dependencies"] if isinstance(entry, str)]


def pip_lines() -> list[str]:
    [entry] = [entry for entry in ENVIRONMENT["dependencies"] if isinstance(entry, dict)]
    return [line for line in entry["pip"] if not line.startswith("-e")]


def environment_ranges() -> dict[str, str]:
    """Name -> range of everything in environment.yml, whichever of the two installers brings it."""
    specs = [MatchSpec(spec, strict=True) for spec in conda_specs()]
    ranges = {canonicalize_name(str(spec.name.normalized)): str(spec.version) for spec in specs}
    return ranges | {name: str(r.specifier) for name, r in requirements(pip_lines()).items()}


def as_set(version_range: str) -> frozenset[str]:
    return frozenset(part.strip() for part in version_range.split(","))


def tracked_files() -> list[Path]:
    """Files that git has or would take; without git (an unpacked archive) there is nothing to check."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [path for name in listed.split("\0") if name and (path := ROOT / name).is_file()]


def test_environment_yml_has_the_ranges_of_pyproject() -> None:
    ours = {name: str(r.specifier) for name, r in declared().items()}
    ours["python"] = PROJECT["requires-python"]
    theirs = environment_ranges()
    del theirs["pip"]  # conda's own need, for the part below it
    assert set(theirs) <= set(ours), "environment.yml names a package that pyproject.toml does not"
    assert {name: as_set(r) for name, r in theirs.items()} == {name: as_set(ours[name]) for name in theirs}


def test_environment_yml_covers_a_plain_install_and_the_notebooks_and_kind() -> None:
    extras = PROJECT["optional-dependencies"]
    wanted = requirements([*PROJECT["dependencies"], *extras["notebooks"], *extras["kind"]])
    assert set(wanted) | set(ASKED_FOR) <= set(environment_ranges())


def test_lock_satisfies_pyproject() -> None:
    pins = [Requirement(line) for line in lines_of("requirements.lock")]
    unfixed = [str(pin) for pin in pins if not re.fullmatch(r"==[^*,]+", str(pin.specifier))]
    assert not unfixed, "a lock holds exact versions, without addresses"
    for name, requirement in declared().items():
        versions = [next(iter(p.specifier)).version for p in pins if canonicalize_name(p.name) == name]
        assert versions, f"{name}: not in requirements.lock; run make lock"
        outside = [v for v in versions if not requirement.specifier.contains(v)]
        assert not outside, f"{name} {outside} in requirements.lock is outside {requirement.specifier}; run make lock"


def test_lock_has_one_version_for_this_machine() -> None:
    here = {**default_environment(), "extra": ""}
    names = [p.name for p in map(Requirement, lines_of("requirements.lock")) if not p.marker or p.marker.evaluate(here)]
    assert len(names) == len(set(names))


def test_every_dependency_says_why() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    names = [r.name for r in declared().values()]
    bare = [name for name in names if not re.search(rf'(?m)^\s*"{re.escape(name)}[><=].*",\s*# \S', text)]
    assert not bare, "a dependency carries its reason in a comment on its line"


@pytest.mark.parametrize("command", ["make lab", "make test", "make demo"])
def test_commands_of_the_readme_exist(command: str) -> None:
    target = command.split()[1]
    assert re.search(rf"^{target}:.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    readme = ROOT / "README.md"
    assert command in readme.read_text(), f"README.md does not mention {command}"


def test_every_command_in_the_documents_is_a_target() -> None:
    targets = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md"):
        mentioned = set(re.findall(r"(?m)(?:`|^\s*)make ([a-z-]+)", (ROOT / document).read_text()))
        assert mentioned <= targets, f"{document} names a make target that does not exist"


def test_no_file_names_a_machine() -> None:
    # Written in pieces, or this file would find itself.
    homes = "|".join(("/ho" + "me/", "/Us" + "ers/", "/ro" + "ot/", "/wo" + "rk/", r"[A-Z]:\\Us" + "ers"))
    pattern = re.compile(rf"(?<![\w.\-/}}])(?:{homes})\w")
    found = []
    for path in tracked_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        hits = (n for n, line in enumerate(text.splitlines(), 1) if pattern.search(line))
        found += [f"{path.relative_to(ROOT)}:{n}" for n in hits]
    assert not found


def core_files() -> list[Path]:
    package = ROOT / "karmadalab"
    files = [path for layer in CORE for path in [*package.glob(f"{layer}.py"), *package.glob(f"{layer}/**/*.py")]]
    return [path for path in sorted(files) if not path.relative_to(package).as_posix().startswith(REAL_WORLDS)]


def imported(path: Path) -> set[str]:
    """Top-level names of what a file imports, wherever in the file."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module)
    return {name.split(".")[0] for name in names}


def test_core_imports_nothing_but_its_two_libraries() -> None:
    allowed = CORE_LIBRARIES | sys.stdlib_module_names
    strangers = {str(path.relative_to(ROOT)): extra for path in core_files() if (extra := imported(path) - allowed)}
    for path in list(strangers):
        if "/overrides/" in path and strangers[path] <= PATCHES:
            del strangers[path]
    assert not strangers


def test_importing_karmadalab_loads_no_extra() -> None:
    heavy = {"typer", "rich", "plotly", "pandas", "numpy", "IPython", "ipywidgets", "kubernetes", "sh", "papermill"}
    code = f"import karmadalab, sys; print(*sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
