"""Whole histories taken in: once, within a budget, and finished whatever happens to the process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Tenant
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.models import Message, Run, Space
from memoryapp.services import imports, pipeline
from memoryapp.services.histories import history_of
from memoryapp.services.imports import ImportView
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast, texts
from tests.llm_stub import LLMStub
from tests.services.talk import add, told

ROOT = Path(__file__).parents[2]
FACTS = ["我对花生过敏", "我住在青岛", "My dog is called Biscuit", "I work at Umbrella"]


def session(name: str, *said: str, day: int | None = 1, **more: Any) -> dict[str, Any]:
    stamp = {"said_at": f"2026-03-{day:02d}T09:00:00+08:00"} if day else {}
    messages = [{"role": "user", "content": text, **stamp, **more} for text in said]
    return {"user_id": "alice", "session_id": name, "messages": messages}


def history(**more: Any) -> list[dict[str, Any]]:
    asked = ["记住：", "记住：", "Remember that ", "Remember that "]
    return [
        session(f"s{n}", f"今天整理了第 {n} 箱旧照片", f"{ask}{fact}", day=n + 1, **more)
        for n, (ask, fact) in enumerate(zip(asked, FACTS, strict=True))
    ]


def taken(cast: Cast, sessions: list[dict[str, Any]], budget: int | None = None) -> ImportView:
    """Taken in and extracted, as the workers would."""
    histories = [history_of(entry, place) for place, entry in enumerate(sessions, start=1)]
    job = imports.start(cast.agent, histories, token_budget=budget)
    assert job.id is not None
    for run in imports.unfinished_runs(cast.agent, job.id):
        pipeline.extract(cast.agent.tenant_id, run)
    return imports.status(cast.agent, job.id)


@pytest.mark.django_db
def test_a_history_becomes_memories_of_the_door_import(cast: Cast) -> None:
    job = taken(cast, history())
    assert (job.state, job.sessions, job.messages, job.duplicates) == ("succeeded", 4, 8, 0)
    assert sorted(texts(cast.agent, "alice")) == sorted(FACTS)
    with tenant_scope(cast.agent):
        assert set(Run.objects.values_list("door", flat=True)) == {"import"}


@pytest.mark.django_db
@pytest.mark.parametrize("first", [{"id": ""}, {"day": None}])
def test_the_same_history_again_with_the_same_or_new_ids_adds_nothing(cast: Cast, first: dict[str, Any]) -> None:
    with_ids = [{**s, "messages": [{**m, "id": f"a{n}"} for n, m in enumerate(s["messages"])]} for s in history()]
    new_ids = [{**s, "messages": [{**m, "id": f"b{n}"} for n, m in enumerate(s["messages"])]} for s in history()]
    if "day" in first:
        for entry in (*with_ids, *new_ids):
            for message in entry["messages"]:
                message.pop("said_at")
    one = taken(cast, with_ids)
    same = taken(cast, with_ids)
    other = taken(cast, new_ids)
    assert same.id == one.id
    assert other.id != one.id
    assert (other.duplicates, other.runs) == (8, 0)
    assert len(texts(cast.agent, "alice")) == len(FACTS)
    with tenant_scope(cast.agent):
        assert Message.objects.count() == 8


@pytest.mark.django_db
def test_a_conversation_that_was_heard_live_is_not_imported_again(cast: Cast) -> None:
    told(cast, "记住：我对花生过敏", session="s0")
    job = taken(cast, [session("copy", "记住：我对花生过敏", day=None)])
    assert (job.duplicates, job.runs) == (1, 0)


@pytest.mark.django_db
def test_rules_and_doubts_of_a_history_wait_in_the_inbox(cast: Cast, llm: LLMStub) -> None:
    llm.answer(
        [add("以后都用 pnpm", kind="instruction")],
        [add("用户喜欢靠走廊的座位", "我喜欢靠走廊的座位", confidence=0.5)],
    )
    taken(cast, [session("a", "以后都用 pnpm"), session("b", "我喜欢靠走廊的座位")])
    assert texts(cast.agent, "alice") == []
    assert set(texts(cast.agent, "alice", statuses=("pending",))) == {"以后都用 pnpm", "用户喜欢靠走廊的座位"}


@pytest.mark.django_db
def test_the_later_statement_of_a_history_wins(cast: Cast, llm: LLMStub) -> None:
    llm.answer([add("我住在青岛")], [add("我住在烟台")])
    taken(cast, [session("a", "我住在青岛", day=3), session("b", "我搬家了，我住在烟台", day=9)])
    assert texts(cast.agent, "alice") == ["我住在烟台"]


@pytest.mark.django_db
def test_what_was_forgotten_stays_forgotten_in_a_history(cast: Cast) -> None:
    told(cast, "记住：我住在青岛")
    told(cast, "忘掉我的住址")
    taken(cast, [session("old", "记住：我住在青岛", day=1)])
    assert texts(cast.agent, "alice") == []


@pytest.mark.django_db
def test_the_budget_bounds_what_the_judge_is_asked(cast: Cast, llm: LLMStub) -> None:
    sessions = [session(f"s{n}", f"我最近在读第 {n} 卷航海小说，打算把它送给我的表弟") for n in range(6)]
    one = imports.preview(cast.agent, [history_of(sessions[0], 1)])
    job = taken(cast, sessions, budget=one.tokens_expected + 10)
    assert len(llm.requests) == 1
    assert (job.state, job.skipped["budget"]) == ("succeeded", 5)
    assert 0 < job.tokens_used <= one.tokens_expected + 10


@pytest.mark.django_db
def test_a_secret_in_a_history_is_counted_and_kept_nowhere(cast: Cast) -> None:
    job = taken(cast, [session("a", "数据库密码是 Qz!7fake_Passw0rd", "记住：我对花生过敏")])
    assert [reason.split(".")[0] for reason in job.refused] == ["secret"]
    with tenant_scope(cast.agent):
        assert not Message.objects.filter(text__contains="Passw0rd").exists()


@pytest.mark.django_db
def test_a_dry_run_counts_and_writes_nothing(cast: Cast) -> None:
    view = imports.preview(cast.agent, [history_of(entry, 1) for entry in history()])
    assert (view.state, view.messages, view.runs, view.duplicates) == ("dry_run", 8, 4, 0)
    assert view.tokens_expected > 0
    with tenant_scope(cast.agent):
        assert (Space.objects.count(), Run.objects.count(), Message.objects.count()) == (0, 0, 0)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("entry", "code"),
    [
        ([], "invalid"),
        ({"user_id": "alice"}, "invalid"),
        ({"user_id": "alice", "messages": [], "extra": 1}, "unknown_field"),
        ({"user_id": "alice", "messages": [{"role": "king", "content": "hi"}]}, "invalid"),
        (
            {"user_id": "alice", "messages": [{"role": "user", "content": "hi", "said_at": "2026-03-01T09:00"}]},
            "invalid",
        ),
        ({"user_id": "alice", "messages": [{"role": "user", "content": "a\0b"}]}, "invalid"),
        ({"user_id": "a" * 129, "messages": []}, "invalid"),
    ],
)
def test_a_history_that_cannot_be_read_is_refused_with_its_place(entry: object, code: str) -> None:
    with pytest.raises(DomainError) as refused:
        history_of(entry, 3)
    assert refused.value.code == code
    assert "session 3" in refused.value.detail


@pytest.mark.django_db
def test_charlie_cannot_see_an_import(cast: Cast) -> None:
    job = taken(cast, history())
    assert job.id is not None
    with pytest.raises(NotFound):
        imports.status(cast.charlie, job.id)
    assert imports.list_imports(cast.charlie) == ()


# --- the command ---


def file_of(folder: Path, sessions: list[dict[str, Any]]) -> Path:
    file = folder / "history.jsonl"
    file.write_text("\n".join(json.dumps(s, ensure_ascii=False) for s in sessions) + "\n\n", encoding="utf-8")
    return file


def tenant_of(cast: Cast) -> str:
    with tenant_scope(cast.agent):
        return Tenant.objects.get(pk=cast.agent.tenant_id).name


@pytest.mark.django_db
def test_the_command_takes_a_file_in_and_says_what_came_of_it(cast: Cast, tmp_path: Path) -> None:
    file, out, progress = file_of(tmp_path, history()), StringIO(), StringIO()
    call_command("backfill", str(file), tenant=tenant_of(cast), dry_run=True, stdout=out)
    assert texts(cast.agent, "alice") == []
    call_command("backfill", str(file), tenant=tenant_of(cast), stdout=out, stderr=progress)
    assert sorted(texts(cast.agent, "alice")) == sorted(FACTS)
    assert "dry_run: 4 sessions, 8 messages" in out.getvalue()
    assert "runs: 4 of 4 done, 0 failed" in out.getvalue()
    assert "4/4 sessions" in progress.getvalue()


@pytest.mark.django_db
def test_the_command_names_the_line_that_it_cannot_read(cast: Cast, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"user_id": "alice", "messages": []}\n{broken\n', encoding="utf-8")
    with pytest.raises(CommandError, match="line 2"):
        call_command("backfill", str(file), tenant=tenant_of(cast))
    with pytest.raises(CommandError):
        call_command("backfill", str(tmp_path / "none.jsonl"), tenant=tenant_of(cast))


@pytest.mark.django_db(transaction=True)
def test_a_backfill_that_is_killed_goes_on_where_it_was(clean_database: None, tmp_path: Path) -> None:
    cast = make_cast()
    sessions = [session(f"s{n}", f"记住：我的第 {n} 个书架在第 {n} 层", day=1 + n % 27) for n in range(30)]
    command = [
        sys.executable,
        str(ROOT / "manage.py"),
        "backfill",
        str(file_of(tmp_path, sessions)),
        "--tenant",
        tenant_of(cast),
    ]
    first = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ)
    )
    end = time.monotonic() + 120
    while len(texts(cast.agent, "alice")) < 5 and time.monotonic() < end:
        time.sleep(0.05)
    first.send_signal(signal.SIGKILL)
    first.wait()
    half = len(texts(cast.agent, "alice"))
    with tenant_scope(cast.agent):
        Run.objects.filter(state="running").update(lease_until="2026-01-01T00:00:00Z")
    assert 5 <= half < 30
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=dict(os.environ), check=True)
    assert done.stdout.startswith("succeeded: 30 sessions, 30 messages")
    page = texts(cast.agent, "alice")
    assert len(set(page)) == len(page) == 30


@pytest.mark.django_db
def test_the_runs_of_a_history_tell_how_many_stretches_were_masked(cast: Cast) -> None:
    taken(cast, [session("s1", "password: s3cr3t_9Kq2 and, beside that, I walk to work every day in spring.")])
    with tenant_scope(cast.agent):
        assert [run.warnings for run in Run.objects.all()] == [[{"reason": "masked", "count": 1}]]
