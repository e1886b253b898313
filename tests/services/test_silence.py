"""A wish not to store something holds for what it is about, also when that was said a moment before."""

from __future__ import annotations

import pytest

from memoryapp.models import MemoryItem, Message
from memoryapp.services import changes, ingest
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, finish, make_cast
from tests.llm_stub import LLMStub
from tests.services.talk import add, ids, lines, talked, told

pytestmark = pytest.mark.django_db

WISHES = [
    ("我去年做过一次手术，胆囊切了。", "刚才那句不要保存"),
    ("我上个月离婚了。", "别记这个"),
    ("I had my gall bladder out last year.", "Please don't save what I just said."),
    ("I got divorced last month.", "don't remember that"),
]


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.mark.parametrize(("fact", "wish"), WISHES)
def test_the_message_before_is_not_kept_within_one_call(cast: Cast, llm: LLMStub, fact: str, wish: str) -> None:
    llm.default = [add(fact)]
    event = talked(cast, Incoming("user", fact), Incoming("assistant", "好的 / Noted."), Incoming("user", wish))
    assert ids(cast, "active", "pending") == []
    assert ("skipped", "do_not_store") in lines(event)
    assert fact not in texts(cast)


@pytest.mark.parametrize(("fact", "wish"), WISHES)
def test_the_message_before_is_not_kept_when_each_comes_by_itself(
    cast: Cast, llm: LLMStub, fact: str, wish: str
) -> None:
    llm.default = [add(fact)]
    waiting = accept(cast.agent, "alice", [Incoming("user", fact)], session="s")
    told(cast, wish, session="s")
    finish(cast.agent, waiting)
    assert ids(cast, "active", "pending") == []
    assert fact not in texts(cast)


@pytest.mark.parametrize("wish", ["这次聊天的内容都不要保存", "Don't store anything from this conversation."])
def test_a_wish_about_everything_reaches_all_that_waits(cast: Cast, llm: LLMStub, wish: str) -> None:
    facts = ["我对花生过敏。", "我住在苏州。"]
    llm.default = [add(fact) for fact in facts]
    waiting = [accept(cast.agent, "alice", [Incoming("user", fact)], session="s") for fact in facts]
    told(cast, wish, session="s")
    for event in waiting:
        finish(cast.agent, event)
    assert ids(cast, "active", "pending") == []


@pytest.mark.parametrize(("fact", "wish"), WISHES)
def test_another_session_keeps_what_it_heard(cast: Cast, llm: LLMStub, fact: str, wish: str) -> None:
    llm.default = [add(fact)]
    waiting = accept(cast.agent, "alice", [Incoming("user", fact)], session="one")
    told(cast, wish, session="two")
    finish(cast.agent, waiting)
    assert len(ids(cast, "active", "pending")) == 1


def test_a_history_that_is_sent_again_with_the_wish_takes_back_what_waits(cast: Cast, llm: LLMStub) -> None:
    fact = "我去年做过一次手术，胆囊切了。"
    llm.default = [add(fact)]
    waiting = accept(cast.agent, "alice", [Incoming("user", fact)], session="s")
    again = [Incoming("user", fact), Incoming("assistant", "好的"), Incoming("user", "刚才那句不要保存")]
    talked(cast, *again, session="s")
    finish(cast.agent, waiting)
    assert ids(cast, "active", "pending") == []
    assert fact not in texts(cast)


@pytest.mark.parametrize(("fact", "wish"), WISHES)
def test_what_was_judged_already_is_forgotten_with_its_words(cast: Cast, llm: LLMStub, fact: str, wish: str) -> None:
    llm.answer([add(fact)])
    told(cast, fact, session="s")
    assert len(ids(cast, "active", "pending")) == 1
    told(cast, wish, session="s")
    assert ids(cast, "active", "pending") == []
    with tenant_scope(cast.agent):
        assert MemoryItem.objects.get().status == "forgotten"
    assert fact not in texts(cast)


class Died(Exception):
    pass


