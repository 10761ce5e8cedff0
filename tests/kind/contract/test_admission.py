"""The contract's tests, collected here a second time for the servers that this folder's conftest makes."""

from tests.contract.test_admission import *  # noqa: F403
