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
    "a region above a number": (by_field("region", "Gt", "9"), True),
    "a region that is the number": (by_field("region", "Gt", "12"), False),
    "a region below a number": (by_field("region", "Lt", "13"), True),
    "above two numbers": (by_field("region", "Gt", "8", "9"), False),
    "above what is no number": (by_field("region", "Gt", "x"), False),
    "above a number with a sign, which no label can have": (by_field("region", "Gt", "-1"), False),
    "below a number beyond 64 bits": (by_field("region", "Lt", str(2**63)), False),
    "a provider that is not set is not below a number": (by_field("provider", "Lt", "1"), False),
    "labels are not compared with numbers": (by_label("size", "Gt", "1"), False),
    "nor are zones": (by_field("zone", "Gt", "1"), False),
    "a zone is compared as it is": (by_field("zone", "In", "eu a"), True),
}


@pytest.mark.parametrize("case", CASES)
def test_affinities(case):
    affinity, expected = CASES[case]
    assert affinity_matches(affinity, MEMBER) is expected
