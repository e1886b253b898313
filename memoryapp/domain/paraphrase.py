"""When two lines say the same, and when they only look alike.

Folding is for the reader of a prompt, so it errs towards two lines: a line is folded into another only when the words
that carry meaning are the same on both sides and nothing that turns a meaning differs (negation, figures, names,
identifiers, whose it is, when it holds, what comes before what).
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_SENTENCE_MARKS = re.compile(r"[^\w+#%.\-−]|[.\-−](?!\w)")
_MEANINGFUL = re.compile(r"[\d+#%\-.一二三四五六七八九十百千万两半不没无非未别勿莫前老旧]|no|n.?t|un|ex|im|in|dis")


MOST_EXTRA = 6
"""Characters that the longer of two near lines may have more."""


def line_key(text: str) -> str:
    """The letters, digits and signs of quantity of a text (NFKC, case-folded): equal keys read as the same line."""
    return _SENTENCE_MARKS.sub("", unicodedata.normalize("NFKC", text).casefold())


def near(a: str, b: str) -> bool:
    """Whether two line keys say the same: equal, or one within the other and barely longer.

    Only what stands around the shorter one may differ, by at most a tenth and two to six characters, and it may hold
    no digit, sign or negation: “三楼” and “十三楼” are two lines.
    """
    if a == b:
        return True
    if abs(len(a) - len(b)) > MOST_EXTRA:
        return False
    short, long = sorted((a, b), key=len)
    extra = len(long) - len(short)
    if extra > min(max(2, len(long) // 10), MOST_EXTRA) or short not in long or len(short) < 6:
        return False
    return not _MEANINGFUL.search(long.replace(short, "", 1))


@dataclass(frozen=True, slots=True)
class Gist:
    """What a line says, without the way it says it. `earlier` and `later` hold what comes first and what follows
    when the line is about an order of steps; `turns` holds every word that would turn the meaning.
    """

    words: tuple[str, ...]
    turns: tuple[str, ...]
    earlier: frozenset[str] = frozenset()
    later: frozenset[str] = frozenset()

    @property
    def content(self) -> frozenset[str]:
        return frozenset(self.words)


SMALLEST_GIST = 3
IN_ORDER = 0.8
"""Share of the shorter line's words that must stand in the same order, where no order of steps is spoken of."""

# Ways of saying the same, each written as one. Longer forms first.
_SAME: tuple[tuple[str, str], ...] = (
    (r"提交代码|代码提交|提交之?前的代码|\bcommit(?:ting|ted|s)?(?: (?:the |your |any )?code)?\b", "提交"),
    (r"运行|执行|跑一?[遍下次]|跑完|跑过|跑通|\brun(?:ning|s)?\b|\bexecut(?:e|es|ing)\b", "跑"),
    (r"单元测试|测试用例|\btest suite\b|\b(?:unit )?tests?\b|\btesting\b", "测试"),
    (r"\bdeploy(?:ing|s|ed|ment)?\b", "部署"),
    (r"喜爱|热爱|偏爱|爱好|\bis fond of\b|\benjoys?\b|\blov(?:es?|ing)\b|\blik(?:es?|ing)\b", "喜欢"),
    (r"居住|住所在|\bliv(?:es?|ing)\b|\bresid(?:es?|ing)\b", "住"),
    (r"\b(?:is|are|has|have) (?:an? )?allerg(?:ic|y) to\b|\ballergic to\b", "过敏"),
    (r"首选|优先(?:使用|选择|用)?|倾向于?|\bprefers?\b|\bpreferr(?:ed|ing)\b", "偏好"),
    (r"使用|采用|\bus(?:es?|ing)\b", "用"),
    (r"回复|答复|\brepl(?:y|ies|ying)\b|\banswer(?:s|ing)?\b|\brespond(?:s|ing)?\b", "回答"),
    (r"早晨|清晨", "早上"),
    (r"一般|一直|一向|一定|非常|十分", " "),
    (r"叫做|名叫|名字[是叫]|名为|称为|\bis (?:named|called)\b|\bnamed\b|\bcalled\b", "叫"),
    (r"\bworks? (?:as|at|for)\b", "work"),
)
_SYNONYMS = tuple((re.compile(pattern, re.IGNORECASE), word) for pattern, word in _SAME)

