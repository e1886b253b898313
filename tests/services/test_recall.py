"""Search through the service, on the real database with the real embedder."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pydantic import SecretStr

from accounts.actor import Actor
from memoryapp.domain.errors import DomainError
from memoryapp.models import MemoryItem, RetrievalEntry, Use
from memoryapp.providers import registry
from memoryapp.retrieval import candidates, query_vectors, vocabulary
from memoryapp.services import changes, recall, uses
from memoryapp.services.recall import Wanted, answer, search
from memoryapp.services.results import Hit
from memoryapp.services.scope import tenant_scope
from memoryapp.services.vectors import sync_vectors
from tests.cast import Cast, make_cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    query_vectors.look_again()
    return make_cast()


def add(cast: Cast, *contents: str, person: str = "alice", embed: bool = True, **values: object) -> list[UUID]:
    made = [changes.add(cast.agent, person, changes.NewItem(c, **values))[0].id for c in contents]  # type: ignore[arg-type]
    while embed and sync_vectors(cast.agent.tenant_id):
        pass
    return made


def found(actor: Actor, query: str, person: str = "alice", **wanted: object) -> list[str]:
    return [hit.item.content for hit in search(actor, person, query, **wanted)]  # type: ignore[arg-type]


def first(actor: Actor, query: str, **wanted: object) -> Hit:
    return search(actor, "alice", query, **wanted)[0]  # type: ignore[arg-type]


@pytest.fixture
def no_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider of embeddings is away: words alone answer."""
    monkeypatch.setattr(recall.query_vectors, "vector_of", lambda question, embedder, may_ask: None)


WORDS = [
    ("她爱喝桂花酸梅汤和绿豆沙", "桂花酸梅汤"),
    ("小满住在绍兴，家里的鹦鹉叫芝麻", "芝麻"),
    ("小满住在绍兴，家里的鹦鹉叫芝麻", "绍兴"),
    ("供应商对账表由财务每月核对", "供应商 对账表"),
    ("供应商对账表由财务每月核对", "供应商对账表"),
    ("rollback 到 canary 之前先跑 seed_orders.sh 再 restore 缓存", "缓存"),
    ("rollback 到 canary 之前先跑 seed_orders.sh 再 restore 缓存", "seed_orders.sh"),
    ("rollback 到 canary 之前先跑 seed_orders.sh 再 restore 缓存", "seed_orders"),
    ("移动端闪退：子线程scheduler的tickMs溢出", "scheduler"),
    ("移动端闪退：子线程scheduler的tickMs溢出", "tickMs"),
    ("变更 CHG-2031/02-009 已经回滚", "CHG-2031/02-009"),
    ("The heating engineer comes every Tuesday", "engineers"),
    ("升级到 v3.14.2 之后不再卡顿", "v3.14.2"),
    ("配置在 /srv/app/conf/limits.toml", "limits.toml"),
    ("網路磁碟機放在機房", "网路磁碟机"),
    ("我养了一只龟", "龟"),
]


@pytest.mark.parametrize(("content", "query"), WORDS)
def test_words_alone_find_a_memory(cast: Cast, no_embedder: None, content: str, query: str) -> None:
    add(cast, content, "The office moves in June", "妹妹在学陶艺", embed=False)
    assert found(cast.agent, query)[0] == content


def test_an_answer_by_words_alone_says_so(cast: Cast, no_embedder: None) -> None:
    add(cast, "芝麻是一只鹦鹉", embed=False)
    assert answer(cast.agent, "alice", "芝麻", Wanted()).notes == (recall.WORDS_ONLY,)


@pytest.mark.parametrize(
    "query", ["AND OR NOT", "% _ \\ '", "a & b | !c", "'; DROP TABLE x; --", "<->", "(", "NOT 茶", "\\0"]
)
def test_operators_are_words_like_any_other(cast: Cast, query: str) -> None:
    add(cast, "喜欢喝茶")
    search(cast.agent, "alice", query)


