from __future__ import annotations

from memoryapp.providers.breaker import CircuitBreaker


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def broken(clock: Clock) -> CircuitBreaker:
    breaker = CircuitBreaker(threshold=3, rest=30, clock=clock)
    for _ in range(3):
        assert breaker.wait() == 0
        breaker.failed()
    return breaker


def test_it_opens_after_the_threshold_and_says_how_long() -> None:
    clock = Clock()
    breaker = broken(clock)
    assert breaker.is_open
    clock.now += 10
    assert breaker.wait() == 20


def test_a_success_in_between_starts_the_count_again() -> None:
    breaker = CircuitBreaker(threshold=2, clock=Clock())
    breaker.failed()
    breaker.succeeded()
    breaker.failed()
    assert breaker.wait() == 0


def test_after_the_rest_one_call_may_try_and_its_success_closes() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now += 30
    assert breaker.wait() == 0
    assert breaker.wait() == 30
    breaker.succeeded()
    assert breaker.wait() == 0
    assert not breaker.is_open


def test_a_failed_try_opens_it_for_another_rest() -> None:
    clock = Clock()
    breaker = broken(clock)
    clock.now += 30
    breaker.wait()
    clock.now += 5
    breaker.failed()
    assert breaker.wait() == 30
