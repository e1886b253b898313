"""What a kind of personal number is, and what the words around a number say about it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Number:
    """A kind of number. `valid` gets the match; `needs` are strings of which one must stand near the digits.

    `least` is how many digits its longest group has, blanks and signs inside not counted: the pattern is tried only
    around groups that have as many, `near` them when it needs no label.
    """

    name: str
    pattern: re.Pattern[str]
    valid: Callable[[re.Match[str]], bool]
    needs: tuple[str, ...] = ()
    least: int = 1
    near: bool = False


GAP = (
    r"\s{0,2}(?:(?:字号|号码|号|编号|卡号|证号|no\b\.?|n[°º]|numbers?|num|card|#|id)\s{0,2}){0,3}"
    r"(?:[（(][^）)\n]{0,12}[）)])?\s{0,3}(?:就?是|为|係|系|は|is|was|ist|es|est|[:：=#])?\s{0,3}"
)
"""What may stand between a label and its number."""
WIDE_GAP = r"[^\d\n,，。;；!！?？]{0,24}?(?<![A-Za-z0-9])"
"""The same for labels that mean nothing else: a clause ("… at the clinic is …")."""
EDGE = r"(?<![0-9A-Za-z_.\-])"
NOT_A_PERSON = re.compile(
    r"(?:订单|那单|工单|单号|流水|快递|运单|编号|发票|合同|案号|批次|票号|会议号?|抽奖号?|彩票|课程|型号|货号|料号|条码|序列号|群号|备案|专利|样本"
    r"|注册号|回执|涨到|跌到|达到|突破|粉丝|播放量|阅读量|营收|销量|总数|计数|代码|税号|order|ticket|tracking|invoice|issue|isbn|issn|serial|batch|build|case|sku|meeting id|barcode|patent"
    r"|\b(?:part|model|version|commit|ean|upc|doi|po|rma|ref|abn|ein|vat|port))[^\d\n]{0,12}$",
    re.IGNORECASE,
)
ORGANISATION = re.compile(
    r"客服|热线|专线|总机|前台|公司|酒店|餐[厅馆]|饭店|医院|诊所|银行|学校|门店|商[家场]|派出所|公安|订[座票餐]|预[订约]|挂号处|投诉|物业|居委|社区|街道办|图书馆"
    r"|博物馆|景区|机场|车站|铁路|航空|电力|供电|燃气|自来水|水务|报修|维修|售后|服务|政务|大厅|中心|事务所|药[店房]|超市|书店|影院|剧院|健身房|民宿|旅行社|保险"
    r"|物流|官[方网]|救援|消防|急救|咨询|营业厅|加油站|理发|宠物|洗车|维权|举报|大使馆|领事馆|出版社|编辑部|大学|学院|电视台|电台|气象|税务|法院|检察院|消协|组委会|门市"
    r"|专柜|牙科|口腔|律所|家政|搬家|开锁|抢修|驿站|网点|外卖|奶茶|咖啡|火锅|面馆|票务|剧场|体育馆|游泳馆|球[馆场]|传达室|订位|查询|报警|爆料"
    r"|hotline|helpline|support|help ?desk|service|front desk|office"
    r"|clinic|reception|dentist|hospital|school|library|museum|airline|airport|restaurant|pharmacy|garage|salon|\bvet\b|taxi|\bbank\b"
    r"|insurance|\bstore|\bshop|hotel|emergency (?:line|services)|poison|toll.free|reservation|booking|council|embassy|consulate|police"
    r"|surgery|practice|switchboard|pizza|takeaway|caf[ée]|bakery|\bgym\b|station|cinema|theatre|tickets?|town hall|city hall|crisis|plumb"
    r"|repairs?|\bpub\b|agency|university|college|museum",
    re.IGNORECASE,
)
PERSON = re.compile(
    r"[我佢咱爸妈爷奶姐妹哥弟]|老[公婆]|太太|先生|女士|阿姨|外[公婆]|父亲|母亲|儿子|女儿|同事|朋友|房东|家|住|宅|联[系络絡]|座机|固话|电话|手机|手提|号码"
    r"|换号|新号|打给|携帯|번호|m[óo]vil|celular|cellulare|t[eé]l[eéè][fp]|num[eé]ro|'s\b"
    r"|\b(?:my|me|mine|mein|meine|mon|mi|line|handy|portable|number|emergency|contact|home|call|text|dad|mum|mom|wife|husband|phone|mobile|cell"
    r"|whatsapp)\b",
    re.IGNORECASE | re.ASCII,
)
_SAMPLE = re.compile(
    r"示例|样例|例子|举例|占位|假数据|测试(?:数据|卡|号码|账号|用例)|placeholder|dummy|fixture|(?<![@.\w-])example\b(?!\.)|\bmock"
    r"|for example|e\.g\.|sample|unit tests?|test (?:card|data|number)",
    re.IGNORECASE | re.ASCII,
)
_QUANTITY = re.compile(
    r"\s?(?:rows?|records|lines|users|bytes|tokens|requests|parameters|usd|eur|krw|won|yen|dollars|行|条|元|块钱|韩元|日元|美元|台币|港[币元]"
    r"|万|亿|次|字节|毫秒|ms\b|个(?!人))",
    re.IGNORECASE,
)
_DATE = re.compile(r"(?:19|20)\d\d[-/. ]?(?:0?[1-9]|1[0-2])[-/. ]?(?:[12]\d|3[01]|0?[1-9])(?:[ -]\d\d){0,3}")


def number(
    name: str,
    pattern: str,
    valid: Callable[[re.Match[str]], bool] = lambda _: True,
    needs: str = "",
    least: int = 1,
    *,
    near: bool = False,
) -> Number:
    """A kind by its pattern, in any case; `needs` stand between blanks, in lower case where digits are sought."""
    return Number(name, re.compile(pattern, re.IGNORECASE | re.ASCII), valid, tuple(needs.split()), least, near)


def plain(match: re.Match[str]) -> str:
    """What matched without blanks and signs, in upper case."""
    return re.sub(r"[^0-9A-Za-z]", "", match.group()).upper()


def before(match: re.Match[str], length: int = 24) -> str:
    return match.string[max(0, match.start() - length) : match.start()]


def around(match: re.Match[str], earlier: int = 24, later: int = 24) -> str:
    """What matched with as many characters on either side."""
    return match.string[max(0, match.start() - earlier) : match.end() + later]


def digits_in(text: str) -> int:
    return len(text) if text.isdecimal() else sum(map(str.isdecimal, text))


def is_of_a_thing(match: re.Match[str]) -> bool:
    """Whether the number is called an order, a ticket, a part, counts something, or stands for an example."""
    return (
        NOT_A_PERSON.search(before(match)) is not None
        or _QUANTITY.match(match.string, match.end()) is not None
        or is_sample(match)
    )


def is_sample(match: re.Match[str]) -> bool:
    return _SAMPLE.search(around(match, 24, 20)) is not None


def is_date(text: str) -> bool:
    return _DATE.fullmatch(text.strip()) is not None


def is_range(text: str) -> bool:
    """Whether the text is a range of years, prices or times of day: two round numbers of four digits that rise."""
    halves = re.fullmatch(r"(\d{4}) ?[-–~ ] ?(\d{4})", text.strip())
    if halves is None or int(halves[1]) > int(halves[2]):
        return False
    first, last = int(halves[1]), int(halves[2])
    return (first % 10 == 0 and last % 10 == 0) or (first >= 1900 and last <= 2100)


def told(words: str, earlier: int = 40, later: int = 0) -> Callable[[re.Match[str]], bool]:
    """A test whether one of the words (alternatives of a pattern) stands near the match."""
    pattern = re.compile(words, re.IGNORECASE | re.ASCII)
    return lambda match: pattern.search(around(match, earlier, later)) is not None
