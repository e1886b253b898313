"""The guard at both doors: what a text may not carry into memory, and what happens to it.

It runs on what people wrote before anything is stored, queued or logged, and again on what the judge wrote.
Rules are named "class.rule". A tenant's policy may change the effect of a rule or class, except for secrets:
a sentence whose point is the secret is cut, a secret beside a durable fact is masked, and no policy lets it through.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from memoryapp.domain import credentials, machine_dumps, noise, pii, prompt_injection
from memoryapp.domain.credentials import redact
from memoryapp.domain.literals import Literals
from memoryapp.domain.messages import Folded, clean_text
from memoryapp.domain.policy import Policy
from memoryapp.domain.provenance import UNTRUSTED_SOURCE, untrusted_reasons
from memoryapp.domain.reading import Reading, read
from memoryapp.domain.types import Effect, Finding, Role, Sensitivity, Verdict

__all__ = ["GUARD_RULES", "holds_secret", "inspect", "inspect_item", "redact"]

TOO_SHORT, TOO_LONG = "length.too_short", "length.too_long"
GUARD_RULES: Mapping[str, Effect] = {
    **credentials.RULES,
    **pii.RULES,
    **machine_dumps.RULES,
    **prompt_injection.RULES,
    **noise.RULES,
    UNTRUSTED_SOURCE: Effect.QUARANTINE,
    TOO_SHORT: Effect.REFUSE,
    TOO_LONG: Effect.REFUSE,
}
_LITERALS = Literals((*credentials.LITERALS.needles, *prompt_injection.LITERALS.needles))

# Masks stand in the text between two private-use characters until the sentences have been judged.
_OPEN, _CLOSE = "\ue000", "\ue001"
_MASK = re.compile(f"{_OPEN}([a-z_]{{1,40}}){_CLOSE}")
_SENTENCE = re.compile(
    r"[^。！？!?\n；;.]+(?:[.](?=\S)[^。！？!?\n；;.]*|[。！？!?；;.](?=[。！？!?；;.]))*[。！？!?；;.\n]*"
)
_CLAUSE = re.compile(r"[，,；;、]|\s(?:and|but|so|then)\s|并且|而且|但是?|然后")
_ABOUT_THE_SECRET = re.compile(
    r"(?:[a-z]{1,12}:)?[a-z][a-z0-9+.-]{1,20}://\S+|[\w.-]{1,60}=\S*|生产|测试|正式|线上|环境|服务器|数据库|银行|邮箱|路由器|后台|管理员"
    r"|部署用?的?|腾讯云|阿里云|登录|登陆|之后|拿到|账[号户]|帐号|用户名?"
    r"|(?:省得|免得|以免|万一|怕)[^，,。！!？?]{0,8}?(?:找不[着到]|[又再]?找(?:半天|来找去)|忘\w?|记不住|丢了?)|我?(?:老是?|总是?|经常|每次都?)(?:忘|记不住|记不清|输错)"
    r"|短信里?|收到|动态码?|校验码|门禁|公司|单位|家里|赶紧|马上|填[上写]?|输入?|发给?我?"
    r"|密码|口令|密钥|令牌|私钥|验证码|提取码|助记词|凭证|主?号码?|去掉空格"
    r"|别弄?丢了?|别忘了?|请?记住|记一下|记下来?|帮我|帮忙|快点?|保存好?|保密|收好|填表|请?勿告诉他人|不要告诉(?:别|他)人|分钟内有效|我的?|你的?|这个|这是|新的?|改成|换成|是|为|的|了|吧|库"
    r"|\b(?:please|keep|it|in|mind|remember|that|my|your|our|the|a|an|is|are|was|this|these|for|to|on|at|of|with"
    r"|and|here|key|keys|token|tokens|password|passwords|passwd|passphrase|secret|secrets|api|bot|slack|github"
    r"|aws|stripe|openai|claude|wallet|seed|phrase|recovery"
    r"|login|log|account|admin|root|user|username|code|pin|otp|totp|bank|wifi|db|database|server|prod|production"
    r"|staging|test|run|release|use|using|export|set|curl|git|clone|authorization|bearer|header|cookie|config"
    r"|one|time|they|he|she|just|texted|sent|got|received|enter|type|fill|paste|put|combo|combination|lock|locker|gym|door|gate"
    r"|alarm|garage|safe|vpn|sms|text|phone|screen|unlock|office|home|house|work|laptop|router|network|guest|card"
    r"|always|keeps?|forgetting|lose|losing|case|again|later|handy|somewhere|before|since|if|ever"
    r"|machine|vault|maps|forget|don't|do|not|save|store|note|me|i|fyi|so|you|can|will|need)\b",
    re.IGNORECASE,
)
_FACT_BESIDE, _FACT_AROUND, _FACT_ALONE = 6, 8, 4
_CHINESE = re.compile(r"[㐀-鿿]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")
_SHORTEST_CHINESE = 2


@dataclass(slots=True)
class _Outcome:
    """What has been found so far, by effect."""

    text: str
    refusal: str | None = None
    flags: list[str] = field(default_factory=list)
    masked: list[str] = field(default_factory=list)
    confirm: list[str] = field(default_factory=list)
    quarantine: list[str] = field(default_factory=list)
    sensitivity: Sensitivity = Sensitivity.NORMAL

    def verdict(self) -> Verdict:
        """Freeze it; rule names stand once each, in the order found."""
        lists = (self.flags, self.masked, self.confirm, self.quarantine)
        flags, masked, confirm, quarantine = (tuple(dict.fromkeys(names)) for names in lists)
        return Verdict(self.text, self.refusal, flags, masked, confirm, quarantine, self.sensitivity, len(self.masked))


def inspect(text: str, policy: Policy, role: Role = Role.USER) -> Verdict:
    """Judge a whole message (or the content of an item) without its length.

    `refusal` is set when nothing of the text may be kept; sentences that only carry a secret or a restricted number
    are replaced by their class. Offsets and masks refer to the cleaned text, which is what the verdict holds.
    """
    cleaned = clean_text(text)
    outcome, reading = _Outcome(cleaned), read(cleaned, _LITERALS)
    encoded = tuple(credentials.decoded_texts(cleaned, reading.signs))
    attacks = prompt_injection.hides_text(text) + prompt_injection.find_injection(reading, encoded)
    _quarantine(outcome, (*untrusted_reasons(cleaned, role), *attacks), policy)
    _cut_secrets(outcome, reading)
    if outcome.refusal is None:
        _cut_dump(outcome, policy)
    if outcome.refusal is None:
        _weigh_personal(outcome, policy, reading.plain if outcome.text == cleaned else None)
    if outcome.refusal is None:
        _weigh_noise(outcome, policy)
    outcome.text = _shown(outcome.text)
    return outcome.verdict()


def inspect_item(text: str, policy: Policy) -> Verdict:
    """Judge the content of an item: as `inspect`, whether it is small talk, and its length against the policy.

    A Chinese fact may be two characters long ("吃素"); other text needs `min_length`.
    """
    verdict = inspect(text, policy)
    if verdict.refusal is not None:
        return verdict
    shortest = min(_SHORTEST_CHINESE, policy.min_length) if _CHINESE.search(verdict.text) else policy.min_length
    if len(verdict.text) < shortest:
        return _with_length_rule(verdict, TOO_SHORT, policy)
    if len(verdict.text) > policy.max_length:
        return _with_length_rule(verdict, TOO_LONG, policy)
    rule = noise.find_small_talk(verdict.text)
    return _with_rule(verdict, rule, policy) if rule else verdict


def holds_secret(text: str) -> bool:
    """Whether any secret stands in the text."""
    return bool(credentials.find_secrets(clean_text(text)))


def effect_of(rule: str, policy: Policy) -> Effect:
    """The effect of a rule under a policy: by its name, else by its class, else the default.

    Secrets and the provenance rule cannot be overridden.
    """
    default = GUARD_RULES[rule]
    if rule.startswith("secret.") or rule == UNTRUSTED_SOURCE:
        return default
    effects = policy.guard_effects
    return effects.get(rule, effects.get(rule.partition(".")[0], default))


def _with_length_rule(verdict: Verdict, rule: str, policy: Policy) -> Verdict:
    if effect_of(rule, policy) is Effect.FLAG:
        return replace(verdict, flags=(*verdict.flags, rule))
    return replace(verdict, refusal=rule.partition(".")[2])


def _with_rule(verdict: Verdict, rule: str, policy: Policy) -> Verdict:
    """The verdict with one rule more."""
    match effect_of(rule, policy):
        case Effect.FLAG:
            return replace(verdict, flags=(*verdict.flags, rule))
        case Effect.CONFIRM:
            return replace(verdict, confirm=(*verdict.confirm, rule))
        case Effect.QUARANTINE:
            return replace(verdict, quarantine=(*verdict.quarantine, rule))
        case _:
            return replace(verdict, refusal=rule)


def _quarantine(outcome: _Outcome, rules: tuple[str, ...], policy: Policy) -> None:
    for rule in rules:
        _apply(outcome, rule, policy)


def _apply(outcome: _Outcome, rule: str, policy: Policy) -> None:
    match effect_of(rule, policy):
        case Effect.QUARANTINE:
            outcome.quarantine.append(rule)
        case Effect.FLAG:
            outcome.flags.append(rule)
        case Effect.CONFIRM:
            outcome.confirm.append(rule)
        case Effect.REFUSE | Effect.MASK:
            outcome.refusal = outcome.refusal or rule


def _cut_secrets(outcome: _Outcome, reading: Reading) -> None:
    findings = _secrets(outcome.text, reading)
    if not findings:
        return
    outcome.text, kept = _without_pointless_sentences(_masked(outcome.text, findings))
    outcome.sensitivity = Sensitivity.CONFIDENTIAL
    outcome.masked += [finding.rule for finding in findings]
    if not kept:
        outcome.refusal = findings[0].rule


def _secrets(text: str, reading: Reading) -> tuple[Finding, ...]:
    """What machines put out is not worded as people word a secret: of a dump the rules alone judge."""
    findings = credentials.find_given_away(text, reading)
    if any(each.rule == credentials.LIKELY_RULE for each in findings):
        dump = machine_dumps.find_dump(text)
        if dump is not None and not dump.rest:
            return credentials.find_secrets(text, reading)
    return findings


def _masked(text: str, findings: tuple[Finding, ...]) -> str:
    pieces: list[str] = []
    position = 0
    for finding in findings:
        label = finding.rule.partition(".")[2]
        pieces += [text[position : finding.start], f"{_OPEN}{label}{_CLOSE}"]
        position = finding.end
    return "".join([*pieces, text[position:]])


def _without_pointless_sentences(masked: str) -> tuple[str, bool]:
    """Reduce each sentence that is only about its secret to the mask. Also: whether anything worth keeping is left."""
    pieces: list[str] = []
    kept = False
    for sentence in _SENTENCE.findall(masked) or [masked]:
        masks = _MASK.findall(sentence)
        says_something = _substance(sentence, masked=bool(masks))
        kept = kept or says_something
        pieces.append(sentence if says_something or not masks else _only_masks(masks, sentence))
    return "".join(pieces).strip(), kept


def _only_masks(masks: list[str], sentence: str) -> str:
    return " ".join(f"{_OPEN}{mask}{_CLOSE}" for mask in masks) + ("\n" if sentence.endswith("\n") else " ")


def _substance(sentence: str, *, masked: bool) -> bool:
    """Whether a sentence says something durable beside its secret, counted in characters of Chinese and in words."""
    clauses = _CLAUSE.split(sentence)
    free = " ".join(clause for clause in clauses if not _MASK.search(clause))
    around = " ".join(clauses)
    return (
        _weight(free) >= _FACT_BESIDE
        or (masked and _weight(around) >= _FACT_AROUND)
        or (not masked and _weight(around) >= _FACT_ALONE)
    )


def _weight(text: str) -> int:
    said = _ABOUT_THE_SECRET.sub(" ", _MASK.sub(" ", text))
    return len(_CHINESE.findall(said)) + 2 * len(_LATIN_WORD.findall(said))


def _shown(text: str) -> str:
    return text.replace(_OPEN, "[").replace(_CLOSE, "]")


def _cut_dump(outcome: _Outcome, policy: Policy) -> None:
    dump = machine_dumps.find_dump(outcome.text)
    if dump is None:
        return
    if dump.rest and effect_of(dump.rule, policy) is Effect.REFUSE:
        outcome.text = dump.rest
        outcome.masked.append(dump.rule)
        return
    _apply(outcome, dump.rule, policy)


def _weigh_personal(outcome: _Outcome, policy: Policy, plain: Folded | None) -> None:
    findings = pii.find_personal(outcome.text, plain)
    restricted = tuple(each for each in findings if _is_refused(each.rule, policy))
    if restricted:
        _cut_restricted(outcome, restricted)
    elif findings:
        outcome.sensitivity = _greater(outcome.sensitivity, Sensitivity.PERSONAL)
    cut = frozenset(restricted)
    for finding in findings:
        if finding not in cut and policy.personal_numbers == "confirm":
            _apply(outcome, finding.rule, policy)


def _is_refused(rule: str, policy: Policy) -> bool:
    return rule in pii.RESTRICTED or policy.personal_numbers == "refuse"


def _cut_restricted(outcome: _Outcome, findings: tuple[Finding, ...]) -> None:
    """Cut the sentences that hold restricted numbers, whole; refuse when no other sentence says anything."""
    outcome.sensitivity = Sensitivity.RESTRICTED
    masked = _masked(outcome.text, findings)
    sentences = _SENTENCE.findall(masked) or [masked]
    kept = any(_weight(each) >= _FACT_BESIDE for each in sentences if not _MASK.search(each))
    outcome.text = "".join(
        _only_masks(_MASK.findall(each), each) if _MASK.search(each) else each for each in sentences
    ).strip()
    outcome.masked += [finding.rule for finding in findings]
    if not kept:
        outcome.refusal = findings[0].rule


def _greater(first: Sensitivity, second: Sensitivity) -> Sensitivity:
    order = list(Sensitivity)
    return max(first, second, key=order.index)


def _weigh_noise(outcome: _Outcome, policy: Policy) -> None:
    rule = noise.find_noise(outcome.text)
    if rule is not None:
        _apply(outcome, rule, policy)
