"""What would happen and why, with nothing written."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from memoryapp.domain.errors import DomainError
from memoryapp.models import AuditEvent, MemoryItem, Message, Run, Session, Space
from memoryapp.services import changes
from memoryapp.services.dry_run import dry_run
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast
from tests.llm_stub import LLMStub
from tests.services.talk import add, op, told

pytestmark = pytest.mark.django_db


def rows(cast: Cast) -> tuple[int, ...]:
    with tenant_scope(cast.agent):
        return tuple(m.objects.count() for m in (Space, Session, Run, Message, MemoryItem))


def seen(cast: Cast, *messages: Incoming) -> list[tuple[str, str, str | None]]:
    return [(e.section, e.reason, e.content) for e in dry_run(cast.agent, "alice", messages).entries]


@pytest.mark.parametrize("said", ["记住：我对花生过敏", "Remember that I am allergic to peanuts."])
def test_a_stranger_leaves_no_trace_but_the_audit(cast: Cast, said: str) -> None:
    ((section, _, content),) = seen(cast, Incoming("user", said))
    assert section == "added"
    assert content is not None
    assert content in said
    assert rows(cast) == (0, 0, 0, 0, 0)
    with tenant_scope(cast.agent):
        assert AuditEvent.objects.filter(action="extraction.dry_run").count() == 1


def test_every_operation_is_told_with_its_reason(cast: Cast, llm: LLMStub) -> None:
    for text in ("用户住在青岛", "喜欢爬山", "Likes jazz."):
        changes.add(cast.agent, "alice", changes.NewItem(text))
    before = rows(cast)
    llm.answer(
        [
            op("UPDATE", "用户住在烟台", "我搬到烟台了", target_id=0),
            op("DELETE", target_id=1, quote="随便聊聊"),
            add("likes JAZZ", "I like jazz", confidence=0.9),
            add("用户养了一只猫", "我养了一只猫"),
            add("我可能喜欢红茶", confidence=0.5),
            op("UPDATE", "x y z", target_id=9),
            add("用户有游艇", "我有游艇"),
        ]
    )
    said = "我搬到烟台了。我养了一只猫。我可能喜欢红茶。随便聊聊"
    told_of = seen(cast, Incoming("user", said), Incoming("user", "I like jazz"))
    assert ("updated", "", "用户住在烟台") in told_of
    assert ("pending", "delete_unasked", "喜欢爬山") in told_of
    assert ("skipped", "duplicate", "likes JAZZ") in told_of or ("skipped", "duplicate", "Likes jazz.") in told_of
    assert ("added", "", "用户养了一只猫") in told_of
    assert ("pending", "below_threshold", "我可能喜欢红茶") in told_of
    assert ("skipped", "unknown_id", None) in told_of
    assert ("skipped", "unsupported", None) in told_of
    assert rows(cast) == before


def test_what_was_said_already_is_told_as_a_repeat(cast: Cast) -> None:
    at = datetime(2026, 3, 1, 9, tzinfo=UTC)
    told(cast, "记住：我对花生过敏", at=at)
    assert seen(cast, Incoming("user", "记住：我对花生过敏", said_at=at)) == [("skipped", "duplicate", None)]


def test_an_unreadable_answer_is_told_and_the_request_honoured(cast: Cast, llm: LLMStub) -> None:
    llm.answer("sorry", "sorry again")
    told_of = seen(cast, Incoming("user", "记住：我对花生过敏"))
    assert ("failed", "llm_parse", None) in told_of
    assert ("added", "", "我对花生过敏") in told_of


def test_secrets_are_refused_in_a_dry_run_as_well(cast: Cast) -> None:
    ((section, reason, content),) = seen(cast, Incoming("user", "数据库密码：s3cr3t_9Kq2"))
    assert (section, content) == ("skipped", None)
    assert reason.startswith("secret.")


@pytest.mark.parametrize("field", ["session", "agent_id", "project_id", "scope"])
def test_a_name_that_is_refused_when_writing_is_refused_in_a_dry_run_as_well(cast: Cast, field: str) -> None:
    secret = "token: " + "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    for write in (accept, dry_run):
        with pytest.raises(DomainError) as refusal:
            write(cast.agent, "alice", [Incoming("user", "I like tea.")], **{field: secret})  # type: ignore[arg-type]
        assert refusal.value.code == "guard_refused"
