"""One running instance for all tests of this folder, with a judge that the tests hold in their hand."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest

from tests.instance import command, free_port, open_folder, up
from tests.llm_stub import LLMStub
from tests.processes.agent import Instance, judge

QUICK = {
    "LLM_MODEL": "stub",
    "LLM_API_KEY": "stub",
    "LLM_TIMEOUT_SECONDS": "6",
    "EMBEDDING_MODEL": "stub",
    "EMBEDDING_API_KEY": "stub",
    "RUN_LEASE_SECONDS": "6",
    "RUN_ATTEMPTS": "3",
    "RETRY_BASE_SECONDS": "0.2",
    "DISPATCH_SECONDS": "0.5",
    "IDLE_SECONDS": "1",
}


@pytest.fixture(scope="package")
def running() -> Iterator[Instance]:
    with open_folder() as outer, LLMStub() as llm:
        folder, port = outer / "one", free_port()
        urls = {"LLM_BASE_URL": llm.base_url, "EMBEDDING_BASE_URL": llm.base_url}
        with up(folder, port, **QUICK, **urls) as child:
            made = command("create_tenant", "ours", "--json", DATA_DIR=str(folder))
            assert made.returncode == 0, made.stderr
            key = {"Authorization": f"Bearer {json.loads(made.stdout)['api_key']}"}
            with httpx.Client(base_url=f"http://127.0.0.1:{port}/api/v1", headers=key, timeout=30) as client:
                yield Instance(child.pid, folder, llm, client)


@pytest.fixture
def instance(running: Instance, request: pytest.FixtureRequest) -> Iterator[Instance]:
    """The instance with a judge that answers at once; its log is shown beside a failure."""
    running.llm.default = judge
    failed = request.session.testsfailed
    yield running
    running.llm.forget_script()
    if request.session.testsfailed > failed:
        print(running.log(300))
