"""Personal numbers by checksum and label; public and technical numbers that stay."""

from __future__ import annotations

import pytest

from memoryapp.domain.checksums import iban, luhn, resident_id
from memoryapp.domain.pii import RESTRICTED, find_personal

PERSONAL = [
    ("身份证 110105" + "19491231002X", "pii.cn_id"),
    ("身份证号110105 19491231 002X", "pii.cn_id"),
    ("１１０１０５" + "１９４９１２３１００２Ｘ", "pii.cn_id"),
    ("储蓄卡 6222 0200 0000 0000 004", "pii.bank_card"),
    ("visa 4012 8888 8888 1881", "pii.bank_card"),
    ("amex 3714-496353-98431", "pii.bank_card"),
    ("sort code 20-11-33", "pii.bank_account"),
    ("护照号 EF7654321", "pii.passport"),
    ("my passport number is 512345678", "pii.passport"),
    ("住院号：20310077", "pii.medical_record"),
    ("患者王某确诊乙肝", "pii.medical_record"),
    ("SSN 219-09-9999", "pii.ssn"),
    ("联系我13712345678", "pii.cn_mobile"),
    ("call +86 137 1234 5678", "pii.cn_mobile"),
    ("幺三七幺二三四五六七八", "pii.cn_mobile"),
    ("my cell is (555) 234-8876", "pii.phone"),
    ("车牌浙A·9F731", "pii.plate"),
    ("粤BD12345 停在楼下", "pii.plate"),
    ("台胞证 07654321", "pii.permit"),
    ("社保号 330100778899", "pii.social_security"),
    ("学号 2031440077", "pii.student_id"),
    ("FR14 2004 1010 0505 0001 3M02 606", "pii.iban"),
    ("NI number AB 65 43 21 C", "pii.uk_nino"),
    ("ann.lee@mail.test", "pii.email"),
    ("lili 艾特 mail 点 com", "pii.email"),
    ("我住在杭州市西湖区文三路90号5幢2单元601室", "pii.address"),
    ("I live at 17 Maple Street, Apt 9", "pii.address"),
    ("李雷，1992年3月4日出生", "pii.birth_date"),
    ("date of birth: 1992-03-04", "pii.birth_date"),
    ("我家定位 30.27415, 120.15515", "pii.location"),
    ("微信号：lilei_1992x", "pii.account_name"),
    ("我的身分證字號是 A12" + "3456789", "pii.national_id"),
    ("統一編號（個人）a12" + "3456789", "pii.national_id"),
    ("HKID A123" + "4563", "pii.national_id"),
    ("澳門身份證 1234" + "567(8)", "pii.national_id"),
    ("S1234" + "567D is my NRIC", "pii.national_id"),
    ("mi CURP es BOXW310820" + "HNERXN09", "pii.national_id"),
    ("my NHS number is 943 " + "476 5919", "pii.national_id"),
    ("the CRA wants my SIN, 046 " + "454 286", "pii.national_id"),
    ("my patient ID at Kaiser is 110029384", "pii.medical_record"),
    ("last four of my SSN are 9127", "pii.id_tail"),
    ("我的邮箱是liwei_1987@126.com", "pii.email"),
    ("best number for me is 503-555-0174", "pii.phone"),
    ("携帯は 090-2231-8874 です", "pii.phone"),
    ("Barclays 20-32-06 / 43821177", "pii.bank_account"),
    ("numéro de sécu 2 95 10 99 " + "126 111 93", "pii.national_id"),
    ("家電 (02) 2735-8812", "pii.phone"),
    ("打 0933 218 765 找我", "pii.phone"),
    ("手提電話 9871 2236", "pii.phone"),
    ("一三八零零一二三四五六 有空打给我", "pii.cn_mobile"),
    ("我同事小顾的号 198 200 317 16", "pii.cn_mobile"),
    ("退款请转 4012　8888　8888　1881", "pii.bank_card"),
    ("身份号 一一零一零五一九四九一二三一零零二X", "pii.cn_id"),
    ("我的車牌 BKR-5829", "pii.plate"),
    ("健保卡號 0000 1234 5678", "pii.social_security"),
    ("民國78年11月3日生", "pii.birth_date"),
    ("我家住臺北市大安區和平東路二段 134 巷 8 弄 15 號 4 樓", "pii.address"),
    ("our apartment: 17 avenue Victor Hugo, 69002 Lyon", "pii.address"),
    ("the cabin (our home) sits at 47°36'22\"N 122°19'55\"W", "pii.location"),
    ("leo.b_92 @ mail.test", "pii.email"),
    ("P<UTOERIKSSON<<ANNA<MARIA", "pii.passport"),
    ("我的指纹模板编号 FP-20931-7A", "pii.biometric"),
]


