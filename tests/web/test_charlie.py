"""Every address of the pages, taken from the URL configuration: who is shown what, and that Charlie sees nothing.

A route with a parameter that is not named in OURS, or one that is neither public nor declares its scopes, fails here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, reverse

from memoryapp.web import urls
from memoryapp.web.bulk import VERBS
from tests.web.stage import ROLES, Stage, alice, browser_of, make_stage

pytestmark = pytest.mark.django_db

PUBLIC = {"set_language", "login", "logout", "invitation", "linked_receipt", "linked_receipt_file"}
PUBLIC |= {f"password_reset{end}" for end in ("", "_done", "_confirm", "_complete")}
OWN_LOGIN = {"switch", "password_change", "password_change_done"}
"""Pages of the login itself, whatever its tenant."""

UNKNOWN = "0" * 32
OURS = {
    "mem_id": lambda stage: f"mem_{stage.item.hex}",
    "exp_id": lambda stage: f"exp_{stage.export.hex}",
    "file_id": lambda stage: f"exp_{stage.file.hex}",
    "era_id": lambda stage: f"era_{stage.erasure.hex}",
    "inv_id": lambda stage: f"inv_{stage.invitation.hex}",
}
"""The parameters that name a thing of Alice's tenant."""

HARMLESS = {"verb": sorted(VERBS), "number": [1]}
"""Parameters that name no thing, with the values to try."""

BODIES = {
    "bulk": [{"action": verb, "ids": "{mem_id}"} for verb in sorted(VERBS)] + [{"one": "forget {mem_id}"}],
    "inbox_bulk": [{"action": "confirm", "ids": "{mem_id}"}, {"one": "amend {mem_id}", "text_{mem_id}": "Mine now."}],
    "erase_memory": [{"confirm": "erase"}],
    "edit_memory": [{"content": "Mine now.", "kind": "note", "version": "2"}, {}],
}
"""What is posted beside the address; a thing may be named in the body as well."""


@dataclass(frozen=True)
class Route:
    name: str
    parameters: tuple[str, ...]
    scopes: tuple[str, ...] | None

    def __str__(self) -> str:
        return self.name


def routes(patterns: list[URLPattern | URLResolver]) -> Iterator[Route]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns)
        else:
            names = tuple(re.compile(pattern.pattern.regex).groupindex)
            yield Route(str(pattern.name), names, getattr(pattern.callback, "scopes", None))


ROUTES = list(routes(urls.urlpatterns))
PRIVATE = [route for route in ROUTES if route.name not in PUBLIC]
SEATED = [route for route in PRIVATE if route.name not in OWN_LOGIN]
NAMING = [route for route in SEATED if set(route.parameters) & set(OURS) or route.name in BODIES]


@pytest.fixture
def stage(db: None) -> Stage:
    return make_stage()


def filled(text: str, ids: dict[str, str]) -> str:
    for name, value in ids.items():
        text = text.replace("{" + name + "}", value)
    return text


def requests(route: Route, ids: dict[str, str], most: int = 99) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Method, address and body of every way to ask a route for the things of `ids`; of the first `most` verbs."""
    values = [{}]
    for name in route.parameters:
        options = [ids[name]] if name in ids else HARMLESS[name][:most]
        values = [{**known, name: option} for known in values for option in options]
    for kwargs in values:
        address = reverse(route.name, kwargs=kwargs)
        yield "GET", address, {}
        for body in BODIES.get(route.name, [{}])[-most:]:
            yield "POST", address, {filled(k, ids): filled(v, ids) for k, v in body.items()}


def asked(client: Client, method: str, address: str, body: dict[str, str]) -> Any:
    return client.get(address) if method == "GET" else client.post(address, body)


def seen(answer: Any, ids: dict[str, str]) -> tuple[int, str, str]:
    """An answer without what differs between any two answers: the ids asked for and the form's token."""
    text = answer.content.decode() if not answer.streaming else "stream"
    for value in ids.values():
        text = text.replace(value.partition("_")[2], "ID")
    text = re.sub(r'(csrfmiddlewaretoken" value="|x-csrftoken": ")[^"]+', r"\1", text)
    return answer.status_code, text, answer.headers.get("Location", "")


