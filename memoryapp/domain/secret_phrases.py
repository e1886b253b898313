"""Values that are words: passphrases, answers to security questions, passwords as they are dictated.

They have no make; a label and a link make a value due, and it says nothing: no word of grammar or of talk about secrets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from memoryapp.domain.value_shapes import Candidate, Shape

_LABEL = re.compile(
    r"(?P<said>(?<![a-z])(?:(?:safe|code|secret|magic|memorable|duress|panic|challenge|pickup) ?(?:word|answer|phrase)|maiden name|(?:security|secret|recovery) (?:question|answer)s?|open sesame)(?:['’]s)?(?![a-z])|口令|暗[号语]|密保|提示问题|安全问题|接头)"
    r"|pass ?(?:word|phrase|code)s?|passw\w{0,2}|paswo?r?d|pwd?(?![a-z])|(?<![a-z])(?:pass|p/w|pin|secret"
    r"|unlock(?:s|ing)?(?: pattern| gesture)?|kouling|mima)(?![a-z])|密[码吗马嘛码]|解锁|开锁|手势|パスワード|contraseña|mot de passe|passwort|kennwort|senha"
)
_LINK = re.compile(
    r"[:：=＝→]|(?<=[㐀-鿿]) (?=[a-z]{4})|->|(?<![a-z])(?:is|was|are|with|to|it's|says?|answer(?:s|ed)?|wants?|use)(?![a-z])|['’]s(?= )|就?是|为|係|叫|[改换设]成了?|填的?|输入?|打|回?答(?!案)的?|用的?"
)
_PHRASE = re.compile(
    r"[ \t]{0,2}[\"'“‘「『]?(?P<value>[a-zà-ÿ㐀-鿿][a-zà-ÿ㐀-鿿'’ 0-9-]{1,70}?)(?=[\"'”’」』]?[ \t]{0,2}(?:[,，。.;；!！)）(（\n—]|$))"
)
_DICTATION = re.compile(
    r"(?:upper|lower) ?case|(?<![a-z])(?:capitals?|all caps|no spaces?|all one word|underscore|(?:at|hash|dollar|pound) sign|ampersand|exclamation|hyphen|as one word)(?![a-z])"
    r"|[大小]写|艾特|下划线|井号|感叹号|叹号|中杠|横杠|星号|不带空格|没有空格|连写|[两三四五六七八]个[零一二三四五六七八九\d]|首字母|[短长]按|[上下左右]滑"
)
_TALK_WORDS = (
    "a an the this that these those it its i you he she we they me him her us them my your his our their "
    "mine yours in on at by of for from to with without into over under behind before after about and or "
    "but nor so if when while because than then as is are was were be been being am do does did has have "
    "had will would can could should may might must shall not no never always still already just only "
    "even also too very really quite rather there here where what which who whom whose why how all any "
    "some none each every both same other another again now later soon today tomorrow yesterday once "
    "twice please required optional mandatory needed wrong right correct incorrect invalid valid missing "
    "empty secure safe strong weak good bad fine different new old long short public private sensitive "
    "important confidential leaked broken lost forgotten reset okay ok gone dead live unknown blank off "
    "on out up down set changed hashed salted stored encrypted expired shared unique random plain default "
    "disabled enabled due done free easy hard simple complex silly annoying useless ready pending blocked "
    "locked unlocked strange words letters digits characters symbols bitwarden lastpass keepass 1password "
    "dashlane keychain vault bcrypt argon2 scrypt"
)
_TALK = frozenset(_TALK_WORDS.split())
_TALK_CHINESE = re.compile(
    r"[的了我你他她它们没不被就也都还要会能让问忘吗呢吧什么怎谁哪这那每再才很太请把给]|复杂|简单|[数字]字|几位|[零一二三四五六七八九十\d]位|示例|例子|摆设|安全|弱|强|重要|一样|错|过期|失效|短信|手机|明文|必须|至少|以上|随机|默认|加密|哈希|问题|指纹|人脸|面容"
)
_CLAUSES_END = re.compile(r"[。！!；;\n]|\. ")
_REACH, _MOST_LINKS = 48, 3
_MOST_WORDS, _MOST_CHINESE = 9, 16


def phrases(lower: str) -> Iterator[Candidate]:
    """Passphrases, answers and dictated passwords in lower-case text: what a clause ends with behind a label and a link."""
    position = 0
    for label in _LABEL.finditer(lower):
        if label.start() < position:
            continue
        end = _CLAUSES_END.search(lower, label.end(), label.end() + _REACH)
        links = _LINK.finditer(lower, label.end(), end.start() if end else label.end() + _REACH)
        for link in islice(links, _MOST_LINKS):
            phrase = _PHRASE.match(lower, link.end())
            shape = _shape_of_phrase(phrase["value"]) if phrase else None
            if phrase and shape:
                said = label["said"] and shape is Shape.PHRASE
                yield Candidate(*phrase.span("value"), Shape.SAID if said else shape)
                position = phrase.end()
                break


def _shape_of_phrase(value: str) -> Shape | None:
    if _DICTATION.search(value):
        return Shape.DICTATED
    words = re.findall(r"[a-zà-ÿ'’]+", value)
    chinese = len(value) - len(value.encode("ascii", "ignore"))
    if len(words) > _MOST_WORDS or chinese > _MOST_CHINESE or _TALK_CHINESE.search(value):
        return None
    if not words and chinese < 2:
        return None
    talk = sum(
        word in _TALK or (len(word) > 5 and word.endswith(("ing", "able", "ible", "ly", "ed"))) for word in words
    )
    return None if talk > (len(words) > 3) else Shape.PHRASE
