"""What a known key was denied stands in the audit trail; the answer does not say whether there was anything."""

from __future__ import annotations

import pytest

from memoryapp.models import AuditEvent
from memoryapp.services import access, changes
from memoryapp.services.scope import tenant_scope
from tests.api.http import call, refused
from tests.cast import Cast


def denials(cast: Cast) -> list[tuple[str, str, str, list[str]]]:
    found = call(cast.key, "GET", "audit/events?action=request.denied").json()["results"]
    return [(e["outcome"], e["reason"], e["target"]["kind"], e["target"]["ids"]) for e in found]


def test_a_missing_scope_leaves_an_event(cast: Cast) -> None:
    key, row = access.create_key(cast.agent, "reader", ("memory:read",))
    refused(call(key, "POST", "memories", {"user_id": "a", "content": "Likes tea."}), 403, "scope_missing")
    assert denials(cast) == [("denied", "scope_missing", "request", [])]
    (event,) = call(cast.key, "GET", "audit/events?action=request.denied").json()["results"]
    assert event["actor"] == {"kind": "key", "ref": row.public_id}


def test_another_person_leaves_an_event(cast: Cast) -> None:
    key, _ = access.create_key(cast.agent, "alice's", user_key="alice")
    refused(call(key, "GET", "memories?user_id=bob"), 403, "user_not_allowed")
    assert denials(cast) == [("denied", "user_not_allowed", "request", [])]


@pytest.mark.parametrize("own", [True, False])
def test_a_foreign_id_and_an_unknown_one_leave_the_same_event_with_who_asked(cast: Cast, own: bool) -> None:
    theirs, _, _ = changes.add(cast.charlie, "eve", changes.NewItem("Eve likes techno."))
    wanted = theirs.id.hex if own else "0" * 32
    refused(call(cast.key, "GET", f"memories/mem_{wanted}"), 404, "not_found")
    ((outcome, reason, kind, ids),) = denials(cast)
    assert (outcome, reason, kind, [i.replace("-", "") for i in ids]) == ("denied", "not_found", "memory", [wanted])
    with tenant_scope(cast.charlie):
        assert not AuditEvent.objects.filter(action="request.denied").exists()


def test_nothing_is_noted_for_an_unknown_key_or_address(cast: Cast) -> None:
    call("mk_wrong", "GET", "memories?user_id=a")
    call(cast.key, "GET", "no/such/address")
    assert denials(cast) == []
