"""What a person names when they want something forgotten, and which items that is.

A name may be the item's own words, its topic (住址 for “lives in Oslo”), or only a pronoun that what was said before
explains (Erase that). Topics are bilingual word lists: they know what they list and stay silent about the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from memoryapp.domain.claims import without_moves_of_things
from memoryapp.domain.owners import names_in, owner_of
from memoryapp.domain.scripts import simplified
from memoryapp.domain.terms import terms_of
from memoryapp.domain.types import Shown

_TOPICS: tuple[tuple[str, str], ...] = (
    (
        "address",
        r"住址|地址|住在|住处|(?<!记)住(?=[^\s院宿])|(?<!老)家在|城市|搬到|小区|定居|(?i:\baddress\w*|\blives?\b|\bliving\b|\bhome\b"
        r"|\bmoved to\b|\bbased in\b|\blocation\b)",
    ),
    ("phone", r"电话号码|电话|手机号码?|号码|尾号|(?i:\bphone numbers?|\bmobile number|\bphone\b|\bnumber\b)"),
    (
        "device",
        r"手机型号|手机(?!号)|型号|平板|电脑|华为|小米|三星|苹果手机|安卓|(?i:\biphone|\bandroid|\bpixel|\bgalaxy|\bipad|\bmacbook|\blaptop|\bphone\b|\btablet)",
    ),
    ("birthday", r"生日|出生|(?i:\bbirthday|\bbirth date|\bdate of birth|\bborn\b)"),
    ("email", r"邮箱|(?i:\be-?mail)"),
    ("name", r"名字|姓名|叫|称呼|(?i:\bname\b|\bcalled\b)"),
    (
        "job",
        r"工作|职业|公司|单位|上班|任职|职位|岗位|升职|总监|雇主|[老教]师|工程师|医生|护士|会计|经理|跳槽|(?i:\bjob|\bwork(?:s|ed|ing|place)?\b|\bemployer|\bcompany\b"
        r"|\boccupation\b|\bprofession\b|\bcareer\b|\bengineer\b|\boffice\b)",
    ),
    ("pay", r"工资|月薪|年薪|薪[资水酬]|收入|(?i:\bsalary|\bwages?\b|\bincome\b|\bearns?\b|\bpay(?:check)?\b)"),
    ("diet", r"饮食|吃素|素食|忌口|口味|[吃喝](?!药)|(?i:\bdiet|\bvegetarian|\bvegan|\bfood|\beats?\b|\bdrinks?\b)"),
    ("allergy", r"过敏|(?i:\ballerg)"),
    (
        "health",
        r"健康|病|过敏|血压|血糖|身体|用药|手术|住院|体检|哮喘|癌|抑郁|焦虑|(?i:\bhealth|\billness|\bdisease|\bmedical|\bdiabet|\basthma|\ballerg|\bcancer|\bsurgery"
        r"|\bblood pressure|\bmedication|\bdepress|\banxiety|\bparkinson|\bdiagnos|\bcondition\b)",
    ),
    ("blood", r"血型|[ABO]{1,2} ?型血?|(?i:\bblood (?:type|group))"),
    ("weight", r"体重|减肥|减重|公斤|斤|(?i:\bweigh|\bkilos?\b|\bkg\b)"),
    ("height", r"身高|厘米|(?i:\bheight|\bcm\b|\bcentimet)"),
    (
        "family",
        r"家人|家庭|女儿|儿子|老婆|妻子|丈夫|老公|孩子|父母|(?i:\bfamily|\bdaughter|\bson\b|\bwife"
        r"|\bhusband|\bkids?\b|\bchild)",
    ),
    ("former", r"前(?:女友|男友|任|夫|妻|对象)|(?i:\bex(?:-?\w+)?\b(?!\w)|\bformer (?:partner|wife|husband))"),
    ("marriage", r"离婚|结婚|单身|恋爱|分手|(?i:\bdivorc|\bmarried|\bmarriage|\bsingle\b|\bdating\b)"),
    ("pet", r"猫|狗|宠物|(?i:\bcats?\b|\bdogs?\b|\bpets?\b)"),
    ("smoking", r"抽烟|吸烟|戒烟|(?i:\bsmok)"),
    ("fear", r"害怕|怕|恐惧|恐高|(?i:\bafraid|\bscared|\bfears?\b|\bphobia|\bterrified)"),
    ("money", r"贷款|房贷|欠|债|预算|存款|(?i:\bfinanc|\bdebts?\b|\bloans?\b|\bmortgage|\bsavings\b|\bbudget)"),
    ("car", r"车牌|汽车|开车|(?i:\bcar\b|\bnumber plate|\blicen[cs]e plate)"),
    (
        "school",
        r"学校|大学|毕业|专业|上学|念书|读书|(?i:\bschool|\buni(?:versity)?\b|\bcollege|\bdegree|\bstud(?:y|ied|ies)\b|\bmajor(?:ed)?\b|\bgraduated)",
    ),
    ("faith", r"信仰|宗教|信佛|(?i:\breligio|\bfaith\b|\bchurch)"),
    ("brevity", r"简短|简洁|短|三句|(?i:\bshort|\bbrief|\bconcise)"),
    ("language", r"中文|英文|英语|语言|(?i:\benglish|\bchinese|\blanguage|\bspanish|\bfrench|\bgerman)"),
    ("age", r"年龄|岁|(?i:\bage\b|\byears old\b)"),
    ("reply", r"回答|回复|(?i:\b(?:answer|repl(?:y|ies)|respon))"),
    (
        "commute",
        r"通勤|上下班|(?:坐|骑|开|去)\S{0,4}(?:上班|去公司)|(?i:\bcommut|\b(?:train|bus|tube|metro|drives?|cycles?|bikes?|walks?)\b.{0,12}\bto work\b)",
    ),
    (
        "exercise",
        r"健身|锻炼|运动|跑步|游泳|瑜伽|(?i:\bgym\b|\bwork ?outs?\b|\bexercis|\bruns?\b|\brunning\b|\bswims?\b|\byoga\b|\btraining\b)",
    ),
    ("sleep", r"睡眠|失眠|作息|睡觉|早起|熬夜|(?i:\bsleep|\binsomnia|\bbedtime|\bwakes? up|\bgets? up\b)"),
    ("medicine", r"吃药|用药|药|(?i:\bmedic(?:ine|ation)s?\b|\bmeds\b|\bpills?\b|\btablets\b|\bprescri)"),
    ("hobby", r"爱好|兴趣|(?i:\bhobb|\binterests?\b)"),
)
_COMPILED_TOPICS = tuple((name, re.compile(source)) for name, source in _TOPICS)


def topics_of(text: str) -> frozenset[str]:
    """Topics that a text names by any of their words (住址 and “lives in” are one)."""
    text = without_moves_of_things(text)
    return frozenset(name for name, pattern in _COMPILED_TOPICS if pattern.search(text))


def named_share(named: str, content: str) -> float:
    """How much of what a person named stands in an item's content, 0–1; a shared topic counts as one more word.

    Words that only name the topic itself are carried by the topic and not counted twice.
    """
    topics = topics_of(named)
    topics = topics - {"reply"} or topics
    words = terms_of(_without_topic_words(named))
    wanted = len(words) + (1 if topics else 0)
    if not wanted:
        return 0.0
    known = terms_of(content)
    met = sum(_met(word, known, words, content) for word in words) + _share(topics, topics_of(content))
    return met / wanted


def _share(topics: frozenset[str], known: frozenset[str]) -> float:
    return len(topics & known) / len(topics) if topics else 0.0


def _met(word: str, known: frozenset[str], words: frozenset[str], content: str) -> float:
    """1 for a word found; nearly 1 for a Chinese pair cut across words whose characters and neighbours are found."""
    if word in known:
        return 1.0
    return 0.9 if not word.isascii() and set(word) <= set(content) and words & known else 0.0


def _without_topic_words(text: str) -> str:
    for _, pattern in _COMPILED_TOPICS:
        text = re.sub(rf"(?:{pattern.pattern})[a-z]*", " ", text)
    return text


# --- which items a request means ---

_ALL = re.compile(
    r"所有|全部|一切|统统|通通|全都|每一条|一条都?别留|对我的记忆|\b(?:everything|all|anything|every)\b|(?:you(?:'ve| have)? (?:saved"
    r"|stored|know|remember\w*)|have) (?:about|on) me$|^(?:your )?(?:whole |entire |full )?memory of me",
    re.IGNORECASE,
)
_EMPTY_NAMES = re.compile(
    r"(?:从|在)?(?:[你您](?:那儿?|这儿?)?的?)?(?:记忆|备忘|笔记|档案|脑子|库)[里中]?|[你您]|对(?!象)|们|记住|记得|记录|记着|记(?!者)|保存|存储|存|了解|知道|收集|告诉|说过|清空|清零|删除|删掉|删|帮|清|我家(?!人|里人)|我|个人|数据|东西|过(?!敏)"
    r"|以前|之前|上次|刚才|旧的?|老的|作废|那些|那个|这个|[这那]|内容|一?条|不用|别再|别|忘[掉了记]?|留着?|的事儿?|事儿|什么|多少|哪[里儿]?|怎么|全部|信息|关于|[说讲提]的|一个?字|干净|彻底|就好|就行|吧|都|就|也|从"
    r"|\b(?:told|tell|said|learned|noted|kept|collected|personal|data|memories|memory|has|have|ever|file|record|records|thing|bit|part|old|that|being|delete|erase|remove|from|mentioned|shared|please|pls|hold|holding|got|about|me|stored|saved|know|on|where|went|how|much|many|what|when|who|both|all|details?|bits?|stuff|ones?|entry|entries|anything|everything|i|my)\b",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"留着|保留|不用删|别删|可以留|照旧|不变|没变|\b(?:(?:can|may|should) stay|stays)\b|^\s{0,4}(?:but |and |please |just |do )*(?:keep|leave)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(r"(?:and |also |plus |还有|以及|和|跟)?(?:my|our|我的|关于我)", re.IGNORECASE)
_ENOUGH, _ENOUGH_OF_ONE, _ENOUGH_OF_SEVERAL = 0.6, 0.3, 0.5
_MARGIN = 0.8


def named_items(body: str, shown: Sequence[Shown], before: str = "") -> list[Shown]:
    """The items a person named: all of them for "everything", else those that hold what was named best.

    `before` is what was said before the request; it explains a request that names nothing (把它的记录删掉).
    """
    body = simplified(body)
    if _means_all(body):
        return list(shown)
    pieces, meant = _going(body), pieces_meant(body)
    found = {item.id: item for piece in meant for item in _best(piece, shown) or _each_named(piece, shown)}
    if found:
        return list(found.values())
    if any(_specific(piece) for piece in meant):
        return _best(" ".join(pieces), shown) if len(pieces) > len(meant) else []
    return _explained(simplified(before), shown)


_PIECES = re.compile(
    r"[，,；;。]|(?<!\s)\s{1,4}(?=(?:and|plus) (?:my|our) |but (?:keep|leave|not) )|(?=(?:还有|以及|[和跟])我的)"
)
_LIST = re.compile(r",|\band\b|、|以及|还有|[和跟与]")
_MOST_LISTED = 6
"""Clauses, or things of a list, that one wish may name."""


def _each_named(piece: str, shown: Sequence[Shown]) -> list[Shown]:
    """The items of a list of things (体重和腰围), where each thing names one; none where any does not."""
    things = [thing for thing in _LIST.split(piece) if thing.strip()]
    if not 2 <= len(things) <= _MOST_LISTED:
        return []
    each = [_best(thing, shown) for thing in things]
    return [item for found in each for item in found] if all(len(found) == 1 for found in each) else []


def pieces_meant(body: str) -> list[str]:
    """The clauses of a wish that name what is to go: the first one, and those that go on with something of mine."""
    pieces = _going(body)[:_MOST_LISTED]
    return [piece for place, piece in enumerate(pieces) if place == 0 or _GOES_ON.match(piece.strip())]


def without_what_stays(body: str) -> str:
    """What a wish names, without what it says may stay (…, the private one can stay)."""
    return "，".join(_going(body))


def what_stays(body: str) -> str:
    """What a wish says may stay; empty where it says nothing of that."""
    return "，".join(piece for piece in _PIECES.split(body)[: 2 * _MOST_LISTED] if _STAYS.search(piece))


def _going(body: str) -> list[str]:
    """The clauses of a wish that do not say that something may stay."""
    return [piece for piece in _PIECES.split(body) if piece.strip() and not _STAYS.search(piece)]


_OPEN = re.compile(
    r"[他她它](?!人)|从\S{0,4}(?:里|中)|\b(?:his|her|him|them|their|it|that|off the list)\b", re.IGNORECASE
)


def leaves_open(body: str) -> bool:
    """Whether a wish says by a pronoun, or not at all, whose or what it means, so that its message must tell."""
    return not names_something(body) or (_OPEN.search(body) is not None and owner_of(body) == "user")


def is_spared(body: str, item: Shown, shown: Sequence[Shown]) -> bool:
    """Whether a wish says that an item may stay, and names others better (my dentist appointment, keep the doctor one)."""
    stays = what_stays(simplified(body))
    if not stays or not share_named(stays, item):
        return False

    def named(one: Shown) -> float:
        return max((share_named(piece, one) for piece in pieces_meant(body)), default=0.0)

    return named(item) <= _CLEARLY * max(named(other) for other in shown) or share_named(stays, item) > named(item)


_CLEARLY = 0.75
"""Share of the best-named item's naming up to which another one is named less."""
_OF_ME = re.compile(
    r"关于我(?:的?(?:东西|事儿?|事情|信息|一切|全部|所有|记忆|资料|内容|数据))?(?![\u4e00-\u9fff]*(?:妈|爸|家|老[公婆]|女儿|儿子|前))|对我的(?:了解|记忆|印象)|我的?(?:全部|所有|一切)(?:的)?(?:信息|记忆|数据|资料)?(?=$|[，,都全吧])"
    r"|(?:所有|全部|一切)(?:的)?(?:关于我的)?(?:记忆|资料|记录)|\b(?:about|on|regarding|concerning) me\b(?! (?:and|being|having|liking|\w+ing)\b)"
    r"|\b(?:all|every|any) (?:of )?(?:your |my |the )?(?:memor\w+|notes|records|data)\b(?! (?:about|of|on|for|from|that) )",
    re.IGNORECASE,
)
_BUT = re.compile(
    r"除了|除外|\bexcept(?: for)?\b|but (?:not|keep|leave)|apart from|other than|(?<=\w) but (?=(?:my |the )?\w+[.!]?$)",
    re.IGNORECASE,
)


