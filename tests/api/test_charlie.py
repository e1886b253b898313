"""Charlie, of another tenant, on every route with Alice's ids: what an id that does not exist gets, and nothing of hers.

The routes come from the URL configuration. A new one without its line in PROBES fails here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from memoryapp.models import AuditEvent, Session
from memoryapp.services import access, audit_trail, changes, consolidation, erasure, exports, imports
from memoryapp.services.histories import History
from memoryapp.services.ingest import Incoming
from memoryapp.services.results import AuditFilter
from memoryapp.services.scope import tenant_scope
from tests.api.http import call, refused
from tests.cast import Cast, finish, say

SECRET = "oolong"
ALICE = {"user_id": "alice"}
PROBES: dict[str, dict[str, Any]] = {
    "memories": {"GET": None, "POST": {**ALICE, "content": "Charlie was here."}},
    "memories/search": {"POST": {**ALICE, "query": SECRET}},
    "memories/batch": {"POST": {**ALICE, "filters": {}, "action": "forget"}},
    "memories/forget": {"POST": {**ALICE, "query": SECRET, "dry_run": False}},
    "memories/<str:item_id>": {"GET": None, "PATCH": {"kind": "note"}, "DELETE": None},
    "memories/<str:item_id>/history": {"GET": None},
    "memories/<str:item_id>/evidence": {"GET": None},
    "memories/<str:item_id>/uses": {"GET": None},
    "memories/<str:item_id>/feedback": {"POST": {"value": "helpful"}},
    "memories/(?P<item_id>[^/]+)/(?P<verb>restore|confirm|reject|pause|resume)": {"POST": {}},
    "memories/<str:item_id>/confirm": {"POST": {}},
    "memories/(?P<item_id>[^/]+)/(?P<decision>keep-both|later|undo)": {"POST": {}},
    "memories/age": {"POST": ALICE},
    "memories/consolidate": {"POST": {**ALICE, "dry_run": False}},
    "context": {"POST": {**ALICE, "query": SECRET}},
    "inbox": {"GET": None},
    "timeline": {"GET": None},
    "imports": {
        "GET": None,
        "POST": {**ALICE, "sessions": [{"messages": [{"role": "user", "content": "Charlie imports."}]}]},
    },
    "imports/<str:import_id>": {"GET": None},
    "exports": {"GET": None, "POST": ALICE},
    "exports/<str:exp_id>": {"GET": None},
    "exports/<str:exp_id>/download": {"GET": None},
    "jobs/<str:job_id>": {"GET": None},
    "erasures": {"GET": None, "POST": {**ALICE, "dry_run": True}},
    "erasures/<str:erasure_id>": {"GET": None},
    "erasures/<str:erasure_id>/retry": {"POST": {}},
    "sessions/<path:session_id>": {"GET": None, "PUT": {"labels": ["x"]}, "DELETE": None},
    "events": {"GET": None},
    "events/<str:event_id>": {"GET": None},
    "events/<str:event_id>/retry": {"POST": {}},
    "users": {"GET": None},
    "sessions": {"GET": None},
    "dictionary": {"GET": None, "PUT": {"words": ["Charlie"]}},
    "me": {"GET": None},
    "audit/events": {"GET": None},
    "audit/exports": {"GET": None, "POST": {}},
    "audit/exports/<str:export_id>": {"GET": None},
    "audit/exports/<str:export_id>/file": {"GET": None},
}
"""Route → method → body. Routes with an id are called with Alice's."""
OPEN = {"schema", "docs", "livez", "readyz", ""}
"""For anybody: they hold nothing of a tenant. The empty one answers 404 to every other address."""
ASKED_WITH_HER_NAME = {"memories", "events", "sessions", "inbox", "timeline", "erasures", "exports"}
VERBS = {
    "restore|confirm": ("restore", "confirm", "reject", "pause", "resume"),
    "keep-both": ("keep-both", "later", "undo"),
}


