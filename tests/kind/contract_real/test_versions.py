"""The contract's tests, collected here once more for a real cluster."""

from tests.contract.test_versions import *  # noqa: F403
