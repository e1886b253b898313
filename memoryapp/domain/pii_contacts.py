"""Where a person is reached and found: phones, mail, accounts, addresses, positions; dates of birth.

Sources: 工信部 numbering plan (mobile 1[3-9], area codes 010, 02x, 0[3-9]xx), ITU-T E.164 (at most 15 digits), 國家通訊
傳播委員會 (Taiwan: mobile 09, area codes 02–089), OFCA (Hong Kong: eight digits), RFC 5322 (mail), 民國 year 1 = 1912.
What is public stays: hotlines, offices, shops and role mailboxes.
"""

from __future__ import annotations

import re

from memoryapp.domain.pii_kinds import (
    EDGE,
    GAP,
    ORGANISATION,
    PERSON,
    around,
    before,
    digits_in,
    is_date,
    is_of_a_thing,
    is_range,
    is_sample,
    number,
    told,
)

# These are sought in lower case and every alternative begins with a plain character: a search that matches nowhere stays
# cheap, since it runs once for each thing that looks like an address.
_SECURE_HOME = re.compile(
    r"住(?<![记忘站]住)(?!院|手|嘴|宿费)|家(?<![国专大作商厂买卖独酒玩赢企行画本那这几两三一每哪十多某各]家)"
    r"(?!具|装|电|长|伙|庭影院|用|居|教|族)|收[货件]|送货|配送|寄(?!存|生)|快递(?![柜站员单费点])|宿舍|户籍|门牌|屋企"
    r"|(?:my|our|his|her) (?<![a-z]my )(?<![a-z](?:our|his|her) )[\w' ]{0,16}\b(?:address|place|home|house|apartment|flat)"
    r"|(?:is|was) (?:my|our) (?:home|house|place|apartment|flat)|home"
    r"|live[sd]? (?:at|in|on)|we live|is where (?:we|i) live|ship|send (?:it|the|this|my|them)\b|mail(?:ing)? to|reside|deliver"
    r"|adresse|wohn|j'habite|habit[oe]|vivo en|abito|mi casa"
)
_NEW_HOME = re.compile(
    r"搬[到去进来]|租[的了在屋房处]|合租|老房|新房"
    r"|(?:i|we|i've|i'm|we've|we're) (?<![a-z]i )(?<![a-z]we )(?:\w+ )?(?:mov(?:ed?|ing) (?:in)?to|renting?)"
)
_WORK = re.compile(
    r"公司|办公|学校|博物馆|图书馆|健身房|门店|总部|分部|工厂|店铺|书店|校区|仓库|会场|餐厅|酒店|医院|会议|office|headquarters|hq\b|venue"
    r"|store|shop|company|clinic|studio|salon|warehouse|dentist|bakery|museum|school|library|gym|pub\b|caf[ée]|station|hospital"
    r"|church|theatre|cinema|gallery|meet|event|hotel|restaurant"
)
_POSTCODE = re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? \d[A-Z]{2}\b|\b[A-Z]{2},? \d{5}\b|, \d{4,5} [A-ZÀ-Þ]")
_ROLE_MAILBOX = re.compile(
    r"(?:no-?reply|donotreply|support|info|sales|admin|contact|hello|help|security|abuse|postmaster|webmaster|git"
    r"|deploy|ci|bot|root"
    r"|billing|press|jobs|bugs?|issues?|invoices?|receipts?|payments?|accounts?|finance|purchasing|partners?|ops|admissions"
    r"|(?:enquir|inquir)(?:y|ies)|customer\w{0,8}|events?|status|reports?|registrar|reception|subscribe|community|hr|team"
    r"|editors?|news(?:letter)?|careers?|recruit(?:ing|ment)?|feedback|legal|privacy|marketing|bookings?|orders?|kefu|tougao"
    r"|office|dev|service|notifications?|alerts?|user(?:name)?|name|you|your[._-]?\w{0,12}"
    r"|someone|email|mail|x+)",
    re.IGNORECASE,
)
_FREE_OF_CHARGE = re.compile(
    r"(?<!\d)(?:[48]00[ -]?\d{3,4}[ -]?\d{3,4}|(?:\+?1[ -]?)?\(?8(?:00|33|44|55|66|77|88)\)?[ -]\d{3}[ -]\d{4}"
    r"|0?80[058][ -]?\d{3}[ -]?\d{3,4}|1[38]00[ -]?\d{3}[ -]?\d{3}|0120[ -]?\d{3}[ -]?\d{3})$"
)
"""Numbers that anybody may call at no cost: of China, North America, Britain, Germany, Italy, Australia and Japan."""
_MOBILE_GROUPS = {
    (3, 4, 4),
    (4, 4, 3),
    (4, 3, 4),
    (3, 3, 5),
    (3, 8),
    (7, 4),
    (4, 7),
    (5, 6),
    (3, 2, 2, 2, 2),
    (1,) * 11,
}
_AMERICAN_GROUPS = (1, 3, 3, 4)
_called_phone = told(
    r"手机|手提|电话|号(?![楼线店院机])|打给|[打找加喊拨]我|联[系络絡]|微信|\bT[:：]|call|text|phone|mobile|cell|\btel|whatsapp",
    24,
    8,
)
_somebodys = told(
    r"[我佢咱爸妈爷奶姐妹哥弟]|老[公婆]|太太|女士|先生|阿姨|同事|朋友|\b(?:my|his|her|our|dad|mum|mom|wife|husband)\b",
    24,
    12,
)
_called_position = told(
    r"家|住|定位|坐标|位置|经纬|纬度|gps|home|location|lat|coordinates|position|\bour\b|\bmy\b|[老我]", 40, 40
)
_called_place = told(r"家|住|定位|我|gps|home|cabin|house|live|\bmy\b|\bour\b", 40, 40)


