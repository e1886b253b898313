"""A change of the embedding model, against two real embedding servers of different dimensions."""

from __future__ import annotations

import io
import os
import signal
import warnings
from collections.abc import Callable, Iterator, Sequence
from uuid import UUID

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, connections
from pydantic import SecretStr

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError, ProviderError
from memoryapp.domain.types import ReembeddingState as State
from memoryapp.management.commands import doctor
from memoryapp.models import AuditEvent, Reembedding, RetrievalEntry
from memoryapp.providers import registry
from memoryapp.retrieval import query_vectors
from memoryapp.services import changes, embedding_choice, housekeeping, recall, reembedding, tenants, vectors
from memoryapp.services.embedding_choice import answering
from memoryapp.services.recall import Wanted
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast
from tests.llm_stub import LLMStub

pytestmark = pytest.mark.django_db(transaction=True)
OLD, NEW = "old-model", "new-model"
TEXTS = ("Keeps bees on the roof", "在屋顶养蜜蜂", "The kiln fires at noon", "每周三学陶艺")


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    query_vectors.look_again()
    return make_cast()


@pytest.fixture
def old() -> Iterator[LLMStub]:
    with LLMStub(dimensions=8) as stub:
        yield stub


@pytest.fixture
def new(old: LLMStub, monkeypatch: pytest.MonkeyPatch) -> Iterator[LLMStub]:
    """The second server; the first one is the embedder in use."""
    with LLMStub(dimensions=24) as stub:
        for prefix, server, model in (("", old, OLD), ("next_", stub, NEW)):
            monkeypatch.setattr(settings.MEMORYAPP, f"{prefix}embedding_base_url", server.base_url)
            monkeypatch.setattr(settings.MEMORYAPP, f"{prefix}embedding_model", model)
            monkeypatch.setattr(settings.MEMORYAPP, f"{prefix}embedding_api_key", SecretStr("stub"))
        registry.reset()
        yield stub
    registry.reset()


def silent(made: int, items: int) -> None:
    """Hears the progress and says nothing."""


def tenant(cast: Cast) -> UUID:
    return cast.agent.tenant_id


def add(actor: Actor, *contents: str) -> list[UUID]:
    made = [changes.add(actor, "alice", changes.NewItem(content))[0].id for content in contents]
    while vectors.sync_vectors(actor.tenant_id):
        pass
    return made


def meant(actor: Actor, text: str) -> float | None:
    """The meaning part of the hit that is the text itself: 1 when its vector of the answering model was compared."""
    hits = recall.answer(actor, "alice", text, Wanted()).hits
    part = next(hit.parts["meaning"] for hit in hits if hit.item.content == text)
    return None if part is None else round(part, 2)


def places(cast: Cast) -> set[tuple[str, str]]:
    """Models of the first and of the second vector of every row."""
    with tenant_scope(cast.agent):
        return set(RetrievalEntry.objects.values_list("embedding_model", "spare_model"))


def asked(stub: LLMStub) -> list[str]:
    return [text for body in stub.embedding_requests for text in body["input"]]


def test_the_old_model_answers_until_every_vector_of_the_new_one_is_there(
    cast: Cast, old: LLMStub, new: LLMStub
) -> None:
    add(cast.agent, *TEXTS)
    seen: list[tuple[int, int]] = []

    def told(made: int, items: int) -> None:
        seen.append((made, items))
        assert answering(tenant(cast)).model == OLD
        assert [meant(cast.agent, text) for text in TEXTS] == [1.0] * 4

    change = reembedding.begin(tenant(cast))
    assert change is not None and (change.answering, change.made, change.items) == (OLD, 0, 4)
    reembedding.fill(tenant(cast), NEW, OLD, told)
    assert seen == [(4, 4)]
    assert places(cast) == {(OLD, NEW)}

    done = reembedding.carry_out(tenant(cast), silent)
    assert done is not None and (done.answering, done.state, done.made) == (NEW, State.SWITCHED, 4)
    assert places(cast) == {(NEW, OLD)}
    new.embedding_requests.clear()
    answer = recall.answer(cast.agent, "alice", "在屋顶养蜜蜂", Wanted())
    assert asked(new) == ["在屋顶养蜜蜂"]
    assert answer.notes == ()
    assert [meant(cast.agent, text) for text in TEXTS] == [1.0] * 4
    assert reembedding.carry_out(tenant(cast), silent) == done


def in_another_process(work: Callable[[], object], failpoint: str = "") -> int:
    """The status with which the other process ended; this one goes on by what it has read before."""
    connections.close_all()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # forking beside threads, which the child does not use
        child = os.fork()
    if child == 0:
        os.environ["FAILPOINT"] = failpoint
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


