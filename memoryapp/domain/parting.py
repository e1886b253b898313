"""What stays of an item when one of the things that it says goes or changes.

Whoever forgets or changes one thing keeps the rest: a statement beside it (`memoryapp.domain.portions`), or the other
members of a list. Where it is not clear what is meant, nothing is parted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple
from uuid import UUID

from memoryapp.domain.beings import are_apart, beings_of
from memoryapp.domain.claims import claims_of
from memoryapp.domain.likeness import negative
from memoryapp.domain.naming import (
    is_well_named,
    pieces_meant,
    share_named,
    topics_of,
    what_stays,
    without_what_stays,
)
from memoryapp.domain.portions import NAME_ZH, is_of_another, joined, portions
from memoryapp.domain.subjects import RELATIONS
from memoryapp.domain.terms import terms_of
from memoryapp.domain.types import Kind, Shown

_I = re.IGNORECASE
_MEMBER_EN = r"[\w'’-]+(?: [\w'’-]+){0,3}?"
_LIST_EN = re.compile(
    r"(?P<head>[^,]*\b(?:likes?|loves?|hates?|dislikes?|enjoys?|eats?|drinks?|(?:allergic|intolerant|sensitive) to|allergies:|speaks?|plays?|uses?"
    r"|avoids?|prefers?|owns?|collects?|takes?|needs?|knows?|reads?|watches|follows?|supports?|visited|has|have|are|is|to|with|into|for)\s+)"
    rf"(?P<list>{_MEMBER_EN}(?:,\s+{_MEMBER_EN})*,?\s+(?:and|or)\s+{_MEMBER_EN})(?P<tail>[.!]?)",
    _I,
)
_MEMBER_ZH = r"[^，,。；;、和跟与及]{1,10}?"
_LIST_ZH = re.compile(
    r"(?P<head>[^、和]*(?:喜欢|爱|讨厌|不吃|不喝|吃|喝|对|会|养|用(?!户)|是|有|去|玩|打|学|怕|看|听|服用|懂|练|收集|追|养过)(?:吃|喝|看|玩|听|打|了|过|着|说)?)"
    rf"(?P<list>{_MEMBER_ZH}(?:、{_MEMBER_ZH})*(?:[、和跟与及]|以及|还有){_MEMBER_ZH})(?P<tail>(?:都|也)?(?:严重)?过敏|)[。.]?"
)
_BETWEEN = re.compile(r",?\s+(?:and|or)\s+|,\s+|、|以及|还有|[和跟与及]")
_MOST_MEMBERS = 30
_TAIL = re.compile(r" (?:in|at|on|every|each|with|for|before|after|twice|once)\b|(?<=[\u4e00-\u9fff])（")
"""Where a member of a list goes on to say when or how."""
_LITTLE = re.compile(r"^(?:一点儿?|一些|少量|少许|点儿?|a little |a bit of |some |basic )", _I)
_HIT, _CLEARLY_LESS = 0.3, 0.5
"""How much of what a wish names a statement must hold, and how little the others, as a share of the best."""


class Parted(NamedTuple):
    """What a wish to forget takes out of an item, and what stays; all of it reads alone."""

    gone: tuple[str, ...]
    stays: str


# --- one of them goes ---


def parted(wish: str, content: str) -> Parted | None:
    """An item parted by what a wish to forget names; None where it names all of it, or nothing clearly."""
    wish, said = without_what_stays(wish), portions(content)
    if len(said) == 1:
        return _list_parted(wish, content)
    shares = [0.0 if are_apart(wish, each) else _share(wish, each) for each in said]
    best = max(shares)
    meant = [each for each, share in zip(said, shares, strict=True) if best >= _HIT and share > _CLEARLY_LESS * best]
    if len(meant) in (0, len(said)):
        return None
    inner = _list_parted(wish, meant[0]) if len(meant) == 1 else None
    stays = [inner.stays if inner and each in meant else each for each in said if inner or each not in meant]
    return Parted(inner.gone if inner else tuple(meant), joined(stays))


def parted_by_all(wish: str, others: Sequence[str], content: str) -> Parted | None:
    """An item parted by one wish and then by the others of the same person; None where nothing of it stays."""
    part = parted(wish, content)
    for other in others:
        if part is None:
            return None
        further = parted(other, part.stays)
        if further is not None:
            part = Parted((*part.gone, *further.gone), further.stays)
        elif is_well_named(other, _said(part.stays)):
            return None
    return part


def takes_what_may_stay(wish: str, content: str, part: Parted | None) -> bool:
    """Whether more of what a wish says may stay stands in an item than in what would be left of it."""
    stays = what_stays(wish)
    left = share_named(stays, _said(part.stays)) if part is not None else 0.0
    return bool(stays) and share_named(stays, _said(content)) > left


def is_of_others_too(wish: str, content: str) -> bool:
    """Whether an item says one thing of two people of whom a wish to forget names one (Tom and Anna moved to Rome)."""
    named = wish.lower()
    two = _TWO_OF_THEM.findall(" ".join(content.split()))
    return any((one.lower() in named) != (other.lower() in named) for one, other in two)


def tells_what_was_forgotten(content: str, is_forgotten: Callable[[str], bool]) -> bool:
    """Whether one of several statements of a text was forgotten by itself, so that the text may not come back unasked."""
    said = portions(content)
    return len(said) > 1 and any(is_forgotten(each) for each in said)


_SOMEBODY = rf"(?:{'|'.join(source for _, source in RELATIONS)}|{NAME_ZH}|(?-i:[A-Z][a-z]+))"
_TWO_OF_THEM = re.compile(rf"({_SOMEBODY})(?:\s+(?:and|with)\s+(?:my |our |his |her )?|[和跟与、])({_SOMEBODY})", _I)
_BARE = re.compile(r"^(?:(?:the fact )?that |我们?的?)|(?:这[件个]?事儿?|的事儿?)$", _I)


def _share(wish: str, statement: str) -> float:
    """How much of what a wish names stands in a statement, 0–1; all of it where its own words do."""
    bare = _BARE.sub("", wish.strip(" 。.，,！!"))
    if len(bare) > 1 and bare in statement:
        return 1.0
    return max(share_named(piece, _said(statement)) for piece in (wish, *pieces_meant(wish)))


def _said(content: str) -> Shown:
    return Shown(0, UUID(int=0), content, Kind.NOTE)


# --- members of a list ---


def _list_parted(wish: str, content: str) -> Parted | None:
    """A list parted by the members that a wish names; None where it is none, or all or none of them are named."""
    found = (_LIST_EN if content.isascii() else _LIST_ZH).fullmatch(" ".join(content.split()))
    members = [member for member in _BETWEEN.split(found["list"]) if member] if found else []
    if found is None or len(members) > _MOST_MEMBERS:
        return None
    stay = [member for member in members if not _is_named(member, wish, members)]
    if len(stay) in (0, len(members)):
        return None
    latin = content.isascii()
    gone = [member for member in members if member not in stay]
    went, stays = (f"{found['head']}{_listed(each, latin=latin)}{found['tail']}" for each in (gone, stay))
    return Parted((went,), stays)


def _listed(members: Sequence[str], *, latin: bool) -> str:
    comma, last = (", ", " and ") if latin else ("、", "和")
    return last.join([comma.join(members[:-1]), members[-1]] if len(members) > 1 else members)


def _is_named(member: str, wish: str, members: Sequence[str]) -> bool:
    """Whether a wish names a member: by what kind of being only it is, or by all of its own words."""
    kinds = beings_of(member) - {kind for other in members if other != member for kind in beings_of(other)}
    if kinds & beings_of(wish):
        return True
    member = _LITTLE.sub("", _TAIL.split(member)[0])
    words = terms_of(member)
    return bool(words) and (words <= terms_of(wish) or member.lower() in wish.lower())


# --- one of them changes ---


def untouched(content: str, said: str, known: str) -> tuple[str, ...]:
    """The statements of a known item that a new text and its message say nothing of, where they do speak of another.

    Of a list, the members that the text does not take back (no longer allergic to nuts).
    """
    told = portions(known)
    if len(told) == 1:
        part = _list_parted(content, known) if negative(content) else None
        return (part.stays,) if part is not None else ()
    stays = tuple(each for each in told if is_of_another(content, each) or not _touches(f"{content}\n{said}", each))
    return stays if len(stays) < len(told) else ()


def _touches(text: str, statement: str) -> bool:
    """Whether a text speaks of the matter of a statement: of the same person or thing, by claim, word or topic."""
    if are_apart(text, statement):
        return False
    families = {claim.family for claim in claims_of(statement)} & {claim.family for claim in claims_of(text)}
    topics = (topics_of(statement) & topics_of(text)) - {"reply"}
    return bool(families or terms_of(statement) & terms_of(text) or topics)
