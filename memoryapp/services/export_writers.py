"""Writing an export file by file, record by record: nothing is held in memory but one record."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, Protocol

from memoryapp.domain.exporting import (
    HEADINGS,
    SECTIONS,
    ExportFormat,
    Manifest,
    Record,
    json_of,
    markdown_head,
    markdown_of,
)
from memoryapp.services.export_files import open_private

Opened = Callable[[Path], IO[str]]


class Writer(Protocol):
    """Takes the records of every section in the order of SECTIONS, then the manifest; `close` leaves `path` whole."""

    def write(self, section: str, record: Record) -> None: ...

    def close(self, manifest: Manifest) -> None: ...


class JsonLines:
    """One file a section beside the ZIP while it is written, then packed with the manifest that names their hashes."""

    def __init__(self, path: Path, opened: Opened) -> None:
        self.path = path
        self.open = {section: opened(self._part(section)) for section in SECTIONS}

    def write(self, section: str, record: Record) -> None:
        self.open[section].write(json_of(record) + "\n")

    def close(self, manifest: Manifest) -> None:
        for file in self.open.values():
            file.close()
        parts = {f"{section}.jsonl": self._part(section) for section in SECTIONS}
        whole = replace(manifest, files={name: _described(part) for name, part in parts.items()})
        open_private(self.path).close()
        with zipfile.ZipFile(self.path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("manifest.json", json_of(whole, indent=2))
            for name, part in parts.items():
                archive.write(part, name)
        for part in parts.values():
            part.unlink()

    def _part(self, section: str) -> Path:
        return self.path.with_name(f".{self.path.name}.{section}")


def _described(part: Path) -> dict[str, object]:
    with part.open("rb") as file:
        return {"sha256": hashlib.file_digest(file, "sha256").hexdigest(), "bytes": part.stat().st_size}


class Json:
    """One document: `{"memories": […], …, "manifest": {…}}`."""

    def __init__(self, path: Path, opened: Opened) -> None:
        self.file, self.section, self.first = opened(path), -1, True
        self.file.write("{")

    def write(self, section: str, record: Record) -> None:
        self._reach(SECTIONS.index(section))
        self.file.write(("\n" if self.first else ",\n") + json_of(record))
        self.first = False

    def close(self, manifest: Manifest) -> None:
        self._reach(len(SECTIONS) - 1)
        self.file.write(f'],\n"manifest": {json_of(manifest)}}}\n')
        self.file.close()

    def _reach(self, section: int) -> None:
        while self.section < section:
            self.file.write("],\n" if self.section >= 0 else "\n")
            self.section, self.first = self.section + 1, True
            self.file.write(f'"{SECTIONS[self.section]}": [')


class Markdown:
    """Headings in both languages; the lines of a section follow each other."""

    def __init__(self, path: Path, opened: Opened) -> None:
        self.file, self.section = opened(path), ""

    def write(self, section: str, record: Record) -> None:
        if section != self.section:
            self.file.write(f"{'' if not self.section else chr(10)}## {HEADINGS[section]}\n\n")
            self.section = section
        self.file.write(markdown_of(record))

    def close(self, manifest: Manifest) -> None:
        self.file.write(("\n" if self.section else "") + markdown_head(manifest))
        self.file.close()


@contextmanager
def writer_of(form: ExportFormat, path: Path) -> Iterator[Writer]:
    """Closes what it has open however the writing ends."""
    with ExitStack() as stack:
        yield WRITERS[form](path, lambda one: stack.enter_context(open_private(one)))


WRITERS: Mapping[ExportFormat, Callable[[Path, Opened], Writer]] = {
    ExportFormat.JSONL: JsonLines,
    ExportFormat.JSON: Json,
    ExportFormat.MARKDOWN: Markdown,
}
