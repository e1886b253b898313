"""Who and what a text speaks of by name of its kind (a mother, a dog, a kitchen, a rent): two texts that name different
ones are about different things, however alike they sound.
"""

from __future__ import annotations

import re

_UNTOLD = r"(?<!older )(?<!elder )(?<!big )(?<!younger )(?<!little )(?<!kid )"
_SISTER, _BROTHER = rf"{_UNTOLD}\bsisters?\b", rf"{_UNTOLD}\bbrothers?\b"
_NO_RANK = r"(?<!older )(?<!elder )(?<!eldest )(?<!oldest )(?<!first )(?<!younger )(?<!youngest )(?<!second )"
_SON = rf"{_NO_RANK}\bsons?\b(?!-in)|(?<![大小二外])儿子"
_DAUGHTER = rf"{_NO_RANK}\bdaughters?\b(?!-in)|(?<![大小二])(?:女儿|闺女)"
_LIVING: tuple[tuple[str, str], ...] = (
    ("mother-in-law", r"\b(?:mother|mum|mom)-in-law\b|岳母|丈母娘|(?<!外)婆婆"),
    ("father-in-law", r"\b(?:father|dad)-in-law\b|岳父|(?<!外)公公"),
    ("sister-in-law", r"\bsister-in-law\b|嫂|弟妹|弟媳"),
    ("brother-in-law", r"\bbrother-in-law\b|[姐妹]夫"),
    ("son-in-law", r"\bson-in-law\b|女婿"),
    ("daughter-in-law", r"\bdaughter-in-law\b|儿媳"),
    ("father's mother", r"奶奶"),
    ("mother's mother", r"姥姥|外婆"),
    ("father's father", r"爷爷"),
    ("mother's father", r"姥爷|外公"),
    *(
        (f"{name} cousin of the {line} line", rf"{which}{who}")
        for line, which in (("mother's", "表"), ("father's", "堂"))
        for name, who in (
            ("older male", "哥"),
            ("younger male", "弟"),
            ("older female", "姐"),
            ("younger female", "妹"),
        )
    ),
    ("mother", r"\b(?:mother|mum|mom|mama|mommy)\b|(?<![姑姨舅伯])妈|母亲"),
    ("father", r"\b(?:father|dad|papa|daddy)\b|爸|父亲"),
    ("older sister", r"\b(?:older|elder|big) sister\b|(?<![表堂小])姐(?!夫)"),
    ("younger sister", r"\b(?:younger|little|kid) sister\b|(?<![表堂])妹(?!夫)"),
    ("older brother", r"\b(?:older|elder|big) brother\b|(?<![表堂帅])哥(?!们)"),
    ("younger brother", r"\b(?:younger|little|kid) brother\b|(?<![表堂徒])弟"),
    ("sister", _SISTER),
    ("brother", _BROTHER),
    ("older son", r"\b(?:older|elder|eldest|oldest|first) son\b|大儿子"),
    ("younger son", r"\b(?:younger|youngest|second) son\b|[小二]儿子"),
    ("older daughter", r"\b(?:older|elder|eldest|oldest|first) daughter\b|大女儿|大闺女"),
    ("younger daughter", r"\b(?:younger|youngest|second) daughter\b|[小二](?:女儿|闺女)"),
    ("wife", r"\bwife\b|老婆|妻子|太太|媳妇"),
    ("husband", r"\bhusband\b|老公|丈夫"),
    ("boyfriend", r"\bboyfriend\b|男朋?友"),
    ("girlfriend", r"\bgirlfriend\b|女朋?友"),
    ("ex", r"\bex(?:-\w+)?\b|前[任夫妻]"),
    ("father's sister", r"姑[妈姑]"),
    ("mother's sister", r"姨妈|[大小]姨"),
    ("uncle's wife", r"舅妈|婶|伯母"),
    ("father's younger brother", r"叔"),
    ("father's older brother", r"伯(?!母)"),
    ("mother's brother", r"舅(?!妈)"),
    ("nephew", r"\bnephews?\b|侄(?!女)|外甥(?!女)"),
    ("niece", r"\bnieces?\b|侄女|外甥女"),
    ("boss", r"\bboss\b|老板|上司|领导"),
    ("manager", r"\b(?:line )?manager\b|经理"),
    ("colleague", r"\b(?:colleague|cowork\w+|co-worker|teammate)s?\b|同事"),
    ("client", r"\b(?:client|customer)s?\b|客户"),
    ("landlord", r"\blandlord\b|房东"),
    ("doctor", r"\b(?:doctor|gp|dentist)\b|医生|牙医"),
    ("neighbour", r"\bneighbou?rs?\b|邻居"),
    ("teacher", r"\bteacher\b|老师"),
    ("roommate", r"\b(?:room|flat|house)mates?\b|室友"),
    ("friend", r"(?<!girl)(?<!boy)\bfriends?\b|(?<![男女])朋友|闺蜜"),
    ("dog", r"\b(?:dog|puppy)s?\b|狗"),
    ("cat", r"\b(?:cat|kitten)s?\b|猫"),
    ("horse", r"\bhorse\b|\bpony\b"),
    ("bird", r"\b(?:bird|parrot)s?\b|鹦鹉"),
)
_THINGS: tuple[tuple[str, str], ...] = (
    ("car", r"\b(?:car|tesla|van)\b|(?<![动火公骑汽电堵停打])车(?!间|站|票)|特斯拉|比亚迪"),
    ("bike", r"\b(?:bike|bicycle|motorbike)\b|自行车|电动车|摩托"),
    ("kitchen", r"\bkitchen\b|厨房"),
    ("bathroom", r"\bbathroom\b|浴室|卫生间"),
    ("bedroom", r"\bbedroom\b|卧室"),
    ("garden", r"\bgarden\b|花园"),
    ("office", r"\boffice\b|办公室"),
    ("company", r"\b(?:company|employer)\b|公司|单位"),
    ("school", r"\bschool\b|学校|[小中]学(?!生)|[初高]中(?!生)|大学(?!生)|幼儿园"),
    ("rent", r"\brent\b|房租|租金"),
    ("salary", r"\b(?:salary|wages?|income|pay)\b|工资|薪|收入"),
    ("mortgage", r"\bmortgage\b|房贷"),
)
_GROUPS: tuple[tuple[str, frozenset[str]], ...] = (
    (r"\bparents?\b|父母|爸妈", frozenset({"mother", "father"})),
    (
        r"\b(?:kids?|child(?:ren)?|baby)\b|孩子|小孩|宝宝|娃",
        frozenset({"son", "daughter", "older son", "younger son", "older daughter", "younger daughter"}),
    ),
    (
        r"\bsiblings?\b|姐妹|兄弟",
        frozenset({"sister", "brother", "older sister", "younger sister", "older brother", "younger brother"}),
    ),
    (r"\bpets?\b|宠物", frozenset({"dog", "cat", "bird", "horse"})),
)
"""Words for several at once; what is said of them is said of none alone."""
_EITHER: tuple[tuple[str, frozenset[str]], ...] = (
    (r"\b(?:spouse|partner)\b|爱人|对象|伴侣", frozenset({"wife", "husband", "girlfriend", "boyfriend"})),
    (r"\b\w+-in-law\b", frozenset(name for name, _ in _LIVING if name.endswith("-in-law"))),
    (r"\bgrand(?:mother|ma)\b|\bgran(?:ny)?\b", frozenset({"father's mother", "mother's mother"})),
    (r"\bgrand(?:father|pa|dad)\b", frozenset({"father's father", "mother's father"})),
    (r"\bcousins?\b", frozenset(name for name, _ in _LIVING if "cousin" in name)),
    (r"\baunt(?:ie|y)?\b|阿姨", frozenset({"father's sister", "mother's sister", "uncle's wife"})),
    (r"\buncle\b", frozenset({"father's younger brother", "father's older brother", "mother's brother"})),
    (_SISTER, frozenset({"sister", "older sister", "younger sister"})),
    (_SON, frozenset({"son", "older son", "younger son"})),
    (_DAUGHTER, frozenset({"daughter", "older daughter", "younger daughter"})),
    (_BROTHER, frozenset({"brother", "older brother", "younger brother"})),
)
"""Words for one that may be any of these."""


