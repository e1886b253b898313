"""Whose property a verb speaks of: “I moved to Paris” is about the speaker, “my meeting moved to 3pm” about a meeting.

The subject is what stands right before the verb: the speaker, a relation (`daughter`), or a thing in its own words
(`meeting with anna`, 牙医预约). All of it is lexicon, in both languages.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE
SPEAKER = "user"
_REACH = 80
"""Characters before a verb in which its subject is looked for."""

RELATIONS: tuple[tuple[str, str], ...] = (
    ("daughter", r"女儿|闺女|\bdaughter"),
    ("son", r"儿子|\bson\b|\bson's"),
    ("child", r"孩子|小孩|\b(?:kid|child)"),
    (
        "partner",
        r"老婆|媳妇|妻子|太太|爱人|老公|丈夫|女朋友|男朋友|女友|男友|对象|\b(?:wife|husband|partner|girlfriend"
        r"|boyfriend|spouse)\b",
    ),
    ("cousin", r"[表堂][哥弟姐妹]|\bcousin\b"),
    ("in-law", r"岳[父母]|公公|(?<!外)婆婆|丈母娘|嫂|[姐妹]夫|弟[妹媳]|女婿|儿媳|-in-law\b"),
    ("grandchild", r"孙[子女儿]|\bgrand(?:son|daughter|child|kid)"),
    ("aunt", r"[大二三小]姑|姑[姑妈]|[姨舅]妈|[大二三小]姨|阿姨|婶|伯母|\baunt"),
    ("uncle", r"叔|舅(?!妈)|伯(?!母)|\buncle\b"),
    ("ex", r"前[任夫妻]|前[男女]朋?友|\bex(?:-\w+)?\b"),
    ("landlord", r"房东|\blandlord\b"),
    (
        "teacher",
        r"我们?(?:的\S{0,4}|数学|英语|语文|体育|钢琴|瑜伽|健身)?(?:老师|教练)|\b(?:my|our)(?: \w+)? (?:teacher|coach)\b",
    ),
    ("doctor", r"我们?(?:的\S{0,3}|家庭|主治)?(?:医生|牙医)|\b(?:my|our)(?: \w+)? (?:doctor|dentist|gp)\b"),
    ("parent", r"我?[爸妈](?:爸|妈)?(?!的话)|父亲|母亲|父母|\b(?:mom|mum|dad|mother|father|parents?)\b"),
    (
        "sibling",
        r"哥哥|弟弟|姐姐|妹妹|我[哥弟姐妹]|(?<![小])[大二三四][哥姐](?!大|夫)|[大二三四小][弟妹](?!夫)|^[哥弟姐妹]$|\b(?:brother|sister)\b",
    ),
    ("nephew", r"外甥女?|侄[子女]|\b(?:nephew|niece)\b"),
    ("grandparent", r"爷爷|奶奶|外公|外婆|姥[姥爷]|\b(?:grand(?:ma|pa|mother|father|parents?)|granny)\b"),
    ("colleague", r"同事|老板|经理|领导|客户|\b(?:boss|manager|colleague|coworker|client)\b"),
    ("friend", r"朋友|室友|邻居|\b(?:friend|roommate|flatmate|neighbou?r)\b"),
)
_RELATIONS = tuple((name, re.compile(source, _I)) for name, source in RELATIONS)

_MEANWHILE_EN = (
    r"(?:['’](?:s|ve|re|m|d)|\s*\b(?:has|have|had|is|are|am|was|were|been|be|being|got|will|just|now|recently|also"
    r"|finally|since|already|actually|currently|still|both|who|that|all)\b|\s)*$"
)
_THING_EN = re.compile(
    r"\b(?:my|our|the|this|that|(?:the )?user['’]s)\s+(?P<thing>[\w-]+(?:['’]s)?(?:\s[\w-]+(?:['’]s)?){0,3}?)"
    + _MEANWHILE_EN,
    _I,
)
_NAMED_EN = re.compile(r"(?<![\w'’])(?P<thing>[A-Z][a-z]+)" + _MEANWHILE_EN)
_NO_NAME = frozenset(
    re.findall(
        r"\w+",
        "i we user my our the this that his her their hi hey hello ok okay he she they it you recently just now actually"
        " since so and but also yes no well today yesterday finally currently please remember note correction have",
    )
)
_QUALITIES = frozenset(
    [
        "first",
        "last",
        "full",
        "middle",
        "real",
        "new",
        "nick",
        "user",
        "own",
        "old",
        "current",
        "preferred",
        "legal",
        "display",
        "sur",
    ]
)
_CLAUSE = re.compile(r"[，。；;！!？?：:\n]|,(?!\d)|\.(?=\s)")

_MEANWHILE_ZH = re.compile(
    r"(?:现在|目前|如今|已经|刚刚?|最近|上个?月|下个?月|上周|下周|去年|今年|明年|前年|昨天|今天|正式|终于|打算|准备|即将|一直|仍然?"
    r"|全家|一家人?|一起|临时|又|都|也|就|要|还|被|从\S{1,12}?|的?名字|的|\s)+$"
)
_OPENING_ZH = re.compile(r"^(?:其实|实际上|事实上|对了|不对|更正一?下|(?:请|帮我)?记[住得]|以后|另外|[还]有|好的?|嗯)+")
_POSSESSION_ZH = re.compile(r"(?:用户|我们?|咱们?|本人)(?:家里?)?的?|我家|(?:这|那)[个场次节趟]|本|该")
_OWNED_ZH = re.compile(r"(?:用户|我们?|咱们?|本人)(?:家里?的?|的)")
THING_ZH = (
    r"(?:会议|例会|周会|站会|晨会|面试|约会|聚会|聚餐|晚餐|饭局|航班|班机|火车|高铁|课|课程|考试|手术|体检|复诊|预约|活动|婚礼"
    r"|派对|讲座|培训|比赛|评审|发布会?|上线|截止(?:日期|时间)?|公司|总部|办公室|工位|团队|部门|学校|餐厅|工厂|仓库|服务器?"
    r"|数据库|机房|项目|网站|域名|文件|文档|车|狗|猫|鸟|鱼|兔子?|仓鼠|乌龟|船|电脑|手机|机器人|助手|店)"
)
_THING_ZH = re.compile(rf"{THING_ZH}$")
_SPEAKS_ZH = re.compile(r"(?:我们?|咱们?|俺|本人|用户)(?:(?:和|跟|与)\S{1,8})?$")


def subject_before(text: str) -> str:
    """The subject of a verb that follows `text`: `user`, a relation, or a thing in its own words, lower case."""
    clause = _CLAUSE.split(text[-_REACH:])[-1].rstrip()
    return _thing_zh(clause) or _thing_en(clause) or _nearest(text[-_REACH:])


def _thing_zh(clause: str) -> str:
    if re.search(r"把\S", clause):
        return clause[clause.index("把") + 1 :]
    core = _OPENING_ZH.sub("", _MEANWHILE_ZH.sub("", clause))
    if not re.search(r"[\u3400-\u9fff]$", core) or _SPEAKS_ZH.search(core):
        return ""
    owned = _OWNED_ZH.match(core)
    noun = _POSSESSION_ZH.sub("", core, count=1) if _POSSESSION_ZH.match(core) else core
    if relation := _relation(noun):
        return relation if not _THING_ZH.search(noun) else noun
    other = _OTHER_ZH.fullmatch(core) or _THING_ZH.search(noun) or (owned and len(noun) <= _LONGEST_OWNED)
    return noun if noun and other else ""


_OTHER_ZH = re.compile(
    r"[他她它牠]们?|(?!小[学区时孩])[小老阿][\u4e00-\u9fff]|[\u4e00-\u9fff](?:总|姐|哥|先生|女士|老师)"
)
"""Somebody else by a pronoun or by a name as it is spoken (小王, 张总)."""
_LONGEST_OWNED = 8


def _thing_en(clause: str) -> str:
    if found := _THING_EN.search(clause):
        return thing_of(found["thing"])
    named = _NAMED_EN.search(clause)
    name = named["thing"].lower() if named else ""
    return _relation(name) or name if name not in _NO_NAME else ""


def thing_of(phrase: str) -> str:
    """What an English phrase names: its relation when that is its last word, else its words; `user` for a quality."""
    words = [word for word in re.sub(r"['’]s$", "", phrase).split() if word.lower() not in _QUALITIES]
    if len(words) > 1 and words[-1][:1].isupper() and _relation(words[-2].lower()):
        words.pop()  # my sister Amy
    words = [word.lower() for word in words]
    return (_relation(words[-1]) or " ".join(words)) if words else SPEAKER


def _relation(noun: str) -> str:
    return next((name for name, pattern in _RELATIONS if pattern.search(noun)), "")


def _nearest(before: str) -> str:
    """The speaker or the relation that was named last; she and he are whom the text named last, else somebody unnamed."""
    if re.search(r"\b(?:I|we) and (?:my|our) \w+|\bmy \w+ and I\b|我们?(?:和|跟|与)\S{1,8}$", before, _I):
        return SPEAKER
    spoken = [
        (found.start(), False, SPEAKER) for found in re.finditer(r"\b(?:I|we|user)\b|用户|我(?![爸妈])|咱", before, _I)
    ]
    related = [(found.start(), True, name) for name, pattern in _RELATIONS for found in pattern.finditer(before)]
    place, _, nearest = max([*spoken, *related], default=(-1, False, SPEAKER))
    pronouns = [found for found in _PRONOUN.finditer(before) if found.start() > place]
    return max(related)[-1] if pronouns and related else pronouns[-1].group().lower() if pronouns else nearest


_PRONOUN = re.compile(r"\b(?:she|he)\b", _I)