def _means_all(body: str) -> bool:
    """Whether a request names everything that is known of its writer, and nothing besides."""
    if not _ALL.search(body) or _BUT.search(body) or _STAYS.search(body):
        return False
    rest = _ALL.sub(" ", body)
    return not _specific(rest) or (_OF_ME.search(body) is not None and not topics_of(_EMPTY_NAMES.sub(" ", rest)))


def all_but(body: str) -> tuple[str, str]:
    """What a wish to forget several things names, and what it spares (都清空，除了饮食方面的; my hobbies except chess).

    Both are empty for any other wish.
    """
    body = simplified(body)
    found = _BUT.search(body)
    several = found and (
        _ALL.search(body[: found.start()]) or _THE_REST.search(body) or found.group().startswith("except")
    )
    if found is None or not several:
        return "", ""
    spared = _SPARED_END.split(body[found.end() :])[0].strip()
    return body[: found.start()] + body[found.end() :].partition(spared)[2], spared


_THE_REST = re.compile(r"都|清空|其[他余它]", re.IGNORECASE)
_SPARED_END = re.compile(r"[，,。.；;]|[以之]外|其[他余它]|都")


def bare_name(body: str) -> str:
    """What a request names without the words of keeping and forgetting (the note about my gout → gout)."""
    return " ".join(_EMPTY_NAMES.sub(" ", body).split()).strip(" ,，。.!！?？的")


