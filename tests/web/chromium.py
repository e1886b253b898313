"""The system's Chromium, and how a test comes in through it."""

from __future__ import annotations

import os
import shutil

import pytest
from playwright.sync_api import Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
REQUIRED = bool(os.environ.get("MEMORYAPP_REQUIRE_BROWSER"))
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]
PASSWORD = "correct horse battery"

needs_browser = pytest.mark.skipif(
    CHROMIUM is None and not REQUIRED, reason="no Chromium found: browser tests are left out"
)


def log_in(page: Page, address: str, email: str) -> None:
    page.goto(address + "/")
    page.fill("input[name=username]", email)
    page.fill("input[name=password]", PASSWORD)
    page.click("main button[type=submit], main form button")
    page.wait_for_load_state()
