"""A judge over any API that speaks OpenAI's `/chat/completions`."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from memoryapp.domain.answers import parse_answer
from memoryapp.domain.errors import InvalidAnswer, ProviderError
from memoryapp.domain.extraction import ANSWER_SCHEMA, JudgeRequest, build_prompt, repair_prompt
from memoryapp.domain.types import Answer, Judgement, Usage
from memoryapp.providers.endpoint import Address, Endpoint, JsonObject, OptionRefused

TOOL_NAME = "record_memory_operations"
LONGEST_BAD_ANSWER = 8_000
"""Characters of an unreadable answer that are shown to the model again when it is asked to repair it."""

_THOUGHT = re.compile(r"<think>.*?(?:</think>|$)", re.DOTALL)
Chat = Sequence[Mapping[str, str]]


class AnswerForm(StrEnum):
    """How the answer is asked for, strictest first. A provider that refuses one is asked in the next."""

    JSON_SCHEMA = "json_schema"
    TOOL_CALL = "tool_call"
    JSON_OBJECT = "json_object"
    PLAIN = "plain"


FORM_WORDS: Mapping[AnswerForm, tuple[str, ...]] = {
    AnswerForm.JSON_SCHEMA: ("response_format", "json_schema", "schema", "structured", "grammar", "format", "不支持"),
    AnswerForm.TOOL_CALL: ("tool", "tools", "tool_choice", "function", "functions", "不支持"),
    AnswerForm.JSON_OBJECT: ("response_format", "json_object", "json", "format", "不支持"),
}
"""Words of a 400 that mean the form itself was refused; any other 400 is about the request."""


@dataclass(frozen=True, slots=True)
class Habits:
    """What one provider has been found to accept."""

    form: AnswerForm = AnswerForm.JSON_SCHEMA
    temperature: bool = True


@dataclass(frozen=True, slots=True)
class Reply:
    """One completion: its text, what it cost, and why it cannot be an answer (empty when it can)."""

    text: str
    usage: Usage
    problem: str = ""


_HABITS: dict[tuple[str, str], Habits] = {}
_HABITS_LOCK = threading.Lock()


class OpenAICompatibleExtractor:
    """Judges with a language model. One call takes at most the address's timeout; a judgement is one call, and a
    second one when the first answer could not be read. Finding the form a provider accepts costs up to four short,
    refused calls, once per process.
    """

    name = "llm"

    def __init__(self, address: Address) -> None:
        self.model = address.model
        self._endpoint = Endpoint(address)
        self._provider = (address.base_url, address.model)

    def judge(self, request: JudgeRequest) -> Judgement:
        """Ask, and ask once more for a repair. Raises InvalidAnswer (still unreadable) or EndpointError."""
        messages: list[Mapping[str, str]] = list(build_prompt(request))
        reply = self._ask(messages)
        try:
            return self._judgement(_read(reply), reply.usage)
        except InvalidAnswer as problem:
            bad = reply.text[:LONGEST_BAD_ANSWER] or "(empty)"
            repair = repair_prompt(bad, problem.detail, request.language)
        second = self._ask([*messages, *repair])
        return self._judgement(_read(second), _sum(reply.usage, second.usage))

    def write(self, messages: Chat) -> str:
        """The plain answer to some messages, without the model's thoughts. Raises ProviderError."""
        body: JsonObject = {"model": self.model, "messages": [dict(m) for m in messages], "stream": False}
        reply = _reply(self._endpoint.post("chat/completions", body), AnswerForm.PLAIN)
        if reply.problem:
            raise ProviderError("llm_parse", reply.problem, transient=False)
        return _THOUGHT.sub("", reply.text).strip()

    def close(self) -> None:
        self._endpoint.close()

    def _judgement(self, answer: Answer, usage: Usage) -> Judgement:
        return Judgement(answer=answer, extractor=self.name, model=self.model, usage=usage)

    def _ask(self, messages: Chat) -> Reply:
        while True:
            habits = habits_of(self._provider)
            try:
                answer = self._endpoint.post("chat/completions", self._body(messages, habits))
            except OptionRefused as refusal:
                _remember(self._provider, _next(habits, refusal))
                continue
            return _reply(answer, habits.form)

    def _body(self, messages: Chat, habits: Habits) -> JsonObject:
        body: JsonObject = {"model": self.model, "messages": [dict(m) for m in messages], "stream": False}
        if habits.temperature:
            body["temperature"] = 0
        return body | _form_fields(habits.form)


def habits_of(provider: tuple[str, str]) -> Habits:
    """What (base_url, model) is known to accept in this process; the strictest form when nothing is known."""
    with _HABITS_LOCK:
        return _HABITS.get(provider, Habits())


def forget_habits() -> None:
    with _HABITS_LOCK:
        _HABITS.clear()


def _remember(provider: tuple[str, str], habits: Habits) -> None:
    with _HABITS_LOCK:
        _HABITS[provider] = habits


def _next(habits: Habits, refusal: OptionRefused) -> Habits:
    """The next thing to try; the refusal itself is raised when it concerns nothing that we could leave out."""
    if habits.temperature and "temperature" in refusal.words:
        return replace(habits, temperature=False)
    forms = list(AnswerForm)
    if habits.form is not AnswerForm.PLAIN and refusal.names(*FORM_WORDS[habits.form]):
        return replace(habits, form=forms[forms.index(habits.form) + 1])
    raise refusal


def _form_fields(form: AnswerForm) -> JsonObject:
    if form is AnswerForm.JSON_SCHEMA:
        schema = {"name": TOOL_NAME, "schema": ANSWER_SCHEMA, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": schema}}
    if form is AnswerForm.TOOL_CALL:
        function = {"name": TOOL_NAME, "description": "Record the operations.", "parameters": ANSWER_SCHEMA}
        choice = {"type": "function", "function": {"name": TOOL_NAME}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": choice}
    if form is AnswerForm.JSON_OBJECT:
        return {"response_format": {"type": "json_object"}}
    return {}


def _read(reply: Reply) -> Answer:
    if reply.problem:
        raise InvalidAnswer(reply.problem)
    return parse_answer(reply.text)


def _reply(body: JsonObject, form: AnswerForm) -> Reply:
    usage = _usage(body.get("usage"))
    choices = body.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return Reply("", usage, "The answer held no choice with a message.")
    text = _text(message, form)
    return Reply(text, usage, _problem(choice, message, text))


def _problem(choice: JsonObject, message: JsonObject, text: str) -> str:
    if choice.get("finish_reason") == "length":
        return "The answer was cut off at the model's length limit. Answer more briefly."
    if message.get("refusal") or choice.get("finish_reason") == "content_filter":
        return "The model refused to answer."
    return "" if text.strip() else "The answer was empty."


def _text(message: JsonObject, form: AnswerForm) -> str:
    content, arguments = _content(message.get("content")), _arguments(message.get("tool_calls"))
    if form is AnswerForm.TOOL_CALL:
        return arguments or content
    return content if content.strip() else arguments


def _content(content: object) -> str:
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""


def _arguments(calls: object) -> str:
    call = calls[0] if isinstance(calls, list) and calls else None
    function = call.get("function") if isinstance(call, dict) else None
    arguments = function.get("arguments") if isinstance(function, dict) else None
    return arguments if isinstance(arguments, str) else ""


def _usage(usage: object) -> Usage:
    counts = usage if isinstance(usage, dict) else {}
    return Usage(1, _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens")))


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _sum(first: Usage, second: Usage) -> Usage:
    return Usage(
        first.calls + second.calls,
        first.prompt_tokens + second.prompt_tokens,
        first.completion_tokens + second.completion_tokens,
    )
