"""A tenant's own words: a name that the cutter takes apart is found whole, and next door nothing changes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.domain.errors import DomainError
from memoryapp.models import AuditEvent
from memoryapp.retrieval import lexical, query_vectors
from memoryapp.services import changes, dictionary, housekeeping, recall
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast, make_cast

pytestmark = pytest.mark.django_db(transaction=True)

CASES = [
    ("苏打绿洲", "苏打绿洲多少钱一箱", "苏打绿洲每箱四十八元", "绿洲餐厅的苏打饼干很好吃，苏打水也好"),
    ("何晓明月", "何晓明月的电话打不通", "何晓明月负责华东仓库", "何晓在赏明月，明月照着何晓的院子"),
    ("小鹏P7i", "小鹏P7i什么时候保养", "小鹏P7i的轮胎要换了", "小鹏在研究 P7i 协议，小鹏说 P7i 很旧"),
    ("Aurora X1", "when does the Aurora X1 ship?", "The Aurora X1 leaves the harbour on Monday", "Aurora paints; Aurora owns the X1 easel"),
]  # fmt: skip
"""Word, question, the memory it is about, and one that holds its parts only, more often."""


@pytest.fixture
def cast(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Cast:
    """Words alone answer, since meaning would find the names as well."""
    query_vectors.look_again()
    monkeypatch.setattr(recall.query_vectors, "vector_of", lambda question, embedder, may_ask: None)
    return make_cast()


def keep(cast: Cast, *texts: str, next_door: bool = False) -> None:
    for text in texts:
        changes.add(cast.charlie if next_door else cast.agent, "alice", changes.NewItem(text))


def shares(cast: Cast, question: str, *, next_door: bool = False) -> dict[str, float]:
    """How much of the question's words each hit holds."""
    hits = recall.search(cast.charlie if next_door else cast.agent, "alice", question)
    return {hit.item.content: hit.parts["words"] or 0.0 for hit in hits}


@pytest.mark.parametrize(("word", "question", "about", "parts"), CASES)
@pytest.mark.parametrize("stored_first", [True, False], ids=["stored before", "stored after"])
def test_a_name_is_found_whole_and_its_parts_come_behind(
    cast: Cast, word: str, question: str, about: str, parts: str, stored_first: bool
) -> None:
    keep(cast, about, parts, next_door=True)
    if stored_first:
        keep(cast, about, parts)
        before = shares(cast, question)
        assert before == shares(cast, question, next_door=True)
    dictionary.replace(cast.agent, [word, "别的产品"])
    if stored_first:
        assert dictionary.view(cast.agent).waiting == 2
        assert dictionary.make_terms(cast.agent.tenant_id) == 2
    else:
        keep(cast, about, parts)
    assert dictionary.view(cast.agent).waiting == 0
    after, theirs = shares(cast, question), shares(cast, question, next_door=True)
    assert after[about] > after.get(parts, 0.0)
    assert after[about] - after.get(parts, 0.0) > theirs[about] - theirs[parts]
    if stored_first:
        assert theirs == before
    assert dictionary.view(cast.charlie).words == ()


def test_a_word_that_is_taken_out_is_cut_again(cast: Cast) -> None:
    keep(cast, "苏打绿洲每箱四十八元")
    before = shares(cast, "苏打绿洲多少钱一箱")
    dictionary.replace(cast.agent, ["苏打绿洲"])
    dictionary.make_terms(cast.agent.tenant_id)
    dictionary.replace(cast.agent, [])
    dictionary.make_terms(cast.agent.tenant_id)
    assert shares(cast, "苏打绿洲多少钱一箱") == before


