"""What clients wrote into working memory themselves: erased with the memory that it repeats, undecided where it may."""

from __future__ import annotations

import pytest

from memoryapp.models import WorkingMemory
from memoryapp.services import (
    changes,
    erasure,
    erasure_steps,
    person_deletion,
    source_purge,
    working_memory,
    working_memory_erasure,
)
from memoryapp.services.results import SessionView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.working_memory import Address, SessionChanges
from tests.cast import Cast, finish, make_cast, say
from tests.erasure.steps import carried_out, said

pytestmark = pytest.mark.django_db
BEES = "Remember that I keep bees in Quillfeather Lane."


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def wrote(cast: Cast, changed: SessionChanges, session: str = "trip", person: str = "alice") -> SessionView:
    return working_memory.change(cast.agent, Address(session, person), changed)


def reads(cast: Cast, session: str = "trip", person: str = "alice") -> SessionView:
    return working_memory.session(cast.agent, Address(session, person))


def step_of(cast: Cast, job: object) -> erasure.Step:
    (step,) = [s for s in carried_out(cast.agent, job).steps if s.name == "working_memory"]  # type: ignore[arg-type]
    return step


def test_what_repeats_an_erased_text_is_taken_out_and_the_receipt_counts_it(cast: Cast) -> None:
    item = said(cast, BEES, session="monday")
    changes.edit(cast.agent, item, {"content": "Keeps eleven hives near Oslo"}, expected_version=None)
    wrote(
        cast,
        SessionChanges(
            "Booked a flight. I keep bees in Quillfeather Lane! Keeps ELEVEN hives, near Oslo. Pays by card.",
            {"hobby": "keeps eleven hives near oslo", "next": "hotel", "由来": ["I keep bees in Quillfeather Lane"]},
            labels=["I keep bees in quillfeather lane", "flight"],
        ),
    )
    wrote(cast, SessionChanges("Weather."), session="other")
    step = step_of(cast, erasure.erase_item(cast.agent, item))
    now = reads(cast)
    assert (now.summary, now.summary_source) == ("Booked a flight. Pays by card.", "client")
    assert (set(now.task_state), now.labels) == ({"next"}, ("flight",))
    assert (step.state, step.evidence) == ("done", {"left": {"working_memories": 0}, "redacted": 1})
    assert reads(cast, "other").summary == "Weather."


def test_an_earlier_value_goes_with_it(cast: Cast) -> None:
    item = said(cast, BEES)
    for hobby in ("I keep bees in Quillfeather Lane", "chess"):
        wrote(cast, SessionChanges(task_state={"hobby": hobby}))
    carried_out(cast.agent, erasure.erase_item(cast.agent, item))
    state = reads(cast).task_state["hobby"]
    assert (state.value, state.earlier) == ("chess", ())


def test_what_may_say_the_same_in_other_words_stays_and_is_called_undecided(cast: Cast) -> None:
    item = said(cast, BEES)
    wrote(cast, SessionChanges("In Quillfeather Lane there are bees that I keep."))
    job = erasure.erase_item(cast.agent, item)
    step = step_of(cast, job)
    assert (step.state, step.evidence) == ("not_verified", {"left": {"working_memories": 0}, "undecided": 1})
    view = erasure.erasure(cast.agent, job)
    assert (view.state, view.levels["derived"]) == ("succeeded", "not_verified")
    assert view.receipt is not None and view.receipt["levels"]["derived"]["state"] == "not_verified"
    assert "bees" in reads(cast).summary


def test_a_summary_that_we_made_is_made_anew(cast: Cast) -> None:
    item = said(cast, BEES, session="monday")
    wrote(cast, SessionChanges(labels=["x"]))
    with tenant_scope(cast.agent):
        rows = WorkingMemory.objects.filter(session__name="trip")
        rows.update(summary="I keep bees in Quillfeather Lane. Sold a boat.", summary_source="llm")
    carried_out(cast.agent, erasure.erase_item(cast.agent, item))
    with tenant_scope(cast.agent):
        assert rows.values_list("summary", "summary_source", "summarised_until")[0] == ("", "", None)


def test_other_peoples_working_memory_is_not_touched(cast: Cast) -> None:
    item = said(cast, BEES)
    theirs = wrote(cast, SessionChanges("I keep bees in Quillfeather Lane."), person="bob")
    carried_out(cast.agent, erasure.erase_item(cast.agent, item))
    assert reads(cast, person="bob").summary == theirs.summary


def test_one_that_changes_meanwhile_is_tried_again(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    item = said(cast, BEES)
    wrote(cast, SessionChanges("I keep bees in Quillfeather Lane."))
    job = erasure.erase_item(cast.agent, item)
    cut = working_memory_erasure.without

    def write_meanwhile(*args: object) -> str:
        monkeypatch.setattr(working_memory_erasure, "without", cut)
        with tenant_scope(cast.agent):
            WorkingMemory.objects.update(version=99)
        return cut(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(working_memory_erasure, "without", write_meanwhile)
    view = carried_out(cast.agent, job)
    assert (view.state, view.error_code) == ("pending", "not_proven")
    with tenant_scope(cast.agent):
        erasure.Erasure.objects.update(due_at=view.created_at)
    assert carried_out(cast.agent, job).state == "succeeded"
    assert reads(cast).summary == ""


def test_sessions_that_go_whole_have_nothing_to_decide(cast: Cast) -> None:
    said(cast, BEES)
    wrote(cast, SessionChanges("In Quillfeather Lane there are bees that I keep."))
    step = step_of(cast, person_deletion.erase_person(cast.agent, "alice", "erase alice"))
    assert (step.state, step.evidence) == ("done", {"left": {"working_memories": 0}})


def test_a_session_counts_once_however_many_chunks_of_items_it_tells(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every item is a chunk of its own here; the session tells both, and may tell both in other words."""
    for fact in ("keep bees in Quillfeather Lane", "sail boats on the Mjosa lake"):
        finish(cast.agent, say(cast.agent, "alice", f"Remember that I {fact}.", session="monday"))
    words = "In Quillfeather Lane there are bees that I keep. On the Mjosa lake there are boats that I sail."
    wrote(cast, SessionChanges(words, labels=["I keep bees in Quillfeather Lane", "I sail boats on the Mjosa lake"]))
    source = source_purge.Source(source_purge.SourceKind.SESSION, "monday")
    job = source_purge.purge(cast.agent, "alice", source, "erase session monday")
    monkeypatch.setattr(erasure_steps, "CHUNK", 1)
    step = step_of(cast, job)
    assert (step.evidence["redacted"], step.evidence["undecided"]) == (1, 1)
