"""The block for a prompt, through the service, on the real database."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.domain.messages import INJECTION_START
from memoryapp.domain.tokens import token_bound
from memoryapp.models import Space, Use
from memoryapp.providers import registry
from memoryapp.services import access, changes, injection, known_libraries
from memoryapp.services.ingest import Incoming
from memoryapp.services.results import ContextView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.vectors import sync_vectors
from tests.cast import Cast, finish, make_cast, say, texts

pytestmark = pytest.mark.django_db

BOOKKEEPING = ("set_config", "SAVEPOINT", "BEGIN", "COMMIT")


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def embedder_must_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any use of the embedder fails the test."""

    def refuse() -> None:
        raise AssertionError("the embedder was asked")

    monkeypatch.setattr(registry, "embedder", refuse)


def add(cast: Cast, *contents: str, person: str = "alice", project_id: str = "", **values: object) -> list[UUID]:
    space = "project" if project_id else "person"
    return [
        changes.add(
            cast.agent,
            person,
            changes.NewItem(content, **values),
            space=space,
            project_id=project_id,  # type: ignore[arg-type]
        )[0].id
        for content in contents
    ]


def lines(view: ContextView) -> list[str]:
    return [line for line in view.block.splitlines() if line.startswith("- ")]


def ask(cast: Cast, *said: object, **values: object) -> ContextView:
    messages = [Incoming("user", text) for text in said]
    return injection.context(cast.agent, "alice", messages=messages, **values)  # type: ignore[arg-type]


def statements(cast: Cast, **values: object) -> list[str]:
    """The application's own statements of one call, the records after the answer left out."""
    with CaptureQueriesContext(connection) as captured:
        injection.context(cast.agent, "alice", **values)  # type: ignore[arg-type]
    found = [query["sql"] for query in captured.captured_queries]
    return [sql for sql in found if not any(word in sql for word in BOOKKEEPING) and "memoryapp_use" not in sql]


def library(cast: Cast, size: int, kind: str = "note") -> None:
    add(cast, *(f"Fact number {n} is about {_topic(n)}" for n in range(size)), kind=kind)