@pytest.mark.parametrize("query", ["!!!", "？？", "…—", "%_\\'", "👍"])
def test_punctuation_finds_nothing(cast: Cast, query: str) -> None:
    add(cast, "喜欢喝茶")
    assert search(cast.agent, "alice", query) == ()


def test_an_empty_question_is_refused(cast: Cast) -> None:
    with pytest.raises(DomainError) as refused:
        search(cast.agent, "alice", "  ")
    assert "empty" in refused.value.detail


def test_a_slip_of_the_finger_still_finds_the_word(cast: Cast, no_embedder: None) -> None:
    add(cast, "Deploys run on kubernetes in Lisbon", "Invoices are kept for a decade", embed=False)
    for query in ("kubernetse", "kuberntes", "kubernettes", "kubarnetes"):
        assert found(cast.agent, query) == ["Deploys run on kubernetes in Lisbon"], query
    assert found(cast.agent, "cubarnetes") == []


@pytest.mark.parametrize(
    ("a", "b", "near"),
    [("redis", "radis", True), ("redis", "redsi", True), ("redis", "redis", False), ("redis", "raids", False),
     ("grafana", "grafan", True), ("grafana", "ggrafana", True), ("tempo", "campo", False)],
)  # fmt: skip
def test_one_letter_apart(a: str, b: str, near: bool) -> None:
    assert vocabulary.one_apart(a, b) is near
    assert vocabulary.one_apart(b, a) is near


def test_meaning_finds_what_shares_no_word(cast: Cast) -> None:
    add(cast, "用户每天骑自行车去单位", "妹妹在学陶艺", "项目的日志保留九十天", "The kettle is broken")
    assert found(cast.agent, "我怎么通勤？")[0] == "用户每天骑自行车去单位"
    add(cast, "The user cycles to the office", "Logs are kept for a quarter", person="bob")
    assert found(cast.agent, "How do I commute?", person="bob")[0] == "The user cycles to the office"


def test_the_same_text_scores_one_and_a_stranger_stays_low(cast: Cast) -> None:
    add(cast, "用户对芒果过敏", "The quarterly report goes to Ines")
    hits = search(cast.agent, "alice", "用户对芒果过敏")
    assert hits[0].score == pytest.approx(1)
    assert hits[0].parts["relevance"] == pytest.approx(1)
    assert [h.score for h in hits] == sorted((h.score for h in hits), reverse=True)
    assert found(cast.agent, "用户对芒果过敏", threshold=0.4) == ["用户对芒果过敏"]


@pytest.mark.parametrize("query", ["天文望远镜怎么校准", "How tall is the tower in Pisa?"])
def test_what_is_unrelated_stays_under_the_threshold(cast: Cast, query: str) -> None:
    add(cast, "用户对芒果过敏", "妹妹在学陶艺", "The user pays rent on the first", "Deploys run on Tuesdays")
    assert found(cast.agent, query, threshold=0.4) == []


def test_a_score_does_not_depend_on_what_else_is_stored(cast: Cast) -> None:
    add(cast, "妹妹在学陶艺")
    before = first(cast.agent, "谁在学陶艺？")
    add(cast, "弟弟在学木工", "爸爸在学陶艺鉴赏", "The kettle is broken", *(f"第{n}号会议室在{n}楼" for n in range(20)))
    after = next(h for h in search(cast.agent, "alice", "谁在学陶艺？") if h.item.content == "妹妹在学陶艺")
    assert after.score == pytest.approx(before.score, abs=1e-3)
    assert after.parts["relevance"] == pytest.approx(before.parts["relevance"])


def test_every_part_of_a_score_is_told_and_between_zero_and_one(cast: Cast) -> None:
    add(cast, "妹妹在学陶艺")
    parts = first(cast.agent, "陶艺").parts
    assert {"words", "meaning", "date", "relevance", "importance", "recency", "confidence", "feedback"} <= set(parts)
    assert all(value is None or 0 <= value <= 1 for value in parts.values())


