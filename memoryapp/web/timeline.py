"""How the memories of a person came to be, and what was true or known on a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponseBase
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.actor import Actor
from memoryapp.domain.differences import Piece, differences
from memoryapp.domain.public_ids import public
from memoryapp.services import timeline as reads
from memoryapp.services.timeline import Change, When
from memoryapp.web.actors import seated, show
from memoryapp.web.audit_labels import ACTORS
from memoryapp.web.labels import CHANGES, KINDS, STATUSES, label
from memoryapp.web.rows import item_row

PAGE_SIZE = 50
MOST_SHOWN = 200


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One change in words. `pieces` is the text with what left it; `said` the day it speaks of, when that is another."""

    change: Change
    mem_id: str
    day: date
    what: str
    kind: str
    status: str
    by: str
    pieces: tuple[Piece, ...]
    said: datetime | None


@require_safe
@seated("memory:read")
def timeline(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    asked, how = request.GET.get("on", "").strip(), request.GET.get("how", "")
    day, fault = _day(asked)
    values: dict[str, object] = {"on": asked, "fault": fault, "today": timezone.now().date().isoformat()}
    values["known"] = how == "known"
    if day is not None:
        values |= _then(actor, day, known=how == "known")
    elif not fault:
        values |= _changes(request, actor)
    return show(request, "timeline.html", values, fragment="list", status=422 if fault else 200)


def _day(text: str) -> tuple[date | None, str]:
    """The day that was asked for, or what is wrong with it."""
    try:
        day = parse_date(text) if text else None
    except ValueError:
        day = None
    if text and day is None:
        return None, _("This is no date. Write it like 2026-03-15.")
    return day, ""


def _then(actor: Actor, day: date, *, known: bool) -> dict[str, object]:
    """The end of that day in UTC, or now when it has not ended."""
    moment = min(datetime.combine(day, time.max, UTC), timezone.now())
    items = reads.as_of(actor, actor.user_key, When(moment, moment if known else None))
    return {"day": day, "rows": [item_row(item) for item in items[:MOST_SHOWN]], "total": len(items)}


def _changes(request: HttpRequest, actor: Actor) -> dict[str, object]:
    cursor = request.GET.get("cursor") or None
    found = reads.timeline(actor, actor.user_key, limit=PAGE_SIZE, cursor=cursor)
    return {
        "changes": [_row(change) for change in found.changes],
        "total": found.total,
        "next": f"?{urlencode({'cursor': found.cursor})}" if found.cursor else "",
        "first": "?" if cursor else "",
    }


def _row(change: Change) -> ChangeRow:
    said = change.valid_from if change.valid_from and change.valid_from.date() != change.created_at.date() else None
    return ChangeRow(
        change,
        public("mem", change.item),
        change.created_at.date(),
        label(CHANGES, change.reason),
        label(KINDS, change.kind),
        label(STATUSES, change.status),
        label(ACTORS, change.actor_kind),
        differences(change.content if change.before is None else change.before, change.content),
        said,
    )
