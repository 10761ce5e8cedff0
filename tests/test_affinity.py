"""Which clusters an affinity speaks of, at the corners of how it may be written."""

from __future__ import annotations

import pytest

from karmadalab.api.affinity import ClusterPlace, affinity_matches
from karmadalab.api.meta import LabelSelector, LabelSelectorRequirement
from karmadalab.api.policy import ClusterAffinity, FieldSelector

MEMBER = ClusterPlace("member1", {"env": "prod", "size": "7"}, "", "12", ("eu a",))


def by_label(key: str, operator: str, *values: str) -> ClusterAffinity:
    return ClusterAffinity(
        labelSelector=LabelSelector(matchExpressions=(LabelSelectorRequirement(key, operator, values),))
    )


def by_field(key: str, operator: str, *values: str) -> ClusterAffinity:
    return ClusterAffinity(fieldSelector=FieldSelector((LabelSelectorRequirement(key, operator, values),)))


CASES = {
    "not a value that it has not": (by_label("env", "NotIn", "test"), True),
    "a value that no label can have": (by_label("env", "NotIn", "bad value"), False),
    "a value that is too long for a label": (by_label("env", "NotIn", "x" * 64), False),
    "the empty value": (by_label("env", "NotIn", ""), True),
    "a key that no label can have": (by_label("bad key!", "DoesNotExist"), False),
    "a key with two prefixes": (by_label("a/b/c", "DoesNotExist"), False),
    "a key with a prefix": (by_label("example.com/env", "DoesNotExist"), True),
    "a region as no region is spelt": (by_field("region", "NotIn", "us east"), False),
    "a zone is compared as it is": (by_field("zone", "In", "eu a"), True),
}


@pytest.mark.parametrize("case", CASES)
def test_affinities(case):
    affinity, expected = CASES[case]
    assert affinity_matches(affinity, MEMBER) is expected
