"""The tables of a tenant's memory."""

from memoryapp.models.audit import AuditEvent, AuditSubject
from memoryapp.models.consolidation import ConsolidationRun, ConsolidationStep, Derivation
from memoryapp.models.erasure import Erasure, ErasureStep, SourceMask
from memoryapp.models.jobs import AuditExport, IdempotencyRecord, ImportJob, MemoryExport
from memoryapp.models.memory import Evidence, MemoryItem, MemoryVersion, NoiseFlag, Tombstone
from memoryapp.models.retrieval import Dictionary, Reembedding, RetrievalEntry, Use
from memoryapp.models.session import Message, Run, Session, WorkingMemory
from memoryapp.models.space import PolicyVersion, Space

__all__ = [
    "AuditEvent",
    "AuditExport",
    "AuditSubject",
    "ConsolidationRun",
    "ConsolidationStep",
    "Derivation",
    "Dictionary",
    "Erasure",
    "ErasureStep",
    "Evidence",
    "IdempotencyRecord",
    "ImportJob",
    "MemoryExport",
    "MemoryItem",
    "MemoryVersion",
    "Message",
    "NoiseFlag",
    "PolicyVersion",
    "Reembedding",
    "RetrievalEntry",
    "Run",
    "Session",
    "SourceMask",
    "Space",
    "Tombstone",
    "Use",
    "WorkingMemory",
]
