"""Text that tries to command the agent through its memory. The effect is quarantine: kept apart, shown, never injected.

Detection is a second net. The first is the provenance rule: only what the user typed may become an instruction.
So these patterns aim at attacks (override, leak, exfiltration, claimed rights, covert rules), and leave ordinary
always/never preferences alone.
"""

from __future__ import annotations

import re
from itertools import chain

from memoryapp.domain import injection_schemes
from memoryapp.domain.classifier import classifier
from memoryapp.domain.injection_attacks import ATTACKS as FIRST_ATTACKS
from memoryapp.domain.injection_attacks import Attack, Need
from memoryapp.domain.injection_schemes import SCHEMES
from memoryapp.domain.injection_wordings import WORDINGS
from memoryapp.domain.literals import Literals
from memoryapp.domain.lookalikes import unmasked, without_leet
from memoryapp.domain.reading import Reading, read
from memoryapp.domain.shapes import letters_of
from memoryapp.domain.types import Effect

ATTACKS = (*FIRST_ATTACKS, *WORDINGS)
LITERALS = Literals(
    chain(injection_schemes.literals(), (each for attack in ATTACKS for need in attack.needs for each in need.literals))
)


def _by_literal(firsts: list[Need]) -> tuple[dict[str, list[int]], frozenset[int]]:
    """Which of the things with these first needs a literal calls for, and those that are to be tried in any case."""
    places: dict[str, list[int]] = {}
    for index, need in enumerate(firsts):
        for literal in need.literals:
            places.setdefault(literal, []).append(index)
    return places, frozenset(index for index, need in enumerate(firsts) if need.short)


_ATTACKS_BY, _ATTACKS_ALWAYS = _by_literal([attack.needs[0] for attack in ATTACKS])
_SCHEMES_BY, _SCHEMES_ALWAYS = _by_literal([scheme.signs[0].needs[0] for scheme in SCHEMES])
_RULE_HIDDEN = "prompt_injection.hidden_text"
_RULE_ENCODED = "prompt_injection.encoded"
_RULE_LIKELY = "prompt_injection.likely"
"""No pattern fits, but the whole text is worded as attacks are (`memoryapp.domain.classifier`)."""
RULES: dict[str, Effect] = dict.fromkeys(
    [*(attack.rule for attack in ATTACKS), _RULE_HIDDEN, _RULE_ENCODED, _RULE_LIKELY], Effect.QUARANTINE
)
_LONG_TEXT, _HINTS_OF_A_LONG_ONE = 400, 8
_OVERRIDING = re.compile("[\u202d\u202e]|(?<!\U0001f3f4)[\U000e0020-\U000e007e]{4,}|[\U000e0100-\U000e01ef]{4,}")
_MAYBE_OVERRIDING = re.compile("[\u202d\u202e\U000e0020-\U000e007e\U000e0100-\U000e01ef]")
_SPREAD = re.compile(r" [一-鿿] [一-鿿] [一-鿿]|[ .*_-][a-z][ .*_-][a-z][ .*_-][a-z](?![a-z])")
_MAYBE_SPREAD = (b" a a a", b" h h h")
_LEET_INSIDE = b"ala"
_BETWEEN_LETTERS = re.compile(r"(?<=[一-鿿]) (?=[一-鿿])|(?<=(?<![a-z])[a-z])[ .*_-](?=[a-z](?![a-z]))")
_QUOTED = re.compile(r"[\"“「『`][^\"”」』`\n]{0,300}[\"”」』`]")
_ABOUTATTACKS = re.compile(
    r"提示注入|注入攻击|越狱攻击|攻击(?:样本|手法|方式|示例|语句|短语|者)|这类攻击|论文|研究|测试用例|红队|检测规则|拦截|prompt injection|injection attack"
    r"|attack(?:s|er)? (?:phrase|string|prompt|pattern)"
    r"|paper|research|red[- ]team|jailbreak (?:prompt|attempt|detection)|phrases? (?:like|such as)|detect|classif"
    r"|block(?:s|ed)? (?:phrases|text|prompts)"
)
_NEGATABLE = frozenset({"prompt_injection.override", "prompt_injection.guard_off"})
_NEGATION = re.compile(r"(?:never|not|n't|cannot|不要|别|不得|禁止|不能|不许|不可|严禁) ?$")


