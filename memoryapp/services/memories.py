"""Reading memories: one item, lists, history, evidence."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from uuid import UUID

from django.db.models import Count
from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import NotFound
from memoryapp.domain.planned import DELETE_UNASKED
from memoryapp.domain.types import Status
from memoryapp.models import Evidence, MemoryItem, MemoryVersion
from memoryapp.models.memory import MemoryItemQuerySet
from memoryapp.services.item_rows import COLUMNS, item_of, rows_of
from memoryapp.services.pages import cursor_id
from memoryapp.services.results import EvidenceView, ItemView, ListFilter, Page, VersionView
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person
from memoryapp.services.standing import STANDING, look_again, remembered, values_for

DEFAULT_STATUSES = (Status.ACTIVE.value, Status.PAUSED.value)


def etag(item: ItemView) -> str:
    """`"v3"`, and with marks of suspected noise, which come and go without a version, `"v3.1f0c…"`."""
    marks = hashlib.sha256("\n".join(item.noise).encode()).hexdigest()[:8] if item.noise else ""
    return f'"v{item.version}.{marks}"' if marks else f'"v{item.version}"'


def view(item: MemoryItem) -> ItemView:
    """An item as values. What `with_parts` did not bring along is read again, in one statement."""
    if not hasattr(item, "evidence_count"):
        return _seen(item)
    noise = [flag for flag in item.noise.all() if flag.dismissed_at is None]
    return shown(item, item.evidence_count, tuple(noise[0].reasons) if noise else ())


def shown(item: MemoryItem, evidence_count: int, noise: tuple[str, ...]) -> ItemView:
    """An item as values, with what other tables hold of it."""
    return ItemView(
        id=item.pk,
        content=item.content,
        kind=item.kind,
        status=item.status,
        scope=item.scope,
        space_kind=item.space.kind,
        importance=item.importance,
        confidence=item.confidence,
        sensitivity=item.sensitivity,
        pinned=item.pinned,
        origin=item.origin,
        version=item.version,
        evidence_count=evidence_count,
        metadata=item.metadata,
        subject=item.subject,
        speaker=item.speaker,
        pending_reason=item.pending_reason,
        noise=noise,
        superseded_by=item.superseded_by_id,
        said_at=item.said_at,
        created_at=item.created_at,
        updated_at=item.updated_at,
        expires_at=item.expires_at,
        review_after=item.review_after,
        undo_until=item.undo_until,
    )


def with_parts(rows: MemoryItemQuerySet) -> MemoryItemQuerySet:
    found: MemoryItemQuerySet = rows.select_related("space").prefetch_related("noise")
    return found.annotate(evidence_count=Count("evidence"))


_ONE = f"""
SELECT {COLUMNS} FROM memoryapp_memoryitem i
JOIN memoryapp_space s ON s.tenant_id = i.tenant_id AND s.id = i.space_id
WHERE i.tenant_id = %(tenant)s AND i.id = %(id)s
"""


def _seen(item: MemoryItem) -> ItemView:
    return item_of(rows_of(_ONE, {"tenant": item.tenant_id, "id": item.pk})[0])


def get_row(actor: Actor, item_id: UUID, *, forgotten: bool = False) -> MemoryItem:
    """The row behind an id with its space, or NotFound: unknown, foreign, forgotten and not the actor's are all one."""
    rows = MemoryItem.objects.for_actor(actor).filter(pk=item_id).select_related("space")
    found = list((rows.recoverable() if forgotten else rows.visible())[:1])
    if not found:
        raise NotFound
    return found[0]


def item(actor: Actor, item_id: UUID) -> ItemView:
    with tenant_scope(actor):
        found = view(get_row(actor, item_id))
        audit.record(actor, "memory.read", audit.Target("memory", (item_id,)))
        return found


def trace(actor: Actor, item_id: UUID) -> ItemView:
    """The item even when it is forgotten: for who made it and asks again. NotFound once it is erased."""
    with tenant_scope(actor):
        found = view(get_row(actor, item_id, forgotten=True))
        audit.record(actor, "memory.read", audit.Target("memory", (item_id,)))
        return found


def history(actor: Actor, item_id: UUID) -> tuple[VersionView, ...]:
    """Every version, newest first."""
    with tenant_scope(actor):
        get_row(actor, item_id)
        rows = MemoryVersion.objects.filter(item_id=item_id).order_by("-number")
        return tuple(
            VersionView(
                v.number, v.content, v.kind, v.status, tuple(v.changed_fields), v.reason, v.actor_kind, v.created_at
            )
            for v in rows
        )


def evidence(actor: Actor, item_id: UUID) -> tuple[EvidenceView, ...]:
    with tenant_scope(actor):
        get_row(actor, item_id)
        rows = Evidence.objects.filter(item_id=item_id).select_related("session").order_by("id")
        return tuple(
            EvidenceView(
                e.quote,
                e.role,
                e.speaker,
                e.session.name if e.session else "",
                e.said_at,
                e.door,
                e.extractor,
                e.model,
                e.policy_version,
            )
            for e in rows
        )


