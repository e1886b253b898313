"""Every page in both languages and both colour schemes: no serious fault that axe-core finds (WCAG 2.2 A and AA)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from axe_core_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from memoryapp import audit
from memoryapp.models import MemoryItem
from memoryapp.services import access, audit_trail, changes, erasure, exports, housekeeping, invitations, receipt_links
from memoryapp.services.results import AuditFilter
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, finish, make_cast, say
from tests.web.chromium import PASSWORD, log_in, needs_browser

pytestmark = [pytest.mark.django_db(transaction=True), needs_browser]

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
ADDRESSES = {
    "": [
        "/login",
        "/password/reset",
        "/password/reset/sent",
        "/invitation/{token}",
        "/invitation/forged",
        "/receipt/{receipt}",
    ],
    "owner": ["/", "/?noise=1&tick=all", "/?q=nothing", "/memories/{item}", "/memories/runs", "/inbox"]
    + [f"/inbox?class={name}" for name in ("conflict", "noise", "quarantined", "expiring")]
    + ["/trash", "/memories/{item}/erase", "/privacy", "/privacy/erase", "/privacy/purge?source=session+b"]
    + ["/privacy/erasures/{running}", "/privacy/erasures/{erased}", "/privacy/exports/{file}"]
    + ["/privacy/exports/{writing}", "/timeline", "/timeline?on={day}", "/timeline?on=x"]
    + ["/preview?q=tea", "/people", "/password", "/password/changed", "/memories/mem_nothing", "/?cursor=x"],
    "carol": ["/audit", "/audit?since=never", "/audit/exports/{export}", "/erasures", "/erasures/{erased}"],
}


@dataclass(frozen=True)
class Things:
    token: str
    item: str
    export: str
    running: str
    erased: str
    receipt: str
    day: str
    file: str
    writing: str


@pytest.fixture
def things(db: None) -> Things:
    cast = make_cast()
    for name, role, user_key in (("owner", "owner", "alice"), ("carol", "compliance", "")):
        access.add_person(cast.agent, f"{name}@example.org", role, user_key, password=PASSWORD)
    return filled(cast)


def filled(cast: Cast) -> Things:
    """One of everything that a page can show."""
    access.activate_policy(cast.agent, {"guard_effects": {"noise": "flag"}})
    changes.add(cast.agent, "alice", changes.NewItem("test test 123"))
    access.activate_policy(cast.agent, {})
    housekeeping.scan_noise(cast.agent.tenant_id)
    finish(cast.agent, say(cast.agent, "alice", "Remember that I drink green tea."))
    say(cast.agent, "alice", "Remember: my password is " + "Tiger#" + "2026x!", session="b")
    changes.add(cast.agent, "alice", changes.NewItem("Call me at +1 202 555 0143."))
    soon = timezone.now() + timedelta(days=2)
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Rents a bicycle.", expires_at=soon, pinned=True))
    changes.edit(cast.agent, item.id, {"content": "Rents a red bicycle."}, expected_version=None)
    gone, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Sold the car."))
    changes.forget(cast.agent, gone.id)
    export = audit_trail.start_export(cast.agent, AuditFilter())
    _, token = invitations.invite(cast.agent, "dora@example.org", "member", user_key="dora")
    conflict(cast)
    running, erased = (erasure.erase_item(cast.agent, one(cast, text)) for text in ("Rode a camel.", "Sold the bike."))
    erasure.run(cast.agent.tenant_id, erased)
    receipt = receipt_links.link_of(cast.agent.tenant_id, erased)
    ids = (f"era_{running.hex}", f"era_{erased.hex}", receipt, timezone.now().date().isoformat())
    file, writing = (exports.start(cast.agent, "alice", "json") for _ in range(2))
    exports.run(cast.agent.tenant_id, file)
    own = (f"exp_{file.hex}", f"exp_{writing.hex}")
    return Things(token, f"mem_{item.id.hex}", f"exp_{export.hex}", *ids, *own)


def one(cast: Cast, text: str) -> UUID:
    return changes.add(cast.agent, "alice", changes.NewItem(text))[0].id


def conflict(cast: Cast) -> None:
    """A candidate that contradicts a memory, as the write path leaves it."""
    old, new = one(cast, "Lives in Derry."), one(cast, "Call me at +1 202 555 0177.")
    with tenant_scope(cast.agent):
        MemoryItem.objects.filter(pk=new).update(pending_reason="conflict", conflicts_with=old)
        audit.record(cast.agent, "memory.conflict_raised", audit.Target("memory", (new,)))


def faults(page: Page) -> list[str]:
    found: dict[str, Any] = Axe().run(page, options=RULES)
    grave = [v for v in found["violations"] if v["impact"] in ("serious", "critical")]
    return [f"{v['id']}: {node['html'][:160]}" for v in grave for node in v["nodes"]]


def pages(things: Things, page: Page, address: str) -> Iterator[str]:
    """Every address, visited; logged in as its reader. Ends with the account menu and an opened edit form."""
    for who, addresses in ADDRESSES.items():
        if who:
            page.context.clear_cookies(name="memoryapp_session")
            log_in(page, address, f"{who}@example.org")
        for template in addresses:
            path = template.format(**asdict(things))
            page.goto(address + path)
            yield path
        if who == "owner":
            page.goto(address + "/")
            page.locator("details.account summary").click()
            page.locator(".row-actions a").first.click()
            page.wait_for_selector("li.editing textarea")
            yield "the list with a row being edited"


def test_the_check_itself_sees_a_fault(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content('<html lang="en"><title>A page</title><main><img src="data:,"><button></button></main>')
    assert {fault.partition(":")[0] for fault in faults(page)} >= {"image-alt", "button-name"}
    page.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_no_page_has_a_serious_fault(
    browser: Browser, live_server: LiveServer, things: Things, language: str, scheme: Any
) -> None:
    context = browser.new_context(color_scheme=scheme, locale="zh-CN" if language == "zh-hans" else "en-US")
    page = context.new_page()
    wrong = {path: found for path in pages(things, page, live_server.url) if (found := faults(page))}
    assert page.locator("html").get_attribute("lang") == language
    context.close()
    assert wrong == {}


@pytest.mark.parametrize("width", [320, 390])
def test_no_page_scrolls_sideways_on_a_telephone(
    browser: Browser, live_server: LiveServer, things: Things, width: int
) -> None:
    """WCAG 1.4.10: at 320 CSS pixels only tables may scroll, inside their own frame."""
    context = browser.new_context(viewport={"width": width, "height": 800}, locale="en-US")
    page = context.new_page()
    wide = [
        path
        for path in pages(things, page, live_server.url)
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    ]
    context.close()
    assert wide == []
