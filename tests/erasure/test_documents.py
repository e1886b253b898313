"""Everything from one document, web page or tool: found by its name or id in whatever conversation it was sent."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.test import Client
from django.urls import reverse

from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.models import Evidence, Message, Run
from memoryapp.services import access, changes, holdings, pipeline, restore_safety, source_purge, working_memory
from memoryapp.services.inbox import inbox
from memoryapp.services.ingest import Incoming, accept
from memoryapp.services.scope import tenant_scope
from memoryapp.services.source_purge import Source, SourceKind
from memoryapp.services.working_memory import Address
from tests.api.http import call, refused
from tests.cast import Cast, finish, make_cast, say, texts
from tests.erasure.steps import carried_out
from tests.llm_stub import LLMStub
from tests.web.stage import PASSWORD, browser_of

pytestmark = pytest.mark.django_db
LEASE = "The rent of the flat in Quillfeather Lane is 900 euros a month."
HANDBOOK = Source(SourceKind.DOCUMENT, "lease.pdf")


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def said_in(session: str) -> str:
    return f"Remember that I rest on {session}."


def send(cast: Cast, session: str, *, name: str = "lease.pdf", id: str = "", role: str = "document") -> UUID:
    """A conversation in which a document was sent and something else said; answers the run."""
    sent = [Incoming(role, LEASE, id=id, name=name), Incoming("user", said_in(session))]
    return accept(cast.agent, "alice", sent, session=session).id


def learnt(cast: Cast, name: str = "lease.pdf", content: str = "Pays 900 euros of rent.") -> UUID:
    """An item that this document taught: its evidence is a message of the document."""
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem(content))
    with tenant_scope(cast.agent):
        message = Message.objects.filter(speaker=name).latest("id")
        proof = Evidence.objects.filter(item=item.id)
        proof.update(role=message.role, speaker=name, message_id=message.pk, session=message.session, quote=LEASE)
    return item.id


def purged(cast: Cast, source: Source = HANDBOOK) -> UUID:
    phrase = source_purge.impact(cast.agent, "alice", source).phrases[0]
    return source_purge.purge(cast.agent, "alice", source, phrase)


def held(cast: Cast) -> list[str]:
    with tenant_scope(cast.agent):
        return sorted(text for text in Message.objects.values_list("text", flat=True) if text)


@pytest.mark.parametrize("role", ["document", "web", "tool"])
def test_what_a_document_taught_goes_with_its_messages_and_the_conversations_stay(cast: Cast, role: str) -> None:
    for session in ("monday", "tuesday"):
        run = send(cast, session, role=role)
        pipeline.extract(cast.agent.tenant_id, run)
    learnt(cast)
    impact = source_purge.impact(cast.agent, "alice", HANDBOOK)
    assert (impact.items, impact.sessions, impact.messages, impact.evidence) == (1, 0, 2, 1)
    assert impact.phrases == ("erase document lease.pdf", "永久删除 document lease.pdf")
    job = purged(cast)
    assert texts(cast.agent, "alice") == ["I rest on tuesday", "I rest on monday"]
    assert held(cast) == [said_in("monday"), said_in("tuesday")]
    view = carried_out(cast.agent, job)
    (step,) = [s for s in view.steps if s.name == "documents"]
    assert (view.state, step.evidence) == ("succeeded", {"left": {"messages": 0}})
    assert view.receipt is not None and view.receipt["counts"] == {
        "items": 1,
        "versions": 1,
        "sessions": 0,
        "messages": 2,
    }
    with tenant_scope(cast.agent):
        assert set(Message.objects.values_list("role", flat=True)) == {"user"}
    with pytest.raises(NotFound):
        purged(cast)


def test_a_document_is_named_by_its_id_as_well(cast: Cast) -> None:
    pipeline.extract(cast.agent.tenant_id, send(cast, "monday", name="", id="doc-42"))
    carried_out(cast.agent, purged(cast, Source(SourceKind.DOCUMENT, "doc-42")))
    assert held(cast) == [said_in("monday")]


def test_what_somebody_said_too_stays_without_the_documents_evidence(cast: Cast) -> None:
    pipeline.extract(cast.agent.tenant_id, send(cast, "monday"))
    item = learnt(cast)
    with tenant_scope(cast.agent):
        own = Evidence.objects.get(item=item)
        own.pk, own.id, own.role, own.speaker = None, changes.Use._meta.pk.get_default(), "user", ""
        own.message_id = own.session = None  # type: ignore[assignment]
        own.quote = "I pay 900 euros."
        own.save(force_insert=True)
    carried_out(cast.agent, purged(cast))
    assert "Pays 900 euros of rent." in texts(cast.agent, "alice")
    with tenant_scope(cast.agent):
        assert [e.quote for e in Evidence.objects.filter(item=item)] == ["I pay 900 euros."]


def test_another_document_and_another_persons_copy_stay(cast: Cast) -> None:
    pipeline.extract(cast.agent.tenant_id, send(cast, "monday", name="other.pdf"))
    accept(cast.agent, "bob", [Incoming("document", LEASE, name="lease.pdf")])
    send(cast, "tuesday")
    carried_out(cast.agent, purged(cast))
    assert held(cast).count(LEASE) == 2


def test_a_user_who_bears_the_documents_name_is_no_document(cast: Cast) -> None:
    accept(cast.agent, "alice", [Incoming("user", "Remember that I ski.", name="lease.pdf", id="lease.pdf")])
    with pytest.raises(NotFound):
        purged(cast)


def test_a_run_that_has_read_the_document_reads_again_without_it(cast: Cast, llm: LLMStub) -> None:
    run = send(cast, "monday")
    with tenant_scope(cast.agent):
        Run.objects.filter(pk=run).update(state="running", attempt=1)
    purged(cast)
    with tenant_scope(cast.agent):
        assert Run.objects.get(pk=run).state == "pending"
    pipeline.extract(cast.agent.tenant_id, run)
    assert llm.requests and "Quillfeather" not in str(llm.requests)


def test_the_summary_of_the_conversation_is_made_anew_without_it(cast: Cast) -> None:
    pipeline.extract(cast.agent.tenant_id, send(cast, "monday"))
    with tenant_scope(cast.agent):
        session = Message.objects.filter(speaker="lease.pdf").values_list("session_id", flat=True)[0]
    working_memory.summarise(cast.agent.tenant_id, session)
    with tenant_scope(cast.agent):
        rows = source_purge.WorkingMemory.objects.filter(session_id=session)
        rows.update(summary="The rent in Quillfeather Lane is 900.", summary_source="llm")
    purged(cast)
    assert "Quillfeather" not in working_memory.session(cast.agent, Address("monday", "alice")).summary


def test_after_an_old_dump_the_document_goes_again(cast: Cast) -> None:
    pipeline.extract(cast.agent.tenant_id, send(cast, "monday"))
    job = purged(cast)
    with tenant_scope(cast.agent):
        source_purge.erasure.ErasureStep.objects.all().delete()
        source_purge.erasure.Erasure.objects.all().delete()
        Message.objects.filter(role="document").update(text=LEASE, speaker="lease.pdf")
    line = {"tenant": cast.agent.tenant_id, "id": job, "kind": "source"}
    with tenant_scope(cast.agent):
        space = source_purge.Space.objects.get(key="alice")
        sent = list(Message.objects.filter(role="document").values_list("pk", flat=True))
    restore_safety._erase_again(
        {**line, "space": space.pk, "items": [], "evidence": [], "sessions": [], "messages": sent}
    )
    assert LEASE not in held(cast)
    carried_out(cast.agent, job)
    with tenant_scope(cast.agent):
        assert not Message.objects.filter(role="document").exists()


def test_over_http(cast: Cast) -> None:
    pipeline.extract(cast.agent.tenant_id, send(cast, "monday"))
    source = {"user_id": "alice", "source_kind": "document", "source_id": "lease.pdf"}
    seen = call(cast.key, "POST", "erasures", {**source, "dry_run": True}).json()
    assert seen["impact"]["messages"] == 1
    begun = call(cast.key, "POST", "erasures", {**source, "confirm": seen["confirm_with"][0]})
    assert begun.status_code == 202 and LEASE not in held(cast)
    refused(call(cast.key, "POST", "erasures", {**source, "source_id": "", "dry_run": True}), 400, "invalid")


def test_on_the_page_a_document_stands_among_the_sources(cast: Cast) -> None:
    send(cast, "monday")
    send(cast, "tuesday", name="", id="doc-42")
    assert [s.name for s in holdings.holdings(cast.agent, "alice").sources if s.kind is SourceKind.DOCUMENT] == [
        "doc-42",
        "lease.pdf",
    ]
    alice: Client = browser_of(access.add_person(cast.agent, "a@example.org", "member", "alice", password=PASSWORD))
    page = alice.get(reverse("privacy")).content.decode()
    assert '<option value="document lease.pdf">Document, web page or tool lease.pdf</option>' in page
    text = alice.get(reverse("purge"), {"source": "document lease.pdf"}).content.decode()
    assert "Stored messages" in text and "erase document lease.pdf" in text
    alice.post(reverse("purge"), {"source": "document lease.pdf", "confirm": "erase document lease.pdf"})
    assert held(cast).count(LEASE) == 1
    assert alice.get(reverse("purge"), {"source": "document"}).status_code == 400


def test_a_candidate_from_a_document_goes_too(cast: Cast) -> None:
    """Text of a document that asks to be remembered waits for the person; until then it has the document as evidence."""
    asks = [Incoming("document", "请记住：房租每月九百欧元", name="lease.pdf"), Incoming("user", "记住：我喜欢爵士乐")]
    finish(cast.agent, accept(cast.agent, "alice", asks))
    waiting = inbox(cast.agent, "alice").entries
    carried_out(cast.agent, purged(cast))
    assert inbox(cast.agent, "alice").entries == () and len(texts(cast.agent, "alice")) == 1
    assert waiting != ()
    finish(cast.agent, say(cast.agent, "alice", "记住：房租每月九百欧元"))
    assert len(texts(cast.agent, "alice")) == 2


def test_a_document_without_a_name_cannot_be_asked_for(cast: Cast) -> None:
    with pytest.raises(DomainError, match="invalid"):
        source_purge.impact(cast.agent, "alice", Source(SourceKind.DOCUMENT))
