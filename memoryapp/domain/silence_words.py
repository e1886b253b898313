"""The ideas that a wish not to store is put together from, in English and Chinese: not · keep · record · this · said …

A wish may be worded in any way (别往小本本上写, let none of it stick), but its ideas are few, and their order in a sentence
tells it from a rule about files or a wish to remember. The classifier of such wishes looks at them beside the words.
"""

from __future__ import annotations

import re

_I = re.IGNORECASE

_IDEAS: tuple[tuple[str, str], ...] = (
    (
        "KEEPIT",
        r"\b(?:don'?t|do not|never|can'?t|mustn'?t) (?:you )?(?:ever |dare )?(?:to )?(?:forget|lose|delete|erase|overlook)\b"
        r"|[别勿莫]忘|不要忘|不[想能许准要]忘|不得不记|别不记|别(?:老是?|又|再|总)?不?记不|别又不记得",
    ),
    (
        "UNSAID",
        r"\b(?:pretend|act (?:like|as if)|as (?:if|though)|imagine) (?:that )?(?:i|we|you|this|it)\b.{0,12}?(?:never|didn'?t|did not|hadn'?t|not)"
        r"|\b(?:i|we) never (?:said|told|talked|spoke|mentioned|wrote|asked|existed)"
        r"|\b(?:this|that|it)(?: \w+){0,2} (?:never|didn'?t|didnt|did not) happen(?:ed)?\b"
        r"|\bforget (?:that )?(?:i|we|what i|what we|everything i|anything i)(?: \w+){0,2} (?:said|say|mention\w*|told|tell|asked|wrote|typed|anything|sent|shared)"
        r"|\b(?:you )?(?:didn'?t|did not|never) (?:hear|see|read|saw|heard)\b|\bunsay|\bunsend|\bi take (?:that|it) back"
        r"|当[我作做]?(?:从来?)?(?:没有?|冇|未)(?:听|说|讲|提|问|看|发|这回?[事句话])?|(?:从来?|就)没(?:说过|聊过|提过|讲过|发生)|没说过|冇讲过|收回(?:刚|这|那|上)|撤回",
    ),
    (
        "SECRET",
        r"\b(?:off|of)[- ]?the[- ]?(?:record|books|grid)\b|\boff[- ]record\b|\b(?:store|save|memory|log|record|retain) ?[=:] ?(?:false|no|none|off|0)\b|\bbetween (?:us|(?:you|u) (?:and|n|&) (?:me|i)|the two of us|these|ourselves)\b|\bincognito\b"
        r"|\bburn (?:this|it|after|that)|\bself[- ]?destruct|\bin one ear|\b(?:ears|eyes) only\b|\bunder the rose\b|\bconfiden\w+|\bconfid(?:e|ing)\b|\bsecret\w*\b|\bprivate(?:ly)?\b"
        r"|\bmum'?s the word\b|\bvegas\b|\bhush\b|\bgrave\b|\bunlogged\b|\bno[- ]?(?:log|save|trace|store|record)s?\b|\bdo ?not ?(?:save|store|log)\b|\bunsaved\b|\bbackground\b.{0,12}\bonly\b|\bephemeral\b|\bghost mode\b|\bgoldfish\b|\blips\b.{0,12}\bseal|\bstays? (?:here|in (?:this|here))\b|\bfour walls\b|\boff[- ]log\b|\b(?:non|un)-?(?:record|remember|stor|sav|not|minut)\w*|\bdisposable\b|\bthrow-?away\b|\bschtum\b|\bsouvenirs?\b|\bkeepsakes?\b|\bresidue\b|\bnobody (?:knows|may|must|can)\b"
        r"|阅后即焚|看完即|悄悄|悄咪|私下|私底下|保密|秘密|隐私|[咱我]们?[俩两](?:个)?(?:人)?(?:之间)?(?:知|说|晓|聊|讲)|你知我知|天知地知|[只就]是?[跟和同对给让]你(?:一个人)?[说讲透聊吐]|别外传|往外[传说]|无痕|匿名"
        r"|树洞|嘘|左耳|哪儿?说哪儿?|烂(?:在)?肚|烂在|嘴边|到(?:此|你这|这)\S{0,4}为止|出了这|关起门|私聊|透一?句|瞒着|偷偷",
    ),
    (
        "VENT",
        r"\bvent(?:ing)?\b|\brant\b|\bovershared?\b|\bthinking (?:out )?(?:a)?loud\b|吐槽|发泄|牢骚|随口|瞎说|气话|唠|念叨",
    ),
    (
        "AFTER",
        r"\b(?:after(?:wards?)?|once|as soon as|when) (?:you|we|u|this|that|it|i)(?:'re|'ve|'s)?\b|\bafterwards?\b|\bthen (?:forget|drop|lose|delete|burn|throw|bin|let)\b|\band gone\b"
        r"|[看用答说聊听讲问读算翻改写弄帮](?:你|我)?[完过](?:了|后|以后|之后)?(?:就|即|请|便|马上|立刻|赶紧|都|别|不)?|过后|事后|[阅用看答]\S{0,2}后|完事",
    ),
    (
        "NOT",
        r"\b(?:do ?n[o']?t|don'?t|dont|do not|not|never|no|nothing|none|nowhere|without|refrain(?:ing)?|avoid|stop|skip|rather you|shouldn'?t|mustn'?t|needn'?t|can'?t|cannot|won'?t|isn'?t|aren'?t|didn'?t|doesn'?t|no need|exclude|omit|less|cease|quit|spare|forbid\w*|prohibit\w*|abstain\w*|withhold|ban|zero|nobody|no one)\b"
        r"|[别别勿莫甭咪]|不要|不用|不必|无需|不许|不准|不能|不得|不想|不该|不愿|不可|不希望|不打算|不需要|没必要|不作|不做|不入|不进|不往|不留|不存|不记|不录|不写|唔好|唔使|唔好|禁止|停止|休|跳过|略过|绕[过开]|一概不|一律不|一[句字个]?(?:也|都)[不别]|谁也|谁都|免|不让|不给|不[算当计收抄列]|覅|勿要|不兴|没有|用不着|什么(?:也|都)没|不(?:产|落|上|纳)",
    ),
    (
        "KEEP",
        r"\b(?:keep|keeps|kept|keeping|stor(?:e|es|ed|ing)|sav(?:e|es|ed|ing)|remember\w*|record(?:ed|ing)?|log(?:ged|ging)?|retain\w*|retention|note[ds]?|noting|jot\w*|memori[sz]\w+|fil(?:e|ed|ing)|index\w*|archiv\w+|persist\w*|track\w*|captur\w+|learn\w*"
        r"|add(?:ed|ing)?|stick|sticks|linger|stash\w*|bank|collect\w*|put(?:ting)?|writ(?:e|ten|ing)|tak(?:e|ing)|hold(?:ing)?|hang(?:ing)?|commit\w*|profil(?:e|ing)|minut(?:e|ed)|bookkeeping|survive\w*|carr(?:y|ied)|copy|copies|enter(?:ed)?|go(?:es)?|end up|stay\w*|pen|pens|scribe|quote)\b"
        r"|[记紀纪](?!得|忆|者|账|仇|录里)|录(?!取|用)|存(?!钱|款)|留(?!学|言|长|意|心)|写|收(?:录|进|入|着|藏|起)|入库|落(?:笔|档|库|纸|到)|归档|建档|备案|备份|登记|往心里|抄|捡|延续|带到|带进|沉淀|保存|保留|采集|学习|学走|揣|装进|塞|传",
    ),
    (
        "DROP",
        r"\b(?:forget|delet\w+|eras\w+|wip(?:e|ed|ing)|scrub|shred|burn|purg\w+|bin|toss|trash|discard|throw|drop|lose|let (?:it|this|that|go|go of)|strike|scratch|remove|clear|vanish|disappear|evaporate|dissolve|unlearn|leave|gone|die|dies|rub out|withdr[ae]w\w*|retract\w*|opt(?:ing|ed)? (?:\w+ ){0,3}out|exempt|ignore|disregard|destroy\w*|amnesia|zip|eat|blank|unsaid)\b"
        r"|忘|删|抹|焚|烧|扔|丢|清[空除]|撕|擦|蒸发|作废|消失|散了|没了|翻篇|剪掉|掐|打码|过去了|过耳|销毁|清零|失忆|耳[旁边]风|过夜|即[焚忘删弃]",
    ),
    (
        "OFF",
        r"\b(?:turn\w*|switch\w*|unplug|pause|disable|mute|close|shut|lid|down|look|eyes|sit|hold|put) (?:it |the \w+ )?(?:off|down|away|out)?\b|\beyes closed|\b(?:recorder|memory|camera|mic)s? off\b|关[掉了上闭一]|停[一掉用]|暂停|休息|合上|放下|别开|装[聋傻]|少记",
    ),
    (
        "AGAIN",
        r"\b(?:com(?:e|es|ing)|bring|brought|bringing|resurface\w*|throw\w*)(?: \w+)? (?:up|back)\b|提起|翻(?:出|旧)|露馅",
    ),
    (
        "MEM",
        r"\b(?:memor(?:y|ies)|record|records|notes?|notebook|memory-wise|pens?|history|profile|file|files|log|logs|transcript|summary|database|archive|books|brain|mind|head|dossier|diary|storage|trace|context|paper|entry|black book|jar|vault|system)\b"
        r"|记忆|档案|记录|纪录|紀录|备注|备忘|笔记|本子|小本|脑子|脑海|腦|画像|资料|系统|长期|数据库|字据|痕|底|纸面|案底|历史|笔|麦|录音",
    ),
    (
        "THIS",
        r"\b(?:this|that|it|these|those|them|following|follows|below|above|next|last|here|chat|convo|conversation|message|thread|session|turn|bit|part|line|one|any(?:thing)?|everything|what i|what i'?m)\b"
        r"|这|那|此|以下|下面|接下来|刚[才刚]?|上面|前面|上一|前一|今天|本次|本轮|对话|聊天|内容|这[条句段个轮话事]|一切|啥|什么都|任何|呢句|它",
    ),
    (
        "SAID",
        r"\b(?:said|say|saying|tell|telling|told|mention\w*|typed?|wrote|shar(?:e|ed|ing)|hear|whisper)\b|说|讲|提|聊|告诉|问|透",
    ),
    ("ONLY", r"\b(?:just|only|one[- ]off|temporar\w+|for now|this once|single)\b|仅|只|就是|一次性|临时|暂|限"),
    (
        "EVER",
        r"\b(?:from now on|ever|always|whenever|every time|in general|again|any ?more|in (?:the )?future|going forward|rule|policy|default|henceforth)\b|以后|今后|往后|往后|从今|凡是|一律|每次|每当|永远|规[矩定则]|再也|从此|只要",
    ),
    (
        "THING",
        r"\b(?:spreadsheet|file ?system|disk|cookie|database|table|column|code|test|tests|repo|branch|cache|passwords?|token|app|camera|image|photo|draft|document|video|list|kitchen|listing|storage|field|server|money|wage|recipe|browser|redis|git|commit|env|variable|csv|folder|desktop|tmpfs|api)\b"
        r"|钱|款|仇|账|字段|接口|代码|日志|磁盘|缓存|照片|图片|文件|草稿|表格|密码|明文|仓库|货|质检|手机|简历|外卖|快递|片头|数据表|单元测试|变量|配置|冰箱|头发|胡子|稿|PPT|合同|版本|分支",
    ),
    (
        "TASKED",
        r"\b(?:translate|translation|write a|headline|scene|story|script|lyrics|grammar|mean(?:s|ing)?|how do you say|summari[sz]e|article|poem|song|caption)\b|翻译|台词|润色|段子|剧本|作文|什么意思|造句|小说|文案|歌词|广告",
    ),
    (
        "OTHERS",
        r"\b(?:he|she|they|his|her|their|who|doctor|minister|boss said|colleagues?|customers?|patients?|our (?:app|tool|service|system|team)s?|legal|officers?)\b|他|她|他们|人家|别人|医生|主任|同事|老板说|领导说|公司说|客服|教练|婆婆每",
    ),
    (
        "POLITE",
        r"\b(?:please|pls|plz|kindly|could you|can you|would you|could u|can u|ok\??|promise|i'?d (?:rather|prefer|like))\b|请|麻烦|拜托|能不能|能别|行吗|好吗|哈|啊",
    ),
    ("ASK", r"[?？]|\b(?:what|why|how|does|who|is it|where)\b|吗|怎么|为什么|什么意思|呢$"),
    ("YOU", r"\b(?:you|your|u|ur)\b|[你您侬]"),
    ("MINE", r"\b(?:i|i'm|i've|my|me|we|our)\b|我|咱|俺"),
)
_ANY = re.compile("|".join(f"(?P<{name}>{source})" for name, source in _IDEAS), _I)
_CLAUSES = re.compile(r"[。！？!?\n；;…，：:—~～]+|(?<=\w)\.+(?=\s|$)|,(?!\d)|\s-\s")
_SENTENCES = re.compile(r"[。！？!?\n；;…]+|(?<=[a-z\d)\u4e00-\u9fff])\.+(?=\s|$|[\u4e00-\u9fff])", _I)
_MOST, _MOST_SENTENCES = 12, 40
"""Ideas of a clause, and sentences of a text, that are looked at."""


