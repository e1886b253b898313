"""The pages in a real Chromium. Without one these tests are left out, unless MEMORYAPP_REQUIRE_BROWSER asks for them."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from memoryapp.services import access, changes, housekeeping
from tests.cast import Cast, make_cast, texts
from tests.web.chromium import PASSWORD, log_in, needs_browser

pytestmark = [pytest.mark.django_db(transaction=True), needs_browser]


@pytest.fixture
def cast(db: None) -> Cast:
    cast = make_cast()
    system = cast.agent
    access.add_person(system, "alice@example.org", "member", "alice", password=PASSWORD)
    access.add_person(system, "carol@example.org", "compliance", password=PASSWORD)
    access.activate_policy(system, {"guard_effects": {"noise": "flag"}})
    for text in ("Likes jazz.", "test test 123", "好的，收到"):
        changes.add(system, "alice", changes.NewItem(text))
    changes.add(system, "bob", changes.NewItem("Bob's own memory"))
    access.activate_policy(system, {})
    housekeeping.scan_noise(system.tenant_id)
    return cast


@pytest.mark.parametrize("script", [True, False])
def test_a_person_forgets_noise_in_bulk_and_undoes_it(
    browser: Browser, live_server: LiveServer, cast: Cast, script: bool
) -> None:
    page = browser.new_context(java_script_enabled=script, locale="en-US").new_page()
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    log_in(page, live_server.url, "alice@example.org")
    expect(page.get_by_text("Likes jazz.")).to_be_visible()
    assert page.get_by_text("Bob's own memory").count() == 0
    page.get_by_text("Select all suspected noise").click()
    page.wait_for_load_state()
    expect(page.locator("input[type=checkbox][name=ids]:checked")).to_have_count(2)
    page.get_by_role("button", name="Forget selected").click()
    undo = page.get_by_role("button", name="Undo")
    expect(undo.first).to_be_visible()
    assert texts(cast.agent, "alice") == ["Likes jazz."]
    undo.first.click()
    page.wait_for_load_state()
    expect(page.get_by_text("test test 123").first).to_be_visible()
    assert len(texts(cast.agent, "alice")) == 3
    assert errors == []


def test_compliance_finds_the_action_and_cannot_open_a_memory(
    browser: Browser, live_server: LiveServer, cast: Cast
) -> None:
    (item, _, _) = changes.add(cast.agent, "alice", changes.NewItem("Plays the cello."))
    changes.forget(cast.agent, item.id)
    page = browser.new_context(locale="en-US").new_page()
    log_in(page, live_server.url, "carol@example.org")
    page.goto(f"{live_server.url}/audit?action=memory.forgotten")
    expect(page.locator("tbody tr")).to_have_count(1)
    assert "cello" not in page.content()
    opened = page.goto(f"{live_server.url}/memories/mem_{item.id.hex}")
    assert opened is not None
    assert opened.status == 404