def test_every_route_is_public_or_says_which_scopes_it_needs() -> None:
    assert {route.name for route in SEATED if route.scopes is None} == set()
    assert len({route.name for route in ROUTES}) == len(ROUTES)


def test_every_parameter_of_a_route_is_known_to_this_test() -> None:
    named = {(route.name, name) for route in SEATED for name in route.parameters}
    assert {pair for pair in named if pair[1] not in OURS and pair[1] not in HARMLESS} == set()
    assert {route.name for route in NAMING} >= set(BODIES)


@pytest.mark.parametrize("route", NAMING, ids=str)
def test_charlie_gets_what_an_unknown_id_gets(stage: Stage, route: Route) -> None:
    ids = {name: make(stage) for name, make in OURS.items()}
    unknown = {name: f"{value.partition('_')[0]}_{UNKNOWN}" for name, value in ids.items()}
    before = alice(stage).get(reverse("memory", args=[ids["mem_id"]])).content
    for role in ("owner", "compliance"):  # between them they hold every scope
        client = browser_of(stage.theirs[role])
        pairs = zip(requests(route, ids), requests(route, unknown), strict=True)
        for (method, address, body), (_, elsewhere, other) in pairs:
            theirs = seen(asked(client, method, address, body), ids)
            nobodys = seen(asked(client, method, elsewhere, other), unknown)
            assert theirs == nobodys, (role, method, address)
            assert theirs[0] in (302, 404, 405) and "cello" not in theirs[1]
    assert strip(alice(stage).get(reverse("memory", args=[ids["mem_id"]])).content) == strip(before)


def strip(page: bytes) -> str:
    return re.sub(r'(csrfmiddlewaretoken" value="|x-csrftoken": ")[^"]+', r"\1", page.decode())


@pytest.mark.parametrize("route", [r for r in SEATED if not r.parameters], ids=str)
def test_a_page_without_an_id_shows_charlie_nothing_of_alice(stage: Stage, route: Route) -> None:
    for role in ROLES:
        answer = browser_of(stage.theirs[role]).get(reverse(route.name))
        text = answer.content.decode()
        assert not re.search(r"cello|\balice\b|dora@|ours\.example|>ours<", text), (role, route.name)


@pytest.mark.parametrize("route", PRIVATE, ids=str)
def test_nobody_is_sent_to_the_login(stage: Stage, route: Route) -> None:
    ids = {name: make(stage) for name, make in OURS.items()}
    for method, address, body in requests(route, ids, 1):
        answer = asked(browser_of(None), method, address, body)
        if answer.status_code == 405:
            continue
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/login?next="), (method, address)


@pytest.mark.parametrize("route", [r for r in SEATED if r.scopes], ids=str)
def test_a_role_without_the_scope_finds_nothing(stage: Stage, route: Route) -> None:
    """Compliance opens no memory, a member no audit page, an operator neither."""
    ids = {name: make(stage) for name, make in OURS.items()}
    allowed = {"member": "memory:", "compliance": "audit:", "operator": "admin", "owner": "admin"}
    assert route.scopes is not None
    for role, begins in allowed.items():
        if all(scope.startswith(begins) for scope in route.scopes):
            continue
        for method, address, body in requests(route, ids, 1):
            answer = asked(browser_of(stage.ours[role]), method, address, body)
            assert answer.status_code in (404, 405), (role, method, address)
            assert "cello" not in answer.content.decode()


def test_the_first_address_leads_each_role_to_its_own_page(stage: Stage) -> None:
    pages = {"member": "/", "compliance": "/audit", "operator": "/people", "owner": "/people"}
    for role, page in pages.items():
        answer = browser_of(stage.ours[role]).get("/", follow=True)
        assert (answer.status_code, answer.request["PATH_INFO"]) == (200, page)


@pytest.mark.parametrize("role", ["compliance", "operator"])
def test_staff_see_no_text_of_a_memory_on_their_own_pages(stage: Stage, role: str) -> None:
    client = browser_of(stage.ours[role])
    for name in ("audit", "erasures", "people", "home"):
        assert "cello" not in client.get(reverse(name), follow=True).content.decode()