def _is_mobile(match: re.Match[str]) -> bool:
    return not is_of_a_thing(match)


def _is_mobile_set_apart(match: re.Match[str]) -> bool:
    """In the usual groups, or in any when it is called a phone; with full stops in the usual ones only."""
    groups = tuple(len(each) for each in re.split(r"[ .·-]+", match.group()))
    if is_of_a_thing(match) or groups == _AMERICAN_GROUPS:
        return False
    dotted = "." in match.group() and groups not in ((3, 4, 4), (1,) * 11)
    return not dotted and (groups in _MOBILE_GROUPS or _called_phone(match) or PERSON.search(around(match)) is not None)


def _is_private_phone(match: re.Match[str]) -> bool:
    if re.search(r"(?<!\d)1[3-9]\d(?:[ -]?\d{4}){2}$", match.group()):
        return False  # a Chinese mobile has its own rule
    dialled = match[1] if match.re.groups else match.group()
    if is_of_a_thing(match) or is_date(dialled) or is_range(dialled) or _FREE_OF_CHARGE.search(dialled):
        return False
    return ORGANISATION.search(around(match, 24, 12)) is None and 8 <= digits_in(match.group()) <= 15


def _is_persons_phone(match: re.Match[str]) -> bool:
    return PERSON.search(around(match, 20, 16)) is not None and _is_private_phone(match)


def _is_mailbox(match: re.Match[str]) -> bool:
    role = _ROLE_MAILBOX.fullmatch(match[1]) is not None
    return not role and not before(match, 3).endswith("//") and not is_sample(match)


def _is_home(match: re.Match[str]) -> bool:
    if _is_certainly_home(match):
        return True
    near = around(match, 30, 30)
    inside = re.search(r"单元|室|(?:apt|unit|flat)\b", match.group(), re.IGNORECASE)
    return _WORK.search(near.lower()) is None and (inside or _POSTCODE.search(near)) is not None


def _is_certainly_home(match: re.Match[str]) -> bool:
    near = around(match, 30, 30).lower()
    return _SECURE_HOME.search(near) is not None or (_WORK.search(near) is None and _NEW_HOME.search(near) is not None)


def _has_digit(match: re.Match[str]) -> bool:
    return any(map(str.isdigit, match.group()))


def _is_account_name(match: re.Match[str]) -> bool:
    """With a digit, and no version such as 8.0.50."""
    return _has_digit(match) and re.fullmatch(r"\d+(?:\.\d+)+", match[1]) is None


