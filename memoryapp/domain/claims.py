"""What a plain statement is about: whose it is, its family of meaning and its value; kinds and likeness by words.

Families say when a newer statement replaces an older one (one lives in one place), without an LLM and in both
languages. All of it is lexicon: it knows what it lists and stays silent about the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memoryapp.domain.owners import owner_of, same_owner
from memoryapp.domain.subjects import RELATIONS, THING_ZH, subject_before, thing_of
from memoryapp.domain.terms import EMPTY_CHINESE, terms_of
from memoryapp.domain.types import Kind

_I = re.IGNORECASE


@dataclass(frozen=True, slots=True)
class Claim:
    """One thing a text states: the family's name, whose it is, the value in the text's own words (may be empty)."""

    family: str
    owner: str
    value: str


_PLACE = (
    r"(?P<value>[\w .'-]{2,40}?)(?=$|[,.;]|\s(?:last|since|with|now|and|for|these|at|but|in (?:19|20"
    r"|january|may))\b)"
)
_ZH = r"(?P<value>[^\s，。,；;！!的了]{1,16})"

_TONGUE = "中文|英文|英语|汉语|日文|日语|法语|德语|西班牙语|韩语|粤语|简体中文|繁体中文"

_FAMILIES: tuple[tuple[str, str], ...] = (
    ("lives_in", rf"(?:住在|搬[到去来回]了?|定居[在于]?|现居|家在|(?<!记)住(?=[^\s院宿址处房几哪]))\s*{_ZH}"),
    (
        "lives_in",
        rf"\b(?:lives?|living|based|settled) in {_PLACE}|\b(?:moved|relocated)(?: from [\w .'-]{{1,40}}?)? to"
        rf" (?P<value2>[\w .'-]{{2,40}})",
    ),
    (
        "works_at",
        r"在(?P<value>[^\s，。,]{1,16}?)(?:公司)?(?:上班|工作|任职|就职|做事)|(?:跳槽到|入职"
        r"|加入)了?(?P<value2>[^\s，。,的了]{1,16})",
    ),
    (
        "works_at",
        r"在(?P<value>[^\s，。,在]{1,10}?)(?:做|当|担任|任)(?:[^\s，。,]{0,6}(?:工程师|经理|产品|测试|开发|设计|运营|销售|老师|会计|护士|医生|司机|顾问|研发|前端|后端|助理|主管|总监))",
    ),
    ("works_at", rf"\b(?:works? (?:at|for)|joined|employed (?:at|by)|employer is|(?:new job|job) at) {_PLACE}"),
    ("is_called", r"(?:名字(?:是|叫)|(?<![喊])叫(?!我|用户))\s*(?P<value>[^\s，。,的了就吧]{1,12})"),
    ("is_called", r"\bname(?:'s| is) (?P<value>[\w .'-]{2,30})"),
    (
        "addressed_as",
        r"(?:叫(?:我|用户)|[称喊]呼?(?:我|用户)(?:为|作)?|称呼(?:为)?)\s*(?P<value>[^\s，。,的了就吧]{1,12})",
    ),
    (
        "addressed_as",
        r"\b(?:call (?:me|the user|user)|address (?:me|the user|user) as|go(?:es)? by) (?P<value>[\w .'-]{2,30})",
    ),
    (
        "is_called",
        r"(?:\b(?:is|are|was)|['’]s)(?: now| actually)? (?:called|named) (?P<value>[\w .'-]{2,30}?)"
        r"(?=$|[,.;]|\s(?:and|but|not|now|who|because|she|he|it)\b)",
    ),
    ("eats", r"(?P<value>吃素|素食|纯素|吃荤|吃肉|清真|(?<!过)吃全素)"),
    ("eats", r"\b(?P<value>vegetarian|vegan|pescatarian|omnivore|eats? meat|plant-based|halal|kosher)\b"),
    ("answer_language", rf"(?:回答|回复|跟我说|和我说|聊天|交流|沟通|默认)\S{{0,8}}?用(?P<value>{_TONGUE})(?!注释)"),
    (
        "answer_language",
        rf"用(?P<value>{_TONGUE})\S{{0,4}}?(?:回答|回复|跟我|和我|交流|沟通|聊|答|说)"
        rf"|改成(?P<value2>{_TONGUE})",
    ),
    (
        "answer_language",
        r"\b(?:answer|reply|respond|speak|talk|write|replies|answers)\b[^.]{0,24}?\bin (?:\w+ )?"
        r"(?P<value>english|chinese|mandarin|spanish|french|german|japanese|portuguese|italian|korean|dutch)\b",
    ),
    ("answer_length", r"(?:回答|回复|答案|说话|内容|解释)\S{0,10}?(?P<value>简短|简洁|短|精简|详细|长|展开)"),
    (
        "answer_length",
        r"\b(?:answers?|repl(?:y|ies)|respon\w+|explanations?)\b[^.]{0,20}?\b(?P<value>short"
        r"|brief\w*|concise\w*|long|detailed|in detail)\b",
    ),
    ("answer_length", r"\b(?P<value>short|brief|concise|long|detailed) (?:answers?|repl(?:y|ies)|responses?)\b"),
    ("due", r"(?:截止(?:日期|时间)?|deadline|ddl|上线(?:时间|日期)|交付(?:日期|时间))(?P<value>.{0,24})"),
    ("due", r"\b(?:deadline|due(?: date)?|launch date|release date)\b(?P<value>.{0,40})"),
    (
        "port",
        r"端口\S{0,6}?\s*(?P<value>\d{2,5})|(?P<value2>\d{2,5})\s*端口|\bport (?:is |to |now"
        r" )*(?P<value3>\d{2,5})",
    ),
    ("birthday", r"生日(?P<value>.{0,12})|\bbirthday\b(?P<value2>.{0,24})"),
    ("phone", r"(?:电话|手机号?码?)(?P<value>.{0,20})|\b(?:phone|mobile|cell)(?: number)?\b(?P<value2>.{0,24})"),
    ("email", r"(?:邮箱|邮件地址)(?P<value>.{0,30})|\be-?mail(?: address)?\b (?:is|to) (?P<value2>\S+)"),
    (
        "meeting",
        r"(?:周会|例会|站会|晨会)(?P<value>.{0,20})|\b(?:weekly|stand-?up|sync)(?: meeting)?\b (?:is"
        r"|moved|takes)(?P<value2>.{0,30})",
    ),
    ("time_zone", r"时区(?P<value>.{0,12})|\btime ?zone\b(?P<value2>.{0,20})"),
    ("units", r"(?P<value>公制|英制|摄氏度?|华氏度?)|\b(?P<value2>metric|imperial|celsius|fahrenheit)\b"),
    ("theme", r"(?P<value>深色|浅色|暗色|亮色)(?:主题|模式)|\b(?P<value2>dark|light) (?:mode|theme)\b"),
    ("seat", r"(?P<value>靠窗|靠过道|过道)|\b(?P<value2>window|aisle) seats?\b"),
    ("indent", r"(?P<value>制表符|\d+ ?个?空格|[两四二]个?空格|tab)缩进|\b(?P<value2>tabs|(?:two|four|2|4) spaces)\b"),
    ("package_manager", r"(?<![\w-])(?P<value>pnpm|npm|yarn|bun|pip|poetry|uv|conda|cargo)(?![\w-])"),
    ("database", r"(?<![\w-])(?P<value>postgres(?:ql)?|mysql|mariadb|sqlite|mongodb|oracle)(?![\w-])"),
    ("editor", r"(?<![\w-])(?P<value>vs ?code|vim|neovim|emacs|zed|cursor|sublime|pycharm|intellij)(?![\w-])"),
    ("continuous_integration", r"(?<![\w-])(?P<value>jenkins|github actions|gitlab ci|circleci|travis)(?![\w-])"),
    ("chat_tool", r"(?P<value>飞书|钉钉|企业微信)|(?<![\w-])(?P<value2>slack|teams|discord|mattermost)(?![\w-])"),
    (
        "allergic_to",
        r"对\s*(?P<value>.{1,12}?)\s*(?:严重)?过敏|\ballergic to (?P<value2>[\w ,]{2,40})|\b(?:an? |severe |bad |the )*(?P<value3>[\w-]{3,20}) allergy\b",
    ),
    (
        "distance_unit",
        r"(?P<value>公里|千米|英里)|\b(?P<value2>kilomet(?:re|er)s?|miles)\b",
    ),
    ("weight_unit", r"(?:用|按|以)(?P<value>公斤|千克|斤|磅)|\bin (?P<value2>kilos?|kilograms?|pounds|stone)\b"),
    (
        "drinks",
        r"喝(?P<value>[^\s，。,]{1,8})|\bdrinks? (?P<value2>[\w ]{2,30})|(?:喜欢|偏好|偏爱|更爱)(?P<value3>奶茶|\S?茶|\S{0,2}咖啡|可乐|啤酒|红酒|白酒|牛奶)"
        r"|\b(?:prefers?|likes?|loves?|favou?rs?) (?P<value4>(?:\w+ )?(?:tea|coffee|juice|beer|wine|milk|cola|matcha|espresso|lattes?))\b",
    ),
)
_COMPILED = tuple((name, re.compile(source, _I)) for name, source in _FAMILIES)
_MANY = frozenset({"allergic_to", "drinks"})
"""Families in which one owner may well hold several values at once."""

FREE_VALUES = frozenset({"birthday", "phone", "email", "due", "meeting", "time_zone"})
"""Families whose value is whatever stands behind the label, up to a number of characters."""

_OF_ITS_SUBJECT = frozenset({"lives_in", "works_at", "is_called", "addressed_as"})
"""Families whose owner is the subject of their verb, not whoever the text names first."""
_ADDRESSED = re.compile(r"叫我|称呼|call (?:me|the user|user)|go(?:es)? by", _I)
_NO_HOME = re.compile(
    r"\d|(?:the |a |an |my |our )?(?:\w+ ){0,2}?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|(?:noon|midnight|tomorrow|next|later)\b"
    r"|(?:the |a |an |my |our )?(?:\w+ ){0,2}(?:team|role|position|department|job|project|desk|seat|plan|branch|group|shift|version)\b"
    r"|(?:linux|ubuntu|windows|mac|macos|ios|android|typescript|python|rust|go|kotlin|java|kubernetes|docker|aws|azure"
    r"|gcp|react|vue|svelte|git\w+)\b",
    _I,
)
_TOOLS = frozenset({"package_manager", "database", "editor", "continuous_integration", "chat_tool"})
_MOVED_EN = r"(?:moved|shifted|rescheduled|postponed|delayed|pushed(?: back| forward)?|brought forward|changed|put off)"
_PLACED = (
    re.compile(
        r"\b(?:my|our|the|user['’]s) (?P<thing>[\w-]+(?:['’]s)?(?: [\w-]+(?:['’]s)?){0,3}?)"
        r"(?: (?:has|have|is|are|was|were|been|got|just|now|already))*"
        rf" (?:{_MOVED_EN}(?: from [\w .:'-]{{1,30}}?)? (?:to|until|till|for)|(?:is|are|starts?|begins?|takes place|happens|(?<=is )now|(?<=are )now) (?:at|on|in))"
        r" (?P<value>[^,;]{1,40})",
        _I,
    ),
    re.compile(
        rf"\b(?:I|we)(?:['’]ve| have)?(?: just)? {_MOVED_EN} (?:my|our|the)"
        r" (?P<thing>[\w-]+(?: [\w-]+){0,3}?) (?:to|until|till|for) (?P<value>[^,;]{1,40})",
        _I,
    ),
    re.compile(
        rf"(?P<thing>[^，。；,;\s]{{0,10}}?{THING_ZH})(?:现在|已经|又|都|临时|被|从[^，。；,;]{{1,10}}?)*"
        r"(?:(?:挪|改|推迟|提前|延期?|调整?|移|换|搬)(?:到|在|至|成|为)了?|(?:是|定|安排)?在)(?P<value>[^，。；,;]{1,16})"
    ),
)
"""Where or when a thing is: its owner is the thing."""


def claims_of(text: str) -> tuple[Claim, ...]:
    """The claims a text plainly makes, at most one per family, the last value winning (不在上海，住在苏州)."""
    owner = owner_of(text)
    found: dict[str, Claim] = {}
    for family, pattern in _COMPILED:
        for match in pattern.finditer(text):
            value = next((part for part in match.groups() if part), "").strip(" ，。,.是在为：:")
            bound = family in _OF_ITS_SUBJECT and not _ADDRESSED.match(match.group())
            theirs = subject_before(text[: match.start()]) if bound else owner
            if family != "lives_in" or _PERSONS.fullmatch(theirs):
                found[family] = Claim(family, theirs, value)
    if "lives_in" in found and (_NO_HOME.match(found["lives_in"].value) or _TOOLS & set(found)):
        del found["lives_in"]
    return tuple(found.values()) or _placed(text)


_PERSONS = re.compile("user|" + "|".join(name for name, _ in RELATIONS))


def _placed(text: str) -> tuple[Claim, ...]:
    for pattern in _PLACED:
        for match in pattern.finditer(text):
            return (Claim("placed", _thing(match["thing"]), match["value"].strip()),)
    return ()


def _thing(words: str) -> str:
    return thing_of(words) if words.isascii() else re.sub(r"^.*?(?:用户|我们?|咱们?|[这那]个)的?", "", words)


def without_moves_of_things(text: str) -> str:
    """The text without a verb of moving that speaks of a meeting or an office: nobody lives elsewhere by it."""
    moves = _MOVES.search(text) and any(claim.family == "placed" for claim in claims_of(text))
    return _MOVES.sub(" ", text) if moves else text


_MOVES = re.compile(r"\bmoved to\b|搬[到去]", _I)


def is_single(family: str) -> bool:
    """Whether a newer value of this family replaces the older one."""
    return family not in _MANY


# --- kinds ---

_KINDS: tuple[tuple[Kind, str], ...] = (
    (
        Kind.PROJECT,
        r"项目|部署|端口|仓库|代码库|上线|测试环境|生产环境|截止|(?i:\b(?:project|deploy\w*|port \d+|deadline"
        r"|repo|staging|production|codebase|ddl|release|sprint)\b)",
    ),
    (Kind.DECISION, r"决定|选用|选定|敲定|定下来|(?i:\b(?:decided|chose|settled on|agreed to)\b)"),
    (
        Kind.PROFILE,
        r"^我(?:的名字)?叫|叫我|过敏|住在?|搬[到家去]|我是|左撇子|女儿|儿子|老婆|丈夫|妻子|孩子|我[爸妈]|糖尿病"
        r"|高血压|生日|电话|手机|跳槽|上班|入职"
        r"|(?i:\b(?:my name|call me|allergic|I live|lives? in|I(?:'m| am)\b|I've been|I speak|I work|works?"
        r" (?:at|for|as)|my (?:daughter|son|wife|husband|partner|kid|child|mother"
        r"|father|mom|dad|brother|sister|birthday|phone|address|job|manager|cat|dog)|moved to|I have an?|I own"
        r"|born|years old|intolerant|diabetic)\b)",
    ),
    (
        Kind.INSTRUCTION,
        r"以后|今后|从现在|别再|不要再|下次|每次|始终|永远|一律|统一|默认|务必|回答|回复|请"
        r"|(?i:\b(?:from now on|always|never (?!eat|drink)|don't ever|do not|don't|whenever|every time|next"
        r" time|by default|going forward|answer|reply|use|stop|keep)\b)",
    ),
    (
        Kind.PREFERENCE,
        r"喜欢|偏好|偏爱|倾向|习惯|讨厌|不吃|不喝|从来?不|只[吃喝看用]|一般|爱吃|爱喝|不看|吃素|喝|想要"
        r"|(?i:\b(?:prefer\w*|like|likes|love|loves|hate|hates|favou?rite|enjoy|rather|vegetarian|vegan|want"
        r"|drink|eat|never eat)\b)",
    ),
    (
        Kind.EVENT,
        r"\d+ ?[月号日]|周[一二三四五六日末]|星期|会议|例会|周会|(?i:\b(?:on (?:mon|tues|wednes|thurs"
        r"|fri|satur|sun)day|meeting|stand-?up|interview|appointment|flight|\d(?:st|nd|rd|th))\b)",
    ),
)
_COMPILED_KINDS = tuple((kind, re.compile(source)) for kind, source in _KINDS)
_LIKING = re.compile(
    r"我(?:一般|平时|通常|从来)|never (?:eat|drink)|don't (?:eat|drink)|我(?:更|比较|不"
    r"|最)*(?:喜欢|偏好|讨厌|爱|吃素|不吃|习惯)|\bI(?:'d)? (?:\w+ly )?(?:prefer|like|hate|love|enjoy)\b"
    r"|\bvegetarian\b|\bvegan\b|吃素",
    _I,
)
_SELF_NAMING = re.compile(r"叫我|我叫|call me|my name", _I)

_FORBIDS = re.compile(
    r"(?:请|你|以后|今后)*(?:别|不要|不许|不准|勿)再?(?:跟我|对我|给我|向我)?(?:提|问|聊|谈|说起|推荐)"
    r"|(?:please )?(?:don['’]?t|do not|never|stop)(?: ever)? (?:mention|bring(?:ing)? up|ask(?:ing)?|mentioning|talk(?:ing)? about)\b",
    _I,
)
_STANDING = re.compile(
    r"每个?(?:周|星期|礼拜|月|年|天|晚)(?!.*(?:会议|例会|周会|站会|晨会))|(?:周|星期|礼拜)[一二三四五六日天末]\S{0,3}(?:不|都|总|从不|只)"
    r"|\b(?:every|each) (?:other )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|week|month|morning|evening)\b(?!.*\bmeeting\b)"
    r"|\b(?:no|never|not|n['’]t)\b.*\bon (?:mon|tues|wednes|thurs|fri|satur|sun)days?\b",
    _I,
)
"""What holds week after week is a habit or a rule, no event."""


def kind_of(text: str) -> Kind:
    """The kind of a statement by its words; `note` when none of them says."""
    if _FORBIDS.match(text):
        return Kind.INSTRUCTION
    if _SELF_NAMING.search(text):
        return Kind.PROFILE
    text = without_moves_of_things(text)
    if _LIKING.search(text) and not re.search(r"过敏|allergic", text, _I):
        return Kind.PREFERENCE
    kind = next((kind for kind, pattern in _COMPILED_KINDS if pattern.search(text)), Kind.NOTE)
    return Kind.PREFERENCE if kind in (Kind.EVENT, Kind.NOTE) and _STANDING.search(text) else kind


# --- likeness by words ---

_NEGATION = re.compile(r"不|没|别|无|讨厌|\b(?:not|no|never|n't|don't|doesn't|isn't|hate|stop|without)\b|n't\b", _I)
_FIGURES = re.compile(r"\d+(?:[.:/]\d+)*")


_PREFERS = (
    re.compile(
        r"\b(?:prefers?|(?:like|love|enjoy)s?)\s+(?P<liked>[^,.;]{1,40}?)"
        r"(?:\s+(?:over|rather than|instead of|(?:better|more) than|to)\s+(?P<other>[^,.;]{1,40}))?\s*(?=$|[,.;\n])",
        _I,
    ),
    re.compile(
        r"(?:比起|相比|与其)\s*(?P<other>[^，。,]{1,12}?)(?:来说?|，|,|\s)*(?:我|用户)?(?:还是|更|比较|最)*(?:喜欢|爱|偏爱|偏好|倾向于?)\s*(?P<liked>[^，。,\n]{1,12})"
    ),
    re.compile(
        r"(?:喜欢|爱|偏爱|偏好|倾向于?)\s*(?P<liked>[^，。,\n]{1,12}?)"
        r"(?:，?(?:胜过|多过|超过|而不是|不是|不要|，?不(?:太)?(?:喜欢|爱))\s*(?P<other>[^，。,\n]{1,12}))?(?=$|[，。,；\n])"
    ),
)


def _preference(text: str) -> tuple[frozenset[str], frozenset[str]]:
    """The terms of what a text prefers, and of what it puts behind that; empty where it does not say."""
    found = next((match for pattern in _PREFERS if (match := pattern.search(text))), None)
    return (terms_of(found["liked"]), terms_of(found["other"] or "")) if found else (frozenset(), frozenset())


def turns_preference(text: str, content: str) -> bool:
    """Whether a text now prefers what an item put behind, or puts behind what it preferred (tea over coffee → coffee)."""
    if not same_owner(text, content) or _NEGATION.search(text.split("，")[0]):
        return False
    (liked, other), (was_liked, was_other) = _preference(text), _preference(content)
    return bool(liked and (liked == was_other or (other == was_liked and other and liked != was_liked)))


def restates(text: str, content: str) -> bool:
    """Whether a statement only repeats an item: nothing new in words, figures, negation or order of preference."""
    if turns_preference(text, content):
        return False
    if _same_claim(text, content):
        return True
    if len(_NEGATION.findall(text)) != len(_NEGATION.findall(content)) or len(_NEGATION.findall(text)) > 1:
        return _plain(text) == _plain(content)
    if set(_FIGURES.findall(text)) - set(_FIGURES.findall(content)):
        return False
    words, known = terms_of(text), terms_of(content)
    latin = {word for word in words if word.isascii()}
    characters = set(re.findall(r"[\u3400-\u9fff]", EMPTY_CHINESE.sub("", text)))
    return bool(
        words
        and latin <= known
        and characters <= set(content)
        and _shared(words, known) >= 0.6
        and same_owner(text, content)
    )


_FEW_WORDS = 3


def _same_claim(text: str, content: str) -> bool:
    """Whether both make one and the same claim, and the text says little else (a latex allergy, allergic to latex)."""
    mine, theirs = claims_of(text), claims_of(content)
    if len(mine) != 1 or len(theirs) != 1 or len(terms_of(text)) > _FEW_WORDS:
        return False
    one, other = mine[0], theirs[0]
    same = (one.family, one.owner, one.value.lower()) == (other.family, other.owner, other.value.lower())
    return (
        bool(one.value)
        and same
        and same_owner(text, content)
        and bool(_NEGATION.search(text)) == bool(_NEGATION.search(content))
    )


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+|用户|我|\b(?:the user|user|i)\b", "", text.lower())


def _shared(words: Iterable[str], known: frozenset[str]) -> float:
    mine = list(words)
    return sum(word in known for word in mine) / len(mine) if mine else 0.0