def test_an_exact_identifier_wins_over_everything_else(cast: Cast) -> None:
    add(cast, "工单 QA-7781 已经关闭", "工单系统的故障都已经处理完毕并且关闭", "QA-7718 还开着", importance=0.5)
    assert first(cast.agent, "QA-7781 的工单故障处理完了吗").item.content == "工单 QA-7781 已经关闭"


def test_restatements_do_not_fill_the_answer(cast: Cast) -> None:
    add(
        cast,
        "我喜欢喝乌龙茶",
        "我很喜欢喝乌龙茶",
        "我非常喜欢喝乌龙茶",
        "我特别喜欢喝乌龙茶",
        "茶具放在客厅的柜子里",
        "我不喜欢喝乌龙茶",
    )
    top = found(cast.agent, "我爱喝什么茶", top_k=3)
    assert sum("乌龙茶" in text and "不" not in text for text in top) == 1
    assert "我不喜欢喝乌龙茶" in top
    assert len(found(cast.agent, "我爱喝什么茶", top_k=6)) == 6


def test_results_are_as_many_as_asked_for_or_as_there_are(cast: Cast) -> None:
    add(cast, *(f"笔记{n}：第{n}个仓库的钥匙" for n in range(30)), embed=True)
    for k in (1, 10, 30, 100):
        assert len(search(cast.agent, "alice", "钥匙", top_k=k)) == min(k, 30)


def test_a_question_with_a_date_lifts_what_was_said_then(cast: Cast) -> None:
    march, april = add(cast, "去了莫愁湖划船", "去了莫愁湖野餐")
    with tenant_scope(cast.agent):
        for item_id, moment in ((march, datetime(2026, 3, 7, tzinfo=UTC)), (april, datetime(2026, 4, 19, tzinfo=UTC))):
            MemoryItem.objects.filter(pk=item_id).update(said_at=moment)
            changes.edit(cast.agent, item_id, {"importance": 0.5}, expected_version=None)
    assert first(cast.agent, "3月初去哪了").item.id == march
    assert first(cast.agent, "Where did I go on April 19th?").item.id == april


def test_votes_move_a_row_within_bounds(cast: Cast) -> None:
    one, other = add(cast, "会议室在三楼东侧走廊", "会议室在四楼西侧走廊")
    before = {h.item.id: h.score for h in search(cast.agent, "alice", "会议室在哪")}
    changes.feedback(cast.agent, one, "helpful")
    changes.feedback(cast.agent, other, "outdated")
    after = {h.item.id: h.score for h in search(cast.agent, "alice", "会议室在哪")}
    assert 0 < after[one] - before[one] <= 0.05
    assert 0 < before[other] - after[other] <= 0.05


def test_only_what_lives_is_found(cast: Cast) -> None:
    kept, paused, forgotten, lapsed = add(cast, "钢琴课在周一", "钢琴课在周二", "钢琴课在周三", "钢琴课在周四")
    changes.pause(cast.agent, paused)
    changes.forget(cast.agent, forgotten)
    changes.edit(cast.agent, lapsed, {"expires_at": timezone.now() - timedelta(minutes=1)}, expected_version=None)
    assert [h.item.id for h in search(cast.agent, "alice", "钢琴课")] == [kept]
    changes.resume(cast.agent, paused)
    changes.edit(cast.agent, lapsed, {"expires_at": None}, expected_version=None)
    assert {h.item.id for h in search(cast.agent, "alice", "钢琴课")} == {kept, paused, lapsed}


def test_the_neighbour_and_a_colleague_see_nothing(cast: Cast) -> None:
    add(cast, "钢琴课在周一")
    assert search(cast.charlie, "alice", "钢琴课") == ()
    assert search(cast.agent, "bob", "钢琴课") == ()
    with pytest.raises(DomainError):
        search(cast.person("bob"), "alice", "钢琴课")
    with pytest.raises(DomainError):
        search(cast.agent, "", "钢琴课")


