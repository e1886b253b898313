"""What the classifier "credential" looks at: the words around a value, how near they stand, and what they are about.

A text has `VALUE` and a letter for the shape where the value in question stood, `OTHER_VALUE` and a letter for others.
Words of one subject count together as well ("unlocks", "gets you in"), so that a way to say it that nobody taught is
met by the company it keeps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

VALUE, OTHER_VALUE = "\ue010", "\ue011"
_PIECE = re.compile(
    r"[\ue010\ue011].|[a-zà-ÿа-я]+(?:'[a-z]+)?|[\u3400-\u9fff]|[ぁ-ヿ]+|[가-힣]+|[:=?,>→+/&@#\n-]"
    r"|[\u2190-\u2bff\U0001f300-\U0001faff]"
)
_SAME_MARK = str.maketrans("：，？＝", ":,?=")
_FAR, _NEXT, _NEAR, _BESIDE = 10, 5, 5, 4

_LABEL, _OPENS, _PLACE, _DEVICE, _ACCOUNT, _SETS = "label", "opens", "place", "device", "account", "sets"
_NAMED, _OTHER, _MEASURE, _TECHNICAL, _RULE, _LOST = "named", "other", "measure", "technical", "rule", "lost"
_SUBJECTS = {
    _LABEL: "pass password passwords pasword passwrod psswd passwd paswd pwrd psw pwd pw pin pins puk otp otps code codes passcode passcodes combo "
    "combination pattern phrase passphrase secret token key keycode credential credentials creds login mima kouling yzm "
    "tan passwort contraseña senha wachtwoord 密 码 口令 暗号 暗语 钥 令牌 凭 答案 验证",
    _OPENS: "open opens unlock unlocks unlocking get_in gets_in you_in you_into you_through yourself_in log_in logs_in log_into logged_in sign_in "
    "sign_into disarm disarms enter press punch type dial takes wants join ask asks redeem activate 登 登录 进 进去 解 解锁 开锁 打开 输 输入 按 填 "
    "拨 连 撤防 布防 兑换 激活 用",
    _PLACE: "door doors gate gates garage locker lockers safe vault lockbox alarm padlock lock suitcase keypad lobby building shed "
    "cabinet barrier mailbox till drawer 门 库 柜 箱 锁 盒 闸 大堂 楼 报警 警报 键盘 仓",
    _DEVICE: "phone phones iphone tablet ipad laptop computer telly tv watch sim card debit credit bank usb stick drive 手机 平板 电脑 笔记本 电视 "
    "手表 卡 银行 硬盘 存折",
    _ACCOUNT: "wifi fi wlan network ssid hotspot router mail email account netflix spotify steam portal site website server vpn "
    "ssh ftp db database admin root crm nas wiki payroll wallet zip pdf app 无线 网络 热点 路由 邮箱 账号 账户 帐号 会员 平台 系统 服务器 后台 数据库 "
    "钱包 压缩包 网站 网银 支付 微信",
    _SETS: "set change changed reset switched new now still 改 换 设 重置 新 还是",
    _NAMED: "username usernames user_name handle handles name named called nickname id ids alias tag 用户名 用户 账号名 昵称 网名 名字 名叫 叫 工号 学号 编号 代号",
    _OTHER: "model sku order orders tracking parcel ticket flight booking reference ref invoice isbn postal postcode zip_code pincode area country error "
    "exit status stop dress colour color course module part article serial membership customer room seat bus train page chapter channel frequency "
    "extension ext lot plate version build release promo discount coupon 型号 货号 订单 单号 快递 工单 航班 车次 预订 参考 发票 书号 邮编 区号 错误 故障 状态 报错 颜色 "
    "课号 课程 零件 条码 商品 客户 房间 座位 路 页 章 频道 分机 批次 车牌 版本 优惠 折扣 股票 基金 合同 代码",
    _MEASURE: "cost costs price paid euro euros dollars pounds year years month months day days hour hours minute minutes second seconds percent km kilo "
    "kilos metre metres meters cm mm gb mb people users times characters digits tokens requests 元 块 年 月 日 天 小时 分钟 秒 公里 公斤 米 厘米 个 次 位 人 岁 层 号 条 "
    "万 折 兆",
    _TECHNICAL: "commit branch function method class file column field variable env environment table migration test tests line "
    "repo port config hash digest md sha checksum fingerprint api endpoint pod service package 提交 分支 函数 方法 文件 字段 变量 表 迁移 测试 行 仓库 端口 配置 哈希 "
    "摘要 校验 指纹 接口 域名 服务",
    _RULE: "must should never always at_least minimum maximum policy rule rules require requires required every don't cannot can't 必须 至少 不要 不能 别 规定 "
    "规则 每次 一律 不得 应该 要求",
    _LOST: "forgot forget lost wrong failed fails expire expires expired leaked rotate rotates missing 忘 丢 错 失效 过期 泄露 坏",
}  # fmt: skip
_SUBJECT_OF = {word.replace("_", " "): subject for subject, words in _SUBJECTS.items() for word in words.split()}
_SORT = {**dict.fromkeys("dn", "number"), **dict.fromkeys("mocuyle", "name"), **dict.fromkeys("rxqv", "phrase")}


def around_value(text: str) -> set[str]:
    """The words and characters of a sentence in which values are shapes, and the shape in question."""
    return set(_pieces(text))


def beside_value(text: str) -> set[str]:
    """What stands before and behind the value and how near, the subjects that are touched, and parts of longer words."""
    pieces = _pieces(text)
    place = next((n for n, piece in enumerate(pieces) if piece[0] == VALUE), 0)
    before, after = pieces[max(0, place - _FAR) : place], pieces[place + 1 : place + 1 + _NEXT]
    shape = pieces[place][-1:] if pieces else ""
    found = {f"b {piece}" for piece in before} | {f"a {piece}" for piece in after}
    found.update(f"b {first} {second}" for first, second in pairwise(before))
    found.update(f"a {first} {second}" for first, second in pairwise(after))
    found.update(f"{n} {piece}" for n, piece in enumerate(reversed(before[-3:]), 1))
    found.update(f"-{n} {piece}" for n, piece in enumerate(after[:2], 1))
    found.update(f"{shape} {piece}" for piece in before[-_NEAR:])
    found.update((f"1 {' '.join(before[-2:])}", f"- {' '.join(after[:2])}"))
    found.update(_of_subjects(pieces, place, _SORT.get(shape, "token")))
    words = [piece for piece in pieces if len(piece) > 3]
    found.update(edged[n : n + 4] for word in words if (edged := f"<{word}>") for n in range(len(edged) - 3))
    return found


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(text.translate(_SAME_MARK))


def _of_subjects(pieces: list[str], place: int, sort: str) -> Iterator[str]:
    touched = list(_subjects(pieces))
    for index, subject in touched:
        side = "b" if index < place else "a"
        yield from (f"#{subject}", f"#{side} {subject}", f"#{sort} {subject}", f"#{sort} {side} {subject}")
        if abs(index - place) <= _BESIDE:
            yield from (f"#{side}1 {subject}", f"#{sort} {side}1 {subject}")
    yield from (f"#{one}+{two}" for one, two in combinations(sorted({subject for _, subject in touched}), 2))


def _subjects(pieces: Sequence[str]) -> Iterator[tuple[int, str]]:
    """The subjects of single pieces, of neighbouring words and of two or three Chinese characters in a row."""
    for index, piece in enumerate(pieces):
        for word in (piece, "".join(pieces[index : index + 2]), " ".join(pieces[index : index + 2]), "".join(pieces[index : index + 3])):  # fmt: skip
            if subject := _SUBJECT_OF.get(word):
                yield index, subject
