"""Traditional Chinese to simplified, so that both scripts are one text to hashing and search."""

from __future__ import annotations

import threading

from opencc import OpenCC

_lock = threading.Lock()
_converter: OpenCC | None = None


def to_simplified(text: str) -> str:
    """Convert by phrases and characters (OpenCC `t2s`); other scripts pass unchanged. Thread-safe."""
    if text.isascii():
        return text
    simplified: str = _loaded().convert(text.encode("utf-8", "replace").decode("utf-8"))
    return simplified


def _loaded() -> OpenCC:
    global _converter
    with _lock:
        if _converter is None:
            _converter = OpenCC("t2s")
        return _converter