_LIGHT = re.compile(
    r"用户|本人|每[次回个]?|一?定|必须|务必|总是?|始终|永远|都|也|还|要求|要|得|应该?|需要?|请|记得|可以|会|把|将|被|的|地|了|着|过(?!敏)|在|是"
    r"|我们?|你们?|您|一[遍下次个]|吧|呢|啊|呀|哦|就|才|很|非常|十分|特别|比较|这个?|那个?|有点|一直|通常|一般|平时|对|来|进行|做"
    r"|\b(?:the|an?|users?|i|we|you|my|your|our|is|are|am|be|been|was|do|does|did|has|have|always|must|should|shall|will|to|of"
    r"|please|that|this|it|its|really|very|usually|generally|every|each|time|make|sure|need|needs|at|in|on|for|as|and"
    r"|any|all|what|up|out)\b",
    re.IGNORECASE,
)
_TURNS = re.compile(
    # Negation, limits, and when it holds.
    r"不再|不是|不用|不要|不能|不会|不|没有?|未|别|勿|莫|无|非|禁止|拒绝|避免|停止|取消|除了|除非|只|仅|如果|假如|要是|以前|曾经?|从前|小时候"
    r"|现在|目前|以后|将来|讨厌|反对|过去|\b(?:not|never|no|nor|none|without|unless|except|only|if|stop(?:s|ped)?|avoid(?:s|ed)?"
    r"|hates?|dislikes?|refus\w+|used to|formerly|previously|once|now|currently|no longer|instead|cannot|un\w{3,}|dis\w{3,})\b"
    r"|n['’]t\b"
    # Whose it is.
    r"|妈妈|母亲|爸爸|父亲|爷爷|奶奶|外公|外婆|妻子|老婆|丈夫|老公|儿子|女儿|孩子|哥哥|弟弟|姐姐|妹妹|同事|老板|朋友|同学|老师|客户|他们?|她们?"
    r"|\b(?:he|she|they|his|her|their|him|them|wife|husband|mother|father|mom|dad|son|daughter|brother|sister|boss"
    r"|colleague|friend|partner|manager|client|customer)s?\b"
    # More and less, first and last, left and right.
    r"|[多少大小长短高低左右上下前后内外男女早晚快慢冷热]|\b(?:more|less|most|least|left|right|up|down|min|max|high|low|big|small"
    r"|early|late|before|after|first|last|increase\w*|decrease\w*|enable\w*|disable\w*|on|off|open\w*|close\w*)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[0-9]+(?:[.,:][0-9]+)*%?|[一二三四五六七八九十百千万两半零〇]+")
_NAME = re.compile(r"(?<![.!?。！？]\s)(?<!^)\b[A-Z][\w.+#-]*|[A-Za-z]+[+#]+|\b\w*[0-9_./]\w*\b")
_DIGITS = re.compile(r"[0-9]")
_WORD = re.compile(r"[a-z]+|[\u3400-\u9fff]")
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)
_ENDING = re.compile(r"(?<=[a-z]{3})(?:ing|(?<=[sxz])es|(?<=[cs]h)es|(?<!s)s)$")
"""Endings of the present: `drinks`, `drinking`. The past stays, because it turns a meaning."""
_BARE_LIGHT = frozenset("用户我的了在是都要和喜欢先再前后之把将一遍次每然就请必须时") | frozenset(
    ["the", "a", "an", "user", "is", "to", "of", "in", "and", "on", "for", "with", "likes", "prefers"]
)

