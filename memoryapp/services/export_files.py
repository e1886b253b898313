"""The files of exports in the private data folder: where they lie, and that they are gone.

Every file has the hexadecimal id of its export in its name, so that removing looks for all of them: the finished one,
and what a killed worker left. With many machines the folder is shared between them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO
from uuid import UUID

from django.conf import settings

_NAMED = re.compile(r"(?P<export>[0-9a-f]{32})-(?P<attempt>[0-9]+)\.")


def folder(tenant_id: UUID) -> Path:
    return Path(settings.MEMORYAPP.data_dir) / "exports" / str(tenant_id)


def open_private(path: Path) -> IO[str]:
    """A new file for writing that nobody else may read."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    return os.fdopen(descriptor, "w", encoding="utf-8", newline="\n")


def opened(tenant_id: UUID, name: str) -> IO[bytes] | None:
    """A finished file for reading, which its removal does not take from who has it; None when it is gone."""
    try:
        return (folder(tenant_id) / name).open("rb") if name else None
    except FileNotFoundError:
        return None


def listed(tenant_id: UUID, beginning: str) -> list[Path]:
    """Every file whose name begins so, also those that are being written (with a dot before it)."""
    place = folder(tenant_id)
    found = place.iterdir() if place.is_dir() else ()
    return sorted(path for path in found if path.name.lstrip(".").startswith(beginning))


def files_of(tenant_id: UUID, export_ids: Iterable[UUID]) -> list[Path]:
    """Every file of these exports, finished or not."""
    wanted = {one.hex for one in export_ids}
    return [path for path in listed(tenant_id, "") if any(one in path.name for one in wanted)] if wanted else []


def remove(tenant_id: UUID, export_ids: Iterable[UUID], *, attempt: int | None = None) -> int:
    """Unlink every file of these exports, or of one attempt only; answers how many went."""
    found = files_of(tenant_id, export_ids)
    return unlink(path for path in found if attempt is None or f"-{attempt}." in path.name)


def files_until(tenant_id: UUID, attempts: Mapping[UUID, int]) -> list[Path]:
    """Every file of these exports that this attempt or an earlier one has made; not those of a later one."""
    by_hex = {one.hex: attempt for one, attempt in attempts.items()}
    named = ((path, _NAMED.search(path.name)) for path in files_of(tenant_id, attempts))
    return [path for path, name in named if name and int(name["attempt"]) <= by_hex[name["export"]]]


def remove_until(tenant_id: UUID, attempts: Mapping[UUID, int]) -> int:
    """Unlink them; answers how many went."""
    return unlink(files_until(tenant_id, attempts))


def unlink(paths: Iterable[Path]) -> int:
    gone = 0
    for path in paths:
        path.unlink(missing_ok=True)
        gone += 1
    return gone
