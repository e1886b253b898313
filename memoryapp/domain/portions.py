"""The statements of an item that says several things at once, each readable alone, and whom each begins with.

“Lives in Porto and works as a baker” and 妈妈生日3月2日，爸爸生日5月9日 say two things. A statement counts as one of its
own only where it has a subject or a verb that the lexicon lists; an adjunct (加奶的, near the river) goes where its
statement goes, and where nobody can tell whom a pronoun means the item is one piece.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryapp.domain.beings import begin_apart
from memoryapp.domain.claims import claims_of
from memoryapp.domain.clauses import between
from memoryapp.domain.owners import SURNAMES
from memoryapp.domain.subjects import RELATIONS

_I = re.IGNORECASE
_KIN = "|".join(source for _, source in RELATIONS)
NAME_ZH = rf"[小老阿][\u4e00-\u9fff]|[{SURNAMES}][\u4e00-\u9fff]{{1,2}}"
"""A Chinese name as it is spoken (小王) or written (王明)."""

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
_VERB_ZH = (
    r"(?:现在|目前|平时|也|还|都|已经|一直|每[天周年]\S{0,3}?)?"
    r"(?:是|在|住|有|养|喜欢|爱|讨厌|不吃|不喝|不喜欢|不会|没有|会|对[^，,。；;]{1,10}过敏|开[^心会始]|做|当|想|怕|正在|打算|毕业|属|血型|身高|体重"
    r"|上(?:[一二三四五六七八九初高大小幼]|研究生|班)|吃(?!力|惊|亏)|习惯|吃素|戒|学|负责|工作|上班|今年\S{1,3}岁)"
)
_SUBJECT_ZH = (
    rf"(?:我|用户|[他她它]|{_KIN}|(?:{NAME_ZH}|(?P<twice>[\u4e00-\u9fff])(?P=twice))(?=[会爱在是有学喜对住养上叫讨不])"
    rf"|(?!{_VERB_ZH}|每|早上|晚上|今|现在|平时|因为|所以|但|不过|还是|就是|而是|不是|都|也|主要|一般|总)[\u4e00-\u9fffA-Za-z]{{2,6}} ?(?:是|在|放在|为|叫)(?=.))"
)
_JOINT_EN = re.compile(
    rf"\s*(?:[;.]|,?\s+(?:and|but|while)(?: now| then| also)?(?= )|,)\s+(?={_SUBJECT_EN}|{_VERB_EN})", _I
)
_JOINT_ZH = re.compile(rf"[，,；;。]\s*(?:并且|而且|同时|另外|还有)?(?={_SUBJECT_ZH}|{_VERB_ZH})")
_STARTS_SUBJECT = re.compile(rf"{_SUBJECT_EN}|{_SUBJECT_ZH}", _I)
_SOME_VERB_EN, _SOME_VERB_ZH = re.compile(rf"\b{_VERB_EN}", _I), re.compile(_VERB_ZH)
_NAME_EN = rf"(?!{_VERB_EN})(?-i:[A-Z][a-z]+)"
_SELF = r"(?:I\b|I['’]m\b|I['’]ve\b|(?:the )?user\b(?!['’])|我(?!的|们|家)|用户(?!的))"
_WHO = re.compile(
    rf"(?:(?:my|our|the|his|her|user['’]s|我们?家?的?|用户的?|咱)\s?)?(?P<kin>{_KIN})|(?P<self>{_SELF})"
    rf"|(?P<name>{_NAME_EN}(?=['’]s? | {_VERB_EN})|[\u4e00-\u9fff]{{2,3}}?(?=上|在|住|是|会|爱|喜欢|对|学|养|吃|有|叫))",
    _I,
)
"""Whom a statement begins with: somebody of the writer's, the writer, or somebody by name."""
_WRITER = r"I|We|The user|User"
_HEAD_EN = re.compile(
    rf"(?P<writer>(?:{_WRITER})(?= ))|(?:My|Our) (?!name\b)\w+(?: (?-i:[A-Z][a-z]+))?(?= )|{_NAME_EN}(?= {_VERB_EN})",
    _I,
)
_HEAD_ZH = re.compile(
    rf"(?:我(?!们)的?|用户的?)(?:{_KIN})(?![的们])|(?P<writer>我(?![们的])|用户(?!的))|(?:{_KIN})(?![的们])"
)
"""The subject of a first statement as its own words, which a second one may leave out."""
_PRONOUN = re.compile(r"(?:he|she|they|it)\b|[他她它]们?", _I)