def killed_at(point: str, tenant_id: UUID) -> None:
    status = in_another_process(lambda: reembedding.carry_out(tenant_id, silent), point)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL


def turned_round(cast: Cast, items: Sequence[UUID]) -> None:
    with tenant_scope(cast.agent), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memoryapp_retrievalentry SET embedding = spare_embedding, embedding_model = spare_model, "
            "spare_embedding = embedding, spare_model = embedding_model WHERE id = ANY (%s::uuid[])",
            [list(items)],
        )


def once_between_batches(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object]) -> None:
    """Have something else happen after the first batch that changes rows."""
    waiting = [work]
    monkeypatch.setattr(reembedding, "failpoint", lambda name: waiting.pop()() if waiting else None)


def test_a_killed_job_goes_on_where_it_was(cast: Cast, new: LLMStub) -> None:
    texts = [f"Shelf {n} holds the jar number {n * 7}" for n in range(reembedding.BATCH + 6)]
    add(cast.agent, *texts)
    killed_at("reembedding.batch", tenant(cast))
    change = reembedding.change_of(tenant(cast))
    assert change is not None and (change.made, change.answering) == (reembedding.BATCH, OLD)
    assert meant(cast.agent, texts[3]) == meant(cast.agent, texts[-1]) == 1.0

    reembedding.carry_out(tenant(cast), silent)
    assert sorted(asked(new)) == sorted(texts)
    assert answering(tenant(cast)).model == NEW
    assert meant(cast.agent, texts[3]) == meant(cast.agent, texts[-1]) == 1.0


