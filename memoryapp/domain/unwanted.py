"""Which items a wish to forget means, and which of them are only faintly meant.

By words first (`memoryapp.domain.naming`), then by meaning; what is only faintly named waits for confirmation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from memoryapp.domain.beings import are_apart
from memoryapp.domain.claims import FREE_VALUES, Claim, claims_of
from memoryapp.domain.naming import all_but, is_only_named, is_spared, is_well_named, named_items, share_named
from memoryapp.domain.nearness import LEAST_FAINT, LEAST_FORGOTTEN, LEAST_HINT, Nearness, parts_of
from memoryapp.domain.owners import owner_of, same_owner, speak_of_others
from memoryapp.domain.parting import parted
from memoryapp.domain.portions import portions
from memoryapp.domain.targets import CONFIDENCE, Known
from memoryapp.domain.terms import terms_of
from memoryapp.domain.topic_rules import topic_rules
from memoryapp.domain.types import Action, Cue, CueKind, Operation, Shown

FAINT_FORGET = "faint_forget"
"""A wish to forget that shares little with the item it may mean."""


def forgotten(cue: Cue, known: Known, before: str, said: tuple[str, ...]) -> Iterator[Operation]:
    """The items named well, else those that are meant, else the one that was spoken of before.

    An item that is only faintly named waits for confirmation before it is forgotten, as does all that a wish for
    everything but something may mean. What a wish says may stay is not looked at.
    """
    cue = replace(cue, body=_AWAY.sub("", cue.body))
    known = replace(known, shown=tuple(item for item in known.shown if _may_be_meant(cue.body, item)))
    sure, faint = _surely_or_faintly(cue, known, before, said)
    for item in sure:
        yield _deletion(item, cue, FAINT_FORGET if _tells_another(cue.body, item) else "explicit_forget")
    yield from (_deletion(item, cue, FAINT_FORGET) for item in faint if item not in sure)


def _surely_or_faintly(cue: Cue, known: Known, before: str, said: tuple[str, ...]) -> tuple[list[Shown], list[Shown]]:
    """The items that a wish surely means, and those that it may mean."""
    scope, exception = all_but(cue.body)
    if exception:
        return [], _all_but(scope, exception, known)
    spared = [item for item in known.shown if is_spared(cue.body, item, known.shown)]
    known = replace(known, shown=tuple(item for item in known.shown if item not in spared))
    named = _of_its_age(cue.body, _by_portions(cue.body, known.shown))
    plain = _plainly_named(cue, named, known, said)
    sure = plain or _meant_to_go(cue, known, said) or ([] if named else named_items(cue.body, known.shown, before))
    if len(sure) == 1 and _could_be_another(cue.body, sure[0], known):
        return [], sure
    if plain:
        return sure, named
    return sure, [] if sure else named or _faintly_meant(cue, known, said)


def _plainly_named(cue: Cue, named: list[Shown], known: Known, said: tuple[str, ...]) -> list[Shown]:
    well = [item for item in named if any(is_well_named(cue.body, each) for each in _each_said(item))]
    if len(named) == 1 and is_only_named(cue.body, named[0], known.shown):
        well = named
    plain = well or _agreed(named, known, said)
    return _with_their_like(plain, named, cue, known, said) if plain and _SEVERAL.search(cue.clause) else plain


_EVERYTHING = re.compile(r"其[他余它]|关于我的?都|清空|\bthe rest\b", re.IGNORECASE)
"""How a wish for all but something says “all” where it names nothing else."""


def _all_but(scope: str, spared: str, known: Known) -> list[Shown]:
    """What a wish for all but something may mean: of everything, or of what it names, the items that do not say that."""
    stays = {item.id for item in _by_portions(spared, known.shown)}
    everything = _EVERYTHING.search(scope) is not None or named_items(scope, known.shown) == list(known.shown)
    meant = list(known.shown) if everything else _by_portions(scope, known.shown)
    holds_both = [item for item in meant if item.id in stays and parted(spared, item.content) is not None]
    return [item for item in meant if item.id not in stays] + holds_both if stays else []


_DEMONSTRATIVE = re.compile(r"那[个位只条]|\bthat (?:friend|colleague|cat|dog|neighbou?r|cousin)\b", re.IGNORECASE)


def _could_be_another(wish: str, meant: Shown, known: Known) -> bool:
    """Whether a wish points at one of several of a kind without a name (我那个朋友的爱好): nobody can tell which."""
    owner = owner_of(meant.content)
    if owner in ("user", "project") or not _DEMONSTRATIVE.search(wish):
        return False
    others = (item for item in known.shown if item.id != meant.id and owner_of(item.content) == owner)
    return any(speak_of_others(meant.content, item.content) for item in others)


OLD_EN = r"(?:old|previous|former|outdated)"
_OLD = re.compile(rf"旧|老的|以前|之前|原来|\b(?:{OLD_EN}|ex)\b", re.IGNORECASE)


def _of_its_age(wish: str, named: list[Shown]) -> list[Shown]:
    """Where a wish names the old one, the items that call themselves old, if any does (my old address)."""
    old = [item for item in named if _OLD.search(item.content)]
    return old if old and _OLD.search(wish) else named


def _by_portions(name: str, shown: tuple[Shown, ...]) -> list[Shown]:
    """The items that are named by one of the things that they say."""
    found = {each.id for each in named_items(name, [each for item in shown for each in _each_said(item)])}
    return [item for item in shown if item.id in found]


def _each_said(item: Shown) -> list[Shown]:
    return [replace(item, content=each) for each in portions(item.content)]


_AWAY = re.compile(
    r"(?<!\s)\s{1,4}(?:to be )?(?:taken|removed|deleted|wiped|erased|cleared|scrubbed|purged|struck|gone|dropped)\b"
    r"(?: (?:out|off|away))?(?: (?:of|from) (?:your|the) [\w ]{2,30})?(?:[\s,.]*(?:please|pls|thanks|thank you))*[\s,.]*$",
    re.IGNORECASE,
)
"""What is wished of the thing that is named (I want my birthday taken out of your records)."""


def _may_be_meant(name: str, item: Shown) -> bool:
    """Whether a request can mean an item: it names no other thing or value, and a rule about a topic is no fact of it."""
    if topic_rules(item.content):
        return _A_RULE.search(name) is not None
    return not names_another(name, item.content)


def names_another(wanted: str, known: str) -> bool:
    """Whether a wish names another thing than an item, or another value of the same (allergic to shellfish, to nuts)."""
    if are_apart(wanted, known):
        return True
    values: dict[str, set[str]] = {}
    for claim in claims_of(known):
        values.setdefault(claim.family, set()).add(_plain(claim.value))
    asked = [(claim.family, _plain(claim.value)) for claim in claims_of(wanted) if _says_a_value(claim)]
    compared = [(value, values[family] - {""}) for family, value in asked if values.get(family, set()) - {""}]
    return bool(compared) and not any(_overlap(value, each) for value, others in compared for each in others)


def _says_a_value(claim: Claim) -> bool:
    """Whether a claim has a value; what only stands behind a label is one where it has a figure or a sign."""
    value = _plain(claim.value)
    return bool(value) and (claim.family not in FREE_VALUES or re.search(r"[\d@]", value) is not None)


def _plain(value: str) -> str:
    return re.sub(r"^(?:the|a|an|my|our|some)\s+", "", value.strip(" ，,。.!！").lower())


def _overlap(one: str, other: str) -> bool:
    """Whether two values may be the same; of two languages nobody can tell here."""
    if one.isascii() != other.isascii() or any(alike.match(one) and alike.match(other) for alike in _ALIKE):
        return True
    stem = min(len(one), len(other), 4)
    return one in other or other in one or (stem >= 3 and one[:stem] == other[:stem])


_ALIKE = tuple(
    re.compile(source, re.IGNORECASE)
    for source in (
        r"short|brief|concise|简|短|精简",
        r"long|detailed|in detail|详|长|展开",
        r"vegan|plant-based|纯素|吃全素",
        r"vegetarian|吃素|素食",
    )
)
"""Values that say the same in other words."""


def _tells_another(name: str, item: Shown) -> bool:
    """Whether a request repeats a whole statement (that I like coffee) of which no word stands in the item."""
    words, known = terms_of(name) - _LIGHT, terms_of(item.content) - _LIGHT
    return _STATEMENT.match(name) is not None and bool(words and known) and not words & known


_STATEMENT = re.compile(
    r"(?:that |the fact that |about )*(?:(?:i|i'm|i've|we|he|she|they)\b(?= \w+ \w+)"
    r"|(?:my|our) (?:\w+ ){1,3}(?:is|are|was|were|has|have|had|does|did|likes?|loves?|hates?|lives?|works?|goes|plays?|owns?|studies|speaks?)\b)"
    r"|我们?(?!\S*(?:的\S{0,3}|这件?事儿?)$|[^，,。是在有]{0,8}的[^，,。是在有]{1,8}(?:[，,。]|$))",
    re.IGNORECASE,
)
"""A sentence of its own, not the name of something (my home address, 我的薪水)."""
_LIGHT = terms_of(
    "like love live have work be call called own use go eat drink play know 喜欢 住在 有 叫 用 在 吃 喝 工作"
)
_A_RULE = re.compile(
    r"\b(?:rules?|instructions?|never|not|don'?t|asked|told|stor\w+|sav\w+|keep\w*|remember\w*)\b|规[定则矩]|要求|不[记存]|别[记存]|指令",
    re.IGNORECASE,
)
"""Words of a wish that is about a rule itself."""


def _with_their_like(
    plain: list[Shown], named: list[Shown], cue: Cue, known: Known, said: tuple[str, ...]
) -> list[Shown]:
    """The items named well with the others that a request for several names or means about as much."""
    group = known.nearness.group(said, known.shown, LEAST_FORGOTTEN, partial(_naming, cue.body))
    return list({item.id: item for item in (*plain, *named, *group)}.values())


def _faintly_meant(cue: Cue, known: Known, said: tuple[str, ...]) -> list[Shown]:
    one = known.nearness.meant(said, known.shown, LEAST_FAINT, partial(_naming, cue.body))
    return [one] if one is not None else []


def _agreed(named: list[Shown], known: Known, said: tuple[str, ...]) -> list[Shown]:
    """The one item that is faintly named and by its meaning nearer than the others as well."""
    one = known.nearness.meant(said, known.shown, LEAST_HINT)
    return [one] if one is not None and named == [one] else []


def _deletion(item: Shown, cue: Cue, reason: str) -> Operation:
    sure = CONFIDENCE[CueKind.FORGET]
    return Operation(Action.DELETE, target=item.number, confidence=sure, quote=cue.clause, reason=reason)


_SEVERAL = re.compile(
    r"两|几[条个件]|[那这]些|不管|无论|\b(?:both|all (?:of )?(?:my|the|your)(?! time)|every)\b",
    re.IGNORECASE,
)
"""Words of a request that names more than one item."""


def _meant_to_go(cue: Cue, known: Known, said: tuple[str, ...]) -> list[Shown]:
    """The items that a request to forget means by its sense: one for each thing it names, several where it says so."""
    owner = owner_of(cue.body)
    mine = [item for item in known.shown if same_owner(cue.body, item.content)] if owner != "user" else []
    items = tuple(mine) or known.shown
    if len(mine) == 1 and known.nearness.meant(said, mine, LEAST_HINT) is not None:
        return mine
    each = [_one_meant(part, known.nearness, items, (part,)) for part in parts_of(cue.body)]
    if len(each) > 1 and all(each):
        return list({item.id: item for item in each if item is not None}.values())
    one = _one_meant(cue.body, known.nearness, items, said)
    if one is None and _SEVERAL.search(cue.clause):
        return known.nearness.group(said, items, LEAST_FORGOTTEN, partial(_naming, cue.body))
    return [one] if one is not None else []


def _one_meant(name: str, nearness: Nearness, items: tuple[Shown, ...], texts: tuple[str, ...]) -> Shown | None:
    return nearness.meant(texts, items, LEAST_FORGOTTEN, partial(_naming, name), on_the_whole=True)


_BY_NAME = 0.3
"""What a full naming by words counts beside nearness by meaning."""


def _naming(name: str, item: Shown) -> float:
    return _BY_NAME * share_named(name, item)
