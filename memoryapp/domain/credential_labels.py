"""Secrets that a label gives away: "密码是 …", "password: …", "api_key=…", "验证码 …", "… is my PIN".

A label alone is talk about secrets and passes. What follows it is a secret only when it looks like a value: not a
placeholder, an algorithm, a name of a variable or an ordinary word inside a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoryapp.domain.literals import places
from memoryapp.domain.messages import holds_any
from memoryapp.domain.spoken_secrets import CHINESE_PHRASE, CODE_AFTER, CODE_LIST, SPOKEN, lock_codes
from memoryapp.domain.types import Effect, Finding
from memoryapp.domain.value_forms import ALGORITHM, EXPRESSION, PLACEHOLDER, QUANTITY, is_base64, looks_random

LABEL_RULES = ("secret.password", "secret.api_key", "secret.one_time_code")

_HINT_WORDS = "safe door gate alarm lock garage keypad 锁 luggage suitcase arm 键盘 保险 背面 答案 answer pass pwd pin otp key secret token code cvv cvc credential login admin root mm mima psd combin combo log-in cred psk w0rd assw auth 密 口令 令牌 钥 鑰 码 碼 凭 暗号 psw pw wifi wi-fi"
_DISGUISES = frozenset(f"p{a}{s}{z}" for a in "a4@" for s in "s5$" for z in "s5$") | {
    f"p{sign}{a}{sign}" for sign in "._*-" for a in "a4@"
}
"""How a disguised "password" begins."""
HINTS = frozenset(_HINT_WORDS.split()) | _DISGUISES
_AROUND = 16
"""Characters around a hint in which its core word ends."""
_LABEL = re.compile(
    r"(?P<code>(?:host|meeting)[ -]?key|(?:主持人|会议)密钥|锁屏(?=是|[:：])|卡背面(?:的|那|上的?)?(?:三位|3位|三个数)(?:数字?|码)?|登[录陆]码|验证码|驗證碼|校验码|动态码|动态密码|动态口令|提取码|取件码|安全码|恢复码|备用码|门禁码|解锁码|pin ?码|激活码|邀请密令|(?<![a-z])passcodes?(?![a-z])|(?<![a-z])(?:combination|combo)(?= (?:for|to|on|is)\b|[:：])|(?<=your )codes?(?= is | are |:)|cvv2?|cvc2?"
    r"|(?<![a-z])(?:verification|security|one[- ]time|login|log-in|sign-in|auth(?:entication|orization)?|2fa|mfa"
    r"|otp|sms|guard|confirmation"
    r"|door|gate|entrance|building|lobby|pattern|entry|alarm|unlock|recovery|backup|access|safe|lock|pairing|pin|gate|garage|bank|phone|card"
    r"|sim)[ -]{1,2}"
    r"(?:codes?|pins?|passcode)|(?<![a-z])(?:otp|pin|totp)(?![a-z])(?: ?(?:codes?|numbers?))?)"
    r"|(?P<answer>密保(?:问题)?的?答案|安全问题的?答案|(?:security|secret|recovery) (?:question )?answers?)"
    r"|(?P<pair>(?<![a-z])basic auth(?:entication)?(?![a-z])|wi-?fi(?= ?[:：])(?![^\n.]{0,20}\bkey )|(?:账号|帐号|账户|用户名|用户)[和/、及 &]{0,2}密[码碼]|账密|credentials?|creds?(?![a-z])|login details?"
    r"|(?<![a-z])logins?(?![a-z])"
    r"|user(?:name)? ?(?:/|and|&) ?pass(?:word)?)"
    r"|(?P<password>(?<![a-z])(?:wpa[23]?|wi-?fi|network|hotspot)[ _-]?(?:key|psk)|wi-?fi[:= ][^\n.]{0,14}?[, ]key(?=[ :=])|p[._*-]?[a@4][._*-]?[s$5][._*-]?[s$5][._*-]?w[._*-]?[o0][._*-]?r[._*-]?d|pass(?:words?|wd|phrases?)|(?:require|auth|master)pass|masterauth|(?<![a-z])(?:pwd|psw|pass|pw)(?![a-z])|db_?pwd|密[码碼](?:短语)?|口令|暗号)"
    r"|(?P<slang>(?<![a-z0-9])(?:mm|mima|psd|mi ma)(?= ?(?:是|[:：=])))"
    r"|(?P<key>secret[ _-]?access[ _-]?key|(?<![a-z])(?:api|access|secret|encryption|signing|master|ssh"
    r"|licen[cs]e|account|app|service|auth"
    r"|webhook|client|session|shared|deploy|bot|admin|bearer|refresh|id|personal|wifi|private|root|login"
    r"|security)[ _-]?(?:key|secret|token)(?:_base)?"
    r"|apikey|appsecret|[a-z]{1,20}_(?:token|secret|key)(?![a-z])|[a-z]{2,16}secret(?= ?[=:：])|密[钥匙鑰]|秘[钥鑰]|私[钥鑰]|金鑰|令牌|授权码|访问凭证|凭[证据]|auth_?token)"
    r"|(?P<bare>(?<![a-z])(?:token|secret|key|credential)(?![a-z]))"
)
_KEY_OF = (
    r"(?:access|api|secret|encryption|signing|master|ssh|license|licence|account|app|service|auth|webhook|client|session"
    r"|shared|deploy|bot|admin|bearer|refresh|id|personal|wifi|private|root|login|security|network|hotspot|wpa[23]?)"
)
_CORE = re.compile(
    r"creds?(?![a-z])|锁屏|背面|答案|answer|basic auth|w[._*-]?[o0][._*-]?r[._*-]?d(?![a-z])|masterauth|pass(?:word|wd|phrase|code|(?![a-z]))|pwd|psw|pw(?![a-z])|pins?(?![a-z])|t?otp(?![a-z])|(?:(?<![a-z])|"
    + _KEY_OF
    + r")keys?(?![a-z])"
    r"|secret(?![a-z])|token(?![a-z])|(?<![a-z])codes?(?![a-z])|cvv|cvc"
    r"|wi-?fi|mm(?![a-z])|mima|psd|combin|combo|credential|log-?ins?(?![a-z])|密|口令|令牌|钥|鑰|码|碼|凭|暗号"
)
_TAIL = (
    r"(?:[_ -]?id|[_-](?:base|value))?(?:['’](?=s ))?(?:['\"`\]*)]{0,3})(?:\s?[（(][^（）()\n]{0,24}[）)])?"
    r"(?:\s(?:for|of|to|on|at|in|we|i|they|that)\s[^\n:=：]{1,48}?(?=\s(?:is|was|are)\s|\s?[=:：]))?"
    r"[ \t]{0,4}(?:(?:我|你|他|她|们|现在|目前|已经|已|也|还|就|都|统一|默认|记一下|记下来?|记住|发你|初始|临时|暂时|新|被|先|给你|这里|刚才|刚|最新)[ \t]?){0,4}"
)
_OPERATOR = re.compile(
    _TAIL
    + r"(?P<op>:=|=>|->|→|[=＝:：]|就?是?一个(?:英文|英语)?单?词|是[:：]?|为[:：]?|為|係|叫|用的是|就用|设的是?|设置的是?|(?<=[’'])s(?= )|(?:改|设|換|换|重置|设置|修改|更新|变更|更改)(?:成|为|到)了?|(?:is|was|are)(?: now| "
    r"still| just| simply| literally| only| basically|:)?(?= ?[^ a-z]| )"
    r"|used to be [^\n]{1,40}? (?:it['’]s|it is|is)(?: now)?|>(?=[^<>\s]{4,64}</)|(?:has been |was |is )?(?:changed|set|reset|updated) to|to(?= )|[-–—]{1,2}(?= ))[ \t\n]{0,4}(?P<quote>[\"'`“‘「『*]{0,2})"
)
_DIRECT = re.compile(r"(?:['\"`]?)[ \t\u3000]{1,4}(?P<quote>[\"'`“‘「『]?)")
_DIRECT_CHINESE = re.compile(r"[ \t]{0,4}(?P<quote>[\"'`“‘「『]?)(?=[!-~])")
_VALUE = re.compile(r"[!-~]{1,256}")
_CLOSE = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "「": "」", "『": "』"}
_WORDLIKE = re.compile(r"[A-Za-z]{1,24}(?:['’][a-z]{1,3})?(?:[/&+.][A-Za-z]{1,24}){0,6}")
_SNAKE = re.compile(
    r"_{0,2}[a-z]+(?:_[a-z0-9]{1,20})+|[A-Z]{2,}(?:_[A-Z0-9]{1,20})+"
    r"|[a-z]{1,20}(?:[:.][a-z0-9_]{1,20})+"
)
_KEBAB = re.compile(r"[A-Za-z]{1,20}(?:-[A-Za-z]{1,20})+")
_KEYPAD = re.compile(r"\d{4,}[#*]?|\d{1,4}(?:-\d{1,4}){2,4}")
_DATE = re.compile(r"(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2}.*|\d{1,2}:\d\d(?::\d\d)?")
_UNIT_AFTER = re.compile(
    r"\s?(?:位|个|字符|天|次|分钟|秒|小时|条|元|年|月|章|级|层|人|-?(?:char|digit|bit|byte|day|hour|min|sec|time|week|month|year"
    r"|attempt|token|rows?|items?|users?|words?|requests?))"
)
_TALK_WORDS = (
    "a an the not no too very so also now still only just never always being been required optional needed wrong "
    "right correct incorrect "
    "invalid valid missing empty secure safe strong weak good bad fine same different new old long short here "
    "there where what which "
    "about for from with without and or but if when because in on at to by of stored hashed expired changed "
    "unchanged unknown public "
    "private secret sensitive important confidential leaked broken lost case sensitive insensitive reset okay ok "
    "gone dead live managed "
    "null none true false it that this these those mine yours ours his her their my your our everything something "
    "nothing anything "
    "admin user basic standard default shared unique random plain plaintext text string number numeric integer "
    "varchar char boolean hash "
    "bcrypt argon scrypt vault keychain bitwarden lastpass keepass jwt opaque bearer rotated revoked limited "
    "disabled enabled active "
    "inactive ready verified confirmed rejected accepted denied failed successful authentication authorization "
    "policy rotation manager "
    "field column parameter variable header cookie session server client side based protected encrypted "
    "unencrypted see ask use unset "
    "set blank yes maybe sometimes often usually almost already forgotten unavailable available deprecated "
    "supported unsupported"
)
_TALK = frozenset(_TALK_WORDS.split())
_TALK_SUFFIX = re.compile(r".{2,}(?:ed|ing|able|ible|ive|ful|less|ly|ous|ation|ment|ness|ity)")
_FUNCTION_WORDS = "to of and the in by for is a an as at on or not no up per with based only"
_FUNCTION_PARTS = frozenset(_FUNCTION_WORDS.split())
_PASSPHRASE = re.compile(r"[a-z]{3,12}(?:[ -][a-z]{3,12}){3,11}(?=\s*(?:[.,;!。，；]|$|\n))")
_CALLED_PHRASE = re.compile(r"[a-z]{2,12}(?:[ -][a-z]{2,12}){2,11}(?=\s*(?:[.,;!。，；]|$|\n))")
_PHRASE_LABEL = re.compile(r"(?:passphrase|短语)$")
_UNPACKING = re.compile(r"(?:解压|压缩包?|解壓)密[码碼]$")
_DESCRIBED = re.compile(r"(?P<words>[一-鿿]{1,10})[ ：:，,]{0,2}(?P<value>[A-Za-z0-9!@#$%^&*_.+-]{4,64})")
_JOINED_WORDS = re.compile(r"[一-鿿]{1,6}(?:[-_·][一-鿿A-Za-z0-9]{1,12}){1,5}(?=\s*(?:[。，,;；!！]|$))")
_DIAL = re.compile(r"(?:(?:先|再|然后)?(?:[左右]|[顺逆]时针)[转拧旋]{0,2}到?\s?\d{1,3}\s?[，,、]?\s?){2,6}")
_LATER_VALUE = r"(?P<value>[!-~]{6,128})(?=$|[\s，。；、！？,.;])"
_LATER = tuple(
    re.compile(between + _LATER_VALUE)
    for between in (
        r"[^\n。！？!-~]{1,14}?",
        r"[^\n.!?:,—。]{0,32}[:,—–]{1,2}[ \t]{0,2}(?:(?:but |and |now |still )*(?:it|that)(?:'s| is)(?: now| still)? )?",
        r"[ \t]{0,2}[^\n!-~]{1,4}[ \t]{0,2}",
        r"[^\n.!?。！？]{0,48}?(?:(?:changed|set|reset|switched|updated|turned|moved)(?: it| that| them| mine)?(?: back)?(?: from \S{1,40})? to|made it) [\"'`]?",
        r"[^\n。！？]{0,28}?(?:[改换设]成|[改换设]为|重置为|改回|设置成)了?[ \t“\"']{0,2}",
    )
)
_ANSWER = re.compile(r"\s{0,2}(?:是|为|[:：]|is|was)\s{0,2}(?P<value>[^\n，。,.;；]{2,60})")
_ON_CARD = re.compile(r"(?:cvv2?|cvc2?|安全码|三位(?:数字?|码)?)$")
_NUMBER_OF_MINE = re.compile(r"生日|名字|拼音|尾号|电话|门牌|车牌|学号|工号|年份|纪念日|手机")
_DAY = re.compile(r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_SENTENCE_END = re.compile(r"[\n。！？]|[.!?]\s")
_RUN = re.compile(r"(?<![!-~])[!-~]{8,64}(?![!-~])")
_ADDRESS = re.compile(r"[=/\\<>{}|]|@[\d.^~*]|@[\w-]+\.\w|\w\(|^[#@]|\.\w{1,4}$")
_ADMIN_PAIR = re.compile(r"(?<![\w/.-])(?:admin|root|administrator|sa)\s{0,2}[/:：]\s{0,2}([!-~]{6,64})", re.IGNORECASE)
_ADMIN_NAMES = ("admin", "root", "sa/", "sa:", "sa：", "sa ")
_BEFORE = re.compile(
    r"(?<![!-~])([!-~]{4,64}?)[”\"'`]?\s{0,2}(?:是|就是|作为|当作?|做|is|as|was|=)\s{0,2}(?:[^\s,，。;；.:：!-~]{0,12}|(?:my"
    r"|the|your|our|a|his|her)?\s?(?:[a-z-]{1,12}\s){0,3})$",
    re.IGNORECASE,
)
_PUBLIC = re.compile(
    r"(?:public|primary|foreign|partition|sort|cache|shortcut|unique|idempotency|routing|dedup|redis|object"
    r"|composite|hot|dict|map|row|index|site|公|主|外|快捷)[ _-]?$"
)
_DIGIT_GROUPS = re.compile(r"(?: \d{2,4}){0,3}")
_FURTHER_CODES = re.compile(r"(?:[ ,，、\n]{1,2}(?=[A-Za-z-]{0,12}\d)[A-Za-z0-9-]{2,24}){0,15}")
_SECOND = re.compile(r"\s{0,2}[/|,，、\s]\s{0,2}(?:密码|password|pass|pwd)?[:：是 ]{0,2}([!-~]{4,64})")
_LOOSE = ("", "·", "to", "-", "–", "—", "--")
_REVERSIBLE = (" is", "是", " as", "作为", "当", " was")


def labelled_values(text: str, lower: str, present: frozenset[str]) -> Iterator[Finding]:
    """Yield a finding for each value that a label in the text declares to be a secret; the span is the value.

    `lower` is the text in lower case, of the same length, `present` are the literals that stand in it.
    """
    hints = HINTS & present
    if not hints:
        return
    yield from (_finding("code", start, end) for start, end in lock_codes(lower, hints))
    for pair in _ADMIN_PAIR.finditer(text) if holds_any(lower, _ADMIN_NAMES) else ():
        if looks_random(pair[1].rstrip(".,;")) and "/" not in pair[1]:
            yield _finding("password", pair.start(1), pair.start(1) + len(pair[1].rstrip(".,;")))
    for label in _labels(lower, hints):
        kind = label.lastgroup or "bare"
        if kind != "password" and _PUBLIC.search(lower, max(0, label.start() - 16), label.start()):
            continue
        yield from _declared(text, lower, label.end(), kind)
        yield from _declared_later(text, label.end(), kind)
        if kind != "bare":
            yield from _declared_before(text, label.start(), kind)
        if kind == "password":
            yield from _declared_long_before(text, label.start())


def _labels(lower: str, hints: frozenset[str]) -> Iterator[re.Match[str]]:
    """Labels in order, sought only around their core words: the full pattern is too slow for every position."""
    position = 0
    for core in _cores(lower, hints):
        if core.end() <= position:
            continue
        window = max(position, core.start() - 22), min(len(lower), core.end() + 20)
        for label in _LABEL.finditer(lower, *window):
            yield label
            position = label.end()


def _cores(lower: str, hints: frozenset[str]) -> Iterator[re.Match[str]]:
    """Core words, in their turn sought only around the hints that stand in the text."""
    end = 0
    for first, last in _merged(sorted(place for hint in hints for place in places(lower, hint))):
        for core in _CORE.finditer(lower, max(end, first - _AROUND), last + _AROUND):
            end = core.end()
            yield core


def _merged(places: list[int]) -> Iterator[tuple[int, int]]:
    """First and last of places that stand so close that their surroundings meet."""
    start = last = -1
    for place in places:
        if last >= 0 and place - last > 2 * _AROUND:
            yield start, last
            start = place
        start, last = (place if last < 0 else start), place
    if last >= 0:
        yield start, last


def _declared(text: str, lower: str, end: int, kind: str) -> Iterator[Finding]:
    if kind == "code" and (listed := CODE_LIST.match(text, end)):
        yield _finding(kind, *listed.span("value"))
        return
    if kind == "code" and (after := CODE_AFTER.match(text, end)):
        yield _finding(kind, *after.span(after.lastgroup or 0))
        return
    if kind == "answer":
        if answer := _ANSWER.match(text, end):
            yield _finding(kind, *answer.span("value"))
        return
    operator = _OPERATOR.match(lower, end)
    if kind in ("password", "code") and (spoken := SPOKEN.match(lower, _after_link(lower, operator, end))):
        yield _finding(kind, *spoken.span())
        return
    link = operator or (_DIRECT if lower[end - 1].isascii() else _DIRECT_CHINESE).match(lower, end)
    if link is None:
        return
    sign = operator["op"] if operator else ("" if lower[end - 1].isascii() else "·")
    value, start = _value_at(text, link.end(), link["quote"])
    if kind == "pair":
        yield from _pair(text, value, start)
    elif kind == "slang":
        yield from [_finding(kind, start, start + len(value))] if len(value) >= 6 and looks_random(value) else []
    elif _UNPACKING.search(lower, max(0, end - 12), end) and len(value) >= 4:
        yield _finding(kind, start, start + len(value))
    elif value and _is_secret(
        kind,
        sign,
        value,
        text[start + len(value) : start + len(value) + 24],
        quoted=bool(link["quote"]),
        card=_ON_CARD.search(lower, max(0, end - 8), end) is not None,
    ):
        further = _FURTHER_CODES.match(text, start + len(value)) if kind == "code" else None
        yield _finding(kind, start, further.end() if further else start + len(value))
    elif (
        kind == "password"
        and sign
        and (phrase := _passphrase(text, start, called=_PHRASE_LABEL.search(lower, max(0, end - 10), end) is not None))
    ):
        yield _finding(kind, start, phrase.end())
    elif kind == "password" and sign in ("：", ":", "=") and (phrased := CHINESE_PHRASE.match(text, link.end())):
        yield _finding(kind, *phrased.span())
    elif kind == "password" and sign and (joined := _JOINED_WORDS.match(text, link.end())):
        yield _finding(kind, *joined.span())
    elif kind in ("password", "code") and sign and (turns := _DIAL.match(text, link.end())):
        yield _finding(kind, *turns.span())
    elif kind in ("password", "code") and sign and (described := _DESCRIBED.match(text, link.end())):
        yield from _of_description(kind, described)


def _after_link(lower: str, operator: re.Match[str] | None, end: int) -> int:
    """Where a value is due: behind what links it to the label, or behind a blank."""
    return operator.end() if operator else end + (lower[end : end + 1] == " ")


def _of_description(kind: str, described: re.Match[str]) -> Iterator[Finding]:
    """`密码就是我生日 19900101`, `密码是先左三圈再输 882041`: words of the person between label and value."""
    value = described["value"].rstrip(".,")
    if value.isdecimal():
        mine = _NUMBER_OF_MINE.search(described["words"]) is not None
        long_enough = len(value) >= (4 if mine else 6) and not _UNIT_AFTER.match(described.string, described.end())
        is_value = long_enough and (mine or not _DAY.fullmatch(value))
    else:
        is_value = len(value) >= 6 and value.lower() not in _TALK and looks_random(value) and not _DATE.match(value)
    if is_value:
        yield _finding(kind, described.start("value"), described.start("value") + len(value))


def _declared_later(text: str, end: int, kind: str) -> Iterator[Finding]:
    """`密码没变，还是 Fake_77`, `the same password as before, Fake$19`: words between label and value.

    So far from its label a value counts only when it cannot be a word: a sign inside, or both cases and a digit.
    """
    least = 6 if kind in ("password", "slang") else 16
    for pattern in _LATER if kind != "pair" else ():
        later = pattern.match(text, end)
        value = later["value"].rstrip(".,;:)]}>\"'`") if later else ""
        if later and len(value) >= least and _is_strange(value):
            yield _finding(kind, later.start("value"), later.start("value") + len(value))


def _is_strange(value: str) -> bool:
    if not looks_random(value) or _SNAKE.fullmatch(value) or _DATE.match(value):
        return False
    cases = value.lower() != value and value.upper() != value
    odd = any(character in "!@#$%^&*~+=|?_" for character in value[:-1])
    return (any(map(str.isdigit, value)) and (cases or odd)) or re.fullmatch(r"[0-9a-f]{20,}", value) is not None


def _passphrase(text: str, start: int, *, called: bool) -> re.Match[str] | None:
    """Four or more words that say nothing together: no grammar word, no participle, at most one word of talk.

    Three are enough, of any sort, behind a label that calls them a phrase.
    """
    if called:
        return _CALLED_PHRASE.match(text, start)
    phrase = _PASSPHRASE.match(text, start)
    words = set(re.split("[ -]", phrase.group())) if phrase else set()
    talks = _FUNCTION_PARTS & words or len(_TALK & words) > 1 or any(map(_TALK_SUFFIX.fullmatch, words))
    return None if talks else phrase


def _value_at(text: str, start: int, quote: str) -> tuple[str, int]:
    """The candidate value: up to the closing quote (at most 64 characters), else a run of ASCII signs."""
    closing = text.find(_CLOSE.get(quote[-1:], "\0"), start, start + 66)
    if quote and closing > start and "\n" not in text[start:closing]:
        return text[start:closing], start
    run = _VALUE.match(text, start)
    return (run.group().rstrip(".,;:)]}>\"'`") if run else ""), start


def _pair(text: str, value: str, start: int) -> Iterator[Finding]:
    """`admin / Fake123`, `admin/Fake123`, `admin:Fake123`: the second half is the secret."""
    second = _SECOND.match(text, start + len(value))
    if second and value and _is_second_half(second[1].rstrip(".,;")):
        yield _finding("password", second.start(1), second.end(1))
        return
    halves = re.fullmatch(r"[\w.@-]{2,64}[/:|]([!-~]{4,64})", value, re.ASCII)
    if halves and _is_second_half(halves[1]) and "//" not in value:
        yield _finding("password", start + halves.start(1), start + halves.end(1))


def _is_second_half(value: str) -> bool:
    plain = len(value) >= 6 and any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    return looks_random(value) or (plain and not EXPRESSION.fullmatch(value) and not PLACEHOLDER.fullmatch(value))


def _declared_before(text: str, start: int, kind: str) -> Iterator[Finding]:
    """`Fake-77x! is my password`, `482913 是验证码`."""
    window = text[max(0, start - 96) : start]
    if not any(link in window for link in _REVERSIBLE):
        return
    match = _BEFORE.search(window)
    if match is None:
        return
    value = match[1].strip("\"'`“”,;")
    is_code = kind == "code" and re.fullmatch(r"\d{4,8}|[A-Z]-\d{4,8}", value) is not None
    if is_code or (len(value) >= 6 and looks_random(value)):
        first = start - len(window) + match.start(1)
        yield _finding(kind, first, first + len(match[1]))


def _declared_long_before(text: str, start: int) -> Iterator[Finding]:
    """`reset it to Fake!77 please, that's the admin password`: so far away only what nobody writes as a word."""
    window = text[max(0, start - 72) : start]
    sentence = max(0, start - 72) + max((end.end() for end in _SENTENCE_END.finditer(window)), default=0)
    for run in _RUN.finditer(text, sentence, start):
        value = run.group().strip(".,;:()[]\"'`")
        if len(value) >= 8 and _is_no_word(value):
            first = run.start() + run.group().index(value)
            yield _finding("password", first, first + len(value))


def _is_no_word(value: str) -> bool:
    """Letters, a digit and an unusual sign, and no address, package, assignment or path."""
    if not _is_strange(value) or _ADDRESS.search(value):
        return False
    odd = any(character in "!@#$%^&*~+?_" for character in value)
    return odd and any(map(str.isdigit, value)) and sum(map(str.islower, value)) >= 3


def _is_secret(kind: str, sign: str, value: str, after: str, *, quoted: bool, card: bool) -> bool:
    """`sign` is what links label and value; "" is a blank behind a Latin label, "·" nothing behind a Chinese one."""
    if is_base64(value):
        return True
    if (
        PLACEHOLDER.fullmatch(value)
        or EXPRESSION.fullmatch(value)
        or ALGORITHM.fullmatch(value)
        or _DATE.fullmatch(value)
    ):
        return False
    if kind == "code":
        return _is_code(sign, value, after, card=card)
    if kind == "password":
        return _is_password(sign, value, after, quoted)
    if _SNAKE.fullmatch(value) or _KEBAB.fullmatch(value) or (value.isdigit() and len(value) < 12):
        return False
    return _is_key(kind, sign, value)


def _is_code(sign: str, value: str, after: str, *, card: bool) -> bool:
    if _UNIT_AFTER.match(after):
        return False
    body = value.replace("-", "").rstrip("#*!?")
    rest = _DIGIT_GROUPS.match(after)
    groups = value + (rest.group() if rest else "")
    if (
        re.fullmatch(r"\d{4,10}", body)
        or (re.fullmatch(r"\d{3}", body) and (sign not in _LOOSE or card))
        or re.fullmatch(r"\d{2,4}(?: \d{2,4}){1,3}", groups)
    ):
        return True
    return (
        4 <= len(body) <= 24
        and body.isalnum()
        and any(map(str.isdigit, body))
        and (sign not in _LOOSE or len(body) <= 8 or "-" in value)
        and not QUANTITY.fullmatch(value)
    )


def _is_password(sign: str, value: str, after: str, quoted: bool) -> bool:
    if len(value) < 4 and not (quoted and len(value) == 3):
        return False
    if _KEYPAD.fullmatch(value):
        return sign not in ("", "to") and not _UNIT_AFTER.match(after)
    if QUANTITY.fullmatch(value) or _SNAKE.fullmatch(value):
        return False
    if _WORDLIKE.fullmatch(value):
        return sign not in _LOOSE and _is_lone_word(sign, value, after, quoted)
    if _KEBAB.fullmatch(value):
        parts = value.lower().split("-")
        return sign not in _LOOSE and len(parts) >= 3 and not _FUNCTION_PARTS & set(parts)
    return looks_random(value) if sign in _LOOSE else len(value) >= 4


def _is_lone_word(sign: str, value: str, after: str, quoted: bool) -> bool:
    """A plain word is a password only when the clause ends with it and it is no word of talk about passwords."""
    if value.lower() in _TALK or _TALK_SUFFIX.fullmatch(value.lower()):
        return False
    ends = not after.strip(" .\"'`”’」』!") or after.lstrip(" ")[:1] in "\n,，。;；、)）&吧啦哦啊了" or quoted
    return ends or sign in ("=", ":=", "＝")


def _is_key(kind: str, sign: str, value: str) -> bool:
    if kind == "key" and sign not in ("", "to") and value.isalpha() and 14 <= len(value) <= 64:
        return True  # mail providers' application passwords are letters only
    if len(value) < 8 or not looks_random(value):
        return False
    if kind == "bare" or sign in _LOOSE:
        hexadecimal = re.fullmatch(r"[0-9a-f]{16,}", value) is not None
        return hexadecimal or (len(value) >= 12 and value != value.lower() and value != value.upper())
    return True


def _finding(kind: str, start: int, end: int) -> Finding:
    rule = {"code": LABEL_RULES[2], "key": LABEL_RULES[1], "bare": LABEL_RULES[1]}.get(kind, LABEL_RULES[0])
    return Finding(rule, Effect.MASK, start, end)
