"""Tokens in the manner of the published ones, by an issuer that no list holds: a short name and much that is random."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from memoryapp.domain.shapes import has_run

_PREFIXED = re.compile(
    r"(?<![A-Za-z0-9_])(?P<prefix>[A-Za-z][A-Za-z0-9]{1,11}(?:[_-][a-z]{2,8}\d?){0,2})[_-](?P<token>[A-Za-z0-9]{20,200}(?:[_-][A-Za-z0-9]{4,200}){0,3})(?![A-Za-z0-9_-])"
)
_PREFIXES_OF_IDS = re.compile(
    r"(?:cus|pi|ch|sub|si|in|il|ii|evt|req|msg|price|prod|plan|acct|tx|txn|txr|po|py|re|seti|pm|card|src|dp|du|cs|run|thread|asst|file|resp|call|toolu|org|proj|project|user|usr|order|ord"
    r"|trace|span|job|build|commit|img|image|vol|snap|subnet|vpc|sg|ami|i|arn|chatcmpl|cmpl|gen|batch|step|vs|doc|page|block|rec|tbl|app|viw|fld|item|event|session_id|device|sha|sha\d+|md\d|blake\w*|bafy\w*|hash|digest|pk|pub|public|publishable|ssh|ecdsa|ed\d+|rsa|v\d+|id|uid|uuid|gid|ref|etag|nonce|rev|h|data|content|static|main|chunk|vendor|bundle|index|style)(?:[_-].*)?",
    re.IGNORECASE,
)
_SHORTEST, _FEWEST_DIGITS = 23, 2


def prefixed_tokens(text: str, signs: bytes) -> Iterator[tuple[int, int]]:
    """Spans of such tokens in a text of which `signs` are known; hashes, ids and names of files have known prefixes."""
    if not has_run(signs, _SHORTEST):
        return
    for match in _PREFIXED.finditer(text):
        token = match["token"]
        cased = token.lower() != token != token.upper()
        if cased and sum(map(str.isdigit, token)) >= _FEWEST_DIGITS and not _PREFIXES_OF_IDS.fullmatch(match["prefix"]):
            yield match.span()


def is_mixed(value: str) -> bool:
    """Letters and digits together, and not a mask such as `sk-xxxxxxxx1`: random values are made of many characters."""
    digits = sum(character.isdigit() for character in value)
    varied = len(set(value[4:])) >= 4
    cased = value.upper() != value and value.lower() != value
    if digits == 0 and cased and len(value) >= 20:
        return varied and sum(a.isupper() != b.isupper() for a, b in pairwise(value)) >= _CASE_CHANGES * len(value)
    return varied and (digits >= 2 or (digits >= 1 and cased) or (value.isupper() and len(value) == 20))


_CASE_CHANGES = 0.4
"""Random letters change their case about every other time; CamelCase words less often."""