def test_a_wish_that_dies_half_way_leaves_nothing_half_done(
    cast: Cast, llm: LLMStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is taken back and the message that takes it back are one transaction: the client sends it again."""
    llm.answer([add("我上个月离婚了。")])
    told(cast, "我上个月离婚了。", session="s")

    def die(name: str) -> None:
        raise Died(name)

    with monkeypatch.context() as dying:
        dying.setattr(ingest, "failpoint", die)
        with pytest.raises(Died):
            accept(cast.agent, "alice", [Incoming("user", "别记这个", id="m2")], session="s")
    assert len(ids(cast, "active")) == 1
    accept(cast.agent, "alice", [Incoming("user", "别记这个", id="m2")], session="s")
    assert ids(cast, "active", "pending") == []
    assert "我上个月离婚了。" not in texts(cast)


LIKELY = [
    'My boss said "off the record, do not keep any of this" and then told me nothing; I am a nurse.',
    "我妈说“这话千万别记下来，你就当没听过”，结果全村都知道了，我在苏州做护士。",
]
"""What a classifier of wishes hears in somebody else's words."""


@pytest.mark.parametrize("said", LIKELY)
def test_what_may_be_a_wish_loses_nothing_and_makes_nothing_active(cast: Cast, llm: LLMStub, said: str) -> None:
    llm.answer([add(said)])
    event = told(cast, said)
    assert ids(cast, "active") == []
    assert len(ids(cast, "pending")) == 1
    assert ("pending", "perhaps_unwanted") in lines(event)
    assert said in texts(cast)


def test_what_may_be_a_wish_becomes_active_when_its_person_says_so(cast: Cast, llm: LLMStub) -> None:
    llm.answer([add(LIKELY[0])])
    told(cast, LIKELY[0])
    (waiting,) = ids(cast, "pending")
    changes.confirm(cast.person("alice"), waiting)
    assert ids(cast, "active") == [waiting]


def test_a_temporary_call_of_an_unknown_session_reaches_no_other(cast: Cast, llm: LLMStub) -> None:
    llm.default = [add("我对花生过敏。")]
    waiting = accept(cast.agent, "alice", [Incoming("user", "我对花生过敏。")])
    accept(cast.agent, "alice", [Incoming("user", "刚才那句不要保存")], session="new", temporary=True)
    finish(cast.agent, waiting)
    assert len(ids(cast, "active", "pending")) == 1


def test_what_was_known_from_elsewhere_stays(cast: Cast, llm: LLMStub) -> None:
    fact = "我对花生过敏。"
    llm.answer([add(fact)], [add(fact)])
    told(cast, fact, session="one")
    told(cast, f"再说一次，{fact}", session="two")
    told(cast, "刚才那句不要保存", session="two")
    assert len(ids(cast, "active")) == 1


@pytest.mark.parametrize("between", ["hmm", "嗯嗯", "ok"])
def test_chatter_does_not_stand_between_a_wish_and_what_it_is_about(cast: Cast, llm: LLMStub, between: str) -> None:
    llm.default = [add("我上个月离婚了。")]
    waiting = accept(cast.agent, "alice", [Incoming("user", "我上个月离婚了。")], session="s")
    talked(cast, Incoming("user", between), Incoming("user", "刚才那句不要保存"), session="s")
    finish(cast.agent, waiting)
    assert ids(cast, "active", "pending") == []


@pytest.mark.parametrize("said", ["别存钱了", "别记仇", "不要保存草稿", "Do not store my jackets in plastic"])
def test_a_word_like_store_is_no_wish_about_what_was_said_before(cast: Cast, llm: LLMStub, said: str) -> None:
    fact = "我对花生过敏。"
    llm.default = [add(fact)]
    waiting = accept(cast.agent, "alice", [Incoming("user", fact)], session="s")
    told(cast, said, session="s")
    finish(cast.agent, waiting)
    assert len(ids(cast, "active")) == 1


def test_retelling_without_a_request_lifts_no_tombstone(cast: Cast) -> None:
    fact = "My sister Ana lives in Porto with two cats."
    told(cast, f"Remember: {fact}")
    (one,) = ids(cast, "active")
    changes.forget(cast.agent, one)
    event = told(cast, fact, session="later")
    assert ids(cast, "active") == [], lines(event)


def texts(cast: Cast) -> list[str]:
    with tenant_scope(cast.agent):
        return list(Message.objects.values_list("text", flat=True))


@pytest.mark.parametrize(
    ("said", "kept", "secret"),
    [
        ("Remember that I work at Acme but don't store my salary of 90000", "I work at Acme", "90000"),
        ("Remember that I like tea, and don't save my employer Globex.", "I like tea", "Globex"),
        ("记住我养了一只猫，名字就不要记了", "我养了一只猫", "名字"),
        (
            "Remember that I work at Acme but don’t store my salary of 90.000 or my bonus of 5000",
            "I work at Acme",
            "000",
        ),
        ("Remember that I work at Acme - don't store my salary of 90000", "I work at Acme", "90000"),
        ("Remember that I work at Acme but keep my salary of 90000 out of it", "I work at Acme", "90000"),
        ("Remember that I have a cat, but leave out its name Whiskers", "I have a cat", "Whiskers"),
        ("记住我养了一只猫（名字咪咪不用记）", "我养了一只猫", "咪咪"),
        ("记住我在阿里上班，至于我的工资是每个月九万块钱这件事就不要记了", "我在阿里上班", "九万"),
    ],
)
def test_what_a_request_leaves_out_stands_in_no_item(
    cast: Cast, llm: LLMStub, said: str, kept: str, secret: str
) -> None:
    llm.default = [add(said.removeprefix("Remember that ").removeprefix("记住"), said)]
    event = talked(cast, Incoming("user", said))
    with tenant_scope(cast.agent):
        items = list(MemoryItem.objects.values_list("status", "content", "evidence__quote"))
    assert lines(event) == [("pending", "perhaps_unwanted")]
    assert [(status, content) for status, content, _ in items] == [("pending", kept)]
    assert all(secret not in quote for _, _, quote in items)


@pytest.mark.parametrize(
    ("said", "written", "secret"),
    [
        ("Remember that I work at Acme but don't store my salary of 90000", "User earns 90000 at Acme", "90000"),
        ("Remember that I work at Acme but don't store my salary of 90000", "User's salary is 90000", "salary"),
        ("记住我养了一只猫（名字咪咪不用记）", "用户养了一只叫咪咪的猫", "咪咪"),
        (
            "Remember that I like tea but never store my salary of 90000",
            "I like tea but never store my salary of 90000",
            "90000",
        ),
        ("Remember that I like tea, but never save my employer Globex.", "User works at Globex", "Globex"),
    ],
)
def test_what_a_request_leaves_out_is_not_kept_in_other_words(
    cast: Cast, llm: LLMStub, said: str, written: str, secret: str
) -> None:
    llm.default = [add(written, said)]
    talked(cast, Incoming("user", said))
    with tenant_scope(cast.agent):
        facts = MemoryItem.objects.exclude(kind="instruction").values_list("content", flat=True)
        assert not [content for content in facts if secret in content]


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Remember that I like tea and don't keep milk at home", "milk"),
        ("Remember that I pay cash and don't keep receipts", "receipts"),
    ],
)
def test_a_habit_of_not_keeping_is_a_fact(cast: Cast, said: str, kept: str) -> None:
    event = told(cast, said)
    assert "perhaps_unwanted" not in [reason for _, reason in lines(event)]
    with tenant_scope(cast.agent):
        assert MemoryItem.objects.filter(status="active", content__contains=kept).exists()


