"""The cast for tests over HTTP."""

from __future__ import annotations

import pytest

from tests.cast import Cast, make_cast


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()
