"""What a person may get wrong, with the exact words that come back. Nothing is stored, begun or passed by then.

The tables are in `bad_input`. Some of their sentences are Karmada's own, so that they can be searched for.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from karmadalab.api.errors import KarmadalabError
from karmadalab.lab import Lab

from .bad_input.calls import CALLS
from .bad_input.clusters import CLUSTERS
from .bad_input.faults import FAULTS
from .bad_input.fleets import FLEETS
from .bad_input.manifests import MANIFESTS
from .bad_input.native import NATIVE
from .bad_input.policies import POLICIES
from .bad_input.scenarios import SCENARIOS
from .bad_input.settings import SETTINGS
from .bad_input.wrong import Wrong
from .worlds import lab_with_web

TABLES = {
    "manifest": MANIFESTS,
    "native": NATIVE,
    "policy": POLICIES,
    "cluster": CLUSTERS,
    "fleet": FLEETS,
    "settings": SETTINGS,
    "fault": FAULTS,
    "call": CALLS,
    "scenario": SCENARIOS,
}
ALL = [pytest.param(wrong, id=f"{what}: {wrong.name}") for what, table in TABLES.items() for wrong in table]


@pytest.fixture(scope="module")
def lab() -> Lab:
    """One lab for all: nothing that is refused changes it."""
    return lab_with_web(pull=1)


def test_the_table_is_long_enough() -> None:
    assert len(ALL) >= 100


@pytest.mark.parametrize("wrong", ALL)
def test_bad_input_gets_this_answer_and_changes_nothing(lab: Lab, wrong: Wrong) -> None:
    before = (lab.store.version, len(lab.trace), lab.t, lab.clock.next_at(), len(lab.world.faults))
    with pytest.raises(KarmadalabError) as refused:
        wrong.call(lab)
    version = lab.get("Deployment", "web").metadata.resourceVersion
    wanted = wrong.message.replace("<cwd>", str(Path.cwd())).replace("<version>", version)
    assert (str(refused.value), type(refused.value)) == (wanted, wrong.error)
    assert (lab.store.version, len(lab.trace), lab.t, lab.clock.next_at(), len(lab.world.faults)) == before


@pytest.mark.parametrize("wrong", ALL)
def test_an_answer_is_one_readable_line(wrong: Wrong) -> None:
    assert "\n" not in wrong.message
    assert "Traceback" not in wrong.message
    assert len(wrong.message) > 20
