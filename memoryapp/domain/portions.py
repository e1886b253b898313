"""An item that says several things at once: what each of them is, and what stays when one goes.

Whoever forgets or changes one thing keeps the rest (“lives in Porto and works as a baker”, 妈妈生日3月2日，爸爸生日5月9日).
A statement counts as one of its own only where it has a subject or a verb that the lexicon lists; an adjunct (加奶的,
near the river) goes where its statement goes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple
from uuid import UUID

from memoryapp.domain.beings import are_apart, begin_apart, beings_of
from memoryapp.domain.claims import claims_of
from memoryapp.domain.likeness import negative
from memoryapp.domain.naming import is_well_named, pieces_meant, share_named, topics_of, without_what_stays
from memoryapp.domain.owners import SURNAMES
from memoryapp.domain.subjects import RELATIONS
from memoryapp.domain.terms import terms_of
from memoryapp.domain.types import Kind, Shown

_I = re.IGNORECASE
_KIN = "|".join(source for _, source in RELATIONS)
_VERB_EN = (
    r"(?:also |now |still |currently |usually |always |never |often |sometimes |really |does not |doesn['’]t |do not |don['’]t )?"
    r"(?:is|am|are|was|has|have|had|works?|lives?|likes?|loves?|hates?|dislikes?|enjoys?|prefers?|drinks?|eats?|plays?|owns?"
    r"|drives?|speaks?|uses?|studies|study|goes|runs?|wants?|needs?|moved|started|takes?|keeps?|earns?|teaches|teach|collects?"
    r"|rides?|wears?|sings?|paints?|swims?|cycles?|volunteers?|commutes?|avoids?|follows?|supports?|grew|graduated|married)\b"
)
_SUBJECT_EN = (
    r"(?:I|I['’]m|I['’]ve|we|he|she|they|it|my|our|his|her|their|the user(?:['’]s)?|user(?:['’]s)?)\b"
    rf"|(?-i:[A-Z][a-z]+)(?:['’]s\b|(?= {_VERB_EN}))"
    r"|(?:mum|mom|dad|mother|father|brother|sister|wife|husband|son|daughter)(?:['’]s)?\b"
    r"|(?!and\b|or\b|who\b|which\b|that\b|what\b)[a-z'’]+(?: [a-z'’]+){0,2} (?:is|are)\b"
)
_JOINT_EN = re.compile(
    rf"\s*(?:[;.]|,?\s+(?:and|but|while)(?: now| then| also)?(?= )|,)\s+(?={_SUBJECT_EN}|{_VERB_EN})", _I
)
_VERB_ZH = (
    r"(?:现在|目前|平时|也|还|都|已经|一直|每[天周年]\S{0,3}?)?"
    r"(?:是|在|住|有|养|喜欢|爱|讨厌|不吃|不喝|不喜欢|不会|没有|会|对[^，,。；;]{1,10}过敏|开[^心会始]|做|当|想|怕|正在|打算|毕业|属|血型|身高|体重"
    r"|上(?:[一二三四五六七八九初高大小幼]|研究生|班)|吃(?!力|惊|亏)|习惯|吃素|戒|学|负责|工作|上班|今年\S{1,3}岁)"
)
_SUBJECT_ZH = (
    rf"(?:我|用户|[他她它]|{_KIN}|(?:[小老阿][\u4e00-\u9fff]|(?P<twice>[\u4e00-\u9fff])(?P=twice)|[{SURNAMES}][\u4e00-\u9fff]{{1,2}})(?=[会爱在是有学喜对住养上叫讨不])"
    rf"|(?!{_VERB_ZH}|每|早上|晚上|今|现在|平时|因为|所以|但|不过|还是|就是|而是|不是|都|也|主要|一般|总)[\u4e00-\u9fffA-Za-z]{{2,6}} ?(?:是|在|放在|为|叫)(?=.))"
)
_JOINT_ZH = re.compile(rf"[，,；;。]\s*(?:并且|而且|同时|另外|还有)?(?={_SUBJECT_ZH}|{_VERB_ZH})")
_STARTS_SUBJECT = re.compile(rf"{_SUBJECT_EN}|{_SUBJECT_ZH}", _I)
_SOME_VERB_EN, _SOME_VERB_ZH = re.compile(rf"\b{_VERB_EN}", _I), re.compile(_VERB_ZH)
_HEAD_EN = re.compile(
    r"(?:I|We|He|She|They|The user|User|(?:My|Our) (?!name\b)\w+(?: (?-i:[A-Z][a-z]+))?)(?= )|[A-Z][a-z]+(?= (?:is|has|lives|works|likes|loves)\b)",
    _I,
)
_HEAD_ZH = re.compile(rf"(?:我(?!们)的?|用户的?)(?:{_KIN})(?![的们])|我(?![们的])|用户(?!的)|(?:{_KIN})(?![的们])")

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

_OF_ONE_ZH = re.compile(
    rf"(?P<who>(?:我|用户的?)?(?:{_KIN})[妈爸哥弟姐妹]?)的?(?P<what>[\u4e00-\u9fff]{{1,4}}?)(?P<is>是|为|在|：)?(?=[\d一二三四五六七八九十正腊初])"
)
_OF_NEXT_ZH = re.compile(
    rf"(?P<who>(?:我|用户的?)?(?:{_KIN})[妈爸哥弟姐妹]?)的?(?:是|为|在|：)?(?=[\d一二三四五六七八九十正腊初])"
)
_OF_ONE_EN = re.compile(r"(?:my |our |the |user['’]s )?\w+['’]s (?P<what>\w+(?: \w+)?) (?:is|was|falls) ", _I)
_OF_NEXT_EN = re.compile(r"(?P<who>(?:(?:my|our|his|her) )?\w+['’]s)(?= (?:is|was|falls|on)\b)", _I)


_MOST = 8
"""Statements of one item; a text of more is no memory and is taken whole."""


def portions(content: str) -> tuple[str, ...]:
    """The statements of an item, each readable alone; the item itself where it makes one, or more than an item holds."""
    latin, even = content.isascii(), " ".join(content.split())
    pieces = [piece.strip(" ,，;；。.") for piece in _cut(even, _JOINT_EN if latin else _JOINT_ZH)]
    pieces = [piece for piece in pieces if piece]
    if not 2 <= len(pieces) <= _MOST or not _says_something(pieces[0], latin=latin):
        return (content,)
    said = tuple(_alone(piece, pieces[0], latin=latin) for piece in pieces)
    return said if all(said) else (content,)


def _cut(content: str, joint: re.Pattern[str]) -> list[str]:
    places = [0, *(place for match in joint.finditer(content) for place in match.span()), len(content)]
    return [content[start:end] for start, end in list(pairwise(places))[::2]]


def _says_something(piece: str, *, latin: bool) -> bool:
    """Whether the first piece is a statement: not “Tom”, of whom the next says what he and Anna did."""
    verb = _SOME_VERB_EN if latin else _SOME_VERB_ZH
    who = _WHO.match(piece)
    return bool(verb.search(piece) or claims_of(piece) or (who and len(piece) > who.end() + 1))


def _alone(piece: str, first: str, *, latin: bool) -> str:
    """A statement with what it leaves to the first one: its subject, or what a value is of; empty where nobody can tell."""
    if piece is first:
        return piece
    if pronoun := _PRONOUN.match(piece):
        whom = _somebody(first, latin=latin)
        return f"{whom}{piece[pronoun.end() :]}" if whom else ""
    one, following = (_OF_ONE_EN, _OF_NEXT_EN) if latin else (_OF_ONE_ZH, _OF_NEXT_ZH)
    told, next_ = one.match(first), following.match(piece)
    if told and next_:
        gap = " " if latin else "" if next_["who"].endswith("的") else "的"
        return f"{next_['who']}{gap}{told['what']}{piece[next_.end('who') :].removeprefix('的')}"
    if _STARTS_SUBJECT.match(piece):
        return piece
    head = (_HEAD_EN if latin else _HEAD_ZH).match(first)
    whom = head.group() if head else _somebody(first, latin=latin)
    if not whom:
        return piece[:1].upper() + piece[1:]
    return f"{whom} {piece}" if latin else f"{whom}{piece}"


_PRONOUN = re.compile(r"(?:he|she|they|it)\b|[他她它]们?", _I)
_SOMEBODY_EN = re.compile(
    rf"(?:My|Our) \w+(?: (?-i:[A-Z][a-z]+))?(?= )|(?!{_VERB_EN})(?-i:[A-Z][a-z]+)(?= {_VERB_EN})", _I
)


def _somebody(first: str, *, latin: bool) -> str:
    """Whom a statement begins with, where it is not its writer."""
    found = _SOMEBODY_EN.match(first) if latin else _WHO.match(first)
    if found is None or (latin and re.match(r"(?:I|We|User|The)\b", first)):
        return ""
    return found.group() if latin or not found["self"] else ""


# --- what stays when one of them goes ---

_NO_ID = UUID(int=0)
_HIT, _CLEARLY_LESS = 0.3, 0.5
"""How much of what a wish names a statement must hold, and how little the others, as a share of the best."""


def tells_what_was_forgotten(content: str, is_forgotten: Callable[[str], bool]) -> bool:
    """Whether one of several statements of a text was forgotten by itself, so that the text may not come back unasked."""
    said = portions(content)
    return len(said) > 1 and any(is_forgotten(each) for each in said)


class Parted(NamedTuple):
    """What a wish to forget takes out of an item, and what stays; both read alone."""

    gone: tuple[str, ...]
    stays: str


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


_BARE = re.compile(r"^(?:(?:the fact )?that |我们?的?)|(?:这[件个]?事儿?|的事儿?)$", _I)


def _share(wish: str, statement: str) -> float:
    item, bare = Shown(0, _NO_ID, statement, Kind.NOTE), _BARE.sub("", wish.strip(" 。.，,！!"))
    if len(bare) > 1 and bare in statement:
        return 1.0
    return max(share_named(piece, item) for piece in (wish, *pieces_meant(wish)))


def parted_by_all(wish: str, others: Sequence[str], content: str) -> Parted | None:
    """An item parted by one wish and then by the others of the same person; None where nothing of it stays."""
    part = parted(wish, content)
    for other in others:
        if part is None:
            return None
        further = parted(other, part.stays)
        if further is not None:
            part = Parted((*part.gone, *further.gone), further.stays)
        elif is_well_named(other, Shown(0, _NO_ID, part.stays, Kind.NOTE)):
            return None
    return part


_MOST_MEMBERS = 30


def _list_parted(wish: str, content: str) -> Parted | None:
    """A list parted by the members that a wish names; None where it is none, or all or none of them are named."""
    found = (_LIST_EN if content.isascii() else _LIST_ZH).fullmatch(" ".join(content.split()))
    if found is None:
        return None
    members = [member for member in _BETWEEN.split(found["list"]) if member]
    if len(members) > _MOST_MEMBERS:
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


_TAIL = re.compile(r" (?:in|at|on|every|each|with|for|before|after|twice|once)\b|(?<=[\u4e00-\u9fff])（")
"""Where a member of a list goes on to say when or how."""
_LITTLE = re.compile(r"^(?:一点儿?|一些|少量|少许|点儿?|a little |a bit of |some |basic )", _I)


def _is_named(member: str, wish: str, members: Sequence[str]) -> bool:
    kinds = beings_of(member) - {kind for other in members if other != member for kind in beings_of(other)}
    if kinds & beings_of(wish):
        return True
    member = _LITTLE.sub("", _TAIL.split(member)[0])
    words = terms_of(member)
    return bool(words) and (words <= terms_of(wish) or member.lower() in wish.lower())


def joined(statements: Sequence[str]) -> str:
    """Several statements as the text of one item."""
    return ("; " if all(each.isascii() for each in statements) else "；").join(statements)


_SOMEBODY = rf"(?:{_KIN}|[小老阿][\u4e00-\u9fff]|[{SURNAMES}][\u4e00-\u9fff]{{1,2}}|(?-i:[A-Z][a-z]+))"
_TWO_OF_THEM = re.compile(
    rf"(?P<one>{_SOMEBODY})(?:\s+(?:and|with)\s+(?:my |our |his |her )?|[和跟与、])(?P<other>{_SOMEBODY})", _I
)


def is_of_others_too(wish: str, content: str) -> bool:
    """Whether an item says one thing of two people of whom a wish to forget names one (Tom and Anna moved to Rome)."""
    named = wish.lower()
    return any(
        (one.lower() in named) != (other.lower() in named)
        for one, other in _TWO_OF_THEM.findall(" ".join(content.split()))
    )


# --- what stays when one of them changes ---


def untouched(content: str, said: str, known: str) -> tuple[str, ...]:
    """The statements of a known item that a new text and its message say nothing of, where they do speak of another.

    Of a list, the members that the text does not take back (no longer allergic to nuts).
    """
    told = portions(known)
    if len(told) == 1:
        part = _list_parted(content, known) if negative(content) else None
        return (part.stays,) if part is not None else ()
    stays = tuple(each for each in told if _is_of_another(content, each) or not _touches(f"{content}\n{said}", each))
    return stays if len(stays) < len(told) else ()


_SELF = r"(?:I\b|I['’]m\b|I['’]ve\b|(?:the )?user\b(?!['’])|我(?!的|们|家)|用户(?!的))"
_WHO = re.compile(
    rf"(?:(?:my|our|the|his|her|user['’]s|我们?家?的?|用户的?|咱)\s?)?(?P<kin>{_KIN})|(?P<self>{_SELF})"
    rf"|(?P<name>(?!{_VERB_EN})(?-i:[A-Z][a-z]+)(?=['’]s? | {_VERB_EN})|[\u4e00-\u9fff]{{2,3}}?(?=上|在|住|是|会|爱|喜欢|对|学|养|吃|有|叫))",
    _I,
)
"""Whom a statement begins with: somebody of the writer's, the writer, or somebody by name."""


def _is_of_another(content: str, statement: str) -> bool:
    """Whether two statements begin with two people (老婆对猫过敏, 我对花粉过敏; Tom is in year 3, Ella is in year 7)."""
    mine, theirs = _WHO.match(content), _WHO.match(statement)
    if mine is None or theirs is None:
        return False
    if mine["kin"] and theirs["kin"]:
        return begin_apart(content, statement)
    if mine["name"] and theirs["name"]:
        return mine["name"] != theirs["name"]
    named = mine["name"] is not None and mine["name"] in statement
    return mine.lastgroup != theirs.lastgroup and not named


def _touches(text: str, statement: str) -> bool:
    if are_apart(text, statement):
        return False
    families = {claim.family for claim in claims_of(statement)} & {claim.family for claim in claims_of(text)}
    return bool(
        families or terms_of(statement) & terms_of(text) or (topics_of(statement) & topics_of(text)) - {"reply"}
    )
