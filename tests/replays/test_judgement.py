"""Replays of bad or careless answers of a judge: what it may do, what it may not, and what is never silent."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.services import vectors
from tests.llm_stub import Failure, HalfJSON, Literal, LLMStub, Scripted
from tests.replays.door import Door, add, reasons

HOBBIES = [
    *("I row on Sundays", "I collect old keys", "I bake rye bread", "I teach Latin", "I keep two ferrets"),
    *("我每周日划船", "我收集老钥匙", "我会做黑麦面包", "我在合唱团唱歌", "我养了两只雪貂"),
]


def cued(fact: str) -> str:
    return f"{'Remember: ' if fact.isascii() else '记住：'}{fact}"


@pytest.mark.parametrize("fact", HOBBIES)
def test_an_id_that_was_not_shown_loses_its_own_operation_only(door: Door, judge: LLMStub, fact: str) -> None:  # 13
    shown = ["喜欢爬山", "Likes jazz", "在码头上班", "Speaks Danish", "对花粉过敏"]
    for text in shown:
        door.keep("mia", text)
    unknown = ["15", 15, -1, "mem_0190b3f400007000800000000000beef", "第三条"]
    updates = [{"op": "UPDATE", "id": named, "text": "x y z"} for named in unknown]
    judge.answer([*updates, {"op": "DELETE", "id": "15"}, {"op": "ADD", "text": fact}])
    event = door.told("mia", fact)
    assert reasons(event) == ["unknown_id"] * 6
    assert len(event["added"]) == 1
    assert door.listed("mia") == sorted([*shown, fact])


@pytest.mark.parametrize("fact", HOBBIES)
def test_an_id_of_another_person_is_refused_and_that_memory_stays(
    door: Door, charlie: Door, judge: LLMStub, fact: str
) -> None:  # 14
    theirs = [door.keep("bob", "Bob plays the oboe"), charlie.keep("alice", "查理吹双簧管")]
    targets = [name for item in theirs for name in (item, item.removeprefix("mem_"))]
    updates = [{"action": "UPDATE", "target_id": name, "content": "x y z", "confidence": 1} for name in targets]
    deletes = [{"action": "DELETE", "target_id": name, "confidence": 1, "quote": fact} for name in targets]
    judge.answer([*updates, *deletes, add(fact)])
    event = door.told("alice", cued(fact))
    assert reasons(event) == ["unknown_id"] * 8
    assert (door.listed("bob"), charlie.listed("alice")) == (["Bob plays the oboe"], ["查理吹双簧管"])
    assert [row["version"] for row in door.rows("bob") + charlie.rows("alice")] == [1, 1]
    assert door.listed("alice") == [fact]


def thinking(fact: str) -> str:
    """An answer with a thought in front, words around it, a fence and a broken escape."""
    broken = "\\u" + "ZZZZ"
    operation = f'{{"op":"ADD","text":"{fact}{broken}","quote":"{fact}"}}'
    return f'<think>{{"a": [1}}</think>\nHere it is 给您：\n```json\n{{"memory":[{operation}]}}\n```\nanything else?'


@pytest.mark.parametrize("fact", HOBBIES)
def test_an_answer_in_wrappings_is_read_or_asked_for_again(door: Door, judge: LLMStub, fact: str) -> None:  # 18 first
    judge.answer(thinking(fact), [add(fact)])
    event = door.told("mia", fact)
    assert (event["status"], len(event["added"])) == ("succeeded", 1)
    assert door.listed("mia")[0].startswith(fact)


NOTHING = [
    *(
        "There is nothing worth keeping here.",
        "No durable facts.",
        "NONE",
        "I found no memories {to store}.",
        "Nothing new",
    ),
    *("这段对话里没有值得记住的东西。", "没有需要记忆的内容", "无", "未发现{新的}记忆。", "没有新的信息，不用记。"),
]
CUT = [
    *('{"operations": [{"action": "ADD", "content": "I ke', '{"operations": [', '[{"op": "ADD", "text": "two fer'),
    *('```json\n{"memory": [{"op": "ADD"', '<think>ferrets</think>{"operations": [{"action": "ADD", "conf'),
    *(
        '{"operations": [{"action": "ADD", "content": "我养',
        '{"operations": [{"动作"',
        '好的：[{"op": "ADD", "text": "两只',
    ),
    *('```json\n{"memory": [{"op": "ADD", "text": "雪', '<think>雪貂</think>{"operations": [{"action": "ADD", "置信'),
]


@pytest.mark.parametrize("answer", NOTHING)
def test_an_answer_in_words_that_says_nothing_is_nothing_and_says_so(
    door: Door, judge: LLMStub, answer: str
) -> None:  # 18 second
    judge.answer(*[answer] * 6)
    event = door.told("mia", "I keep two ferrets at home these days.", times=3)
    told = (event["status"], reasons(event), reasons(event, "failed"))
    assert told in (("succeeded", ["nothing_durable"], []), ("failed", [], ["llm_parse"]))
    assert door.listed("mia") == []


@pytest.mark.parametrize("answer", CUT)
def test_an_answer_that_is_cut_off_is_asked_for_again_and_fails_visibly(
    door: Door, judge: LLMStub, answer: str
) -> None:  # 18 third
    judge.answer(*[answer] * 8)
    event = door.told("mia", "I keep two ferrets at home these days.", times=3)
    assert (event["status"], reasons(event, "failed")) == ("failed", ["llm_parse"])
    assert len(judge.requests) > 1
    assert door.listed("mia") == []


@pytest.mark.parametrize(
    ("says", "words"),
    [
        (("I steer a {}", "My brother repairs the old {}", "We own a small {}"), ("crane", "ferry", "barge")),
        (("My aunt grows {}", "I am allergic to {}", "We sell dried {}"), ("quinces", "hazelnuts", "plums")),
        (("I speak fluent {}", "My wife teaches {}", "Our son studies {}"), ("Danish", "Basque", "Welsh")),
        (("I was born in {}", "My office is in {}", "My sister lives in {}"), ("Ghent", "Turku", "Gdansk")),
        (("I play the {}", "My father builds {} cases", "We rent a {}"), ("viola", "mandolin", "harmonium")),
        (("我会开{}", "我弟弟修旧{}", "我们有一条小{}"), ("起重机", "渡轮", "驳船")),
        (("我姑姑种{}", "我对{}过敏", "我们家卖{}"), ("榅桲", "榛子", "李子干")),
        (("我会说{}", "我妻子教{}", "我们儿子学{}"), ("丹麦语", "闽南语", "藏语")),
        (("我出生在{}", "我的办公室在{}", "我妹妹住在{}"), ("绍兴", "喀什", "威海")),
        (("我会弹{}", "我父亲做{}琴盒", "我们租了一台{}"), ("琵琶", "三弦", "风琴")),
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
            "我女儿叫许知夏，她的乌龟叫慢慢",
            "The user's daughter Xu Zhixia has a turtle named Manman",
            ("许知夏", "慢慢"),
        ),
        ("我在听松茶馆学古琴，老师姓钮", "The user learns guqin at Tingsong Teahouse from Niu", ("听松茶馆", "钮")),
        (
            "我妈妈最爱吃定胜糕，住在南浔",
            "The user's mother loves Dingsheng cakes and lives in Nanxun",
            ("定胜糕", "南浔"),
        ),
        (
            "我和梁小棠合开了一家书店叫半页",
            "The user runs a bookshop, Half Page, with Liang Xiaotang",
            ("梁小棠", "半页"),
        ),
        (
            "Every morning I run along the canal with Biscuit, my dog, and my neighbour Oona Brandt",
            "每天早上和狗饼干沿运河跑步，邻居是奥娜",
            ("Biscuit", "Oona Brandt"),
        ),
        ("My daughter Wren has a tortoise called Tank", "用户的女儿雷恩有一只叫坦克的乌龟", ("Wren", "Tank")),
        ("I learn the harp at Harrow House with Ms Quill", "用户在哈罗屋跟奎尔老师学竖琴", ("Harrow House", "Quill")),
        ("My mother lives in Whitby and loves parkin", "用户的母亲住在惠特比，爱吃姜饼", ("Whitby", "parkin")),
        (
            "I run a bookshop called Half Page with Tamsin Rook",
            "用户和塔姆辛合开书店半页",
            ("Half Page", "Tamsin Rook"),
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


@pytest.mark.parametrize("fact", HOBBIES)
def test_what_was_forgotten_can_be_said_again_in_a_new_turn(door: Door, fact: str) -> None:  # 26
    door.told("mia", cued(fact), session_id="one")
    (row,) = door.rows("mia")
    door.good("DELETE", f"memories/{row['id']}")
    assert door.listed("mia") == []
    event = door.told("mia", cued(fact), session_id="two")
    assert len(event["added"]) == 1
    assert door.listed("mia") == [fact]


@pytest.mark.parametrize(
    "broken", [Failure(503), Failure(500), Failure(429, retry_after=1), HalfJSON(), Literal("<html>")]
)
@pytest.mark.parametrize("fact", ["I play the cello", "我会拉大提琴"])
def test_a_write_that_broke_off_names_its_step_and_is_finished_once_when_sent_again(
    door: Door, judge: LLMStub, fact: str, broken: Scripted
) -> None:  # 26
    judge.answer(*[broken] * 2)
    message = {"role": "user", "content": cued(fact), "id": "m1"}
    event = door.send("mia", message)
    assert door.work(event)["status"] == "pending"
    again = door.send("mia", message)
    judge.forget_script()
    judge.answer([add(fact)])
    assert len(door.work(event)["added"]) == 1
    assert reasons(door.good("GET", f"events/{again}")) == ["duplicate"]
    assert door.listed("mia") == [fact]


BAD_VECTORS: list[Any] = [
    {"object": "list", "data": []},
    {"object": "list", "data": [{"index": 0, "embedding": [0, 0, 0, 0]}]},
    {"object": "list", "data": [{"index": 0, "embedding": ["x"]}]},
    {"object": "list", "data": [{"index": 0, "embedding": []}]},
    {"object": "list", "data": [{"index": 0, "embedding": [0.5, None, 0.5, 0.5]}]},
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
