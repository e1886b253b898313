"""What holds for every template and for the translation, without a database."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import get_template
from django.utils.translation import gettext as translate
from django.utils.translation import override

ROOT = Path(settings.BASE_DIR)
TEMPLATES = sorted(path for path in (ROOT / "templates").rglob("*") if path.is_file())
CATALOGUE = (ROOT / "locale/zh_Hans/LC_MESSAGES/django.po").read_text(encoding="utf-8")
INLINE = re.compile(r"<style|\sstyle\s*=|\son[a-z]+\s*=|hx-on|javascript:|<script(?![^>]*\ssrc=)", re.IGNORECASE)
FILTERED_TRIGGER = re.compile(r"hx-trigger=\"[^\"]*\[")
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
USED = re.compile(r"{% translate (?:\"([^\"]+)\"|'([^']+)')")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT / "templates").as_posix()


def entries() -> list[tuple[str, list[str]]]:
    """Each msgid of the catalogue with its translations (several when it has a plural)."""
    found = []
    for block in CATALOGUE.split("\n\n")[1:]:
        joined = re.sub(r'"\n"', "", block)
        said = re.search(r'^msgid (".*")$', joined, re.MULTILINE)
        if said is not None and not block.startswith("#~"):
            translated = re.findall(r'^msgstr(?:\[\d\])? (".*")$', joined, re.MULTILINE)
            found.append((QUOTED.findall(said[1])[0], [QUOTED.findall(text)[0] for text in translated]))
    return found


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_every_template_compiles(path: Path) -> None:
    get_template(name_of(path))


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_no_template_needs_more_than_the_strict_content_policy_allows(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert INLINE.search(text) is None
    assert FILTERED_TRIGGER.search(text) is None


def test_every_sentence_has_a_chinese_translation() -> None:
    assert len(entries()) > 100
    assert [said for said, translated in entries() if not translated or not all(translated)] == []
    assert "#, fuzzy" not in CATALOGUE.split("\n\n", 1)[1]


def test_a_translation_keeps_the_placeholders_of_its_sentence() -> None:
    for said, translated in entries():
        wanted = set(re.findall(r"%\(\w+\)[sd]", said))
        assert all(set(re.findall(r"%\(\w+\)[sd]", text)) == wanted for text in translated), said


@pytest.mark.parametrize("path", TEMPLATES, ids=name_of)
def test_every_sentence_of_a_template_is_in_the_catalogue(path: Path) -> None:
    known = {said for said, _ in entries()}
    used = {a or b for a, b in USED.findall(path.read_text(encoding="utf-8"))}
    assert used - known == set()


def test_the_compiled_catalogue_is_the_one_that_stands_beside_it() -> None:
    with override("zh-hans"):
        for said, translated in entries():
            if len(translated) == 1:
                assert translate(said) == translated[0]


def test_the_vendored_files_come_with_their_licences() -> None:
    vendor = ROOT / "static/vendor"
    assert "MIT License" in (vendor / "pico-LICENSE.txt").read_text(encoding="utf-8")
    assert "BSD" in (vendor / "htmx-LICENSE.txt").read_text(encoding="utf-8")