def _topic(n: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[n % 26] * 3 + "xyz"[n // 26 % 3] * 4


@pytest.mark.usefixtures("embedder_must_rest")
@pytest.mark.parametrize("query", ["晚饭吃什么？", "What should I cook tonight?"])
def test_a_small_library_goes_in_whole_in_two_statements_without_the_embedder(cast: Cast, query: str) -> None:
    """One looks, the other writes the event. While nothing changes, one call does for both."""
    add(cast, "用户对花生过敏", "The user cooks on a gas stove")
    assert len(statements(cast, query=query)) == 2
    assert len(statements(cast, query=query)) == 1
    assert len(lines(injection.context(cast.agent, "alice", query=query))) == 2


def test_a_policy_holds_from_the_next_context_on(cast: Cast) -> None:
    """Though a process remembers the one that it saw last."""
    add(cast, *(f"The user likes {_topic(n)}" for n in range(6)), kind="preference")
    for limit in (3, 5, 2):
        access.activate_policy(cast.agent, {"injection_limit": limit})
        for _ in range(2):
            assert len(lines(injection.context(cast.agent, "alice", query="tea?"))) == limit
    access.activate_policy(cast.charlie, {"injection_limit": 1})
    assert len(lines(injection.context(cast.agent, "alice", query="tea?"))) == 2


def test_pausing_the_use_of_memories_holds_from_the_next_context_on(cast: Cast) -> None:
    add(cast, "The user likes tea")
    for paused, found in ((False, 1), (True, 0), (False, 1)):
        with tenant_scope(cast.agent):
            Space.objects.filter(key="alice").update(using_paused=paused)
        assert len(lines(injection.context(cast.agent, "alice", query="tea?"))) == found


@pytest.mark.parametrize("size", [5, 45])
def test_the_number_of_statements_does_not_grow_with_the_library(cast: Cast, size: int) -> None:
    library(cast, size)
    before = len(statements(cast, query="Which fact is about bbbxxxx?"))
    add(cast, *(f"Another note, {n} of many: {_topic(n + 7)}" for n in range(size - 1 if size < 40 else size)))
    known_libraries.drop()
    assert len(statements(cast, query="Which fact is about bbbxxxx?")) == before


def test_a_large_library_gives_what_was_asked_for_and_not_only_the_newest(cast: Cast) -> None:
    add(cast, "The boiler's warranty ends in November", kind="note")
    library(cast, 60)
    sync_vectors(cast.agent.tenant_id)
    view = ask(cast, "When does the warranty of the boiler end?")
    assert any("boiler" in line for line in lines(view))
    assert len(view.items) <= 40
    assert "similar" in view.reasons


def test_pinned_profile_and_preference_go_in_however_old_they_are(cast: Cast) -> None:
    add(cast, "Always answer in metric units", pinned=True)
    add(cast, "The user is a nurse", kind="profile")
    add(cast, "The user prefers short answers", kind="preference")
    library(cast, 60)
    block = ask(cast, "Where is fact number 3?").block
    assert "metric units" in block and "nurse" in block and "short answers" in block
    assert block.index("metric") < block.index("nurse") < block.index("short answers")


def test_what_else_is_known_of_a_subject_comes_along(cast: Cast) -> None:
    add(cast, "The greenhouse is heated by a heat pump", subject="greenhouse")
    add(cast, "Watering happens at six in the morning", subject="greenhouse")
    library(cast, 60)
    sync_vectors(cast.agent.tenant_id)
    block = ask(cast, "How is the greenhouse heated?").block
    assert "heat pump" in block and "Watering" in block


@pytest.mark.parametrize("query", ["谢谢！", "ok, thanks"])
def test_small_talk_is_given_nothing(cast: Cast, query: str) -> None:
    add(cast, "用户对花生过敏")
    view = ask(cast, query)
    assert (view.block, view.items, view.needed, view.reasons) == ("", (), False, ("acknowledgement",))


@pytest.mark.parametrize(
    "content",
    [
        None,
        "",
        [{"type": "image_url", "image_url": {"url": "https://pictures.test/a.png"}}],
        {"parts": [{"inline_data": "…"}]},
        [{"type": "input_image", "file_id": "file-1"}, {"type": "text", "text": "  "}],
    ],
)
def test_a_message_without_words_still_gets_what_always_goes_in(cast: Cast, content: object) -> None:
    add(cast, "用户对花生过敏", kind="profile")
    view = ask(cast, content)
    assert len(lines(view)) == 1
    assert "empty_query" in view.reasons


@pytest.mark.parametrize(
    "content",
    [
        "按我的习惯写一份周报",
        [{"type": "text", "text": "按我的习惯写一份周报"}],
        [{"type": "input_text", "text": "按我的习惯写一份周报"}, {"type": "input_image", "file_id": "f"}],
        {"parts": [{"text": "按我的习惯写一份周报"}]},
        [{"type": "text", "text": {"value": "按我的习惯写一份周报"}}],
    ],
)
def test_the_last_user_message_is_found_in_any_shape(cast: Cast, content: object) -> None:
    add(cast, "周报先写风险再写进展", kind="instruction")
    messages = [Incoming("user", content), Incoming("assistant", None), Incoming("tool", "42 rows")]
    view = injection.context(cast.agent, "alice", messages=messages)
    assert "signal.habit" in view.reasons


def test_the_messages_before_the_last_help_to_search(cast: Cast) -> None:
    add(cast, "The cello lesson costs forty euros")
    library(cast, 60)
    sync_vectors(cast.agent.tenant_id)
    assert any("cello" in line for line in lines(ask(cast, "I have a cello lesson tomorrow.", "And the price?")))


PARAPHRASES = [
    "先跑测试再提交",
    "提交之前先跑测试",
    "每次提交代码前都要运行测试",
    "测试跑完再提交",
    "先把测试跑一遍，然后提交",
    "commit 之前先跑测试",
]


def test_six_ways_of_saying_one_thing_are_one_line_and_the_opposite_is_another(cast: Cast) -> None:
    add(cast, *PARAPHRASES, "不要先跑测试", "先提交再跑测试", kind="instruction")
    found = [line.split("] ")[1] for line in lines(ask(cast, "怎么提交代码？"))]
    assert len([line for line in found if line in PARAPHRASES]) == 1
    assert {"不要先跑测试", "先提交再跑测试"} < set(found)


def test_what_a_block_in_the_conversation_shows_is_not_injected_again(cast: Cast) -> None:
    add(cast, *PARAPHRASES, "不要先跑测试", "The user deploys on Tuesdays", kind="instruction")
    turns = [Incoming("user", "怎么提交代码？")]
    first = injection.context(cast.agent, "alice", messages=turns)
    assert len(lines(first)) == 3
    for question in ("然后呢？", "按我的习惯继续"):
        turns = [
            Incoming("system", first.block),
            *turns,
            Incoming("assistant", "好的，先跑测试。"),
            Incoming("user", question),
        ]
        again = injection.context(cast.agent, "alice", messages=turns, explain=True)
        assert lines(again) == []
        assert {reason for _, reason in again.excluded} == {"visible"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("用户对花生过敏", "还记得我对花生过敏吗？"),
        ("The user is allergic to peanuts", "Am I allergic to peanuts?"),
        ("用户喜欢吃香菜", "我不喜欢吃香菜了"),
    ],
)
def test_a_question_or_a_denial_does_not_show_what_it_speaks_of(cast: Cast, content: str, said: str) -> None:
    add(cast, content)
    assert len(lines(ask(cast, said))) == 1


def test_what_the_user_has_just_said_is_not_said_again(cast: Cast) -> None:
    add(cast, "用户对花生过敏")
    assert lines(ask(cast, "我对花生过敏。今天吃什么好？")) == []


@pytest.mark.parametrize("form", ["list", "cards", "json"])
def test_a_large_library_never_passes_the_budget_and_the_block_says_that_more_is_known(cast: Cast, form: str) -> None:
    add(cast, *(f"第{n}号仓库的钥匙放在{_topic(n)}抽屉，另有备用钥匙 {n * 7}" for n in range(120)), kind="profile")
    add(cast, "回答时先给结论", pinned=True)
    for budget in (60, 200, 800):
        view = injection.context(cast.agent, "alice", query="钥匙在哪", token_budget=budget, form=form)
        assert token_bound(view.block) <= view.tokens <= budget
        if view.block:
            assert "先给结论" in view.block.splitlines()[2]
            assert view.partial and "一部分" in view.block


def test_a_project_overrides_the_person_on_the_same_subject(cast: Cast) -> None:
    add(cast, "Uses npm for packages", subject="package manager")
    add(cast, "This project uses pnpm", subject="Package manager", project_id="web")
    add(cast, "Likes dark themes", subject="theme")
    inside = injection.context(cast.agent, "alice", query="Install a package", project_id="web", explain=True)
    assert "pnpm" in inside.block and "uses npm" not in inside.block.casefold() and "dark" in inside.block
    assert [reason for _, reason in inside.excluded] == ["overridden"]
    outside = injection.context(cast.agent, "alice", query="Install a package")
    assert "Uses npm" in outside.block and "pnpm" not in outside.block


def test_a_label_overrides_what_is_said_without_one(cast: Cast) -> None:
    add(cast, "Books window seats", subject="seat")
    add(cast, "On night trains books the aisle", subject="seat", scope="travel")
    view = injection.context(cast.agent, "alice", query="Book a seat", scope="travel")
    assert "aisle" in view.block and "window" not in view.block
    assert len(lines(injection.context(cast.agent, "alice", query="Book a seat"))) == 2


def test_what_is_paused_pending_or_forgotten_never_goes_in(cast: Cast) -> None:
    paused, forgotten, _ = add(cast, "Paused fact about tea", "Forgotten fact about tea", "A fact about tea")
    changes.pause(cast.agent, paused)
    changes.forget(cast.agent, forgotten)
    assert len(lines(ask(cast, "What about tea?"))) == 1


def test_charlie_and_strangers_are_given_nothing(cast: Cast) -> None:
    add(cast, "用户对花生过敏")
    for actor, person in ((cast.charlie, "alice"), (cast.agent, "bob"), (cast.agent, "nobody")):
        view = injection.context(actor, person, query="我对什么过敏？")
        assert (view.block, view.reasons) == ("", ("empty_library",))


def test_uses_are_recorded_with_their_rank_and_outside_the_read(cast: Cast) -> None:
    first, second = add(cast, "用户对花生过敏", "用户住在海边")
    view = ask(cast, "晚饭吃什么？")
    with tenant_scope(cast.agent):
        rows = list(Use.objects.order_by("rank").values_list("item_id", "rank", "purpose"))
    assert rows == [(item.id, rank, "context") for rank, item in enumerate(view.items)]
    assert {first, second} == {row[0] for row in rows}


def test_explain_says_why_each_item_is_in(cast: Cast) -> None:
    (pinned,) = add(cast, "Answer in metric units", pinned=True)
    (profile,) = add(cast, "The user is a nurse", kind="profile")
    view = ask(cast, "How far is it?", explain=True)
    assert view.tiers == {pinned: "pinned", profile: "profile"}
    assert ask(cast, "How far is it?").tiers == {}


def copies_of(block: str) -> Iterator[str]:
    """The ways in which a block comes back to us."""
    yield block
    yield "\n".join(f"> {line}" for line in block.splitlines())
    yield "\n".join(block.splitlines()[1:-1])
    yield "\n".join(block.splitlines()[2:-1])
    yield block.replace("- [", "* [").replace(" ", "\u3000")
    yield block.replace("<", "&lt;").replace(">", "&gt;")
    yield block.replace("- [", "1. [").replace("\n", "\r\n\t")


def test_a_block_that_comes_back_in_a_conversation_is_never_learnt(cast: Cast) -> None:
    finish(cast.agent, say(cast.agent, "alice", "记住：我对花生过敏"))
    known = texts(cast.agent, "alice")
    block = ask(cast, "今天吃什么？").block
    assert INJECTION_START in block
    for role in ("user", "system"):
        for number, copy in enumerate(copies_of(block)):
            event = say(cast.agent, "alice", f"{copy}\n\n今天吃什么？第{number}次问", role=role)
            finish(cast.agent, event)
    assert texts(cast.agent, "alice") == known


def test_a_wish_for_advice_brings_the_taste_that_bears_on_it_among_many_memories(cast: Cast) -> None:
    library(cast, 60)
    add(cast, "The user refuses to eat anything with mushrooms", kind="note")
    while sync_vectors(cast.agent.tenant_id):
        pass
    assert "mushrooms" in ask(cast, "Recommend a restaurant for my parents' visit on Friday").block
