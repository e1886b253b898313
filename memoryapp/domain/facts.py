"""Atomic facts out of a statement, and the plain self-statements of a message that asks for nothing.

A fact keeps the user's own words. Its quote is verbatim; its content may carry the subject of the clause before it
(我叫李雷，住在杭州 → 我叫李雷 / 我住在杭州).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoryapp.domain.clauses import FILLER, Clause, is_chinese, is_hypothetical, is_one_off, leans, sentences


@dataclass(frozen=True, slots=True)
class Fact:
    content: str
    quote: str


# --- cutting a statement ---

_ITEM = re.compile(r"^\s*(?:[-*•·]|\d{1,2}[.)、．]|[（(]?[一二三四五六七八九十]{1,2}[)）、])\s*", re.MULTILINE)
_LINE = re.compile(
    r"\n+|[。！？]+|(?<=[a-z0-9)])(?<!\bMr)(?<!\bMs)(?<!\bDr)(?<!\bMrs)(?<!\bSt)(?<!\bProf)\.\s+(?=[A-Z])"
)


_LONGEST_LINE = 600
"""A line longer than any item may be is not cut."""


def atoms(body: str) -> tuple[Fact, ...]:
    """The facts of a statement: one per line or sentence, and per clause where each clause stands alone."""
    facts: list[Fact] = []
    for line in _LINE.split(body):
        plain = _trimmed(_ITEM.sub("", line))
        if len(plain) > _LONGEST_LINE:
            facts.append(Fact(plain, plain))
        elif plain:
            facts += _chinese_atoms(plain) if is_chinese(plain) else _english_atoms(plain)
    return tuple(facts)


def _trimmed(text: str) -> str:
    return text.strip(" \t，,。.：:；;!！、~～")


_SUBJECT = re.compile(r"(?:我|我们|咱们?|本人|这个|本|该|公司|团队|项目|以后|今后)")
_TOPIC_PREDICATE = re.compile(
    r"\S{2,10}?(?:跑在|部署在|放在|监听|在|是|用|使用|位于|设在|定在|叫|截止|改到"
    r"|每[天周月])\s*\S"
)
_CARRIED = re.compile(
    r"(?:住在?|[^\s是在有]{1,8}过敏|有(?:严重的?)?\S{0,4}(?:病|炎|喘|血压|症|贫血)|血型|在\S{1,12}(?:上班|工作|读书|上学|任职|实习|任教|当|做|从事|开发)|是[一个名位]?|养了?|有[一两三四五个只条几]|没有"
    r"|对\S{1,8}过敏|今年|不吃|不喝|不抽|喜欢|讨厌|来自|负责|做|当|从事|毕业于|会[说讲弹写做开]|每[天周月年晚早个]|平时|一般|通常|习惯|从不"
    r"|打算|计划|正在|在学|在准备)"
)
_CONJUNCTION = re.compile(r"(?:而且|并且|另外|还有|此外|同时|以及|对了|顺便|然后)[，,]?\s*(?=\S)")
_DEPENDENT = re.compile(
    r"[大小红白黑黄蓝灰花公母]\S{0,2}?的(?!时候)|剩下|其余|另一?[个只条]|这个|这些|它|其中|否则|不然|因为|所以|但是?|而|因此|这样|那么?|也|还|然后|再|就|都|并|且|如果|不要|别|不|因|任何"
)
_PROJECT_HEAD = re.compile(r"(?:这个|本|该|我们的?|咱们的?)(?:项目|仓库|公司|团队)")
_VERB = re.compile(r"用|使用|喜欢|吃|喝|是|在|跑|写|说|回答")


def _chinese_atoms(line: str) -> list[Fact]:
    groups: list[Fact] = []
    for part in filter(None, map(_trimmed, _PARTS.split(line))):
        bare = _CONJUNCTION.sub("", part, count=1) if groups and _CONJUNCTION.match(part) else part
        carried = _carried(groups[-1].content, bare) if groups else part
        if carried is None:
            groups[-1] = _joined(groups[-1], part, line)
        else:
            groups.append(Fact(carried, bare))
    return groups


_PARTS = re.compile(
    r"[，；]|,(?!\d)|;|(?:、|并且|而且|同时)(?=(?:也|还)?(?:对\S{1,8}过敏|[^\s、是在有和]{1,6}过敏|有(?:哮喘|高血压|糖尿病|[一两二三四五]\S)|住在?\S|在\S{1,12}(?:上班|工作|任职)|血型|是[一个名位A-Z]|养了|不[吃喝]\S))"
)
"""Between clauses, and where a list or an “and” goes on with another statement about the speaker."""


def _joined(fact: Fact, part: str, line: str) -> Fact:
    """The fact with one more clause, the quote still verbatim in the line."""
    start = line.index(fact.quote)
    end = line.index(part, start + len(fact.quote)) + len(part)
    quote = line[start:end]
    return Fact(fact.content + quote[len(fact.quote) :], quote)


def _carried(head: str, part: str) -> str | None:
    """The clause as a fact of its own, with the subject it borrows from `head`; None when it belongs to `head`."""
    if len(part) < 3 or leans(part) or not (_SUBJECT.match(head) or _TOPIC_PREDICATE.match(head)):
        return None
    if (
        re.match(r"我(?!们|家|的|女|儿|老|爸|妈)", head)
        and _CARRIED.match(part)
        and part[0] not in "我咱本"
        and not _CONTRAST.match(part)
    ):
        return f"我{part}"
    if _DEPENDENT.match(part):
        return None
    project = _PROJECT_HEAD.match(head)
    if _TOPIC_PREDICATE.match(part) and not _SUBJECT.match(part):
        if _parallel(head, part):
            return None
        return f"{project.group()}{part}" if project else part
    return part if re.match(r"我|我们|咱|本人|这个项目|项目", part) else None


_CONTRAST = re.compile(r"不在|不是|不住")


def _parallel(head: str, part: str) -> bool:
    """代码用英文，注释用中文 is one rule in two halves."""
    return any(verb in head for verb in _VERB.findall(part))


_SAME_SUBJECT = re.compile(
    r"(?:,\s*(?:and\s+)?|\s+and\s+)(?=(?:have|work|live|own|drive|speak|study|teach|play|run|love|hate|like|prefer|enjoy"
    r"|dislike|drink|eat|use|collect|train|volunteer|am|can't|cannot|can|don't|never|always)\s+\w)",
    re.IGNORECASE,
)
"""Where a new verb goes on with the I of the clause before it: I live in Lyon, have two kids and work nights."""
_ENGLISH_CUT = re.compile(
    r"[;,]\s+(?:and\s+|but\s+)?(?=(?:I|I'm|I've|my|we|our)\b)|\s+and\s+(?=(?:I|I'm|my|our"
    r"|we)\b)",
    re.IGNORECASE,
)
_ENGLISH_CLAUSE = re.compile(
    r"^(?:I|I'm|I've|my|we|our|the|this|[A-Z]\w+)\b.*?(?:'m|'s|'ve|'re|n't|\b(?:am|is|are|was|have|has|do|does"
    r"|can|never|always|prefer\w*"
    r"|likes?|loves?|hates?|lives?|works?|uses?|drinks?|eats?|wants?|needs?|speaks?|study|studies|owns?|runs?"
    r"|plays?|keeps?|writes?"
    r"|starts?|deploys?|moved|switched|goes|go|takes?|teach\w*|manages?))\b",
    re.IGNORECASE,
)


def _english_atoms(line: str) -> list[Fact]:
    groups: list[str] = []
    position = 0
    for cut in [*_ENGLISH_CUT.finditer(line), None]:
        end = cut.start() if cut else len(line)
        rest = line[cut.end() :] if cut else ""
        piece = line[position:end]
        if cut and not (_states(piece) and _states(rest)):
            continue
        groups.append(_trimmed(piece))
        position = cut.end() if cut else end
    return [fact for piece in groups if piece for fact in _same_subject(piece)]


def _same_subject(piece: str) -> list[Fact]:
    if not re.match(r"I(?:'m)?\s+\w", piece) or _CONDITIONAL.search(piece):
        return _qualities(piece)
    first, *more = [part for part in map(_trimmed, _SAME_SUBJECT.split(piece)) if part]
    return [*_qualities(first), *(Fact(f"I {part}", part) for part in more)]


_QUALITY = re.compile(
    r"^(?P<head>I(?:'m| am)\b.{2,60}?)(?:,? and | & )(?P<quality>(?:\w+ly )?(?:allergic|intolerant|diabetic|asthmatic|vegan|vegetarian|married|single|divorced|widowed|left-handed|right-handed"
    r"|deaf|pregnant|based|retired|dyslexic|colou?r-?blind)\b.*)$",
    re.IGNORECASE,
)


def _qualities(piece: str) -> list[Fact]:
    """I am left-handed and allergic to nuts: two things about one person."""
    found = _QUALITY.match(piece)
    if found is None:
        return [Fact(_capitalised(piece), piece)]
    return [Fact(found["head"], found["head"]), Fact(f"I am {found['quality']}", found["quality"])]


_CONDITIONAL = re.compile(
    r"\b(?:when|if|because|since|while|unless|whenever|who|which|that|to|for|so|but|would|should|want|will)\b",
    re.IGNORECASE,
)


def _states(text: str) -> bool:
    return bool(_ENGLISH_CLAUSE.search(text)) and not _SUBORDINATE.match(text)


_SUBORDINATE = re.compile(
    r"(?:when|if|because|since|while|although|unless|whenever|for|in|after|before"
    r"|every)\b",
    re.IGNORECASE,
)


def _capitalised(text: str) -> str:
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.isalpha() and first.islower() else text


# --- plain self-statements ---

_JOBS_ZH = (
    r"工程师|医生|护士|老师|教师|律师|学生|设计师|产品经理|程序员|会计|司机|厨师|作家|记者|研究员|研究生"
    r"|博士生?|翻译|摄影师|编辑|销售|创业者|自由职业者|前端|后端|全栈|运维|素食(?:者|主义者)|左撇子|独生[子女]"
    r"|单亲\S{0,2}|\S{1,4}人"
)
_KIN_ZH = r"女儿|儿子|老婆|太太|妻子|丈夫|老公|孩子|爸爸?|妈妈?|父亲|母亲|猫|狗|宝宝|双胞胎"
_SELF_ZH = re.compile(
    rf"(?:你好|您好|其实|对了|嗯)?(?:我叫(?!了|你|他|她|它|个|车|外卖|不|人|得|过)\S{{1,10}}|我的?名字(?:叫"
    rf"|是)\S+|我对.{{1,12}}过敏.*|我(?:现在|目前|一直|家)*住在?(?!院|酒店|宾馆|这|哪)\S.{{1,16}}"
    rf"|我是(?:一?[名个位])?(?!说|想|在|不是|这|那|要|来|怕|觉)\S{{0,12}}(?:{_JOBS_ZH})|我(?:一直|现在"
    rf"|已经)*(?:吃素|吃全素|不吃\S{{1,8}}|不喝\S{{1,6}}|从不?吃\S{{1,6}})(?:了|已经\S{{1,6}}|\S{{0,6}}年)*"
    rf"|我有(?:严重的?)?(?:[一两二三四1-4]个?(?:{_KIN_ZH})\S{{0,6}}|高血压|糖尿病|哮喘|乳糖不耐\S{{0,2}})"
    rf"|我(?:家)?的?(?:{_KIN_ZH})(?:今年|叫|是|对|有|属|上|喜欢|特别喜欢|不吃).{{1,16}}"
    rf"|我在\S{{2,14}}(?:上班|工作|任职|读书|读研|上学)|我的?生日是?\S{{2,12}}|我的?母语是\S{{2,6}}"
    rf"|我来自\S{{2,10}}|我从事\S{{2,14}})"
)
_MORE_ZH = re.compile(r"(?:特别|非常|最|也|还)?(?:喜欢|讨厌|是|在|有|养|不吃|对\S+过敏|住|叫|今年)")
_JOBS_EN = (
    r"engineer|developer|doctor|nurse|teacher|student|designer|manager|lawyer|accountant|driver|chef|cook"
    r"|writer|journalist|researcher|scientist"
    r"|translator|photographer|editor|programmer|analyst|architect|consultant|pharmacist|dentist|vet"
    r"|electrician|plumber|carpenter|farmer|pilot"
    r"|musician|artist|professor|paramedic|librarian|barista|founder|freelancer|physicist|biologist|chemist"
    r"|therapist|midwife|firefighter"
)
_CONDITIONS_EN = (
    r"(?:a )?(?:strict |lifelong )?(?:vegetarian|vegan|pescatarian|diabetic|celiac|coeliac)"
    r"|lactose[- ]intolerant|gluten[- ]intolerant|left-handed|colou?r-?blind|deaf"
    r"|pregnant|dyslexic|asthmatic"
)
_SELF_EN = re.compile(
    rf"(?:hi|hello|hey|well|btw|by the way)?[,!]?\s*(?:I(?:'m| am) (?:\w+ )?allergic to .+|I (?:currently"
    rf" )?live in (?!a hotel|an? (?:world|dream)|fear|hope).+"
    rf"|my name(?:'s| is) (?!not|in|on|the).+|I(?:'m| am) (?:{_CONDITIONS_EN})\b.*|I(?:'m| am) an? (?:[\w-]+"
    rf" ){{0,3}}(?:{_JOBS_EN})\b.*"
    rf"|I work (?:at|for|as|in) .+|I (?:have|'ve got) (?:an?|two|three|four|2|3|4) (?:\w+ )?(?:daughters?|sons?"
    rf"|kids?|children|dogs?|cats?|twins)\b.*"
    rf"|my (?:daughter|son|wife|husband|kid|child|dog|cat|partner)(?: \w+)? (?:is|has|loves|likes|hates|goes)"
    rf" (?!acting|being|going|coming|a bit|not|asking|just|here|so ).+"
    rf"|(?:my \w+ and )?I (?:never|don't) (?:eat|drink) .+|I(?:'ve| have) been (?:an? )?\w+.* for (?:\d+|\w+)"
    rf" (?:years|decades).*|I(?:'m| am) (?:originally )?from (?!the (?:future|team)).+"
    rf"|I speak (?!for|to|with).+|my (?:native language|mother tongue|birthday) is .+)",
    re.IGNORECASE,
)
_TAIL_EN = re.compile(
    r"\s+(?:and|so|but)\s+(?:I\s+(?:have a question|need|want|was|am trying|'d like|wonder|would)|I'd|I'm"
    r" (?:trying|looking|wondering)|can|could|what|how|which|please|is|should)\b.*$"
    r"|\s+so\s+.*$",
    re.IGNORECASE,
)
_TRANSIENT = re.compile(
    r"这几天|这周|今天|出差|暂住|最近几天|今晚|刚才|现在在忙|以前|曾经|梦|\b(?:this week|right now"
    r"|at the moment|today|tonight|used to|so tired|just kidding|lol)\b"
    r"|[!！]\s*$",
    re.IGNORECASE,
)
_IRONY = re.compile(
    r"^(?:oh (?:great|sure|yeah)|yeah right|sure,? because|as if|呵呵|真是太好了|可不是嘛)", re.IGNORECASE
)


def self_statements(text: str) -> tuple[Fact, ...]:
    """What the user plainly says of themself outside any cue: name, home, work, allergies, diet, close family."""
    facts: list[Fact] = []
    for sentence in sentences(text):
        imagined = any(is_hypothetical(one.own) for one in sentence.clauses)
        if not imagined and not _IRONY.match(text[sentence.start : sentence.end]):
            facts += _self_facts(text, sentence.clauses)
    return tuple(facts)


def _self_facts(text: str, clauses: tuple[Clause, ...]) -> Iterator[Fact]:
    position = 0
    while position < len(clauses):
        clause = clauses[position]
        position += 1
        if not _plain_self(clause):
            continue
        last = clause
        while position < len(clauses) and _MORE_ZH.match(clauses[position].own) and not clauses[position].asks:
            last = clauses[position]
            position += 1
        yield from atoms(_TAIL_EN.sub("", text[clause.start : last.end]))


_LONGEST_SELF_STATEMENT = 120


def _plain_self(clause: Clause) -> bool:
    own = clause.own.strip()
    if len(own) > _LONGEST_SELF_STATEMENT or clause.asks or FILLER in own or _TRANSIENT.search(own) or is_one_off(own):
        return False
    return bool(_SELF_ZH.fullmatch(own) or _SELF_EN.fullmatch(own))
