"""An export ends with what its messages told, also when the memory itself is not in it."""

from __future__ import annotations

import pytest

from memoryapp.domain.errors import DomainError
from memoryapp.services import changes, erasure, exports
from memoryapp.services.ingest import Incoming, accept
from tests.cast import Cast, finish, make_cast, only
from tests.erasure.test_exports import exported

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.mark.parametrize("removal", ["forget", "erase"])
def test_what_only_a_message_of_an_export_told_ends_it_as_well(cast: Cast, removal: str) -> None:
    """The memory was made after the export, out of a message that is in it; or it lies in a space that others share."""
    run = accept(cast.agent, "alice", [Incoming("user", "Remember that my boat lies in Oslo harbour.")])
    told = exported(cast.agent)
    finish(cast.agent, run)
    changes_of = {"forget": changes.forget, "erase": erasure.erase_item}[removal]
    changes_of(cast.agent, only(cast.agent, "alice"))
    with pytest.raises(DomainError) as refused:
        exports.file_of(cast.agent, told)
    assert refused.value.code == "export_withdrawn"