_VALUE_ZH = r"(?=[\d一二三四五六七八九十正腊初])"
_OF_ONE_ZH = re.compile(
    rf"(?:我|用户的?)?(?:{_KIN})[妈爸哥弟姐妹]?的?(?P<what>[\u4e00-\u9fff]{{1,4}}?)(?:是|为|在|：)?{_VALUE_ZH}"
)
_OF_NEXT_ZH = re.compile(rf"(?P<who>(?:我|用户的?)?(?:{_KIN})[妈爸哥弟姐妹]?)的?(?:是|为|在|：)?{_VALUE_ZH}")
_OF_ONE_EN = re.compile(r"(?:my |our |the |user['’]s )?\w+['’]s (?P<what>\w+(?: \w+)?) (?:is|was|falls) ", _I)
_OF_NEXT_EN = re.compile(r"(?P<who>(?:(?:my|our|his|her) )?\w+['’]s)(?= (?:is|was|falls|on)\b)", _I)
"""What a value is of, told with the first one and left out with the next (mum's birthday is …, dad's is …)."""
_MOST = 8
"""Statements of one item; a text of more is no memory and is taken whole."""


def portions(content: str) -> tuple[str, ...]:
    """The statements of an item, each readable alone; the item itself where it makes one, or more than an item holds."""
    latin, even = content.isascii(), " ".join(content.split())
    pieces = [piece.strip(" ,，;；。.") for piece in between(even, _JOINT_EN if latin else _JOINT_ZH)]
    pieces = [piece for piece in pieces if piece]
    if not 2 <= len(pieces) <= _MOST or not _says_something(pieces[0], latin=latin):
        return (content,)
    said = (pieces[0], *(_alone(piece, pieces[0], latin=latin) for piece in pieces[1:]))
    return said if all(said) else (content,)


def joined(statements: Sequence[str]) -> str:
    """Several statements as the text of one item."""
    return ("; " if all(each.isascii() for each in statements) else "；").join(statements)


def is_of_another(content: str, statement: str) -> bool:
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


def _says_something(piece: str, *, latin: bool) -> bool:
    """Whether the first piece is a statement: not “Tom”, of whom the next says what he and Anna did."""
    verb = _SOME_VERB_EN if latin else _SOME_VERB_ZH
    who = _WHO.match(piece)
    return bool(verb.search(piece) or claims_of(piece) or (who and len(piece) > who.end() + 1))


def _alone(piece: str, first: str, *, latin: bool) -> str:
    """A statement with what it leaves to the first one: its subject, or what a value is of; empty where nobody can tell."""
    whom, is_writer = _head(first, latin=latin)
    if pronoun := _PRONOUN.match(piece):
        return f"{whom}{piece[pronoun.end() :]}" if whom and not is_writer else ""
    one, following = (_OF_ONE_EN, _OF_NEXT_EN) if latin else (_OF_ONE_ZH, _OF_NEXT_ZH)
    told, next_ = one.match(first), following.match(piece)
    if told and next_:
        gap = " " if latin else "" if next_["who"].endswith("的") else "的"
        return f"{next_['who']}{gap}{told['what']}{piece[next_.end('who') :].removeprefix('的')}"
    if _STARTS_SUBJECT.match(piece):
        return piece
    if not whom:
        return piece[:1].upper() + piece[1:]
    return f"{whom} {piece}" if latin else f"{whom}{piece}"


def _head(first: str, *, latin: bool) -> tuple[str, bool]:
    """Whom a first statement begins with, in its words, and whether that is its writer; empty where it says nobody."""
    head = (_HEAD_EN if latin else _HEAD_ZH).match(first)
    if head is not None:
        return head.group(), head["writer"] is not None
    who = None if latin else _WHO.match(first)
    return (who.group(), False) if who is not None and not who["self"] else ("", False)
