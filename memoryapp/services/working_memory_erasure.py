"""The step of an erasure that looks into working memory: what clients wrote themselves, and what was summed up.

What repeats an erased text is taken out, sentence by sentence and entry by entry. What only uses the same words may say
the same: nobody can decide that by rule, so it stays, is counted, and the receipt says `not_verified`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from uuid import UUID

from django.db.models import F, Q, QuerySet

from memoryapp.domain.redaction import Sought, labels_without, may_tell, sought, state_without, tells, texts_of, without
from memoryapp.domain.working_memory import state_from_json, state_to_json
from memoryapp.failpoints import failpoint
from memoryapp.models import Evidence, MemoryItem, WorkingMemory
from memoryapp.providers.script_folding import to_simplified
from memoryapp.services.erasure_steps import Job, Proven, chunks
from memoryapp.services.item_texts import texts_of_items
from memoryapp.services.scope import tenant_scope


def working_memory(job: Job) -> Proven:
    """In every session of the same people, counted once each. It goes before the items, whose texts it needs."""
    redacted, left, undecided = set[UUID](), set[UUID](), set[UUID]()
    for ids in chunks(job.item_ids):
        with tenant_scope(job.actor):
            job.fence(0)
            versions, quotes = texts_of_items(job.actor, MemoryItem.objects.filter(pk__in=ids))
            what, rows = sought({*versions, *quotes}, to_simplified), _of_the_same_people(job, ids)
            redacted.update(row.pk for row in rows if _redacted(row, what))
        failpoint("erasure.working_memory")
        with tenant_scope(job.actor):
            for row in _of_the_same_people(job, ids):
                told = tuple(_told(row))
                left.update({row.pk} if any(tells(text, what, to_simplified) for text in told) else ())
                undecided.update({row.pk} if any(may_tell(text, what, to_simplified) for text in told) else ())
    return Proven(
        "sentences and entries that repeat an erased text taken out, looked for again",
        {"working_memories": len(left)},
        redacted=len(redacted),
        undecided=len(undecided),
    )


def _of_the_same_people(job: Job, ids: Sequence[UUID]) -> QuerySet[WorkingMemory]:
    """Sessions that are erased whole have their own step."""
    told = Evidence.objects.filter(item_id__in=ids).exclude(session=None).values("session__space_id")
    home = Q(space__in=MemoryItem.objects.filter(pk__in=ids).values("space_id")) | Q(space__in=told)
    return WorkingMemory.objects.filter(home).exclude(session_id__in=job.session_ids)


def _redacted(row: WorkingMemory, what: Sought) -> bool:
    """Take out what tells, unless the row changed meanwhile: then it still tells, and the step is tried again.

    A summary that we made is not cut but made anew, so that one in the making does not bring the sentence back.
    """
    summary = without(row.summary, what, to_simplified)
    values: dict[str, object] = {
        "task_state": state_to_json(state_without(state_from_json(row.task_state), what, to_simplified)),
        "labels": labels_without(row.labels, what, to_simplified),
    }
    if summary != row.summary:
        ours = row.summary_source != "client"
        values |= {"summary": "" if ours else summary, "summary_source": "client" if summary and not ours else ""}
        values |= {"summarised_until": None} if ours else {}
    if all(getattr(row, name) == value for name, value in values.items()):
        return False
    mine = WorkingMemory.objects.filter(pk=row.pk, version=row.version)
    return bool(mine.update(**values, version=F("version") + 1))


def _told(row: WorkingMemory) -> Iterator[str]:
    """Every text in a working memory."""
    yield from (row.summary, *row.labels)
    for name, value in state_from_json(row.task_state).items():
        yield name
        for one in (value, *value.earlier):
            yield from (one.reason, *texts_of(one.value))