def pieces(text: str) -> list[str]:
    """The text and, when it has several, its sentences: the first and the last ones of a long text."""
    cut = [piece.strip() for piece in _SENTENCES.split(text) if len(piece.strip()) > 1]
    if len(cut) > _MOST_SENTENCES:
        cut = cut[: _MOST_SENTENCES // 2] + cut[-_MOST_SENTENCES // 2 :]
    return [text, *cut] if len(cut) > 1 else [text]


_ASKING = re.compile(
    "|".join(
        source for name, source in _IDEAS if name in {"UNSAID", "SECRET", "AFTER", "NOT", "DROP", "OFF", "ONLY", "MEM"}
    ),
    _I,
)
_SHORTEST = 5


def asks_for_silence(text: str) -> bool:
    """Whether any idea stands in a text that a wish not to store is made with: not, forget, never said, off, between us."""
    return _ASKING.search(text) is not None and not (_WENT_THROUGH.search(text) and not _DENIES.search(text))


_WENT_THROUGH = re.compile(r"我[^，。]{0,8}(?:看|听|去|读|学|玩|爬)过(?!就|了|算|耳)")
_DENIES = re.compile("[别不没勿莫甭免当忘删撤]")


def beside_a_wish(text: str) -> list[str]:
    """The clauses of a wish not to store that only tell what is not to be stored."""
    clauses = (clause.strip() for clause in _CLAUSES.split(text))
    return [clause for clause in clauses if len(clause) >= _SHORTEST and not asks_for_silence(clause)]


def ideas(text: str) -> set[str]:
    """The ideas of each clause, in order: one, two in a row or with others between, three in a row."""
    found: set[str] = set()
    for clause in _CLAUSES.split(text):
        names = [each.lastgroup or "" for each in _ANY.finditer(clause)][:_MOST]
        names = [name for place, name in enumerate(names) if place == 0 or names[place - 1] != name]
        found.update(f"#{name}" for name in names)
        found.update(f"#{one}…{other}" for place, one in enumerate(names) for other in names[place + 1 :])
        found.update(f"#{a}{b}{c}" for a, b, c in zip(names, names[1:], names[2:], strict=False))
    return found
