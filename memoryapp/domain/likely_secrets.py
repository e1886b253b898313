"""Secrets that no rule knows: a value in the make of one, and words around it that speak of what it opens.

Every value that `value_shapes` finds near a word of the subject is shown to the classifier "credential", which sees
the sentence with the values taken out and their shapes in their place: what is learnt is how people give a secret
away, not which.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from memoryapp.domain.classifier import classifier
from memoryapp.domain.secret_phrases import phrases
from memoryapp.domain.types import Effect, Finding
from memoryapp.domain.value_features import OTHER_VALUE, VALUE
from memoryapp.domain.value_shapes import Candidate, Shape, candidates

LIKELY_RULE = "secret.credential"
_SUBJECT_WORDS = (
    "pass pwd psw pw pin puk otp totp code key token secret credential cred login log-in logon signin unlock lock safe vault door gate "
    "alarm garage keypad combo combination pattern wifi wi-fi wlan network hotspot router ssid admin root vpn ssh phrase authenticator "
    "2fa mfa sms verification security answer maiden open arm account license licence serial activat redeem voucher gift "
    "keepass 1password bitwarden lastpass wallet recovery backup mima kouling yzm passwort kennwort contrase senha wachtwoord пароль パスワード 暗証 비밀번호 "
    "密 码 口令 暗号 暗语 钥 锁 令牌 凭 登录 登陆 登入 无线 热点 上网 网络 账号 账户 帐号 验证 授权 兑换 激活 保险 解 门 支付 网银 答案 九宫格 手势 图案 助记 u盾 后台 取件 提货 撤防 报警 警报 连 输 按 填 拨 提示问题 安全问题 密保 回答 家长 四位 六位 打开 press punch dial enter p/w sesame word 🔑 🔐 🔒 🔓 🗝"
)
SUBJECTS = frozenset(
    {
        *_SUBJECT_WORDS.split(),
        "log in",
        "sign in",
        "get in",
        "gets in",
        "gets you in",
        "let you in",
        "lets you in",
        "mot de passe",
    }
)
"""Words in whose neighbourhood a value is looked at."""
_LONG_TEXT, _FEWEST = 400, 4
_OF_CODE = str.maketrans("", "", '(){}[]<>;"\\|^$=`')
_MOST_OF_CODE, _CODE, _CODE_SHORT = 5, 0.04, 0.2
"""Signs of code in a sentence, and their share of a long and of a short text: with more it is none, and rules alone look at it."""
_CAUTION = {
    Shape.PHRASE: 0.7,
}
"""How much surer the classifier must be of a shape that talk about secrets has as well."""
_PUBLIC_BLOCK = ("begin public key", "begin certificate", "begin pgp public", "begin ssh2 public")
_SAID_TO_BE_ELSE = re.compile(
    r"(?:public key|fingerprint|sha-?\d*|md5|checksum|digest|hash|commit|build|order|tracking|parcel|model|sku|isbn|flight|train|bus|room|ticket|invoice|post ?code|zip code|pin ?code for [a-z ]{2,24}|area code|error(?: code)?|exit code"
    r"|status(?: code)?|stop code|user ?names?|handle|gamertag|alias|ssid|(?:network|account|group|wifi) name|nickname|version|release|chapter|page|extension|ext\.?|line|course|module|part|article|membership|reference"
    r"|公钥|指纹|校验和?|摘要|哈希|提交|订单|快递|单号|运单|型号|货号|书号|航班|车次|工单|发票|邮编|邮政编码|区号|用户名|账号名|昵称|网名|微信号?|游戏id|学号|工号|编号|版本|门牌|车牌|尾号|错误码|故障码|状态码|退出码|汇率|分机|课号|股票|基金|会员号|(?:网络|无线|热点|wifi|群)(?:名字?|名称))"
    r"[ \t]?(?:number|no\.?|id|号码?|代码)?[ \t]?(?:office(?: address)?)?[ \t]?(?:is|was|are|called|named|:|：|#|=|是|为|叫|的|对上了)?[：:]?[ \t]?[\"'“「`]?$"
)

"""What a value is called that opens nothing, right before it."""
_BEFORE, _AFTER, _SHORT_SENTENCE = 100, 60, 16
_LONG_SENTENCE, _SHORT_CLAUSE = 40, 12
_COMMA = re.compile(r"[，、]|,(?=\s)|\s(?:and|but|so|then|because)\s|(?<=[㐀-鿿])(?:然后|但是?|所以|而且)")
_BOUND = re.compile(r"[。！？!?；;\n]|\.(?=\s)")


def likely_secrets(text: str, lower: str, hints: frozenset[str]) -> Iterator[Finding]:
    """A finding for each value of which the text around it says that it opens something.

    `lower` is the text in lower case, of the same length, `hints` are the literals that stand in it.
    """
    judge = classifier("credential")
    for candidate, window in windows(text, lower, hints):
        least = judge.threshold + _CAUTION.get(candidate.shape, 0.0)
        if any((judge.score(said) or least - 1) >= least for said in _as_said(window)):
            yield Finding(LIKELY_RULE, Effect.MASK, candidate.start, candidate.end)


def _as_said(window: str) -> Iterator[str]:
    """A sentence, and what it asks to keep without the asking: a request makes a secret no less one."""
    asked = _ASKING.match(window)
    for said in (window, window[asked.end() :]) if asked else (window,):
        if len(said) > _FEWEST:
            yield said


_ASKING = re.compile(
    r"\W*(?:(?:please|pls|hey|ok(?:ay)?|so|and|also|btw|by the way|can you|could you|just|for the record)\W+)*"
    r"(?:remember|note|keep in mind|save|store|don'?t forget|memori[sz]e)(?: down)?(?: that| this)?\b[\s:,]*"
    r"|\W*(?:请|麻烦|帮我|你)*(?:记住|记一下|记下来?|记着|别忘了?|存一下)[\s:：,，]*",
)


def windows(text: str, lower: str, hints: frozenset[str]) -> list[tuple[Candidate, str]]:
    """Each value near a word of the subject, with the lower-case sentence around it as the classifier is shown it."""
    subjects = SUBJECTS & hints
    everywhere = len(lower) <= _LONG_TEXT
    if (not everywhere and not subjects) or _signs_of_code(lower) > (_CODE_SHORT if everywhere else _CODE) * len(lower):
        return []
    if any(block in lower for block in _PUBLIC_BLOCK):
        return []
    found = _all_values(text, lower, subjects)
    near = [
        (each, place)
        for place, each in enumerate(found)
        if not _SAID_TO_BE_ELSE.search(lower, max(0, each.start - 40), each.start)
        and ((everywhere and each.is_telling(text)) or _is_near(lower, each, subjects))
    ]
    shown = [(each, _window(lower, found, place)) for each, place in near]
    return [(each, window) for each, window in shown if _is_prose(window)]


def _is_prose(window: str) -> bool:
    return _signs_of_code(window) <= _MOST_OF_CODE


def _signs_of_code(text: str) -> int:
    return len(text) - len(text.translate(_OF_CODE))


def _all_values(text: str, lower: str, subjects: frozenset[str]) -> list[Candidate]:
    """Values by their make and, behind a label, phrases that hold none of those."""
    made = list(candidates(text))
    ends = [each.end for each in made]
    apart = [each for each in (phrases(lower) if subjects else ()) if _is_free(each, made, ends)]
    return sorted([*made, *apart], key=lambda each: each.start) if apart else made


def _is_free(phrase: Candidate, made: list[Candidate], ends: list[int]) -> bool:
    """Whether none of the values, of which the ends are given, stands in the phrase."""
    first = bisect_right(ends, phrase.start)
    return first == len(made) or made[first].start >= phrase.end


def _is_near(lower: str, value: Candidate, subjects: frozenset[str]) -> bool:
    around = lower[max(0, value.start - _BEFORE) : value.end + _AFTER]
    return any(word in around for word in subjects)


def _window(lower: str, found: list[Candidate], place: int) -> str:
    """The sentence of a value, and the one before it where that is short; its values are shapes."""
    value = found[place]
    start, end = _bounds(lower, value)
    before = [each for each in found[max(0, place - 12) : place] if each.start >= start]
    after = [each for each in found[place + 1 : place + 6] if each.end <= end]
    pieces: list[str] = []
    position = start
    for each in (*before, value, *after):
        pieces += [lower[position : each.start], VALUE if each is value else OTHER_VALUE, each.shape]
        position = each.end
    return "".join([*pieces, lower[position:end]])


def _bounds(lower: str, value: Candidate) -> tuple[int, int]:
    first = max(0, value.start - _BEFORE)
    stop = _BOUND.search(lower, value.end, value.end + _AFTER)
    end = stop.start() if stop else min(len(lower), value.end + _AFTER)
    starts = [first, *(bound.end() for bound in _BOUND.finditer(lower, first, value.start))]
    start = starts[-1]
    for earlier in reversed(starts[:-1]):
        if (value.start - start) + (end - value.end) >= _SHORT_SENTENCE:
            break
        start = earlier
    return _of_clause(lower, value, start, end)


def _of_clause(lower: str, value: Candidate, start: int, end: int) -> tuple[int, int]:
    """Of a longer sentence the clause of the value, and the one before it where that is short."""
    if end - start <= _LONG_SENTENCE:
        return start, end
    for comma in _COMMA.finditer(lower, start, max(start, value.start - _SHORT_CLAUSE)):
        start = comma.end()
    last = _COMMA.search(lower, min(end, value.end + _SHORT_CLAUSE), end)
    return start, last.start() if last else end