def share_named(body: str, item: Shown) -> float:
    """How much of what a request names an item holds, 0–1; less when it is somebody else's."""
    body = simplified(body)
    return _score(_EMPTY_NAMES.sub(" ", body), body, item)


def names_something(body: str) -> bool:
    """Whether a request says at all what it is about (not: the old one)."""
    return _specific(simplified(body))


def _specific(body: str) -> bool:
    bare = _EMPTY_NAMES.sub(" ", body)
    return bool(terms_of(bare) or topics_of(bare))


def _best(named: str, shown: Sequence[Shown]) -> list[Shown]:
    """The items that hold most of what is named: most of its words, or its topic or a rare word and no rival."""
    bare = _EMPTY_NAMES.sub(" ", named)
    scored = sorted(((_score(bare, named, item), item) for item in shown), key=lambda pair: -pair[0])
    best = scored[0][0] if scored else 0.0
    if best < _ENOUGH_OF_ONE:
        return []
    chosen = [item for score, item in scored if score >= _MARGIN * best]
    return chosen if best >= _ENOUGH or len(chosen) == 1 else []


def _score(bare: str, named: str, item: Shown) -> float:
    content = simplified(item.content)
    share = max(named_share(bare, content), _characters_near(bare, content))
    mine, theirs = owner_of(named), owner_of(content)
    same = mine == theirs or "project" in (mine, theirs) or names_in(named) & names_in(content)
    return share if same else 0.5 * share


