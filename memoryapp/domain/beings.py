"""Who and what a text speaks of by name of its kind (a mother, a dog, a kitchen, a rent): two texts that name different
ones are about different things, however alike they sound.
"""

from __future__ import annotations

import re

from memoryapp.domain.claims import claims_of

_UNTOLD = r"(?<!older )(?<!elder )(?<!big )(?<!younger )(?<!little )(?<!kid )"
_SISTER, _BROTHER = rf"{_UNTOLD}\bsisters?\b", rf"{_UNTOLD}\bbrothers?\b"
_BEINGS: tuple[tuple[str, str], ...] = (
    ("in-law", r"\b\w+-in-law\b|岳[父母]|公公|婆婆|丈母娘"),
    ("grandmother", r"\bgrand(?:mother|ma)\b|\bgran(?:ny)?\b|奶奶|姥姥|外婆"),
    ("grandfather", r"\bgrand(?:father|pa|dad)\b|爷爷|姥爷|外公"),
    ("cousin", r"\bcousins?\b|[表堂][哥弟姐妹]"),
    ("mother", r"\b(?:mother|mum|mom|mama|mommy)\b|(?<!姑)妈|母亲"),
    ("father", r"\b(?:father|dad|papa|daddy)\b|爸|父亲"),
    ("older sister", r"\b(?:older|elder|big) sister\b|(?<![表堂小])姐(?!夫)"),
    ("younger sister", r"\b(?:younger|little|kid) sister\b|(?<![表堂])妹(?!夫)"),
    ("older brother", r"\b(?:older|elder|big) brother\b|(?<![表堂帅])哥(?!们)"),
    ("younger brother", r"\b(?:younger|little|kid) brother\b|(?<![表堂徒])弟"),
    ("sister", _SISTER),
    ("brother", _BROTHER),
    ("son", r"\bsons?\b|(?<!\w)儿子"),
    ("daughter", r"\bdaughters?\b|女儿|闺女"),
    ("wife", r"\bwife\b|老婆|妻子|太太|媳妇"),
    ("husband", r"\bhusband\b|老公|丈夫"),
    ("boyfriend", r"\bboyfriend\b|男朋?友"),
    ("girlfriend", r"\bgirlfriend\b|女朋?友"),
    ("ex", r"\bex(?:-\w+)?\b|前[任夫妻]"),
    ("aunt", r"\baunt(?:ie|y)?\b|姑妈|阿姨|姨妈"),
    ("uncle", r"\buncle\b|叔叔|舅舅|伯伯"),
    ("boss", r"\bboss\b|老板|上司|领导"),
    ("manager", r"\b(?:line )?manager\b|经理"),
    ("colleague", r"\b(?:colleague|cowork\w+|co-worker|teammate)s?\b|同事"),
    ("landlord", r"\blandlord\b|房东"),
    ("doctor", r"\b(?:doctor|gp|dentist)\b|医生|牙医"),
    ("neighbour", r"\bneighbou?rs?\b|邻居"),
    ("teacher", r"\bteacher\b|老师"),
    ("friend", r"(?<!girl)(?<!boy)\bfriends?\b|(?<![男女])朋友|闺蜜"),
    ("dog", r"\b(?:dog|puppy)s?\b|狗"),
    ("cat", r"\b(?:cat|kitten)s?\b|猫"),
    ("horse", r"\bhorse\b|\bpony\b"),
    ("bird", r"\b(?:bird|parrot)s?\b|鹦鹉"),
    ("car", r"\b(?:car|tesla|van)\b|(?<![动火公骑汽电堵停打])车(?!间|站|票)|特斯拉|比亚迪"),
    ("bike", r"\b(?:bike|bicycle|motorbike)\b|自行车|电动车|摩托"),
    ("kitchen", r"\bkitchen\b|厨房"),
    ("bathroom", r"\bbathroom\b|浴室|卫生间"),
    ("bedroom", r"\bbedroom\b|卧室"),
    ("garden", r"\bgarden\b|花园"),
    ("office", r"\boffice\b|办公室"),
    ("company", r"\b(?:company|employer)\b|公司|单位"),
    ("school", r"\bschool\b|学校"),
    ("rent", r"\brent\b|房租|租金"),
    ("salary", r"\b(?:salary|wages?|income|pay)\b|工资|薪|收入"),
    ("mortgage", r"\bmortgage\b|房贷"),
)
_COMPILED = tuple((name, re.compile(source, re.IGNORECASE)) for name, source in _BEINGS)
_WIDER: tuple[tuple[str, frozenset[str]], ...] = (
    (r"\bparents?\b|父母|爸妈", frozenset({"mother", "father"})),
    (r"\b(?:kids?|child(?:ren)?|baby)\b|孩子|小孩|宝宝|娃", frozenset({"son", "daughter"})),
    (
        r"\bsiblings?\b|姐妹|兄弟",
        frozenset({"sister", "brother", "older sister", "younger sister", "older brother", "younger brother"}),
    ),
    (r"\b(?:spouse|partner)\b|爱人|对象|伴侣", frozenset({"wife", "husband", "girlfriend", "boyfriend"})),
    (r"\bpets?\b|宠物", frozenset({"dog", "cat", "bird", "horse"})),
    (_SISTER, frozenset({"older sister", "younger sister"})),
    (_BROTHER, frozenset({"older brother", "younger brother"})),
)
"""Words that mean any of several."""
_WIDER_COMPILED = tuple((re.compile(source, re.IGNORECASE), names) for source, names in _WIDER)


def beings_of(text: str) -> frozenset[str]:
    """The kinds of people, animals and things that a text names; those that a wider word means are all in."""
    found = {name for name, pattern in _COMPILED if pattern.search(text)}
    for pattern, names in _WIDER_COMPILED:
        if pattern.search(text):
            found |= names
    return frozenset(found)


def are_apart(text: str, known: str) -> bool:
    """Whether both name people, animals or things, and none in common."""
    mine, theirs = beings_of(text), beings_of(known)
    return bool(mine and theirs and not mine & theirs)


def names_another(wanted: str, known: str) -> bool:
    """Whether a wish names another thing than an item, or another value of the same (allergic to shellfish, to nuts)."""
    if are_apart(wanted, known):
        return True
    values: dict[str, set[str]] = {}
    for claim in claims_of(known):
        values.setdefault(claim.family, set()).add(_plain(claim.value))
    asked = [(claim.family, _plain(claim.value)) for claim in claims_of(wanted) if _plain(claim.value)]
    compared = [(value, values[family] - {""}) for family, value in asked if values.get(family, set()) - {""}]
    return bool(compared) and not any(_overlap(value, each) for value, others in compared for each in others)


def _plain(value: str) -> str:
    return re.sub(r"^(?:the|a|an|my|our|some)\s+", "", value.strip(" ，,。.!！").lower())


def _overlap(one: str, other: str) -> bool:
    """Whether two values may be the same; of two languages nobody can tell here."""
    if one.isascii() != other.isascii():
        return True
    stem = min(len(one), len(other), 4)
    return one in other or other in one or (stem >= 3 and one[:stem] == other[:stem])