def test_a_job_killed_while_vectors_change_places_is_ended_by_the_next_one(
    cast: Cast, new: LLMStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(cast.agent, *TEXTS)
    reembedding.begin(tenant(cast))
    reembedding.fill(tenant(cast), NEW, OLD, silent)
    monkeypatch.setattr(reembedding, "MOVED", 2)
    monkeypatch.setattr(embedding_choice, "SECONDS", 60.0)
    assert answering(tenant(cast)).model == OLD
    killed_at("reembedding.moved", tenant(cast))
    assert places(cast) == {(NEW, OLD), (OLD, NEW)}
    for model in (OLD, NEW):  # this process goes by the old one for a moment, as it read it before the switch
        assert answering(tenant(cast)).model == model
        assert [meant(cast.agent, text) for text in TEXTS] == [1.0] * 4
        embedding_choice.look_again(tenant(cast))
    reembedding.carry_out(tenant(cast), silent)
    assert places(cast) == {(NEW, OLD)}


def test_a_vector_is_found_in_either_place(cast: Cast, new: LLMStub) -> None:
    items = add(cast.agent, *TEXTS)
    reembedding.carry_out(tenant(cast), silent)
    turned_round(cast, items[:2])
    assert places(cast) == {(NEW, OLD), (OLD, NEW)}
    assert [meant(cast.agent, text) for text in TEXTS] == [1.0] * 4
    assert recall.answer(cast.agent, "alice", TEXTS[0], Wanted()).notes == ()
    housekeeping.clean(tenant(cast))
    assert places(cast) == {(NEW, OLD)}


def test_what_is_written_or_edited_meanwhile_gets_both_vectors(cast: Cast, new: LLMStub) -> None:
    items = add(cast.agent, *TEXTS)
    late: list[str] = []

    def told(made: int, items_: int) -> None:
        if not late:
            late.append("A late guest arrives 迟到的客人")
            changes.add(cast.agent, "alice", changes.NewItem(late[0]))
            changes.edit(cast.agent, items[0], {"content": "Keeps hens on the roof"})

    done = reembedding.carry_out(tenant(cast), told)
    assert done is not None and done.made == done.items == 5
    assert meant(cast.agent, late[0]) == meant(cast.agent, "Keeps hens on the roof") == 1.0
    changes.add(cast.agent, "alice", changes.NewItem("After the switch 切换之后"))
    vectors.sync_vectors(tenant(cast))
    reembedding.catch_up(tenant(cast))
    assert places(cast) == {(NEW, OLD)}


def test_a_change_taken_back_leaves_the_old_model_answering_whole(cast: Cast, new: LLMStub) -> None:
    add(cast.agent, *TEXTS)
    reembedding.carry_out(tenant(cast), silent)
    changes.add(cast.agent, "alice", changes.NewItem("Made by the new model 新模型写的"))
    vectors.sync_vectors(tenant(cast))
    change = reembedding.roll_back(tenant(cast), silent)
    assert (change.answering, change.state) == (OLD, State.ROLLED_BACK)
    assert [meant(cast.agent, text) for text in (*TEXTS, "Made by the new model 新模型写的")] == [1.0] * 5
    assert places(cast) == {(OLD, NEW)}
    new.embedding_requests.clear()
    again = reembedding.carry_out(tenant(cast), silent)
    assert again is not None and again.answering == NEW
    assert asked(new) == []


def test_finishing_drops_the_vectors_that_no_longer_answer_and_then_nothing_is_taken_back(
    cast: Cast, new: LLMStub
) -> None:
    add(cast.agent, *TEXTS)
    reembedding.carry_out(tenant(cast), silent)
    assert {(h.model, h.dimensions, h.count) for h in reembedding.held(tenant(cast))} == {(NEW, 24, 4), (OLD, 8, 4)}
    assert reembedding.finish(tenant(cast)).state is State.FINISHED
    assert places(cast) == {(NEW, "")}
    assert [(h.model, h.dimensions, h.count) for h in reembedding.held(tenant(cast))] == [(NEW, 24, 4)]
    with pytest.raises(DomainError):
        reembedding.roll_back(tenant(cast), silent)
    assert [meant(cast.agent, text) for text in TEXTS] == [1.0] * 4


def test_a_worker_that_has_not_heard_of_the_switch_neither_moves_nor_drops_the_answering_vectors(
    cast: Cast, new: LLMStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(cast.agent, *TEXTS)
    monkeypatch.setattr(embedding_choice, "SECONDS", 60.0)
    assert answering(tenant(cast)).model == OLD
    assert in_another_process(lambda: reembedding.carry_out(tenant(cast), silent)) == 0
    reembedding.bring_forward(tenant(cast))
    assert places(cast) == {(NEW, OLD)}
    assert in_another_process(lambda: reembedding.finish(tenant(cast))) == 0
    assert reembedding.begin(tenant(cast)) is None
    housekeeping.clean(tenant(cast))
    assert answering(tenant(cast)).model == OLD
    assert places(cast) == {(NEW, "")}


def test_vectors_turned_round_while_the_others_are_dropped_are_kept(
    cast: Cast, new: LLMStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = add(cast.agent, *TEXTS)
    reembedding.carry_out(tenant(cast), silent)
    monkeypatch.setattr(reembedding, "MOVED", 1)
    once_between_batches(monkeypatch, lambda: turned_round(cast, items))
    reembedding.finish(tenant(cast))
    with tenant_scope(cast.agent):
        assert RetrievalEntry.objects.filter(embedding=None).count() == 0
    assert places(cast) == {(NEW, "")}
    assert [meant(cast.agent, text) for text in TEXTS] == [1.0] * 4


def test_a_change_taken_back_while_it_is_finished_stays_taken_back(
    cast: Cast, new: LLMStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = add(cast.agent, *TEXTS)
    reembedding.carry_out(tenant(cast), silent)
    turned_round(cast, items)
    once_between_batches(monkeypatch, lambda: reembedding.roll_back(tenant(cast), silent))
    change = reembedding.finish(tenant(cast))
    assert (change.answering, change.state) == (OLD, State.FINISHED)
    assert places(cast) == {(OLD, "")}
    assert [meant(cast.agent, text) for text in TEXTS] == [1.0] * 4


def test_a_job_of_an_earlier_change_writes_nothing_into_the_present_one(
    cast: Cast, new: LLMStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(cast.agent, *TEXTS)

    def told(made: int, items: int) -> None:
        with tenant_scope(cast.agent):
            Reembedding.objects.update(from_model=OLD, to_model="a-third-model", answering="a-third-model")
            RetrievalEntry.objects.update(embedding_model="a-third-model")

    with pytest.raises(DomainError) as caught:
        reembedding.carry_out(tenant(cast), told)
    assert "begun meanwhile" in caught.value.detail
    reembedding.fill(tenant(cast), NEW, OLD, silent)
    assert {front for front, _ in places(cast)} == {"a-third-model"}


def test_a_state_that_nobody_knows_is_refused_by_the_database(cast: Cast, new: LLMStub) -> None:
    reembedding.begin(tenant(cast))
    with pytest.raises(IntegrityError, match="reembedding_state_known"), tenant_scope(cast.agent):
        Reembedding.objects.update(state="halfway")


def test_the_new_settings_take_the_place_of_the_old_ones_after_the_finish(
    cast: Cast, new: LLMStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(cast.agent, *TEXTS)
    reembedding.carry_out(tenant(cast), silent)
    reembedding.finish(tenant(cast))
    for name in ("base_url", "model"):
        monkeypatch.setattr(
            settings.MEMORYAPP, f"embedding_{name}", getattr(settings.MEMORYAPP, f"next_embedding_{name}")
        )
        monkeypatch.setattr(settings.MEMORYAPP, f"next_embedding_{name}", "")
    registry.reset()
    assert vectors.foreign(tenant(cast)) == 0
    assert [meant(cast.agent, text) for text in TEXTS] == [1.0] * 4


def test_a_text_that_the_new_model_refuses_holds_the_switch_and_not_the_others(cast: Cast, new: LLMStub) -> None:
    add(cast.agent, *TEXTS)
    new.failing_texts = {"kiln"}
    with pytest.raises(DomainError) as caught:
        reembedding.carry_out(tenant(cast), silent)
    assert "1 texts were refused" in caught.value.detail
    change = reembedding.change_of(tenant(cast))
    assert change is not None and (change.made, change.answering) == (3, OLD)
    done = reembedding.carry_out(tenant(cast), silent, accept_missing=True)
    assert done is not None and done.answering == NEW
    hits = recall.search(cast.agent, "alice", "the kiln at noon")
    assert "The kiln fires at noon" in [hit.item.content for hit in hits]


def test_a_new_model_that_is_away_stops_the_job_and_changes_nothing(cast: Cast, new: LLMStub) -> None:
    add(cast.agent, *TEXTS)
    new.failing_texts = {""}
    with pytest.raises(ProviderError):
        reembedding.carry_out(tenant(cast), silent)
    assert answering(tenant(cast)).model == OLD
    assert [meant(cast.agent, text) for text in TEXTS] == [1.0] * 4


def test_one_tenants_change_is_not_its_neighbours(cast: Cast, new: LLMStub) -> None:
    add(cast.agent, *TEXTS)
    add(cast.charlie, "Charlie paints boats")
    reembedding.carry_out(tenant(cast), silent)
    assert answering(cast.charlie.tenant_id).model == OLD
    assert reembedding.change_of(cast.charlie.tenant_id) is None
    assert meant(cast.charlie, "Charlie paints boats") == 1.0
    with tenant_scope(cast.charlie):
        assert not AuditEvent.objects.filter(action__startswith="embedding.").exists()


def test_housekeeping_keeps_both_models_while_the_change_lasts(cast: Cast, new: LLMStub) -> None:
    add(cast.agent, *TEXTS)
    reembedding.carry_out(tenant(cast), silent)
    reembedding.roll_back(tenant(cast), silent)
    housekeeping.clean(tenant(cast))
    assert vectors.foreign(tenant(cast)) == 0
    assert places(cast) == {(OLD, NEW)}


def test_two_embedders_of_one_name_are_refused_at_the_start(new: LLMStub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings.MEMORYAPP, "next_embedding_model", OLD)
    with pytest.raises(ImproperlyConfigured, match="must differ"):
        registry.check()


def run(*arguments: str) -> str:
    out = io.StringIO()
    call_command("reembed", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_command_changes_takes_back_and_finishes_and_says_where_it_stands(cast: Cast, new: LLMStub) -> None:
    add(cast.agent, *TEXTS)
    assert f"{OLD} answers" in run("--status", "--tenant", "ours")
    done = run()
    assert f"{tenant(cast)}: {NEW} answers; {OLD} → {NEW} is switched, 4 of 4" in done
    assert f"4 vectors of {OLD}, 8 numbers, kept beside" in done
    assert {answering(one).model for one in tenants.tenant_ids()} == {NEW}
    assert f"{OLD} answers; {OLD} → {NEW} is rolled_back" in run("--rollback")
    assert f"{NEW} answers" in run()
    assert "kept beside" not in run("--finish")
    with pytest.raises(CommandError, match="finished cannot become rolled_back"):
        run("--rollback")


def test_the_doctor_tells_vectors_by_model_and_an_open_change(cast: Cast, new: LLMStub) -> None:
    def told() -> str:
        checks = (doctor.check_second_embedder, doctor.check_vectors)
        findings = [finding for check in checks for finding in check()]
        assert not any(finding.mend for finding in findings)
        return "\n".join(finding.text for finding in findings)

    add(cast.agent, *TEXTS)
    assert told().splitlines() == [f"{NEW} gives 24 dimensions", f"no stranger among them: 4 of {OLD} (8 numbers)"]
    reembedding.begin(tenant(cast))
    assert f"{OLD} → {NEW} is filling for 1 tenants, 0 of 4 vectors made" in told()
    reembedding.carry_out(tenant(cast), silent)
    assert f"4 of {NEW} (24 numbers), 4 of {OLD} (8 numbers)" in told()
    reembedding.finish(tenant(cast))
    assert "is finished" not in told()
    new.failing_texts = {""}
    (away,) = doctor.check_second_embedder()
    assert away.mend == "correct the NEXT_EMBEDDING_… settings"
