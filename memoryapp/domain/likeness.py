"""Whether two statements say the same, or the opposite: the deterministic part of what a judge decides.

Likeness alone merges nothing: figures, negation, names and identifiers must be equal (FEATURES B5). A contradiction is
another value of something one has once, or the same matter with the opposite stance (B6).
"""

from __future__ import annotations

import re

from memoryapp.domain.claims import claims_of, restates
from memoryapp.domain.clauses import sentences
from memoryapp.domain.owners import same_owner
from memoryapp.domain.terms import terms_of

_I = re.IGNORECASE
_NEGATIVE = re.compile(
    r"讨厌|厌恶|反感|受不了|戒[掉了]|恨|拒绝|停用|弃用|(?<!差)不(?!错|同|过(?!敏)|仅|但|管|客气|好意思)|没(?!问题|关系)|无法"
    r"|(?<![特区个分性级类识告])别(?!人|墅|的|名|致)"
    r"|\b(?:hates?|dislikes?|detests?|loathes?|avoids?|stopped|quit|gave up|given up|never|not|no longer|without"
    r"|can(?:no|['’])t stand|cannot|stop)\b|n['’]t\b",
    _I,
)
_STANCE_WORDS = re.compile(
    r"讨厌|厌恶|反感|受不了|戒掉?|恨|拒绝|停用|弃用|喜欢|喜爱|热爱|爱|偏好|想要|不再|不想|不用|不要|别再?|不|没有?|无法"
    r"|[吃喝看]|用(?!户)|以前|后来|如今"
    r"|\b(?:hates?|dislikes?|detests?|loathes?|avoids?|loves?|likes?|enjoys?|prefers?|stopped|quit|gave up|given up"
    r"|never|not|no longer|can(?:no|['’])t|stop|stand|eats?|eating|drinks?|drinking|uses?|using|any ?more|really|still"
    r"|does|do)\b|n['’]t\b",
    _I,
)
_FORMER = re.compile(r"以前|曾经?|过去|原来|小时候|\b(?:used to|formerly|previously|once|back then|in the past)\b", _I)
_ALSO = re.compile(
    r"也|还有|另[外一]|第二|除了|同时|\b(?:also|besides|as well|too|in addition|additionally|other|another|second)\b",
    _I,
)
_HEDGED = re.compile(
    r"可能|也许|大概|好像|似乎|说不定|或许|不确定|应该是|\b(?:maybe|perhaps|probably|possibly|might|I think|I guess"
    r"|not sure|it seems|seems to)\b",
    _I,
)
_CHANGE = re.compile(
    r"改|换|搬|跳槽|离职|不再|现在|如今|以后|从今|\b(?:now|switch\w*|chang\w*|moved|from now on|instead|any ?more|lately)\b",
    _I,
)
_FIGURES = re.compile(r"\d+(?:[.:/-]\d+)*")
_NAMES = re.compile(r"[A-Za-z][\w.+#/-]*")
_SINGLE = frozenset(
    {
        "lives_in",
        "works_at",
        "is_called",
        "addressed_as",
        "eats",
        "answer_language",
        "answer_length",
        "time_zone",
        "units",
        "theme",
    }
)
"""What a person has once, so that an ADD of another value replaces the first."""


def same_statement(text: str, known: str) -> bool:
    """Whether a text only repeats a known one: no new word, in the same order, with equal figures, names and stance."""
    return (
        restates(text, known)
        and _FIGURES.findall(text) == _FIGURES.findall(known)
        and _names(text) == _names(known)
        and negative(text) == negative(known)
        and (_in_order(_bare(text), _bare(known)) or _clauses_in_order(text, _bare(known)))
    )


_SELF = frozenset({"i", "i'm", "my", "me", "the", "user", "user's", "users", "a", "an", "is", "am", "are", "that"})


def _names(text: str) -> list[str]:
    words = [word.strip(".").lower().removesuffix("'s") for word in _NAMES.findall(text)]
    return sorted({word.rstrip("s") for word in words if word not in _SELF})


_SUBJECTS = re.compile(r"用户|我们?|的|了|\b(?:the user|user(?:['’]s)?|i|my)\b|[\W_]", _I)


def _bare(text: str) -> str:
    return _SUBJECTS.sub("", re.sub(r"(?<=[a-z]{3})s\b", "", text.lower()))


def _in_order(short: str, long: str) -> bool:
    """Whether the characters of one stand in the other in the same order (小王爱小李 is not 小李爱小王)."""
    rest = iter(long)
    return all(character in rest for character in short)