def _characters_near(bare: str, content: str) -> float:
    """A Chinese word of two characters that stands in the item with something between (血型 in A型血 has both)."""
    words = [word for word in terms_of(bare) if not word.isascii() and len(word) == 2]
    near = [word for word in words if _within(word, content)]
    return 0.7 * len(near) / len(words) if words else 0.0


def _within(word: str, content: str) -> bool:
    first, second = word[0], word[1]
    return bool(re.search(rf"{first}.{{0,2}}{second}|{second}.{{0,2}}{first}", content))


def _explained(before: str, shown: Sequence[Shown]) -> list[Shown]:
    """The one item that what was said before speaks of; none when two are equally likely."""
    words, topics = terms_of(before), topics_of(before)
    counted: Counter[int] = Counter()
    for place, item in enumerate(shown):
        content = simplified(item.content)
        counted[place] = 2 * len(words & terms_of(content)) + len(topics & topics_of(content))
    ranked = counted.most_common(2)
    if not ranked or ranked[0][1] < 1 or (len(ranked) > 1 and ranked[1][1] >= ranked[0][1]):
        return []
    return [shown[ranked[0][0]]]


def is_only_named(body: str, item: Shown, shown: Sequence[Shown]) -> bool:
    """Whether a wish that says nobody names an item by most of its words, and no word of another item (学校那条)."""
    pieces = pieces_meant(simplified(body))

    def share(one: Shown) -> float:
        return max(
            (named_share(_EMPTY_NAMES.sub(" ", piece), simplified(one.content)) for piece in pieces), default=0.0
        )

    return share(item) >= _ENOUGH and not any(share(other) for other in shown if other.id != item.id)


def is_well_named(body: str, item: Shown) -> bool:
    """Whether a request names most of what an item holds of its words; a fainter naming may be a coincidence."""
    body = simplified(body)
    if _means_all(body):
        return True
    pieces = [piece for piece in _PIECES.split(body) if piece.strip()]
    enough = _ENOUGH if len(pieces_meant(body)) == 1 else _ENOUGH_OF_SEVERAL
    return any(_score(_EMPTY_NAMES.sub(" ", piece), piece, item) >= enough for piece in [body, *pieces])
