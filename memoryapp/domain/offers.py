"""An assistant's offer to remember, and the answer that takes it up or turns it down."""

from __future__ import annotations

import re

MOST_OF_A_YES = 40
"""Characters of an answer that may be nothing but a yes."""
_SAVE = r"(?:remember|save|store|note|keep|hold on ?to|memori[sz]e|record|log|jot|write)"
_SAVED = r"(?:remembered|saved|stored|noted|kept|memori[sz]ed|recorded|logged|written down|jotted down|added to (?:your|my) \w+)"
_IT = r"(?:that|this|it|these|those|them|both)(?: (?:fact|detail|info\w*|preference)s?)?"
_THERE = (
    r"(?: down| in mind)?(?: (?:for|about) (?:you|me|later|next time|the future|future \w+))?"
    r"(?: (?:to|in|into|for) (?:my|your|long-term|our) (?:memory|notes|profile|records|conversations|chats))?(?: (?:too|as well|then|as a preference))?"
)
_KEEPING = (
    rf"(?:\w+ )?(?:{_SAVE} (?:down )?{_IT}{_THERE}|add {_IT} to (?:your|my) (?:memory|notes|profile|records)"
    r"|(?:remember|memori[sz]e|note|keep in mind|bear in mind|make a note|take note)(?: of)? (?:that |the fact that )?(?:you(?:r|['’]re)?|(?:that|this|it)) [^?\n]{1,60})"
)
"""Keeping what was just said: nothing but that, or a fact of the person; “keep it short” and “log this bug” are not."""
_END = r"\s*(?:\(?(?:yes|y)\s?/\s?(?:no|n)\)?)?[^\w\s]{0,3}\s*$"
_RECORD_ZH = r"(?:记(?:录|住|下来?|上|一下|着)?|存(?:下来?|上|一下|起来|档)?|保存(?:下来|一下|起来)?)"
_OFFERS = re.compile(
    rf"(?:需要|要不要|要我|想让我|希望我|用不用|(?<![你您])(?:可以|能)|帮[你您]|是否|介意)[^。？?\n]{{0,16}}?{_RECORD_ZH}(?:这一?[个条点]|这件事)?(?:到记忆里?|在心里)?[，,]?(?:吗|么|需要吗|好吗|可以吗|行吗|好不好)*\s*[？?吗]{_END}"
    rf"|(?:^|[。！!，,；;\s])(?:那)?(?:我)?(?:这个|这点)?(?:来|先|就|这就|给[你您]|替[你您]|帮[你您]|要)*{_RECORD_ZH}(?:这[个条点])?[，,]?(?:吧|吗|好吗|可以吗|行吗|如何|好不好|行不行|怎么样)?\s*[？?]{_END}"
    rf"|\b(?:want|like) me to {_KEEPING}\?{_END}"
    rf"|\b(?:shall|should|may|can|could) i {_KEEPING}\?{_END}"
    rf"|\b(?:want|like|need|prefer) (?:to have )?{_IT}(?: all)? (?:to be )?{_SAVED}{_THERE}\?{_END}"
    rf"|\b(?:ok(?:ay)?|all ?right|fine|help(?:ful)?) (?:if i|for me to|to) {_SAVE}d? {_IT}{_THERE}\?{_END}"
    rf"|(?:^|[.!,—–-]\s*){_SAVE} {_IT}{_THERE}\?{_END}"
    rf"|\bi can {_KEEPING}(?:[,.;—–-]\s*|\s+)(?:if you(?:'d| would)? (?:like|want|wish)|(?:want|like) me to|shall i|should i|ok(?:ay)?)\s*[.?!]{_END}",
    re.IGNORECASE,
)
"""How an assistant offers to remember what was just said, at the end of its message."""
# Each part of an answer is found in one way only: with two ways for each a long one would be tried in exponentially many.
_ASSENTS = (
    r"👍|👌|😊|恩|同意|确定|太好|不介意|得嘞|没错|要(?!是)|需要|没问题|当然|必须|可以|可|麻烦|辛苦|劳驾|保存|记录|记|存|嗯|好|行|成|妥|对|是|谢"
    r"|\b(?:ok(?:ay)?|k|yes|yeah|yep|yup|yea|ya|yah|aye|uh-?huh|sure(?: thing)?|please|pls|plz|do|go (?:ahead|for it|on)|absolutely|definitely|of course|y|certainly|indeed|exactly|agreed|feel free|no problem"
    r"|(?:that|it)(?:'d| would) (?:be (?:great|good|nice|helpful|perfect)|help)|that['’]s (?:fine|great|good|perfect)|sounds (?:good|great|fine)|great|good idea|perfect|cool|fine(?: by me)?|(?:that|it) works|works for me"
    r"|why not|might as well|by all means|all ?right|i would(?: like (?:that|it))?|i'?d (?:like|love|appreciate) (?:that|it|you to)|save|store|remember|keep|note|record|thanks|thank you|thx|ty|cheers)\b"
)
"""Words of which an answer must have one to be a yes."""
_BESIDE_A_YES = (
    r"请|嘞|没毛病|肯定|中|多|[的了吧啊呀哈哦噢呗嘛咯啦滴呢哒]|帮我|给我|替我|[你您]|那|就|都|全|也|把|它|这[个条点些]|上|下|起|住|着|牢|一下|来|安排"
    r"|\b(?:so|then|and|it|that|this|them|those|both|all|down|for (?:me|later|next time|the future)|you (?:can|may|should)|to (?:your )?memory|a lot|much|very|oh|hmm+)\b"
    r"|[\s,，.。!！~～、:：)(🙏]"
)
_YES = re.compile(_ASSENTS, re.IGNORECASE)
_AGREES = re.compile(rf"(?:{_ASSENTS}|{_BESIDE_A_YES})+", re.IGNORECASE)
_REFUSALS = (
    r"别|甭|不(?:用|必|要|需要|行|可以|好|保存|同意)?|无需|否|拒绝|没(?:有)?(?:这个)?(?:必要|关系|事)|免了|算了|👎"
    r"|(?<![a-z])(?:n|no|nope|nah|not|never ?mind|don['’]?t|didn['’]?t|rather|skip|leave|pass)(?![a-z])"
)
"""Words of which an answer must have one to be a no."""
_BESIDE_A_NO = (
    r"都|嗯|麻烦|[您你]的好意|隐私|私事|还是|比较好|先|暂时|谢谢|记录|记住|记|存|这个|那个|它|了|吧|啊|呀|哦|啦|的|下来|就好|就行|说说而已|随便说说"
    r"|absolutely|definitely|really|way|of course|private|personal|now|this|that'?s|that|it'?s|it is|it|one|time|thanks?|thank you|please|do|need|necessary|required|i'?d|you|out|fine|ok(?:ay)?|save|store|remember|record|keep"
    r"|note|to|for|of|just|venting|chatting|i'?m|i am|good|better|best|hmm+|oh|all|right|enough|thx|ty|cheers|🙏"
    r"|[\s,，.。!！~、]"
)
_NO = re.compile(_REFUSALS, re.IGNORECASE)
_DECLINES = re.compile(rf"(?:{_REFUSALS}|{_BESIDE_A_NO})+", re.IGNORECASE)


