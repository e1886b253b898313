"""Words alone must find Chinese, English, mixed text and identifiers."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memoryapp.retrieval import lexical
from memoryapp.retrieval.english import stem
from memoryapp.retrieval.lexical import LONGEST_TERM, MOST_TERMS, query_terms, terms, words_of_identifiers
from memoryapp.retrieval.own_words import lowered, own_words


def covers(document: str, query: str) -> bool:
    """Whether every term of the query is one of the document's."""
    asked = query_terms(query)
    return bool(asked) and set(asked) <= set(terms(document))


def touches(document: str, query: str) -> bool:
    return bool(set(query_terms(query)) & set(terms(document)))


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("早餐常吃豆浆油条和紫米饭团", "紫米饭团"),
        ("早餐常吃豆浆油条和紫米饭团", "油条"),
        ("小舟住在扬州，狗的名字叫汤圆", "汤圆"),
        ("小舟住在扬州，狗的名字叫汤圆", "扬州"),
        ("负责跨境支付对账系统", "跨境支付对账"),
        ("负责跨境支付对账系统", "跨境 支付 对账"),
        ("发布前先跑 sync_users.py 再清理缓存", "sync_users.py"),
        ("发布前先跑 sync_users.py 再清理缓存", "sync_users"),
        ("发布前先跑 sync_users.py 再清理缓存", "缓存"),
        ("前端白屏：主进程heartbeat的timeoutMs设得太短", "heartbeat"),
        ("前端白屏：主进程heartbeat的timeoutMs设得太短", "timeoutMs"),
        ("前端白屏：主进程heartbeat的timeoutMs设得太短", "timeout"),
        ("变更单 CHG-2025/11-032 已批准", "CHG-2025/11-032"),
        ("变更单 CHG-2025/11-032 已批准", "chg-2025"),
        ("服务叫 billing-gateway-v2", "billing gateway"),
        ("資料庫放在臺灣機房", "台湾机房"),
        ("ＡＢＣ１２３ 型号", "abc123"),
        ("The team deployed libraries twice", "deploying library"),
        ("写 C++ 和 C# 的代码", "C++"),
        ("接口地址 api.example.org:8443/health", "api.example.org"),
    ],
)
def test_a_stored_text_is_found_by_its_words(document: str, query: str) -> None:
    assert covers(document, query)


@pytest.mark.parametrize(
    ("document", "query"),
    [
        ("用户喜欢紫色", "用户住在哪里"),
        ("我的猫很胖", "我的车坏了"),
        ("The user likes tea", "What does the user do?"),
        ("写 C 的代码", "C++"),
    ],
)
def test_words_that_say_nothing_match_nothing(document: str, query: str) -> None:
    assert not touches(document, query)


def test_a_lone_character_is_evidence_only_when_it_is_the_whole_question() -> None:
    assert query_terms("猫") == ("猫",)
    assert covers("我养猫", "猫")
    assert not touches("我养猫", "猫头鹰在哪里出没")
    assert all(len(term) > 1 for term in query_terms("我养猫，猫爱吃鱼，还有一只狗"))


def test_a_question_without_a_topic_has_no_terms() -> None:
    for question in ("who is it", "你是谁", "？！…", "", "  "):
        assert query_terms(question) == ()


def test_terms_are_safe_bounded_and_without_repeats() -> None:
    text = "a\0b 'quote\" \\ back\u200bslash \ud800 " + "x" * 300 + " " + " ".join(f"w{n}" for n in range(3000))
    found = terms(text)
    assert len(found) == len(set(found)) == MOST_TERMS
    assert all(0 < len(term) <= LONGEST_TERM for term in found)
    assert not any(c in term for term in found for c in "\0'\"\\ \n\ud800")


def test_identifiers_are_recognised_whole() -> None:
    text = "见 CHG-2025/11-032，函数 parseUserId 在 user_store.py，版本v1.12，普通 words 2025"
    assert words_of_identifiers(text) == ("chg-2025/11-032", "parseuserid", "user_store.py", "v1.12")


def test_sentence_marks_are_no_part_of_an_identifier() -> None:
    assert words_of_identifiers("Run sync_users.py. Then stop-all:") == ("sync_users.py", "stop-all")


@pytest.mark.parametrize(
    ("word", "root"),
    [
        ("deployed", "deploy"), ("running", "run"), ("hated", "hate"), ("cities", "citi"), ("city", "citi"),
        ("bus", "bus"), ("sing", "sing"), ("classes", "class"), ("agreed", "agree"), ("v1s", "v1s"), ("redis", "redis"),
    ],
)  # fmt: skip
def test_inflection_is_taken_off(word: str, root: str) -> None:
    assert stem(word) in (root, stem(root))


def test_the_dictionary_cache_is_private(tmp_path: Path) -> None:
    lexical.configure(tmp_path / "cache" / "jieba")
    assert stat.S_IMODE((tmp_path / "cache" / "jieba").stat().st_mode) == 0o700
    lexical.warm()
    assert covers("周末去爬黄山", "黄山")


def test_threads_may_share_it() -> None:
    with ThreadPoolExecutor(4) as pool:
        results = set(pool.map(terms, ["杭州的西湖龙井茶 west_lake"] * 20))
    assert len(results) == 1


@pytest.mark.parametrize(
    ("words", "text", "found"),
    [
        (["ion"], "The lion sleeps, an ion does not", ["ion"]),
        (["x1"], "x12 and X1 and 3x1", ["x1"]),
        (["青瓷", "青瓷灯塔"], "青瓷灯塔和青瓷", ["青瓷灯塔", "青瓷"]),
        (["桥头堡", "堡垒"], "桥头堡垒", ["桥头堡"]),
        (["aurora x1"], "İstanbul sells the Aurora X1旗舰版", ["aurora x1"]),
        (["c++ tools"], "C++ Tools, c++ toolset", ["c++ tools"]),
    ],
)
def test_own_words_are_found_whole_the_longest_first_and_not_inside_a_latin_word(
    words: list[str], text: str, found: list[str]
) -> None:
    low = lowered(text)
    assert [low[start:end] for start, end in own_words(1, words).spans(low)] == found


@pytest.mark.parametrize("text", ["我的小鹏P7i什么时候保养", "Aurora X1 的价格", "苏打绿洲"])
def test_every_term_of_a_question_with_own_words_stands_in_the_same_text_when_it_is_stored(text: str) -> None:
    own = own_words(1, ["小鹏p7i", "aurora x1", "苏打绿洲"])
    assert set(query_terms(text, own)) <= set(terms(text, own))
    assert all(" " not in term for term in (*terms(text, own), *query_terms(text, own)))
