"""Numbers that offices, banks, schools and hospitals give to a person: by checksum where one exists, by label where none
does.

Sources beside `checksums`: ISO/IEC 7812 (issuers of cards), GA 36-2018 (plates of mainland China), 出入境管理局 and
内政部移民署 (permits), 주민등록법 시행규칙 (the Korean number: date of birth, a digit for century and sex; no check digit since
October 2020), ICAO 9303 (passports), CMS (Medicare Beneficiary Identifier), DVLA (driver number), SSA (SSN, ITIN).
What is public stays: codes of companies (USCC by GB 32100 begins with 1, 5, 9 or Y and is no resident id), filing
numbers, tracking numbers.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memoryapp.domain import checksums
from memoryapp.domain.pii_kinds import GAP, WIDE_GAP, before, digits_in, is_date, is_of_a_thing, number, plain, told

_EXPIRY = re.compile(r"[\s,，、;；(（]{0,3}(?:exp\w*|valid|有效期|到期)[^\d\n]{0,10}\d\d ?/ ?\d\d", re.IGNORECASE)
_ISSUER = re.compile(
    r"62\d{14,17}$|4(?:\d{12}|\d{15}|\d{18})$|5[1-5]\d{14}$|2[2-7]\d{14}$|3[47]\d{13}$|35\d{14}$"
    r"|6(?:011|5\d\d)\d{12}$|3[068]\d{12}$"
)
_BIRTH = r"(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
_PROVINCE = r"(?:[1-6]\d|71|8[1-3])"
_RESIDENT = rf"{_PROVINCE}\d{{4}}(?:18|19|20)\d\d{_BIRTH}\d{{3}}[\dX]"

_called_card = told(
    r"银行卡|信用卡|储蓄卡|借记卡|工资卡|这张卡?|卡号|账号|账户|帐号|card|visa|master|maestro|amex|account"
)
_called_nino = told(r"\bNI\b|NINO|national insurance")
_called_ssn = told(r"ssn|social security|itin|tax id")
_called_hong_kong = told(r"hkid|hong ?kong|香港|身[份分]证|id card|id no|\bHK\b", 24, 24)
_called_macao = told(r"澳门|macau|macao|\bBIR\b|身[份分]证", 24, 16)
_called_taiwan = told(r"身[份分]证|字号|统一[编证]号|居留|证|\bID\b", 24, 12)
_called_spanish = told(r"\bdni\b|\bnif\b|\bnie\b|documento|identidad|spain|spanish|españ", 24, 16)
_called_bank = told(
    r"银行|邮局|信托|信用社|恒生|汇丰|中银|户名|开户|转[账帐]|过数|checking|savings|routing|\bbank|deposit|wire", 30, 30
)
_called_old_id = told(r"身[份分]证|证件|\bid\b", 24)
_called_car = told(r"[车牌停]|plate|\bcar\b", 24, 12)


def _is_resident_id(match: re.Match[str]) -> bool:
    return (
        checksums.resident_id(plain(match))
        or re.search(
            r"(?:身[份分]证|证件)(?!.{0,6}(?:后|尾))|(?<![a-z])id (?:card|number)", before(match), re.IGNORECASE
        )
        is not None
    )


def _is_resident_number(match: re.Match[str]) -> bool:
    """By its checksum and its date of birth, however the digits are grouped."""
    digits = plain(match)
    return re.fullmatch(_RESIDENT, digits) is not None and checksums.resident_id(digits)


def _is_card(match: re.Match[str]) -> bool:
    digits = plain(match)
    if not 13 <= len(digits) <= 19 or len(set(digits)) < 2:
        return False
    if is_of_a_thing(match) and _EXPIRY.match(match.string, match.end()) is None:
        return False
    return checksums.luhn(digits) + (_ISSUER.match(digits) is not None) + _called_card(match) >= 2


def _is_account(match: re.Match[str]) -> bool:
    return _called_bank(match) and digits_in(match.group()) >= 8


def _is_iban(match: re.Match[str]) -> bool:
    digits = plain(match)
    return 15 <= len(digits) <= 34 and checksums.iban(digits)


def _is_nino(match: re.Match[str]) -> bool:
    return _called_nino(match) or match[1][0].upper() not in "DFIQUV"


def _is_ssn(match: re.Match[str]) -> bool:
    if is_of_a_thing(match):
        return False
    return _called_ssn(match) or (match.group()[:3] not in ("000", "666") and match.group()[0] != "9")


def _checked(
    check: Callable[[str], bool], called: Callable[[re.Match[str]], bool] = lambda _: True
) -> Callable[[re.Match[str]], bool]:
    """Valid by its checksum and what it is called, unless it is a thing's number."""
    return lambda match: not is_of_a_thing(match) and called(match) and check(plain(match))


