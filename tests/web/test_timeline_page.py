"""The timeline over HTTP: how memories came to be, and what they were on a day."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memoryapp.models import MemoryVersion
from memoryapp.services import changes
from memoryapp.services.results import ItemView
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast

pytestmark = pytest.mark.django_db


def page(client: Client, **query: str) -> str:
    return client.get(reverse("timeline"), query).content.decode()


def add(cast: Cast, text: str) -> ItemView:
    return changes.add(cast.agent, "alice", changes.NewItem(text))[0]


def test_changes_are_listed_by_day_with_what_they_changed(cast: Cast, alice: Client) -> None:
    assert "Nothing has happened yet." in page(alice)
    item = add(cast, "Drinks green tea.")
    changes.edit(cast.agent, item.id, {"content": "Drinks black tea."}, expected_version=None)
    changes.forget(cast.agent, add(cast, "Sold the car.").id)
    text = page(alice)
    assert "2 changes" in text and text.count('class="day"') == 1
    assert "<del>green</del><ins>black</ins>" in text
    assert "<strong>Edited</strong>" in text and "<strong>Added</strong>" in text
    assert "Sold the car." not in text


def test_a_day_shows_what_was_true_and_what_was_known(cast: Cast, alice: Client) -> None:
    item = add(cast, "Drinks green tea.")
    days = [timezone.now() - timedelta(days=n) for n in (40, 5)]
    with tenant_scope(cast.agent):
        MemoryVersion.objects.filter(item_id=item.id).update(valid_from=days[0], created_at=days[1])
    between = (timezone.now() - timedelta(days=20)).date().isoformat()
    assert "Drinks green tea." in page(alice, on=between)
    assert "Nothing was remembered on that day." in page(alice, on=between, how="known")
    today = timezone.now().date().isoformat()
    assert "Drinks green tea." in page(alice, on=today, how="known")
    before = (timezone.now() - timedelta(days=90)).date().isoformat()
    assert "Nothing was remembered on that day." in page(alice, on=before)


@pytest.mark.parametrize("text", ["yesterday", "2026-02-31", "31.12.2025"])
def test_a_bad_day_is_explained_and_kept(cast: Cast, alice: Client, text: str) -> None:
    answer = alice.get(reverse("timeline"), {"on": text})
    assert answer.status_code == 422
    assert "This is no date." in answer.content.decode() and f"({text})" in answer.content.decode()


def test_the_timeline_turns_pages(cast: Cast, alice: Client) -> None:
    for number in range(55):
        add(cast, f"Owns book number {number} of the series.")
    first = page(alice)
    assert "55 changes" in first and "Owns book number 0 " not in first
    cursor = first.partition("?cursor=")[2].partition('"')[0]
    assert "Owns book number 0 " in page(alice, cursor=cursor)
    assert alice.get(reverse("timeline"), {"cursor": "nonsense"}).status_code == 400
