"""English stop words and a light stemmer: steps 1a–1c of M. F. Porter, “An algorithm for suffix stripping” (1980).

Only inflection goes (plural, -ed, -ing, final y); derivation stays, since `organ` and `organisation` are not one word.
"""

from __future__ import annotations

import re

STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "and",
        "or",
        "but",
        "nor",
        "so",
        "yet",
        "if",
        "then",
        "than",
        "that",
        "this",
        "these",
        "those",
        "there",
        "here",
        "of",
        "in",
        "on",
        "at",
        "by",
        "for",
        "from",
        "to",
        "with",
        "without",
        "into",
        "onto",
        "over",
        "under",
        "about",
        "as",
        "is",
        "am",
        "are",
        "was",
        "were",
        "be",
        "been",
        "being",
        "do",
        "does",
        "did",
        "done",
        "doing",
        "have",
        "has",
        "had",
        "having",
        "i",
        "me",
        "my",
        "mine",
        "myself",
        "you",
        "your",
        "yours",
        "yourself",
        "he",
        "him",
        "his",
        "she",
        "her",
        "hers",
        "it",
        "its",
        "itself",
        "we",
        "us",
        "our",
        "ours",
        "they",
        "them",
        "their",
        "theirs",
        "who",
        "whom",
        "whose",
        "which",
        "what",
        "when",
        "where",
        "why",
        "how",
        "can",
        "could",
        "will",
        "would",
        "shall",
        "should",
        "may",
        "might",
        "must",
        "not",
        "no",
        "just",
        "very",
        "too",
        "also",
        "only",
        "any",
        "some",
        "all",
        "both",
        "each",
        "such",
        "own",
        "same",
        "s",
        "t",
        "re",
        "ve",
        "ll",
        "d",
        "m",
        "don",
        "please",
        "user",
        "users",
    ]
)
"""`user` is among them because extracted facts begin with it."""

_DOUBLE = re.compile(r"([^aeiouylsz\W\d_])\1$")
_CVC = re.compile(r"^[^aeiou]+[aeiouy][^aeiouwxy]$")
_PLAIN = re.compile(r"^[a-z]{4,}$")


def stem(word: str) -> str:
    """`deploys deployed deploying` → `deploy`, `libraries` → `librari` as `library` does; others unchanged."""
    if not _PLAIN.fullmatch(word):
        return word
    return _final_y(_past_and_progressive(_singular(word)))


def _singular(word: str) -> str:
    if word.endswith("sses") or word.endswith("ies"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _past_and_progressive(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _has_vowel(word[:-3]) else word
    for suffix in ("ed", "ing"):
        root = word.removesuffix(suffix)
        if root != word and len(root) > 1 and _has_vowel(root):
            return _mended(root)
    return word


def _mended(root: str) -> str:
    if root.endswith(("at", "bl", "iz")):
        return root + "e"
    if _DOUBLE.search(root):
        return root[:-1]
    return root + "e" if _CVC.fullmatch(root) else root


def _final_y(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _has_vowel(root: str) -> bool:
    return bool(re.search(r"[aeiou]|[^aeiou]y", root))
