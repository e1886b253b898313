"""Standing wishes not to keep a topic (以后不要记我的健康信息, never store anything about my kids), and what falls under them.

Such a wish is an instruction like any other and is kept as one. It is also obeyed here, without a judge: a fact of a
later conversation that speaks of its topic is not written, unless its person asks to remember just that. A topic is
who it is about (kids, an ex) and what it is about (health, pay); both must be met where both are named. The words are
those of `memoryapp.domain.naming` and `memoryapp.domain.areas`, some of our own, and the rule's own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from memoryapp.domain.areas import AREAS
from memoryapp.domain.clauses import FILLER, Clause, Sentence, sentences
from memoryapp.domain.naming import topics_of
from memoryapp.domain.scripts import plain_text
from memoryapp.domain.terms import terms_of

OWNER_ASKED_NOT_TO = "owner_asked_not_to"
"""Reason of a fact that is not written because its person has a rule against its topic."""
_I = re.IGNORECASE


@dataclass(frozen=True, slots=True)
class TopicRule:
    """`clause` is the rule verbatim, `topic` the words that name what is not to be kept."""

    clause: str
    topic: str


# --- hearing a rule ---

_KEEP = (
    r"(?:keep(?:ing)?|stor(?:e|ing)|sav(?:e|ing)|remember(?:ing)?|record(?:ing)?|log(?:ging)?|retain(?:ing)?|not(?:e|ing)|track(?:ing)?|collect(?:ing)?|learn(?:ing)?|memori[sz](?:e|ing)|h(?:old|ang)(?:ing)? on ?to"
    r"|writ(?:e|ing) down|jot(?:ting)? down|tak(?:e|ing) notes? (?:of|on|about)|keep(?:ing)? (?:any )?(?:notes?|records?|track|a record) (?:of|on|about))(?: (?:down|any ?more|again|me down for))?"
)
_KEPT = r"(?:kept|stored|saved|remembered|recorded|logged|retained|noted|memori[sz]ed|tracked|collected|written down)"
_SOMETHING = r"(?:anything|any(?: more)? (?:facts?|info\w*|details?|data|notes?|memor\w+)|(?:facts?|info\w*|details?|data|things?|stuff|notes?|memories)|what i (?:say|tell you|share)|whatever (?:i say|i tell you)|everything|a thing|a word) (?:i (?:say|tell you|share|mention) )?(?:that (?:has|have) to do with|to do with|related to|relating to|about|on|of|from|regarding|concerning)"
_NOT = r"(?:do not|don'?t|not to|stop|quit|no longer|refrain from|avoid|you(?:'re| are) not(?: allowed)? to|you (?:may|must|should|can) ?not|i (?:do not|don'?t|never) want you(?: to)?|wants? (?:nobody|no one) to|must not|please no)"
_STANDING = re.compile(
    r"\b(?:never|ever|from now on|from here on|in general|as a rule|a rule|standing|at no time|under no circumstances|always|in (?:the )?future|going forward|henceforth|whenever|every time|any time|each time|if i|when i|whatever i|now or later|permanently|generally|stop|quit|off[- ]limits|no memor(?:y|ies) (?:about|on|of))\b"
    r"|以后|今后|往后|从今|从此|从现在|永远|一律|凡是|但凡|每次|每当|只要|规矩|规则|任何时候|什么时候|(?:任何|所有|一切).{0,4}(?:关于|有关|跟|和|涉及)|一概|永不|绝不|禁区|别再|不要再|不用再|不许再",
    _I,
)
_ALL_ABOUT_ZH = re.compile(r"(?:关于|有关|跟|涉及).{1,12}(?:的|都|统统|全)")
_EN = tuple(
    re.compile(source, _I)
    for source in (
        rf"\b(?:if|when(?:ever)?|(?:every|each|any) time) i (?:ever )?(?:mention|talk about|bring up|speak (?:of|about)|say (?:anything|something) about|paste|share|tell you about|send)(?: you)? (?P<topic>[^,]+),.*\b(?:never|not|don'?t)\b.*\b(?:{_KEEP}|{_KEPT})",
        rf"(?<!\bi )(?<!\bi\'d )(?<!\bwe )(?<!\bi can )(?<!\bi could )\b(?:never|don'?t ever|do not ever|at no time|under no circumstances)(?: (?:again|ever|to|should you|you|are you to))*,? {_KEEP} (?P<topic>.+)",
        rf"\b{_NOT}(?: ever| again)? {_KEEP}(?: {_SOMETHING})? (?P<topic>.+)",
        rf"(?P<topic>\b(?:my|our|his|her|their|the user'?s?|user'?s?|the|anything|information|facts)\b.{{2,60}}?) (?:is|are|should|must|may|can|shall|will)(?: never| not|n'?t)(?: ever| to| be| get)* {_KEPT}",
        r"\b(?:keep|leave) (?P<topic>.+?) (?:out of|off) (?:everything |anything )?(?:what(?:ever)? you (?:remember|keep|know|store|save)|(?:your |my |the )?(?:memory|memories|profile|notes?|records?|files?))",
        rf"\b(?:does not|doesn'?t|do not|don'?t) want (?P<topic>.+?) (?:to be )?{_KEPT}",
        rf"\bwhatever i (?:say|tell you|mention|share)(?: to you)? (?:about|on) (?P<topic>[^,]+),? (?:please |just )*(?:don'?t|do not|never) {_KEEP}",
        rf"\b(?:{_SOMETHING}) (?P<topic>.+?) (?:stays?|is|are|should (?:stay|be)|must (?:stay|be)|has to (?:stay|be)|goes) (?:always |permanently |strictly )?(?:out of|off[- ]limits|off|nowhere|unsaved|unrecorded|not (?:to be )?(?:{_KEPT}|in))",
        r"(?P<topic>\b(?:my|our)\b.{2,40}?) (?:stays?|should stay|must stay|has to stay|is|are|belongs?) (?:always |permanently |strictly )?(?:out of (?:your |the )?(?:memory|notes|profile|records?)|off[- ]limits)",
        rf"\bi (?:never|don'?t ever) want (?P<topic>(?:my|our)\b.+?) (?:to be )?{_KEPT}",
        r"\bno (?:memor(?:y|ies)|notes?|records?|facts?|data) (?:about|on|of) (?P<topic>.+?)(?:,? (?:ever|please|at all|again|ok))*$",
        r"\bno (?P<topic>[\w ]{3,30}?) (?:details|info\w*|facts|data|notes) (?:in|into) (?:(?:your|my|the|long-term) )*(?:memory|notes|profile|records?)",
        r"(?P<topic>\b(?:my|our|anything|everything|facts|information)\b.{2,60}?) (?:is|are|should|must|may|can|shall|will) (?:never|not) (?:ever )?(?:to )?(?:go|end up|land|be put) (?:in|into|on) (?:(?:your|my|the|long-term) )*(?:memory|notes|profile|records?|file)",
        rf"\b(?:no|nothing)(?: (?:notes?|records?|memor\w+|facts?|info\w*))?(?: (?:about|on|regarding))? (?P<topic>.{{3,50}}?) (?:is|are|should|may|must|can)(?: (?:ever|be|to))* {_KEPT}",
    )
)
_NEG_ZH = r"(?:(?<![识区分特级性类差告离个道])别(?![人的处家说])|不要|不许|不准|不得|不用|不必|不需要|禁止|勿|莫|甭|不能|不可以?|不希望你?|不想让?你?|不该|停止)"
_KEEP_ZH = r"(?:(?<!登)记(?![错混反者账仇性])|存(?!钱|款|在)|保存|保留|留(?:存|着|底|档|痕|下)|收(?:进|入|录|集|着)|录(?:入|进)?(?!音|像|屏|用|制)|写(?:进|入|到)|放(?:进|入|到|在)|采集|入库|进(?=记忆|档|库|画像|资料|你)|(?<=[里中])放|归档|store|save|keep|record|remember|log)"
_NOT_KEEP_ZH = re.compile(
    rf"(?:一律|一概|永远|永|绝|都|全都?)不(?:要|用)?(?:记录?(?!得)|存|留(?:存|底)?|收录?|保存|保留|入库|进记忆)|{_NEG_ZH}(?!.{{0,2}}忘)(?:再|去|给我|帮我|替我|把|继续|老|往.{{1,6}}?里?(?=[记存放写收]))*(?P<what>[^，,。记存留收录写放]{{1,14}}?)??{_KEEP_ZH}(?:录|住|下来?|起来|进|入|着|存|档|底|到|在|往)*(?:记忆库?|画像|档案|本子|资料)?[里中]?",
    _I,
)
_EMPTY_ZH = re.compile(
    rf"{_STANDING.pattern}|给你|[定立]个?|一?条?规矩|相关的?|有关的?|关于|跟|和|对|我们?(?:的|家的?)?|用户的?|其|他们?的?|她们?的?|的(?:事儿?|东西|信息|内容|情况|话题?|资料|数据|时候|那些)|这些|那些|这类|这种|任何|所有|信息|内容|相关|时候|聊到|提到|说到|讲到|谈到|报给?你?|说给?你?|涉及|只要|凡是|全|统统|都|也|就|请|麻烦|你|您|是|了|吧|啊|哈|哦|事$",
    _I,
)
_POINTING = re.compile(
    r"^\W*(?:this|that|it|these|those|them|any of (?:this|that|it)|(?:what|anything|everything|whatever|a word)(?: else)? (?:i|we)(?:'m| am|'ve| have)?(?: just| say| said| tell| told| about to)*\b(?! about| regarding)|her|him|me|here|in this)\b"
    r"|\b(?:below|above|following|next|last|just)\b|(?:什么|啥)(?:也|都)|[说聊讲问]啥|任何东西|一个字|当没|惦|测试|账号|今天|刚才|刚刚|接下来|以下|下面|上面|这[句条段次个]|本次|对话|聊天|(?:this|our) (?:chat|conversation|message)",
    _I,
)
_THINGS = re.compile(
    r"\b(?:files?|drafts?|code|disk|database|cookies?|passwords?|tokens?|keys?|tests?|repo\w*|spreadsheet|documents?|logs?|cache|table|branch|images?|photos?|list|fridge|localstorage|session (?:data|storage)|waiting|calm|going|quiet|straight|emails? (?:in|to))\b"
    r"|代码|密码|密钥|文件|日志|草稿|图片|照片|表格|接口|字段|变量|数据库|磁盘|缓存|冰箱|手机里|错|明文|脚本|会议纪要|单元测试",
    _I,
)
"""What is kept in a task, and not in memory."""
_TO_KEEP = re.compile(r"\b(?:forget|don'?t (?:you )?(?:ever )?(?:forget|lose))\b|[别勿]忘|不要忘|记得", _I)


def topic_rules(text: str, *, standing: bool = False) -> tuple[TopicRule, ...]:
    """The rules of a text, at most one a sentence, each in as few clauses as say it. `standing` says that it is a rule
    anyhow (an instruction that is kept), so that no word like never or 以后 needs to say so.
    """
    plain = plain_text(text)
    if not standing and not any(words.search(plain) for words in (_STANDING, _ALL_ABOUT_ZH, _ABOUT)):
        return ()
    found = (_of_sentence(sentence, text, standing) for sentence in sentences(text))
    return tuple(rule for rule in found if rule is not None)


def topic_rule(text: str) -> TopicRule | None:
    """The first rule of a text."""
    return next(iter(topic_rules(text)), None)


_ABOUT = re.compile(_SOMETHING, _I)
_MOST_CLAUSES = 3


def _of_sentence(sentence: Sentence, text: str, standing: bool) -> TopicRule | None:
    clauses = sentence.clauses
    for size in range(1, _MOST_CLAUSES + 1):
        for start in range(len(clauses) - size + 1):
            rule = _rule(clauses[start : start + size], text, standing)
            if rule is not None:
                return rule
    return None


def _rule(clauses: tuple[Clause, ...], text: str, standing: bool) -> TopicRule | None:
    own = "，".join(clause.own for clause in clauses)
    if len(own) > _LONGEST or FILLER in own or any(clause.marked for clause in clauses):
        return None
    plain = plain_text(own)
    if _TO_KEEP.search(plain) or _TO_ERASE.search(plain):
        return None
    if _keeps_things(plain):
        return None
    stands = standing or bool(_STANDING.search(plain) or _ALL_ABOUT_ZH.search(plain))
    topic = _topic_zh(plain, stands) if re.search(r"[\u3400-\u9fff]", plain) else _topic_en(plain, stands)
    if not topic or _POINTING.search(topic) or _THINGS.search(topic) or not _aspects(topic).named:
        return None
    return TopicRule(text[clauses[0].start : clauses[-1].end].strip(), topic)


_LONGEST = 160
_OF_THINGS = re.compile(
    r"\b(?:keep(?:ing)?|kept|stor(?:e|ed|ing)|sav(?:e|ed|ing)|track(?:ed|ing)?|h(?:old|eld|ang|ung)(?:ing)? on ?to|retain\w*|collect\w*)\b"
    r"|(?<![记存])(?:放|写|收|录|留|归档)(?!存|底|档|痕)",
    _I,
)
"""Verbs of keeping that things are kept by as well."""
_OF_MEMORY = re.compile(
    r"\b(?:remember\w*|memor\w+|record\w*|log(?:ged|ging)?|not(?:e|es|ed|ing)|learn\w*|writ(?:e|ing|ten) down|jot\w*|profile|files?|records?"
    r"|about|regarding|concerning|related to|to do with|info\w*|details?|data|facts?|histor(?:y|ies)|numbers?|address(?:es)?|location|whereabouts|salar\w+|income"
    r"|mention\w*|share[sd]?|paste|names?|subject|gossip|sessions?|pay|finances?|politics|religion|faith|health|medical|diagnos\w+|relationships?|love life|birthdays?)\b"
    r"|记|存|画像|档案|资料|本子|信息|数据|关于|有关|内容",
    _I,
)
"""Words that only what is told is kept by: other verbs, places of memory, and what is said of somebody."""


def _keeps_things(plain: str) -> bool:
    """Whether a wish is about where things or people are kept (never keep my dog on a leash), and not about memory."""
    return _OF_THINGS.search(plain) is not None and _OF_MEMORY.search(plain) is None


_TO_ERASE = re.compile(
    r"\b(?:delete|remove|erase|wipe|clear) (?:it|that|them|my|all)\b|删|清[掉空]|销掉|忘[掉了]|再?[记留存]着.*(?:了|着)?$",
    _I,
)
_MINE = re.compile(rf"\b(?:my|our|me|his|her|their|user'?s?)\b|{_SOMETHING}", _I)
_LOOSE = re.compile(
    r"\s*\b(?:any ?more|any longer|now|later|again|please|ever|from now on|in (?:memory|future|the future|your \w+)|to memory)\b.*$",
    _I,
)


def _topic_en(plain: str, stands: bool) -> str:
    for pattern in _EN:
        found = pattern.search(plain)
        if found and (stands or re.search(_SOMETHING, found.group(), _I)):
            named = re.sub(rf"^(?:{_SOMETHING}) ", "", re.split(r"[,;]", found["topic"].strip(" ,.!"))[0])
            return _LOOSE.sub("", named) if _MINE.search(found.group()) or _named("what", named) else ""
    return ""


def _topic_zh(plain: str, stands: bool) -> str:
    found = _NOT_KEEP_ZH.search(plain)
    if found is None or not stands:
        return ""
    before = re.split(r"[,;:]", plain[: found.start()])[-_CLAUSES_BEFORE:]
    around = f"{' '.join(before)} {found['what'] or ''} {_first_clause(plain[found.end() :])}"
    topic = re.sub(r"[\s，,:：]+", " ", _EMPTY_ZH.sub(" ", around)).strip()
    return "" if _aspects(topic).terms else topic


_CLAUSES_BEFORE = 2


def _first_clause(rest: str) -> str:
    return re.split(r"[，,；;]", rest, maxsplit=1)[0]


# --- what falls under it ---

_WHO = {
    "kids": r"\b(?:kids?|child(?:ren)?|sons?|daughters?|baby|toddler|stepson|stepdaughter)\b|孩子|女儿|儿子|宝宝|娃|闺女|小孩",
    "spouse": r"\b(?:husband|wife|spouse|partner)\b|老公|老婆|丈夫|妻子|爱人|先生|太太|媳妇",
    "former": r"\b(?:ex|ex-\w+|former (?:husband|wife|partner))\b|前(?:男友|女友|任|夫|妻)",
    "parents": r"\b(?:mother|mum|mom|mama|father|dad|parents?|stepdad|stepmum)\b|爸|妈|父|母",
    "in-laws": r"\b(?:\w+)-in-law\b|\bin-laws\b|公公|婆婆|岳父|岳母|丈母娘",
    "siblings": r"\b(?:brothers?|sisters?|siblings?)\b|哥|姐|弟|妹",
    "boss": r"\b(?:boss|manager)\b|老板|领导|上司",
    "colleagues": r"\b(?:colleagues?|coworkers?|co-workers?)\b|同事",
    "friends": r"\b(?:friends?)\b(?! request)|(?<![男女])朋友|闺蜜|哥们",
    "customers": r"\b(?:customers?|clients?|patients?|students?)\b|客户|病人|患者|学生",
}
_WHAT = {
    "politics": r"\bpolitic\w*|\bvot(?:e|ed|ing)\b|\belections?\b|\b(?:democrat|republican|labour|tory|conservative|liberal)s?\b|政治|投票|选举|党派|党员",
    "love": r"\blove life\b|\bdating\b|\b(?:boy|girl)friend\b|\bcrush\b|\bromantic\b|\brelationship\b|\bin love\b|\bbroke up\b|感情|恋|爱情|约会|分手|相亲|男友|女友|男朋友|女朋友|前任|对象",
    "faith": r"\breligio\w+|\bfaith\b|\bchurch\b|\bmosque\b|\btemple\b|\bpray\w*|\b(?:christian|muslim|buddhis[tm]|catholic|jewish|hindu|atheist)\w*|信仰|宗教|信[佛教主]|教堂|基督|伊斯兰|佛教|道教|礼拜",
    "therapy": r"\btherap\w+|\bcounsell?\w+|\bpsych\w+|\bdepress\w*|\banxiet\w+|\bmental\b|心理|抑郁|焦虑|咨询师",
    "health": r"\ballerg\w+|\basthma\w*|\bdiabet\w+|\bintoleran\w+|\bblood (?:pressure|type|sugar)\b|过敏|哮喘|糖尿|血型|残疾|\bdisab\w+|\bhealth\b|\bill(?:ness)?\b|\bmedic\w+|\bpills?\b|\bdiagnos\w+|\bsymptoms?\b|\bhiv\b|\bcancer\b|\b(?:adhd|ibs|copd)\b|\bpregnan\w+|\bmiscarr\w+|\binsulin\b|\bmigraines?\b|病|药|症|血压|血糖|心率|体检|手术|怀孕|流产|胰岛素|化疗|医院",
    "pay": r"\bfinanc\w+|财务|财产|存款|\bsavings?\b|\bsalar\w+|\bwages?\b|\bincome\b|\bearn\w*|\bpaid\b|\bbonus\w*|\bpay\b|工资|薪|收入|奖金|年终奖|挣",
    "debt": r"\bdebts?\b|\bloans?\b|\bowe[sd]?\b|\bmortgage\b|\bcredit card\b|\bbankrupt\w*|欠|债|贷|负债|破产",
    "place": r"\blocation\b|\bwhereabouts\b|\baddress\b|\bwhere i (?:am|live)\b|\blives? (?:in|at|on)\b|\bbased in\b|\bmoved to\b|位置|地址|住址|住在|行踪|定位|搬到",
    "workouts": r"\bwork(?:ing)? ?outs?\b|\bgym\b|\bruns?\b|\bran\b|\bruns\b|\btraining\b|\blift\w*|健身|跑步|锻炼|运动",
    "sex": r"\bsex\w*|\bgay\b|\blesbian\b|\bbisexual\b|\bqueer\b|\btrans(?:gender)?\b|性取向|性生活|同性恋|出柜",
    "law": r"\blegal\b|\blawsuits?\b|\barrest\w*|\bcourt\b|\bdivorc\w+|\bcriminal\b|\bconvict\w+|官司|起诉|案底|前科|坐牢|离婚",
}
_ALIKE = {"diet": "food", "money": "money", "pet": "pets", "job": "work", "school": "study", "hobby": "", "smoking": ""}
_SAME = {"pay": "pay", "health": "health", "faith": "faith", "address": "place", "former": "", "family": ""}
"""Topics of `naming` that the words above know better."""


@dataclass(frozen=True, slots=True)
class _Aspects:
    """Who and what a text is about."""

    who: frozenset[str]
    what: frozenset[str]
    terms: frozenset[str]

    @property
    def named(self) -> bool:
        return bool(self.who or self.what or self.terms)


_FAMILY = re.compile(r"\bfamily\b|\brelatives\b|家人|家庭|家里人|亲戚", _I)


@cache
def _compiled(kind: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(source, _I)) for name, source in (_WHO if kind == "who" else _WHAT).items())


def _named(kind: str, text: str) -> frozenset[str]:
    return frozenset(name for name, pattern in _compiled(kind) if pattern.search(text))


_LATIN = re.compile(r"[a-z][a-z'-]+")


def _areas(text: str) -> frozenset[str]:
    words = frozenset(_LATIN.findall(text))
    return frozenset(area.name for area in AREAS if words & area.latin or any(part in text for part in area.chinese))


_GENERAL = frozenset(
    [
        "thing",
        "session",
        "info",
        "information",
        "detail",
        "fact",
        "data",
        "view",
        "life",
        "stuff",
        "name",
        "list",
        "record",
        "信息",
        "内容",
        "事",
        "事情",
        "东西",
        "数据",
        "资料",
        "跟",
        "关",
        "时候",
        "到前",
    ]
)


def _aspects(topic: str) -> _Aspects:
    """What a rule names: people, subjects of our own lists, else topics of `naming`, else areas, else its own words."""
    plain = plain_text(topic)
    who = _named("who", plain) | ({"family"} if _FAMILY.search(plain) else frozenset())
    what = _named("what", plain)
    if not what and not who:
        topics = topics_of(plain) - _SAME.keys()
        what = frozenset(f"topic.{name}" for name in topics) | {
            f"area.{area}" for name in topics if (area := _ALIKE.get(name))
        }
    if not what and not who:
        what = frozenset(f"area.{name}" for name in _areas(plain))
    terms = frozenset(term for term in terms_of(plain) if term not in _GENERAL and (term.isascii() or len(term) > 1))
    return _Aspects(who, what, frozenset() if what or who else terms)


def _meets(aspects: _Aspects, plain: str) -> bool:
    people = _named("who", plain) | ({"family"} if _named("who", plain) & _RELATIVES else frozenset())
    if aspects.who and not aspects.who & people:
        return False
    if aspects.terms:
        return bool(aspects.terms & terms_of(plain))
    if not aspects.what:
        return bool(aspects.who)
    known = _named("what", plain)
    known |= {f"topic.{name}" for name in topics_of(plain)} | {f"area.{name}" for name in _areas(plain)}
    return bool(aspects.what & known)


_RELATIVES = frozenset({"kids", "spouse", "parents", "siblings", "in-laws"})


def falls_under(rules: Iterable[TopicRule], *statements: str) -> bool:
    """Whether a fact, in any of its wordings, speaks of the topic of a rule."""
    plains = [plain_text(each) for each in statements if each]
    return any(_meets(_aspects(rule.topic), plain) for rule in rules for plain in plains)


def without_rules(text: str, rules: Iterable[TopicRule]) -> str:
    """What a message says beside its rules."""
    for rule in rules:
        text = text.replace(rule.clause, " ")
    return text.strip(" \n\t，,。.！!；;：:")
