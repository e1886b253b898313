"""What reaches the log."""

from __future__ import annotations

import logging

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

TOKEN = "gh" + "p_" + "w8Yt" * 9


@pytest.mark.parametrize("text", [f"Not Found: /api/v1/memories/{TOKEN}", f"登录失败 {TOKEN}"])
def test_a_secret_in_an_address_is_masked_in_the_log(text: str) -> None:
    line = settings.LOGGING["formatters"]["line"]
    formatter = import_string(line["()"])(line["format"])
    written = formatter.format(logging.LogRecord("django.request", logging.WARNING, "", 0, text, None, None))
    assert TOKEN not in written
    assert written.split("django.request ")[1][:4] == text[:4]
