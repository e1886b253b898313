"""The extractor without an LLM: explicit statements, updates of the same subject, forgets. It says so by its name."""

from __future__ import annotations

from memoryapp.domain.extraction import JudgeRequest
from memoryapp.domain.statements import judge_by_rules
from memoryapp.domain.types import Judgement


class RulesExtractor:
    """Judges by `memoryapp.domain.statements`; needs no network and never fails."""

    name = "rules"
    model = ""

    def judge(self, request: JudgeRequest) -> Judgement:
        return Judgement(answer=judge_by_rules(request), extractor=self.name, model=self.model)