@pytest.mark.parametrize(("text", "rule"), PERSONAL)
def test_a_personal_number_is_found(text: str, rule: str) -> None:
    assert rule in {finding.rule for finding in find_personal(text)}


PUBLIC = [
    "工单 110105194912310021 已关闭",
    "订单号 6222020000000000004",
    "ISBN 978-7-302-12345-6",
    "统一社会信用代码 91330106MA2CFAKE0X",
    "浙ICP备12345678号-2",
    "客服热线 400-123-4567，急事打 120",
    "运单 SF1372345678901",
    "服务器 10.20.30.40:6379",
    "时间戳 1711111111111",
    "从 3.11.9 升到 3.12.1",
    "正则 1[3-9]\\d{9}",
    "我住在成都",
    "公司在海淀区中关村大街1号",
    "会议在京B座 3 层",
    "RFC 9457 and PEP 695",
    "The job handles 13712345 rows",
    "Order #219-09-9999 shipped",
    "support@shop.test answers within a day",
    "my birthday is in May",
    "Lat/long rounding: 30.2 and 120.1",
    "学号和姓名都要脱敏",
    "身份证号要加密存储",
    "我对海鲜过敏，有高血压",
    "圆周率 3.14159265358979",
    "编号 A123456789 的零件停产",
    "model no. S1234567D is discontinued",
    "我住酒店喜欢高楼层，国家会议中心 3 号厅",
    "the table has 18612345678 rows by now",
    "示例手机号 13812345678",
    "双色球 03 07 12 18 22 31 + 09",
    "健保署 0800-030-598",
    "我订了 ABC-1234 型号的台灯",
    "一三五七九的节奏跑步，二四六休息",
    "我打算花 3000-5000 买个手机",
    "我找了 2024-2025 学年的课表",
    "微信 8.0.50 更新后卡",
    "住院 12345 元，报销后自付 3000",
    "our studio moved to 88 Wood Street",
    "Apple 支持电话 400-666-8800",
    "Call 1-800-433-7300 for my flight",
    "台湾行政院 02-3356-6500 服务时间到五点",
    "the radio station's number: 617-555-0123",
]


@pytest.mark.parametrize("text", PUBLIC)
def test_public_and_technical_numbers_pass(text: str) -> None:
    assert find_personal(text) == ()


def test_the_check_character_decides_a_resident_id() -> None:
    assert resident_id("110105" + "19491231002X") and not resident_id("110105" + "194912310021")


def test_luhn_refuses_a_card_with_one_digit_changed() -> None:
    assert luhn("4012888888881881") and not luhn("4012888888881882")


def test_an_iban_has_remainder_one() -> None:
    assert iban("FR1420041010050500013M02606") and not iban("FR1420041010050500013M02607")


def test_the_span_of_a_finding_is_the_text_itself_in_full_width_too() -> None:
    text = "证件 １１０１０５" + "１９４９１２３１００２Ｘ 完"
    (finding,) = find_personal(text)
    assert text[finding.start : finding.end] == "１１０１０５" + "１９４９１２３１００２Ｘ"


def test_a_restricted_number_wins_over_what_overlaps_it() -> None:
    findings = find_personal("驾驶证号 110105" + "19491231002X")
    assert [finding.rule in RESTRICTED for finding in findings] == [True]


def test_a_number_in_words_is_told_by_its_own_span() -> None:
    text = "打一三八零零一二三四五六找我"
    (finding,) = find_personal(text)
    assert text[finding.start : finding.end] == "一三八零零一二三四五六"


def test_a_traditional_identity_card_is_known_by_its_check_digit_alone() -> None:
    assert find_personal("報稅用 A12" + "3456789 這個") and not find_personal("報稅用 A12" + "3456788 這個")


def test_a_name_for_things_before_a_number_speaks_against_a_person() -> None:
    assert not find_personal("型号 S1234567D 停产") and find_personal("我的是 S1234567D")