def _is_taiwan_id(match: re.Match[str]) -> bool:
    seen = _called_taiwan(match) or (match.group()[0].isupper() and not is_of_a_thing(match))
    return seen and checksums.taiwan_id(plain(match))


def _is_spanish_id(match: re.Match[str]) -> bool:
    known = not match.group()[0].isdecimal() or _called_spanish(match)
    return known and not is_of_a_thing(match) and checksums.spanish_id(plain(match))


def _is_labelled_id(match: re.Match[str]) -> bool:
    """Called by its name. A resident id of mainland China has rules of its own."""
    chinese = re.match(_RESIDENT, re.sub(r"[ -]", "", match[1]), re.IGNORECASE) is not None
    return digits_in(match[1]) >= 6 and not is_date(match[1]) and not chinese


def _has_digits(match: re.Match[str]) -> bool:
    return digits_in(match.group()) >= 2


def _is_chinese_plate(match: re.Match[str]) -> bool:
    return _has_digits(match) and (" " not in match.group() or _called_car(match))


_ABROAD: tuple[tuple[int, Callable[[re.Match[str]], bool], Callable[[str], bool]], ...] = (
    (9, told(r"\bSIN\b|social insurance"), checksums.luhn),
    (9, told(r"\bTFN\b|tax file"), checksums.australian_tax_id),
    (9, told(r"\bBSN\b|burgerservice"), checksums.dutch_id),
    (10, told(r"\bNHS\b"), checksums.british_health_id),
    (10, told(r"personnummer|swedish|personal number"), checksums.luhn),
    (10, told(r"medicare"), checksums.australian_medicare),
    (11, told(r"medicare"), checksums.australian_medicare),
    (11, told(r"pesel"), checksums.polish_id),
    (11, told(r"steuer|identifikationsnummer|\bidnr"), checksums.german_tax_id),
    (11, told(r"\bCPF\b"), checksums.brazilian_id),
    (12, told(r"aadhaa?r"), checksums.verhoeff),
    (12, told(r"my number|マイナンバー|个人番号"), checksums.japanese_id),
)
"""Numbers of digits alone: how many, what they are called within a clause, and their check."""


def _is_called_and_checked(match: re.Match[str]) -> bool:
    digits = plain(match)
    return any(length == len(digits) and check(digits) and called(match) for length, called, check in _ABROAD)


