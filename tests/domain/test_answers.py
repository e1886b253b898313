from __future__ import annotations

import json

import pytest

from memoryapp.domain.answers import parse_answer
from memoryapp.domain.errors import InvalidAnswer
from memoryapp.domain.types import Action, Answer, Kind, Operation, SpaceKind


def one(text: str) -> Operation:
    answer = parse_answer(text)
    assert answer.rejected == ()
    (operation,) = answer.operations
    return operation


def test_the_canonical_answer_is_read_whole() -> None:
    entry = {
        "action": "UPDATE",
        "target_id": 3,
        "kind": "preference",
        "content": "用户喜欢拿铁",
        "confidence": 0.9,
        "quote": "我改喝拿铁了",
        "reason": "更正",
        "subject": "用户",
        "predicate": "喜欢",
        "object": "拿铁",
        "importance": 0.7,
        "space": "project",
    }
    operation = one(json.dumps({"operations": [entry]}))
    assert operation == Operation(
        Action.UPDATE, "用户喜欢拿铁", 3, Kind.PREFERENCE, 0.9, "我改喝拿铁了", "更正", "用户", "喜欢", "拿铁",
        importance=0.7, space=SpaceKind.PROJECT,
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '{"operations": [{"op": "add", "text": "likes tea"}]}',
        '{"operations": [{"event": "ADD", "memory": "likes tea", "id": "new"}]}',
        '[{"action": "ADD", "content": "likes tea"}]',
        '{"action": "ADD", "content": "likes tea"}',
        '{"memory": [{"event": "ADD", "text": "likes tea"}]}',
        '{"memory": [{"text": "likes tea"}]}',
        '{"memories": ["likes tea"]}',
        '{"memories": [{"content": "likes tea"}]}',
        '{"operations": {"action": "ADD", "content": "likes tea"}}',
        '```json\n{"operations": [{"action": "ADD", "content": "likes tea"}]}\n```',
        '<think>{"operations": []} hmm</think>\n{"operations": [{"action": "ADD", "content": "likes tea"}]}',
        'no opening tag</think>{"operations": [{"action": "ADD", "content": "likes tea"}]}',
        'Sure {as asked}, here: {"operations": [{"action": "ADD", "content": "likes tea",},],} Anything else?',
        '{"operations": [{"action": "ADD", "content": "likes \\uZZZZtea"}]}',
        '{"operations": [{"action": "ADD", "content": "likes\\ tea"}]}',
        json.dumps('{"operations": [{"action": "ADD", "content": "likes tea"}]}'),
    ],
)
def test_every_accepted_shape_gives_the_same_add(text: str) -> None:
    operation = one(text)
    assert (operation.action, operation.content, operation.target) == (Action.ADD, "likes tea", None)
    assert operation.confidence == 0.8


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "null",
        '{"operations": []}',
        '{"operations": null}',
        '{"memories": []}',
        "```json\n[]\n```",
        "没有需要记忆的内容",
        "无需记录。",
        "这段对话里没有值得长期保存的信息",
        "There is nothing to store.",
        "Nothing durable to remember here.",
        "No new memories.",
        "None.",
        "无",
    ],
)
def test_saying_nothing_is_an_empty_answer(text: str) -> None:
    assert parse_answer(text) == Answer()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        '{"operations": [{"action": "ADD", "content": "likes tea"}, {"act',
        '[{"action": "ADD", "content": "likes tea"}',
        '```json\n{"operations": [',
        '{"memory": ["likes',
        "<think>the user likes tea",
        "The user likes tea and I stored it.",
        "没有问题，我记住了用户喜欢茶，但也许还有别的内容。",
        "Nothing to store except that the user likes tea.",
        '{"error": "overloaded"}',
        "[1, 2]",
        "42",
        "[" * 40000,
        "{a" * 4000,
    ],
)
def test_what_cannot_be_read_is_an_error_and_never_an_empty_success(text: str) -> None:
    with pytest.raises(InvalidAnswer) as caught:
        parse_answer(text)
    assert caught.value.code == "llm_parse"


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"content": "no action"}, "malformed_operation"),
        ({"action": "ADD", "content": "  "}, "malformed_operation"),
        ({"action": "ADD"}, "malformed_operation"),
        ({"action": "ADD", "content": ["a"]}, "malformed_operation"),
        ({"action": "MERGE", "content": "x"}, "malformed_operation"),
        ({"action": "UPDATE", "content": "x"}, "malformed_operation"),
        ({"action": "UPDATE", "id": 1}, "malformed_operation"),
        ({"action": "DELETE", "id": "abc"}, "unknown_id"),
        ({"action": "DELETE", "id": True}, "unknown_id"),
        ({"action": "UPDATE", "content": "x", "id": "0190b3f4-0000-7000-8000-000000000000"}, "unknown_id"),
        ("a string", "malformed_operation"),
        (None, "malformed_operation"),
    ],
)
def test_a_bad_entry_is_counted_and_the_others_go_on(entry: object, reason: str) -> None:
    answer = parse_answer(json.dumps({"operations": [entry, {"action": "ADD", "content": "kept"}]}))
    assert answer.rejected == (reason,)
    assert [operation.content for operation in answer.operations] == ["kept"]


@pytest.mark.parametrize(("given", "target"), [(4, 4), ("4", 4), ("[4]", 4), (4.0, 4), (-1, -1), (999, 999)])
def test_an_integer_like_id_is_passed_through(given: object, target: int) -> None:
    assert one(json.dumps([{"action": "DELETE", "id": given}])).target == target


@pytest.mark.parametrize(
    ("given", "confidence"),
    [(0.4, 0.4), (7, 1.0), (-2, 0.0), ("0.6", 0.6), ("90%", 0.9), ("high", 0.8), (None, 0.8), (True, 0.8)],
)
def test_confidence_is_brought_between_zero_and_one(given: object, confidence: float) -> None:
    assert one(json.dumps([{"action": "ADD", "content": "x", "confidence": given}])).confidence == confidence


@pytest.mark.parametrize(
    ("given", "kind"), [("fact", Kind.NOTE), ("Constraint", Kind.INSTRUCTION), ("profile", Kind.PROFILE), ("odd", None)]
)
def test_kinds_of_other_vocabularies_are_mapped(given: str, kind: Kind | None) -> None:
    assert one(json.dumps([{"action": "ADD", "content": "x", "kind": given}])).kind is kind


def test_text_that_no_database_takes_is_cleaned() -> None:
    assert one('[{"action": "ADD", "content": "a\\u0000b\\ud83d c"}]').content == "ab c"
