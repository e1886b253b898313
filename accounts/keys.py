"""The text form of API keys: made, taken apart, compared. Pure."""

from __future__ import annotations

import hashlib
import re
import secrets
import zlib
from dataclasses import dataclass

_SHAPE = re.compile(r"mk_([0-9a-z]{12})_([0-9a-f]{64})_([0-9a-f]{8})")


@dataclass(frozen=True, slots=True)
class KeyParts:
    """The public id of a key and the SHA-256 of its 256-bit secret."""

    public_id: str
    secret_hash: bytes


def _checksum(public_id: str, secret: str) -> str:
    return f"{zlib.crc32(f'{public_id}_{secret}'.encode()):08x}"


def new_key() -> tuple[str, KeyParts]:
    """A fresh key as text (shown once) and the parts that are kept."""
    alphabet = "0123456789abcdefghijklmnopqrstuvwxyz"
    public_id = "".join(secrets.choice(alphabet) for _ in range(12))
    secret = secrets.token_hex(32)
    text = f"mk_{public_id}_{secret}_{_checksum(public_id, secret)}"
    return text, KeyParts(public_id, hashlib.sha256(secret.encode()).digest())


def parse_key(text: str) -> KeyParts | None:
    """The parts of a key, or None when the text cannot be one (the checksum saves a look-up)."""
    match = _SHAPE.fullmatch(text)
    if match is None or _checksum(match[1], match[2]) != match[3]:
        return None
    return KeyParts(match[1], hashlib.sha256(match[2].encode()).digest())
