"""Non-resurrection: what was forgotten or erased does not come back through any door, in any writing."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.db import DatabaseError, connections, transaction
from django.utils import timezone
from pydantic import SecretStr

from memoryapp.domain.errors import DomainError
from memoryapp.domain.types import Door
from memoryapp.domain.write_plan import WritePlan
from memoryapp.models import MemoryItem, Message, Run, Space, Tombstone
from memoryapp.providers import registry
from memoryapp.services import (
    changes,
    consolidation,
    erasure,
    events,
    exports,
    imports,
    memories,
    pipeline,
    tombstones,
    working_memory,
)
from memoryapp.services.events import retry
from memoryapp.services.histories import History
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.origins import Origin
from memoryapp.services.results import EventView, ListFilter
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import active_policy
from memoryapp.services.write_door import apply_write_plan, seal
from tests.cast import Cast, finish, make_cast, only, say, texts
from tests.erasure.steps import carried_out
from tests.llm_stub import LLMStub

pytestmark = pytest.mark.django_db

SAID = "我在青苔巷开了一家修表铺"
FACT = "在青苔巷开了一家修表铺"
WRITINGS = {
    "exact": FACT,
    "punctuation": "在青苔巷，开了一家修表铺。",
    "width": "在青苔巷　开了一家修表铺！",
    "traditional": "在青苔巷開了一家修錶鋪",
}
PARAPHRASES = {
    "paraphrase": "用户是青苔巷一家钟表维修店的店主",
    "translation": "Runs a watch repair shop in Qingtai Lane",
}


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture
def llm(monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMStub]:
    with LLMStub() as stub:
        monkeypatch.setattr(settings.MEMORYAPP, "llm_base_url", stub.base_url)
        monkeypatch.setattr(settings.MEMORYAPP, "llm_model", "stub")
        monkeypatch.setattr(settings.MEMORYAPP, "llm_api_key", SecretStr("stub"))
        registry.reset()
        yield stub
    registry.reset()


def judged(content: str, quote: str = SAID) -> list[dict[str, object]]:
    return [{"action": "ADD", "content": content, "kind": "profile", "confidence": 0.95, "quote": quote}]


def learnt(cast: Cast, llm: LLMStub) -> tuple[EventView, UUID]:
    """Said once in passing, without a cue, and learnt by the judge."""
    llm.forget_script()
    llm.answer(judged(FACT))
    event = accept(cast.agent, "alice", [Incoming("user", SAID, id="m-1"), Incoming("assistant", "好的", id="m-2")])
    finish(cast.agent, event)
    return event, only(cast.agent, "alice")


def forget(cast: Cast, item: UUID) -> None:
    changes.forget(cast.agent, item)


def erase(cast: Cast, item: UUID) -> None:
    carried_out(cast.agent, erasure.erase_item(cast.agent, item))


def download(cast: Cast) -> None:
    """An export of the time before the removal, kept by somebody."""
    job = exports.start(cast.agent, "alice", "jsonl")
    exports.run(cast.agent.tenant_id, job)
    with exports.file_of(cast.agent, job) as file:
        shutil.copy(file.name, Path(settings.MEMORYAPP.data_dir) / "downloaded.zip")


REMOVALS = {"forgotten": forget, "erased": erase}


def everything(cast: Cast) -> list[str]:
    every = ("active", "paused", "pending", "archived", "superseded", "expired")
    return texts(cast.agent, "alice", statuses=every)


def told(cast: Cast, event: EventView) -> list[str]:
    finish(cast.agent, event)
    return [e.reason for e in events.event(cast.agent, event.id).entries]


def again_extraction(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    """The run that learnt it is started again, over the stored messages."""
    with tenant_scope(cast.agent):
        Run.objects.filter(pk=event.id).update(state="failed")
    retry(cast.agent, event.id)
    llm.answer(judged(text), judged(text))
    assert "tombstoned" in told(cast, event)


def again_same_ids(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    llm.answer(judged(text))
    messages = [Incoming("user", SAID, id="m-1"), Incoming("assistant", "好的", id="m-2")]
    finish(cast.agent, accept(cast.agent, "alice", messages))


def again_new_ids(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    llm.answer(judged(text))
    messages = [Incoming("user", SAID, id="n-1"), Incoming("assistant", "好的", id="n-2")]
    finish(cast.agent, accept(cast.agent, "alice", messages))


def again_alone(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    """One message of the conversation, without its neighbours, its id or a cue."""
    llm.answer(judged(text))
    assert "tombstoned" in told(cast, say(cast.agent, "alice", SAID))


def again_other_session(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    llm.answer(judged(text))
    assert "tombstoned" in told(cast, say(cast.agent, "alice", SAID, session="another evening"))


def again_other_agent(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    llm.answer(judged(text))
    assert "tombstoned" in told(cast, accept(cast.agent, "alice", [Incoming("user", SAID)], agent_id="second"))


def again_backfill(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    """Old history sent late, with the time at which it was said, in a conversation that is new to us."""
    llm.answer(judged(text))
    old = datetime.fromisoformat("2026-01-05T09:00:00+08:00")
    said = [Incoming("user", SAID, id="h-1", said_at=old), Incoming("user", "今天下雨", id="h-2", said_at=old)]
    assert {"tombstoned", "duplicate"} & set(told(cast, accept(cast.agent, "alice", said, session="archive")))


def again_echo(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    """The agent repeats it from its own window; a person's small talk stands beside it."""
    llm.answer(judged(text, quote=f"你{FACT}"), judged(text, quote=f"你{FACT}"))
    echo = [Incoming("assistant", f"我记得你{FACT}"), Incoming("user", "今天天气不错，出去走走吧")]
    finish(cast.agent, accept(cast.agent, "alice", echo))


