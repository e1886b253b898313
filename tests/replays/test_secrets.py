"""Replays of secrets that came back verbatim: from a memory, a search, a table, or the trail of what was done."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest
from django.apps import apps

from memoryapp.domain.public_ids import parsed
from memoryapp.services import audit_trail
from tests.llm_stub import LLMStub
from tests.replays.door import Door, add, reasons

PASSWORD, TOKEN = "Otter" + "#5521vk", "sk-" + "test-Rw7" + "qLm2xZ9" * 5
SAID = [
    f"沙箱的登录口令是 {PASSWORD}，另外令牌是 {TOKEN}，别忘了",
    f"记住我的路由器密码：{PASSWORD}",
    f"帮我记一下，后台管理员密码改成 {PASSWORD} 了",
    f"数据库连接是 postgres://sailor:{PASSWORD.replace('#', '')}@10.0.0.7/sea，先存着",
    f"记住：调用接口的密钥 {TOKEN}",
    f"Please remember: the sandbox password is {PASSWORD} and the token is {TOKEN}",
    f"Remember my router password: {PASSWORD}",
    f"Don't forget, the admin login is now root / {PASSWORD}, password included",
    f"Remember to use postgres://sailor:{PASSWORD.replace('#', '')}@10.0.0.7/sea for the archive",
    f"Note for later, export API_KEY={TOKEN}",
]


def parts(said: str) -> list[str]:
    """The secrets of a text, as they would be read out of a store."""
    return [s for s in (PASSWORD, PASSWORD.replace("#", ""), TOKEN) if s in said]


@pytest.mark.parametrize("said", SAID)
def test_a_secret_is_in_no_answer_no_table_and_no_question_to_the_judge(
    door: Door, judge: LLMStub, rows_of: Callable[[str], list[str]], said: str
) -> None:  # 7
    judge.default = [add(said)]
    event = door.told("mia", said)
    assert any(reason.startswith("secret") for reason in reasons(event) + [w["reason"] for w in event["warnings"]])
    found = door.good("POST", "memories/search", {"user_id": "mia", "query": "密码 口令 password token"})
    seen = [str(event), str(found), door.context("mia", "密码 password"), *judge.prompts()]
    for model in apps.get_app_config("memoryapp").get_models():
        seen += rows_of(model._meta.db_table)
    for secret in parts(said):
        assert not [text for text in seen if secret in text]


def test_the_exported_trail_tells_that_something_was_said_and_not_the_secret(door: Door, judge: LLMStub) -> None:  # 8
    for n, said in enumerate(SAID):
        judge.default = [add(said)]
        door.told("mia", said, session_id=f"{n}")
        door.call("POST", "memories", {"user_id": "mia", "content": said})
    job = door.good("POST", "audit/exports", {})["id"]
    audit_trail.run_export(door.cast.agent.tenant_id, parsed("exp", job))
    file = b"".join(door.call("GET", f"audit/exports/{job}/file").streaming_content)
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        trail = "".join(archive.read(name).decode() for name in archive.namelist())
    assert trail.count("messages.accepted") >= len(SAID)
    assert not [secret for said in SAID for secret in parts(said) if secret in trail]