def test_a_filter_comes_before_the_ranking(cast: Cast) -> None:
    add(cast, *(f"第{n}次例会的纪要" for n in range(30)))
    add(cast, "例会改到周四", kind="decision")
    assert found(cast.agent, "例会的纪要", filters={"kind": "decision"}, top_k=1) == ["例会改到周四"]


def test_a_scope_shows_its_own_and_the_general_and_overrides(cast: Cast) -> None:
    add(cast, "爱靠过道的座位", subject="座位")
    add(cast, "坐长途车爱靠窗的座位", scope="travel", subject="座位")
    add(cast, "开会爱坐后排的座位", scope="work", subject="座位")
    assert set(found(cast.agent, "座位", scope="travel")) == {"爱靠过道的座位", "坐长途车爱靠窗的座位"}
    with tenant_scope(cast.agent):
        MemoryItem.objects.filter(content__contains="靠").update(predicate="偏好")
        for item in MemoryItem.objects.filter(content__contains="靠"):
            changes.edit(cast.agent, item.pk, {"importance": 0.5}, expected_version=None)
    assert found(cast.agent, "座位", scope="travel") == ["坐长途车爱靠窗的座位"]


def test_the_statements_of_a_search_do_not_grow(cast: Cast) -> None:
    def statements(k: int) -> int:
        with CaptureQueriesContext(
            connection,
        ) as caught:
            search(cast.agent, "alice", "例会", top_k=k)
        return len(
            [q for q in caught if "memoryapp_use" not in q["sql"] or "FROM memoryapp_retrievalentry" in q["sql"]]
        )

    add(cast, *(f"第{n}次例会" for n in range(5)))
    search(cast.agent, "alice", "例会")
    few = statements(2)
    add(cast, *(f"第{n}回例会" for n in range(20)))
    assert statements(20) == few


def test_a_vector_of_another_model_is_found_by_words_and_told(cast: Cast) -> None:
    add(cast, "苗圃在城北", "花店在城南")
    with tenant_scope(cast.agent), connection.cursor() as cursor:
        cursor.execute("UPDATE memoryapp_retrievalentry SET embedding = '[1,0,0]', embedding_model = 'older'")
    told = answer(cast.agent, "alice", "苗圃", Wanted())
    assert [h.item.content for h in told.hits] == ["苗圃在城北"]
    assert told.notes == (recall.OTHER_MODEL,)
    assert told.hits[0].parts["meaning"] is None


def test_very_long_vectors_are_searched_from_the_table(cast: Cast) -> None:
    (one,) = add(cast, "苗圃在城北")
    vector = [1.0] + [0.0] * 1999
    with tenant_scope(cast.agent), connection.cursor() as cursor:
        cursor.execute(
            "UPDATE memoryapp_retrievalentry SET embedding = %s::halfvec, embedding_model = 'wide'", [str(vector)]
        )
        space = RetrievalEntry.objects.get(pk=one).space_id
        search = candidates.Search(cast.agent.tenant_id, [space], (), vector, "wide", timezone.now(), 10)
        got = candidates.look(search).candidates
    assert [(c.id, round(c.cosine or 0, 3)) for c in got] == [(one, 1.0)]


