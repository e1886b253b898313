"""Joining by a signed link: once, in time, unless revoked; a known person proves the login first."""

from __future__ import annotations

import io
import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.core import mail
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import Membership, User
from memoryapp.domain.errors import DomainError, NotFound
from memoryapp.services import access, audit_trail, changes, invitations
from memoryapp.services.results import AuditFilter
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast
from tests.web.stage import PASSWORD, browser_of

pytestmark = pytest.mark.django_db
NEW_PASSWORD = "a very quiet harbour"


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


def path_of(token: str) -> str:
    return reverse("invitation", args=[token])


def invite(cast: Cast, email: str = "dora@example.org", role: str = "member", user_key: str = "dora") -> str:
    return invitations.invite(cast.agent, email, role, user_key=user_key)[1]


def join(client: Client, token: str, **given: str) -> int:
    wanted = {"name": "Dora", "password": NEW_PASSWORD, "again": NEW_PASSWORD, "language": "zh-hans"} | given
    return client.post(path_of(token), wanted).status_code


def actions(cast: Cast) -> list[str]:
    rows, _, _ = audit_trail.search(cast.agent, AuditFilter(), limit=200)
    return [row.action for row in rows]


def test_a_new_person_sets_name_password_and_language_and_sees_only_their_own_memories(cast: Cast) -> None:
    changes.add(cast.agent, "dora", changes.NewItem("Likes tulips."))
    changes.add(cast.agent, "alice", changes.NewItem("Likes jazz."))
    client, token = browser_of(None), invite(cast)
    assert "Join ours" in client.get(path_of(token)).content.decode()
    assert join(client, token) == 302
    page = client.get(reverse("memories")).content.decode()
    assert "Likes tulips." in page and "Likes jazz." not in page
    assert 'lang="zh-hans"' in page
    user = User.objects.get(email="dora@example.org")
    assert (user.name, user.language) == ("Dora", "zh-hans")
    assert user.check_password(NEW_PASSWORD)
    assert {"invitation.created", "invitation.accepted", "person.added"} <= set(actions(cast))


def test_a_link_works_once(cast: Cast) -> None:
    token = invite(cast)
    assert join(browser_of(None), token) == 302
    again = browser_of(None).get(path_of(token))
    assert again.status_code == 404
    assert "no longer works" in again.content.decode()
    assert join(browser_of(None), token) == 404


def test_an_expired_a_revoked_a_forged_and_a_replaced_link_look_the_same(cast: Cast) -> None:
    lapsed = invitations.invite(cast.agent, "a@example.org", "compliance", lifetime=timedelta(seconds=-1))[1]
    made, revoked = invitations.invite(cast.agent, "b@example.org", "compliance")
    invitations.revoke(cast.agent, made.id)
    replaced = invite(cast, "c@example.org", "compliance", "")
    newer = invite(cast, "c@example.org", "compliance", "")
    answers = [browser_of(None).get(path_of(t)) for t in (lapsed, revoked, replaced, newer[:-2] + "xx", "nonsense")]
    assert {answer.status_code for answer in answers} == {404}
    assert (
        len(
            {
                re.sub(
                    r'value="/invitation[^"]*"|x-csrftoken": "[^"]*|middlewaretoken" value="[^"]*',
                    "",
                    a.content.decode(),
                )
                for a in answers
            }
        )
        == 1
    )
    assert browser_of(None).get(path_of(newer)).status_code == 200


def test_a_known_person_joins_a_second_organisation_by_logging_in_and_switches(cast: Cast) -> None:
    dora = access.add_person(cast.charlie, "dora@example.org", "member", "d", password=PASSWORD)
    changes.add(cast.charlie, "d", changes.NewItem("Works at the theirs branch."))
    changes.add(cast.agent, "dora", changes.NewItem("Works at the ours branch."))
    token = invite(cast)
    stranger = browser_of(None)
    shown = stranger.get(path_of(token)).content.decode()
    assert 'type="password"' not in shown and reverse("login") in shown
    assert join(stranger, token) == 200
    assert not User.objects.filter(password="").exists() and dora.check_password(PASSWORD)
    client = browser_of(dora)
    assert client.post(path_of(token)).status_code == 302
    page = client.get(reverse("memories")).content.decode()
    assert ">theirs</button>" in page and ">ours</button>" in page
    seats = re.findall(r'name="seat" value="([^"]+)"', page)
    texts = {client.post(reverse("switch"), {"seat": seat}, follow=True).content.decode() for seat in seats}
    assert {("ours branch" in t, "theirs branch" in t) for t in texts} == {(True, False), (False, True)}


