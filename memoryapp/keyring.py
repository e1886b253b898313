"""Two keys per space, outside the database and its dumps: `commitment` (audit) and `tombstone`.

One file per space in KEYS_DIR, readable by its owner. With many machines the folder is shared between them.
"""

from __future__ import annotations

import json
import secrets
from functools import lru_cache
from uuid import UUID

from django.conf import settings

from memoryapp.environment import write_once


@lru_cache(maxsize=4096)
def tombstone_key(tenant_id: UUID, space_id: UUID) -> bytes:
    """32 bytes; made at the first use."""
    path = settings.MEMORYAPP.keys_folder / str(tenant_id) / f"{space_id}.json"
    if not path.exists():
        write_once(path, json.dumps({name: secrets.token_hex(32) for name in ("commitment", "tombstone")}))
    return bytes.fromhex(json.loads(path.read_text(encoding="ascii"))["tombstone"])
