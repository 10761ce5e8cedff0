"""The contract's tests, collected here once more for a real cluster."""

from tests.contract.test_watch import *  # noqa: F403
