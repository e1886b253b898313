"""What a request to remember points at when it says nothing itself: the sentences before it, or those that follow.

"记住这个", "can you note that down somewhere" and "讲个事，你记牢了" hold no fact. Such words are known by being made
of nothing but pointing words, assent and announcement; whatever else stands there is taken for the statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memoryapp.domain import cue_grammar as grammar
from memoryapp.domain.clauses import FILLER, Sentence

_POINTING_EN = (
    r"(?:this|that|it|its|these|those|them|all|both|of|the|one|ones|two|everything|what(?:ever)?|i|i've|have|just|said|told|tell|telling"
    r"|saying|mentioned|wrote|you|u|ya|me|us|for|4|to|above|below|down|somewhere|anywhere|though|tho|too|as|well|also|please|pls|plz|thanks|thank|thx|ty"
    r"|ok|okay|then|now|good|later|next|time|in|on|at|your|ur|earlier|before|bit|bits|thing|things|stuff|part|parts|info|information|details|facts?|following|safe|handy"
    r"|memory|notes|mind|record|file|forever|always|properly|again|will|would|can|could|yeah|yes|yep|no|nah|right|sure|great|so|and|but|well|anyway|our|conversations?|chats?|sessions?|talks?|lol|haha|ha|true|asked|ask|listen|up|come|comes|keeper|twice|make|repeat|be|get|gets|got|lost|long|term|permanent|from|going|forward|future|useful|needed?|use|used|like|want|know|knows|one's|it's|that's|it'll|that'll|you'll|i'd|i'll|i'm|there's|there|don't|let|jot|never|mention|myself|yourself|when|next|soon|often|lots?|a|is|are|was|has|worth|big|deal|save|store|keep|note|log|remember|forget|file|away|hold|put|add|write|not|yet|need|never|mind|important|somehow|there|here)"
)
_POINTING = re.compile(
    rf"(?:\s|{_POINTING_EN}(?![\w'])|东西|那什么|[这那些个条点几件事儿信息情况内容以上下面里去到刚才前之说讲提告诉的了过我跟和给你您都也全部帮把就是对好嗯哦啊哈吧呀呢嘛啦呗哎诶哟喽咯一请谢麻烦要得住记着牢用老总会能别不第二遍问想行长期有效永久重要关键心数本子档案资料以后下次往后将来回头时候查看日收存好清楚同步安排这么那这句很大可一定务必必须顺手顺便嘴再也又还先别忘喽咱们自己])*+",
    re.IGNORECASE,
)
ANNOUNCES = re.compile(
    r"(?:(?:我)?(?:得|要|想|先|现在|必须|需要)*(?:跟|和|给)?[你您]?(?:讲|说|告诉[你您]?|提|交代)(?:一?[个件点声]|几[个件点])(?:特别|非常|很|挺|超)?(?:(?:重要|要紧|关键|紧要)的?)?(?:事儿?|事情|情况|东西)?|(?:我)?有一?[个件点](?:事儿?|情况|东西|重要的)\S{0,6}"
    r"|听(?:好|着)|敲黑板|划重点|重点来了|重要的事情?说[三3]遍|注意了?)"
    r"|(?:(?:here(?:'s| is)|there(?:'s| is)|i(?:'ve| have)?(?: got)?|got|one|another|quick|just|a|small|(?:some|any)?thing|fact|note|something|somethin|for|you|to|worth|that|should|remember(?:ing)?|know|keep|note|memory|memories|your|the|me|about|more|last|important|i|i'd|i'll|would|like|want|need|going|forward|future|in|of|few|couple|things|facts|really|please|now|first)(?![\w'])|\s)++",
    re.IGNORECASE,
)
"""Words that only say that something is coming."""
COMING = re.compile(
    r"(?:讲|说|告诉|提|交代)[你您]?(?:一|几|两)?[件个点]\S{0,4}?(?:事|情况|东西)"
    r"|(?<!that )(?<!this )(?<!that['’]s )(?<!this is )(?<!it['’]s )\b(?:something|(?:a|one|some|few|couple of|another|quick|important) (?:things?|facts?|notes?))\b",
    re.IGNORECASE,
)
"""The thing that is announced; without it the same words may point back (remember that)."""
_ASIDE = re.compile(
    r"(?:哎|诶|欸|呃|那个|我)*(?:刚才?|刚刚)?说到哪(?:儿|里)?了?|(?:那个)?(?:怎么|咋)说(?:呢|来着)|叫什么来着|where was i|what was i (?:saying|going to say)|how (?:do|should|can) i (?:put|say) (?:it|this)"
    r"|(?:以后|后面|后边|下次|下回|回头|今后|将来)\S{0,12}?(?:就|都|也)?(?:按|照|用|参考|想着|记着)(?:着)?(?:这个|这些|这几条|它)\S{0,6}"
    r"|(?:名字|日期|时间|数字|顺序|两[个者])?(?:可|千万|你|一定)*别(?:给我)?(?:搞|弄|记|叫|写|说)(?:混|错|岔|反|串)了?|(?:这|真的)?(?:很|挺|超|非常|特别|蛮|太)?(?:重要|关键|要紧)(?:的|了)?"
    r"|(?:it'?s|this is|that'?s) (?:really |very |quite )?important|(?:it|this|that)(?:'?ll| will)? matters?(?: \w+)?|(?:please )?don'?t (?:mix (?:it|them|that) up|get (?:it|them|that) wrong)|by the way|btw"
    r"|(?:dear|hi|hello|hey) (?:assistant|ai|bot|there|friend|team)|(?:尊敬|亲爱)的(?:助手|小助手|助理|客服|AI)|[你您]好",
    re.IGNORECASE,
)
"""Words that look for words, or say only how much what was told matters."""
_NO_WORD = re.compile(r"[^\w\s']+|_")
_LONGEST = 200
"""Characters beyond which words do more than point."""
_MOST = 6
"""Sentences that a request may point at."""
_LONGEST_ITEM = 6
"""Sentences that one item of a list may go on for."""
_LONGEST_LIST = 100
"""Sentences of a list that one request may open."""


def says_nothing(text: str) -> bool:
    """Whether words only point, agree or announce: no fact stands in them."""
    if FILLER in text:
        return False
    if len(text) > _LONGEST:
        return False
    plain = " ".join(_NO_WORD.sub(" ", text.replace("’", "'")).split())
    lead = grammar.LEAD.match(plain)
    rest = plain[lead.end() :] if lead else plain
    return any(words.fullmatch(part) for part in (plain, rest) for words in (_POINTING, ANNOUNCES, _ASIDE))


def stated_before(cut: Sequence[Sentence], index: int, stops: Callable[[Sentence], bool]) -> Sequence[Sentence]:
    """The sentences right before a request that state something: up to a question, a task or another request."""
    run: list[Sentence] = []
    for place in range(index - 1, max(-1, index - 1 - _MOST), -1):
        sentence = cut[place]
        if _is_empty(sentence):
            continue
        if _is_question(sentence) or (run and stops(sentence)):
            break
        run.insert(0, sentence)
    return run


def stated_after(cut: Sequence[Sentence], index: int, stops: Callable[[Sentence], bool]) -> Sequence[Sentence]:
    """The sentences that follow a request: the list that it opens, or what is said up to a question or a task."""
    following = cut[index + 1 : index + 1 + _MOST]
    run: list[Sentence] = []
    for sentence in following:
        if _is_question(sentence) or (run and stops(sentence)):
            break
        if not _is_empty(sentence):
            run.append(sentence)
    return run


def list_below(text: str, cut: Sequence[Sentence], index: int) -> Sequence[Sentence]:
    """The sentences of a list that stands right below a request, at most 100; none when there is none."""
    last = index
    for place in range(index + 1, min(len(cut), index + 1 + _LONGEST_LIST)):
        if _LIST_ITEM.match(text, cut[place].start, cut[place].end):
            last = place
        elif place - last > _LONGEST_ITEM or last == index:
            break
    return cut[index + 1 : last + 1]


_LIST_ITEM = re.compile(r"(?:[-*•·]|\d{1,2}[.)、．]|[（(]?[一二三四五六七八九十\d]{1,2}[)）、])\s*\S")


def _is_question(sentence: Sentence) -> bool:
    """Whether a sentence ends in a question; 什么 or 谁 in the middle of one may only list."""
    return sentence.clauses[-1].asks or any(clause.marked for clause in sentence.clauses)


def _is_empty(sentence: Sentence) -> bool:
    return all(says_nothing(clause.own) for clause in sentence.clauses)
