"""Sentences and clauses of a message, and what stands in them that is not the writer's own word.

Quotations, code, pasted lines and reported speech are blanked with a filler of the same length, so that every offset
in the blanked text is an offset in the message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from memoryapp.domain.scripts import simplified

FILLER = "\x1a"
"""Stands for each blanked character: it is in no message and matches neither words nor punctuation."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A stretch of the message between commas or colons. `text` is verbatim, `own` the same with foreign words blanked.

    `start` and `end` are offsets into the message (end exclusive). `asks` says that the clause is a question by its
    words or its mark, `marked` that a question mark ends it.
    """

    text: str
    own: str
    start: int
    end: int
    asks: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """Clauses up to a full stop, question mark or line end. `start` and `end` leave the end mark out."""

    clauses: tuple[Clause, ...]
    start: int
    end: int


_QUOTED = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|“[^“”]*”|「[^「」]*」|『[^『』]*』|《[^《》]*》|«[^«»]*»|【[^【】]*】|<!--(?:(?!<!--).)*?-->"
    r"|(?<![\w\"])\"[^\"\n]*\"|(?<![\w'’])'[^'\n]{2,}'(?!\w)|(?<!\w)‘[^‘’]*’",
    re.DOTALL,
)
_PASTED_LINE = re.compile(
    r"^[ \t]*(?:>|\$ |//|/\*|#!|#include|\+\+\+|---|@@|(?:FAILED|PASSED|ERROR|FATAL|WARN(?:ING)?|INFO|DEBUG|TRACE"
    r"|Traceback|Caused by|npm (?!is\b|are\b|was\b|has\b|for\b)|File \"|at [\w.$<>]+(?:\(|:\d)"
    r"|import [\w.{*, }]+(?:;|$| as | from [\"'])|from [\w.]+ import|(?:async )?def \w+\(|class \w+ ?[(:{]"
    r"|(?:const|let|var) [\w${}\[\], ]+=|return(?:;|$|[^\n.!?]*[;({\[])"
    r"|\w*(?:Error|Exception):|\d{4}-\d\d-\d\d[T ]\d\d:|\[[\w:. -]+\]\s|On .{4,60} wrote:)).*$",
    re.MULTILINE,
)
_TASK = (
    r"翻译|(?:解释|赏析|分析)(?:一?下)?(?:这|下面|以下)|翻成|译成|润色|改写|总结|概括|校对|纠错|朗读|续写|造句|写[一句条段封首]|这[句段]话|什么意思|"
    r"(?i:\b(?:translat\w*|rephrase|proofread|summari[sz]e|rewrite|paraphrase|correct (?:this|the|my)|fix the grammar"
    r"|check (?:this|the|my) (?:sentence|paragraph|text|grammar|spelling|email|line)|spell-?check|what does|caption|slogan|headline|subtitle|commit message|lyrics?|write an?)\b)"
)
_OBJECT_OF_TASK = re.compile(rf"(?:{_TASK})[^。！？!?\n{FILLER}]{{0,60}}?[：:](?P<rest>.*)", re.DOTALL)
_REPORTED = re.compile(
    r"(?:^|(?<=[\n。！？!?；;，,.]))[ \t]{0,3}(?P<who>[^\s。！？!?\n：:，,][^。！？!?\n：:，,]{0,23}?)[ \t]{0,3}"
    r"(?:说|写道|喊道?|叫道|吼道?|唱道?|问道?|回复|告诉我|跟我说|发来|留言|提到|布置|通知|规定|要求|公告|作业|\b(?:wrote|writes|said|says"
    r"|told me|replied|texted|posted|emailed))"
    r"[^。！？!?\n：:]{0,8}?[：:](?P<rest>[^\n]*)",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"^(?:我|俺|咱|I\b|we\b|let me|我再)", re.IGNORECASE)
_FICTION = re.compile(
    r"\b(?:pretend|role-?play|imagine (?:that )?(?:you|I|we)|let'?s play|you are now (?:an?|the)\b|act as an?\b"
    r"|in this (?:story|scene|game)|in character|play the (?:role|part)"
    r"|you(?:['’]re| are) (?:the|my) (?:dungeon master|game master|dm|gm|narrator|innkeeper|wizard|villain|dragon|king|queen))\b|(?:演|唱)[个出场]?(?:戏|小品|双簧)|角色扮演|对对?戏|你(?:来)?(?:当|演)\S{1,6}[，,]\s*我(?:来)?(?:当|演|是)|假装|扮演|假设你是|想象你是|角色设定|演一个"
    r"|玩[个一]?\S{0,4}游戏|你现在是一[个名位只]",
    re.IGNORECASE,
)
_STORY_TASK = re.compile(
    r"写[^。！？\n]{0,14}(?:故事|小说|剧本|台词|对白|歌词|诗|广告语)|\bwrite (?:me )?(?:an? )?(?:\w{1,20} ){0,3}"
    r"(?:story|scene|dialogue|poem|song|script|slogan|novel)\b",
    re.IGNORECASE,
)


_HALF_WIDTH = {code: code - 0xFEE0 for code in (*range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))}
"""Full-width letters and digits; punctuation stays, since the grammar reads both."""
_CHAT_LINE = re.compile(
    r"^[ \t]{0,3}(?:\[[^\]\n]{1,20}\] ?)?(?!(?:记|备|注|以后|今后|更正|纠正|改|请|另|还有|提醒|要求|偏好|饮食|补充|规则|我|你|(?i:note|remember|update"
    r"|correction|rule|reminder|from|please|also|always|never|me|my|i|also|ps|p\.s)\b))[^\s：:，,。.!?][^\n：:，,。.!?]{0,18}[：:][ \t]*\S[^\n]*$",
    re.MULTILINE,
)
_SPOKEN = re.compile(r"[：:][^\n]{0,80}?(?:我|咱|俺|\b(?:I|I'm|I've|I'll|we|we're|my|our)\b)")
_FEWEST_CHAT_LINES = 2


def _without_chat(own: str) -> str:
    """The message without a pasted chat: two or more lines "name: words" of which one speaks of itself."""
    lines = list(_CHAT_LINE.finditer(own))
    if len(lines) < _FEWEST_CHAT_LINES or not any(_SPOKEN.search(line.group()) for line in lines):
        return own
    return _CHAT_LINE.sub(_fill, own)


def blanked(text: str) -> str:
    """The message with everything that is not its writer's own statement replaced by `FILLER`, same length."""
    plain = simplified(text).translate(_HALF_WIDTH)
    own = _without_chat(_PASTED_LINE.sub(_fill, _QUOTED.sub(_fill, plain)))
    own = _blank_rest(own, _OBJECT_OF_TASK.search(own))
    for reported in _REPORTED.finditer(own):
        if not _FIRST_PERSON.match(reported["who"].strip()):
            own = _blank_rest(own, reported)
    fiction = _FICTION.search(own)
    if fiction:
        own = own[: fiction.start()] + FILLER * (len(own) - fiction.start())
    return re.sub(r"[^。！？!?\n]+", _fill_story, own)


