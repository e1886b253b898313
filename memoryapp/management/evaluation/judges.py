"""Stub judges: the best, the worst and the broken ones, so that what is measured is everything around the judge."""

from __future__ import annotations

import re
from collections.abc import Callable

from memoryapp.domain.answers import parse_answer
from memoryapp.domain.extraction import JudgeRequest
from memoryapp.domain.statements import judge_by_rules
from memoryapp.domain.types import Action, Answer, Judgement, Kind, Operation, Role
from memoryapp.management.evaluation.cases import Expected

NAMES = ("none", "yes", "no", "oracle", "malformed")
_SURE = 0.95
_SENTENCE = re.compile(r"[^。！？!?\n]+[。！？!?]*")
_PIECE = re.compile(r"(?:[^，,；;。！？!?.\n]|\.(?!\s|$))+")
_MALFORMED = (
    "Sure, I will keep that in mind for you!",
    '{"operations": [{"action": "ADD", "content": "the user',
    '<think>{"operations": [{"action": "ADD"',
)


class StubJudge:
    """Answers by its name. It counts its calls and is told before each case what the right answer is."""

    model = "stub"

    def __init__(self, name: str) -> None:
        self.name = "rules" if name == "none" else f"stub-{name}"
        self.calls = 0
        self.expected: Expected | None = None
        self.numbers: dict[str, str] = {}
        """Id of an existing memory of the case → its id in the database (hexadecimal)."""
        answers: dict[str, Callable[[JudgeRequest], Answer]] = {
            "none": judge_by_rules,
            "yes": always_yes,
            "no": lambda _: Answer(),
            "oracle": self._oracle,
            "malformed": lambda _: parse_answer(_MALFORMED[self.calls % len(_MALFORMED)]),
        }
        self._answers = answers[name]

    def judge(self, request: JudgeRequest) -> Judgement:
        self.calls += 1
        return Judgement(self._answers(request), self.name, self.model)

    def _oracle(self, request: JudgeRequest) -> Answer:
        wanted = self.expected
        if wanted is None or wanted.action == "NONE" or (wanted.action == "REVIEW" and "NONE" in wanted.accept):
            return Answer()
        targets = [item.number for item in request.shown if self._is_target(item.id.hex, wanted.targets)]
        if wanted.action == "DELETE":
            return Answer(tuple(Operation(Action.DELETE, target=each, confidence=_SURE) for each in targets))
        content, quote = right_content(request, wanted)
        action = Action.UPDATE if wanted.action == "UPDATE" and targets else Action.ADD
        target = targets[0] if action is Action.UPDATE else None
        return Answer((Operation(action, content, target, Kind.NOTE, _SURE, quote),))

    def _is_target(self, item_id: str, targets: frozenset[str]) -> bool:
        return "*" in targets or any(self.numbers.get(target) == item_id for target in targets)


def always_yes(request: JudgeRequest) -> Answer:
    """An ADD for every sentence of every turn, whoever said it."""
    sentences = [each.strip() for turn in request.turns for each in _SENTENCE.findall(turn.text) if each.strip()]
    return Answer(tuple(Operation(Action.ADD, each, None, Kind.NOTE, _SURE, each) for each in sentences))


def right_content(request: JudgeRequest, expected: Expected) -> tuple[str, str]:
    """Content and quote of the right answer: the pieces of the evidence that say what must be said."""
    user_texts = [turn.text for turn in request.turns if turn.role is Role.USER]
    evidence = max(user_texts, key=lambda text: _groups_in(text, expected))
    pieces = [piece.strip() for piece in _PIECE.findall(evidence)]
    said = [piece for piece in pieces if _groups_in(piece, expected)]
    content = "，".join(said) if re.search("[㐀-鿿]", evidence) else ", ".join(said)
    missing = [group[0] for group in expected.must_contain if not any(each in content for each in group)]
    return " ".join([content or evidence, *missing]), said[0] if said else evidence


def _groups_in(text: str, expected: Expected) -> int:
    return sum(any(each in text for each in group) for group in expected.must_contain)
