"""Kernels for the notebooks that these tests run."""

import alone
import pytest


@pytest.fixture(scope="session")
def kernel():
    """The name of a kernel that sees the wheel; `make test` has it ready, else it is made here."""
    with alone.kernels():
        yield alone.KERNEL