def test_another_login_cannot_use_the_link(cast: Cast) -> None:
    mallory = access.add_person(cast.charlie, "mallory@example.org", "member", "m", password=PASSWORD)
    access.add_person(cast.charlie, "dora@example.org", "member", "d", password=PASSWORD)
    known, fresh = invite(cast), invite(cast, "new@example.org", "compliance", "")
    for token in (known, fresh):
        client = browser_of(mallory)
        assert "another address" in client.get(path_of(token)).content.decode()
        client.post(path_of(token), {"password": NEW_PASSWORD, "again": NEW_PASSWORD, "language": "en"})
    with tenant_scope(cast.agent):
        assert not Membership.objects.filter(tenant_id=cast.agent.tenant_id, user=mallory).exists()
    with pytest.raises(NotFound):
        invitations.accept_as_known(known, mallory.pk)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"password": "short", "again": "short"}, "too short"),
        ({"again": "something else"}, "differ"),
        ({"password": "", "again": ""}, "required"),
        ({"password": "password123", "again": "password123"}, "too common"),
    ],
)
def test_a_bad_password_is_explained_and_nothing_typed_is_lost(cast: Cast, given: dict[str, str], said: str) -> None:
    token, client = invite(cast), browser_of(None)
    wanted = {"name": "Dora Q.", "password": NEW_PASSWORD, "again": NEW_PASSWORD, "language": "en"} | given
    answer = client.post(path_of(token), wanted)
    assert answer.status_code == 422
    assert said in answer.content.decode() and 'value="Dora Q."' in answer.content.decode()
    assert join(client, token) == 302


@pytest.mark.parametrize(
    ("email", "role", "user_key", "code"),
    [
        ("no address", "member", "x", "invalid_email"),
        ("e@example.org", "king", "x", "invalid"),
        ("e@example.org", "member", "", "user_id_missing"),
        ("e@example.org", "member", "alice", "user_id_taken"),
        ("ALICE@example.org", "compliance", "", "member_already"),
    ],
)
def test_an_impossible_invitation_is_refused(cast: Cast, email: str, role: str, user_key: str, code: str) -> None:
    access.add_person(cast.agent, "alice@example.org", "member", "alice", password=PASSWORD)
    with pytest.raises(DomainError) as refused:
        invite(cast, email, role, user_key)
    assert refused.value.code == code


def test_a_seat_taken_meanwhile_is_not_taken_twice(cast: Cast) -> None:
    token = invite(cast)
    access.add_person(cast.agent, "eve@example.org", "member", "dora", password=PASSWORD)
    assert join(browser_of(None), token) == 422
    assert not User.objects.filter(email="dora@example.org").exists()


def test_an_owner_invites_and_revokes_on_the_page(cast: Cast) -> None:
    owner = access.add_person(cast.agent, "owner@example.org", "owner", "boss", password=PASSWORD)
    client = browser_of(owner)
    form = {"email": "dora@example.org", "role": "member", "user_key": "dora", "language": "en"}
    page = client.post(reverse("invite"), form).content.decode()
    link = re.search(r"http://testserver(/invitation/[^<\s]+)", page)
    assert link is not None
    assert link[1] not in client.get(reverse("people")).content.decode()
    revoke = re.search(r'action="(/people/invitations/inv_[0-9a-f]{32}/revoke)"', page)
    assert revoke is not None
    assert client.post(revoke[1]).status_code == 302
    assert browser_of(None).get(link[1]).status_code == 404
    assert "invitation.revoked" in actions(cast)
    wrong = client.post(reverse("invite"), {**form, "email": "dora@", "user_key": "dora the first"})
    assert wrong.status_code == 422
    assert 'value="dora the first"' in wrong.content.decode()


def test_an_operator_cannot_make_an_owner(cast: Cast) -> None:
    operator = access.add_person(cast.agent, "op@example.org", "operator", password=PASSWORD)
    form = {"email": "x@example.org", "role": "owner", "user_key": "", "language": "en"}
    answer = browser_of(operator).post(reverse("invite"), form)
    assert answer.status_code == 422
    assert "Only an owner" in answer.content.decode()


def test_the_command_prints_the_link_and_mails_it_when_mail_is_configured(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = io.StringIO()
    wanted = ["dora@example.org", "--tenant", "ours", "--user-id", "dora", "--language", "zh-hans"]
    call_command("invite", *wanted, "--base", "http://memory.test", stdout=said)
    printed = re.search(r"http://memory\.test(/invitation/\S+)", said.getvalue())
    assert printed is not None and mail.outbox == []
    monkeypatch.setattr(settings.MEMORYAPP, "email_url", "smtp://mail.example")
    call_command("invite", *wanted, stdout=said)
    (letter,) = mail.outbox
    assert letter.to == ["dora@example.org"] and "邀请" in letter.subject
    sent = re.search(r"http://127\.0\.0\.1:8000(/invitation/\S+)", str(letter.body))
    assert sent is not None
    assert browser_of(None).get(printed[1]).status_code == 404
    assert join(browser_of(None), sent[1].removeprefix("/invitation/")) == 302


def test_the_command_says_what_is_wrong(cast: Cast) -> None:
    with pytest.raises(CommandError, match="no tenant"):
        call_command("invite", "x@example.org", "--tenant", "nowhere", "--user-id", "x")
    with pytest.raises(CommandError, match="user_id"):
        call_command("invite", "x@example.org", "--tenant", "ours")
