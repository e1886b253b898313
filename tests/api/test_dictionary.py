"""The tenant's own words over HTTP."""

from __future__ import annotations

import pytest

from memoryapp.services import dictionary
from tests.api.http import call, refused
from tests.cast import Cast


def test_words_are_put_and_read_back_with_what_waits(cast: Cast) -> None:
    assert call(cast.key, "GET", "dictionary").json() == {
        "words": [],
        "revision": 0,
        "waiting": 0,
        "changed_at": None,
    }
    call(cast.key, "POST", "memories", {"user_id": "alice", "content": "苏打绿洲每箱四十八元"})
    put = call(cast.key, "PUT", "dictionary", {"words": ["苏打绿洲", "Aurora X1"]})
    assert put.status_code == 200
    assert (put.json()["words"], put.json()["revision"], put.json()["waiting"]) == (["苏打绿洲", "Aurora X1"], 1, 1)
    dictionary.make_terms(cast.agent.tenant_id)
    assert call(cast.key, "GET", "dictionary").json() == {**put.json(), "waiting": 0}
    assert call(cast.charlie_key, "GET", "dictionary").json()["words"] == []


@pytest.mark.parametrize(
    "body", [{}, {"words": "苏打绿洲"}, {"words": ["x" * 65]}, {"words": ["桥"]}, {"words": ["a b"], "more": 1}]
)
def test_a_malformed_dictionary_is_refused(cast: Cast, body: dict[str, object]) -> None:
    answer = call(cast.key, "PUT", "dictionary", body)
    assert answer.status_code == 400
    assert answer["Content-Type"] == "application/problem+json"


def test_a_secret_is_no_word(cast: Cast) -> None:
    body = {"words": ["sk-proj-abcdEFGH1234ijklMNOP5678qrstUVWX"]}
    refused(call(cast.key, "PUT", "dictionary", body), 422, "guard_refused")
