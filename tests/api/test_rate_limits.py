"""A token bucket per key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from time import sleep

import pytest
from django.conf import settings
from redis import Redis
from redis.exceptions import ConnectionError as Away

from memoryapp.services import rate_limits, valkey
from tests.api.http import call, refused
from tests.cast import Cast


@pytest.fixture
def three_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three requests at once, then one every two seconds."""
    limited = settings.MEMORYAPP.model_copy(update={"rate_limit_per_minute": 30, "rate_limit_burst": 3})
    monkeypatch.setattr(settings, "MEMORYAPP", limited)
    monkeypatch.setattr(valkey, "_not_before", 0.0)
    yield


def test_a_key_that_asks_too_often_waits_and_others_do_not(cast: Cast, three_at_once: None) -> None:
    assert [call(cast.key, "GET", "me").status_code for _ in range(3)] == [200, 200, 200]
    answer = call(cast.key, "GET", "me")
    assert refused(answer, 429, "rate_limited")["retry_after"] == int(answer["Retry-After"])
    assert 1 <= int(answer["Retry-After"]) <= 2
    assert call(cast.charlie_key, "GET", "me").status_code == 200
    assert call("", "GET", "livez").status_code == 200


def test_tokens_are_taken_one_by_one_however_many_ask(three_at_once: None) -> None:
    with ThreadPoolExecutor(16) as pool:
        waits = list(pool.map(lambda _: rate_limits.seconds_to_wait("crowd"), range(64)))
    assert waits.count(0) == 3


def test_a_parcel_of_tokens_is_no_token_more(three_at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = settings.MEMORYAPP.model_copy(update={"rate_limit_per_minute": 1, "rate_limit_burst": 305})
    monkeypatch.setattr(settings, "MEMORYAPP", slow)
    waits = [rate_limits.seconds_to_wait("parcels") for _ in range(320)]
    assert waits.count(0) == 305
    assert all(1 <= wait <= 60 for wait in waits if wait)


def test_threads_that_find_no_token_at_the_same_time_fetch_one_parcel_for_all(
    three_at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = settings.MEMORYAPP.model_copy(update={"rate_limit_per_minute": 1, "rate_limit_burst": 1000})
    monkeypatch.setattr(settings, "MEMORYAPP", slow)
    fetch, together, fetched = valkey.attempt, Barrier(8), []

    def counted(work: Callable[[Redis], int]) -> int | None:
        fetched.append(work)
        sleep(0.05)
        return fetch(work)

    monkeypatch.setattr(valkey, "attempt", counted)

    def ask(_: int) -> int:
        together.wait()
        return rate_limits.seconds_to_wait("at once")

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {0}
    assert len(fetched) == 1


def test_a_process_remembers_so_many_keys(three_at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "MOST_KEYS", 3)
    for name in ("one", "two", "three", "four", "five"):
        rate_limits.seconds_to_wait(name)
    assert list(rate_limits._purses) == ["three", "four", "five"]


def test_the_bucket_fills_again(three_at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = settings.MEMORYAPP.model_copy(update={"rate_limit_per_minute": 60_000, "rate_limit_burst": 1})
    monkeypatch.setattr(settings, "MEMORYAPP", fast)
    waits = [rate_limits.seconds_to_wait("fast") for _ in range(200)]
    assert waits.count(0) > 1


def test_without_valkey_everybody_may_pass(cast: Cast, three_at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> object:
        raise Away

    monkeypatch.setattr(valkey, "_client", away)
    assert {call(cast.key, "GET", "me").status_code for _ in range(6)} == {200}


def test_no_limit_when_it_is_switched_off(three_at_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    off = settings.MEMORYAPP.model_copy(update={"rate_limit_per_minute": 0})
    monkeypatch.setattr(settings, "MEMORYAPP", off)
    assert {rate_limits.seconds_to_wait("off") for _ in range(9)} == {0}
