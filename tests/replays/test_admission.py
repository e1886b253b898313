"""Replays of what other memory servers kept and should not have (or lost and should have kept)."""

from __future__ import annotations

import pytest

from tests.llm_stub import LLMStub
from tests.replays.door import Door, add, reasons, turn, user


@pytest.mark.parametrize(
    "talk",
    [
        [
            turn("system", "You are a travel desk agent with the tools book and cancel."),
            user("hi"),
            turn("assistant", "Hello!"),
        ],
        [
            turn("system", "你是银行客服，回答要简短，可用工具：查询、转账。"),
            user("在吗"),
            turn("assistant", "在的，请讲。"),
        ],
    ],
    ids=["en", "zh"],
)
def test_a_system_prompt_sent_again_and_again_never_becomes_a_memory(
    door: Door, judge: LLMStub, talk: list[dict[str, str]]
) -> None:  # 1
    for n in range(20):
        event = door.told("mia", *talk, session_id=f"talk {n}")
        assert (event["status"], bool(event["skipped"])) == ("succeeded", True)
    assert door.listed("mia") == door.listed("mia", "&status=pending") == []
    asked = len(judge.requests)
    assert reasons(door.told("mia", talk[0], session_id="system only")) in (["no_user_text"], ["noise.boot"])
    assert len(judge.requests) == asked


@pytest.mark.parametrize(
    ("fact", "question"),
    [("Is allergic to walnuts", "What can I bake today?"), ("对芒果过敏", "今天烤点什么好？")],
)
def test_our_own_block_inside_a_conversation_is_not_learnt_again(door: Door, fact: str, question: str) -> None:  # 3
    door.keep("mia", fact)
    block = door.context("mia", question)
    assert fact in block
    for n in range(6):
        door.told("mia", turn("system", f"Known:\n{block}"), user(f"{block}\n{question}"), session_id=f"{n}")
        door.told("mia", user(f"记住：{block}"), session_id=f"cue {n}")
    assert door.listed("mia") == [fact]
    assert door.listed("mia", "&status=pending,archived,superseded") == []


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_conversation_sent_again_leaves_the_same_rows(door: Door, language: str) -> None:  # 4
    says = {"en": "Remember: shelf {} holds maps", "zh": "记住：{}号书架放地图"}[language]

    def talk(ids: str) -> list[dict[str, object]]:
        turns: list[dict[str, object]] = []
        for n in range(15):
            turns.append(user(says.format(n), id=f"{ids}-{n}-u"))
            turns.append(turn("assistant", f"Noted, {n}.", id=f"{ids}-{n}-a"))
        return turns

    door.told("mia", *talk("first"))
    kept = {row["id"] for row in door.rows("mia")}
    assert len(kept) == 15
    for ids in ("first", "first", "second"):
        event = door.told("mia", *talk(ids))
        assert set(reasons(event)) == {"duplicate"}
    assert {row["id"] for row in door.rows("mia")} == kept


@pytest.mark.parametrize("filler", ["I walked the dog again. ", "今天又去遛狗了。"])
def test_a_giant_turn_is_refused_or_cut_with_a_notice(door: Door, judge: LLMStub, filler: str) -> None:  # 11
    giant = filler * (60_000 // len(filler))
    refused = door.call("POST", "memories", {"user_id": "mia", "messages": [user(giant)]})
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")
    event = door.told("mia", user("I moved to Lisbon last week. Could you summarise this?"), turn("tool", giant))
    assert event["warnings"] == [{"reason": "truncated"}]
    assert max(len(prompt) for prompt in judge.prompts()) < 30_000


@pytest.mark.parametrize("said", ["嗯嗯，好嘞", "明白，马上办", "ok, got it", "Thanks, that works!"])
def test_filler_leaves_nothing(door: Door, said: str) -> None:  # 12 a
    door.told("mia", said)
    assert door.listed("mia") == door.listed("mia", "&status=pending") == []


@pytest.mark.parametrize(
    "sentence",
    [
        "我们在做一个旧城地图的网站，收集老照片并标出当年的街道和商铺。",
        "We build a site that shows old photographs on a map of the town. ",
    ],
)
def test_long_prose_is_no_dump(door: Door, judge: LLMStub, sentence: str) -> None:  # 12 b
    prose = (sentence * 60)[:900].rsplit("。" if "。" in sentence else ".", 1)[0]
    fact = sentence.strip().rstrip("。.")
    judge.answer([add(fact)])
    event = door.told("mia", prose)
    assert len(event["added"]) == 1, event
    assert not any("dump" in reason for reason in reasons(event))


@pytest.mark.parametrize(
    "said", ["后台口令：Vk7" + "#mQ2z9", "记住 WiFi 密码是 Lp4" + "!rT8wq", "admin password: Zt6" + "$hN3vb"]
)
def test_a_secret_with_its_label_is_stopped_in_either_language(door: Door, said: str) -> None:  # 12 c
    event = door.told("mia", said)
    assert any(reason.startswith("secret") for reason in reasons(event))
    assert door.listed("mia") == door.listed("mia", "&status=pending") == []
    refused = door.call("POST", "memories", {"user_id": "mia", "content": said})
    assert (refused.status_code, refused.json()["code"]) == (422, "guard_refused")
