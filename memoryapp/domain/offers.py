"""An assistant's offer to remember, and the answer that takes it up or turns it down."""

from __future__ import annotations

import re

MOST_OF_A_YES = 40
"""Characters of an answer that may be nothing but a yes."""
_SAVE = r"(?:remember|save|store|note|keep|hold on ?to|memori[sz]e|record|log|jot|write)"
_SAVED = r"(?:remembered|saved|stored|noted|kept|memori[sz]ed|recorded|logged|written down|jotted down|added to (?:your|my|the) \w+)"
_OFFERS = re.compile(
    r"(?:需要|要不要|要我|想让我|希望我|用不用|(?<![你您])(?:可以|能)|帮[你您]|是否)[^。？?\n]{0,12}(?:记(?!得)|存|保存)[^。？?\n]{0,12}[？?吗]\s*[？?]?\s*$"
    r"|(?:^|[。！!，,；;\s])(?:那)?(?:我)?(?:来|先|就|这就|给[你您]|替[你您]|帮[你您]|要)*(?:把\S{1,8})?(?:记|存|保存|记录)(?:上|下来?|住|一下|起来)?(?:这[个条点])?[，,]?(?:吧|吗|好吗|可以吗|行吗|如何|好不好|行不行|怎么样)?\s*[？?]\s*$"
    rf"|\b(?:want|like) me to\b[^?\n]{{0,40}}\b{_SAVE}\b[^?\n]{{0,40}}\?\s*$"
    rf"|\b(?:shall|should|may|can|could) i (?:\w+ )?{_SAVE}\b[^?\n]{{0,40}}\?\s*$"
    rf"|\b(?:want|like|need|prefer) (?:to have )?(?:that|this|it|these|those|them|both)(?: all)? (?:to be )?{_SAVED}\b[^?\n]{{0,40}}\?\s*$"
    rf"|\b(?:ok(?:ay)?|all ?right|fine|help(?:ful)?) (?:if i|for me to|to) {_SAVE}d?\b[^?\n]{{0,40}}\?\s*$"
    rf"|(?:^|[.!,—–-]\s*){_SAVE} (?:that|this|it|those|them)\b[^?\n]{{0,30}}\?\s*$"
    rf"|\bi can (?:\w+ )?{_SAVE}\b[^.?!\n]{{0,40}}(?:[,.;—–-]\s*)?(?:if you(?:'d| would)? (?:like|want|wish)|(?:want|like) me to|shall i|should i|ok(?:ay)?)\s*[.?!]\s*$",
    re.IGNORECASE,
)
"""How an assistant offers to remember what was just said, at the end of its message."""
_YES = re.compile(
    r"要(?!是)|需要|没问题|当然|必须|可以|可|麻烦|辛苦|劳驾|记|存|嗯|好|行|成|妥|对|是|谢|多谢"
    r"|\b(?:ok(?:ay)?|k|yes|yeah|yep|yup|yea|ya|yah|aye|uh-?huh|sure|please|pls|plz|do|go|absolutely|definitely|of course|great|good|nice|fine|perfect|cool|works|why not|might as well|by all means"
    r"|all ?right|i'?d (?:like|love|appreciate)|would help|save|store|remember|keep|note|record|thanks|thank|thx|ty|cheers)\b",
    re.IGNORECASE,
)
# A part that is found in one way only: with two ways for each a long answer would be tried in exponentially many.
_AGREES = re.compile(
    r"(?:要(?!是)|需要|麻烦|没问题|没毛病|当然|肯定|必须|可以|可|嗯|好|行|成|妥|中|对|是|辛苦|劳驾|多|谢|[的了吧啊呀哈哦噢呗嘛咯啦滴呢哒]"
    r"|帮我|给我|替我|[你您]|那|就|都|全|也|把|它|这[个条点些]|保存|记录|记|存|上|下|起|住|着|牢|一下|来|安排"
    r"|\b(?:ok(?:ay)?|k|yes|yeah|yep|yup|yea|ya|yah|aye|uh-?huh|sure|please|pls|plz|do|so|go (?:ahead|for it|on)|then|(?:that|it)(?:'d| would) be (?:great|good|nice|helpful|perfect)|(?:that|it)(?:'d| would) help|absolutely|definitely|of course"
    r"|thanks|thank you|thx|ty|cheers|sounds (?:good|great|fine)|great|good idea|perfect|cool|fine(?: by me)?|(?:that|it) works|works for me|why not|might as well|by all means|all ?right|i'?d (?:like|love|appreciate) (?:that|it|you to)"
    r"|save|store|remember|keep|note|record|it|that|this|them|those|both|all|down|for (?:me|later|next time|the future)|you (?:can|may|should)|to (?:your )?memory|a lot|much|very|oh|hmm+)\b"
    r"|[\s,，.。!！~～、:：)(👍🙏])+",
    re.IGNORECASE,
)

_NO = re.compile(
    r"不(?!错)|别|免|没(?!问题)|算了|甭|\b(?:no|nope|nah|not|don'?t|never|rather|skip|leave|pass)\b", re.IGNORECASE
)
_DECLINES = re.compile(
    r"(?:别|甭|不(?:用|必|要|需要)?|还是|比较好|没(?:有)?(?:这个)?(?:必要|关系|事)|免了|算了|先|暂时|谢谢|记录|记住|记|存|这个|那个|它|了|吧|啊|呀|哦|啦|的|下来|就好|就行|说说而已|随便说说"
    r"|no|nope|nah|not|now|this|that|it|one|time|thanks?|thank you|please|don'?t|do|need|necessary|required|i'?d|rather|you|didn'?t|leave|out|skip|pass|never ?mind|it'?s|fine|ok(?:ay)?|save|store|remember|record|keep|note|to|for|of|just|venting|chatting|i'?m|i am|good|better|best|hmm+|oh|all|right|that'?s|it is|enough|thx|ty|cheers"
    r"|[\s,，.。!！~、])+",
    re.IGNORECASE,
)


def accepts_saving(offer: str, answer: str) -> bool:
    """Whether an answer only agrees to an assistant's offer to remember (需要我记住吗？ → 要的)."""
    plain = answer.strip()
    return len(answer) <= MOST_OF_A_YES and _offers(offer) and bool(_AGREES.fullmatch(plain) and _YES.search(plain))


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
