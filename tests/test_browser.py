"""Lessons and a lab in a real JupyterLab in a real browser: all cells run; sliders, player and control room answer.

Nothing but loopback is used. JupyterLab works on a copy, with its own settings, so neither the project's notebooks nor
the learner's settings are touched. One server serves all tests of this file.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("notebooks", "environments", "solutions")
TOKEN = "loopback"
WAIT_MS = 180_000  # a busy machine of two cores takes a minute for what an idle one does in ten seconds
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
    "notebook-extension/tracker": {"windowingMode": "none"},  # or cells out of sight are not in the page
}

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if found := shutil.which(name):
            return found
    pytest.skip("no chromium on this machine (looked for chromium, chromium-browser, google-chrome)")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(home: Path) -> dict[str, str]:
    """One that keeps JupyterLab's settings, workspaces and run files in a folder of the test."""
    for name, settings in SETTINGS.items():
        extension, plugin = name.split("/")
        file = home / "settings" / "@jupyterlab" / extension / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(settings))
    own = {
        "HOME": home,
        "JUPYTER_CONFIG_DIR": home / "config",
        "JUPYTER_CONFIG_PATH": ROOT / ".jupyter",  # as `make lab` has it: without nbgrader's menus
        "JUPYTER_RUNTIME_DIR": home / "runtime",
        "JUPYTERLAB_SETTINGS_DIR": home / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": home / "workspaces",
        "IPYTHONDIR": home / "ipython",
    }
    return {**os.environ, **{name: str(path) for name, path in own.items()}}


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """The address of a JupyterLab that serves a copy of the lessons and labs, and the folder of its settings."""
    chromium()  # or there is no need to start anything
    tmp_path = tmp_path_factory.mktemp("jupyterlab")
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, tmp_path / "work" / folder, ignore=shutil.ignore_patterns(".ipynb_checkpoints"))
    port = free_port()
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}", "--allow-root"]
    command += [f"--ServerApp.root_dir={tmp_path / 'work'}", f"--IdentityProvider.token={TOKEN}"]
    log = (tmp_path / "jupyterlab.log").open("w")
    server = subprocess.Popen(command, env=environment(tmp_path / "home"), stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + 120
        while not answers(f"{address}/api?token={TOKEN}"):
            if server.poll() is not None or time.monotonic() > deadline:
                pytest.fail(f"JupyterLab did not start:\n{(tmp_path / 'jupyterlab.log').read_text()[-3000:]}")
            time.sleep(0.2)
        yield address, tmp_path / "home"
    finally:
        server.terminate()  # it ends its kernels itself
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.close()


@pytest.fixture
def jupyterlab(server: tuple[str, Path]) -> Iterator[str]:
    """The address of JupyterLab. What a test has opened and started, the next one does not find there."""
    address, home = server
    yield address
    with urllib.request.urlopen(f"{address}/api/sessions?token={TOKEN}", timeout=30) as response:
        sessions = json.load(response)
    for session in sessions:
        end = urllib.request.Request(f"{address}/api/sessions/{session['id']}?token={TOKEN}", method="DELETE")
        urllib.request.urlopen(end, timeout=30).close()
    shutil.rmtree(home / "workspaces", ignore_errors=True)


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    """A page of a fresh browser. At the end of a failed test its picture lies beside the log."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=CHROMIUM_FLAGS)
        found = browser.new_page(viewport={"width": 1500, "height": 1000})
        found.set_default_timeout(WAIT_MS)
        try:
            yield found
        finally:
            found.screenshot(path=tmp_path / "last.png")
            browser.close()


FIRST_CELL_RUNS = "() => /\\[[*1]\\]/.test(document.querySelector('.jp-CodeCell .jp-InputPrompt').textContent)"
ALL_CELLS_RAN_OR_ONE_FAILED = """() => {
  const texts = selector => [...document.querySelectorAll(selector)].map(element => element.textContent)
  return texts('.jp-OutputArea-output').some(text => text.includes('Traceback (most recent call last)'))
    || texts('.jp-CodeCell .jp-InputPrompt').every(text => /\\[\\d+\\]/.test(text))
}"""


def open_and_run(page: Any, jupyterlab: str, notebook: str) -> None:
    """Open a notebook, run all cells, and wait for the last.

    Pressed before the kernel is connected, the menu's entry would be dropped silently.
    """
    page.goto(f"{jupyterlab}/lab/tree/{notebook}?token={TOKEN}")
    page.locator("#jp-main-statusbar", has_text="| Idle").wait_for()
    page.locator(".lm-MenuBar-item", has_text="Run").first.click()
    page.locator(".lm-Menu-item", has_text="Run All Cells").first.click()
    page.wait_for_function(FIRST_CELL_RUNS)
    page.wait_for_function(ALL_CELLS_RAN_OR_ONE_FAILED)
    errors = page.locator(".jp-OutputArea-output", has_text="Traceback (most recent call last)").all_text_contents()
    assert errors == []


def drawn(page: Any) -> str:
    """The words in the figures of the sliders' cell."""
    return "\n".join(page.locator(".widget-vbox .js-plotly-plot svg.main-svg").all_text_contents())


def test_a_slider_moves_and_the_figures_of_lesson_40_follow(jupyterlab: str, page: Any) -> None:
    open_and_run(page, jupyterlab, "notebooks/40_tuning_the_timeouts.ipynb")
    page.locator(".jp-RenderedPlotly, .jp-OutputArea-output .js-plotly-plot").first.wait_for()  # without any slider
    slider = page.locator(".widget-slider", has_text="cluster-failure-threshold")
    slider.scroll_into_view_if_needed()
    page.locator(".widget-vbox .js-plotly-plot .gtitle").nth(1).wait_for()
    before = drawn(page)
    assert "detect 38.5s" in before
    assert "failure-threshold=" not in before

    handle = slider.locator(".noUi-handle")
    handle.focus()
    for _ in range(6):  # 30 s -> 60 s in steps of 5 s
        handle.press("ArrowRight")

    title = page.locator(".widget-vbox .js-plotly-plot .gtitle", has_text="cluster-failure-threshold=1m0s")
    title.first.wait_for()
    page.wait_for_function("() => document.body.textContent.includes('detect 1m8s')")
    assert slider.locator(".widget-readout").text_content() == "60"
    after = drawn(page)
    assert "detect 38.5s" in after  # at the start
    assert "detect 1m8s" in after  # now


ROOM_LEFT = """() => [...document.querySelectorAll('.jp-OutputArea-output')].flatMap(
  output => [...output.querySelectorAll('svg.main-svg')].map(
    svg => output.getBoundingClientRect().right - svg.getBoundingClientRect().right))"""


def test_no_figure_of_lesson_00_is_cut_off_in_a_small_window_beside_the_file_browser(
    jupyterlab: str, page: Any
) -> None:
    page.set_viewport_size({"width": 1300, "height": 900})
    open_and_run(page, jupyterlab, "notebooks/00_a_cluster_dies.ipynb")
    page.locator(".widget-vbox .js-plotly-plot .gtitle", has_text="The fleet at").wait_for()
    assert page.locator(".jp-FileBrowser").is_visible()
    beside = page.evaluate(ROOM_LEFT)
    assert len(beside) >= 4
    assert min(beside) >= 0, beside


def shown_moment(page: Any) -> str:
    """The title of the widget's figure, such as `The fleet at 1m25s`."""
    return str(page.locator(".widget-vbox .js-plotly-plot .gtitle").first.text_content())


def press(page: Any, name: str) -> None:
    page.locator(".widget-vbox button", has_text=name).first.click()


def wait_for_words(page: Any, words: str) -> None:
    page.locator(".widget-vbox .widget-html", has_text=words).first.wait_for()


def test_the_player_of_lesson_00_plays_pauses_steps_and_rewinds(jupyterlab: str, page: Any) -> None:
    open_and_run(page, jupyterlab, "notebooks/00_a_cluster_dies.ipynb")
    page.locator(".jp-RenderedPlotly .gtitle", has_text="25 seconds after the fault").wait_for()  # without any widget
    player = page.locator(".widget-play").first
    player.scroll_into_view_if_needed()
    page.locator(".widget-vbox .js-plotly-plot .gtitle", has_text="The fleet at 1m25s").wait_for()

    press(page, "next change")
    wait_for_words(page, "Ready True → False")
    press(page, "rewind")
    page.locator(".widget-vbox .gtitle", has_text="The fleet at 0s").wait_for()

    player.locator("button").first.click()  # play
    wait_for_words(page, "member1: power off")
    player.locator("button").first.click()  # pause
    page.wait_for_timeout(600)  # what was on its way has come
    paused = shown_moment(page)
    page.wait_for_timeout(1000)
    assert shown_moment(page) == paused
    assert paused != "The fleet at 0sKarmada v1.13, Failover on"


def test_a_cluster_is_broken_and_healed_in_the_control_room_of_lesson_33(jupyterlab: str, page: Any) -> None:
    open_and_run(page, jupyterlab, "notebooks/33_what_comes_back_and_what_does_not.ipynb")
    page.locator(".widget-play").first.scroll_into_view_if_needed()
    page.locator(".widget-vbox .js-plotly-plot .gtitle", has_text="The fleet at 1m").wait_for()

    press(page, "break member1")
    page.locator(".widget-vbox button", has_text="heal member1").wait_for()
    assert "power off" in drawn(page)
    press(page, "to the next change")
    wait_for_words(page, "member1: Ready True → False")

    page.locator(".widget-play button").first.click()  # the virtual clock advances while it plays
    wait_for_words(page, "member1: + NoExecute")
    page.locator(".widget-play button").first.click()
    press(page, "heal member1")
    page.locator(".widget-vbox button", has_text="break member1").wait_for()
    wait_for_words(page, "member1: power off ends")


def test_a_solved_lab_passes_its_checks(jupyterlab: str, page: Any) -> None:
    open_and_run(page, jupyterlab, "solutions/11_thresholds_and_flapping.ipynb")
    said = " ".join(page.locator(".jp-OutputArea-output").all_text_contents())
    for check in ("11.1", "11.2", "11.3"):
        assert f"{check} passed" in said, said[:2000]
