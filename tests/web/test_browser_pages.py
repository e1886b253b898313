"""What takes a browser to see: focus, edits in place, two tabs, a running export, nothing but links and forms."""

from __future__ import annotations

import re
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import pytest
from django.db import connection
from playwright.sync_api import Browser, Page, expect
from pytest_django.live_server_helper import LiveServer

from memoryapp.services import access, audit_trail, changes, erasure, invitations
from memoryapp.services.results import AuditFilter
from tests.cast import Cast, finish, make_cast, say, texts
from tests.web.chromium import PASSWORD, log_in, needs_browser

pytestmark = [pytest.mark.django_db(transaction=True), needs_browser]


@pytest.fixture
def cast(db: None) -> Cast:
    cast = make_cast()
    access.add_person(cast.agent, "alice@example.org", "member", "alice", password=PASSWORD)
    access.add_person(cast.agent, "carol@example.org", "compliance", password=PASSWORD)
    for text in ("Likes jazz.", "Plays the cello.", "Drinks tea."):
        changes.add(cast.agent, "alice", changes.NewItem(text))
    return cast


@contextmanager
def page_of(browser: Browser, *, script: bool = True, scheme: str = "light") -> Iterator[Page]:
    """A page of its own that must log no error, and no refusal of the content policy."""
    context = browser.new_context(java_script_enabled=script, locale="en-US", accept_downloads=True)
    page = context.new_page()
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    errors: list[str] = []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert [text for text in errors if "status of 4" not in text] == []


@pytest.mark.parametrize("script", [True, False])
def test_two_tabs_edit_one_memory_and_the_slower_takes_mine_or_theirs(
    browser: Browser, live_server: LiveServer, cast: Cast, script: bool
) -> None:
    with page_of(browser, script=script) as first:
        log_in(first, live_server.url, "alice@example.org")
        first.get_by_role("link", name="Drinks tea.", exact=True).click()
        first.wait_for_load_state()
        second = first.context.new_page()
        third = first.context.new_page()
        for tab in (second, third):
            tab.goto(first.url)
        for tab, text in ((first, "Drinks green tea."), (second, "Drinks black tea."), (third, "Drinks white tea.")):
            tab.get_by_label("Text").fill(text)
            tab.get_by_role("button", name="Save", exact=True).click()
            tab.wait_for_load_state()
        for tab, mine in ((second, "Drinks black tea."), (third, "Drinks white tea.")):
            both = tab.locator(".both")
            expect(both).to_contain_text("Drinks green tea.")
            expect(both).to_contain_text(mine)
        second.get_by_role("button", name="Take mine").click()
        second.wait_for_load_state()
        expect(second.locator("h1")).to_have_text("Drinks black tea.")
        third.get_by_role("button", name="Take theirs").click()
        third.wait_for_load_state()
        expect(third.locator("h1")).to_have_text("Drinks black tea.")
    assert "Drinks black tea." in texts(cast.agent, "alice")


def test_a_memory_is_edited_in_its_row_and_a_faster_tab_is_noticed_there(
    browser: Browser, live_server: LiveServer, cast: Cast
) -> None:
    with page_of(browser) as page:
        log_in(page, live_server.url, "alice@example.org")
        row = page.locator("li.card", has_text="Likes jazz.")
        row.get_by_role("link", name="Edit: Likes jazz.").click()
        text = page.locator("li.editing textarea")
        expect(text).to_be_focused()
        text.fill("Likes blues.")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.get_by_role("link", name="Likes blues.", exact=True)).to_be_visible()
        expect(page.locator("[role=status]")).to_contain_text("Saved.")
        page.get_by_role("link", name="Edit: Likes blues.").click()
        item = UUID(page.locator("li.editing").get_attribute("id")[8:])  # type: ignore[index]
        changes.edit(cast.agent, item, {"content": "Likes swing."}, expected_version=None)
        page.locator("li.editing textarea").fill("Likes soul.")
        page.get_by_role("button", name="Save", exact=True).click()
        expect(page.locator(".both")).to_contain_text("Likes swing.")
        page.get_by_role("button", name="Take theirs").click()
        expect(page.get_by_role("link", name="Likes swing.", exact=True)).to_be_visible()
        expect(page.locator(".both")).to_have_count(0)


