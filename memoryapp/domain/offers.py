"""An assistant's offer to remember, and the answer that takes it up or turns it down."""

from __future__ import annotations

import re

MOST_OF_A_YES = 40
"""Characters of an answer that may be nothing but a yes."""
_OFFERS = re.compile(
    r"(?:需要|要不要|要我|想让我|希望我|用不用|可以帮|帮[你您]|是否)[^。？?\n]{0,12}(?:记|存|保存)[^。？?\n]{0,8}[？?吗]\s*[？?]?\s*$"
    r"|\b(?:want|like) me to\b[^?\n]{0,40}\b(?:remember|save|store|note|keep|hold on ?to|memori[sz]e|record|log)\b[^?\n]{0,40}\?\s*$"
    r"|\b(?:shall|should|may|can|could) i (?:\w+ )?(?:remember|save|store|note|keep|hold on ?to|memori[sz]e|record|log)\b[^?\n]{0,40}\?\s*$",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"(?:要的?|需要的?|麻烦了?|没问题|当然要?|必须的?|可以的?|记吧|嗯+|好[的呀啊]?|行[的吧]?|对|是的?|ok|okay|yes|yeah|yep|yup|sure|please|do|go (?:ahead|for it)|that(?:'d| would) be (?:great|good|nice)"
    r"|absolutely|definitely|of course|thanks|谢谢|了|吧|啊|呀|[\s,，.。!！~])+",
    re.IGNORECASE,
)

_NO = re.compile(
    r"不(?!错)|别|免|没(?!问题)|算了|甭|\b(?:no|nope|nah|not|don'?t|never|rather|skip|leave|pass)\b", re.IGNORECASE
)
_DECLINES = re.compile(
    r"(?:别|甭|不(?:用|必|要|需要|了)?|还是|比较好|没(?:有)?(?:这个)?(?:必要|关系|事)|免了|算了|先|暂时|谢谢|记录|记住|记|存|这个|那个|它|了|吧|啊|呀|哦|啦|的|下来|就好|就行|说说而已|随便说说"
    r"|no|nope|nah|not|now|this|that|it|one|time|thanks?|thank you|please|don'?t|do|need|necessary|required|i'?d|rather|you|didn'?t|leave|out|skip|pass|never ?mind|it'?s|fine|ok(?:ay)?|save|store|remember|record|keep|note|to|for|of|just|venting|chatting|i'?m|i am|good|better|best|hmm+|oh|all|right|that'?s|it is|enough|thx|ty|cheers|okay"
    r"|[\s,，.。!！~、])+",
    re.IGNORECASE,
)


def accepts_saving(offer: str, answer: str) -> bool:
    """Whether an answer only agrees to an assistant's offer to remember (需要我记住吗？ → 要的)."""
    return len(answer) <= MOST_OF_A_YES and _offers(offer) and bool(_AGREES.fullmatch(answer.strip()))


def declines_saving(offer: str, answer: str) -> bool:
    """Whether an answer only turns an assistant's offer to remember down (需要我记住吗？ → 不用了)."""
    plain = answer.strip()
    return len(answer) <= MOST_OF_A_YES and _offers(offer) and bool(_DECLINES.fullmatch(plain) and _NO.search(plain))


def _offers(text: str) -> bool:
    offered = _OFFERS.search(text[-200:])
    return offered is not None and not _THING_TO_SAVE.search(offered.group())


_THING_TO_SAVE = re.compile(
    r"文件|文档|图片|照片|截图|草稿|表格|代码|附件|视频|录音|网页|链接|邮件|更改|修改|设置"
    r"|报告|报表|笔记本|文章|结果|\b(?:reports?|results?|articles?|answers?|output|summar(?:y|ies)|charts?|tables?|tickets?|files?|documents?|docs?|images?|pictures?|photos?|screenshots?|drafts?|spreadsheets?|code|attachments?|videos?|pages?|links?|e-?mails?"
    r"|changes?|settings?|work|progress|version|pdf|csv|as [\w.-]+)\b|\.\w{2,4}\b",
    re.IGNORECASE,
)
