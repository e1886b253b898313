"""Whose a statement is: the speaker's, the project's, or somebody's by relation, name or pronoun.

A fact replaces only one about the same owner. Relations, names and what one does are word lists: they know what they
list, and where they take a word for a name two facts stand side by side and nothing is lost.
"""

from __future__ import annotations

import re

from memoryapp.domain.beings import begin_apart
from memoryapp.domain.subjects import RELATIONS
from memoryapp.domain.terms import terms_of

_I = re.IGNORECASE
_OWNERS: tuple[tuple[str, str], ...] = (
    *RELATIONS,
    ("pet", r"(?:我的?|我家的?|用户的?)(?:猫|狗)|\b(?:my|user's|our|the) (?:cat|dog)\b"),
    ("project", r"项目|仓库|我们|咱们|团队|公司(?:里|统一|都)|\b(?:project|repo\w*|team|codebase|we|our)\b"),
)
_COMPILED_OWNERS = tuple((name, re.compile(source, _I)) for name, source in _OWNERS)
_THEMSELVES = frozenset({"user", "project"})
_IN_A_ROLE = re.compile(
    r"(?:是|当|做|担任|任|升任?|成了|成为|改成|改为)(?:了|一[名个位])?[^，。,]{0,6}?(?:经理|老板|领导|老师|教练|医生|房东)|\b(?:am|is|['’]m|as|became|become|now|to) (?:an? |the )?(?:\w+ ){0,3}?(?:manager|boss|landlord)\b",
    _I,
)
"""A manager by trade is nobody else."""
_HAS_SOMEBODY = re.compile(r"(?:有|养)(?:了|着)?[一两二三四几]?[个名位只条]?|\b(?:have|has|['’]ve got|got)\b", _I)
_SAYS_WHO = re.compile(r"我|用户|咱|\b(?:i|i'm|i've|my|mine|me|we|our|user|user's)\b", _I)


def owner_of(text: str) -> str:
    """Whose fact a statement is: `user`, `project`, or a relation such as `daughter`."""
    head = _head(text)
    return next((name for name, pattern in _COMPILED_OWNERS if pattern.search(head)), "user")


def _head(text: str) -> str:
    head = _ACTS.sub(" ", _IN_A_ROLE.sub(" ", text[:40]))
    return _COMPANY.sub(" ", head) if _SPEAKS.match(head) else head


_ACTS = re.compile(
    r"\b(?:my|our|the) (?:\w+ )?(?:doctor|gp|dentist|vet|boss|manager|teacher|coach|physio|therapist) (?:just |has |recently |finally )*"
    r"(?:upped|raised|lowered|cut|put|switched|moved|prescribed|told|asked|gave|advised|recommended|suggested|wants|doubled|halved|reduced|increased|stopped|took|made|promoted) (?:me|my|the|us|our)\b"
    r"|(?:医生|大夫|老板|领导|经理|老师|教练)(?:让|把|给|叫|建议|要|同意|说)我",
    _I,
)
"""Somebody by trade who does something to the one that a statement is about (my doctor upped the dose)."""
_SPEAKS = re.compile(r"I\b|I['’]|we\b|我(?!们?的|家)|用户(?!的)|(?:the )?user\b(?!['’])", _I)
_COMPANY = re.compile(
    r"\b(?:with|near|next to|close to|without) (?:my|our|his|her|the user['’]s) \w+|(?:和|跟|与|陪|带着?)我?的?(?:\S{1,4}?)(?=一起|一块|一同|搬|住|去)",
    _I,
)
"""Who is only with the one that a statement is about (I moved to Rome with my girlfriend)."""


def same_owner(text: str, known: str) -> bool:
    """Whether two statements are about the same one: not my mother and my father, nor 同事小王 and 同事小李, nor Tom and I."""
    return owner_of(text) == owner_of(known) and not speak_of_others(text, known)


def speak_of_others(text: str, known: str) -> bool:
    """Whether two statements of one sort of owner are about two of them: two colleagues, Tom and the speaker."""
    owner = owner_of(text)
    if owner != owner_of(known):
        return False
    if owner not in _THEMSELVES:
        return _are_others(text, known)
    mine, theirs = _spoken_of(text), _spoken_of(known)
    return mine != theirs and not _names(mine, known) and not _names(theirs, text)


def may_be_same_owner(text: str, known: str, said: str = "") -> bool:
    """Whether a text may be about whoever a known statement is about; `said` is the message it was taken from.

    A text that says nobody (“Piano is on Thursdays now”), or speaks of she and he, takes the owner of what it shares a
    word with; who has somebody (有个姐姐) still speaks of themself.
    """
    mine, theirs = owner_of(text), owner_of(known)
    if mine == theirs and mine not in _THEMSELVES and _are_others(text, known):
        return False
    if mine == theirs or {mine, theirs} == _THEMSELVES:
        return True
    if theirs == "user" and _HAS_SOMEBODY.search(text[:40]):
        return True
    if names_in(text) & names_in(known):
        return True
    if mine == "user" and theirs in _CHILDREN and _ONE_OF_THEM.search(text[:40]):
        return True
    spoken_of = bool(terms_of(text) & terms_of(known)) or owner_of(said) == theirs
    return mine == "user" and not _SAYS_WHO.search(text) and spoken_of


_CHILDREN = frozenset({"son", "daughter", "child", "sibling"})
_ONE_OF_THEM = re.compile(
    r"^(?:我们?家?)?[大小](?:的|的那个|那个)|^老[大二三]|^the (?:younger|older|elder|little|big|youngest|eldest) one\b",
    _I,
)
"""One of several children or siblings without a name (小的那个九月就上一年级了)."""