_DOCUMENT = r"(?:[A-Z]{0,2}\d{7,9}(?!\d)|(?=[A-Z]{0,8}\d)(?=(?:[A-Z]*\d){4})[A-Z0-9]{8,9}(?![A-Z0-9]))"
_OWN = r"\s?(?:is|are|就?是|係|系)\s?(?:(?:my|our|his|her|the)\b|我|他|她|佢|老[公婆]|本人)[^\d\n]{0,14}?"
_FOREIGN_PLATE = (
    r"(?:[A-Z]{2}\d\d ?[A-Z]{3}|[A-Z]{2,4}[- ]?\d{3,4}|\d{3,4}[- ]?[A-Z]{2,3}|[A-Z]{2} ?\d{1,4})(?![A-Za-z0-9])"
)
IDENTITY = (
    number(
        "cn_id",
        rf"(?<![0-9A-Za-z]){_PROVINCE}\d{{4}}[ -]?(?:18|19|20)\d{{2}}[ -]?(?:0[1-9]|1[0-2])[ -]?(?:0[1-9]|[12]\d"
        r"|3[01])[ -]?\d{3}[0-9X](?![0-9A-Za-z])",
        _is_resident_id,
        least=17,
        near=True,
    ),
    number(
        "cn_id",
        r"(?<![0-9A-Za-z])[1-8](?:[ -]?\d){16}[ -]?[0-9X](?![0-9A-Za-z])",
        _is_resident_number,
        least=17,
        near=True,
    ),
    number("cn_id", r"身[份分]证" + GAP + r"\d{15}(?!\d)", needs="身份证 身分证", least=15),
    number("cn_id", rf"(?<!\d){_PROVINCE}\d{{6}}{_BIRTH}\d{{3}}(?!\d)", _called_old_id, least=15, near=True),
    number(
        "national_id",
        r"(?:身[份分]证|证件|身份号|hkid|(?:id|identity) card|identity number|national id)"
        + GAP
        + r"((?:[A-Z]{1,3} ?)?\d[\dA-Z() /-]{5,20})",
        _is_labelled_id,
        "身份 身分 证件 hkid card identity national",
        least=4,
    ),
    number(
        "national_id", r"(?<![A-Z0-9])[A-Z][ -]?[1289]\d\d[ -]?\d{3}[ -]?\d{3}(?!\w)", _is_taiwan_id, least=9, near=True
    ),
    number("national_id", r"(?<![A-Z0-9])[A-Z]{1,2}\d{6} ?[(（][0-9A][)）]", needs="( （", least=6, near=True),
    number(
        "national_id",
        r"(?<![A-Z0-9])[A-Z]{1,2}\d{6}[0-9A](?!\w)",
        _checked(checksums.hong_kong_id, _called_hong_kong),
        "hk hong 香港 证 card no",
        least=6,
    ),
    number(
        "national_id",
        r"(?<![\d/])[1578][/ ]?\d{3} ?\d{3}(?:[(（]\d[)）]|/\d(?![/\d]))",
        _called_macao,
        least=7,
        near=True,
    ),
    number(
        "national_id",
        r"(?<![A-Z0-9])[STFGM]\d{7}[A-Z](?![A-Z0-9])",
        _checked(checksums.singapore_id),
        least=7,
        near=True,
    ),
    number(
        "national_id",
        rf"(?<![\d-])\d{{2}}{_BIRTH}-[1-8]\d{{6}}(?!\d)",
        lambda match: not is_of_a_thing(match),
        "-",
        13,
        near=True,
    ),
    number("national_id", r"(?<![\d.])\d{3}\.\d{3}\.\d{3}-\d{2}(?!\d)", needs="-", least=11, near=True),
    number(
        "national_id",
        rf"(?<![A-Z0-9])[A-Z]{{4}}\d\d{_BIRTH}[HMX][A-Z]{{5}}[0-9A-Z]\d(?![A-Z0-9])",
        _checked(checksums.mexican_id),
        least=6,
        near=True,
    ),
    number(
        "national_id",
        r"(?<![\dA-Z.])[12] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d(?![\dA-Z])",
        _checked(checksums.french_id),
        least=8,
        near=True,
    ),
    number(
        "national_id", r"(?<![A-Z0-9])(?:[XYZ]-?\d{7}|\d{8})-?[A-Z](?![A-Z0-9])", _is_spanish_id, least=7, near=True
    ),
    number(
        "national_id",
        r"(?<![A-Z0-9])[A-Z]{6}\d\d[ABCDEHLMPRST]\d\d[A-Z]\d{3}[A-Z](?![A-Z0-9])",
        _checked(checksums.italian_id),
        least=3,
        near=True,
    ),
    number(
        "national_id",
        r"(?<![A-Za-z0-9])(?-i:[A-Z]{3}P[A-Z]\d{4}[A-Z])(?![A-Za-z0-9])",
        _checked(bool),
        least=4,
        near=True,
    ),
    number(
        "national_id",
        r"(?<![a-z])(?:aadhaa?r|aadhar|nric|주민등록번호|주민번호|マイナンバー|个人番号|japanese my number|tax file number|tfn"
        r"|codice fiscale|curp|pesel|cpf|bsn|burgerservicenummer|personnummer|ahv|nhs (?:no|number)|steuer-?(?:id|nummer"
        r"|identifikationsnummer)|identifikationsnummer|social insurance n|num[ée]ro de s[ée]cu)"
        + WIDE_GAP
        + r"([A-Z]{0,6}\d[\dA-Z() .-]{5,20})",
        _is_labelled_id,
        "aadha aadhar nric 주민 マイナンバー 番号 number tax tfn fiscale curp pesel cpf bsn burger personn ahv nhs steuer identifik insurance sécu secu",
        least=6,
    ),
    number(
        "national_id",
        r"(?<![a-z])(?:fin no|dni|nif|nie|nhs|idnr|social insurance|sin|pan|rrn|nir)"
        + GAP
        + r"([A-Z]{0,6}\d[\dA-Z() .-]{5,20})",
        _is_labelled_id,
        "fin dni nif nie nhs idnr insurance sin pan rrn nir",
        least=6,
    ),
    number(
        "national_id",
        r"(?<![\d.])\d(?:[ +-]?\d){8,11}(?!\d)",
        _is_called_and_checked,
        "sin insurance tfn tax bsn burger nhs person swedish medicare pesel steuer identifik cpf aadha aadhar number マイ 番号",
        least=9,
    ),
    number("ssn", r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])", _is_ssn, "-", least=9, near=True),
    number(
        "ssn",
        r"(?:ssn|(?:my |his |her )social|soc(?:ial)?\.? sec(?:urity)?|itin)(?: number| no\.?)?(?: is|:|#)?\s{0,2}\d{3}[ -]?\d{2}[ -]?\d{4}(?!\d)",
        needs="ssn soc tin",
        least=9,
    ),
    number("uk_nino", r"(?<![A-Z0-9])([A-Z]{2}) ?\d{2} ?\d{2} ?\d{2} ?[A-D](?![A-Z0-9])", _is_nino, least=6, near=True),
)
MONEY = (
    number("bank_card", r"(?<![0-9A-Za-z.])\d(?:[ -]?\d){12,18}(?![0-9A-Za-z])", _is_card, least=13, near=True),
    number(
        "bank_account",
        r"(?:银行账[户号]|开户账号|对公账号|收款账号|bank account|account (?:number|no\.?)|routing number|sort "
        r"code)" + GAP + r"\d[\d -]{5,24}\d",
        needs="账 account routing sort",
        least=6,
    ),
    number(
        "bank_account",
        r"(?:[账帐][号户]|户口|account|acct\b)[^\d\n]{0,24}?\d[\d -]{6,24}\d(?!\d)",
        _is_account,
        "账 帐 户口 account acct",
        least=8,
    ),
    number(
        "bank_account",
        r"(?<![\d-])\d\d-\d\d-\d\d[ ,/]{1,4}(?:a/c |account )?\d{8}(?!\d)",
        told(r"account|sort|bank|barclays|hsbc|lloyds|natwest|monzo|pay", 40, 30),
        "-",
        least=6,
        near=True,
    ),
    number(
        "iban",
        r"(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,4})?(?![A-Z0-9])",
        _is_iban,
        least=8,
        near=True,
    ),
)
DOCUMENTS = (
    number(
        "passport",
        r"(?:护照|passport)[^\d\n]{0,24}?(?<![A-Za-z0-9])" + _DOCUMENT,
        needs="护照 passport",
        least=1,
    ),
    number("passport", r"(?<![A-Za-z0-9])" + _DOCUMENT + _OWN + r"(?:护照|passport)", needs="护照 assport", least=7),
    number(
        "permit",
        r"(?:回乡证|通行证|台胞证|居住证|居留证|永久居留身[份分]证|入台证|军官证|士兵证|港澳证|往来港澳|residence permit|travel permit|green card"
        r"|a-number|\bBRP|visa no)[^\d\n]{0,14}?[A-Z]{0,3}\d{7,18}(?!\d)",
        needs="证 港澳 permit card visa number brp",
        least=7,
    ),
    number(
        "permit",
        r"(?<!认)(?<!验)(?<!保)(?<!合格)(?<!许可)(?<!凭)[一-鿿]证(?:件|明)?(?:编号|号码?|字号)"
        + GAP
        + r"[A-Z]{0,3}[ -]?\d{6,20}(?!\d)",
        lambda match: not is_of_a_thing(match),
        needs="证",
        least=6,
    ),
    number(
        "driver_license",
        r"(?:驾驶证|驾照|行驶证|档案编号|driver'?s? licen[cs]e)[^\d\n]{0,14}?[A-Z]{0,3}\d[\dA-Z -]{5,18}",
        needs="驾 行驶 档案 driver",
    ),
    number(
        "driver_license",
        r"(?<![A-Z0-9])[A-Z9]{5}\d(?:[05][1-9]|[16][0-2])(?:0[1-9]|[12]\d|3[01])\d[A-Z9]{2}\d[A-Z]{2}(?![A-Z0-9])",
        least=6,
        near=True,
    ),
    number(
        "plate",
        r"[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼] ?[A-HJ-NP-Z][ ·•-]{0,3}(?=[A-Z]{0,4}\d)(?:[A-HJ-NP-Z0-9]{5,6}"
        r"|[A-HJ-NP-Z0-9]{4}[挂学警港澳])(?![0-9A-Za-z])",
        _is_chinese_plate,
        near=True,
    ),
    number(
        "plate",
        r"(?:licen[cs]e plate|number plate|plate (?:number|no\.?))(?: is|:)?\s{0,2}[A-Z0-9]{1,4}[ "
        r"-]?[A-Z0-9]{2,5}",
        lambda match: any(map(str.isdigit, match.group())),
        "plate",
    ),
    number(
        "plate",
        r"\bplates?:? (?:is )?(?:[A-Z]{2}\d\d ?[A-Z]{3}|[A-Z]{3}[- ]?\d{3,4}|\d[A-Z]{3}\d{3})(?!\w)",
        needs="plate",
    ),
    number(
        "plate",
        r"(?:车牌|牌照|车号|机车|\b(?:car|vehicle|my) (?:reg(?:istration)?|plate))"
        + GAP
        + r"(?<![A-Za-z0-9])"
        + _FOREIGN_PLATE,
        _has_digits,
        "车 牌照 reg plate",
    ),
    number(
        "plate", r"(?<![A-Za-z0-9])" + _FOREIGN_PLATE + _OWN + r"(?:车|\bcar\b|\bplate)", _has_digits, "车 car plate", 2
    ),
    number(
        "social_security",
        r"(?:社保卡?(?![局所])|社会保障卡?|公积金|医保卡?(?![局办])|健保卡?(?![署局])|养老保险|medicare|insurance "
        r"policy)[^\d\n]{0,20}?(?:[A-Z]{0,3}\d[\d -]{6,20})",
        needs="社保 社会 公积金 医保 健保 养老 medicare insurance",
        least=5,
    ),
    number(
        "social_security",
        r"(?:medicare|medicaid)(?: (?:id|no\.?|number))?(?: is|:|#)?\s{0,2}\d[A-Z0-9]{3}[- ]?[A-Z0-9]{3}[- ]?[A-Z0-9]{4}",
        needs="medicare medicaid",
    ),
    number(
        "social_security",
        r"(?<![A-Z0-9])(?-i:[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d-[AC-HJKMNP-RT-Y]{2}\d\d)"
        r"(?![A-Z0-9])",
        needs="-",
        least=2,
        near=True,
    ),
    number(
        "medical_record",
        r"(?:(?:病历|病案|住院|就诊|门诊)(?:编?号|卡)|medical record|patient id|mrn)"
        + WIDE_GAP
        + r"[A-Z]{0,4}-?\d{4,14}",
        needs="病 住院 门诊 就诊 record patient mrn",
        least=4,
    ),
    number(
        "medical_record",
        r"(?:病历|住院|门诊|就诊卡?|病案|检验单)" + GAP + r"[A-Z]{0,4}-?\d{4,14}",
        lambda match: not is_of_a_thing(match),
        needs="病 住院 门诊 就诊 检验",
        least=4,
    ),
    number(
        "student_id",
        r"(?:学号|学生证号?|学籍号|准考证号?|考生号|(?:student|university) (?:id|no\.?|number))"
        + WIDE_GAP
        + r"[A-Z]{0,3}\d{6,16}",
        needs="学 考 student university",
        least=6,
    ),
    number(
        "id_tail",
        r"(?:身[份分]证|[行资蓄用]卡|卡号|ssn|社保)[^\d\n]{0,6}(?:后|尾号?|末|last)[^\d\n]{0,10}\d{4}(?:[ \d]{0,3})",
        needs="身份证 身分证 卡 ssn 社保",
        least=4,
    ),
    number(
        "id_tail",
        r"(?:last|final|后|末) ?(?:four|4|四|几|6|six|六)[^\d\n]{0,20}(?:ssn|social|card|身[份分]证|卡)[^\d\n]{0,10}\d{4,6}(?!\d)",
        needs="ssn social card 身 卡",
        least=4,
    ),
)