OFFERS = [
    ("我去年做过一次手术，胆囊切了。", "听起来不好受。需要我记下来吗？", "不用了", "要的，记下来吧"),
    ("I am vegetarian and live in Berlin.", "Would you like me to remember that?", "no thanks", "yes please"),
]


@pytest.mark.parametrize("calls", [1, 2, 3], ids=["offer with the fact", "offer with the answer", "each by itself"])
@pytest.mark.parametrize(("fact", "offer", "no", "yes"), OFFERS)
@pytest.mark.parametrize("late", [False, True], ids=["before it was judged", "after"])
def test_a_no_to_an_offer_holds_however_the_messages_are_sent(
    cast: Cast, fact: str, offer: str, no: str, yes: str, calls: int, late: bool
) -> None:
    for batch in sent(calls, fact, offer, no):
        event = accept(cast.agent, "alice", batch, session="s")
        if late:
            finish(cast.agent, event)
    finish(cast.agent, event)
    assert ids(cast, "active", "pending") == [] and fact not in texts(cast)


@pytest.mark.parametrize("calls", [1, 2, 3], ids=["offer with the fact", "offer with the answer", "each by itself"])
@pytest.mark.parametrize(("fact", "offer", "no", "yes"), OFFERS)
def test_a_yes_to_an_offer_holds_however_the_messages_are_sent(
    cast: Cast, fact: str, offer: str, no: str, yes: str, calls: int
) -> None:
    for batch in sent(calls, fact, offer, yes):
        event = accept(cast.agent, "alice", batch, session="s")
    finish(cast.agent, event)
    assert ids(cast, "active")


def test_a_no_to_another_question_takes_nothing_back(cast: Cast) -> None:
    for batch in sent(2, "Remember that I am allergic to peanuts", "Noted. Should I keep it short?", "no thanks"):
        event = accept(cast.agent, "alice", batch, session="s")
        finish(cast.agent, event)
    assert len(ids(cast, "active")) == 1


def sent(calls: int, fact: str, offer: str, answer: str) -> list[list[Incoming]]:
    """A fact, an offer and an answer, in so many calls."""
    told, offered, said = Incoming("user", fact), Incoming("assistant", offer), Incoming("user", answer)
    return {1: [[told, offered], [said]], 2: [[told], [offered, said]], 3: [[told], [offered], [said]]}[calls]
