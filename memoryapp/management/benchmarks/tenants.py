"""Synthetic tenants: skewed like real ones, loaded past the triggers, in an order that scatters everybody's rows."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

import psycopg

from accounts.models import new_id
from memoryapp.management.benchmarks.given_embedder import DIMENSIONS, MODEL, vector_of

SMALL = 30
SHARES = ((20_000, 0.2), (5_000, 0.2), (1_000, 0.2))
"""How much of the rows beyond the measured people lies with owners of each size; the rest are owners of 100."""
TENANTS = 20
LEAVING = 5
VECTORS = 2_000
KINDS = ("note", "note", "note", "event", "project", "preference", "profile", "instruction", "decision", "lesson")
_TEXT = """
harbour lantern meadow compass granite orchard violin saddle thunder copper ribbon glacier walnut beacon pepper tunnel
marble anchor basil canyon dune ember falcon ginger hazel island jasmine kettle lagoon mirror nutmeg opal prairie quartz
港口 灯笼 草地 指南针 花岗岩 果园 提琴 马鞍 雷声 铜器 丝带 冰川 核桃 灯塔 胡椒 隧道 大理石 船锚 罗勒 峡谷 沙丘 余烬 猎鹰 生姜 榛子
岛屿 茉莉 水壶 礁湖 镜子 豆蔻 蛋白石 草原 石英 石榴 竹林 青瓷 屏风 砚台 风筝
"""
WORDS = tuple(_TEXT.split())


@dataclass(frozen=True, slots=True)
class Owner:
    """A person with so many memories."""

    tenant_id: UUID
    space_id: UUID
    key: str
    size: int


def question(number: int) -> str:
    """A question of four words that many memories share one or two of."""
    return " ".join(random.Random(number).sample(WORDS, 4))


def measured_owners(tenant_id: UUID, sizes: Sequence[int]) -> tuple[Owner, ...]:
    return tuple(Owner(tenant_id, new_id(), f"person-{size}", size) for size in sizes)


def leaving_owners(tenant_id: UUID, first: int) -> tuple[Owner, ...]:
    """People who will delete everything."""
    return tuple(Owner(tenant_id, new_id(), f"leaving-{first}-{n}", 1_000) for n in range(LEAVING))


def filling_owners(rows: int, first: int) -> tuple[Owner, ...]:
    """Owners that together have so many rows, spread over the other tenants."""
    tenants = [new_id() for _ in range(TENANTS)]
    sizes: list[int] = []
    for size, share in SHARES:
        sizes += [size] * int(rows * share // size)
    sizes += [100] * ((rows - sum(sizes)) // 100)
    return tuple(Owner(tenants[n % TENANTS], new_id(), f"filler-{first}-{n}", size) for n, size in enumerate(sizes))


def load(superuser_url: str, owners: Sequence[Owner], seed: int) -> None:
    """Write the owners' spaces, items, versions, retrieval entries and evidence, and bring the planner's statistics up to date."""
    with psycopg.connect(superuser_url, autocommit=True) as server:
        server.execute("SET session_replication_role = replica")
        # What is not on the disk yet, VACUUM does not mark as visible to all, and an index-only scan looks into the table.
        server.execute("SET synchronous_commit = on")
        _vectors(server)
        _spaces(server, owners)
        server.execute("CREATE TEMP TABLE staged (id uuid, tenant uuid, space uuid, kind text, content text, n int)")
        with server.cursor() as cursor, cursor.copy("COPY staged FROM STDIN") as copy:
            for row in _rows(owners, random.Random(seed)):
                copy.write_row(row)
        server.execute(_ITEMS)
        server.execute(_ENTRIES, [MODEL])
        server.execute(_EVIDENCE)
        server.execute(_VERSIONS)
        server.execute("DROP TABLE staged")
        server.execute(
            "VACUUM (ANALYZE) memoryapp_memoryitem, memoryapp_memoryversion, memoryapp_retrievalentry, memoryapp_evidence, "
            "memoryapp_space"
        )


def _rows(owners: Sequence[Owner], chance: random.Random) -> Iterator[tuple[UUID, UUID, UUID, str, str, int]]:
    turns = [owner for owner in owners for _ in range(owner.size)]
    chance.shuffle(turns)
    for number, owner in enumerate(turns):
        content = f"{' '.join(chance.sample(WORDS, 6))} {number}"
        yield new_id(), owner.tenant_id, owner.space_id, chance.choice(KINDS), content, chance.randrange(VECTORS)


def _vectors(server: psycopg.Connection) -> None:
    server.execute(f"CREATE TEMP TABLE given (n int PRIMARY KEY, v halfvec({DIMENSIONS}))")
    with server.cursor() as cursor, cursor.copy("COPY given FROM STDIN") as copy:
        for n in range(VECTORS):
            copy.write_row((n, str(vector_of(f"memory {n}"))))


def _spaces(server: psycopg.Connection, owners: Sequence[Owner]) -> None:
    with server.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO accounts_tenant (id, name, created_at) VALUES (%s, %s, now()) ON CONFLICT DO NOTHING",
            list({(o.tenant_id, f"bench {o.tenant_id}") for o in owners}),
        )
        cursor.executemany(
            "INSERT INTO memoryapp_space (id, tenant_id, kind, key, revision, consolidated_revision, learning_paused, "
            "using_paused, created_at) VALUES (%s, %s, 'person', %s, 0, 0, false, false, now())",
            [(o.space_id, o.tenant_id, o.key) for o in owners],
        )


_ITEMS = """
INSERT INTO memoryapp_memoryitem
    (id, tenant_id, space_id, status, content, kind, layer, scope, subject, predicate, object, importance, confidence,
     sensitivity, pinned, origin, speaker, agent_id, pending_reason, metadata, norm_hash, norm_version, fingerprint,
     version, said_at, status_before, reason_before, created_at, updated_at)
SELECT id, tenant, space, 'active', content, kind, 'semantic', '', '', '', '', 0.3 + (n %% 7) * 0.1, 0.8,
       'normal', n %% 500 = 0, 'manual', '', '', '', '{}', sha256(id::text::bytea), 1, sha256(content::bytea),
       1, now() - n * interval '1 hour', '', '', now(), now()
FROM staged
""".replace("%%", "%")
_EVIDENCE = """
INSERT INTO memoryapp_evidence
    (id, tenant_id, item_id, item_version, quote, role, speaker, said_at, offset_minutes, door, extractor, model,
     policy_version, created_at)
SELECT gen_random_uuid(), tenant, id, 1, content, 'user', '', now() - n * interval '1 hour', 0, 'manual', 'verbatim',
       '', 1, now()
FROM staged
"""
_VERSIONS = """
INSERT INTO memoryapp_memoryversion
    (id, tenant_id, item_id, number, content, kind, status, changed_fields, reason, actor_kind, actor_ref, valid_from,
     created_at)
SELECT gen_random_uuid(), tenant, id, 1, content, kind, 'active', '{content}', 'added', 'key', 'bench',
       now() - n * interval '1 hour', now()
FROM staged
"""
_ENTRIES = """
INSERT INTO memoryapp_retrievalentry
    (id, tenant_id, space_id, item_version, terms, embedding, embedding_model, embedding_attempts, searchable,
     updated_at)
SELECT id, tenant, space, 1, array_to_tsvector(string_to_array(content, ' ')), v, %s, 0, true, now()
FROM staged JOIN given USING (n)
"""
