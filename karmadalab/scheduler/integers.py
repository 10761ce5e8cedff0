"""Go's fixed-width integers, where the scheduler's answers depend on them.

Karmada multiplies weights by replicas in 64 bits and counts replicas in 32, and absurd inputs wrap around. Python's
integers don't, so the few places that matter say so with these functions.
"""

from __future__ import annotations

MAX_INT32 = (1 << 31) - 1
MAX_INT64 = (1 << 63) - 1


def int32(number: int) -> int:
    """The number as it looks after a conversion to 32 bits.

    >>> int32(2**31), int32(5)
    (-2147483648, 5)
    """
    return ((number + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)


def int64(number: int) -> int:
    """The number as it looks after an operation in 64 bits.

    >>> int64(2 * MAX_INT64)
    -2
    """
    return ((number + (1 << 63)) & 0xFFFFFFFFFFFFFFFF) - (1 << 63)


def quotient(dividend: int, divisor: int) -> int:
    """Integer division that rounds towards zero.

    >>> quotient(-7, 2), -7 // 2
    (-3, -4)
    """
    result = abs(dividend) // abs(divisor)
    return result if (dividend < 0) == (divisor < 0) else -result
