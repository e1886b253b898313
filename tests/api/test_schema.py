"""The OpenAPI description is true: real answers fit it, and what it allows never fails."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, given, settings
from jsonschema import Draft202012Validator
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import response_schema_conformance, status_code_conformance

from memoryapp.domain.public_ids import parsed
from memoryapp.services import audit_trail, erasure, exports
from tests.api.http import call
from tests.api.test_charlie import PROBES
from tests.cast import Cast, finish, say


def described() -> dict[str, Any]:
    found: dict[str, Any] = call("", "GET", "schema").json()
    return found


def operation(schema: dict[str, Any], method: str, path: str) -> dict[str, Any]:
    """The operation that an address belongs to: the one with the fewest parameters that fits."""
    for template, operations in sorted(schema["paths"].items(), key=lambda one: one[0].count("{")):
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
        if method.lower() in operations and re.fullmatch(pattern, f"/api/v1/{path.partition('?')[0]}"):
            found: dict[str, Any] = operations[method.lower()]
            return found
    raise AssertionError(f"{method} {path} is not described")


def fits(schema: dict[str, Any], method: str, path: str, answer: Any) -> None:
    responses = operation(schema, method, path)["responses"]
    status = str(answer.status_code)
    response = responses.get(status) or responses[f"{status[0]}XX"]
    kind = answer["Content-Type"].partition(";")[0]
    shape = {**response["content"][kind]["schema"], "components": schema["components"]}
    errors = list(Draft202012Validator(shape).iter_errors(answer.json()))
    assert not errors, (method, path, [f"{e.json_path}: {e.message}" for e in errors])
    assert answer.status_code >= 400 or undescribed(schema, response["content"][kind]["schema"], answer.json()) == set()


def undescribed(schema: dict[str, Any], shape: dict[str, Any], value: Any) -> set[str]:
    """Members of an answer that the description does not know."""
    if "$ref" in shape:
        return undescribed(schema, schema["components"]["schemas"][shape["$ref"].rpartition("/")[2]], value)
    if "oneOf" in shape:
        return min((undescribed(schema, one, value) for one in shape["oneOf"]), key=len)
    if isinstance(value, list) and "items" in shape:
        return {name for one in value for name in undescribed(schema, shape["items"], one)}
    if not isinstance(value, dict) or "properties" not in shape:
        return set()
    unknown = set(value) - set(shape["properties"])
    return unknown | {
        name
        for member, inner in shape["properties"].items()
        if member in value
        for name in undescribed(schema, inner, value[member])
    }


def test_answers_of_every_kind_fit_their_description(cast: Cast) -> None:
    schema = described()
    me = {"user_id": "alice"}

    def seen(method: str, path: str, body: Any = None, **headers: str) -> Any:
        answer = call(cast.key, method, path, body, **headers)
        fits(schema, method, path, answer)
        return answer.json()

    mem_id = seen("POST", "memories", {**me, "content": "Likes tea.", "metadata": {"src": ["crm"]}})["results"][0]["id"]
    seen("POST", "memories", {**me, "content": "Likes tea"})
    seen("POST", "memories", {**me, "content": "我的手机号是 13912345678，方便联系"})
    event = say(cast.agent, "alice", "remember that I like jazz", "the weather was fine")
    finish(cast.agent, event)
    seen("POST", "memories", {**me, "messages": [{"role": "user", "content": "it rained all day"}]})
    done = {**me, "messages": [{"role": "user", "content": "it rained"}], "temporary": True}
    seen("POST", "memories", done, Prefer="wait=1")
    for path in ("memories?user_id=alice", "events", f"events/evt_{event.id.hex}", "users", "sessions?user_id=alice"):
        seen("GET", path)
    for path in ("", "/history", "/evidence", "/uses"):
        seen("GET", f"memories/{mem_id}{path}")
    for explain in (True, False):
        seen("POST", "memories/search", {**me, "query": "tea", "explain": explain})
        seen("POST", "context", {**me, "query": "tea", "explain": explain})
    seen("POST", f"memories/{mem_id}/feedback", {"value": "helpful"})
    seen("POST", f"memories/{mem_id}/pause", {})
    seen("PATCH", f"memories/{mem_id}", {"expires_at": "2030-01-01T00:00:00Z"})
    seen("POST", "memories/forget", {**me, "filters": {}})
    seen("POST", "memories/batch", {"ids": [mem_id, "mem_1"], "action": "resume"})
    seen("DELETE", f"memories/{mem_id}")
    exp_id = seen("POST", "audit/exports", {})["id"]
    audit_trail.run_export(cast.agent.tenant_id, parsed("exp", exp_id))
    for path in ("me", "audit/events", "audit/exports", f"audit/exports/{exp_id}", "livez", "readyz"):
        seen("GET", path)
    for method, path in (("GET", f"memories/{mem_id}"), ("GET", "memories"), ("POST", "context"), ("GET", "me?x=1")):
        seen(method, path, {} if method == "POST" else None)


def test_every_call_is_described_with_its_answer_problems_and_key(db: None) -> None:
    schema = described()
    assert schema["openapi"].startswith("3.1")
    assert schema["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    operations = {(p, m): o for p, found in schema["paths"].items() for m, o in found.items()}
    assert len({o["operationId"] for o in operations.values()}) == len(operations)
    for (path, method), found in operations.items():
        assert {"4XX", "5XX"} < set(found["responses"]), (path, method)
        good = [r for status, r in found["responses"].items() if status[0] == "2"]
        shapes = [s["schema"] for r in good for s in r.get("content", {}).values()]
        assert all(s.keys() & {"$ref", "oneOf", "format"} for s in shapes), (path, method, shapes)
        assert all("X-Request-Id" in r["headers"] for r in found["responses"].values())
        assert (found.get("security") == [{"key": []}]) == (path not in ("/api/v1/livez", "/api/v1/readyz")), path
    assert len(operations) == sum(len(p) for p in PROBES.values()) + 2


@contextmanager
def one_connection() -> Iterator[None]:
    """A real WSGI call ends with closing its connection, which here holds the test's transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def test_what_the_description_allows_never_fails(cast: Cast) -> None:
    """A handful of made-up requests for every call; fixed, so that a failure comes back."""
    loaded = schemathesis.openapi.from_dict(described())
    loaded.app = get_wsgi_application()
    checks = [not_a_server_error, response_schema_conformance, status_code_conformance]
    few = settings(
        max_examples=4,
        deadline=None,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    tried: list[str] = []
    for found in loaded.get_all_operations():

        def attempt(case: Any) -> None:
            tried.append(case.operation.label)
            response = case.call(headers={"Authorization": f"Bearer {cast.key}"})
            case.validate_response(response, checks=checks)

        with one_connection():
            few(given(case=found.ok().as_strategy())(attempt))()
    assert len(tried) > 60


def test_the_docs_page_works_under_the_strict_policy(db: None) -> None:
    page = call("", "GET", "docs")
    policy, html = page["Content-Security-Policy"], page.content.decode()
    assert "unsafe" not in policy
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|https?://", html)
    assert 'data-schema="/api/v1/schema"' in html


def test_answers_about_care_imports_and_deletion_fit_their_description(cast: Cast) -> None:
    schema = described()
    me = {"user_id": "alice"}

    def seen(method: str, path: str, body: Any = None) -> Any:
        answer = call(cast.key, method, path, body)
        assert answer.status_code < 300, (method, path, answer.content)
        fits(schema, method, path, answer)
        return answer.json()

    finish(cast.agent, say(cast.agent, "alice", "记住：我喜欢爵士乐", session="trip"))
    pending = seen("POST", "memories", {**me, "content": "我的手机号是 13912345678，方便联系"})["results"][0]["id"]
    for path in ("inbox?user_id=alice", "timeline?user_id=alice"):
        assert seen("GET", path)["results"]
    seen("POST", f"memories/{pending}/later", {})
    seen("POST", f"memories/{pending}/undo", {})
    seen("POST", f"memories/{pending}/confirm", {})
    state = {**me, "task_state": {"预算": 500}, "labels": ["旅行"]}
    seen("PUT", "sessions/trip", state)
    seen("PUT", "sessions/trip", {**state, "task_state": {"预算": 800}})
    seen("GET", "sessions/trip?user_id=alice")
    for dry_run in (True, False):
        seen("POST", "memories/age", {**me, "dry_run": dry_run})
        begun = seen("POST", "memories/consolidate", {**me, "dry_run": dry_run})
    seen("GET", f"jobs/{begun['id']}")
    history = {"sessions": [{"session_id": "old", "messages": [{"role": "user", "content": "remember that I ski"}]}]}
    for dry_run in (True, False):
        job = seen("POST", "imports", {**me, **history, "dry_run": dry_run})
    for path in ("imports", f"imports/{job['id']}"):
        seen("GET", path)
    exp_id = seen("POST", "exports", {**me, "format": "json"})["id"]
    exports.run(cast.agent.tenant_id, parsed("exp", exp_id))
    for path in ("exports", "exports?user_id=alice", f"exports/{exp_id}"):
        seen("GET", path)
    source = {**me, "source_kind": "session", "source_id": "trip"}
    phrase = seen("POST", "erasures", {**source, "dry_run": True})["confirm_with"][0]
    seen("POST", "erasures", {**me, "dry_run": True})
    era_id = seen("POST", "erasures", {**source, "confirm": phrase})["erasure_id"]
    erasure.run(cast.agent.tenant_id, parsed("era", era_id))
    for path in ("erasures", "erasures?user_id=alice", f"erasures/{era_id}"):
        seen("GET", path)
