"""Chat histories as they are sent: sessions of messages, read strictly, and the name of their content."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from memoryapp.domain.errors import DomainError
from memoryapp.domain.moments import moment_of
from memoryapp.domain.types import Role
from memoryapp.services.ingest import Incoming

SESSION_FIELDS = frozenset({"user_id", "session_id", "agent_id", "messages"})
MESSAGE_FIELDS = frozenset({"role", "content", "id", "name", "said_at"})
LONGEST_NAME = 128


@dataclass(frozen=True, slots=True)
class History:
    """One session of somebody's past: its messages in order."""

    person: str
    session: str
    messages: tuple[Incoming, ...]
    agent_id: str = ""


def history_of(entry: object, place: int, person: str = "") -> History:
    """One session out of parsed JSON. `place` counts from 1 and stands in the error; `person` is the default."""
    fields = _object(entry, SESSION_FIELDS, f"session {place}")
    messages = fields.get("messages")
    if not isinstance(messages, list):
        raise _invalid(f"session {place} has no list `messages`")
    return History(
        person=_name(fields, "user_id", place) or person,
        session=_name(fields, "session_id", place),
        messages=tuple(_message(m, f"session {place}, message {n}") for n, m in enumerate(messages, start=1)),
        agent_id=_name(fields, "agent_id", place),
    )


def history_of_line(line: str, place: int, person: str = "") -> History:
    """One session out of a line of a JSONL file."""
    try:
        return history_of(json.loads(line), place, person)
    except (ValueError, RecursionError) as error:
        raise _invalid(f"line {place} is no JSON object") from error


def _object(entry: object, known: frozenset[str], where: str) -> Mapping[str, object]:
    if not isinstance(entry, Mapping):
        raise _invalid(f"{where} is no JSON object")
    if unknown := set(entry) - known:
        raise DomainError("unknown_field", f"{where} has unknown fields: {', '.join(sorted(map(str, unknown)))}.")
    return entry


def _name(fields: Mapping[str, object], name: str, place: int) -> str:
    value = fields.get(name) or ""
    if not isinstance(value, str) or len(value) > LONGEST_NAME or "\0" in value:
        raise _invalid(f"`{name}` of session {place} is no text of at most {LONGEST_NAME} characters")
    return value


def _message(entry: object, where: str) -> Incoming:
    fields = _object(entry, MESSAGE_FIELDS, where)
    role, name, message_id = (fields.get(f) or "" for f in ("role", "name", "id"))
    if role not in {r.value for r in Role}:
        raise _invalid(f"{where} has an unknown role")
    if not all(isinstance(part, str) and len(part) <= LONGEST_NAME for part in (name, message_id)):
        raise _invalid(f"`id` and `name` of {where} are texts of at most {LONGEST_NAME} characters")
    return Incoming(
        str(role), _storable(fields.get("content"), where), str(message_id), str(name), _moment(fields, where)
    )


def _storable(content: object, where: str) -> object:
    """Text or parts without NUL and lone surrogates, which no database keeps."""
    try:
        written = json.dumps(content, ensure_ascii=False)
        written.encode()
    except (ValueError, UnicodeEncodeError) as error:
        raise _invalid(f"the content of {where} cannot be kept") from error
    if "\\u0000" in written:
        raise _invalid(f"the content of {where} holds a NUL")
    return content


def _moment(fields: Mapping[str, object], where: str) -> datetime | None:
    given = fields.get("said_at")
    if given is None:
        return None
    moment = moment_of(given)
    if moment is None:
        raise _invalid(f"`said_at` of {where} needs a time with its offset, e.g. 2026-03-15T09:00:00+08:00")
    return moment


def _invalid(what: str) -> DomainError:
    return DomainError("invalid", f"This history cannot be read: {what}.")


def source_of(histories: Iterable[History], actor_ref: str) -> str:
    """The name of a history's content: the same history sent again by the same caller is the same source."""
    digest = hashlib.sha256(actor_ref.encode())
    for history in histories:
        digest.update(repr((history.person, history.session, history.agent_id)).encode())
        for m in history.messages:
            said = m.said_at.isoformat() if m.said_at else ""
            digest.update(repr((m.role, json.dumps(m.text, sort_keys=True), m.id, m.name, said)).encode())
    return digest.hexdigest()
