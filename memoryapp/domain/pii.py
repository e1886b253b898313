"""Numbers and records that belong to a person: by checksum where one exists, by label where none does.

Sources: GB 11643 (resident id), ISO/IEC 7812 (cards, Luhn), ISO 13616 (IBAN, mod 97), GA 36 (plates).
What is public stays: company codes, filing numbers, hotlines, tracking numbers, versions, addresses of machines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memoryapp.domain.messages import Folded, fold_width, holds_any
from memoryapp.domain.scripts import simplified
from memoryapp.domain.types import Effect, Finding


@dataclass(frozen=True, slots=True)
class _Number:
    """A kind of number. `valid` gets the match; `needs` are strings of which one must stand in the text.

    `least` is how many digits its longest group has, blanks and signs inside not counted: the pattern is tried only
    around groups that have as many, `near` them when it needs no label.
    """

    name: str
    pattern: re.Pattern[str]
    valid: Callable[[re.Match[str]], bool]
    needs: tuple[str, ...] = ()
    least: int = 1
    near: bool = False


_RESTRICTED = ("cn_id", "bank_card", "bank_account", "passport", "medical_record", "ssn", "national_id")
_CONFIRMED_NAMES = (
    "cn_mobile phone permit plate social_security student_id iban uk_nino email address birth_date id_tail "
    "location account_name driver_license"
)
_CONFIRMED = tuple(_CONFIRMED_NAMES.split())
RESTRICTED = frozenset(f"pii.{name}" for name in _RESTRICTED)
RULES: dict[str, Effect] = {
    **{f"pii.{name}": Effect.REFUSE for name in _RESTRICTED},
    **{f"pii.{name}": Effect.CONFIRM for name in _CONFIRMED},
}
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_NOT_A_PERSON = re.compile(
    r"(?:订单|工单|单号|流水|快递|运单|编号|发票|合同|案号|批次|票号|order|ticket|tracking|invoice|issue|isbn|serial|batch|build|case"
    r"|sku)[^\d\n]{0,12}$",
    re.IGNORECASE,
)
_ORGANISATION = re.compile(
    r"客服|热线|总机|前台|公司|酒店|餐厅|医院|银行|学校|门店|商家|派出所|hotline|support|helpdesk|customer service|front "
    r"desk|office",
    re.IGNORECASE,
)
_HOME = re.compile(
    r"住|家|收货|寄|宿舍|户籍|my address|home|live[sd]? (?:at|in|on)|ship|mail(?:ing)? to|reside|deliver", re.IGNORECASE
)
_ROLE_MAILBOX = re.compile(
    r"(?:no-?reply|donotreply|support|info|sales|admin|contact|hello|help|security|abuse|postmaster|webmaster|git"
    r"|deploy|ci|bot|root"
    r"|billing|press|jobs|hr|team|service|notifications?|alerts?|user(?:name)?|name|you|your[._-]?\w{0,12}"
    r"|someone|email|mail|x+)",
    re.IGNORECASE,
)


_EXPIRY = re.compile(r"[\s,，、;；(（]{0,3}(?:exp\w*|valid|有效期|到期)[^\d\n]{0,10}\d\d ?/ ?\d\d", re.IGNORECASE)


def luhn(digits: str) -> bool:
    """ISO/IEC 7812-1 check of a card number given as digits."""
    doubled = (int(each) * (1 + position % 2) for position, each in enumerate(reversed(digits)))
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


def resident_id(number: str) -> bool:
    """GB 11643-1999: 17 digits weighted, modulo 11; the check character is a digit or X."""
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, number[:17], strict=True))
    return number[17].upper() == "10X98765432"[total % 11]


def iban(number: str) -> bool:
    """ISO 13616: country and check digits moved to the end, letters as 10–35, remainder 1 modulo 97."""
    moved = number[4:] + number[:4]
    return int("".join(str(int(each, 36)) for each in moved)) % 97 == 1


def _plain(match: re.Match[str]) -> str:
    return re.sub(r"[ \-·•.]", "", match.group())


def _before(match: re.Match[str], length: int = 24) -> str:
    return match.string[max(0, match.start() - length) : match.start()]


def _is_resident_id(match: re.Match[str]) -> bool:
    return (
        resident_id(_plain(match))
        or re.search(r"身份证(?!.{0,6}(?:后|尾))|(?<![a-z])id (?:card|number)", _before(match), re.IGNORECASE)
        is not None
    )


def _is_resident_number(match: re.Match[str]) -> bool:
    """By its checksum and its date of birth, however the digits are grouped."""
    plain = _plain(match)
    return re.fullmatch(
        r"\d{6}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]", plain
    ) is not None and resident_id(plain)


def _is_card(match: re.Match[str]) -> bool:
    digits = _plain(match)
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2:
        return False
    expires = _EXPIRY.match(match.string, match.end()) is not None
    if _NOT_A_PERSON.search(_before(match)) and not expires:
        return False
    labelled = re.search(
        r"银行卡|信用卡|储蓄卡|借记卡|工资卡|卡号|账号|账户|帐号|card|visa|master|amex|account",
        _before(match, 40),
        re.IGNORECASE,
    )
    issuer = re.match(
        r"62\d{14,17}$|4(?:\d{12}|\d{15}|\d{18})$|5[1-5]\d{14}$|2[2-7]\d{14}$|3[47]\d{13}$|35\d{14}$"
        r"|6(?:011|5\d\d)\d{12}$|3[068]\d{12}$",
        digits,
    )
    return luhn(digits) + (issuer is not None) + (labelled is not None) >= 2


def _is_mobile(match: re.Match[str]) -> bool:
    return _NOT_A_PERSON.search(_before(match)) is None


def _is_private_phone(match: re.Match[str]) -> bool:
    if re.search(r"(?<!\d)1[3-9]\d(?:[ -]?\d{4}){2}$", match.group()):
        return False  # a Chinese mobile has its own rule
    around = match.string[max(0, match.start() - 24) : match.end() + 12]
    return _ORGANISATION.search(around) is None and 8 <= sum(map(str.isdigit, match.group())) <= 15


def _is_iban(match: re.Match[str]) -> bool:
    number = _plain(match).upper()
    return 15 <= len(number) <= 34 and iban(number)


def _is_nino(match: re.Match[str]) -> bool:
    labelled = re.search(r"\bNI\b|NINO|national insurance", _before(match, 40), re.IGNORECASE) is not None
    return labelled or match[1][0] not in "DFIQUV"


def _is_ssn(match: re.Match[str]) -> bool:
    labelled = re.search(r"ssn|social security|itin|tax id", _before(match, 40), re.IGNORECASE) is not None
    if _NOT_A_PERSON.search(_before(match)):
        return False
    return labelled or (
        match.group().count("-") == 2 and match.group()[:3] not in ("000", "666") and match.group()[0] != "9"
    )


def _is_mailbox(match: re.Match[str]) -> bool:
    return not _ROLE_MAILBOX.fullmatch(match[1]) and not _before(match, 3).endswith("//")


def _is_home(match: re.Match[str]) -> bool:
    around = match.string[max(0, match.start() - 30) : match.end() + 30]
    work = re.search(r"公司|办公|门店|总部|校区|仓库|会场|餐厅|office|headquarters|venue|store", around, re.IGNORECASE)
    return _HOME.search(around) is not None or (
        work is None and re.search(r"单元|室|(?:apt|unit|flat)\b", match.group(), re.IGNORECASE) is not None
    )


def _is_position(match: re.Match[str]) -> bool:
    return (
        re.search(
            r"家|住|定位|坐标|位置|经纬|纬度|gps|home|location|lat|coordinates|position",
            match.string[max(0, match.start() - 40) : match.end() + 40],
            re.IGNORECASE,
        )
        is not None
    )


def _always(_: re.Match[str]) -> bool:
    return True


def _number(
    name: str,
    pattern: str,
    valid: Callable[[re.Match[str]], bool] = _always,
    needs: str = "",
    least: int = 1,
    *,
    near: bool = False,
) -> _Number:
    return _Number(name, re.compile(pattern, re.IGNORECASE), valid, tuple(needs.split()), least, near)


_LABEL_GAP = (
    r"(?:(?:号码|号|编号|卡号|no\.?|number|num|#|id)\s?){0,2}(?:[（(][^）)\n]{0,12}[）)])?\s{0,3}(?:是|为|is|was"
    r"|[:：=#])?\s{0,3}"
)
_DIGIT_EDGE = r"(?<![0-9A-Za-z_.\-])"
_WITH_DIGITS = (
    _number(
        "cn_id",
        r"(?<![0-9A-Za-z])[1-9]\d{5}[ -]?(?:18|19|20)\d{2}[ -]?(?:0[1-9]|1[0-2])[ -]?(?:0[1-9]|[12]\d"
        r"|3[01])[ -]?\d{3}[0-9X](?![0-9A-Za-z])",
        _is_resident_id,
        least=17,
        near=True,
    ),
    _number(
        "cn_id",
        r"(?<![0-9A-Za-z])[1-9](?:[ -]?\d){16}[ -]?[0-9X](?![0-9A-Za-z])",
        _is_resident_number,
        least=17,
        near=True,
    ),
    _number("cn_id", r"身份证" + _LABEL_GAP + r"\d{15}(?!\d)", needs="身份证", least=15),
    _number("bank_card", r"(?<![0-9A-Za-z.])\d(?:[ -]?\d){12,18}(?![0-9A-Za-z])", _is_card, least=13, near=True),
    _number(
        "bank_account",
        r"(?:银行账[户号]|开户账号|对公账号|收款账号|bank account|account (?:number|no\.?)|routing number|sort "
        r"code)" + _LABEL_GAP + r"\d[\d -]{5,24}\d",
        needs="账 account routing sort",
        least=6,
    ),
    _number(
        "cn_mobile",
        _DIGIT_EDGE + r"(?:(?:\+|00)?86[ -]?)?1[3-9]\d(?:[ -]?\d{4}){2}(?![0-9A-Za-z])",
        _is_mobile,
        least=11,
        near=True,
    ),
    _number(
        "cn_mobile", _DIGIT_EDGE + r"(?:\+?86[ -]?)?1[ .·]?[3-9](?:[ .·]\d){9}(?!\d)", _is_mobile, least=11, near=True
    ),
    _number(
        "phone",
        r"(?<![0-9A-Za-z+])\+(?!86)\d{1,3}[ -]?(?:\(\d{1,5}\)|\d{1,5})(?:[ "
        r".-]?\d{2,5}){1,4}(?![\dA-Za-z])",
        _is_private_phone,
        "+",
        least=7,
        near=True,
    ),
    _number(
        "phone",
        r"(?:电话|座机|手机|宅电|call me|phone|cell|mobile|tel|whatsapp|text me)[^\d\n]{0,24}((?:\+?\d{1,3}[ "
        r".-]?)?\(?\d{3,4}\)?[ .-]?\d{3,4}[ .-]?\d{3,4})(?!\d)",
        _is_private_phone,
        "电话 座机 手机 宅电 call Call phone Phone cell Cell mobile Mobile tel Tel hatsApp text",
        least=9,
    ),
    _number(
        "passport",
        r"(?:护照|passport)[^\d\n]{0,24}?(?<![A-Za-z0-9])(?:[A-Z]{0,2}\d{7,9}(?!\d)|(?=[A-Z]{0,8}\d)(?=(?:[A-Z]*\d){4})[A-Z0-9]{8,9}(?![A-Z0-9]))",
        needs="护照 assport ASSPORT",
        least=1,
    ),
    _number(
        "permit",
        r"(?:回乡证|通行证|台胞证|居住证|居留证|军官证|士兵证|港澳证|往来港澳|residence permit|travel permit|green card|visa "
        r"no)[^\d\n]{0,14}?[A-Z]{0,3}\d{7,12}(?!\d)",
        needs="证 港澳 permit card visa",
        least=7,
    ),
    _number(
        "driver_license",
        r"(?:驾驶证|驾照|行驶证|档案编号|driver'?s? licen[cs]e)[^\d\n]{0,14}?[A-Z]{0,3}\d[\dA-Z-]{5,18}",
        needs="驾 行驶 档案 driver Driver",
    ),
    _number(
        "plate",
        r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-HJ-NP-Z][·•\- ]?(?=[A-Z]{0,4}\d)(?:[A-HJ-NP-Z0-9]{5,6}"
        r"|[A-HJ-NP-Z0-9]{4}[挂学警港澳])(?![0-9A-Za-z])",
        lambda match: sum(map(str.isdigit, match.group())) >= 2,
        near=True,
    ),
    _number(
        "plate",
        r"(?:licen[cs]e plate|number plate|plate (?:number|no\.?))(?: is|:)?\s{0,2}[A-Z0-9]{1,4}[ "
        r"-]?[A-Z0-9]{2,5}",
        lambda match: any(map(str.isdigit, match.group())),
        "plate",
    ),
    _number(
        "social_security",
        r"(?:社保卡?|社会保障卡?|公积金|医保卡?|养老保险|medicare|insurance "
        r"policy)[^\d\n]{0,8}(?:[A-Z]{0,3}\d[\d -]{6,20})",
        needs="社保 社会 公积金 医保 养老 edicare nsurance",
        least=5,
    ),
    _number(
        "social_security",
        r"(?:medicare|medicaid)(?: (?:id|no\.?|number))?(?: is|:|#)?\s{0,2}\d[A-Z0-9]{3}[- ]?[A-Z0-9]{3}[- ]?[A-Z0-9]{4}",
        needs="edicare edicaid",
    ),
    _number(
        "medical_record",
        r"(?:病历|住院|门诊|就诊卡?|病案|检验单|medical record|patient id|mrn)" + _LABEL_GAP + r"[A-Z]{0,4}-?\d{4,14}",
        needs="病 住院 门诊 就诊 检验 ecord atient MRN mrn",
        least=4,
    ),
    _number(
        "student_id",
        r"(?:学号|学籍号|准考证号?|考生号|student (?:id|no\.?|number))" + _LABEL_GAP + r"[A-Z]{0,3}\d{6,16}",
        needs="学 考 tudent",
        least=6,
    ),
    _number(
        "iban",
        r"(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Z0-9])",
        _is_iban,
        least=9,
        near=True,
    ),
    _number(
        "uk_nino", r"(?<![A-Z0-9])([A-Z]{2}) ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Z0-9])", _is_nino, least=6, near=True
    ),
    _number("ssn", r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])", _is_ssn, "-", least=9, near=True),
    _number(
        "ssn",
        r"(?:ssn|(?:my |his |her )social|social security(?: number| no\.?)?|itin)(?: is|:|#)?\s{0,2}\d{3}[ -]?\d{2}[ "
        r"-]?\d{4}(?!\d)",
        needs="SSN ssn ocial tin TIN",
        least=9,
    ),
    _number(
        "national_id",
        r"(?<![\d.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)|(?<!\d)\d{6}-[1-4]\d{6}(?!\d)",
        needs="-",
        least=11,
        near=True,
    ),
    _number(
        "national_id",
        r"(?:aadhaar|nric|fin no|hkid|香港身份证|台湾身份证|身分證|マイナンバー|tax file number|tfn|codice fiscale"
        r"|curp|dni|nie|pesel|cpf|bsn|ahv|nhs(?: no\.?)?|steuer-?(?:id|nummer)|social insurance|sin|national id)"
        + _LABEL_GAP
        + r"[A-Z]{0,6}\d[\dA-Z() -]{5,18}",
        needs="adhaar NRIC nric HKID hkid 身份证 身分證 マイナンバー tax TFN fiscale CURP DNI NIE PESEL CPF BSN AHV NHS nhs teuer nsurance SIN ational",
    ),
    _number("national_id", r"(?<![A-Z0-9])[A-Z]{1,2}\d{6}\([0-9A]\)", needs="(", least=6, near=True),
    _number(
        "birth_date",
        r"(?:(?:19|20)\d\d\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号]|(?:19"
        r"|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2})\s{0,2}(?:日)?(?:出生|生(?![产效成]))",
        needs="生",
    ),
    _number(
        "birth_date",
        r"(?:出生日期|出生年月日|出生于|生于|生日|date of birth|d\.?o\.?b\.?|born(?: on)?|birthday"
        r"|birthdate)(?:\s?(?:是|为|is|was|[:：])){0,2}\s{0,2}(?:(?:19|20)\d\d\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}"
        r"|\d{1,2}[-/. ](?:\d{1,2}|[A-Z]{3,9})[-/., ]{1,2}(?:19|20)\d\d|[A-Z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? (?:19"
        r"|20)\d\d)",
        needs="生 birth Birth born Born DOB dob D.O.B",
        least=4,
    ),
    _number(
        "id_tail",
        r"(?:身份证|[行资蓄用]卡|卡号|ssn|社保)[^\d\n]{0,6}(?:后|尾号?|末|last)[^\d\n]{0,10}\d{4}(?:[ \d]{0,3})",
        needs="身份证 卡 SSN ssn 社保",
        least=4,
    ),
    _number(
        "location",
        r"(?<![\d.])[-+]?\d{1,3}\.\d{4,}°?\s?[NSEW]?\s?[,，、/ ]{1,3}\s?[-+]?\d{1,3}\.\d{4,}",
        _is_position,
        ".",
        least=5,
        near=True,
    ),
    _number(
        "account_name",
        r"(?:微信号?|wechat(?: id)?|QQ号?|telegram|whatsapp|支付宝账?号?)\s?(?:号|id)?\s?(?:是|为|is"
        r"|[:：]|(?=[ A-Za-z0-9]))\s{0,2}@?[A-Za-z0-9_\-]{5,32}",
        lambda match: any(map(str.isdigit, match.group())),
        "微信 echat eChat QQ qq elegram 支付宝",
    ),
    _number(
        "address",
        r"(?:[一-鿿A-Za-z0-9]{1,12}(?:路|街|道|巷|弄|胡同|村|镇|里|小区|花园|苑|园|府|城"
        r"|湾)){1,2}[一-鿿A-Za-z0-9]{0,10}?\s?\d{1,5}\s?(?:号|弄|栋|幢|座|号楼|#)"
        r"(?:\s?[一-鿿]{0,10}\s?\d{1,5}\s?(?:号楼|单元|室|栋|幢|座|楼|层|号|户|[-—]\d{1,5})?){0,4}",
        _is_home,
        "路 街 道 巷 弄 胡同 村 镇 里 小区 花园 苑 园 府 城 湾",
    ),
    _number(
        "address",
        r"(?<!\w)[A-ZÄÖÜ][\w.-]{1,30}(?:straße|strasse|str\.|weg|platz|gasse|allee|laan|straat|vej|gatan) \d{1,4}[a-z]?(?:, \d{4,5} \w{2,30})?"
        r"|(?<!\w)(?:rue|avenue|calle|plaza) (?:[A-Za-zÀ-ÿ'-]{1,20} ){1,4}\d{1,4}(?!\d)",
        _is_home,
        "straße strasse str. weg platz gasse allee laan straat vej gatan rue avenue calle plaza",
    ),
    _number(
        "address",
        r"(?<![\w.])\d{1,5}[A-Z]?,? (?:[A-Z][\w'.]{1,20} ){1,4}(?:street|st|road|rd|avenue|ave|lane|ln"
        r"|drive|dr|court|ct|boulevard|blvd|way|place|pl|terrace|crescent|close|square)\b\.?(?:,? ?(?:apt|apartment"
        r"|unit|flat|suite|#)\.? ?\w{1,5})?",
        _is_home,
    ),
)
_WITHOUT_DIGITS = (
    _number(
        "cn_mobile",
        r"[一幺][三四五六七八九](?:[-， ]?[零〇一二三四五六七八九幺]){9}(?![零〇一二三四五六七八九幺])",
        needs="一 幺",
    ),
    _number(
        "email",
        r"(?<![\w.+%-])([A-Za-z0-9][\w.+%-]{0,63})@(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,15}(?![\w-])",
        _is_mailbox,
        "@",
    ),
    _number(
        "email",
        r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{1,40}\s?(?:艾特|[(\[（【]\s?(?:at|在)\s?[)\]）】]|#at#|小老鼠"
        r"|\sat\s)\s?[A-Za-z0-9-]{2,40}\s?(?:点|[(\[（【]\s?dot\s?[)\]）】]|\sdot\s|\.)\s?[A-Za-z]{2,10}(?![A-Za-z])",
        needs="艾特 (at [at （at 【at (AT [AT #at# 小老鼠 dot",
    ),
    _number(
        "medical_record",
        r"(?:患者|病人|patient)[^\n。.]{0,30}?(?:hiv|艾滋|阳性|确诊|诊断为|梅毒|乙肝|精神分裂|抑郁症|癌|肿瘤|diagnosed"
        r"|tested positive|positive for|suffers from)",
        needs="患者 病人 atient",
    ),
    _number(
        "medical_record",
        r"(?:hiv|艾滋病?|梅毒|乙肝)[^\n。.]{0,8}(?:检测)?(?:呈|为)?(?:阳性|确诊|positive)",
        needs="阳性 确诊 positive",
    ),
)
_GROUP = re.compile(r"[0-9](?:[ .·()/-]{0,3}[0-9])*")
_NEAR, _FAR = (16, 24), (72, 64)
"""Characters before and after a group of digits in which its letters and units stand, and its label as well."""


def find_personal(text: str, plain: Folded | None = None) -> tuple[Finding, ...]:
    """Return personal numbers and records in the text, in order; a span inside a longer one is dropped.

    `plain` is the text in one width and in simplified characters, when that is at hand.
    """
    folded = plain or fold_width(simplified(text))
    found = [
        Finding(f"pii.{kind.name}", RULES[f"pii.{kind.name}"], *folded.source_span(match.start(), match.end()))
        for kind, match in _matches(folded.text)
    ]
    return _outermost(found)


def _matches(text: str) -> Iterator[tuple[_Number, re.Match[str]]]:
    for kind in _WITHOUT_DIGITS:
        if not kind.needs or holds_any(text, kind.needs):
            yield from ((kind, match) for match in kind.pattern.finditer(text) if kind.valid(match))
    groups = [(group.start(), group.end(), _digits_in(group.group())) for group in _GROUP.finditer(text)]
    most = max((digits for _, _, digits in groups), default=0)
    windows: dict[tuple[int, bool], list[tuple[int, int]]] = {}
    for kind in _WITH_DIGITS:
        if kind.least > most or (kind.needs and not holds_any(text, kind.needs)):
            continue
        key = kind.least, kind.near
        if key not in windows:
            windows[key] = _windows([group for group in groups if group[2] >= kind.least], _NEAR if kind.near else _FAR)
        for start, end in windows[key]:
            yield from ((kind, match) for match in kind.pattern.finditer(text, start, end) if kind.valid(match))


def _digits_in(group: str) -> int:
    return len(group) if group.isdecimal() else sum(map(str.isdecimal, group))


def _windows(groups: list[tuple[int, int, int]], reach: tuple[int, int]) -> list[tuple[int, int]]:
    """Stretches of the text around groups of digits, merged where they meet."""
    merged: list[tuple[int, int]] = []
    for start, end, _ in groups:
        first, last = max(0, start - reach[0]), end + reach[1]
        if merged and first <= merged[-1][1]:
            merged[-1] = merged[-1][0], last
        else:
            merged.append((first, last))
    return merged


def _outermost(found: list[Finding]) -> tuple[Finding, ...]:
    """Restricted findings win over others that overlap them; otherwise the longer one stays."""
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda each: (each.rule not in RESTRICTED, each.start - each.end)):
        if all(finding.end <= other.start or finding.start >= other.end for other in kept):
            kept.append(finding)
    return tuple(sorted(kept, key=lambda each: each.start))
