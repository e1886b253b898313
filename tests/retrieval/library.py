"""Big libraries of random vectors, loaded fast, and the search over all of them in plain arithmetic."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
import psycopg
from numpy.typing import NDArray

from memoryapp.management.benchmarks.tenants import Owner, load

MODEL = "library"
DIMENSIONS = 64


@dataclass(frozen=True)
class Library:
    """The ids and vectors of one owner's rows, as they were written."""

    owner: Owner
    ids: list[UUID]
    vectors: NDArray[np.float32]

    def nearest(self, question: Sequence[float], k: int) -> dict[UUID, float]:
        """The k rows of the greatest cosine, found by comparing every row."""
        asked = np.asarray(question, dtype=np.float16).astype(np.float32)
        cosines = self.vectors @ asked / (np.linalg.norm(self.vectors, axis=1) * np.linalg.norm(asked))
        best = np.argsort(-cosines)[:k]
        return {self.ids[n]: float(cosines[n]) for n in best}


def random_vectors(count: int, seed: int, topics: int = 0) -> NDArray[np.float32]:
    """Halves as the column keeps them; around `topics` centres when given, as texts lie, else anywhere."""
    chance = np.random.default_rng(seed)
    drawn = chance.standard_normal((count, DIMENSIONS))
    if topics:
        drawn = 0.6 * drawn + chance.standard_normal((topics, DIMENSIONS))[chance.integers(topics, size=count)]
    unit = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return unit.astype(np.float16).astype(np.float32)


def loaded(owners: Sequence[Owner], seed: int, topics: int = 0) -> list[Library]:
    """Write the owners' rows, then each row its own vector."""
    url = os.environ["DATABASE_SUPERUSER_URL"]
    load(url, owners, seed)
    with psycopg.connect(url, autocommit=True) as server:
        libraries = [_with_vectors(server, owner, seed + n, topics) for n, owner in enumerate(owners)]
        server.execute("VACUUM (ANALYZE) memoryapp_retrievalentry")
    return libraries


def _with_vectors(server: psycopg.Connection, owner: Owner, seed: int, topics: int) -> Library:
    rows = server.execute("SELECT id FROM memoryapp_retrievalentry WHERE space_id = %s ORDER BY id", [owner.space_id])
    ids, vectors = [row[0] for row in rows], random_vectors(owner.size, seed, topics)
    server.execute(f"CREATE TEMP TABLE own (id uuid, v halfvec({DIMENSIONS}))")
    with server.cursor() as cursor, cursor.copy("COPY own FROM STDIN") as copy:
        for item_id, vector in zip(ids, vectors, strict=True):
            copy.write_row((item_id, "[" + ",".join(f"{value:.6g}" for value in vector) + "]"))
    server.execute(
        "UPDATE memoryapp_retrievalentry e SET embedding = own.v, embedding_model = %s FROM own WHERE own.id = e.id",
        [MODEL],
    )
    server.execute("DROP TABLE own")
    return Library(owner, ids, vectors)
