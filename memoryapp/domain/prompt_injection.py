"""Text that tries to command the agent through its memory. The effect is quarantine: kept apart, shown, never injected.

Detection is a second net. The first is the provenance rule: only what the user typed may become an instruction.
So these patterns aim at attacks (override, leak, exfiltration, claimed rights, covert rules), and leave ordinary
always/never preferences alone.
"""

from __future__ import annotations

import re

from memoryapp.domain.classifier import classifier, words_in
from memoryapp.domain.injection_attacks import ATTACKS, Attack
from memoryapp.domain.lookalikes import fold_lookalikes
from memoryapp.domain.messages import holds_any
from memoryapp.domain.types import Effect

_BY_STEM: dict[str, list[int]] = {}
_BY_INITIAL: dict[str, list[tuple[str, int]]] = {}
for _index, _each in enumerate(ATTACKS):
    for _stem in _each.stems:
        _BY_STEM.setdefault(_stem, []).append(_index)
    for _mark in _each.marks:
        _BY_INITIAL.setdefault(_mark[0], []).append((_mark, _index))
_ASCII_INITIALS = frozenset(filter(str.isascii, _BY_INITIAL))
_RULE_HIDDEN = "prompt_injection.hidden_text"
_RULE_ENCODED = "prompt_injection.encoded"
_RULE_LIKELY = "prompt_injection.likely"
"""No pattern fits, but the whole text is worded as attacks are (`memoryapp.domain.classifier`)."""
RULES: dict[str, Effect] = dict.fromkeys(
    [*(attack.rule for attack in ATTACKS), _RULE_HIDDEN, _RULE_ENCODED, _RULE_LIKELY], Effect.QUARANTINE
)
_OVERRIDING = re.compile("[\u202d\u202e]|(?<!\U0001f3f4)[\U000e0020-\U000e007e]{4,}|[\U000e0100-\U000e01ef]{4,}")
_MAYBE_OVERRIDING = re.compile("[\u202d\u202e\U000e0020-\U000e007e\U000e0100-\U000e01ef]")
_SPREAD = re.compile(r" [一-鿿] [一-鿿] [一-鿿]|[ .*_-][a-z][ .*_-][a-z][ .*_-][a-z](?![a-z])")
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


def find_injection(text: str, decoded: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the names of the attack rules that fit a cleaned text, without repeats.

    `decoded` are the texts found in base64 inside it.
    """
    folded = fold_lookalikes(text)
    rules = _attacks(folded)
    if _SPREAD.search(folded):
        rules += _attacks(_closed_up(folded))
    if any(_attacks(fold_lookalikes(each)) for each in decoded):
        rules.append(_RULE_ENCODED)
    if not rules and classifier("injection").accepts(folded) and not _ABOUTATTACKS.search(folded):
        rules.append(_RULE_LIKELY)
    return tuple(dict.fromkeys(rules))


def _closed_up(folded: str) -> str:
    """Letters that were set apart (忽 略, i g n o r e) put together; two blanks between Latin ones end a word."""
    return _BETWEEN_LETTERS.sub("", folded)


def hides_text(raw: str) -> tuple[str, ...]:
    """The rule of hidden text when raw text, before cleaning, holds bidi overrides or smuggled characters."""
    if raw.isascii() or not _MAYBE_OVERRIDING.search(raw):
        return ()
    return (_RULE_HIDDEN,) if _OVERRIDING.search(raw) else ()


def _attacks(folded: str) -> list[str]:
    spaced = folded.replace("\n", " ")
    found = [(attack, match) for attack in _candidates(folded) if (match := _search(attack, folded, spaced))]
    if not found or not _ABOUTATTACKS.search(folded):
        return [attack.rule for attack, _ in found]
    unquoted = _QUOTED.sub(" ", folded)
    return [attack.rule for attack, _ in found if not attack.mentionable or attack.pattern.search(unquoted)]


def _candidates(folded: str) -> list[Attack]:
    """The attacks of which a word or mark stands in the text, in their order: one look-up instead of forty searches."""
    ascii_only = folded.isascii()
    stems = _BY_STEM.keys() & {word[:4] for word in set(words_in(folded))}
    wanted = {index for stem in stems for index in _BY_STEM[stem]}
    for character in _ASCII_INITIALS if ascii_only else _BY_INITIAL.keys() & set(folded):
        wanted.update(index for mark, index in _BY_INITIAL[character] if mark in folded)
    return [ATTACKS[index] for index in sorted(wanted)]


def _search(attack: Attack, folded: str, spaced: str) -> re.Match[str] | None:
    if not holds_any(folded, attack.needs):
        return None
    return _first(attack, folded) or (_first(attack, spaced) if spaced != folded else None)


def _first(attack: Attack, text: str) -> re.Match[str] | None:
    """The first match that no negation stands before: "never bypass the guardrails" is a good rule."""
    for match in attack.pattern.finditer(text):
        if attack.rule not in _NEGATABLE or not _NEGATION.search(text, max(0, match.start() - 12), match.start()):
            return match
    return None
