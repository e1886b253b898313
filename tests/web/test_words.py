"""No code reaches a person raw: every reason, status, kind and action that the code can emit has words in both languages.

The codes are gathered from the enumerations and, where a code is only written down where it is used, from the source.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation import override

from accounts.actor import ROLE_SCOPES, ActorKind
from memoryapp.domain.exporting import ExportFormat, ExportState
from memoryapp.domain.guards import GUARD_RULES
from memoryapp.domain.injection import LeftOut
from memoryapp.domain.receipts import OUT_OF_SCOPE, ErasureKind, Level, LevelState
from memoryapp.domain.routing import SIGNALS
from memoryapp.domain.types import Door, Kind, Role, RunState, Sensitivity, Status
from memoryapp.services import bulk, changes, erasure
from memoryapp.services.export_withdrawal import PERSON_ERASED, SOURCE_ERASED
from memoryapp.services.inbox import InboxClass
from memoryapp.services.source_purge import SourceKind
from memoryapp.web import audit_labels, erasure_labels, labels

PACKAGE = Path(settings.BASE_DIR) / "memoryapp"
FOLDERS = ("domain", "services", "providers", "web")
CODE = re.compile(r"[a-z][a-z_]*(?:\.[a-z_]+)?")
CHINESE = re.compile("[一-鿿]")

NEVER_SHOWN = {"invalid_policy", "request", "gone"}
"""`request` says what a refused draft or a denied call was, and is no reason; `gone` is told to keys only."""
KEYWORDS = {"reason", "pending_reason", "error_code"}


def trees() -> Iterator[ast.Module]:
    for folder in FOLDERS:
        for path in sorted((PACKAGE / folder).glob("*.py")):
            yield ast.parse(path.read_text(encoding="utf-8"))


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


@cache
def constants() -> dict[str, str]:
    """Codes that have a name of their own: `EPHEMERAL = "ephemeral"`, also several at once."""
    found: dict[str, str] = {}
    for node in (n for tree in trees() for n in tree.body if isinstance(n, ast.Assign)):
        names, values = parts(node.targets[0]), parts(node.value)
        pairs = zip(names, values, strict=False) if len(names) == len(values) else ()
        found |= {n.id: v.value for n, v in pairs if isinstance(n, ast.Name) and isinstance(v, ast.Constant)}
    return found


def parts(node: ast.expr) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else [node]


def literals(nodes: Iterable[ast.AST]) -> set[str]:
    """Codes that stand there, written out or by their name."""
    told = [constants().get(n.id) if isinstance(n, ast.Name) else getattr(n, "value", None) for n in nodes]
    found = {text for text in told if isinstance(text, str)}
    return {text for text in found if CODE.fullmatch(text)}


def reasons_of(node: ast.AST) -> set[str]:
    """Codes that one piece of syntax gives as a reason."""
    if isinstance(node, ast.Call):
        given = {"refuse": node.args[2:3], "_skip": node.args[:1], "DomainError": node.args[:1]}
        given |= {"ProviderError": node.args[:1], "NotFound": []}
        given |= {"get": node.args[1:2] if ast.unparse(node.func) == "reasons.get" else []}
        found = literals(given.get(name_of(node), []))
        return found | literals([k.value for k in node.keywords if k.arg in KEYWORDS])
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return literals([v for k, v in pairs if isinstance(k, ast.Constant) and k.value in ("reason", "code")])
    if isinstance(node, ast.Assign) and any("reason" in ast.unparse(target) for target in node.targets):
        return literals(node.value.values if isinstance(node.value, ast.Dict) else [node.value])
    if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2:
        first, second = node.value.elts
        nothing = isinstance(second, ast.Constant) and second.value is None
        return literals([first]) if nothing else set()
    return set()


def reasons() -> set[str]:
    found = {code for tree in trees() for node in ast.walk(tree) for code in reasons_of(node)}
    return found - NEVER_SHOWN - set(audit_labels.ACTIONS)


def families() -> set[str]:
    """Codes of a provider are put together from its family and what happened."""
    source = (PACKAGE / "providers" / "endpoint.py").read_text(encoding="utf-8")
    happened = set(re.findall(r'(?:_error|_code)\("([a-z_]+)"', source))
    assert len(happened) > 3
    return {f"{family}_{what}" for family in ("llm", "embedding") for what in happened}


def actions() -> set[str]:
    """Audit actions: those written down, those made of a change's reason, and the bulk ones."""
    found: set[str] = set()
    for tree in trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and name_of(node) in (
                "record",
                "_audit",
                "record_uses",
                "_closing",
                "event_of",
            ):
                found |= literals(node.args[1:2])
            if isinstance(node, ast.Call) and name_of(node).startswith("record_for_"):
                found |= literals(node.args[1:2])
            if isinstance(node, ast.Call) and name_of(node) == "change":
                found |= {f"memory.{text}" for text in literals(ast.walk(node.args[4]))}
    found |= {f"memory.{past}" for past, _, _ in changes.TRANSITIONS.values()}
    found |= {"memory.forgotten", "memory.rejected"}
    found |= {text for tree in trees() for node in ast.walk(tree) for text in named_actions(node)}
    return {action for action in found if "." in action}