def _compiled(named: tuple[tuple[str, frozenset[str]], ...]) -> tuple[tuple[re.Pattern[str], frozenset[str]], ...]:
    return tuple((re.compile(source, re.IGNORECASE), names) for source, names in named)


_ONE = _compiled(tuple((source, frozenset({name})) for name, source in _LIVING))
_THING = _compiled(tuple((source, frozenset({name})) for name, source in _THINGS))
_SEVERAL, _ANY = _compiled(_GROUPS), _compiled(_EITHER)
_ALONE = _compiled(tuple((source, frozenset({source})) for source, _ in _GROUPS))


_RANKS = "大二三四五六小"
_RANKED = re.compile(
    rf"(?:(?<![\u4e00-\u9fff])|(?<=[我的家和跟]))(?!小姐)(?P<rank>[{_RANKS}])(?P<of>[哥姐弟妹叔伯舅姨姑])"
)
"""Brothers, sisters, uncles and aunts by their number (大姐, 二姐): two numbers are two people."""


def beings_of(text: str) -> frozenset[str]:
    """The kinds of people, animals and things that a text names; those that a wider word means are all in."""
    known = (*_ONE, *_THING, *_SEVERAL, *_ANY)
    return frozenset(name for pattern, names in known if pattern.search(text) for name in names)


