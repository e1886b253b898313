"""The pages over HTTP, without JavaScript: what a person can do and is told."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from django.views.defaults import server_error

from memoryapp.models import AuditSubject, MemoryItem
from memoryapp.services import access, audit_trail, changes, erasure, housekeeping, known_libraries, recall, switches
from memoryapp.services.results import AuditFilter
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, finish, only, say, texts
from tests.web.stage import PASSWORD, browser_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def carol(cast: Cast) -> Client:
    return browser_of(access.add_person(cast.agent, "carol@example.org", "compliance", password=PASSWORD))


def add(cast: Cast, text: str, **more: object) -> UUID:
    return changes.add(cast.agent, "alice", changes.NewItem(text, **more))[0].id  # type: ignore[arg-type]


def mem(item: UUID) -> str:
    return f"mem_{item.hex}"


def page(client: Client, name: str, *args: object, **query: str) -> str:
    return client.get(reverse(name, args=args), query).content.decode()


def form(item: UUID, **changed: str) -> dict[str, str]:
    return {"content": "", "kind": "note", "importance": "0.5", "version": "1", "expires_on": ""} | changed


def test_of_two_tabs_the_slower_one_is_shown_both_texts_and_may_take_either(cast: Cast, alice: Client) -> None:
    item = add(cast, "Drinks tea.")
    address = reverse("edit_memory", args=[mem(item)])
    assert alice.post(address, form(item, content="Drinks green tea.")).status_code == 302
    slower = alice.post(address, form(item, content="Drinks black tea."))
    text = slower.content.decode()
    assert slower.status_code == 409
    assert "Drinks green tea." in text and "Drinks black tea." in text
    assert texts(cast.agent, "alice") == ["Drinks green tea."]
    assert f'href="{reverse("memory", args=[mem(item)])}"' in text and "Take theirs" in text
    version = re.search(r'name="version" value="(\d+)"', text)
    assert version is not None
    assert alice.post(address, form(item, content="Drinks black tea.", version=version[1])).status_code == 302
    assert texts(cast.agent, "alice") == ["Drinks black tea."]


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"content": "   "}, "Please write what should be remembered."),
        ({"content": "x" * 4001}, "at most 4000"),
        ({"content": "Fine.", "expires_on": "2020-01-01"}, "That day is over."),
        ({"content": "Fine.", "expires_on": "soon"}, "valid date"),
        ({"content": "Fine.", "kind": "king"}, "valid choice"),
        ({"content": "My database password is " + "s3cr3t_" + "9Kq2"}, "It holds a password"),
    ],
)
def test_a_bad_edit_is_explained_beside_the_field_and_keeps_what_was_typed(
    cast: Cast, alice: Client, changed: dict[str, str], said: str
) -> None:
    item = add(cast, "Drinks tea.")
    answer = alice.post(reverse("edit_memory", args=[mem(item)]), form(item, **changed))
    text = answer.content.decode()
    assert answer.status_code == 422
    assert said in text and 'aria-invalid="true"' in text
    assert changed["content"].strip() in text
    assert texts(cast.agent, "alice") == ["Drinks tea."]


def test_a_bad_new_memory_is_explained_and_the_form_stays_open(cast: Cast, alice: Client) -> None:
    answer = alice.post(reverse("add_memory"), {"content": "ab", "kind": "note", "importance": "0.9"})
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "Too short to be useful" in text and ">\nab</textarea>" in text
    assert '<option value="0.9" selected>' in text and '<details class="panel" open>' in text
    assert texts(cast.agent, "alice") == []


def test_kind_importance_pin_and_expiry_are_set_on_the_page(cast: Cast, alice: Client) -> None:
    day = (timezone.now() + timedelta(days=30)).date().isoformat()
    wanted = {"content": "Has a cello lesson.", "kind": "event", "importance": "0.9", "pinned": "on", "expires_on": day}
    assert alice.post(reverse("add_memory"), wanted).status_code == 302
    item = only(cast.agent, "alice")
    assert page(alice, "memory", mem(item)).count(f'value="{day}"') == 1
    again = form(item, content="Has a cello lesson.", kind="event", importance="0.1", expires_on="")
    assert alice.post(reverse("edit_memory", args=[mem(item)]), again).status_code == 302
    with tenant_scope(cast.agent):
        row = MemoryItem.objects.get(pk=item)
    assert (row.kind, row.importance, row.pinned, row.expires_at) == ("event", 0.1, False, None)


def test_saving_without_a_change_makes_no_version(cast: Cast, alice: Client) -> None:
    item = add(cast, "Drinks tea.", importance=0.62)
    text = page(alice, "memory", mem(item))
    assert '<option value="0.62" selected>' in text
    same = form(item, content="Drinks tea.", importance="0.62")
    assert alice.post(reverse("edit_memory", args=[mem(item)]), same).status_code == 302
    assert "Bring this text back" not in page(alice, "memory", mem(item))


def test_a_memory_tells_why_it_is_there_what_changed_and_who_was_given_it(cast: Cast, alice: Client) -> None:
    finish(cast.agent, say(cast.agent, "alice", "Remember that I drink green tea.", session="kitchen"))
    item = only(cast.agent, "alice")
    content = texts(cast.agent, "alice")[0]
    changes.edit(cast.agent, item, {"content": content.replace("green", "black")}, expected_version=None)
    recall.search(cast.agent, "alice", "tea")
    text = page(alice, "memory", mem(item))
    assert "Why this is remembered" in text and "Explicit request" in text and "found by rules" in text
    assert "Conversation kitchen" in text
    assert "<del>green</del><ins>black</ins>" in text
    assert "Found in a search" in text
    restore = re.search(r'action="([^"]+/versions/1/restore)"', text)
    assert restore is not None
    assert alice.post(restore[1]).status_code == 302
    assert texts(cast.agent, "alice") == [content]
    assert 'value="3"' in page(alice, "memory", mem(item))


def test_what_was_learnt_and_what_was_refused_is_told_with_its_reason(cast: Cast, alice: Client) -> None:
    finish(cast.agent, say(cast.agent, "alice", "Remember that I drink green tea."))
    say(cast.agent, "alice", "Remember: my password is " + "Tiger#" + "2026x!", session="b")
    say(cast.agent, "alice", "The trip was long and it rained on Sunday.", session="c")
    text = page(alice, "memories")
    assert re.search(r"<strong>Learnt</strong>: <a[^>]+>[^<]*green tea", text)
    assert "<strong>Not kept</strong> — It holds a password" in text
    assert "Not read yet." in text
    assert 'hx-trigger="every 3s"' in text and 'id="runs"' in page(alice, "runs")
    assert "Tiger" not in text


def test_paused_learning_learns_nothing_and_paused_using_gives_nothing(cast: Cast, alice: Client) -> None:
    add(cast, "Drinks green tea.")
    for what in ("learning", "using"):
        assert alice.post(reverse("switch_memory"), {"what": what, "paused": "1"}).status_code == 302
    say(cast.agent, "alice", "Remember that I play the cello.")
    assert texts(cast.agent, "alice") == ["Drinks green tea."]
    assert recall.search(cast.agent, "alice", "tea") == ()
    text = page(alice, "memories")
    assert "Go on learning" in text and "Learning is paused" in text
    assert "Using is paused" in page(alice, "preview", q="tea")
    alice.post(reverse("switch_memory"), {"what": "using", "paused": "0"})
    assert len(recall.search(cast.agent, "alice", "tea")) == 1
    rows, _, _ = audit_trail.search(cast.agent, AuditFilter(action="space."))
    assert [row.action for row in rows] == ["space.using_resumed", "space.using_paused", "space.learning_paused"]
    assert switches.switches(cast.agent, "bob") == switches.Switches()
    assert alice.post(reverse("switch_memory"), {"what": "breathing", "paused": "1"}).status_code == 400


def test_all_that_match_are_taken_beyond_what_is_on_the_page(cast: Cast, alice: Client) -> None:
    for number in range(55):
        add(cast, f"Owns book number {number} of the series.")
    add(cast, "Drinks tea.")
    text = page(alice, "memories", q="book")
    assert "55 memories" in text and "Take all 55 that match" in text
    assert text.count('name="ids"') == 50
    body = {"action": "forget", "reach": "matching", "matching": "q=book", "next": "/?q=book"}
    answer = alice.post(reverse("bulk"), body, follow=True)
    assert "55 memories forgotten." in answer.content.decode()
    assert texts(cast.agent, "alice") == ["Drinks tea."]
    alice.post(reverse("undo"))
    assert "56 memories" in page(alice, "memories")


def test_a_list_can_be_turned_forth_and_back_and_keeps_its_filter(cast: Cast, alice: Client) -> None:
    for number in range(60):
        add(cast, f"Owns book number {number} of the series.")
    first = page(alice, "memories", q="book", kind="note")
    older = re.search(r'href="(\?q=book&amp;kind=note&amp;cursor=[0-9a-f]+)"', first)
    assert older is not None and "Back to the newest" not in first
    second = alice.get("/" + older[1].replace("&amp;", "&")).content.decode()
    assert second.count('name="ids"') == 10
    assert 'href="?q=book&amp;kind=note">Back to the newest' in second
    assert alice.get("/?cursor=nonsense").status_code == 400


@pytest.mark.parametrize("verb", ["forget", "reject", "pause", "pin", "later"])
def test_what_was_done_to_one_can_be_taken_back(cast: Cast, alice: Client, verb: str) -> None:
    text = "Call me at +1 202 555 0143." if verb in ("reject", "later") else "Drinks tea."
    item = add(cast, text)
    with tenant_scope(cast.agent):
        before = MemoryItem.objects.values("status", "pinned", "snoozed_until").get(pk=item)
    answer = alice.post(reverse("bulk"), {"one": f"{verb} {mem(item)}"}, follow=True)
    assert "1 memory" in answer.content.decode() and ">Undo<" in answer.content.decode()
    with tenant_scope(cast.agent):
        assert MemoryItem.objects.values("status", "pinned", "snoozed_until").get(pk=item) != before
    assert "Taken back." in alice.post(reverse("undo"), follow=True).content.decode()
    with tenant_scope(cast.agent):
        assert MemoryItem.objects.values("status", "pinned", "snoozed_until").get(pk=item) == before


def test_a_bulk_action_names_what_could_not_be_done(cast: Cast, alice: Client) -> None:
    first, second = add(cast, "Drinks tea."), add(cast, "Plays the cello.")
    changes.pause(cast.agent, second)
    answer = alice.post(reverse("bulk"), {"action": "confirm", "ids": [mem(first), mem(second)]}, follow=True)
    assert "not done: That is not possible in its present status." in answer.content.decode()
    assert "Nothing was ticked." in alice.post(reverse("bulk"), {"action": "forget"}, follow=True).content.decode()
    assert alice.post(reverse("bulk"), {"action": "explode", "ids": [mem(first)]}).status_code == 400


def test_a_button_never_leads_to_another_site(cast: Cast, alice: Client) -> None:
    item = add(cast, "Drinks tea.")
    body = {"action": "pin", "ids": [mem(item)], "next": "https://evil.example/"}
    assert alice.post(reverse("bulk"), body).headers["Location"] == "/"


def test_the_preview_names_what_was_left_out_and_why(cast: Cast, alice: Client) -> None:
    tea = add(cast, "Drinks green tea.")
    changes.pause(cast.agent, add(cast, "Plays the cello."))
    add(cast, "Call me at +1 202 555 0143.")
    text = page(alice, "preview", q="tea")
    assert "[note] Drinks green tea." in text and "cello" not in text
    uses = page(alice, "memory", mem(tea))
    assert "Looked at in the preview" in uses and "Put into a prompt" not in uses
    assert re.search(r"Paused: 1</a> — never given", text) and re.search(r"Pending: 1</a> — never given", text)
    access.activate_policy(cast.agent, {"injection_tokens": 60})
    for number in range(8):
        add(cast, f"Owns book number {number} of a long series about the sea.")
    assert "There is no room left in the prompt" in page(alice, "preview", q="tea")


def test_a_persons_preview_is_told_apart_from_what_an_agent_was_given(cast: Cast, alice: Client, carol: Client) -> None:
    add(cast, "用 pnpm")
    page(alice, "preview", q="包管理器？")
    assert "Preview of what an agent would be given" in page(carol, "audit", action="memory.previewed")
    assert audit_trail.search(cast.agent, AuditFilter(action="memory.injected"))[2] == 0


def test_the_trail_shows_every_target_by_its_public_id(cast: Cast, alice: Client, carol: Client) -> None:
    add(cast, "用 pnpm")
    alice.post(reverse("switch_memory"), {"what": "learning", "paused": "1"})
    ids = re.findall(r'<small class="id">([^<]+)</small>', page(carol, "audit"))
    assert {one.partition("_")[0] for one in ids} >= {"mem", "spc", "mbr"}
    assert not [one for one in ids if not re.fullmatch("[a-z]{3}_[0-9a-f]{32}", one)]


def test_the_header_says_who_is_here(cast: Cast, alice: Client) -> None:
    assert "<summary>alice@example.org <small>ours</small></summary>" in page(alice, "memories")


def test_the_line_of_a_finished_export_takes_the_message_of_its_beginning_away(cast: Cast, carol: Client) -> None:
    assert "The export has begun." in carol.post(reverse("start_export"), follow=True).content.decode()
    job = audit_trail.list_exports(cast.agent)[0].id
    address, htmx = reverse("export", args=[f"exp_{job.hex}"]), {"HX-Request": "true"}
    assert 'id="notices"' not in carol.get(address, headers=htmx).content.decode()
    audit_trail.run_export(cast.agent.tenant_id, job)
    line = carol.get(address, headers=htmx).content.decode()
    assert '<div id="notices" hx-swap-oob="true"' in line
    assert "has begun" not in line


def test_times_of_a_page_say_that_they_are_in_utc(cast: Cast, alice: Client) -> None:
    add(cast, "用 pnpm")
    assert re.search(r"<time [^>]+>[^<]+ UTC</time>", page(alice, "memories"))


def test_the_banner_says_what_is_at_work(cast: Cast, alice: Client) -> None:
    text = page(alice, "memories")
    assert "Only rules are at work" in text and "miss what is said in passing" in text


def test_the_trail_names_keys_and_people_and_is_searched_by_them(cast: Cast, alice: Client, carol: Client) -> None:
    item = add(cast, "Drinks tea.")
    alice.post(reverse("act", args=[mem(item), "forget"]))
    text = page(carol, "audit", action="memory.")
    assert f"agent (mk_{cast.agent.ref})" in text and "alice@example.org" in text
    assert mem(item) in text and "Drinks tea" not in text
    for actor, action in (
        ("ALICE@", "Memory forgotten"),
        (f"mk_{cast.agent.ref}", "Memory added"),
        ("agent", "Memory added"),
    ):
        found = page(carol, "audit", action="memory.", actor=actor)
        assert action in found.partition("<tbody>")[2]
    other = page(carol, "audit", action="memory.forgotten", actor="agent")
    assert "<tbody>" not in other
    with tenant_scope(cast.agent):
        assert AuditSubject.objects.filter(name="alice").exists()


def test_a_bad_date_of_the_trail_is_explained_and_kept(carol: Client) -> None:
    answer = carol.get(reverse("audit"), {"since": "last week", "actor": "alice"})
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "This is no date." in text and "(last week)" in text and 'value="alice"' in text
    backwards = carol.get(reverse("audit"), {"since": "2026-03-02", "until": "2026-03-01"})
    assert "not after the beginning" in backwards.content.decode()
    assert carol.post(reverse("start_export"), {"since": "last week"}).status_code == 400


def test_an_export_holds_what_was_filtered_as_jsonl_and_as_a_table_that_runs_nothing(cast: Cast, carol: Client) -> None:
    person = "=HYPERLINK(1)"
    changes.add(cast.agent, person, changes.NewItem("Drinks tea."))
    add(cast, "Plays the cello.")
    begun = carol.post(reverse("start_export"), {"action": "memory.added", "person": person}, follow=True)
    assert "1 event<" in begun.content.decode()
    waiting = page(carol, "audit")
    exp_id = re.search(r"exp_[0-9a-f]{32}", waiting)
    assert exp_id is not None and "<progress" in waiting
    assert carol.get(reverse("download_export", args=[exp_id[0]])).status_code == 404
    audit_trail.run_export(cast.agent.tenant_id, UUID(exp_id[0][4:]))
    line = page(carol, "export", exp_id[0])
    assert "1 of 1 events" in line and "Download" in line
    answer = carol.get(reverse("download_export", args=[exp_id[0]]))
    archive = zipfile.ZipFile(io.BytesIO(b"".join(answer.streaming_content)))
    (event,) = [json.loads(text) for text in archive.read("events.jsonl").decode().splitlines()]
    assert event["action"] == "memory.added"
    (row,) = csv.DictReader(io.StringIO(archive.read("events.csv").decode("utf-8-sig")))
    assert row["on_behalf_of"] == "'=HYPERLINK(1)"
    assert "tea" not in archive.read("events.jsonl").decode() + archive.read("events.csv").decode()


def test_errors_speak_both_languages(cast: Cast, alice: Client) -> None:
    unknown = reverse("memory", args=["mem_" + "0" * 32])
    assert "There is nothing at this address" in alice.get(unknown).content.decode()
    assert "此地址没有内容" in alice.get(unknown, headers={"Accept-Language": "zh-CN"}).content.decode()
    alice.raise_request_exception = False
    lost = access.add_person(cast.charlie, "lost@example.org", "member", "l", password=PASSWORD)
    with tenant_scope(cast.charlie):
        lost.memberships.all().delete()
    answer = browser_of(lost).get("/")
    assert answer.status_code == 403
    assert "belongs to no organisation" in answer.content.decode()
    broken = server_error(RequestFactory().get("/")).content.decode()
    assert "Something went wrong" in broken and "出错了" in broken
    strict = Client(enforce_csrf_checks=True, headers={"Accept-Language": "zh-CN"})
    assert "表单" in strict.post(reverse("login"), {"username": "x"}).content.decode()


def test_a_persons_choice_of_language_is_kept(cast: Cast, alice: Client) -> None:
    alice.post(reverse("set_language"), {"language": "zh-hans", "next": "/inbox"})
    assert 'lang="zh-hans"' in page(alice, "memories")
    other = Client()
    other.post(reverse("login"), {"username": "alice@example.org", "password": PASSWORD})
    assert 'lang="zh-hans"' in other.get("/").content.decode()
    assert (
        alice.post(reverse("set_language"), {"language": "tlh", "next": "//evil.example"}).headers["Location"]
        == "/home"
    )


RAW = re.compile(r">[^<]*\b(?:[a-z]+_[a-z_]+|(?:noise|pii|secret|memory|prompt_injection)\.[a-z_]+)\b[^<]*<")


def test_no_code_and_no_english_word_stands_raw_on_a_chinese_page(cast: Cast, alice: Client, carol: Client) -> None:
    access.activate_policy(cast.agent, {"guard_effects": {"noise": "flag"}})
    add(cast, "测试一下")
    access.activate_policy(cast.agent, {})
    housekeeping.scan_noise(cast.agent.tenant_id)
    finish(cast.agent, say(cast.agent, "alice", "记住：我对花生过敏"))
    say(cast.agent, "alice", "记住我的密码是 " + "Tiger#" + "2026x!", session="b")
    add(cast, "我的手机号是 13800138000")
    alice.post(reverse("switch_memory"), {"what": "learning", "paused": "1"}, headers={"Accept-Language": "zh-CN"})
    for client, names in (
        (alice, ("memories", "inbox", "preview", "trash", "timeline", "privacy")),
        (carol, ("audit", "erasures")),
    ):
        for name in names:
            text = client.get(reverse(name), headers={"Accept-Language": "zh-CN"}).content.decode()
            main = text[text.index("<main") :].replace("user_id", "").partition("<pre")[0]
            assert RAW.findall(main) == []
            words = re.sub(r"<[^>]+>", " ", main)
            visible = re.sub(
                r"mem_\w+|evt_\w+|alice\S*|carol\S*|agent \(\S+|JSON Lines|JSONL?|Markdown|Memoryapp", " ", words
            )
            assert re.findall(r"\b[A-Za-z]{4,}\b", re.sub(r"\b[0-9a-f-]{8,}\b|&\w+;", " ", visible)) == [], name


LISTS = ["memories", "inbox", "trash", "preview", "audit", "people", "runs", "timeline", "privacy", "erasures"]


def grown(client: Client, name: str, grow: Callable[[int], None], **query: str) -> Iterator[int]:
    for _ in range(2):
        grow(4)
        for _ in range(2):  # the first look of a reader makes their name in the audit, the second hears of it
            client.get(reverse(name), query)
        known_libraries.drop()
        with CaptureQueriesContext(connection) as seen:
            assert client.get(reverse(name), query).status_code == 200
        yield len(seen)


@pytest.mark.parametrize("name", LISTS)
def test_a_list_asks_the_database_as_often_for_twice_the_rows(cast: Cast, name: str) -> None:
    owner = access.add_person(cast.agent, "owner@example.org", "owner", "alice", password=PASSWORD)
    carol = access.add_person(cast.agent, "carol@example.org", "compliance", password=PASSWORD)
    count = iter(range(1000))

    def grow(n: int) -> None:
        for number in (next(count) for _ in range(n)):
            add(cast, f"Owns book number {number} of the series.")
            add(cast, f"Call number {number} is +1 202 555 01{number:02d}.")
            changes.forget(cast.agent, add(cast, f"Sold book number {number}."))
            finish(cast.agent, say(cast.agent, "alice", f"Remember that box {number} is green.", session=f"s{number}"))
            access.add_person(cast.agent, f"p{number}@example.org", "member", f"p{number}", password=PASSWORD)
            audit_trail.start_export(cast.agent, AuditFilter())
            erasure.erase_item(cast.agent, add(cast, f"Burnt letter number {number}."))

    client = browser_of(carol if name in ("audit", "erasures") else owner)
    first, second = grown(client, name, grow)
    assert first == second