def routes(resolver: URLResolver | None = None, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for entry in (resolver or get_resolver()).url_patterns:
        route = prefix + str(entry.pattern).strip("^$")
        if isinstance(entry, URLResolver):
            yield from routes(entry, route)
        elif isinstance(entry, URLPattern) and route.startswith("api/v1/"):
            yield route.removeprefix("api/v1/"), entry.callback


def methods(view: Any) -> set[str]:
    known = getattr(view, "view_class", None) or getattr(view, "cls", None)
    return {m.upper() for m in ("get", "post", "put", "patch", "delete") if known and hasattr(known, m)}


def test_every_route_and_method_has_its_probe() -> None:
    found = {route: methods(view) for route, view in routes() if route not in OPEN}
    assert found == {route: set(probe) for route, probe in PROBES.items()}


@pytest.fixture
def ids(cast: Cast) -> dict[str, str]:
    item, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Drinks oolong."))
    event = say(cast.agent, "alice", "remember that I drink oolong tea", session="tea-talk")
    finish(cast.agent, event)
    export = audit_trail.start_export(cast.agent, AuditFilter())
    audit_trail.run_export(cast.agent.tenant_id, export)
    other, _, _ = changes.add(cast.agent, "alice", changes.NewItem("Drinks oolong from a thermos."))
    begun = erasure.erase_item(cast.agent, other.id)
    file = exports.start(cast.agent, "alice", "jsonl")
    exports.run(cast.agent.tenant_id, file)
    history = History("alice", "tea-talk", (Incoming("user", "oolong again"),), "")
    job = imports.start(cast.agent, [history])
    round_of_care = consolidation.start(cast.agent, "alice")
    with tenant_scope(cast.agent):
        session = Session.objects.filter(name="tea-talk").values_list("pk", flat=True)[0]
    made = {"mem": item.id, "evt": event.id, "exp": export, "era": begun, "imp": job.id, "job": round_of_care.id}
    kinds = ("item_id", "event_id", "export_id", "erasure_id", "import_id", "job_id")
    named = {name: f"{prefix}_{one.hex}" for name, (prefix, one) in zip(kinds, made.items(), strict=True) if one}
    return {**named, "exp_id": f"exp_{file.hex}", "session_id": f"ses_{session.hex}"}


def filled(route: str, method: str, ids: dict[str, str], verb: str = "pause") -> str:
    path = re.sub(r"<(?:str|path):(\w+)>|\(\?P<(item_id)>[^)]*\)", lambda m: ids[m[1] or m[2]], route)
    path = re.sub(r"\(\?P<(?:verb|decision)>[^)]*\)", verb, path)
    return f"{path}?user_id=alice" if method == "GET" and route in ASKED_WITH_HER_NAME else path


WITH_ID = [
    (route, method, verb)
    for route, probe in PROBES.items()
    for method in probe
    if "_id>" in route
    for verb in next((verbs for first, verbs in VERBS.items() if f">{first}" in route), ("",))
]


WITHOUT_ID = [(r, m, body) for r, probe in PROBES.items() for m, body in probe.items() if "_id>" not in r]


def test_her_ids_are_to_him_what_no_id_is(cast: Cast, ids: dict[str, str]) -> None:
    nobodys = {name: f"{value[:4]}{'0' * 32}" for name, value in ids.items()}
    malformed = {name: f"{value[:4]}1" for name, value in ids.items()}
    for route, method, verb in WITH_ID:
        paths = [filled(route, method, one, verb) for one in (ids, nobodys, malformed)]
        hers, unknown, odd = (call(cast.charlie_key, method, path, PROBES[route][method]) for path in paths)
        assert refused(hers, 404, "not_found") == unknown.json() == odd.json(), route


def test_the_same_calls_find_something_for_her_own_agent(cast: Cast, ids: dict[str, str]) -> None:
    """Without this the test before would prove nothing."""
    for route, method, verb in sorted(WITH_ID, key=lambda one: (one[1] == "DELETE", not one[0].startswith("exports"))):
        answer = call(cast.key, method, filled(route, method, ids, verb), PROBES[route][method])
        assert answer.status_code in (200, 202, 204, 409), (route, method, verb)
        if answer.streaming:
            assert b"".join(answer.streaming_content)[:2] == b"PK"


def test_no_answer_to_him_holds_anything_of_hers(cast: Cast, ids: dict[str, str]) -> None:
    for route, method, body in WITHOUT_ID:
        answer = call(cast.charlie_key, method, filled(route, method, ids), body)
        assert answer.status_code in (200, 201, 202), route
        text = answer.content.decode()
        assert not any(word in text for word in (SECRET, "tea-talk", *ids.values(), cast.agent.ref)), route
    assert call(cast.key, "GET", "memories?user_id=alice").json()["total"] >= 1
    with tenant_scope(cast.agent):
        assert not AuditEvent.objects.filter(actor__name=cast.charlie.ref).exists()


def test_nothing_works_without_a_key_or_its_scope(cast: Cast, ids: dict[str, str]) -> None:
    key, _ = access.create_key(cast.agent, "nothing", ("admin",))
    reader, _ = access.create_key(cast.agent, "all but that", ("memory:read", "memory:write", "memory:delete"))
    for method in PROBES["dictionary"]:
        refused(call(reader, method, "dictionary", PROBES["dictionary"][method]), 403, "scope_missing")
    for route, probe in PROBES.items():
        for method, body in probe.items():
            path = filled(route, method, ids)
            answer = call("", method, path, body)
            refused(answer, 401, "unauthenticated")
            assert answer["WWW-Authenticate"] == "Bearer"
            if route not in ("me", "dictionary"):
                refused(call(key, method, path, body), 403, "scope_missing")


def test_a_key_of_one_person_gets_404_for_her_colleagues_ids(cast: Cast, ids: dict[str, str]) -> None:
    bob, _ = access.create_key(cast.agent, "bob's", ("memory:read", "memory:write", "memory:delete"), user_key="bob")
    for route, method, verb in WITH_ID:
        if not route.startswith("audit/"):
            answer = call(bob, method, filled(route, method, ids, verb), PROBES[route][method])
            refused(answer, 404, "not_found")
    named = (
        ASKED_WITH_HER_NAME
        | {"memories/search", "memories/batch", "memories/forget", "context", "memories/age"}
        | {"memories/consolidate"}
    )
    for route, method, body in WITHOUT_ID:
        if route in named:
            refused(call(bob, method, filled(route, method, ids), body), 403, "user_not_allowed")
    assert call(bob, "GET", "users").json()["results"] == []
