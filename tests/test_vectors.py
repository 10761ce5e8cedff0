"""karmadalab's controllers against what the real Karmada did: recorded inputs, recorded answers, all of them.

Each file is cut into chunks that run side by side. Profile v1.13 has the defects of Karmada v1.13.10 too, so no
recorded case is left out: the grace period that leaks to later tasks, Job completions dealt out by index, and the
client that can't be built and knows no threshold.
"""

from __future__ import annotations

from itertools import islice

import pytest

from tests.conformance.__main__ import area_module
from tests.conformance.recorded import recorded

CHUNKS = 4
AREAS = (
    ("conditions", "v1.13"),
    ("monitor", "v1.13"),
    ("eviction", "v1.13"),
    ("policy", "v1.13"),
    ("binding", "v1.13"),
    ("extra", "v1.13"),
    ("conditions", "v1.18"),
    ("monitor", "v1.18"),
    ("eviction", "v1.18"),
    ("policy", "v1.18"),
    ("binding", "v1.18"),
    ("extra", "v1.18"),
    ("clustertaintpolicy", "v1.18"),
    ("webhook", "v1.18"),
    ("interpreter", "v1.18"),
    ("override", "v1.18"),
)


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize(("area", "profile"), AREAS)
def test_every_recorded_case_agrees(area: str, profile: str, chunk: int) -> None:
    module = area_module(area)
    found, cases = [], 0
    for case in islice(recorded(area, profile), chunk, None, CHUNKS):
        cases += 1
        found += [f"{case['id']}: {line}" for line in module.differences(case, module.emit(case, profile))]
    assert cases, f"{area} of {profile} has no cases"
    assert not found, f"{len(found)} differences, the first ones:\n" + "\n".join(found[:10])