def names_in(text: str) -> frozenset[str]:
    """The names in Latin letters that a text holds, of people and of whatever else is written so."""
    return frozenset(_NAME.findall(text))


_NAME = re.compile(
    r"(?<![\w.])(?!User\b|The\b|My\b|I\b|We\b|Our\b|She\b|He\b)"
    r"(?!(?:January|February|March|April|May|June|July|August|September|October|November|December)\b"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?\b)[A-Z][a-z]{2,}"
)


# --- somebody by name ---


def _spoken_of(text: str) -> str:
    """Whom a statement is about by name or pronoun; empty for the speaker and for what says nobody."""
    if _SAYS_WHO.search(text):
        return ""
    found = _PERSON_NAMED.match(text.strip())
    return (found["zh"] or found["en"]).lower() if found else ""


def _names(name: str, text: str) -> bool:
    """Whether a text holds a name as a word."""
    return bool(name) and re.search(rf"(?<![a-z]){re.escape(name)}(?![a-z])", text.lower()) is not None


SURNAMES = "王李张刘陈杨黄赵吴周徐孙马朱胡郭何林高罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁沈姚卢姜崔钟谭陆汪范廖贾夏韦付邹孟熊秦邱江尹薛闫段雷侯史陶黎贺顾毛郝龚邵钱严覃武戴莫孔向汤"
_DOES_ZH = r"(?:现在|也|就|还|都|已经|最近)?(?:住|在|是|的|吃|喝|喜欢|讨厌|爱|不|对|用|养|叫|会|有|搬|去|做|当|生日|今年|毕业|工作|上班|开|戒|从|姓)"
_PERSON_NAMED = re.compile(
    rf"^(?P<zh>[他她]们?|[小老][{SURNAMES}](?!时)|(?!于今|周[一二三四五六日末边]|高[中铁考校]|马[上路]|江[苏西南]|苏州|夏天|于是|何时|钱包|陆续|段落|顾客|熊猫|程序|林业|武汉|许多|向来|毛衣|黄[油瓜]|孔雀|曾经|余额|史上|莫名|汤)[{SURNAMES}][\u4e00-\u9fff]{{1,2}}?)(?={_DOES_ZH})"
    r"|^(?P<en>(?!User\b|The\b|This\b|That\b|These\b|It\b|There\b|Today\b|Now\b|What\b|Who\b|Work\b|Home\b|Vegan\b|Vegetarian\b|Diet\b|Really\b|Still\b|Also\b|Just\b|Mostly\b|Usually\b|Always\b|Never\b|Only\b|Both\b|Everyone\b|[A-Z][a-z]+ly\b|Nobody\b|Someone\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?)"
    r"(?:['’]s\b|(?= (?:is|was|has|does|doesn['’]t|isn['’]t|lives?|works?|likes?|loves?|hates?|prefers?|uses?|eats?|drinks?|owns?|drives?|speaks?|studies|plays?|goes|moved|wants?|got|takes?|sits?|now)\b))"
)
"""Somebody by name, or she and he, as the subject of a statement."""


# --- one of several of a relation ---


def _are_others(text: str, known: str) -> bool:
    """Whether two texts about somebody speak of two of them: other words for them, or other names after the word."""
    mine, theirs = _own_names(text), _own_names(known)
    if mine and theirs:
        return not mine & theirs and not any(_names(name, text) for name in theirs)
    return begin_apart(_head(text), _head(known))


def _own_names(text: str) -> frozenset[str]:
    found = (match["zh"] or match["given"] or match["en"] or match["low"] for match in _OWN_NAME.finditer(_head(text)))
    return frozenset(name.lower() for name in found if name)


_NO_GIVEN_NAME = (
    r"现在|目前|如今|以前|之[前后]|[去今明]年|最近|已经|平时|经常|[每今明昨]天|从[小来]|一[直般]|周[末一二三四五六日]|[大小中]学|[高初]中|幼儿|公司|单位|老家|自己|刚刚|好像|可能|应该|喜欢|讨厌|[不也都还就主]在|[不也都]是"
    r"|搬[去到]|出国|[结离]婚|毕业|名字|生日|工作|上班|小时|以后|后来|今晚|[下上每]周|特别|非常|比较|有点|不太|最[爱喜]|住[在的]|主要|其实|打算|正在|准备|快要|曾经|突然|[住在是对吃有会上去学养叫爱不的]|[\u4e00-\u9fff][住在是对吃有会上去]"
)
_OWN_NAME = re.compile(
    rf"(?:{'|'.join(source for _, source in RELATIONS)}|猫|狗|(?i:\b(?:cat|dog)\b))"
    r"(?:(?P<zh>(?!小[学区时孩组朋公店说型心名]|老[家师板公婆是爱人爷早]|阿姨)[小老阿][\u4e00-\u9fff]|(?P<twice>[\u4e00-\u9fff])(?P=twice))"
    rf"|(?P<given>(?!{_NO_GIVEN_NAME})[\u4e00-\u9fff]{{2}})(?=住|在|是|对|吃|喜欢|讨厌|爱|不|会|有|养|叫|今年|上|学|去|的)"
    r"|,? (?-i:(?P<en>[A-Z][a-z]+))"
    r"| (?!who|also|now|still|just|really|never|always|usually|currently|and|that|already|only|both|there|here|she|he|it)(?P<low>[a-z]+)(?= (?:is|lives|works|likes|loves|hates|has|goes|moved|eats|drinks|plays|studies)\b))",
    _I,
)
"""The name right after the word for somebody (我同事小王, my friend Tom)."""
