"""Replays of searches that found nothing, too much, or an error."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings

from memoryapp.providers import registry
from memoryapp.services import housekeeping, vectors
from tests.llm_stub import LLMStub
from tests.replays.door import Door

LIBRARY = (
    "我最爱点杨枝甘露和蟹粉小笼",
    "阿沅住在泉州，有只鹦鹉叫豆沙",
    "每季度要核对供应商发票",
    "回收站定时清空任务被防火墙拦下",
    "发布 canary 之前先跑 check_quota.py 再同步索引库",
    "托盘图标闪退：fork后的sigchld被吞掉",
    "采购单 PO-2027/03-088 已签收",
    "The quarterly invoice run is on the 3rd",
    "Run rotate_logs.sh before deploying to the edge nodes",
)


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("蟹粉小笼", 0),
        ("豆沙", 1),
        ("泉州", 1),
        ("供应商发票", 2),
        ("供应商 发票", 2),
        ("核 对 供应商 发票", 2),
        ("防火墙拦下清空任务", 3),
        ("防火墙 拦下 清空 任务", 3),
        ("索引库", 4),
        ("check_quota.py", 4),
        ("check_quota", 4),
        ("canary", 4),
        ("sigchld", 5),
        ("fork", 5),
        ("托盘", 5),
        ("PO-2027/03-088", 6),
        ("po-2027/03-088", 6),
        ("invoice", 7),
        ("rotate_logs.sh", 8),
        ("rotate_logs", 8),
        ("edge nodes", 8),
    ],
)
def test_words_alone_find_chinese_english_and_what_is_glued_together(
    door: Door, words_only: LLMStub, query: str, line: int
) -> None:  # 33, 34, 36
    for text in LIBRARY:
        door.keep("mia", text)
    assert door.found("mia", query)[0] == LIBRARY[line]


@pytest.mark.parametrize(
    "person",
    [
        *("team-a/user_1", "a b+c%20?&#'\"\\", "x@y.example", "AND-OR|NOT", "uid:7/8-9"),
        *("组:甲/成员-2", "研发部/小何", "用户（一）", "甲-乙_丙", "店员 #3/夜班"),
    ],
)
def test_ids_with_slashes_hyphens_and_quotes_are_only_names(door: Door, person: str) -> None:  # 37
    door.keep(person, "Ticket OPS-2027/01-5 waits for a part")
    door.keep(person, "工单 运维-2027/01-6 等零件", scope="a-b/c_d")
    for query in ("OPS-2027/01-5", "运维-2027/01-6"):
        assert any(query in text for text in door.found(person, query))
    assert "运维-2027/01-6" in door.found(person, "part 零件", scope="a-b/c_d")[0]
    assert len(door.found(person, "part 零件", filters={"scope": {"in": ["a-b/c_d", "x'y"]}})) == 1


@pytest.mark.parametrize(
    "query",
    [
        "AND OR NOT",
        "not (and) or:",
        "NEAR/3 -x",
        "!!!",
        "？！。、",
        "%_\\'",
        "' OR 1=1 --",
        ":* & | ! <->",
        '{"a":[',
        "\u200b",
        "🦜",
        "x" * 8000,
        "的了吗" * 500,
        "与 或 非",
        "（）【】《》“”……——",
        "％＿＼＇",
        "且 OR 非 (",
    ],
)
def test_operators_and_punctuation_are_text(door: Door, query: str) -> None:  # 38
    door.keep("mia", "Likes tea and not coffee")
    answer = door.call("POST", "memories/search", {"user_id": "mia", "query": query})
    assert answer.status_code in (200, 400), answer.content
    if not any(c.isalnum() for c in query) and query.strip("\u200b"):
        assert (answer.status_code, answer.json()["results"]) == (200, [])


@pytest.mark.parametrize("query", ["", " ", "\n\t", "\u3000"])
def test_an_empty_query_is_refused(door: Door, query: str) -> None:  # 38
    assert door.call("POST", "memories/search", {"user_id": "mia", "query": query}).status_code == 400


@pytest.mark.parametrize(
    ("same", "near", "far"),
    [
        ("Plays the viola in a quartet", "Practises viola scales daily", "The boiler was serviced in May"),
        ("Rides a cargo bike to work", "Repairs bikes on weekends", "Aunt Vera moved to Malta"),
        ("Is allergic to hazelnuts", "Avoids nuts of any kind", "The lease ends in June"),
        ("Grows tomatoes on the roof", "Waters the roof garden daily", "Failed the driving test twice"),
        ("Writes crime novels at night", "Reads crime novels in bed", "The printer is out of toner"),
        ("在四重奏里拉中提琴", "每天练中提琴音阶", "锅炉五月份保养过"),
        ("骑货运自行车上班", "周末修自行车", "薇拉姨妈搬去了马耳他"),
        ("对榛子过敏", "不吃任何坚果", "租约六月到期"),
        ("在屋顶种番茄", "每天给屋顶菜园浇水", "驾照考了两次没过"),
        ("晚上写侦探小说", "睡前读侦探小说", "打印机没墨粉了"),
    ],
)
def test_the_same_text_scores_about_one_scores_fall_and_the_unrelated_stay_low(
    door: Door, same: str, near: str, far: str
) -> None:  # 40
    for text in (far, near, same):
        door.keep("mia", text)
    vectors.sync_vectors(door.cast.agent.tenant_id)
    hits = door.hits("mia", same, explain=True)
    scores = [hit["score"] for hit in hits]
    assert hits[0]["content"] == same
    assert scores[0] == pytest.approx(1, abs=0.02)
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    assert far not in door.found("mia", same, threshold=0.5)


@pytest.mark.parametrize(
    "filters",
    [
        {"kind": "preference", "no_such": 1},
        {"AND": [{"kind": "preference"}, {"类型": "x"}]},
        {"NOT": {"metadata": {"a": 1}}},
        {"kind": {"like": "p%"}},
        {"tenant_id": "x"},
        {"space__key": "bob"},
        {"类别": "preference"},
        {"kind": "preference", "用户": "mia"},
        {"OR": [{"speaker": "老郑"}, {"来源": "微信"}]},
        {"NOT": {"标签": {"in": ["茶"]}}},
        {"speaker": {"包含": "郑"}},
    ],
)
def test_a_filter_that_is_not_known_is_refused_and_never_ignored(door: Door, filters: dict[str, Any]) -> None:  # 43
    door.keep("mia", "Likes tea 喜欢茶")
    answer = door.call("POST", "memories/search", {"user_id": "mia", "query": "tea 茶", "filters": filters})
    assert (answer.status_code, answer.json()["code"]) == (400, "unknown_filter")


@pytest.mark.parametrize("same_name", [False, True], ids=["another model", "the same name, other dimensions"])
def test_another_embedding_model_neither_breaks_search_nor_loses_a_row(
    door: Door, embedder: LLMStub, monkeypatch: pytest.MonkeyPatch, same_name: bool
) -> None:  # 44
    texts = (
        *(
            "Keeps bees on the roof",
            "Sails on Sundays",
            "Owns a red kayak",
            "Teaches Latin",
            "Is allergic to hazelnuts",
        ),
        *("在屋顶养蜜蜂", "每周日出海", "有一只红皮艇", "教拉丁文", "对榛子过敏"),
    )
    for text in texts:
        door.keep("mia", text)
    assert vectors.sync_vectors(door.cast.agent.tenant_id) == 10
    embedder.dimensions = 12
    if not same_name:
        monkeypatch.setattr(settings.MEMORYAPP, "embedding_model", "stub-embedder-2")
    registry.reset()
    door.keep("mia", "A third one 第三条")
    vectors.sync_vectors(door.cast.agent.tenant_id)
    for text in texts:
        assert text in door.found("mia", text)
        assert text in door.context("mia", text)
    assert vectors.foreign(door.cast.agent.tenant_id) == 10
    housekeeping.clean(door.cast.agent.tenant_id)
    assert vectors.sync_vectors(door.cast.agent.tenant_id) == 10
    assert vectors.foreign(door.cast.agent.tenant_id) == 0
    hits = door.hits("mia", texts[5], explain=True)
    assert hits[0]["content"] == texts[5]
    assert hits[0]["scores"]["meaning"] == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize("path", ["memories/search", "context"])
def test_a_question_without_a_person_is_refused(door: Door, path: str) -> None:  # 65
    door.keep("mia", "Likes tea")
    door.keep("bob", "喜欢茶")
    queries = ("tea", "Likes tea", "everything", "*", "who?", "茶", "喜欢茶", "所有记忆", "全部", "谁？")
    for body in ({"query": query, **nobody} for query in queries for nobody in ({}, {"user_id": ""})):
        answer = door.call("POST", path, body)
        assert (answer.status_code, answer.json()["code"]) == (400, "user_required")
    assert door.call("POST", path, {"query": "tea", "user_id": None}).status_code == 400
    assert door.call("GET", "memories").json()["code"] == "user_required"