def accepts_saving(offer: str, answer: str) -> bool:
    """Whether an answer only agrees to an assistant's offer to remember (需要我记住吗？ → 要的)."""
    return says_yes(answer) and _offers(offer)


def declines_saving(offer: str, answer: str) -> bool:
    """Whether an answer only turns an assistant's offer to remember down (需要我记住吗？ → 不用了)."""
    return says_no(answer) and _offers(offer)


def says_yes(answer: str) -> bool:
    """Whether a message is nothing but a yes, whatever it answers."""
    plain = answer.strip()
    if len(answer) > MOST_OF_A_YES or _ENOUGH.fullmatch(plain):
        return False
    return bool(_AGREES.fullmatch(plain) and _YES.search(plain))


def says_no(answer: str) -> bool:
    """Whether a message is nothing but a no, whatever it answers."""
    plain = answer.strip()
    return len(answer) <= MOST_OF_A_YES and bool(_DECLINES.fullmatch(plain) and _NO.search(plain))


_ENOUGH = re.compile(r"(?:[好行]了)+[吧啊哦啦\s,，.。!！]*")
"""好了 and 行了 end a matter; they take no offer up."""


def _offers(text: str) -> bool:
    end = text[-200:]
    offered = _OFFERS.search(end)
    return offered is not None and not _THING_TO_SAVE.search(offered.group()) and not _MADE.search(end)


_MADE = re.compile(
    r"(?:写|做|画|译|改|生成|整理|翻译|总结|修改|制作|导出|录)(?:好|完|成)(?:了|啦)|已(?:生成|完成|整理)"
    r"|\b(?:here(?:'s| is) (?:the|your|a)|i(?:'ve| have) (?:written|made|drafted|created|generated|finished|translated|summari[sz]ed))\b",
    re.IGNORECASE,
)
"""The assistant has made something, which is what it offers to save."""
_THING_TO_SAVE = re.compile(
    r"账|桌面|进度|bug|数据库|文件|文档|图片|照片|截图|草稿|表格|代码|附件|视频|录音|网页|链接|邮件|更改|修改|设置"
    r"|报告|报表|笔记本|文章|结果|\b(?:reports?|results?|articles?|answers?|output|summar(?:y|ies)|charts?|tables?|tickets?|files?|documents?|docs?|images?|pictures?|photos?|screenshots?|drafts?|spreadsheets?|code|attachments?|videos?|pages?|links?|e-?mails?"
    r"|changes?|settings?|work|progress|version|pdf|csv|as [\w.-]+)\b|\.\w{2,4}\b",
    re.IGNORECASE,
)
