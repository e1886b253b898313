"""Search by words against plain counting: the same rows, the same terms in them, the same rarity, wherever they are read."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from math import log
from uuid import UUID

import psycopg
import pytest
from django.db import connection
from django.utils import timezone

from memoryapp.domain.ranking import term_weight, word_coverage
from memoryapp.management.benchmarks.tenants import Owner, load
from memoryapp.retrieval import candidates, lexical, vocabulary
from memoryapp.retrieval.candidates import Search
from memoryapp.retrieval.words import words
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast

pytestmark = pytest.mark.django_db(transaction=True)

PIECES = """
周末去绍兴看乌篷船 爱喝桂花酸梅汤 鹦鹉叫芝麻 对账表由财务核对 每月十号交房租 不吃香菜 会议改到周四下午 钢琴课在城北的琴房
the heating engineer comes on Tuesdays|prefers window seats on night trains|allergic to walnuts|the lease ends in March
升级到 v3.14.2 之后不再卡顿 变更 CHG-2031/02-009 已经回滚 用 kubectl 重启 scheduler 喜欢 Earl Grey 红茶 seed_orders.sh 先跑一遍
a letter from her publisher|running the migration twice|每周三 stand-up meeting 之后复盘|he's learning 普通话 with Ms. Okafor
""".replace("|", " ").split()
QUESTIONS = (
    "绍兴的鹦鹉叫什么",
    "芝麻",
    "茶",
    "window seats on trains",
    "CHG-2031/02-009 回滚了吗",
    "seed_orders.sh scheduler v3.14.2",
    "周四下午的 stand-up meeting 改到几点，钢琴课还去城北吗 and the walnuts",
    "' & | ! \\ :* 琴房",
    "zyzzyva",
    "".join(PIECES),
)
POOL = 12


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_cast()


def texts(chance: random.Random, number: int) -> list[str]:
    """Mostly short; every ninth is too long for the index."""
    lengths = (chance.randint(60, 200) if n % 9 == 0 else chance.randint(1, 6) for n in range(number))
    return [" ".join(chance.choices(PIECES, k=length)) for length in lengths]


def filled(owners: Sequence[Owner], chance: random.Random) -> dict[UUID, frozenset[str]]:
    """Items of random texts; some expired, some asleep. The terms of those that may be found."""
    url, live = os.environ["DATABASE_SUPERUSER_URL"], {}
    load(url, owners, seed=7)
    with psycopg.connect(url, autocommit=True) as server:
        ids = [i for o in owners for (i,) in server.execute(IDS, [o.space_id])]
        for item, text in zip(ids, texts(chance, len(ids)), strict=True):
            state = chance.choice(["active"] * 8 + ["paused", "expired"])
            terms = lexical.terms(text)
            with server.transaction():
                server.execute("SET LOCAL session_replication_role = replica")
                server.execute(STATE, [state.replace("expired", "active"), state == "expired", item])
            server.execute(
                "UPDATE memoryapp_retrievalentry SET terms = array_to_tsvector(%s) WHERE id = %s", [[*terms], item]
            )
            live |= {item: frozenset(terms)} if state == "active" else {}
        long = server.execute("SELECT count(*) FROM memoryapp_retrievalentry WHERE long_terms").fetchall()[0][0]
        assert 0 < long < len(ids) / 2
        server.execute("VACUUM (ANALYZE) memoryapp_retrievalentry")
    return live


IDS = "SELECT id FROM memoryapp_retrievalentry WHERE space_id = %s ORDER BY id"
STATE = """
UPDATE memoryapp_memoryitem SET status = %s, expires_at = CASE WHEN %s THEN now() - interval '1 day' END WHERE id = %s
"""


def wanted(
    cast: Cast, spaces: Sequence[UUID], asked: Sequence[str], allowed: Sequence[UUID] | None = None
) -> candidates.Found:
    with tenant_scope(cast.agent):
        search = Search(cast.agent.tenant_id, spaces, asked, None, "", timezone.now(), POOL, allowed)
        return candidates.look(search)


def best(rows: dict[UUID, frozenset[str]], asked: Sequence[str], allowed: Sequence[UUID] | None) -> list[UUID]:
    """The rows that hold a term, by how rare what they hold is; ties by the newer id."""
    rarity = {t: log(1 + len(rows) / max(sum(t in held for held in rows.values()), 1)) for t in asked}
    held = {i: sum(rarity[t] for t in asked if t in terms) for i, terms in rows.items() if not terms.isdisjoint(asked)}
    order = sorted((i for i in held if allowed is None or i in allowed), key=lambda i: (held[i], i), reverse=True)
    return order[:POOL]


@pytest.mark.parametrize("seed", range(3))
def test_the_search_finds_what_counting_finds(cast: Cast, seed: int) -> None:
    chance = random.Random(seed)
    mine = [Owner(cast.agent.tenant_id, UUID(int=n), f"person-{n}", 90) for n in (1, 2)]
    others = [
        Owner(cast.agent.tenant_id, UUID(int=3), "colleague", 40),
        Owner(cast.charlie.tenant_id, UUID(int=4), "neighbour", 40),
    ]
    live = filled([*mine, *others], chance)
    spaces = [o.space_id for o in mine]
    with psycopg.connect(os.environ["DATABASE_SUPERUSER_URL"]) as server:
        rows = {i: live[i] for space in spaces for (i,) in server.execute(IDS, [space]) if i in live}
    for question in QUESTIONS:
        asked = lexical.query_terms(question)
        for allowed in (None, chance.sample(sorted(rows), 30)):
            found = wanted(cast, spaces, asked, allowed)
            expected = best(rows, asked, allowed)
            assert {c.id for c in found.candidates} == set(expected), question
            assert bool(expected) == bool(found.spread)
            counts = {t: sum(t in terms for terms in rows.values()) for t in asked}
            assert found.spread in ({}, counts)
            weights = {t: term_weight(n, len(rows)) for t, n in counts.items()}
            told = {i: rows[i] & frozenset(asked) for i in expected}
            for one in found.candidates:
                covered = word_coverage(frozenset(asked), told[one.id], weights)
                plain = word_coverage(frozenset(asked), told[one.id])
                assert one.terms == told[one.id]
                assert (one.words, one.plain_words) == pytest.approx((covered, plain))


def test_terms_are_read_from_the_index_alone(cast: Cast) -> None:
    owner = Owner(cast.agent.tenant_id, UUID(int=1), "person-1", 2_000)
    filler = Owner(cast.agent.tenant_id, UUID(int=2), "person-2", 8_000)
    load(os.environ["DATABASE_SUPERUSER_URL"], [owner, filler], seed=1)
    values = Search(owner.tenant_id, [owner.space_id], ("harbour", "灯笼"), None, "", timezone.now(), POOL).values
    with tenant_scope(cast.agent), connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN WITH {words()} SELECT id FROM words", values)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "Index Only Scan using entry_words" in plan
    assert "entry_long" in plan and "Seq Scan" not in plan


@pytest.mark.parametrize("number", [140, 400])
def test_terms_that_fit_and_terms_that_do_not_are_told_apart(cast: Cast, number: int) -> None:
    """The longest names of models beside the longest terms that are said to fit: the index takes them."""
    owner = Owner(cast.agent.tenant_id, UUID(int=1), "person-1", 1)
    load(os.environ["DATABASE_SUPERUSER_URL"], [owner], seed=1)
    with psycopg.connect(os.environ["DATABASE_SUPERUSER_URL"], autocommit=True) as server:
        for letters in range(1, 5):
            terms = [f"{n:04d}"[:4].ljust(3 + letters, "x") for n in range(number)]
            server.execute(
                "UPDATE memoryapp_retrievalentry SET terms = array_to_tsvector(%s), embedding_model = %s, spare_model = %s",
                [terms, "模" * 128, "型" * 128],
            )
            size, long = server.execute(
                "SELECT pg_column_size(array_to_tsvector(%s::text[])), long_terms FROM memoryapp_retrievalentry",
                [terms],
            ).fetchall()[0]
            assert long == (size > 1600)


def test_a_slip_is_corrected_by_a_word_of_a_long_text_too(cast: Cast) -> None:
    owner = Owner(cast.agent.tenant_id, UUID(int=1), "person-1", 2)
    load(os.environ["DATABASE_SUPERUSER_URL"], [owner], seed=1)
    with psycopg.connect(os.environ["DATABASE_SUPERUSER_URL"], autocommit=True) as server:
        (long, short) = (i for (i,) in server.execute(IDS, [owner.space_id]))
        update = "UPDATE memoryapp_retrievalentry SET terms = array_to_tsvector(%s) WHERE id = %s RETURNING long_terms"
        many = ["barometer", *(f"{n:06d}" for n in range(300))]
        assert server.execute(update, [many, long]).fetchall() == [(True,)]
        assert server.execute(update, [["lighthouse"], short]).fetchall() == [(False,)]
    with tenant_scope(cast.agent):
        meant = vocabulary.corrections(owner.tenant_id, [owner.space_id], ["barometr", "lighthuose"])
    assert meant == {"barometr": "barometer", "lighthuose": "lighthouse"}