def _clauses_in_order(text: str, known: str) -> bool:
    """Whether a statement of several clauses stands in another that orders them otherwise (喝美式，不加糖: 喝不加糖的美式).

    What is denied must stand there in one piece, so that no denial changes its place (爱猫，不爱狗).
    """
    clauses = [_bare(clause) for clause in re.split(r"[，,；;]", text) if _bare(clause)]
    denied = [clause for clause in clauses if negative(clause)]
    if len(clauses) < 2 or not all(clause in known for clause in denied):
        return False
    for clause in denied:
        known = known.replace(clause, "", 1)
    return all(_in_order(clause, known) for clause in clauses if clause not in denied)


def negative(text: str) -> bool:
    """Whether a statement denies or rejects; a double negation affirms."""
    return len(_NEGATIVE.findall(text)) % 2 == 1


def hedged(text: str) -> bool:
    """Whether the speaker is not sure."""
    return bool(_HEDGED.search(text))


def contradicts(text: str, known: str) -> bool:
    """Whether both cannot be true of the same person now: 住在上海 / 住在苏州, loves / hates Chinese food."""
    if _FORMER.search(text) or _FORMER.search(known) or not same_owner(text, known):
        return False
    return any(_other_value(piece, known) or _opposite(piece, known) for piece in (text, *clauses_of(text)))


def _other_value(text: str, known: str) -> bool:
    """Another value of something one has once, or the same value taken back."""
    if _ALSO.search(text):
        return False
    mine, theirs = _values(text), _values(known)
    both = [_apart(mine[one], theirs[one]) for one in mine if one in theirs]
    if negative(text) != negative(known):
        return any(not apart for apart in both)
    return any(both) and not negative(text)


def _values(text: str) -> dict[tuple[str, str], str]:
    return {(c.family, c.owner): _value(c.value) for c in claims_of(text) if c.family in _SINGLE and c.value}


def _value(text: str) -> str:
    return re.sub(r"[\W_]|公司$|市$", "", text.lower())


def _apart(mine: str, theirs: str) -> bool:
    return mine not in theirs and theirs not in mine


def _opposite(text: str, known: str) -> bool:
    """The same matter with the opposite stance."""
    return negative(text) != negative(known) and _same_matter(text, known)


_AND = re.compile(r",? (?:and|but|so) |但是?|而且|并且")


def clauses_of(text: str) -> list[str]:
    """The clauses of a text that ask nothing, cut at "and" as well."""
    stated = [text[c.start : c.end] for s in sentences(text) for c in s.clauses if not c.asks]
    return [piece for clause in stated for piece in _AND.split(clause) if piece.strip()]


def _same_matter(text: str, known: str) -> bool:
    mine, theirs = _matter(text), _matter(known)
    return bool(mine & theirs) and len(mine & theirs) / len(mine | theirs) >= 0.6


def _matter(text: str) -> frozenset[str]:
    return terms_of(_STANCE_WORDS.sub(" ", text))


def replacing_clause(text: str, known: str) -> str:
    """The user's own sentence of a message that takes a known statement back; empty when none does.

    Besides a plain contradiction it is enough that the sentence speaks of the matter with the opposite stance, or as
    of something changed.
    """
    for sentence in sentences(text):
        said = text[sentence.start : sentence.end].strip()
        if any(clause.asks for clause in sentence.clauses) or hedged(said):
            continue
        if contradicts(said, known) or (_touches(said, known) and _turns(said, known)):
            return said
    return ""


def _touches(text: str, known: str) -> bool:
    return bool(_matter(text) & _matter(known))


def _turns(text: str, known: str) -> bool:
    return not _FORMER.search(text) and (negative(text) != negative(known) or bool(_CHANGE.search(text)))


def speaks_of_change(text: str) -> bool:
    """Whether the words tell that something is now other than before."""
    return bool(_CHANGE.search(text))


def shares_a_word(content: str, said: str) -> bool:
    """Whether a fact has anything at all in common with what was said: a word, or two Chinese characters."""
    mine, theirs = terms_of(content), terms_of(said)
    characters = set(re.findall(r"[\u3400-\u9fff]", " ".join(t for t in mine if not t.isascii())))
    return not mine or bool(mine & theirs) or bool(characters & set(said)) or _same_stem(mine, theirs)


def _same_stem(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    stems = {word[:4] for word in theirs if len(word) >= 4}
    return any(word[:4] in stems for word in mine if len(word) >= 4)