def _fill_story(sentence: re.Match[str]) -> str:
    return _fill(sentence) if _STORY_TASK.search(sentence.group()) else sentence.group()


def _fill(found: re.Match[str]) -> str:
    return FILLER * len(found.group())


def _blank_rest(text: str, found: re.Match[str] | None) -> str:
    if found is None:
        return text
    start, end = found.span("rest")
    return text[:start] + FILLER * (end - start) + text[end:]


_ABBREVIATION = r"(?<!\be\.g)(?<!\bi\.e)(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bMrs)(?<!\bvs)(?<!\betc)(?<!\bSt)(?<!\bNo)"
_ABBREVIATION += r"(?<!\n\d)(?<!\n\d\d)(?<!\A\d)(?<!\n \d)(?<!\n  \d)"
_SENTENCE_END = re.compile(rf"[。！？\n]+|[!?]+(?![A-Za-z0-9])|{_ABBREVIATION}\.+(?=\s|$|[\u4e00-\u9fff])|…{{1,}}")
_CLAUSE_END = re.compile(
    r"(?<!其实)(?<!其实吧)(?<!其实呢)[，：；—]+|;(?![A-Za-z0-9])|(?<![Aa]ctually),(?!\d)|:(?=\s)|(?<=\s)[-–](?=\s)"
    r"|(?<=[\u4e00-\u9fff]):"
    r"|(?<!\s)\s+(?=but (?:please )?(?:do not|don'?t|dont|never) (?:store|save|remember|record|keep|log|memori[sz]e|note)\b)",
    re.IGNORECASE,
)


