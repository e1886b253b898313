"""The bytes of an event are canonical JSON, whatever its words are."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
import rfc8785

from memoryapp import audit
from memoryapp.services.scope import tenant_scope
from tests.cast import make_cast


@pytest.mark.django_db
@pytest.mark.parametrize("reason", ["", "手动", "naïve – “quoted” \\ / \x7f", "tab\tline\nbell\x07", "🙂\u2028"])
def test_the_body_of_an_event_is_its_canonical_form(reason: str) -> None:
    agent = make_cast().agent
    target = audit.Target("memory", (uuid4(), uuid4()))
    with tenant_scope(agent):
        event = audit.record(
            agent,
            "memory.edited",
            target,
            person="爱丽丝",
            reason=reason,
            changed_fields=("zeta", "alpha"),
            policy_version=7,
        )
    assert rfc8785.dumps(json.loads(event.body)) == event.body