def find_injection(reading: Reading, decoded: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the names of the attack rules that fit a text, without repeats.

    `decoded` are the texts found in base64 inside it.
    """
    folded = unmasked(reading.lower)
    rules = _attacks(folded, reading.hints if folded == reading.lower else LITERALS.within(folded))
    letters = letters_of(folded)
    if any(each in letters for each in _MAYBE_SPREAD) and _SPREAD.search(folded):
        rules += _of_other(_closed_up(folded))
    if _LEET_INSIDE in letters_of(reading.lower) and (plain := without_leet(reading.lower)) != reading.lower:
        rules += _of_other(plain)
    if any(_of_other(unmasked(read(each, LITERALS).lower)) for each in decoded):
        rules.append(_RULE_ENCODED)
    if not rules and _may_resemble(folded, reading.hints) and not _ABOUTATTACKS.search(folded):
        rules.append(_RULE_LIKELY)
    return tuple(dict.fromkeys(rules))


def _of_other(folded: str) -> list[str]:
    return _attacks(folded, LITERALS.within(folded))


def _may_resemble(folded: str, hints: frozenset[str]) -> bool:
    """Whether a text is worded as attacks are. A long one is only looked at where several words of attacks stand."""
    short = len(folded) <= _LONG_TEXT
    return (short or len(hints) >= _HINTS_OF_A_LONG_ONE) and classifier("injection").accepts(folded)


def _closed_up(folded: str) -> str:
    """Letters that were set apart (忽 略, i g n o r e) put together; two blanks between Latin ones end a word."""
    return _BETWEEN_LETTERS.sub("", folded)


def hides_text(raw: str) -> tuple[str, ...]:
    """The rule of hidden text when raw text, before cleaning, holds bidi overrides or smuggled characters."""
    if raw.isascii() or not _MAYBE_OVERRIDING.search(raw):
        return ()
    return (_RULE_HIDDEN,) if _OVERRIDING.search(raw) else ()


def _attacks(folded: str, present: frozenset[str]) -> list[str]:
    spaced = folded.replace("\n", " ")
    wanted = (ATTACKS[each] for each in _wanted(present, _ATTACKS_BY, _ATTACKS_ALWAYS))
    candidates = [attack for attack in wanted if all(need.is_met(folded, present) for need in attack.needs)]
    found = [attack for attack in candidates if _search(attack, folded, spaced)]
    tried = (SCHEMES[each] for each in _wanted(present, _SCHEMES_BY, _SCHEMES_ALWAYS))
    schemes = [scheme for scheme in tried if scheme.fits(spaced, present)]
    if not (found or schemes) or not _ABOUTATTACKS.search(folded):
        return [*(attack.rule for attack in found), *(scheme.rule for scheme in schemes)]
    unquoted = _QUOTED.sub(" ", folded)
    rules = [attack.rule for attack in found if not attack.mentionable or attack.pattern.search(unquoted)]
    return rules + [scheme.rule for scheme in schemes if scheme.fits(unquoted.replace("\n", " "), present)]


def _wanted(present: frozenset[str], by_literal: dict[str, list[int]], always: frozenset[int]) -> list[int]:
    return sorted(always.union(*(by_literal.get(literal, ()) for literal in present)))


def _search(attack: Attack, folded: str, spaced: str) -> bool:
    return (attack.by_line and _fits(attack, folded)) or _fits(attack, spaced)


def _fits(attack: Attack, text: str) -> bool:
    """Whether it matches where no negation stands before: "never bypass the guardrails" is a good rule."""
    return any(
        attack.rule not in _NEGATABLE or not _NEGATION.search(text, max(0, match.start() - 12), match.start())
        for match in attack.pattern.finditer(text)
    )
