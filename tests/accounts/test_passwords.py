"""Logging in, guessing, setting and resetting the password; told in every tenant of the login."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.contrib.auth.password_validation import password_validators_help_text_html, validate_password
from django.core import mail
from django.core.cache import cache
from django.core.cache.backends.redis import RedisCache
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from accounts import throttle
from accounts.models import User
from memoryapp.services import access, audit_trail
from memoryapp.services.results import AuditFilter, AuditRow
from memoryapp.settings import _email
from tests.cast import Cast, make_cast
from tests.web.stage import PASSWORD, browser_of

pytestmark = pytest.mark.django_db
NEW_PASSWORD = "a very quiet harbour"
EMAIL = "alice@example.org"


@pytest.fixture
def cast(db: None) -> Iterator[Cast]:
    cache.clear()
    cast = make_cast()
    access.add_person(cast.agent, EMAIL, "member", "alice", password=PASSWORD, language="zh-hans")
    access.add_person(cast.charlie, EMAIL, "member", "a", password=PASSWORD)
    yield cast
    cache.clear()


def log_in(client: Client, password: str, email: str = EMAIL) -> int:
    return client.post(reverse("login"), {"username": email, "password": password}).status_code


def events(cast: Cast, action: str) -> list[AuditRow]:
    """Those of both tenants."""
    found = [audit_trail.search(actor, AuditFilter(action=action))[0] for actor in (cast.agent, cast.charlie)]
    return [row for rows in found for row in rows]


def test_logging_in_is_told_in_each_tenant_and_speaks_the_persons_language(cast: Cast) -> None:
    client = browser_of(None)
    assert log_in(client, PASSWORD) == 302
    assert 'lang="zh-hans"' in client.get(reverse("memories")).content.decode()
    assert [(row.actor_name, row.outcome) for row in events(cast, "login.")] == [(EMAIL, "ok")] * 2


def test_a_wrong_password_is_explained_and_told(cast: Cast) -> None:
    answer = browser_of(None).post(reverse("login"), {"username": EMAIL, "password": "wrong"})
    assert answer.status_code == 422
    assert "do not fit" in answer.content.decode() and EMAIL in answer.content.decode()
    assert {(row.action, row.outcome) for row in events(cast, "login.")} == {("login.failed", "denied")}


def test_guessing_is_stopped_here_while_the_person_still_comes_in_elsewhere(cast: Cast) -> None:
    for _ in range(throttle.LOGIN_HERE.most):
        assert log_in(browser_of(None), "wrong") == 422
    stopped = browser_of(None).post(reverse("login"), {"username": EMAIL, "password": PASSWORD})
    assert stopped.status_code == 429
    assert "Too many attempts" in stopped.content.decode()
    assert any(row.action == "login.refused" for row in events(cast, "login."))
    elsewhere = Client(REMOTE_ADDR="192.0.2.7")
    assert log_in(elsewhere, PASSWORD) == 302


def test_an_unknown_address_is_answered_and_slowed_down_in_the_same_way(cast: Cast) -> None:
    def answers(email: str) -> list[str]:
        pages = [browser_of(None).post(reverse("login"), {"username": email, "password": "wrong"}) for _ in range(9)]
        return [
            f"{p.status_code} {re.sub('(token.{0,10}value=|x-csrftoken).*|' + email, '', p.content.decode())}"
            for p in pages
        ]

    assert answers(EMAIL) == answers("nobody@example.org")


def test_coming_in_forgives_the_typing_errors_before(cast: Cast) -> None:
    for _ in range(3):
        for _ in range(throttle.LOGIN_HERE.most - 1):
            log_in(browser_of(None), "wrong")
        assert log_in(browser_of(None), PASSWORD) == 302


def test_changing_the_password_is_told_in_each_tenant(cast: Cast) -> None:
    client = browser_of(User.objects.get(email=EMAIL))
    form = {"old_password": PASSWORD, "new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD}
    assert client.post(reverse("password_change"), {**form, "old_password": "wrong"}).status_code == 200
    assert events(cast, "password.") == []
    assert client.post(reverse("password_change"), form).status_code == 302
    assert [row.action for row in events(cast, "password.")] == ["password.changed"] * 2
    assert User.objects.get(email=EMAIL).check_password(NEW_PASSWORD)


@pytest.mark.parametrize("name", ["password_reset", "password_reset_done"])
@pytest.mark.parametrize("configured", [True, False])
def test_a_person_who_forgot_the_password_is_told_when_no_mail_is_set_up(
    monkeypatch: pytest.MonkeyPatch, cast: Cast, name: str, configured: bool
) -> None:
    monkeypatch.setattr(settings.MEMORYAPP, "email_url", "smtp://mail.example" if configured else "")
    page = browser_of(None).get(reverse(name)).content.decode()
    assert ("No mail is set up here" in page) is not configured
    assert ("manage.py changepassword" in page) is not configured


def test_without_mail_no_working_link_is_written_anywhere() -> None:
    assert _email("") == {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}


def test_a_password_that_does_not_do_is_explained_in_chinese() -> None:
    with override("zh-hans"):
        with pytest.raises(ValidationError) as short:
            validate_password("a1b2")
        assert short.value.messages == ["密码太短，至少需要 10 个字符。"]
        told = str(password_validators_help_text_html())
    assert "您" in told and "你" not in told


def test_the_login_page_is_wholly_chinese() -> None:
    page = Client(headers={"Accept-Language": "zh-hans"}).get(reverse("login")).content.decode()
    assert "电子邮箱" in page
    assert ">Email<" not in page


def test_the_password_is_reset_by_a_mailed_link_once(cast: Cast) -> None:
    other_session = browser_of(User.objects.get(email=EMAIL))
    browser_of(None).post(reverse("password_reset"), {"email": EMAIL.upper()})
    (letter,) = mail.outbox
    link = re.search(r"http://testserver(/password/reset/\S+)", str(letter.body))
    assert link is not None
    client = browser_of(None)
    form = client.get(link[1], follow=True)
    done = client.post(form.request["PATH_INFO"], {"new_password1": NEW_PASSWORD, "new_password2": NEW_PASSWORD})
    assert done.status_code == 302
    assert [row.action for row in events(cast, "password.reset")].count("password.reset") == 2
    assert "used already" in browser_of(None).get(link[1], follow=True).content.decode()
    assert other_session.get(reverse("memories")).status_code == 302
    assert log_in(browser_of(None), NEW_PASSWORD) == 302


def test_a_login_that_never_had_a_password_gets_one_by_mail(cast: Cast) -> None:
    access.add_person(cast.agent, "fresh@example.org", "compliance")
    browser_of(None).post(reverse("password_reset"), {"email": "fresh@example.org"})
    assert [letter.to for letter in mail.outbox] == [["fresh@example.org"]]


def test_asking_for_links_again_and_again_sends_few_mails_and_answers_the_same(cast: Cast) -> None:
    for email in (EMAIL, "nobody@example.org"):
        answers = [browser_of(None).post(reverse("password_reset"), {"email": email}) for _ in range(8)]
        assert {(a.status_code, a.headers["Location"]) for a in answers} == {(302, reverse("password_reset_done"))}
    assert len(mail.outbox) == throttle.RESET_EMAIL.most


def test_without_the_cache_people_still_come_in(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "cache", RedisCache("redis://127.0.0.1:1", {}))  # nothing listens there
    assert log_in(browser_of(None), "wrong") == 422
    assert log_in(browser_of(None), PASSWORD) == 302