_ORDERS = (
    ("先", re.compile(r"先(?P<a>.+?)(?:，|,|、|\s)*(?:再|然后|之?后再?|才能?|接着)(?P<b>.+)")),
    ("前", re.compile(r"(?P<b>.+?)(?:之|以)?前(?:，|,|\s)*(?P<a>.+)")),
    ("后", re.compile(r"(?P<a>.+?)(?:完|好|过)?(?:之|以)?后(?:，|,|\s)*(?:再|才能?|就)?(?P<b>.+)")),
    ("", re.compile(r"(?P<a>[^a-z]+?)(?:[完好过]+(?:，|,|\s)*(?:再|才能?|就)?|(?:再|然后|才能?))(?P<b>[^a-z]+)")),
    ("before", re.compile(r"^\W*before (?P<b>[^,]+), *(?P<a>.+)")),
    ("before", re.compile(r"(?P<a>.+) before (?P<b>.+)")),
    ("after", re.compile(r"^\W*after (?P<a>[^,]+), *(?P<b>.+)")),
    ("after", re.compile(r"(?P<b>.+?) (?:only )?after (?P<a>.+)")),
    ("once", re.compile(r"^\W*once (?P<a>[^,]+), *(?P<b>.+)")),
    ("then", re.compile(r"(?P<a>.+?),? (?:and )?then (?P<b>.+)")),
)
"""Ways of speaking of an order of steps: a word that must be there, then `a` before `b`."""
_STEP_WORDS = re.compile(
    r"[先再前后]|之前|以前|之后|以后|然后|接着|才能?|完|\b(?:before|after|then|first|once|and then)\b", re.IGNORECASE
)


ALIKE = 0.5
"""Share of the shorter line's bare words that two lines must have in common to be looked at closely."""


def bare_words(text: str) -> frozenset[str]:
    """Latin words and Chinese characters as they stand: the cheap look before the close one."""
    return frozenset(_WORD.findall(text.casefold())) - _BARE_LIGHT


def digits_of(text: str) -> str:
    """The digits of a text, sorted: lines that differ in them are two facts, whatever else they say."""
    return "".join(sorted(_DIGITS.findall(unicodedata.normalize("NFKC", text))))


def same_fact(a: Gist, b: Gist) -> bool:
    """Whether one line may stand for both."""
    if a.turns != b.turns or len(a.content) < SMALLEST_GIST or a.content != b.content:
        return False
    if bool(a.earlier) != bool(b.earlier):
        return False
    if a.earlier:
        straight = len(a.earlier & b.earlier) + len(a.later & b.later)
        return straight > len(a.earlier & b.later) + len(a.later & b.earlier)
    return _common_order(a.words, b.words) >= IN_ORDER * min(len(a.words), len(b.words))


def gist(text: str) -> Gist:
    """Take a line apart."""
    plain = unicodedata.normalize("NFKC", text)
    names = sorted(match.casefold() for match in _NAME.findall(plain))
    one_way = plain
    for pattern, word in _SYNONYMS:
        one_way = pattern.sub(word, one_way)
    steps = _steps(one_way)
    without_steps = _STEP_WORDS.sub(" ", one_way) if steps else one_way
    turns = sorted(match.casefold() for match in _TURNS.findall(without_steps))
    figures = sorted(_FIGURE.findall(without_steps))
    words = _words(without_steps)
    earlier, later = steps or (frozenset(), frozenset())
    return Gist(words, (*turns, *figures, *names), earlier, later)


def _steps(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    lower = text.casefold()
    if not _STEP_WORDS.search(lower):
        return None
    for needle, pattern in _ORDERS:
        match = pattern.search(lower) if needle in lower else None
        if match:
            earlier, later = frozenset(_words(match["a"])), frozenset(_words(match["b"]))
            if earlier and later:
                return earlier, later
    return None


def _words(text: str) -> tuple[str, ...]:
    plain = _LIGHT.sub(" ", _STEP_WORDS.sub(" ", _POSSESSIVE.sub(" ", text))).casefold()
    return tuple(_ENDING.sub("", word) for word in _WORD.findall(plain))


def _common_order(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(b) + 1)
    for word in a:
        previous = 0
        for column, other in enumerate(b, start=1):
            kept = row[column]
            row[column] = previous + 1 if word == other else max(kept, row[column - 1])
            previous = kept
    return row[-1]
