"""kill -9 anywhere in a round of consolidation: the library is as before a step or as after it, and its log says which."""

from __future__ import annotations

from uuid import UUID

import psycopg
import pytest

from memoryapp import audit
from memoryapp.models import ConsolidationRun, ConsolidationStep, Derivation, Evidence, MemoryItem
from memoryapp.services import changes, consolidation
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast
from tests.erasure.test_killed import killed_at
from tests.llm_stub import LLMStub

pytestmark = pytest.mark.django_db(transaction=True)

KINDS = ("merge", "promote", "conflict", "summarise")
POINTS = [f"consolidation.{name}" for name in ("claimed", "planned", "logged", "merge_half", "summarise_half")]
POINTS += [f"consolidation.{kind}_{when}" for kind in KINDS for when in ("unmarked", "marked", "done")]
POINTS += ["consolidation.finish_open"]
SUMMARY = '{"summaries": [{"ids": [0, 1, 2], "content": "经常去爬山"}]}'
State = tuple[tuple[object, ...], ...]


@pytest.fixture
def cast(transactional_db: None, llm: LLMStub) -> Cast:
    llm.answer(*[SUMMARY] * 4)
    return make_cast()


def furnish(cast: Cast, person: str) -> None:
    """Something for every kind of step."""
    for content in ("先跑测试再提交", "提交前先跑测试", "跑完测试再提交", "喜欢喝冰美式咖啡", "不喜欢喝冰美式咖啡"):
        changes.add(cast.agent, person, changes.NewItem(content))
    for content in ("周一去爬了香山", "周三去爬了泰山", "周五去爬了黄山"):
        changes.add(cast.agent, person, changes.NewItem(content, kind="event"))
    ripe, _, _ = changes.add(cast.agent, person, changes.NewItem("Keeps bees"))
    with tenant_scope(cast.agent):
        audit.record(cast.agent, "test.set", audit.Target("memory", (ripe.id,)))
        MemoryItem.objects.filter(pk=ripe.id).update(status="pending", pending_reason="below_threshold")
        again = Evidence.objects.get(item=ripe.id)
        again.pk, again.id = None, changes.Use._meta.pk.get_default()
        again.said_at = again.said_at.replace(year=2025)
        again.save(force_insert=True)


def library(cast: Cast, person: str) -> State:
    """All that a round changes, by texts: it is the same for two people with the same memories."""
    with tenant_scope(cast.agent):
        items = list(MemoryItem.objects.filter(space__key=person))
        texts = {i.pk: i.content for i in items}
        made_of = sorted(
            (texts[d.item_id], texts[d.source_id], d.relation) for d in Derivation.objects.filter(item__in=items)
        )
        return tuple(
            sorted(
                (
                    i.content,
                    i.status,
                    i.version,
                    i.versions.count(),
                    i.pending_reason,
                    texts.get(i.superseded_by_id, ""),
                )
                for i in items
            )
        ) + tuple(made_of)


def steps(cast: Cast, run: UUID) -> list[tuple[str, str]]:
    with tenant_scope(cast.agent):
        rows = ConsolidationStep.objects.filter(run=run).order_by("position")
        return list(rows.values_list("kind", "state"))


def allowed(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> list[State]:
    """The library before the first step and after each of them, from a round over Bob's equal memories."""
    furnish(cast, "bob")
    states, real = [library(cast, "bob")], consolidation._carry_out

    def carry_out(*args: object) -> None:
        real(*args)  # type: ignore[arg-type]
        states.append(library(cast, "bob"))

    with monkeypatch.context() as patch:
        patch.setattr(consolidation, "_carry_out", carry_out)
        run = consolidation.start(cast.agent, "bob").id
        assert run is not None
        consolidation.consolidate(cast.agent.tenant_id, run)
    assert steps(cast, run) == [(kind, "done") for kind in KINDS]
    assert len(set(states)) == len(KINDS) + 1
    return states


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_round_leaves_whole_steps_and_the_next_one_finishes_it(
    cast: Cast, superuser: psycopg.Connection, monkeypatch: pytest.MonkeyPatch, point: str
) -> None:
    states = allowed(cast, monkeypatch)
    furnish(cast, "alice")
    run = consolidation.start(cast.agent, "alice").id
    assert run is not None
    killed_at(point, "consolidate", cast, run)
    between, logged = library(cast, "alice"), steps(cast, run)
    done = [kind for kind, state in logged if state == "done"]
    assert between == states[len(done)]
    assert done == list(KINDS)[: len(done)]
    assert len(done) == committed(point)
    consolidation.consolidate(cast.agent.tenant_id, run)
    assert (library(cast, "alice"), consolidation.status(cast.agent, run).state) == (between, "running")
    superuser.execute("UPDATE memoryapp_consolidationrun SET lease_until = now() - interval '1 second'")
    consolidation.consolidate(cast.agent.tenant_id, run)
    assert consolidation.status(cast.agent, run).state == "succeeded"
    assert library(cast, "alice") == states[-1]
    assert {state for _, state in steps(cast, run)} <= {"done", "skipped"}
    with tenant_scope(cast.agent):
        assert not ConsolidationStep.objects.exclude(content="").exists()
        assert not ConsolidationRun.objects.exclude(state="succeeded").exists()


def committed(point: str) -> int:
    """How many steps had their commit when the process died."""
    kind, _, when = point.removeprefix("consolidation.").rpartition("_")
    if kind == "finish":
        return len(KINDS)
    return KINDS.index(kind) + (when == "done") if kind in KINDS else 0
