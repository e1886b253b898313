"""`manage.py evaluate write`: what it prints, what it refuses, and that nothing stays behind."""

from __future__ import annotations

import pytest
from django.core.management import call_command

pytestmark = pytest.mark.django_db


def test_scratch() -> None:
    import sys
    import time

    for judge in ("none", "yes", "no", "oracle", "malformed"):
        t = time.time()
        print("=====", judge)
        call_command(
            "evaluate",
            "write",
            "/work/shared/cases/write_path_cases.jsonl",
            "/work/shared/cases/guard_cases.jsonl",
            "--judge",
            judge,
            stdout=sys.stdout,
        )
        print(time.time() - t)
