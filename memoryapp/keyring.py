"""Keys outside the database and its dumps.

Two per space, one file each in KEYS_DIR, readable by its owner: `commitment` (audit and receipts) and `tombstone`.
Erasing a person destroys the first at once and the second when the last backup is gone. Beside them the installation's
own: `receipts.key` (Ed25519, signs receipts of erasure) and `pseudonyms.key` (names of erased people). With many
machines the folder is shared between them.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings

from memoryapp.environment import write_once

KINDS = ("commitment", "tombstone")


class KeyDestroyed(Exception):
    """This key was destroyed by an erasure; what it made can no longer be compared."""


def _path(tenant_id: UUID, space_id: UUID) -> Path:
    folder: Path = settings.MEMORYAPP.keys_folder
    return folder / str(tenant_id) / f"{space_id}.json"


def _keys(tenant_id: UUID, space_id: UUID) -> dict[str, str]:
    path = _path(tenant_id, space_id)
    if not path.exists():
        write_once(path, json.dumps({name: secrets.token_hex(32) for name in KINDS}))
    kept: dict[str, str] = json.loads(path.read_text(encoding="ascii"))
    return kept


def _key(tenant_id: UUID, space_id: UUID, kind: str) -> bytes:
    keys = _keys(tenant_id, space_id)
    if kind not in keys:
        raise KeyDestroyed(kind)
    return bytes.fromhex(keys[kind])


@lru_cache(maxsize=4096)
def tombstone_key(tenant_id: UUID, space_id: UUID) -> bytes:
    """32 bytes; made at the first use. Raises KeyDestroyed."""
    return _key(tenant_id, space_id, "tombstone")


def commitment_key(tenant_id: UUID, space_id: UUID) -> bytes:
    """32 bytes; made at the first use. Never cached, so that a destroyed key is gone. Raises KeyDestroyed."""
    return _key(tenant_id, space_id, "commitment")


def commitment(tenant_id: UUID, space_id: UUID, text: str) -> str:
    """HMAC-SHA256 of a text as hex: proves later what a text was, as long as the key lives."""
    return hmac.new(commitment_key(tenant_id, space_id), text.encode(), hashlib.sha256).hexdigest()


def commitments(tenant_id: UUID, space_id: UUID, texts: Iterable[str]) -> set[str]:
    """Those of many texts of one space; its key is read once."""
    key = commitment_key(tenant_id, space_id)
    return {hmac.digest(key, text.encode(), "sha256").hex() for text in texts}


def destroy(tenant_id: UUID, space_id: UUID, kind: str) -> bool:
    """Take one key of a space out of its file; answers whether it is gone. Repeating it changes nothing."""
    path = _path(tenant_id, space_id)
    if path.exists():
        left = {name: key for name, key in _keys(tenant_id, space_id).items() if name != kind}
        draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        write_once(draft, json.dumps(left))
        draft.replace(path)
    else:
        write_once(path, json.dumps({name: secrets.token_hex(32) for name in KINDS if name != kind}))
    tombstone_key.cache_clear()
    return kind not in _keys(tenant_id, space_id)


def receipt_key() -> Ed25519PrivateKey:
    """Signs receipts of erasure; made at the first use."""
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(_own("receipts.key")))


def pseudonym(tenant_id: UUID, kind: str, name: str) -> str:
    """What stands in the database for the name of someone erased: keyed, so that the name cannot be tried out."""
    digest = hmac.new(bytes.fromhex(_own("pseudonyms.key")), f"{tenant_id}\x1f{kind}\x1f{name}".encode(), "sha256")
    return f"erased-{digest.hexdigest()}"


def _own(name: str) -> str:
    path: Path = settings.MEMORYAPP.keys_folder / name
    if not path.exists():
        write_once(path, secrets.token_hex(32))
    return path.read_text(encoding="ascii").strip()
