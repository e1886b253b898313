"""Replays of bad or careless answers of a judge: what it may do, what it may not, and what is never silent."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.services import vectors
from tests.llm_stub import Failure, Literal, LLMStub
from tests.replays.door import Door, add, reasons


@pytest.mark.parametrize("said", ["Remember: I row on Sundays", "记住：我每周日划船"])
def test_an_id_of_another_person_is_refused_and_that_memory_stays(
    door: Door, charlie: Door, judge: LLMStub, said: str
) -> None:  # 14
    theirs = [door.keep("bob", "Bob plays the oboe"), charlie.keep("alice", "查理吹双簧管")]
    for target in [item for mine in theirs for item in (mine, mine.removeprefix("mem_"))]:
        fact = said.split(": ")[-1].removeprefix("记住：")
        judge.answer([{"action": "UPDATE", "target_id": target, "content": "x y z", "confidence": 1}, add(fact)])
        event = door.told("alice", said, session_id=target)
        assert "unknown_id" in reasons(event) + reasons(event, "failed")
    assert (door.listed("bob"), charlie.listed("alice")) == (["Bob plays the oboe"], ["查理吹双簧管"])
    assert [row["version"] for row in door.rows("bob") + charlie.rows("alice")] == [1, 1]
    assert len(door.listed("alice")) == 1


CHANGES = [
    (
        "I teach at the Elm Street school",
        "I moved to the harbour school last month",
        "Teaches at the harbour school",
        "Which school do I teach at?",
    ),
    ("我在临江书店上班", "我上个月换到山下的咖啡馆上班了", "在山下的咖啡馆上班", "我在哪上班？"),
    ("I am a vegan", "I had cheese and liked it, I am no vegan any more", "Is no vegan any more", "Am I a vegan?"),
    ("我不喝酒", "我昨天喝了黄酒，以后会喝一点", "现在会喝一点黄酒", "我喝酒吗？"),
]


@pytest.mark.parametrize(("old", "said", "new", "question"), CHANGES)
def test_of_two_statements_that_contradict_one_is_current_and_one_is_history(
    door: Door, judge: LLMStub, old: str, said: str, new: str, question: str
) -> None:  # 17
    judge.answer([add(old)])
    door.told("mia", f"{'记住：' if old[0] > 'z' else 'Remember: '}{old}", session_id="then")
    judge.answer([{**add(new, said), "action": "UPDATE", "target_id": 0}])
    event = door.told("mia", said, session_id="now")
    assert event["status"] == "succeeded"
    assert door.listed("mia") == [new]
    assert door.found("mia", question)[:1] == [new]
    assert old not in door.context("mia", question)
    (item,) = door.rows("mia")
    history = [v["content"] for v in door.good("GET", f"memories/{item['id']}/history")["results"]]
    assert old in history + door.listed("mia", "&status=superseded")


def thinking(fact: str) -> str:
    """An answer with a thought in front, words around it, a fence and a broken escape."""
    broken = "\\u" + "ZZZZ"
    operation = f'{{"op":"ADD","text":"{fact}{broken}","quote":"{fact}"}}'
    return f'<think>{{"a": [1}}</think>\nHere it is 给您：\n```json\n{{"memory":[{operation}]}}\n```\nanything else?'


@pytest.mark.parametrize("fact", ["I keep two ferrets", "我养了两只雪貂"])
def test_an_answer_in_wrappings_is_read_or_asked_for_again(door: Door, judge: LLMStub, fact: str) -> None:  # 18 first
    judge.answer(thinking(fact), [add(fact)])
    event = door.told("mia", fact)
    assert (event["status"], len(event["added"])) == ("succeeded", 1)
    assert door.listed("mia")[0].startswith(fact)


@pytest.mark.parametrize(
    "answer",
    [
        "There is nothing worth keeping here.",
        "这段对话里没有值得记住的东西。",
        '{"operations": [{"action": "ADD", "content": "I ke',
    ],
)
def test_an_answer_that_cannot_be_read_is_never_a_silent_success(
    door: Door, judge: LLMStub, answer: str
) -> None:  # 18 second, third
    judge.answer(*[answer] * 6)
    event = door.told("mia", "I keep two ferrets at home these days.", times=3)
    silent = event["status"] == "succeeded" and not (event["skipped"] or event["failed"])
    assert not silent
    if answer.startswith("{"):
        assert (event["status"], reasons(event, "failed")) == ("failed", ["llm_parse"])
    assert door.listed("mia") == []


@pytest.mark.parametrize(
    ("says", "words"),
    [
        (("I steer a {}", "My brother repairs the old {}", "We own a small {}"), ("crane", "ferry", "barge")),
        (("我会开{}", "我弟弟修旧{}", "我们有一条小{}"), ("起重机", "渡轮", "驳船")),
    ],
)
def test_an_item_whose_embedding_fails_is_kept_found_by_words_and_embedded_later(
    door: Door, judge: LLMStub, embedder: LLMStub, says: tuple[str, ...], words: tuple[str, ...]
) -> None:  # 20
    facts = [says.format(word) for says, word in zip(says, words, strict=True)]
    embedder.failing_texts = {words[1]}
    judge.answer([add(fact) for fact in facts])
    event = door.told("mia", ". ".join(facts))
    assert len(event["added"]) == 3
    (warning,) = event["warnings"]
    assert (warning["reason"], warning["retrying"]) == ("embedding", True)
    assert facts[1] in door.found("mia", words[1])
    embedder.failing_texts = set()
    assert vectors.sync_vectors(door.cast.agent.tenant_id) == 1
    assert facts[1] in door.found("mia", facts[1])
    assert vectors.sync_vectors(door.cast.agent.tenant_id) == 0


@pytest.mark.parametrize(
    ("said", "translated", "names"),
    [
        (
            "我每天早上和豆包（我家的狗）去护城河边跑步，常遇到邻居沈一舟",
            "Runs by the moat every morning with the dog Doubao, often meets Shen Yizhou",
            ("豆包", "沈一舟"),
        ),
        (
            "Every morning I run along the canal with Biscuit, my dog, and my neighbour Oona Brandt",
            "每天早上和狗饼干沿运河跑步，邻居是奥娜",
            ("Biscuit", "Oona Brandt"),
        ),
    ],
)
def test_what_is_kept_stays_in_the_language_and_names_it_was_said_in(
    door: Door, judge: LLMStub, said: str, translated: str, names: tuple[str, str]
) -> None:  # 22
    judge.answer(*[[add(translated, said)]] * 4)
    door.told("mia", said, times=2)
    everything = door.listed("mia") + door.listed("mia", "&status=pending")
    assert everything
    assert translated not in everything
    assert all(name in everything[0] for name in names)


@pytest.mark.parametrize("fact", ["I play the cello", "我会拉大提琴"])
def test_what_was_forgotten_can_be_said_again_in_a_new_turn(door: Door, fact: str) -> None:  # 26
    cue = "Remember: " if fact.isascii() else "记住："
    door.told("mia", f"{cue}{fact}", session_id="one")
    (row,) = door.rows("mia")
    door.good("DELETE", f"memories/{row['id']}")
    assert door.listed("mia") == []
    event = door.told("mia", f"{cue}{fact}", session_id="two")
    assert len(event["added"]) == 1
    assert door.listed("mia") == [fact]


def test_a_write_that_broke_off_names_its_step_and_is_finished_once_when_sent_again(
    door: Door, judge: LLMStub
) -> None:  # 26
    judge.answer(Failure(503))
    event = door.send("mia", {"role": "user", "content": "记住：我会拉大提琴", "id": "m1"})
    assert door.work(event)["status"] == "pending"
    again = door.send("mia", {"role": "user", "content": "记住：我会拉大提琴", "id": "m1"})
    judge.answer([add("我会拉大提琴")])
    assert len(door.work(event)["added"]) == 1
    assert reasons(door.good("GET", f"events/{again}")) == ["duplicate"]
    assert door.listed("mia") == ["我会拉大提琴"]


BAD_VECTORS: list[Any] = [
    {"object": "list", "data": []},
    {"object": "list", "data": [{"index": 0, "embedding": [0, 0, 0, 0]}]},
    {"object": "list", "data": [{"index": 0, "embedding": ["x"]}]},
]


@pytest.mark.parametrize("bad", BAD_VECTORS)
@pytest.mark.parametrize("fact", ["My boat is called Petrel", "我的船叫海燕"])
def test_a_vector_that_is_none_is_told_and_no_one_elses_row_answers_for_it(
    door: Door, judge: LLMStub, embedder: LLMStub, bad: Any, fact: str
) -> None:  # 67
    door.keep("bob", "Bob's boat is called Osprey 鱼鹰")
    embedder.embedding_failures.extend([Literal(bad)])
    judge.answer([add(fact)])
    event = door.told("mia", fact)
    assert [w["reason"] for w in event["warnings"]] == ["embedding"]
    for query in (fact, "boat", "船"):
        assert set(door.found("mia", query)) <= {fact}
    assert door.found("mia", fact) == [fact]


@pytest.mark.parametrize(
    ("first", "second"),
    [("I take the window desk", "I take the desk by the door"), ("我坐靠窗的桌子", "我坐靠门的桌子")],
)
def test_each_fact_of_a_group_chat_keeps_its_speaker_and_can_be_filtered_by_it(
    door: Door, judge: LLMStub, first: str, second: str
) -> None:  # 68
    judge.answer([add(first), add(second)])
    names = ("Ines", "老郑")
    door.told("team", *({"role": "user", "content": t, "name": n} for t, n in zip((first, second), names, strict=True)))
    told = {row["speaker"]: row["content"] for row in door.rows("team")}
    assert set(told) == set(names)
    assert all(name in told[name] for name in names)
    for speaker, fact in told.items():
        assert door.found("team", "desk 桌子", filters={"speaker": speaker}) == [fact]
        assert door.found("team", "desk 桌子", filters={"speaker": {"in": [speaker, "nobody"]}}) == [fact]
    assert door.found("team", "desk 桌子", filters={"speaker": "nobody"}) == []
