"""The cast, Alice at her pages, and one browser for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.test import Client
from playwright.sync_api import Browser, sync_playwright

from memoryapp.services import access
from tests.cast import Cast, make_cast
from tests.web.chromium import CHROMIUM, FLAGS
from tests.web.stage import PASSWORD, browser_of


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def alice(cast: Cast) -> Client:
    return browser_of(access.add_person(cast.agent, "alice@example.org", "member", "alice", password=PASSWORD))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Playwright keeps an event loop in this thread, which Django's guard would take for asynchronous code."""
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()