def test_a_job_that_broke_off_goes_on_and_a_lost_one_is_found(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(cast, *(f"苏打绿洲第{n}箱" for n in "一二三四五"))
    dictionary.replace(cast.agent, ["苏打绿洲"])
    monkeypatch.setattr(dictionary, "BATCH", 2)
    cut, seen = lexical.item_terms, []

    def breaking(subject: str, content: str, own: object) -> list[str]:
        seen.append(content)
        if len(seen) == 4:
            raise KeyboardInterrupt
        return cut(subject, content, own)  # type: ignore[arg-type]

    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        broken.setattr(lexical, "item_terms", breaking)
        dictionary.make_terms(cast.agent.tenant_id)
    assert dictionary.view(cast.agent).waiting == 3
    housekeeping.clean(cast.agent.tenant_id)
    assert dictionary.view(cast.agent).waiting == 0


def test_a_job_of_earlier_words_leaves_the_terms_of_later_ones_alone(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(cast, *(f"苏打绿洲第{n}箱" for n in "一二三四"))
    dictionary.replace(cast.agent, ["苏打绿洲"])
    monkeypatch.setattr(dictionary, "BATCH", 2)
    cut, newer = lexical.terms, [2]

    def overtaken(text: str, own: object) -> tuple[str, ...]:
        if newer:
            assert dictionary.replace(cast.agent, ["苏打", "绿洲"]).revision == newer.pop()
            assert dictionary.make_terms(cast.agent.tenant_id) == 4
        return cut(text, own)  # type: ignore[arg-type]

    monkeypatch.setattr(lexical, "terms", overtaken)
    assert dictionary.make_terms(cast.agent.tenant_id) == 0
    assert dictionary.view(cast.agent).waiting == 0


def test_another_process_notices_a_change_by_its_revision(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    dictionary.replace(cast.agent, ["苏打绿洲"])
    known = dictionary.words_of(cast.agent.tenant_id)
    with tenant_scope(cast.agent), connection.cursor() as cursor:
        cursor.execute("UPDATE memoryapp_dictionary SET words = '{青瓷灯塔}', revision = revision + 1")
    assert dictionary.words_of(cast.agent.tenant_id) is known
    monkeypatch.setattr(dictionary, "SECONDS", 0.0)
    assert dictionary.words_of(cast.agent.tenant_id).words == {"青瓷灯塔"}


def test_the_same_words_in_another_script_or_case_are_one_and_change_nothing(cast: Cast) -> None:
    first = dictionary.replace(cast.agent, ["云栖小镇", "雲棲小鎮", "Aurora  X1", "aurora x1"])
    assert first.words == ("云栖小镇", "Aurora X1")
    assert dictionary.replace(cast.agent, ["云栖小镇", "Aurora X1"]).revision == first.revision == 1
    with tenant_scope(cast.agent):
        assert AuditEvent.objects.filter(action="dictionary.changed").count() == 1
    keep(cast, "雲棲小鎮的門票")
    assert shares(cast, "云栖小镇")["雲棲小鎮的門票"] == 1.0


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["桥"], "invalid"),
        (["——"], "invalid"),
        ([""], "invalid"),
        (["长" * 65], "invalid"),
        ([f"产品{n}" for n in range(10_001)], "invalid"),
        (["sk-proj-abcdEFGH1234ijklMNOP5678qrstUVWX"], "guard_refused"),
        (["13912345678"], "guard_refused"),
    ],
)
def test_words_that_cannot_be_words_are_refused_and_nothing_changes(cast: Cast, words: list[str], code: str) -> None:
    dictionary.replace(cast.agent, ["云栖小镇"])
    with pytest.raises(DomainError) as caught:
        dictionary.replace(cast.agent, ["好词语", *words])
    assert caught.value.code == code
    assert dictionary.view(cast.agent).words == ("云栖小镇",)


def test_the_command_loads_adds_removes_and_shows(cast: Cast, tmp_path: Path) -> None:
    keep(cast, "苏打绿洲每箱四十八元")
    file = tmp_path / "words.txt"
    file.write_text("苏打绿洲\n\n青瓷灯塔\n", encoding="utf-8")

    def run(*arguments: str) -> str:
        out = io.StringIO()
        call_command("dictionary", *arguments, "--tenant", "ours", stdout=out)
        return out.getvalue()

    assert "2 words; 1 memories cut anew" in run("load", str(file))
    assert "3 words" in run("add", "云栖小镇")
    assert "2 words" in run("remove", "青瓷灯塔")
    assert run("show").split() == ["苏打绿洲", "云栖小镇"]
    with pytest.raises(CommandError, match="2 to 64"):
        run("add", "桥")
    with pytest.raises(CommandError, match="cannot be read"):
        run("load", str(tmp_path / "missing"))


def test_the_statement_count_of_a_search_is_the_same_with_a_dictionary(cast: Cast) -> None:
    keep(cast, "苏打绿洲每箱四十八元")

    def count() -> int:
        recall.search(cast.agent, "alice", "苏打绿洲")
        with CaptureQueriesContext(connection) as caught:
            recall.search(cast.agent, "alice", "苏打绿洲")
        return len(caught)

    before = count()
    dictionary.replace(cast.agent, ["苏打绿洲"])
    dictionary.make_terms(cast.agent.tenant_id)
    assert count() == before
