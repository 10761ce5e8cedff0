"""Draw the picture of the README: `.venv/bin/python docs/picture.py`. Needs the `dev` extra and a Chromium."""

from pathlib import Path

from karmadalab import show
from karmadalab.experiments import run_scenario

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    lab = run_scenario(ROOT / "environments" / "failover.yaml").lab
    show.timeline(lab, title="A cluster dies").figure.write_image(ROOT / "docs" / "failover.svg")