_IM_GAP = r"\s?(?:号码?|账号|帐号|id|handle|username|用户名)?\s?(?:就?是|为|係|系|is|[:：]|(?=[ A-Za-z0-9@]))\s{0,2}[(（]?@?(?:live:)?"
_IM_NAME = r"(?<![A-Za-z0-9])[A-Za-z0-9_\-.]{5,32}"
_LEVEL = r"(?:期|号楼|单元|室|栋|幢|座|楼|层|号|户|房|巷|弄|之|门|[Ff])"
_STREET = (
    r"street|st|road|rd|avenue|ave|lane|ln|drive|dr|court|ct|boulevard|blvd|way|place|pl|terrace|crescent|close|square|gardens?|mews"
    r"|grove|parade|highway|hwy|hill|row|walk|gate|yard|quay|wharf|park|rise|vale|green|loop|circle|cir|trail|parkway|pkwy"
)
PHONES = (
    number(
        "cn_mobile",
        EDGE + r"(?:(?:\+|00)?86[ -]?)?1[3-9]\d(?:[ -]?\d{4}){2}(?![0-9A-Za-z])",
        _is_mobile,
        least=11,
        near=True,
    ),
    number(
        "cn_mobile",
        EDGE + r"(?:(?:\+|00)?86[ -]?)?1[ .·-]?[3-9](?:[ .·-]{0,3}\d){9}(?![ .·-]?\d)(?![0-9A-Za-z])",
        _is_mobile_set_apart,
        least=11,
        near=True,
    ),
    number(
        "phone",
        r"(?<![0-9A-Za-z+])\+(?!86)\d{1,3}[ -]?(?:\(\d{1,5}\)|\d{1,5})(?:[ "
        r".-]?\d{2,5}){1,4}(?![\dA-Za-z])",
        _is_private_phone,
        "+",
        least=7,
        near=True,
    ),
    number(
        "phone",
        r"(?:电话|座机|固话|手机|手提|宅电|call me|phone|cell|mobile|tel|whatsapp|text me|(?:call|ring|text|reach|dial)[^\d\n]{0,24}"
        r"(?:me|my|him|her|us|mum|mom|dad|wife|husband|at|on)\b)[^\d\n]{0,24}?((?:\(?\+?\d{1,4}\)?[ .-]?)?\(?\d{2,4}\)?[ .-]?\d{3,4}[ .-]?\d{3,4}|[2-9]\d{3}[ -]?\d{4})(?!\d)",
        _is_private_phone,
        "电话 座机 固话 手机 手提 宅电 call phone cell mobile tel whatsapp text reach ring dial",
        least=8,
    ),
    number(
        "phone",
        r"(?:搵|[打拨找]|号码?|门号|number)[^\d\n]{0,12}?((?:\(?\+?\d{1,4}\)?[ .-]?)?[2-9]\d{2,3}[ .-]\d{3,4}(?:[ .-]\d{3,4})?)(?!\d|[ -]\d)",
        lambda match: _somebodys(match) and _is_private_phone(match),
        "搵 打 拨 找 号 number",
        least=8,
    ),
    number(
        "phone",
        r"(?<![0-9A-Za-z._+-])(\(?0\d{1,4}\)?[ -]{0,2}\d{3,4}[ -]?\d{3,4}|\(\d{3}\) ?\d{3}[-. ]\d{4}|\d{3}([-. ])\d{3}\2\d{4}|0[1-9](?:[ .]\d\d){4})"
        r"(?!\d|[.-]\d)",
        _is_persons_phone,
        least=9,
        near=True,
    ),
    number(
        "phone",
        r"(?<![0-9A-Za-z._+-])(0[1789]0-\d{4}-\d{4})(?!\d|[.-]\d)",
        _is_private_phone,
        "-",
        least=11,
        near=True,
    ),
    number(
        "phone",
        r"(?<![0-9A-Za-z._+-])(09\d\d[ -]\d{3}[ -]?\d{3})(?!\d|[.-]\d)",
        _is_private_phone,
        least=10,
        near=True,
    ),
    number("phone", r"区号[^\d\n]{0,4}0\d{2,3}[^\d\n]{1,8}\d{7,8}(?!\d)", _is_private_phone, "区号", 7),
)
BIRTHS = (
    number(
        "birth_date",
        r"(?:(?:(?:19|20)\d\d|民[国國]\s?\d{2,3})\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号]|(?:19"
        r"|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2})\s{0,2}(?:日)?(?:出生|生(?![产效成]))",
        needs="生",
    ),
    number(
        "birth_date",
        r"(?:出生日期|出生年月日?|出生于|生于|生日|date of birth|d\.?o\.?b\.?|born(?: on)?|birthday"
        r"|birthdate)(?:\s?(?:是|为|is|was|[:：])){0,2}\s{0,2}(?:(?:(?:19|20)\d\d|民[国國]\s?\d{2,3})\s?[-/.年]\s?\d{1,2}\s?[-/.月]\s?\d{1,2}"
        r"|(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\d)"
        r"|\d{1,2}(?:st|nd|rd|th)?[-/. ](?:of )?(?:\d{1,2}|[A-Z]{3,9})[-/., ]{1,2}(?:19|20)\d\d|[A-Z]{3,9}\.? \d{1,2}(?:st|nd|rd|th)?,? (?:19"
        r"|20)\d\d)",
        needs="生 birth born dob d.o.b",
        least=4,
    ),
)
PLACES = (
    number(
        "location",
        r"(?<![\d.])[-+]?\d{1,3}\.\d{4,}°?\s?[NSEW]?\s?[,，、/ ]{1,3}\s?[-+]?\d{1,3}\.\d{4,}",
        _called_position,
        ".",
        least=5,
        near=True,
    ),
    number(
        "location",
        r"\d{1,3}° ?\d{1,2}['′] ?(?:\d{1,2}(?:\.\d{1,4})?[\"″]?)? ?[NSEW][,，、 ]{0,3}\d{1,3}° ?\d{1,2}['′]",
        _called_place,
        "°",
    ),
    number(
        "address",
        r"(?:[一-鿿A-Za-z0-9]{1,12}(?:路|街|道|巷|弄|胡同|村|镇|里|小区|花园|苑|园|府|城|组|段"
        r"|湾)){1,2}[一-鿿A-Za-z0-9]{0,10}?\s?\d{1,5}\s?(?:号|弄|巷|栋|幢|座|号楼|#)"
        r"(?:\s?[一-鿿]{0,10}\s?\d{1,5}\s?(?:号楼|单元|室|栋|幢|座|楼|层|号|户|[-—]\d{1,5})?){0,4}(?:\s?[A-Z]\s?[室座])?",
        _is_home,
        "路 街 道 巷 弄 胡同 村 镇 里 小区 苑 园 府 城 湾 组 段",
    ),
    number(
        "address",
        rf"\d{{1,4}}\s?(?:号楼|栋|幢|座|期|楼|弄|单元|号){_LEVEL}?\s?[A-Z\d]{{1,5}}\s?{_LEVEL}\s?(?:[A-Z\d]{{1,5}}\s?{_LEVEL}?)?",
        _is_certainly_home,
        "楼 栋 幢 座 期 弄 单元 号",
    ),
    number(
        "address",
        r"[一-鿿]{1,4}[都道府県县][一-鿿]{1,6}[区區市町][一-鿿]{1,8}\d{1,2}(?:-\d{1,4}){1,3}",
        _is_certainly_home,
        "都 道 府 県 县",
    ),
    number(
        "address",
        r"(?:[一-鿿]{2,8}(?:小区|花园|家园|公寓|苑|新村|里|园))\s?\d{1,3}[-—]\d{1,3}[-—]\d{2,5}",
        _is_certainly_home,
        "小区 公寓 苑 新村 里 园",
    ),
    number(
        "address",
        r"(?<!\w)[A-ZÄÖÜ][\w.-]{1,30}(?:straße|strasse|str\.|weg|platz|gasse|allee|laan|straat|vej|gatan) \d{1,4}[a-z]?(?:, \d{4,5} \w{2,30})?"
        r"|(?<!\w)(?:\d{1,4},? )?(?:rue|avenue|calle|plaza|via|viale|rua) (?:[A-Za-zÀ-ÿ'-]{1,20} ){1,4}\d{1,5}(?!\d)"
        r"|(?<!\w)\d{1,4}(?: bis| ter)?,? (?:rue|avenue|boulevard|allée|impasse|place) (?:[A-Za-zÀ-ÿ'-]{1,20}[ ,]{1,2}){1,5}(?:\d{5})?",
        _is_home,
        "straße strasse str. weg platz gasse allee laan straat vej gatan rue avenue calle plaza via rua boulevard allée impasse",
    ),
    number(
        "address",
        r"\d(?<![\w.]\d)\d{0,4}[A-Z]?,? (?:(?:[A-Z][\w'.]{1,20}|[NSEW]\.?|\d{1,3}(?:st|nd|rd|th)) ){1,4}(?:"
        + _STREET
        + r")\b\.?(?:,? ?(?:apt|apartment"
        r"|unit|flat|suite|#)\.? ?\w{1,5})?",
        _is_home,
    ),
    number(
        "address",
        r"(?<!\w)(?:flat|unit|apt\.?|apartment|room|rm) [A-Z]?\d{1,4}[A-Z]?,? (?:(?:\d{1,2}/F|floor \d{1,2}|tower \d{1,2}|block [A-Z\d]{1,3}|[A-Z][\w'.]{1,20}),? ){1,6}"
        r"|(?<!\w)p\.? ?o\.? box \d{1,7}"
        r"|(?<![\w-])\d{1,2}-\d{1,2}-\d{1,3},? [A-Z][a-z]{2,20}(?:-[a-z]{2,5})?,? [A-Z][a-z]{2,20}-(?:ku|shi|cho|machi)",
        _is_certainly_home,
        "flat unit apt apartment room rm box -ku -shi -cho",
    ),
)
ACCOUNTS = (
    number(
        "account_name",
        r"(?:微信号?|wechat|\bwx|\bvx|薇信|威信|v信|weixin|加v|instagram|snapchat|kakao(?:talk)?|QQ|Q号|扣扣|企鹅号|telegram|\btg|whatsapp|skype|支付宝账?号?|\bline(?:[ -]?id| is id)|赖id)"
        + _IM_GAP
        + r"("
        + _IM_NAME
        + r")",
        _is_account_name,
        "微信 wechat qq q号 telegram 威信 v信 weixin instagram snapchat kakao 支付宝 wx vx 薇信 加v 扣扣 企鹅 tg skype line 赖",
    ),
)
BIOMETRICS = (
    number(
        "biometric",
        r"(?:指纹|声纹|虹膜|掌纹|人脸|面容|fingerprint|face ?print|voice ?print|iris|face)[ 的]?(?:模板|特征|哈希|编码|编号|向量|数据|template|hash|vector|code|embedding"
        r"|id)(?:码|值|编号| (?:id|no\.?|number))?" + GAP + r"[A-Z\[]{0,5}-?[\dA-F][\dA-F.,-]{4,}",
        _has_digit,
        "指纹 声纹 虹膜 掌纹 人脸 面容 print iris face",
    ),
)
WITHOUT_DIGITS = (
    number(
        "birth_date",
        r"(?:出生日期|出生年月日?|出生于|生于|生日)(?:\s?[是为:：])?\s{0,2}[一二][零〇一二三四五六七八九]{3}年[一二三四五六七八九十]{1,2}月[一二三四五六七八九十廿]{1,3}[日号]?",
        needs="生",
    ),
    number(
        "passport",
        r"(?<![A-Z0-9])(?-i:P[A-Z<][A-Z]{3}[A-Z]{1,30}<<[A-Z<]{4,40})",
        needs="<",
    ),
    number(
        "email",
        r"(?<![\w.+%-])([A-Za-z0-9][\w.+%-]{0,63})(?:@| @ ?|@ )(?:[A-Za-z0-9-]{1,63}[.。]){1,4}[A-Za-z]{2,15}(?![\w-])",
        _is_mailbox,
        "@",
    ),
    number(
        "email",
        r"(?<![\w.+-])[A-Za-z0-9][\w.+-]{1,40}\s?(?:艾特|爱特|圈[aA]|[(\[（【]\s?(?:at|在|@)\s?[)\]）】]|#at#|小老鼠"
        r"|\sat\s)\s?[A-Za-z0-9-]{2,40}\s?(?:点|[(\[（【]\s?dot\s?[)\]）】]|\sdot\s|\.)\s?[A-Za-z]{2,10}(?![A-Za-z])",
        needs="艾 爱 鼠 圈 （ 【 (at [at (AT [AT (@ [@ #at# dot DOT",
    ),
    number(
        "medical_record",
        r"(?:患者|病人|patient)[^\n。.]{0,30}?(?:hiv|艾滋|阳性|确诊|诊断为|梅毒|乙肝|精神分裂|抑郁症|癌|肿瘤|diagnosed"
        r"|tested positive|positive for|suffers from)",
        needs="患 病 atient",
    ),
    number(
        "medical_record",
        r"(?:hiv|艾滋病?|梅毒|乙肝)[^\n。.]{0,8}(?:检测)?(?:呈|为)?(?:阳性|确诊|positive)",
        needs="阳 诊 positive",
    ),
)
