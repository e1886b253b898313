"""A claim is kept while its work goes on, and no longer."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import OperationalError

from memoryapp.services.leases import kept


def test_a_lease_is_renewed_until_the_work_ends_even_after_a_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.MEMORYAPP, "run_lease_seconds", 0.06)
    renewed: list[timedelta] = []
    twice = threading.Event()

    def renew(lease: timedelta) -> None:
        renewed.append(lease)
        if len(renewed) == 1:
            raise OperationalError("away")
        twice.set()

    with kept(renew):
        assert twice.wait(timeout=30)
    assert set(renewed) == {timedelta(seconds=0.06)}
    seen = len(renewed)
    assert not threading.Event().wait(0.1)
    assert len(renewed) == seen