def named_actions(node: ast.AST) -> set[str]:
    """Actions that are chosen first and recorded then."""
    named = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "action"
    return literals(ast.walk(node.value)) if isinstance(node, ast.Assign) and named else set()


def calls(*names: str) -> Iterator[ast.Call]:
    for tree in trees():
        yield from (n for n in ast.walk(tree) if isinstance(n, ast.Call) and name_of(n) in names)


def changed() -> set[str]:
    """Why a version was made: what stands at the end of a change, the steps of bulk actions, the first version."""
    found = {text for call in calls("change") for text in literals(ast.walk(call.args[4]))}
    found |= {text for call in calls("change_many") for text in literals(call.args[5:6])}
    steps = {*bulk.MOVES, "edited", "snoozed", "added", "forgotten", "rejected"}
    return found | steps | {past for past, _, _ in changes.TRANSITIONS.values()}


def fields() -> set[str]:
    found = {text for call in calls("change") for text in literals(ast.walk(call.args[3]))}
    return found | {text for call in calls("change_many") for text in literals(ast.walk(call.args[4]))}


def targets() -> set[str]:
    return {text for call in calls("Target") for text in literals(call.args[:1])}


def automata() -> set[str]:
    """The system's own actors; the reader of a receipt writes no event."""
    found = {text for call in calls("system_actor") for text in literals(call.args[1:2])}
    return found - {"receipt", "tenant"}


TABLES = {
    "reasons": ({**labels.INVITING, **labels.REASONS}, reasons() | families() | set(GUARD_RULES)),
    "statuses": (labels.STATUSES, set(Status)),
    "work": (labels.WORK, set(RunState)),
    "states of exports": (labels.WORK, set(ExportState)),
    "formats of exports": (labels.FORMATS, set(ExportFormat)),
    "reasons of exports": (labels.REASONS, {"memory_forgotten", PERSON_ERASED, SOURCE_ERASED, "storage"}),
    "changes": (labels.CHANGES, changed()),
    "targets": (audit_labels.TARGETS, targets()),
    "automata": (audit_labels.AUTOMATA, automata()),
    "kinds": (labels.KINDS, set(Kind)),
    "doors": (labels.DOORS, set(Door)),
    "speakers": (labels.SPEAKERS, set(Role)),
    "sensitivities": (labels.SENSITIVITIES, set(Sensitivity)),
    "left out": (labels.LEFT_OUT, set(LeftOut)),
    "needed": (labels.NEEDED, {f"signal.{name}" for name in SIGNALS} | {"search", "small_library", "empty_query"}),
    "waiting": (labels.WAITING, set(InboxClass)),
    "erasures": (erasure_labels.KINDS_OF_ERASURE, set(ErasureKind)),
    "levels": (erasure_labels.LEVELS, set(Level)),
    "states of levels": (erasure_labels.LEVEL_STATES, set(LevelState)),
    "steps": (erasure_labels.STEPS, {*erasure.ACTIONS, *erasure.LATER}),
    "out of scope": (erasure_labels.BEYOND, set(OUT_OF_SCOPE)),
    "sources": (erasure_labels.SOURCES, set(SourceKind)),
    "roles": (labels.ROLES, set(ROLE_SCOPES)),
    "actors": (audit_labels.ACTORS, set(ActorKind)),
    "actions": (audit_labels.ACTIONS, actions()),
    "fields": (audit_labels.FIELDS, set(changes.EDITABLE) | fields()),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_code_has_english_and_chinese_words(name: str) -> None:
    table, codes = TABLES[name]
    assert len(codes) > 1
    assert {str(code) for code in codes if code not in table} == set()
    for code in codes:
        with override("en"):
            english = str(table[code])
        with override("zh-hans"):
            chinese = str(table[code])
        assert english and not CHINESE.search(english), code
        assert CHINESE.search(chinese), (code, chinese)
        assert not re.fullmatch(r"[a-z_.]+_[a-z_.]+", english), code


def test_codes_are_really_found_in_the_source() -> None:
    assert reasons() >= {"ephemeral", "no_user_text", "nothing_durable"}
    assert reasons() >= {"tombstoned", "unsupported", "unknown_id", "learning_paused", "embedding", "stale_version"}
    assert actions() >= {
        "memory.added",
        "memory.edited",
        "memory.injected",
        "memory.previewed",
        "login.failed",
        "invitation.created",
    }


def test_a_code_that_nobody_knows_is_never_shown_raw() -> None:
    with override("zh-hans"):
        assert labels.label(labels.REASONS, "noise.brand_new_rule") == str(labels.REASONS["noise"])
        assert CHINESE.search(labels.label(labels.REASONS, "brand_new_reason"))
        assert labels.label(labels.REASONS, "") == ""
