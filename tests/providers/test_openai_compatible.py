"""The judge against a real HTTP server that misbehaves on request."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from memoryapp.domain.errors import InvalidAnswer, ProviderError
from memoryapp.domain.extraction import JudgeRequest
from memoryapp.domain.types import Action, Door, Role, Turn, Usage
from memoryapp.providers.endpoint import Address, EndpointError, close_breakers, seconds_to_wait
from memoryapp.providers.openai_compatible import AnswerForm, OpenAICompatibleExtractor, forget_habits, habits_of
from tests.llm_stub import Failure, HalfJSON, Hang, Literal, LLMStub, Reply, Trickle

ADD = [{"action": "ADD", "content": "用户每周三晚上打羽毛球", "kind": "profile", "quote": "我每周三晚上打羽毛球"}]
ZH = JudgeRequest(
    turns=(Turn(role=Role.USER, text="记住，我每周三晚上打羽毛球"),), shown=(), door=Door.CUE, language="zh", today=None
)
EN = JudgeRequest(
    turns=(Turn(role=Role.USER, text="Remember that I sail on Sundays."),), shown=(), door=Door.CUE, language="en"
)

OPENED: list[OpenAICompatibleExtractor] = []


@pytest.fixture
def stub() -> Iterator[LLMStub]:
    close_breakers()
    forget_habits()
    with LLMStub() as server:
        yield server
    while OPENED:
        OPENED.pop().close()


def judge_at(stub: LLMStub, *, timeout: float = 5.0, key: str = "k-test") -> OpenAICompatibleExtractor:
    OPENED.append(OpenAICompatibleExtractor(Address("llm", stub.base_url, "m-1", timeout, key)))
    return OPENED[-1]


def failure(stub: LLMStub, *, timeout: float = 5.0) -> EndpointError:
    with pytest.raises(EndpointError) as caught:
        judge_at(stub, timeout=timeout).judge(ZH)
    return caught.value


def test_an_answer_becomes_operations_with_its_cost(stub: LLMStub) -> None:
    stub.answer(ADD)
    judgement = judge_at(stub).judge(ZH)
    assert [(o.action, o.content) for o in judgement.answer.operations] == [(Action.ADD, "用户每周三晚上打羽毛球")]
    assert (judgement.extractor, judgement.model) == ("llm", "m-1")
    assert judgement.usage == Usage(calls=1, prompt_tokens=11, completion_tokens=7)
    assert stub.headers[0]["Authorization"] == "Bearer k-test"


def test_the_schema_is_asked_for_first(stub: LLMStub) -> None:
    judge_at(stub).judge(EN)
    assert stub.requests[0]["response_format"]["type"] == "json_schema"
    assert stub.requests[0]["temperature"] == 0


@pytest.mark.parametrize(
    ("accepts", "form", "calls"),
    [
        ({"tools", "json_object"}, AnswerForm.TOOL_CALL, 2),
        ({"json_object"}, AnswerForm.JSON_OBJECT, 3),
        (set(), AnswerForm.PLAIN, 4),
    ],
)
def test_a_refused_form_falls_to_the_next_and_is_remembered(
    stub: LLMStub, accepts: set[str], form: AnswerForm, calls: int
) -> None:
    stub.accepts = accepts
    stub.answer(ADD, ADD)
    assert len(judge_at(stub).judge(ZH).answer.operations) == 1
    assert len(stub.requests) == calls
    assert habits_of((stub.base_url, "m-1")).form is form
    assert len(judge_at(stub).judge(ZH).answer.operations) == 1
    assert len(stub.requests) == calls + 1


def test_a_model_that_takes_no_temperature_is_asked_without(stub: LLMStub) -> None:
    stub.answer(Failure(400, "Unsupported value: 'temperature' does not support 0 with this model."), ADD)
    assert judge_at(stub).judge(ZH).answer.operations
    assert "temperature" not in stub.requests[1]
    assert stub.requests[1]["response_format"]["type"] == "json_schema"


def test_a_400_about_something_else_is_permanent_and_costs_one_call(stub: LLMStub) -> None:
    stub.answer(Failure(400, "maximum context length exceeded"))
    error = failure(stub)
    assert (error.code, error.transient, len(stub.requests)) == ("llm_rejected", False, 1)


@pytest.mark.parametrize(
    ("status", "code", "transient"),
    [
        (401, "llm_auth", False),
        (403, "llm_auth", False),
        (404, "llm_rejected", False),
        (429, "llm_rate_limited", True),
        (500, "llm_unavailable", True),
        (503, "llm_unavailable", True),
    ],
)
def test_a_status_says_whether_trying_again_can_help(stub: LLMStub, status: int, code: str, transient: bool) -> None:
    stub.answer(status)
    error = failure(stub)
    assert (error.code, error.transient, error.status) == (code, transient, status)


def test_the_wait_a_provider_asks_for_is_told(stub: LLMStub) -> None:
    stub.answer(Failure(429, retry_after=7))
    assert failure(stub).retry_after == 7


def test_a_wait_may_be_a_date_or_nonsense() -> None:
    assert seconds_to_wait("Wed, 21 Oct 2015 07:28:00 GMT") == 0
    assert seconds_to_wait("soon") is None
    assert seconds_to_wait(None) is None
    assert seconds_to_wait("99999999") == 3600


def test_a_silent_server_times_out(stub: LLMStub) -> None:
    stub.answer(Hang(5))
    started = time.monotonic()
    error = failure(stub, timeout=0.3)
    assert (error.code, error.transient) == ("llm_timeout", True)
    assert time.monotonic() - started < 2


@pytest.mark.parametrize("headers_too", [False, True])
def test_a_server_that_trickles_cannot_exceed_the_deadline(stub: LLMStub, headers_too: bool) -> None:
    stub.answer(Trickle(0.05, headers_too))
    started = time.monotonic()
    assert failure(stub, timeout=0.5).code == "llm_timeout"
    assert time.monotonic() - started < 2


def test_an_unreachable_server_is_transient(stub: LLMStub) -> None:
    extractor = judge_at(stub)
    stub.close()
    with pytest.raises(ProviderError) as caught:
        extractor.judge(ZH)
    assert (caught.value.code, caught.value.transient) == ("llm_unavailable", True)


def test_a_connection_that_breaks_off_is_transient(stub: LLMStub) -> None:
    stub.answer(HalfJSON())
    assert failure(stub).code == "llm_unavailable"


def test_a_proxy_page_instead_of_json_is_transient(stub: LLMStub) -> None:
    stub.answer(Literal("<html>busy</html>"))
    assert failure(stub).code == "llm_unavailable"


def test_connections_are_kept(stub: LLMStub) -> None:
    extractor = judge_at(stub)
    for _ in range(3):
        extractor.judge(ZH)
    assert len(stub.ports) == 1


def test_a_fenced_answer_after_thoughts_needs_no_repair(stub: LLMStub) -> None:
    stub.answer('<think>羽毛球…{"operations"</think>\n```json\n' + json.dumps({"operations": ADD}) + "\n```")
    assert len(judge_at(stub).judge(ZH).answer.operations) == 1
    assert len(stub.requests) == 1


def test_an_unreadable_answer_is_repaired_once_and_both_calls_are_paid(stub: LLMStub) -> None:
    stub.answer('{"operations": [{"action": "AD', ADD)
    judgement = judge_at(stub).judge(ZH)
    assert len(judgement.answer.operations) == 1
    assert judgement.usage == Usage(calls=2, prompt_tokens=22, completion_tokens=14)
    assert '{"operations": [{"action": "AD' in stub.prompts()[1]


@pytest.mark.parametrize(
    "bad",
    [
        Literal({"choices": []}),
        Literal({"id": "x"}),
        Literal({"choices": [{"message": {"content": None}}]}),
        Reply(None, refusal="I can't help with that."),
        Reply('{"operations": []}', finish_reason="length"),
        "I would rather talk about sailing.",
    ],
)
def test_an_answer_that_is_none_is_never_an_empty_success(stub: LLMStub, bad: Any) -> None:
    stub.answer(bad, bad)
    with pytest.raises(InvalidAnswer) as caught:
        judge_at(stub).judge(EN)
    assert len(stub.requests) == 2
    assert "sailing" not in caught.value.detail


def test_content_in_parts_and_missing_usage_are_read(stub: LLMStub) -> None:
    parts = [{"type": "text", "text": json.dumps({"operations": ADD})}]
    stub.answer(Literal({"choices": [{"message": {"content": parts}}]}))
    judgement = judge_at(stub).judge(ZH)
    assert len(judgement.answer.operations) == 1
    assert judgement.usage == Usage(calls=1)


def test_arguments_are_read_even_when_no_tool_was_offered(stub: LLMStub) -> None:
    stub.answer(Reply(None, arguments=json.dumps({"operations": ADD})))
    assert len(judge_at(stub).judge(ZH).answer.operations) == 1


def test_no_error_text_holds_what_was_said(stub: LLMStub) -> None:
    stub.answer(Failure(500, "echo: 我每周三晚上打羽毛球"))
    error = failure(stub)
    assert "羽毛球" not in f"{error} {error.detail} {error.args} {error.extra}"


def test_five_failures_in_a_row_spare_the_provider_a_sixth(stub: LLMStub) -> None:
    stub.answer(*[Failure(500)] * 5)
    extractor = judge_at(stub)
    for _ in range(5):
        with pytest.raises(ProviderError):
            extractor.judge(ZH)
    with pytest.raises(EndpointError) as caught:
        extractor.judge(ZH)
    assert len(stub.requests) == 5
    assert caught.value.transient
    assert 0 < (caught.value.retry_after or 0) <= 30


def test_half_a_surrogate_in_the_conversation_does_not_break_the_call(stub: LLMStub) -> None:
    turns = (Turn(role=Role.USER, text="我喜欢\ud83d表情"),)
    judge_at(stub).judge(JudgeRequest(turns=turns, shown=(), door=Door.CUE, language="zh"))
    assert "我喜欢" in stub.prompts()[0]