def _ranks_of(text: str) -> frozenset[str]:
    return frozenset(found["rank"] + found["of"] for found in _RANKED.finditer(text))


def _are_ranked_apart(text: str, known: str) -> bool:
    """Whether both number somebody of one relation, and not the same one (my 大姐, my 二姐)."""
    mine, theirs = _ranks_of(text), _ranks_of(known)
    relations = {name[1:] for name in mine} & {name[1:] for name in theirs}
    return bool(relations) and not mine & theirs


def are_apart(text: str, known: str) -> bool:
    """Whether both name people, animals or things, and none in common."""
    mine, theirs = beings_of(text), beings_of(known)
    return bool(mine and theirs and not mine & theirs) or _are_ranked_apart(text, known)


def begin_apart(text: str, known: str) -> bool:
    """Whether both name people or animals, and the ones they name first are not the same."""
    mine, theirs = _first(text), _first(known)
    return bool(mine and theirs and not mine & theirs) or _are_ranked_apart(text, known)


def _first(text: str) -> frozenset[str]:
    """The kinds that the first word for a person, an animal or a group of them may mean; the longest of those there.

    Of a chain (my wife's sister, 我妈妈的朋友) it is the last, whom the text is about, as somebody of the one before.
    """
    found = [
        (match.start(), -len(match.group()), names)
        for pattern, names in (*_ONE, *_ANY, *_ALONE)
        if (match := pattern.search(text))
    ]
    first = min(((place, length) for place, length, _ in found), default=None)
    if first is None:
        return frozenset()
    of_another = _LINK.match(text, first[0] - first[1])
    further = _first(text[of_another.end() :][:_NEXT_WORD]) if of_another else frozenset()
    mine = frozenset(name for place, length, names in found if (place, length) == first for name in names)
    return frozenset(f"{name} of {whose}" for name in further for whose in mine) or mine


_LINK = re.compile(r"[妈爸]?的|['’]s? ")
"""What joins somebody to somebody of theirs; 妈妈 and 爸爸 are found by their first character."""
_NEXT_WORD = 16
"""Characters behind a person within which somebody of theirs is named."""