def sentences(text: str) -> tuple[Sentence, ...]:
    """Cut a message into sentences of clauses; blank ones are left out."""
    own = blanked(text)
    cut: list[Sentence] = []
    start = 0
    for end_mark in [*_SENTENCE_END.finditer(own), None]:
        end = end_mark.start() if end_mark else len(own)
        mark = end_mark.group() if end_mark else ""
        sentence = _sentence(text, own, start, end, asked="?" in mark or "？" in mark)
        if sentence.clauses:
            cut.append(sentence)
        start = end_mark.end() if end_mark else len(own)
    return tuple(cut)


def _sentence(text: str, own: str, start: int, end: int, *, asked: bool) -> Sentence:
    bounds: list[tuple[int, int]] = []
    position = start
    for mark in _CLAUSE_END.finditer(own, start, end):
        bounds.append((position, mark.start()))
        position = mark.end()
    bounds.append((position, end))
    trimmed = [_trim(text, first, last) for first, last in bounds]
    kept = [(first, last) for first, last in trimmed if first < last]
    clauses = tuple(
        Clause(
            text=text[first:last],
            own=own[first:last],
            start=first,
            end=last,
            asks=_asks(own[first:last]) or (asked and index == len(kept) - 1),
            marked=asked and index == len(kept) - 1,
        )
        for index, (first, last) in enumerate(kept)
    )
    return Sentence(clauses=clauses, start=kept[0][0] if kept else start, end=kept[-1][1] if kept else end)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    stretch = text[start:end]
    return start + len(stretch) - len(stretch.lstrip()), start + len(stretch.rstrip())


_ENGLISH_QUESTION = re.compile(
    r"^(?!don['’]?t you (?:ever|dare|forget)\b)(?:(?:so|and|but|or|then|also|well|ok|okay|hey)\s+)?(?:what|which|who|whom|whose|why|how"
    r"|(?:(?:when|where)\s+)?(?:do|does|did|should|shall|will|would|can|could|is|are|am|was|were|have|has|had|may|might)"
    # An auxiliary asks when its subject follows: “have two kids” goes on with what was said.
    r"(?:n['’]t)?\s+(?:not\s+)?(?:you|i|we|it|they|he|she|this|that|these|those|there|the|my|your|our|his|her|their"
    r"|any\w*|some\w*|every\w*|all|(?-i:[A-Z])\w*))\b",
    re.IGNORECASE,
)
_CHINESE_QUESTION = re.compile(
    r"(?:吗|(?<=[干好行是对有了])嘛|么|呢)$|是不是|有没有|要不要|会不会|能不能|可不可以|该不该|记不记得|还记得|为什么"
    r"|(?<!不管)(?<!无论)(?<!不论)(?:怎么(?!都|也)|如何|哪[些个里种家款]"
    r"|(?<!^那)什么(?!都|也|的)|哪(?:错|儿|不对)|[去在到]哪|多少|是否|谁(?!都|也))|几点了|有几[个次]"
)


