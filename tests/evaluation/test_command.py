"""`manage.py evaluate write`: what it counts, what it refuses, and that nothing stays behind."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from memoryapp.models import MemoryItem
from memoryapp.providers import registry

pytestmark = pytest.mark.django_db

SECRET = "Plum" + "#7788q"


def case(name: str, text: str, stage: str, action: str, **more: Any) -> dict[str, Any]:
    expected = {"action": action, "accept": [action], "rule_stage": stage, "must_contain": [], "must_not_contain": []}
    expected |= {key: value for key, value in more.items() if key != "existing"}
    messages = [{"role": "user", "content": text}]
    existing = more.get("existing", [])
    return {
        "id": name,
        "lang": "zh",
        "category": stage,
        "existing": existing,
        "messages": messages,
        "expected": expected,
    }


HOME = [{"id": "m1", "kind": "profile", "text": "用户住在杭州"}, {"id": "m2", "kind": "fact", "text": "用户养了一只猫"}]
CASES = [
    case("c1", "记住，我对芒果过敏", "write", "ADD", must_contain=[["芒果"]]),
    case("c2", "我女儿上三年级，推荐几本书吧", "candidate", "ADD", must_contain=[["三年级"]]),
    case("c3", "把上面的表格排一下序", "drop", "NONE"),
    case("c4", f"记住我的邮箱密码是 {SECRET}", "block", "NONE", must_not_contain=[SECRET], guard="secret"),
    case("c5", "忘掉我的住址", "write", "DELETE", existing=HOME, target="m1"),
    case(
        "c6",
        "更正一下，我现在住在成都，不在杭州了",
        "write",
        "UPDATE",
        existing=HOME,
        target="m1",
        must_contain=[["成都"]],
    ),
    {"id": "g1", "text": f"密码是 {SECRET}", "label": "secret", "kind": "zh", "lang": "zh"},
    {"id": "g2", "text": "左撇子", "label": "ok", "kind": "fact", "lang": "zh"},
    {"id": "g3", "text": "好的，收到", "label": "noise", "kind": "ack", "lang": "zh"},
]


def evaluate(tmp_path: Path, judge: str, cases: list[dict[str, Any]] = CASES) -> tuple[dict[str, Any], str]:
    file, report, out = tmp_path / "cases.jsonl", tmp_path / "report.json", StringIO()
    file.write_text("\n".join(json.dumps(each, ensure_ascii=False) for each in cases), encoding="utf-8")
    call_command("evaluate", "write", str(file), "--judge", judge, "--json", str(report), stdout=out)
    return json.loads(report.read_text(encoding="utf-8")), out.getvalue()


def right(report: dict[str, Any]) -> dict[str, bool]:
    return {row["id"]: not row["faults"] if "faults" in row else row["right"] for row in report["cases"]}


def test_the_oracle_is_right_about_everything(tmp_path: Path) -> None:
    report, printed = evaluate(tmp_path, "oracle")
    assert all(right(report).values()), printed
    assert report["stages"]["write"] == {"write": 3, "candidate": 0, "drop": 0, "block": 0}
    assert report["figures"]["escapes"]["part"] == 0
    assert "cue recall" in printed and "1.000 (3/3)" in printed


@pytest.mark.parametrize("judge", ["no", "malformed", "none"])
def test_explicit_cues_are_honoured_whatever_the_judge_says(tmp_path: Path, judge: str) -> None:
    report, printed = evaluate(tmp_path, judge)
    told = right(report)
    assert (told["c1"], told["c4"], told["c5"], told["c6"]) == (True, True, True, True), printed


def test_a_judge_that_says_yes_to_all_stores_no_secret_and_sees_no_task(tmp_path: Path) -> None:
    report, printed = evaluate(tmp_path, "yes")
    told = right(report)
    assert told["c3"] and told["c4"] and told["c5"], printed
    assert report["figures"]["junk stored as active"]["part"] == 0


def test_a_fault_is_named_with_what_was_wanted(tmp_path: Path) -> None:
    report, printed = evaluate(tmp_path, "no", [CASES[1]])
    assert "c2: action: ADD at candidate wanted, NONE at candidate nothing_durable" in printed
    assert report["cases"][0]["faults"] == ["action"]


def test_nothing_of_a_case_stays_behind(tmp_path: Path) -> None:
    before = registry.extractor()
    folder = settings.MEMORYAPP.keys_folder
    kept = sorted(folder.iterdir()) if folder.exists() else []
    evaluate(tmp_path, "yes")
    assert not MemoryItem.objects.exists()
    assert registry.extractor() is before
    assert (sorted(folder.iterdir()) if folder.exists() else []) == kept


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "no JSON"),
        ("[]", "a case is a JSON object"),
        ('{"id": "x", "text": "y"}', "`text` and `label`"),
        ('{"id": "x", "text": "y", "label": "odd"}', "`label` is “odd”"),
        ('{"id": "x", "messages": [{"role": "user", "content": "a"}]}', "`expected` is missing"),
        ('{"id": "x", "messages": [{"role": "robot", "content": "a"}]}', "`role` is “robot”"),
        ('{"id": "x", "messages": 3}', "`messages` is no list"),
    ],
)
def test_a_line_that_is_no_case_is_named_by_its_number(tmp_path: Path, line: str, problem: str) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"id": "g", "text": "左撇子", "label": "ok"}\n\n' + line, encoding="utf-8")
    with pytest.raises(CommandError) as refused:
        call_command("evaluate", "write", str(file), stdout=StringIO())
    assert f"{file}:3: " in str(refused.value) and problem in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"nowhere\.jsonl"):
        call_command("evaluate", "write", str(tmp_path / "nowhere.jsonl"), stdout=StringIO())