def again_plan(cast: Cast, door: Door, text: str) -> None:
    """A plan as imports and consolidation make it: it reaches the door without having asked the tombstones."""
    with tenant_scope(cast.agent):
        space = Space.objects.get(kind="person", key="alice")
        new = changes.NewItem(text)
        planned = changes._guarded(new, space, active_policy(cast.agent), timezone.now())
        old = Tombstone.objects.get().horizon
        planned = changes.replace(planned, said_at=old)
        origin = Origin(space, door, active_policy(cast.agent), timezone.now(), "alice")
        with pytest.raises(DatabaseError, match="forgotten"), transaction.atomic():
            apply_write_plan(cast.agent, WritePlan(adds=(planned,)), origin)
            seal()


def again_import(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    again_plan(cast, Door.IMPORT, text)


def again_consolidation(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    again_plan(cast, Door.CONSOLIDATION, text)


def imported(cast: Cast, sent: Sequence[Incoming], session: str) -> list[str]:
    """Take a history in and read it as workers would; answers the reasons of its events."""
    job = imports.start(cast.agent, [History("alice", session, tuple(sent))])
    with tenant_scope(cast.agent):
        runs = list(Run.objects.filter(import_job_id=job.id).values_list("pk", flat=True))
        Run.objects.filter(pk__in=runs).update(due_at=timezone.now())
    for run in runs:
        pipeline.extract(cast.agent.tenant_id, run)
    return [e.reason for run in runs for e in events.event(cast.agent, run).entries]


def again_history(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    """A chat history that tells it, imported in bulk; in another session each time, or it would be the same import."""
    llm.answer(judged(text))
    said = [Incoming("user", SAID, id="i-1"), Incoming("user", f"今天下雨 {uuid4().hex}", id="i-2")]
    assert imported(cast, said, f"archive {uuid4().hex}").count("added") == 0


def again_export(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    """The conversations of an export that was downloaded before, imported again."""
    with zipfile.ZipFile(Path(settings.MEMORYAPP.data_dir) / "downloaded.zip") as archive:
        lines = [json.loads(line) for line in archive.read("messages.jsonl").decode().splitlines()]
    assert SAID in {line["text"] for line in lines}
    llm.answer(judged(text))
    sent = [Incoming(line["role"], line["text"], said_at=datetime.fromisoformat(line["said_at"])) for line in lines]
    imported(cast, [*sent, Incoming("user", f"今天下雨 {uuid4().hex}")], f"from the export {uuid4().hex}")


def again_promotion(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    """Said twice in passing, not certain enough each time: nothing waits that the second time could promote."""
    for evening in range(2):
        llm.forget_script()
        llm.answer([{**judged(text)[0], "confidence": 0.4}])
        assert "tombstoned" in told(cast, say(cast.agent, "alice", SAID, session=f"{evening} {uuid4().hex}"))


def again_summary(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    """The summary of the conversation that said it, made anew."""
    with tenant_scope(cast.agent):
        session = Message.objects.values_list("session_id", flat=True)[0]
        working_memory.WorkingMemory.objects.update(summarised_until=None)
    working_memory.summarise(cast.agent.tenant_id, session)
    assert "青苔" not in working_memory.session(cast.agent, working_memory.Address(f"ses_{session.hex}")).summary


def again_episodes(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    """A round of consolidation whose model sums episodes up in the very words."""
    kept = [
        changes.add(cast.agent, "alice", changes.NewItem(f"{day}去了一趟钟表批发市场", kind="event"))[0].id
        for day in ("周一上午", "周三下午", "周五晚上")
    ]
    llm.answer(json.dumps({"summaries": [{"ids": [0, 1, 2], "content": text}]}, ensure_ascii=False))
    round_of_care = consolidation.start(cast.agent, "alice").id
    assert round_of_care is not None
    consolidation.consolidate(cast.agent.tenant_id, round_of_care)
    (step,) = consolidation.status(cast.agent, round_of_care).steps
    assert step[2:] == ("skipped", "tombstoned")
    for one in kept:
        changes.forget(cast.agent, one)
    with tenant_scope(cast.agent):
        Tombstone.objects.filter(item_id__in=kept).update(lifted_at=timezone.now())
        changes.audit.record(cast.agent, "test.cleared", changes.audit.Target("memory", tuple(kept)))


def again_verbatim(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    refused(lambda: changes.add(cast.agent, "alice", changes.NewItem(text)))


def again_edit(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    other, _, _ = changes.add(cast.agent, "alice", changes.NewItem(f"每天早上跑步 {uuid4().hex}"))
    refused(lambda: changes.edit(cast.agent, other.id, {"content": text}, expected_version=None))
    changes.forget(cast.agent, other.id)


def again_version(cast: Cast, llm: LLMStub, event: EventView, item: UUID, text: str) -> None:
    """An older text of another memory, brought back by restoring that version."""
    other, _, _ = changes.add(cast.agent, "alice", changes.NewItem(f"每天早上跑步 {uuid4().hex}"))
    with tenant_scope(cast.agent):
        changes.audit.record(cast.agent, "test.older_text", changes.audit.Target("memory", (other.id,)))
        changes.MemoryVersion.objects.filter(item_id=other.id).update(content=text)
    refused(lambda: changes.restore_version(cast.agent, other.id, 1))
    changes.forget(cast.agent, other.id)


def refused(call: Callable[[], object]) -> None:
    with pytest.raises(DomainError) as error:
        call()
    assert error.value.code == "tombstoned"


Again = Callable[[Cast, LLMStub, EventView, UUID, str], None]
SAME_SOURCE: Mapping[str, Again] = {
    "re-extraction": again_extraction,
    "replay with the same ids": again_same_ids,
    "replay with new ids": again_new_ids,
    "one message again": again_alone,
    "another session": again_other_session,
    "another agent": again_other_agent,
    "backfill": again_backfill,
    "agent echo": again_echo,
    "import of a history": again_history,
    "export and import": again_export,
    "duplicate promotion": again_promotion,
    "session summary": again_summary,
}
OTHER: Mapping[str, Again] = {
    "verbatim add": again_verbatim,
    "edit of another": again_edit,
    "restore of a version": again_version,
    "import": again_import,
    "consolidation": again_consolidation,
    "summary of episodes": again_episodes,
}


@pytest.mark.parametrize("removal", REMOVALS)
@pytest.mark.parametrize("door", SAME_SOURCE | OTHER)
def test_it_stays_dead(cast: Cast, llm: LLMStub, door: str, removal: str) -> None:
    """In every writing; through doors of the same source in other words and in another language, too."""
    event, item = learnt(cast, llm)
    download(cast)
    REMOVALS[removal](cast, item)
    writings = WRITINGS | PARAPHRASES if door in SAME_SOURCE else WRITINGS
    for name, text in writings.items():
        llm.forget_script()
        ({**SAME_SOURCE, **OTHER}[door])(cast, llm, event, item, text)
        assert everything(cast) == [], name


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("removal", REMOVALS)
def test_a_run_in_flight_at_the_time_of_deletion_writes_nothing(cast: Cast, llm: LLMStub, removal: str) -> None:
    """The judge answers after the person has deleted; the run must look again and find the tombstone."""
    _, item = learnt(cast, llm)

    def slow(body: object) -> object:
        REMOVALS[removal](cast, item)
        connections.close_all()
        return {"operations": [{"action": "UPDATE", "target_id": 0, "content": FACT + "和画室", "quote": SAID}]}

    llm.answer(slow, judged(FACT, quote="我说过我在青苔巷开了一家修表铺"))
    finish(cast.agent, say(cast.agent, "alice", "我说过我在青苔巷开了一家修表铺"))
    assert everything(cast) == []


@pytest.mark.django_db(transaction=True)
def test_undo_and_a_replay_at_the_same_time_leave_one(cast: Cast, llm: LLMStub) -> None:
    _, item = learnt(cast, llm)
    changes.forget(cast.agent, item)

    def slow(body: object) -> object:
        changes.restore(cast.agent, item)
        connections.close_all()
        return {"operations": judged(FACT)}

    llm.answer(slow, judged(FACT))
    finish(cast.agent, say(cast.agent, "alice", "记住：" + SAID))
    assert everything(cast) == [FACT]


@pytest.mark.parametrize("removal", REMOVALS)
def test_said_again_on_purpose_it_lives_again_and_the_stone_is_linked(cast: Cast, llm: LLMStub, removal: str) -> None:
    _, item = learnt(cast, llm)
    REMOVALS[removal](cast, item)
    llm.answer(judged(FACT))
    finish(cast.agent, say(cast.agent, "alice", "记住：" + SAID))
    assert everything(cast) == [FACT]
    with tenant_scope(cast.agent):
        stone = Tombstone.objects.get(item_id=item)
        assert stone.lifted_at is not None
        assert stone.lifted_by == only(cast.agent, "alice")


def test_other_words_in_a_new_message_are_a_new_statement(cast: Cast, llm: LLMStub) -> None:
    _, item = learnt(cast, llm)
    erase(cast, item)
    llm.answer(judged("经营一间钟表维修店", quote="顺便说，我经营一间钟表维修店"))
    finish(cast.agent, say(cast.agent, "alice", "顺便说，我经营一间钟表维修店"))
    assert everything(cast) == ["经营一间钟表维修店"]


def test_a_near_repeat_waits_in_the_inbox(cast: Cast, llm: LLMStub) -> None:
    gone, _, _ = changes.add(
        cast.agent, "alice", changes.NewItem("Keeps the spare cellar key under the third flowerpot")
    )
    changes.forget(cast.agent, gone.id)
    near = "Keeps the spare cellar key under the third flowerpot outside"
    item, outcome, _ = changes.add(cast.agent, "alice", changes.NewItem(near))
    assert (outcome, item.status, item.pending_reason) == ("pending", "pending", "similar_to_deleted")
    assert memories.list_items(cast.agent, "alice", ListFilter(pending_only=True)).total == 1


def test_forgetting_takes_nothing_else_with_it_and_suppresses_nobody_for_good(cast: Cast, llm: LLMStub) -> None:
    _, item = learnt(cast, llm)
    changes.add(cast.agent, "bob", changes.NewItem(FACT))
    erase(cast, item)
    assert texts(cast.agent, "bob") == [FACT]
    changes.add(cast.person("alice"), "alice", changes.NewItem(FACT))
    assert everything(cast) == [FACT]
    changes.forget(cast.agent, only(cast.agent, "alice"))
    changes.add(cast.person("alice"), "alice", changes.NewItem(FACT))
    assert everything(cast) == [FACT]


def test_a_living_item_with_the_same_words_in_another_scope_can_still_be_changed(cast: Cast) -> None:
    kept, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Window seats", scope="trains"))
    gone, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Window seats", scope="planes"))
    changes.forget(cast.agent, gone.id)
    assert changes.edit(cast.agent, kept.id, {"pinned": True}, expected_version=None).pinned
    assert changes.pause(cast.agent, kept.id).status == "paused"


def test_rejecting_a_candidate_is_remembered_too(cast: Cast, llm: LLMStub) -> None:
    llm.answer([{**judged(FACT)[0], "confidence": 0.4}])
    finish(cast.agent, say(cast.agent, "alice", SAID))
    (candidate,) = memories.list_items(cast.agent, "alice", ListFilter(pending_only=True)).items
    changes.reject(cast.agent, candidate.id)
    llm.answer(judged(PARAPHRASES["paraphrase"]))
    assert "tombstoned" in told(cast, say(cast.agent, "alice", SAID, session="two"))
    assert everything(cast) == []


def test_the_stone_and_its_masks_hold_no_content(cast: Cast, llm: LLMStub) -> None:
    _, item = learnt(cast, llm)
    forget(cast, item)
    with tenant_scope(cast.agent):
        (stone,) = Tombstone.objects.values()
        (mask,) = tombstones.SourceMask.objects.values()
    assert FACT not in f"{stone}{mask}" and "青苔" not in f"{stone}{mask}"
    assert all(FACT.encode() not in bytes(w) for w in stone["words"])


def test_pipeline_and_messages_are_what_they_were(cast: Cast, llm: LLMStub) -> None:
    """Masking hides from extraction; until it is erased, the stored message itself can be restored by undo."""
    _, item = learnt(cast, llm)
    forget(cast, item)
    with tenant_scope(cast.agent):
        assert Message.objects.filter(text=SAID).exists()
        assert MemoryItem.objects.get(pk=item).content == FACT
    changes.restore(cast.agent, item)
    assert everything(cast) == [FACT]