def _asks(own: str) -> bool:
    return bool(_ENGLISH_QUESTION.match(own) or _CHINESE_QUESTION.search(own))


_ONE_OFF = re.compile(
    r"这次|这一次|这(?:把|局|盘|稿|篇|张|幅|首)(?!都|些)|就这[一]?[次回]|本次|这回|这一回|今天先|先这样|暂时|临时|眼下|这封|这条消息|这份(?!工作)"
    r"|这一[封份篇]|今天就|先[^，。]{1,14}吧$"
    r"|\b(?:just (?:this|for|once)|this (?:once|time)|for (?:now|today|tonight|the moment|this \w+|the next \w+)"
    r"|only (?:this|for this) \w+|in this (?:reply|answer|message|email)|one time only|temporarily)\b",
    re.IGNORECASE,
)
_NOT_ONLY_ONCE = re.compile(
    r"不(?:只|仅|光|止)是?这|从这次|not (?:just|only) (?:for )?this|for this (?:project|repo\w*|team|codebase"
    r"|account|app)\b",
    re.IGNORECASE,
)


def between(text: str, joint: re.Pattern[str]) -> list[str]:
    """The pieces of a text between the matches of a pattern, whatever groups it has."""
    places = [0, *(place for match in joint.finditer(text) for place in match.span()), len(text)]
    return [text[start:end] for start, end in list(pairwise(places))[::2]]


def is_one_off(text: str) -> bool:
    """Whether the words limit what is said to the present task (这次, just for this email)."""
    return bool(_ONE_OFF.search(text)) and not _NOT_ONLY_ONCE.search(text)


_HYPOTHETICAL = re.compile(
    r"要是|假如|假设|假使|倘若|如果(?!我(?:问|说|让|要求|没)|你|代码|回答|有|遇到|不|是)|万一"
    r"|的话.{0,12}(?:就好了|会|应该)|哪天"
    r"|\b(?:if (?:I|we|you|he|she|they|it) (?:were|was|had|could|lived|moved|ate|became|worked|ever)|what if"
    r"|suppos(?:e|ing)"
    r"|hypothetically|imagine|in theory|would have|I wish|let'?s say|say I)\b",
    re.IGNORECASE,
)


def is_hypothetical(text: str) -> bool:
    """Whether the words speak of what is not so (要是…, If I were …)."""
    return bool(_HYPOTHETICAL.search(text))


_LEANS = re.compile(
    r"(?:以后|今后|往后|从此|之后)(?:你|请|也|还|都|就|一律|统一|默认|全)*(?:这样|这么[办做来写]|如此|照此|照这样|照这个来?|按这个来?|按此)(?:办|做|来|写|就好|就行|吧|了|哦)*|(?:(?:请|你|我|可以|就|并|都|一律|默认)*(?:以后|今后|往后|将来|平时|下次|到时候?|方便|供|拿来|用来|留着|专门)(?!\S*(?:把|将|用(?!得)\S*用))\S{0,10}?(?:使用|备用|用(?:得[上着到]|到)?)(?:的|吧|哦|了|就好|就行)*)"
    r"|(?:(?:and|so|please|just|always|only|from now on|you can|you may|you'll|i'll|i|you)[\s,]+)*(?:use|need|give|put|quote|enter|take)"
    r" (?:it|that one|this one|this|that|them)\b(?: (?:for|when|in|on|as|whenever|at|with)\b.*)?"
    r"|(?:(?:for|to) use|to be used) (?:for|when|in|on|at|with)\b.*",
    re.IGNORECASE,
)


def leans(text: str) -> bool:
    """Whether a clause uses something without naming it (以后订餐用, use it for bookings): it needs the one before."""
    return bool(_LEANS.fullmatch(text.strip(" ，,。.！!；;")))


_CHINESE_CHARACTER = re.compile(r"[\u3400-\u9fff]")


def is_chinese(text: str) -> bool:
    return bool(_CHINESE_CHARACTER.search(text))