def test_a_question_is_embedded_once_in_minutes(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    embed = registry.embedder().embed_query
    monkeypatch.setattr(type(registry.embedder()), "embed_query", lambda self, text: asked.append(text) or embed(text))
    for _ in range(3):
        search(cast.agent, "alice", "苗圃在哪")
    assert asked == ["苗圃在哪"]
    assert "苗圃" not in repr(query_vectors._kept)


def test_of_a_long_question_the_beginning_and_the_end_are_embedded(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    add(cast, "苗圃在城北")
    asked: list[str] = []
    embed = registry.embedder().embed_query
    monkeypatch.setattr(type(registry.embedder()), "embed_query", lambda self, text: asked.append(text) or embed(text))
    search(cast.agent, "alice", "苗圃在哪" + "，说来话长" * 1_000 + "到底在哪")
    assert len(asked[0]) <= query_vectors.LONGEST + 1
    assert asked[0].startswith("苗圃在哪")
    assert asked[0].endswith("到底在哪")


def test_uses_are_noted_with_rank_and_score(cast: Cast) -> None:
    (one,) = add(cast, "苗圃在城北")
    search(cast.agent, "alice", "苗圃")
    with tenant_scope(cast.agent):
        use = Use.objects.get(item_id=one)
    assert (use.purpose, use.rank) == ("search", 0)
    assert use.score is not None


def test_losing_the_count_never_loses_the_answer(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    add(cast, "苗圃在城北")
    monkeypatch.setattr(uses, "MOST_WAITING", 0)
    monkeypatch.setattr(uses, "_desk", uses._Desk(deque(maxlen=0)))
    assert found(cast.agent, "苗圃") == ["苗圃在城北"]


class Reranker(BaseHTTPRequestHandler):
    """Puts the last document first; or answers nonsense."""

    broken = False

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        results = [{"index": n, "relevance_score": n / 10} for n in range(len(body["documents"]))]
        payload = json.dumps({} if self.broken else {"results": results}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: object) -> None:
        return


@pytest.fixture
def reranker(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Reranker]]:
    server = HTTPServer(("127.0.0.1", 0), Reranker)
    Thread(target=server.serve_forever, daemon=True).start()
    changed = settings.MEMORYAPP.model_copy(
        update={
            "rerank_base_url": f"http://127.0.0.1:{server.server_port}",
            "rerank_model": "stub",
            "rerank_api_key": SecretStr("k"),
        }
    )
    monkeypatch.setattr(settings, "MEMORYAPP", changed)
    yield Reranker
    Reranker.broken = False
    server.shutdown()
    server.server_close()


def test_a_reranker_may_change_the_order_and_its_word_is_told(cast: Cast, reranker: type[Reranker]) -> None:
    add(cast, "苗圃在城北", "花店在城南")
    hits = search(cast.agent, "alice", "苗圃在哪")
    assert [h.item.content for h in hits] == ["花店在城南", "苗圃在城北"]
    assert hits[0].score >= hits[1].score
    assert hits[0].parts["rerank"] == pytest.approx(0.1)


def test_a_reranker_that_fails_is_skipped_and_that_is_told(cast: Cast, reranker: type[Reranker]) -> None:
    add(cast, "苗圃在城北", "花店在城南")
    reranker.broken = True
    told = answer(cast.agent, "alice", "苗圃在哪", Wanted())
    assert told.hits[0].item.content == "苗圃在城北"
    assert told.notes == ("rerank_skipped",)


@pytest.mark.parametrize(
    ("wish", "taste", "others"),
    [
        (
            "Can you suggest a nice place for dinner in Lisbon?",
            "The user can't stand seafood",
            (
                "A conference took place in Lisbon in 2021",
                "Dinner yesterday was soup",
                "The user prefers trains to planes",
            ),
        ),
        (
            "下周去武汉，帮我订个酒店",
            "用户出差一定要住离地铁近的地方",
            ("用户的表弟在武汉上大学", "下周公司有年会", "用户从不看恐怖片"),
        ),
    ],
)
def test_a_taste_that_bears_on_the_advice_comes_before_what_shares_its_words(
    cast: Cast, wish: str, taste: str, others: tuple[str, ...]
) -> None:
    add(cast, *others, taste)
    best = first(cast.agent, wish)
    assert best.item.content == taste
    assert best.parts["advice"] > 0


def test_the_same_words_do_not_lift_a_taste_where_a_fact_is_asked_for(cast: Cast) -> None:
    add(cast, "The user can't stand seafood", "Dinner in Lisbon was soup in a tavern")
    assert found(cast.agent, "What was the dinner in Lisbon?")[0] == "Dinner in Lisbon was soup in a tavern"
    assert all(not hit.parts["advice"] for hit in search(cast.agent, "alice", "What was the dinner in Lisbon?"))
