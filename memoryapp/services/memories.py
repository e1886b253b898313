"""Reading memories: one item, lists, history, evidence."""

from __future__ import annotations

from uuid import UUID

from django.db.models import Count, Q
from django.utils import timezone

from accounts.actor import Actor
from memoryapp import audit
from memoryapp.domain.errors import NotFound
from memoryapp.domain.types import Status
from memoryapp.models import Evidence, MemoryItem, MemoryVersion
from memoryapp.models.memory import MemoryItemQuerySet
from memoryapp.services.results import EvidenceView, ItemView, ListFilter, Page, VersionView, cursor_id
from memoryapp.services.scope import tenant_scope
from memoryapp.services.spaces import check_person, readable_spaces

DEFAULT_STATUSES = (Status.ACTIVE.value, Status.PAUSED.value)


def etag(item: ItemView) -> str:
    return f'"v{item.version}"'


def view(item: MemoryItem) -> ItemView:
    """An item as values; expects `with_parts` (evidence count, noise, space)."""
    noise = [flag for flag in item.noise.all() if flag.dismissed_at is None]
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
        evidence_count=getattr(item, "evidence_count", 0),
        metadata=item.metadata,
        subject=item.subject,
        speaker=item.speaker,
        pending_reason=item.pending_reason,
        noise=tuple(noise[0].reasons) if noise else (),
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


def get_row(actor: Actor, item_id: UUID, *, forgotten: bool = False) -> MemoryItem:
    """The row behind an id, or NotFound: unknown, foreign, forgotten and not the actor's are all the same."""
    rows = MemoryItem.objects.for_actor(actor).filter(pk=item_id)
    found = with_parts(rows.recoverable() if forgotten else rows.visible()).first()
    if found is None:
        raise NotFound
    return found


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
    """One page, newest first; the cursor is the last id of the page before."""
    whose = check_person(actor, person)
    with tenant_scope(actor):
        spaces = readable_spaces(actor, whose, wanted.project_id)
        rows = filtered(MemoryItem.objects.for_actor(actor).filter(space__in=spaces), wanted)
        total = rows.count()
        after = rows.filter(pk__lt=cursor_id(cursor)) if cursor else rows
        found = list(with_parts(after.newest_first())[: limit + 1])
        audit.record(actor, "memory.listed", audit.Target("memory", tuple(i.pk for i in found[:limit])), person=whose)
        more = found[limit - 1].pk.hex if len(found) > limit else None
        return Page(tuple(view(i) for i in found[:limit]), more, total)


def filtered(rows: MemoryItemQuerySet, wanted: ListFilter) -> MemoryItemQuerySet:
    if wanted.trash:
        rows = rows.filter(status=Status.FORGOTTEN, undo_until__gt=timezone.now())
    elif wanted.pending_only:
        rows = rows.visible().filter(Q(status=Status.PENDING) | Q(pending_reason="delete_unasked", status="active"))
    else:
        rows = rows.visible().filter(status__in=wanted.statuses or DEFAULT_STATUSES)
    if wanted.kinds:
        rows = rows.filter(kind__in=wanted.kinds)
    if wanted.scopes:
        rows = rows.filter(scope__in=wanted.scopes)
    if wanted.contains:
        rows = rows.filter(Q(content__icontains=wanted.contains) | Q(subject__icontains=wanted.contains))
    if wanted.noise_only:
        rows = rows.filter(noise__dismissed_at=None, noise__isnull=False)
    return rows
