"""Requests to keep, put together freely: what one does (记, save) × where it goes (your profile, 备忘) × what for (以后用).

`memoryapp.domain.cue_frames` tries whole clauses from their beginning; here the request may stand anywhere in a clause
(那个你记一下啊我姑娘叫朵朵), or after what it is about (add that to what you know about me). A generic verb asks for
memory only with a place of memory or a lasting purpose, so that saving a file or noting a bug is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_I = re.IGNORECASE

# --- where it is kept, what for ---

PLACE_ZH = r"(?:(?:长期|永久|个人|用户|小|自己)?的?(?:记忆|备忘录?|笔记本?|档案|本本?子?|小本本|脑子|脑海|脑袋|心|资料|信息|画像|履历|偏好|记录|个人库|知识库|记忆库|profile|memory|notes?))"
_INTO_ZH = rf"(?:到|进|在|入|往)(?:去)?(?:你|您|我|咱)?们?(?:那|这)?(?:边|儿)?的?{PLACE_ZH}(?:库|卡|册)?\S?(?:里面?|中|上|内|去|头)?"
_PURPOSE_ZH = (
    r"(?:(?:以后|后面|后边|下次|下回|回头|将来|日后|往后|到时候?|之后|后续|今后)(?:我|你|咱们?)?(?:还|都|老|总|可能|也|会|要|得|好|方便|再|常)*"
    r"\S{0,6}?(?:用(?!户)|查|看|问|找|聊|参考|提|拿)(?:得?[上着到])?的?|备查|备用|备忘)"
)
_STRONG_ZH = (
    r"(?:[记纪](?:得?住|牢|好|着|下来?|上|录(?:下来?|一下|在案|好|着)|一下子?|一笔|清楚?|个[事账]儿?)|计(?:住|下来|一下)"
    r"|[存记](?:个[档底])|存(?:一下|下来?|起来|好|着|档)|留(?:着|个?[底档存]|个?心|意一下)|备(?:注|忘|案)(?:一下|上|好|着|下来)?|归(?:个)?档|登记(?:一下|上|下来)?"
    r"|收(?:着|好)|[记留]个?(?:心眼|神)|记(?:[到进在])?(?:你)?(?:的)?(?:心|脑子|脑海|小本本)[里上中]|敲黑板|心里?有个?数|上点?心|记性好点"
    r"|[建做写加打设弄添来](?:一?[个条下])?(?:备忘|备注|记录|笔记|记号|标记|档案?|memo|note)|[存记加补添]一?[条点](?=$|[：:，\s]))"
)
_PLACED_ZH = rf"(?:[记纪写加放录存添收补更](?:新|录|充|入)?{_INTO_ZH})"
KEEP_ZH = rf"(?:{_PLACED_ZH}|{_STRONG_ZH})"
_SOFT_ZH = r"(?:点儿?|一?下|[了吧啊呀哈喽咯哦呗哟呐啦儿嘛哇哒]|好吗|行吗|谢谢)*"
_TO_YOU_ZH = (
    r"(?:(?:你|您|恁|侬)(?!们?(?:说|看|觉得|们))|请|麻烦|劳驾|帮(?:我|忙|咱)?|[给替为]我(?!们?(?:家|爸|妈))|pls|plz|please)\s*"
    r"(?:也|再|先|就|可|得|要|一定|务必|千万|顺便|顺手|好好|赶紧|最好|都|必须|应该|需要|帮忙?|[帮给替]我|自己|单独|长期|永久|\s)*"
)

# --- Chinese, anywhere in a clause ---

_ANYWHERE_ZH = re.compile(
    rf"(?P<before>.*?)(?<![没不让叫说问想])(?<!不用)(?<!不必)(?<!不要)(?<!别){_TO_YOU_ZH}(?:把(?P<what>[^把]{{1,20}}?)(?:都|也|给我)?)?{KEEP_ZH}"
    rf"(?!的(?!是|话)|不|单词|功能|按钮|会议|笔记|[没了]?吗|没(?:有)?$|过|错|得|密码(?:功能|按钮|选项|框|$)){_SOFT_ZH}(?P<body>.*)",
    _I | re.DOTALL,
)
_AT_END_ZH = re.compile(
    rf"(?P<before>.*?)(?:要|得|需要|必须|务必|一定|可以|值得|应该|也|一起|都)+(?:[帮给替]我)?(?:{_PLACED_ZH}|[记纪](?:得?住|牢|好|着|下来?|上|清楚?)|存(?:一下|下来?|起来|好|着)|留(?:着|个?底)|上心){_SOFT_ZH}(?:没有?)?",
    _I | re.DOTALL,
)
_FROM_START_ZH = re.compile(
    rf"(?:(?:这|那|以上|上面|刚才)\S{{0,6}}?|[嗯哦好行对那就也先再都把它喂嘿哎诶欸哈喽，,\s])*?(?:(?:记性好点|长点记性|心里有个?数|上点?心){_SOFT_ZH}(?=$)|(?:[存记加补添]一?[条点笔]|记录?下){_SOFT_ZH}(?:$|(?=[\s：:]*我))|{_PLACED_ZH}|{_STRONG_ZH}{_SOFT_ZH}(?:[，,]?(?:{_PURPOSE_ZH}))"
    rf"|(?:存|留|收)(?:着|好|下来|起来)?{_SOFT_ZH}{_PURPOSE_ZH}){_SOFT_ZH}(?P<body>.*)",
    _I | re.DOTALL,
)
_INFORMED_ZH = re.compile(
    r"(?:给|跟|向)[你您](?:补充|提供|交代|同步|报备|说明|透露|科普)(?:一?[个下些点条])?\S{0,2}?(?:背景|信息|情况|资料|事实|前提|知识)+(?P<context>.*)|(?:以防|怕|免得|省得|防止)[你您]\S{0,4}?忘\S{0,2}(?P<again>.*)|"
    r"(?:(?:跟|和|给|同)[你您](?:说|交代|报备|讲|提|通知)(?:一?(?:声|下|[个件]事儿?))?(?:啊|哈|吧|呀)?)?[你您](?:要|得|应该|需要|最好|必须|可得|该|给我)(?:先|也)?(?:知道|了解|清楚|有数|心里有数|明白)(?:一?下|的|哦|啊)*(?P<body>.*)",
)
_DENIES_ZH = re.compile(
    r"(?:我|他|她|它|谁|他们|大家|老师|老板)(?:们)?(?:会|已|已经|都|就|也|没|不|还|自己|先|来|去|得|要)*(?:把.{1,8})?$|怎么|如何|为什么|有没有|是不是|是否|还|能不能帮我看"
)
_THING_ZH = re.compile(
    r"文件|代码|函数|图|照片|表格?|文档|链接|视频|截图|草稿|版本|配置|进度|稿|网页|音频|音乐|歌|邮件|合同|发票|简历|模型|快照|存档|分支"
)
"""What one saves in a task, and not in memory."""

# --- English, at the beginning of a clause after words of asking ---

_PLACE_EN = (
    r"(?:(?:long[- ]term|permanent|personal|mental|user|client|internal|own|little|running|about me)[ ])*(?:memor(?:y|ies)(?: banks?)?|notes?|notebook"
    r"|profile|preferences|files?|records?|brain|head|mind|diary|dossier|bio|background|context|settings|knowledge(?: base)?|facts?|account|list|database|books?|log|radar"
    r"|back pocket|(?:user )?info(?:rmation)?|data|card|details)"
)
_INTO_EN = (
    rf"(?:(?:to|in|into|on|onto|under|with|among|against|inside|at the back of) (?:(?:your|ur) {_PLACE_EN}|my (?:own |user |personal )?(?:memory|notes?|profile|preferences|file|records?|background|bio|facts?|info|card|details|account notes)"
    r"|the (?:memory|notes?|record|memory bank|user profile|profile|facts?)|memory|file|record|mind|what(?:ever| all)? you (?:\w+ )?(?:know|have|remember|keep)\w*(?: (?:about|on|for|of) (?:me|us))?"
    r"|(?:the )?(?:things|stuff|everything|facts|all) (?:that )?you (?:already )?(?:know|have|keep|remember)(?: (?:about|on) (?:me|us))?))"
)
_PURPOSE_EN = (
    r"(?:(?:for|4) (?:later|next time|good|keeps|ever|the (?:future|next time|long (?:run|term|haul)|record|files?)|future\b(?: \w+){0,2}|both of us|(?:all|the two) of us|us|me|reference"
    r"|posterity|another time|any ?time|always|when(?:ever)? (?:i|we)\b[^,]*)|permanently|long[- ]term|indefinitely|forever|down the (?:road|line|track))"
)
_OBJECT_EN = (
    r"(?:(?:this|that|it|these|those|them|dis|dat|the following|the above|the fact(?: that)?|one(?: thing)?|something|everything|all (?:of )?(?:this|that)|(?:my|our) [\w' -]{2,40}?|the (?:\w+ ){0,2}(?:size|address|name|date|detail|number|info\w*|fact))"
    r"(?: (?:fact|one|info\w*|bit|detail|part|down|away|safe|too|as well|somewhere|handy))*(?: (?:about|on|for) (?:me|us|my \w+))?)"
)
_VERB_EN = r"(?:save|store|log|record|keep|retain|note|put|add|file|write|hold|jot|stash|pop|stick|mark|register|pin|enter|commit|tuck|bank|capture|preserve|lodge|chuck|remember|memori[sz]e|carry|list|append|include|bookmark|make)"
_MIND_EN = r"(?:remember|memori[sz]e|hold on ?to|hang on ?to|keep (?:a )?hold of|keep in mind|bear in mind|keep track of|make a (?:\w+ )?note of|take (?:a )?note of|note|jot down|note down|write down)"
_FROM_START_EN = tuple(
    re.compile(
        rf"{source}(?:\s+(?:please|pls|plz|thanks|thank you|ok|okay|cheers|ta|then|for me|will you|would you))*\s*",
        _I | re.DOTALL,
    )
    for source in (
        rf"{_VERB_EN}(?: {_OBJECT_EN})?(?: {_INTO_EN}| {_PURPOSE_EN})+(?: (?:that|the fact that))?(?P<body>.*)",
        r"(?:quick |small |friendly |another |important )*note (?:for|to) (?:both of us|us(?: both)?|you(?:rself)?|self|the (?:file|future|record)|later|future \w+|my \w+|your \w+)(?: that)?(?P<body>.*)",
        r"(?:please )?(?:don'?t|do not|never|can'?t|cannot)(?: you)?(?: (?:ever|dare))? (?:let (?:me|us|yourself|this be) )?(?:forgot|forget|forgotten|lose (?:sight|track) of)(?: (?:that|about|the fact that))?(?P<body>.*)",
        r"(?:i |we )?(?:don'?t|do not|never) want (?:you|u) to (?:ever )?forget(?: that| about)?(?P<body>.*)",
        rf"{_MIND_EN} (?:this|that|it|these)(?: one| fact| info)?(?: {_PURPOSE_EN})?(?: too| as well| always)?(?P<body>)",
        r"(?:add|save|store|keep|note|record|log|file|remember|memori[sz]e)(?: (?:away|down|all|everything|of))* (?:what|everything|that|all|the (?:thing|stuff|things|bit|part)s?)(?: that)? (?:i|we)(?:'ve| have)? (?:just |already )?(?:told|said|mentioned|wrote|explained|shared|described)(?: (?:to )?you)?(?: (?:above|earlier|before|about|just now|there|in my last \\w+))*(?: about [\w' ]{2,40}?)?(?P<body>)",
        r"(?:add|save|store|keep|note|record|log) (?:this|these|the following|a|one(?: more)?|another|new) (?:\w+ )?(?:facts?|info\w*|preferences?|data ?points?|memory|memories)(?: about (?:me|us|my \w+))?(?P<body>.*)",
        r"(?:lock|bake|burn|etch|seal) (?:this|that|it) (?:in|into (?:your )?(?:memory|mind|brain))(?P<body>.*)",
        r"(?:don'?t|do not|never) (?:lose|misplace) (?:this|that)(?: one| info\w*)?(?P<body>)",
        r"(?:make sure |be sure )?(?:that )?(?:this|that|it) (?:sticks|stays with you|is remembered|gets (?:saved|remembered|stored|noted|recorded))(?P<body>)",
        r"(?:new|quick|important|long[- ]term|personal|permanent|memory|lasting|key) (?:note|fact|memory|info|entry)(?: (?:about|on|for) (?:me|us|my \w+|you|your \w+))?(?P<body>)",
        r"(?:be|stay) (?:mindful|aware|advised|conscious)(?: (?:from here(?: on)?|going forward|in future|always))*(?: that| of the fact that)? (?P<body>(?:i|i'm|i've|my|we|our)\b.*)",
        r"make (?:this|that|it) (?:stick(?! to\b)|permanent|part of (?:your|my) (?:memory|notes?|profile|records?))(?P<body>.*)",
        r"(?:put|mark|list|count|have|note|write|set) (?:me|us) (?:down )?(?:as|for) (?:an? |the )?(?!.*\b(?:draft|list|table|line)\b)(?P<body>.*)",
        r"(?:let (?:it|this) be (?:noted|known|recorded|remembered|said for the record)|let the record (?:show|reflect|state))(?: that)?(?P<body>.*)",
        rf"(?:jot|note|write|take|mark|put|get|scribble|scrawl) {_OBJECT_EN}(?: down)?(?: (?:somewhere(?: safe)?|{_INTO_EN}|{_PURPOSE_EN}))+(?P<body>)",
        r"(?:jot|note|write|take|mark|get|scribble) (?:this|that|it|these) down(?P<body>)",
        r"(?:file|tuck|stash|squirrel|lock|pack|store) (?:this|that|it|these) (?:one )?away(?P<body>)",
        r"i(?:'d| would)? (?:like|want|need|wish) (?:it|this|that|the following) (?:to (?:be|go) )?(?:on (?:the )?(?:record|file)|in (?:your|the) (?:memory|notes?|records?|files?)|noted|remembered|known|saved|stored|recorded|written down)(?: that)?(?P<body>.*)",
        r"(?:\w+ ){0,3}?(?:one |note |fact |thing |detail |something )?for (?:the|your) (?:memory(?: bank| file)?|notes?|files?|records?|long[- ]term memory)(?: that)?(?P<body>\s*$|\s+(?:i|i'm|my|we|our|the)\b.*)",
        r"(?:you(?:'ll| will)? (?:want|need|have|ought) to|you (?:should|must)|please) (?:be aware|know|be told|have this|have on file)(?: that)?(?P<body>.*)",
        r"get (?:this|that|it) (?:in|into|on) (?:your|the) (?:head|memory|notes|records?|file)(?P<body>.*)",
    )
)
_THING_EN = re.compile(
    r"\b(?:files?|code|function|image|photo|picture|table|docs?|documents?|links?|videos?|screenshots?|draft|branch|config\w*|spreadsheet|sheet|csv|pdf|png|json|repo\w*|commit|column|row"
    r"|script|variable|class|query|database|email|invoice|todo|to-do|calendar|ticket|basket|cart|playlist|changelog|readme|settings page|my notes app|disk|desktop|drive|folder|clipboard)\b",
    _I,
)
_PLACED_EN = re.compile(_INTO_EN, _I)
_FILES = re.compile(r"^\W*file\b", _I)


_HINT = re.compile(
    r"[记计纪存留备归登收写加放录添补更心敲建知忘信了]\S?|\b(?:remember|memor|note|sav|stor|log|record|keep|retain|put|add|fil|writ|hold|jot|stash|pop|stick|mark|regist|pin|enter|commit|tuck|bank"
    r"|captur|preserv|lodg|chuck|carry|list|append|includ|bookmark|mak|hang|bear|take|forg|lose|get|lock|bake|burn|etch|seal|be|stay|let|count|have|set|scr|squirrel|pack|want|like|need|wish|know|fact|new|quick|important|this|that|it|for)",
    _I,
)
"""What every request has somewhere; most clauses have none of it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Offsets of what is to be kept inside the clause (end exclusive); equal for a request that points elsewhere."""

    start: int
    end: int


def asked(own: str, lead: int) -> Ask | None:
    """What a clause asks to keep. `lead` is where its words of politeness end."""
    if not _HINT.search(own):
        return None
    for offset in sorted({0, lead}, reverse=True):
        for pattern in _FROM_START_EN:
            found = pattern.fullmatch(own, offset)
            if found and not _THING_EN.search(_FILES.sub("", without_place(own[offset : found.start("body")]))):
                return _ask(found, "body", own)
        found = _FROM_START_ZH.fullmatch(own, offset)
        if found and not _is_thing_zh(own[offset : found.start("body")]):
            return _ask(found, "body", own)
    return _anywhere(own) or _at_end(own) or _informed(own)


_PURPOSE_ALONE = re.compile(
    r"(?:以后|后面|之后|将来|往后|到时候?|年年|每年|每月|每次|下次|回头)\S{0,6}?(?:都|要|得|会|就|再|请|记得|提前|帮我|给我)*(?:提醒我(?:一下|一声)?|(?:围着|围绕|按照?|依照?|照着|根据|参照|参考|对照)(?:它|这个|此|这一?点|这条)(?:来|办|安排|走|做)?)(?:[的哦吧哈啊了])*|"
    rf"(?:我|你|咱们?)?(?:反正|因为|好让你)?{_PURPOSE_ZH}(?:[的到上着得]|呢|哦|吧)*|{_PURPOSE_EN}|i(?:'ll| will) (?:need|ask for|use) (?:it|that|this)\b.*",
    _I,
)


def is_purpose(text: str) -> bool:
    """Whether a clause only says what for (后面老要用, for next time)."""
    return bool(_PURPOSE_ALONE.fullmatch(text.strip(" ，,。.!！")))


def without_place(text: str) -> str:
    """A text without the words that name a place of memory (on file, to your notes)."""
    return _PLACED_EN.sub(" ", text)


def _ask(found: re.Match[str], group: str, own: str) -> Ask:
    start, end = found.span(group)
    return Ask(start, end) if own[start:end].strip(" ，,。.!！~～") else Ask(end, end)


def _is_thing_zh(said: str) -> bool:
    return bool(_THING_ZH.search(re.sub(PLACE_ZH, "", said)))


_WEAK_ZH = re.compile(r"(?:记录|登记|存|收|留|归档|备案|录)\S{0,4}$")
_SELF_ZH = re.compile(r"我|咱|俺|本人|家|[爸妈哥姐弟妹孩儿女]|老[公婆]|名字|生日|过敏")


_POINTS_ZH = re.compile(
    r"(?:这|那|以下|下面|上面)(?:[个条些点件句段]|几[个条点件])?(?:信息|事情?|内容|话|情况|东西|细节|要求)?"
)


def _is_chore(found: re.Match[str]) -> bool:
    """A verb that is used for files and lists as well asks for memory only with somebody in the statement (帮我记录一下要点)."""
    said = found.string[: found.start("body")]
    body = found["body"].strip(" ，,。：:")
    return bool(
        body
        and not _POINTS_ZH.fullmatch(body)
        and _WEAK_ZH.search(said.rstrip("一下了吧啊点 "))
        and not _SELF_ZH.search(body)
    )


def _anywhere(own: str) -> Ask | None:
    found = _ANYWHERE_ZH.fullmatch(own)
    if (
        found is None
        or _is_chore(found)
        or _DENIES_ZH.search(found["before"])
        or _is_thing_zh(own[: found.start("body")])
    ):
        return None
    if _POINTS_ZH.fullmatch(found["body"].strip(" ，,。.!！~～：:")):
        return Ask(len(own), len(own))
    if found["body"].strip(" ，,。.!！~～"):
        return _ask(found, "body", own)
    if found["what"]:
        return Ask(*found.span("what"))
    before = found["before"].strip()
    return Ask(0, len(found["before"])) if len(before) >= _FEWEST_BEFORE else Ask(len(own), len(own))


_FEWEST_BEFORE = 9
"""Characters that what stands before a request must have to be the statement; less only points (这个地址你存一下)."""


def _at_end(own: str) -> Ask | None:
    found = _AT_END_ZH.fullmatch(own)
    if found is None or _DENIES_ZH.search(found["before"]) or _is_thing_zh(own):
        return None
    return Ask(0, len(found["before"])) if len(found["before"].strip()) >= _FEWEST_BEFORE else Ask(len(own), len(own))


def _informed(own: str) -> Ask | None:
    found = _INFORMED_ZH.search(own)
    if found is None or re.search(r"吗|谁|什么|怎么", own):
        return None
    return _ask(found, next(name for name, said in found.groupdict().items() if said is not None), own)