def test_the_list_works_by_keyboard_and_the_focus_goes_where_the_answer_says(
    browser: Browser, live_server: LiveServer, cast: Cast
) -> None:
    with page_of(browser) as page:
        log_in(page, live_server.url, "alice@example.org")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        forget = page.get_by_role("button", name="Forget: Likes jazz.")
        forget.focus()
        page.keyboard.press("Enter")
        expect(page.locator("#list-title")).to_have_text("2 memories")
        expect(page.locator("#list-title")).to_be_focused()
        expect(page.locator("[role=status]")).to_contain_text("1 memory forgotten.")
        page.get_by_role("button", name="Undo").focus()
        page.keyboard.press("Enter")
        expect(page.locator("#list-title")).to_have_text("3 memories")
        page.get_by_role("searchbox").fill("cello")
        expect(page.locator("#list-title")).to_have_text("1 memory")
        expect(page.get_by_role("searchbox")).to_be_focused()
        assert page.url.endswith("q=cello&kind=&status=") or "q=cello" in page.url
        page.locator("details.account summary").press("Enter")
        expect(page.get_by_role("button", name="Log out")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Log out")).to_be_hidden()


def test_a_finished_run_appears_by_itself(browser: Browser, live_server: LiveServer, cast: Cast) -> None:
    event = say(cast.agent, "alice", "Remember that I am allergic to peanuts.")
    with page_of(browser) as page:
        log_in(page, live_server.url, "alice@example.org")
        expect(page.locator("#runs")).to_contain_text("Not read yet.")
        finish(cast.agent, event)
        expect(page.locator("#runs")).to_contain_text("Learnt", timeout=15_000)
        expect(page.locator("#runs")).to_contain_text("peanuts")


def test_compliance_watches_an_export_and_downloads_it(browser: Browser, live_server: LiveServer, cast: Cast) -> None:
    with page_of(browser) as page:
        log_in(page, live_server.url, "carol@example.org")
        page.locator("select[name=action]").select_option("memory.added")
        expect(page.locator("#list-title")).to_have_text("3 events")
        page.get_by_role("button", name="Export these events").click()
        page.wait_for_load_state()
        expect(page.get_by_role("progressbar")).to_be_visible()
        worker = threading.Thread(target=work_off, args=(cast,))
        worker.start()
        with page.expect_download() as started:
            page.get_by_role("link", name="Download").click(timeout=15_000)
        worker.join()
        expect(page.locator(".export")).to_contain_text("3 of 3 events")
        names = zipfile.ZipFile(started.value.path()).namelist()
    assert {"events.jsonl", "events.csv"} <= set(names)


def work_off(cast: Cast) -> None:
    """The worker's own function, a moment later and in a thread, so that the page has something to watch."""
    time.sleep(1.5)
    for export in audit_trail.list_exports(cast.agent):
        audit_trail.run_export(cast.agent.tenant_id, export.id)
    connection.close()


@pytest.mark.parametrize("script", [True, False])
def test_an_invited_person_joins_and_adds_a_memory(
    browser: Browser, live_server: LiveServer, cast: Cast, script: bool
) -> None:
    _, token = invitations.invite(cast.agent, "dora@example.org", "member", user_key="dora")
    with page_of(browser, script=script) as page:
        page.goto(f"{live_server.url}/invitation/{token}")
        page.get_by_label("Your name").fill("Dora")
        page.get_by_label("Password", exact=True).fill("a very quiet harbour")
        page.get_by_label("Password again").fill("a very quiet harbour")
        page.get_by_role("button", name="Join").click()
        page.wait_for_load_state()
        expect(page.get_by_text("Welcome to ours.")).to_be_visible()
        expect(page.get_by_text("Nothing is remembered yet.")).to_be_visible()
        page.get_by_text("Add a memory by hand").first.click()
        page.get_by_label("What should be remembered?").fill("Likes tulips.")
        page.get_by_role("button", name="Remember", exact=True).click()
        page.wait_for_load_state()
        expect(page.get_by_role("link", name="Likes tulips.", exact=True)).to_be_visible()
    rows, _, _ = audit_trail.search(cast.agent, AuditFilter(action="memory.added", person="dora"))
    assert [row.actor_name for row in rows] == ["dora@example.org"]


@pytest.mark.parametrize("script", [True, False])
def test_a_person_erases_a_memory_watches_the_job_and_takes_the_receipt(
    browser: Browser, live_server: LiveServer, cast: Cast, script: bool
) -> None:
    with page_of(browser, script=script) as page:
        log_in(page, live_server.url, "alice@example.org")
        page.get_by_role("link", name="Plays the cello.", exact=True).click()
        page.get_by_role("button", name="Erase for good").click()
        page.wait_for_url("**/erase")
        page.get_by_label("Type this to go on").fill("erase it")
        page.get_by_role("button", name="Erase for good").click()
        expect(page.get_by_role("alert")).to_contain_text("Nothing was erased.")
        page.get_by_label("Type this to go on").fill("erase")
        page.get_by_role("button", name="Erase for good").click()
        expect(page.get_by_role("progressbar")).to_be_visible()
        worker = threading.Thread(target=erase_what_waits, args=(cast,))
        worker.start()
        if not script:
            worker.join()
            page.get_by_role("link", name="Refresh").click()
        expect(page.get_by_text("The removal is finished.")).to_be_visible(timeout=15_000)
        worker.join()
        with page.expect_download() as started:
            page.get_by_role("button", name="Download").click()
        assert "not_verified" in started.value.path().read_text(encoding="utf-8")
    assert "Plays the cello." not in texts(cast.agent, "alice")


def erase_what_waits(cast: Cast) -> None:
    time.sleep(1.5)
    for view in erasure.list_erasures(cast.agent)[0]:
        erasure.run(cast.agent.tenant_id, view.id)
    connection.close()


def test_a_day_of_the_timeline_is_chosen_without_leaving_the_page(
    browser: Browser, live_server: LiveServer, cast: Cast
) -> None:
    with page_of(browser) as page:
        log_in(page, live_server.url, "alice@example.org")
        page.get_by_role("link", name="Timeline").click()
        expect(page.locator("#list-title")).to_have_text("3 changes")
        page.locator("input[name=on]").fill("2020-02-29")
        page.locator("select[name=how]").select_option("known")
        expect(page.locator("#list")).to_contain_text("Nothing was remembered on that day.")
        expect(page).to_have_url(re.compile("on=2020-02-29.*how=known"))
