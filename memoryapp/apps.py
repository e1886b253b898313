"""Application start: jieba's cache goes to our private data folder; providers are checked."""

from __future__ import annotations

from django.apps import AppConfig
from django.conf import settings


class MemoryappConfig(AppConfig):
    name = "memoryapp"
    verbose_name = "Memoryapp"

    def ready(self) -> None:
        from memoryapp import checks  # noqa: F401, PLC0415  registers the system checks
        from memoryapp.retrieval import lexical  # noqa: PLC0415

        lexical.configure(settings.MEMORYAPP.data_dir / "jieba")
