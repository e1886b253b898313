"""Celery shells: parse ids, call one service."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from celery import shared_task
from celery.signals import worker_process_init

from memoryapp.domain.classifier import warm as warm_classifiers
from memoryapp.retrieval import lexical
from memoryapp.services import (
    audit_trail,
    consolidation,
    dictionary,
    erasure,
    exports,
    physical_erasure,
    pipeline,
    reembedding,
    vectors,
    working_memory,
)
from memoryapp.services.housekeeping import keep_house, keep_nightly_house


@worker_process_init.connect
def load_words(**kwargs: Any) -> None:
    """jieba takes a second to load, which no run should spend while it holds a space's lock."""
    lexical.warm()
    warm_classifiers()


@shared_task(name="memoryapp.extract")
def extract(tenant_id: str, run_id: str) -> None:
    pipeline.extract(UUID(tenant_id), UUID(run_id))


@shared_task(name="memoryapp.dispatch_due")
def dispatch_due() -> None:
    pipeline.dispatch_due()
    erasure.dispatch_due()
    exports.dispatch_due()


@shared_task(name="memoryapp.sync_vectors")
def sync_vectors(tenant_id: str) -> None:
    vectors.sync_vectors(UUID(tenant_id))
    reembedding.catch_up(UUID(tenant_id))


@shared_task(name="memoryapp.make_terms")
def make_terms(tenant_id: str) -> None:
    dictionary.make_terms(UUID(tenant_id))


@shared_task(name="memoryapp.summarise")
def summarise(tenant_id: str, session_id: str) -> None:
    working_memory.summarise(UUID(tenant_id), UUID(session_id))


@shared_task(name="memoryapp.consolidate")
def consolidate(tenant_id: str, run_id: str) -> None:
    consolidation.consolidate(UUID(tenant_id), UUID(run_id))


@shared_task(name="memoryapp.nightly")
def nightly() -> None:
    keep_nightly_house()


@shared_task(name="memoryapp.export_audit")
def export_audit(tenant_id: str, export_id: str) -> None:
    audit_trail.run_export(UUID(tenant_id), UUID(export_id))


@shared_task(name="memoryapp.export_memories")
def export_memories(tenant_id: str, export_id: str) -> None:
    exports.run(UUID(tenant_id), UUID(export_id))


@shared_task(name="memoryapp.erase")
def erase(tenant_id: str, erasure_id: str) -> None:
    erasure.run(UUID(tenant_id), UUID(erasure_id))


@shared_task(name="memoryapp.erase_physical")
def erase_physical() -> None:
    physical_erasure.rewrite()


@shared_task(name="memoryapp.housekeeping")
def housekeeping() -> None:
    keep_house()
