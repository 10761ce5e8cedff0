"""Kubernetes quantities: `"100m"`, `"64Gi"`, `2`. Exact, in integers of one thousandth.

The control plane compares cpu in milli units and everything else in whole units, rounded up; both start from `milli`.
A real API server cuts what is beyond 64 bits to the largest number there is. Here it is refused, as a slip, except in
what clusters report.
"""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache

from karmadalab.api.errors import BadRequest, shortly

_FORM = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))((?:[eE][+-]?\d{1,3})|n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|)")
_SUFFIX = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60}
_LARGEST, _LONGEST = Decimal((1 << 63) - 1), 100  # whole units; characters


@lru_cache(maxsize=8192)
def milli(quantity: str | float) -> int:
    """The quantity in thousandths, rounded up (away from zero).

    Raises:
        BadRequest: it is not a quantity, or is beyond 64 bits.

    >>> milli("100m"), milli(2), milli("1Ki")
    (100, 2000, 1024000)
    """
    exact = _exact(quantity)
    if abs(exact) > _LARGEST:
        raise BadRequest(f"{shortly(quantity)} is too large for a quantity: at most 2^63-1 (8Ei less one) fits")
    return _thousandths(exact)


@lru_cache(maxsize=8192)
def reported(quantity: str | float) -> int:
    """As `milli`, for what a cluster says of itself: beyond 64 bits it is cut, as a report has no author to mend it.

    Raises:
        BadRequest: it is not a quantity.

    >>> reported("100m"), reported("8Ei") == reported(2**63 - 1)
    (100, True)
    """
    return _thousandths(max(-_LARGEST, min(_exact(quantity), _LARGEST)))


def _exact(quantity: str | float) -> Decimal:
    if type(quantity) is int:
        return Decimal(quantity)  # Python refuses to write very long ones
    text = str(quantity).strip()
    form = _FORM.fullmatch(text) if len(text) <= _LONGEST else None
    if form is None:
        raise BadRequest(
            f"{shortly(quantity)} is not a quantity: write a number with a suffix such as 100m, 2, 64Mi or 1G"
        )
    number, suffix = form.groups()
    if suffix in _BINARY:
        return Decimal(number) * _BINARY[suffix]
    if suffix[:1] in ("e", "E") and len(suffix) > 1:
        return Decimal(number + suffix)
    return Decimal(number).scaleb(_SUFFIX[suffix])


def _thousandths(exact: Decimal) -> int:
    thousandths = exact * 1000
    if thousandths < 0:
        return -int((-thousandths).to_integral_value(ROUND_CEILING))
    return int(thousandths.to_integral_value(ROUND_CEILING))


def value(quantity: str | float) -> int:
    """The quantity in whole units, rounded up, as `Quantity.Value()` does.

    >>> value("100m"), value("1.5Ki")
    (1, 1536)
    """
    return -(-milli(quantity) // 1000)


def format_cpu(thousandths: int) -> str:
    """Milli cores in canonical form.

    >>> format_cpu(1500), format_cpu(2000)
    ('1500m', '2')
    """
    return str(thousandths // 1000) if thousandths % 1000 == 0 else f"{thousandths}m"


def format_bytes(units: int) -> str:
    """Whole units with the largest binary suffix that loses nothing.

    >>> format_bytes(64 << 30), format_bytes(1500)
    ('64Gi', '1500')
    """
    for suffix in ("Ei", "Pi", "Ti", "Gi", "Mi", "Ki"):
        size = _BINARY[suffix]
        if units and units % size == 0:
            return f"{units // size}{suffix}"
    return str(units)