def list_items(actor: Actor, person: str, wanted: ListFilter, *, limit: int = 50, cursor: str | None = None) -> Page:
    """One page, newest first, with the exact number of all; the cursor is the last id of the page before."""
    whose = check_person(actor, person)
    after = cursor_id(cursor) if cursor else None
    where = actor, whose, wanted.project_id
    with tenant_scope(actor, durable_read=False, planned_once=True):
        place = remembered(*where)
        found, total, told = _page(actor, whose, place.all_spaces, wanted, limit + 1, after)
        if told != place.told:
            look_again(*where)
            place = remembered(*where)
            found, total, _ = _page(actor, whose, place.all_spaces, wanted, limit + 1, after)
        items = tuple(found[:limit])
        target = audit.Target("memory", tuple(item.id for item in items))
        audit.record(actor, "memory.listed", target, person=whose, known=place.subjects)
        return Page(items, items[-1].id.hex if len(found) > limit else None, total)


_PLACES = "unnest(%(spaces)s::uuid[]) whose(id) CROSS JOIN unnest(%(statuses)s::text[]) place(status)"
_IN_PLACE = "i.tenant_id = %(tenant)s AND i.space_id = whose.id AND i.status = place.status"
_PAGE = """
SELECT (SELECT {told}), counted.total, page.*
FROM (
    SELECT coalesce(sum(each.total), 0)::bigint AS total FROM {places} CROSS JOIN LATERAL (
        SELECT count(*) AS total FROM memoryapp_memoryitem i WHERE {where}
    ) each
) counted
LEFT JOIN LATERAL (
    SELECT {columns}
    FROM (
        SELECT each.id FROM {places} CROSS JOIN LATERAL (
            SELECT i.id FROM memoryapp_memoryitem i WHERE {where} {after} ORDER BY i.id DESC LIMIT %(most)s
        ) each ORDER BY each.id DESC LIMIT %(most)s
    ) first
    JOIN memoryapp_memoryitem i ON i.tenant_id = %(tenant)s AND i.id = first.id
    JOIN memoryapp_space s ON s.tenant_id = i.tenant_id AND s.id = i.space_id
    ORDER BY i.id DESC
) page ON true
"""
"""Each space and status is read by itself, newest first, as the index `item_list` holds them: so the best plan does not
depend on how big a space is, and one plan does for all."""


def _page(
    actor: Actor, person: str, spaces: Sequence[UUID], wanted: ListFilter, most: int, after: UUID | None
) -> tuple[list[ItemView], int, str]:
    """One statement: the items of a page, the number of all that match, and where the read stands in truth."""
    statement = _PAGE.format(
        told=STANDING.format(revisions="false"),
        places=_PLACES,
        where=" AND ".join([_IN_PLACE, *_conditions(wanted)]),
        columns=COLUMNS,
        after="AND i.id < %(after)s" if after else "",
    )
    values = {
        **values_for(actor, person, wanted.project_id),
        "spaces": list(spaces),
        "statuses": _statuses(wanted),
        "of_kinds": list(wanted.kinds),
        "scopes": list(wanted.scopes),
        "contains": _pattern(wanted.contains),
        "now": timezone.now(),
        "most": most,
        "after": after,
    }
    rows = rows_of(statement, values)
    told, total = rows[0][:2]
    return [item_of(row[2:]) for row in rows if row[2] is not None], total, told


def _statuses(wanted: ListFilter) -> list[str]:
    """Each once, since each is read by itself."""
    if wanted.trash:
        return [Status.FORGOTTEN.value]
    if wanted.pending_only:
        return [Status.PENDING.value, Status.ACTIVE.value]
    return sorted({*(wanted.statuses or DEFAULT_STATUSES)} - {Status.FORGOTTEN.value})


_PENDING = f"(i.status = 'pending' OR i.pending_reason = '{DELETE_UNASKED}')"


def _conditions(wanted: ListFilter) -> list[str]:
    found = []
    if wanted.trash:
        found.append("i.undo_until > %(now)s")
    elif wanted.pending_only:
        found += [_PENDING, "(i.snoozed_until IS NULL OR i.snoozed_until <= %(now)s)"]
    if wanted.kinds:
        found.append("i.kind = ANY (%(of_kinds)s::text[])")
    if wanted.scopes:
        found.append("i.scope = ANY (%(scopes)s::text[])")
    if wanted.contains:
        found.append("(i.content ILIKE %(contains)s OR i.subject ILIKE %(contains)s)")
    if wanted.noise_only:
        found.append(_NOISY)
    return found


_NOISY = """EXISTS (SELECT FROM memoryapp_noiseflag n
    WHERE n.tenant_id = i.tenant_id AND n.item_id = i.id AND n.dismissed_at IS NULL)"""


def _pattern(contains: str) -> str:
    """Any text as a pattern that means itself."""
    return "%" + re.sub(r"([%_\\])", r"\\\1", contains) + "%"
