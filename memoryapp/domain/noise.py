"""Text that says nothing durable: acknowledgements, laughter, greetings, fillers, tests, mash, echoes, heartbeats.

Short texts are noise when nothing is left after the words of a class are taken out, so that "好的，收到" is noise
and "好的，我对花生过敏" is not.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from memoryapp.domain.admission import is_durable
from memoryapp.domain.classifier import classifier
from memoryapp.domain.scripts import simplified
from memoryapp.domain.types import Effect

_LONGEST = 400
"""Texts longer than this many characters are never noise."""
_SHORTEST_TALK = 3


def _words(zh: str, en: str) -> re.Pattern[str]:
    """Chinese words anywhere, English ones with their own edges; longer alternatives come first."""
    chinese = "|".join(sorted(zh.split(), key=len, reverse=True))
    english = "|".join(sorted((each.replace("_", r"\s") for each in en.split()), key=len, reverse=True))
    return re.compile(rf"(?:{chinese})|(?<![a-z0-9])(?:{english})(?![a-z0-9])")


_VOCABULARY: dict[str, re.Pattern[str]] = {
    "laughter": _words(
        "笑(?:死|疯|晕|哭|不活|尿|裂|喷)我?了? 哈+ 呵+ 嘻+ 嘿+ 笑死我?了? 233+ 2333 hhh+ xswl 笑哭 太好笑了 绝了 草",
        r"(?:ha){2,}h? (?:he){2,}h? lo+l lmf?ao+ rofl hehe haha+ l+ol xd+ k{3,} www+ heh jaja(?:ja)*",
    ),
    "acknowledgement": _words(
        "好的?呢? 好[滴嘞吧呀啊哒耶喔哦] 得嘞 得咧 中嘞 行嘞 成嘞 OK啦 欧了 喳 遵命 阅 悉 朕知道了 没毛病 安排 必须的 妥了 稳 知悉 好说 晓得了? 冇问题 唔该 多谢晒 嗯+哼? 哦+ 噢+ 喔+ 行吧?呢? 可以的?了? 没问题 没事儿?了? 收到了? 了解了? 明白了? 知道[了啦] 懂了 已处理了? 已阅 谢谢?[你您啦了]? 大佬 麻烦了 就这么着 请问 老师 亲 兄弟 哥们? 多谢 感谢 "
        "辛苦[了啦] 对的?呀? 是的?呀? 没错 不客气 赞 厉害 牛[逼啊]? 棒 太好了 太棒了 完美 不错 6{2,} 就这样吧? 先这样吧? 搞定了? 完事了? 没了 不用了 算了 挺好的? 可 妥 妥了 "
        "妥妥的 成 中 "
        "同意 赞成 原来如此 这样啊 真的吗? 啊+ 呀 吧 了 啦 呢 的 哈 那 就 我 这就 马上 也",
        r"ok+(?:ay|ie|ey)? k+ y(?:es|ep|eah|up|ea|a)+ no(?:pe)? nah got_it i_see sure(?:_thing)? fine cool great "
        r"nice thanks?(?:_you)?(?:_so_much)?(?:_a_(?:lot|bunch|million|ton))? ok(?:ie|ey)_dok(?:ie|ey) alrighty nice_one ta fine_by_me fine_with_me works thx ty tysm cheers perfect awesome "
        r"alright all_right sounds_good sounds_great will_do noted roger(?:_that)? understood makes_sense right "
        r"correct exactly agreed done good well wow oh ah aha hm+ mm+ np no_problem no_worries you'?re_welcome "
        r"appreciate_it appreciated much_appreciated that_works works_for_me lgtm that'?s_(?:fine|good|great"
        r"|right|all|it|perfect|ok|okay) very so much it works_now great_job good_job well_done excellent "
        r"brilliant "
        r"amazing lovely for_now i_understand ack acknowledged copy(?:_that)? gotcha yay cool_cool bet please and "
        r"a_lot again for_that for_your_help for_the_help help many",
    ),
    "greeting": _words(
        "[你您]好[啊呀]? 大家好 哈[喽啰罗啦] 嗨+ 嘿 hello 早啊 早呀 晚好 午安 各位 hi 有人[在吗么]+ 在吗 在不在 在么 早[上安]?好? 早安 上午好 中午好 下午好 晚上好 晚安 再见 拜拜 回头见 明天见 你是谁 很高兴认识你 吃了吗 最近怎么样 最近好吗 "
        "新年快乐 周末愉快",
        r"h(?:i|ey|ello|iya|owdy)+ there everyone all folks team buddy good_(?:morning|afternoon|evening|night"
        r"|day) morning evening how_are_you(?:_doing)?(?:_today)? how'?s_it_going what'?s_up sup yo "
        r"bye(?:_bye)? goodbye see_(?:you|ya)(?:_later|_tomorrow|_soon)? later take_care nice_to_meet_you gm gn "
        r"have_a_(?:good|nice|great)_(?:day|one|weekend|evening) today who_are_you bot assistant again",
    ),
    "filler": _words(
        "啊这 嗯+ 呃+ 额+ 唔 那个 这个嘛? 就是说? 怎么说呢 让?我想[想一]?下?想? 让我想一想 我看看 我看一下 稍等一?下? 等[一我]?[下等会]?儿? 等等 随便吧? 都行 都可以 不知道[诶欸呢]? "
        "不清楚 无所谓 再说吧? 我再想想 先不急 先等等 一下 慢慢来 嘛 呢 吧 啊 话说 哎+ 唉+",
        r"u[hm]+ e+r+m* hm+ well let_me_(?:think|see|check)(?:_about_(?:it|that|this))? let'?s_see give_me_(?:a"
        r"|one)_(?:sec(?:ond)?|min(?:ute)?|moment) (?:just_)?(?:a|one)_(?:sec(?:ond)?|min(?:ute)?|moment) hold_on "
        r"hang_on wait "
        r"i_don'?t_know idk dunno whatever not_sure i_guess maybe never_?mind nvm i'?ll_think_about_it you_know "
        r"like so anyway for_a_(?:second|sec|moment|minute|bit) about_it please i'?m_thinking thinking brb hmm+ "
        r"or_something",
    ),
    "test": _words(
        "测试一?下?下? 试试 试一下 测一下 一二三四?五? 消息 哈喽 能收到吗 听得到吗",
        r"test(?:ing|s|ed)? ping pong hello world hello_world foo bar baz qux asdf 1+ 2+ 3+ 12+3+4*5*6*7*8*9* abc "
        r"lorem ipsum message msg dummy sample check mic is_this_(?:thing_)?(?:on|working) does_this_work one two "
        r"three this_is_a_test just_a_test just a",
    ),
    "retry": _words(
        "刚才那?个? 刚刚那?个? 上面[那的]?个? 上一[个条] 这个 那个 不对 不行 错了 有问题 重新来?[一]?遍?次?吧? 重新(?:生成|回答|写|做)(?:一[遍次下])? 再来一?[遍次个] "
        "重试一?[下次]? 再试[一试]?[次下遍]? 换一?[个批组种] 继续说?吧? 接着[说写来做]? 重来一?[遍次]? 再(?:说|写|做)一?[遍次] 往下说? 下一[个步条] 还是 不是这个 你再看看 再改改 一下 吧 "
        "了 的 请 再 你",
        r"try_(?:it_)?again regenerate do_(?:it|that)_(?:again|over) redo retry again please one_more_time next_one "
        r"continue go_on go_ahead keep_going next once_more that'?s_(?:wrong|not_right|incorrect) "
        r"wrong(?:_answer)? not_that(?:_one)? "
        r"that(?:_one)?_(?:was|is)_(?:wrong|incorrect) start_over run_(?:it|that)_again another_one say_(?:it"
        r"|that)_again rewrite_(?:it|that) no that_is_not_(?:right|what_i_(?:asked|meant)) pls plz can_you just "
        r"the_last_one previous_one proceed undo_that shorter longer more more_please",
    ),
    "vague": _words(
        "就 是 啥 那个 这个 那 这 他 她 它 们 说 可以 行 嘛 吧 呢 啊 的 之前 刚才 上次 一 个 东西 事儿? 样 也 都 还 不 对 了",
        r"it'?s? is was the that'?s? this one ones other things? stuff from before same last previous earlier like as again he she "
        r"they said says again too also just not and or of a",
    ),
    "clock": _words(
        "[今明后昨]天 现在 请问 是? 几点钟?[了啦]? 几号 星期几 周几 几月几[号日] 什么时间 什么时候了 什么日子 天气 怎么样 怎样 如何 会?下雨[吗么] 冷[吗不] 热[吗不] 多少度 的 了 吗 "
        "呢 北京 上海 这里 外面 时间 啊 呀 礼拜几 农历",
        r"what(?:'?s|_is)? time is it now right_now the current date day today tomorrow tonight please is_it "
        r"weather like tell_me do_you_know how going_to rain will outside hot cold what_year_is_it whats here",
    ),
}
_MEANINGLESS_CORE = re.compile(
    r"几点|几号|星期几|周几|礼拜几|天气|时间|日子|度|雨|time|date|day|weather|rain|hot|cold|what_year"
)
_DEICTIC_CORE = re.compile(r"那个|这个|东西|\b(?:it|that|this|one|thing)")
_RETRY_CORE = re.compile(
    r"重|再|换|继续|接着|下一|不对|错|不行|again|re(?:generate|do|try|write)|continue|go on|go ahead|keep|next"
    r"|more|wrong|over|proceed|undo|not that|not right|incorrect|shorter|longer"
)
_ECHO = re.compile(
    r"(?:当然可以|当然|没问题|好的|可以的|非常好的问题|很高兴|明白了?)[！!，,。~ ]{0,3}(?:[^。！!\n]{0,12})?(?:以下是|下面是|这是(?:为|给)?您|我(?:来|将|会"
    r"|可以)(?:为|帮|给)?您|让我(?:来)?(?:为|帮)?您|为您整理|为您提供)"
    r"|(?:以下是|下面是)(?:为您|给您|我为您|您(?:要|需要)的?)[^。\n]{0,30}(?:内容|信息|建议|方案|结果|总结|列表|整理)?[:：。]?$|(?:好的?|收到|明白)?[，,]?我已经?(?:理解|了解|收到|明白|知道|记录)[^。\n]{0,6}您[^\n]{0,40}(?:为您|给您)|作为一[个名](?:人工智能|ai"
    r"|大?语言模型|智能助手)"
    r"|(?:希望|祝)(?:以上|这些|对您|能)[^。\n]{0,20}(?:帮助|帮到您)|(?:如果|若)您?(?:还)?有(?:任何|其他|更多)[^。\n]{0,10}(?:问题|疑问"
    r"|需要)[^\n]{0,30}(?:告诉我|联系|问我|提出)|(?:请问)?(?:还)?有什么(?:可以|能|我能)[^。\n]{0,8}(?:帮|协助)|很高兴(?:能|为|帮)[^。\n]{0,12}(?:您"
    r"|你)|您的请求已|(?:很|非常|十分)?(?:抱歉|对不起|遗憾)[，,][^\n]{0,20}(?:我无法|我不能|我没办法|作为)"
    r"|(?:sure|certainly|of course|absolutely|great question|happy to help|no problem|definitely|got it)[!,.: "
    r"-]{1,3}\s?(?:here(?:'s| is| are)|i(?:'ll| will| can|'d be|'ve)|let me|let's|below|the following)"
    r"|i(?: a|')m (?:just |only )?an? (?:large )?(?:ai\b|language model|artificial)|as an ai(?: language)?(?: model| assistant)?|i(?:'d| would)? ?(?:be|am|'m) (?:happy|glad|here) to (?:help"
    r"|assist)|(?:please )?let me know if (?:you|there)|is there anything else|how (?:can|may) i (?:help|assist)"
    r"|i hope (?:this|that) helps|feel free to (?:ask|reach|let)|i(?:'m| am) sorry, (?:but )?i (?:can't|cannot|am "
    r"unable)|i apologi[sz]e for|here(?:'s| is| are) (?:the|your|a) (?:\w+ ){0,3}(?:summary|list|overview"
    r"|breakdown|answer|content|information|result)s?(?: you (?:asked|requested)\w*)?(?: for)?[:.]?$"
)
_VAGUE = re.compile(
    r"(?:the |a )?(?:user|human|person|customer|speaker) (?:has |is |was |then |also )?(?:asked?|asking|asks|said"
    r"|says|wants?|wanted|needs?|needed|request(?:s|ed)|discuss(?:es|ed|ing)|talk(?:s|ed|ing) about|mention(?:s"
    r"|ed)|ha[sd]|inquired|seeks?|sought|is seeking|is looking for|provided|shared|interacted|engaged|greeted"
    r"|thanked|responded|replied|confirmed|acknowledged|sent|started|continued)(?: \w+){0,3}? ?"
    r"(?:questions?|something|things?|stuff|help|assistance|information|messages?|topics?|conversation|the "
    r"assistant|the (?:ai|bot)|an answer|various (?:topics|things)|a (?:request|response|chat|discussion|task)"
    r"|about it|with it|details|more|it|this|that|some text|some code|guidance|clarification|support)"
    r"(?:,? (?:and|but|which) (?:the )?(?:assistant|ai|bot|model|it|system)[^.]{0,60})?[.!]?"
    r"|(?:the )?(?:assistant|ai|bot|model) (?:has |then |also )?(?:answered|responded|replied|helped|provided"
    r"|gave|explained|offered|assisted|acknowledged|confirmed|said|suggested|apologi[sz]ed"
    r"|summari[sz]ed)[^.]{0,60}[.!]?"
    r"|(?:a |the |this )?(?:conversation|discussion|chat|exchange|session|dialogue) (?:took place|happened"
    r"|occurred|was held|continued|ended|started|between|about)[^.]{0,40}[.!]?|(?:there is )?no(?:thing)? (?:new "
    r"|relevant |durable |useful |important )*(?:information|memor(?:y|ies)|facts?|content)?(?: was| were| to| "
    r"is)?(?: \w+){0,3}[.!]?(?<!allerg)"
    r"|(?:该|这个|本)?用户(?:和助手)?(?:刚才?|又|也|还|向助手|向ai)?(?:问了?|提出了?|询问了?|咨询了?|说了?|提到了?|进行了?|发送了?|请求了?|寻求了?|讨论了?|有|想要?"
    r"|需要|表示了?|发起了?)(?:一个|一些|几个|某个|某些|一次|关于某?个?|相关|若干|点|一下|什么)?(?:具体的?|新的?|其他|相关的?|简单的?)?(?:问题|内容|事情|话题|信息|需求|对话"
    r"|消息|帮助|请求|东西|交流|感谢|疑问|指令|任务)(?:[，,]?(?:并且?|然后|而|得到了)?(?:由)?(?:助手|ai|模型|系统)?(?:进行了?|给出了?|提供了?|作出了?|做了?|得到了?"
    r"|的)?(?:回答|回复|解答|帮助|回应|答复|处理)了?(?:一?[些个]?(?:问题|信息|建议|答案|回复))?)?[。.！!]?"
    r"|(?:助手|ai|模型|双方|系统)(?:已经?|向用户|为用户|对用户|随后)?(?:进行了|回答了?|回复了?|提供了?|给出了?|帮助了?|解释了?|讨论了?"
    r"|完成了?)[^。，,]{0,16}[。.！!]?|(?:本次|这次|该)?(?:对话|会话|聊天)(?:已)?(?:结束|开始|继续|内容|无)[^。]{0,10}[。.]?|(?:没有|无"
    r"|暂无)(?:任何)?(?:新的?|需要|值得|有用的?|可)?(?:要)?(?:记忆|记住|记录|信息|内容|保存)的?(?:信息|内容)?[。.]?"
)
_BOOT = re.compile(
    r"heartbeat(?:[_ -]?(?:ok|check|poll|ping|tick))?[.!:]?(?:\s[^\n]{0,80})?|.{0,40}heartbeat\.md.{0,120}"
    r"|no_reply|keep-?alive(?: ping)?|cron(?: job)? (?:tick|fired|run|triggered).{0,60}|(?:system|agent|session"
    r"|bot|gateway|service)(?: is| has| has been)? (?:ready|initiali[sz]ed|started|booted|online|restarted|loaded"
    r"|reset|starting)(?: successfully)?[.!]?(?: .{0,60})?|(?:a )?new session (?:was )?started.{0,80}|boot(?:ing| "
    r"sequence| complete)?(?: .{0,40})?(?:complete|done|\.\.\.|ok)[.!]?"
    r"|you are (?:an? |the )?(?:\w+[ ,-]){0,5}?(?:assistant|chatbot|ai|language model|agent|bot)\b(?! for "
    r"me).{0,300}|你是(?:一[个名位款])?(?:[^我，,。\n]{0,14})(?:助手|客服|机器人|智能体|ai|大?语言模型|助理)(?![^，,。]{0,3}吗)[^\n]{0,200}"
    r"|(?:你的)?(?:角色|身份)(?:是|：|:)[^我\n]{0,40}(?:助手|客服|机器人|助理).{0,100}"
    r"|(?:tool|function|command)(?: call)? (?:\w+ )?(?:completed|returned|finished|succeeded|executed|failed"
    r"|called)(?: successfully)?[.:!]?.{0,40}|(?:calling|running|executing|invoking) (?:the )?(?:tool|function"
    r"|command)s?\b.{0,60}|(?:searching|reading|fetching|loading|browsing|thinking|processing|running"
    r"|executing)(?: the)?(?: \w+){0,3}(?:\.{2,}|…)|(?:工具|函数|命令)(?:调用|执行)?(?:已)?(?:成功|完成|失败|结束|返回)[^\n]{0,40}"
    r"|正在(?:搜索|调用|执行|读取|加载|查询|处理|思考|生成|检索|启动)[^\n]{0,30}(?:\.{2,}|…|。|$)|(?:系统|会话|服务|定时任务|心跳)(?:已)?(?:启动|就绪|初始化"
    r"|重启|开始|检查|正常|检测|触发|上线)(?:完成|成功|正常|了)?[。.！!]?|\[?(?:system|系统)\]? ?(?:heartbeat|心跳).{0,60}|心跳(?:检查|正常|包"
    r"|ok)?.{0,10}"
)
_KEYBOARD = ("qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "1234567890-=")
_PLACES = {key: (row, column) for row, keys in enumerate(_KEYBOARD) for column, key in enumerate(keys)}
_REPEATED = re.compile(r"(.{1,8}?)\1{2,}")
_CHINESE = re.compile("[㐀-鿿]")
RULES: dict[str, Effect] = dict.fromkeys(
    [
        f"noise.{name}"
        for name in (
            *_VOCABULARY,
            "empty",
            "punctuation",
            "emoji",
            "keyboard",
            "repetition",
            "assistant_echo",
            "vague",
            "boot",
            "small_talk",
        )
    ],
    Effect.REFUSE,
)


def find_noise(text: str) -> str | None:
    """Return the noise rule that a whole text fits, or None."""
    if len(text) > _LONGEST:
        return None
    plain = plain_text(text)
    kind = _without_words(plain) or _phrase(plain) or _vocabulary(plain) or _mash(plain)
    return f"noise.{kind}" if kind else None


def plain_text(text: str) -> str:
    """The text as noise is looked for: one width, one script, one case."""
    return simplified(unicodedata.normalize("NFKC", text)).casefold().replace("’", "'").strip()


def find_small_talk(text: str) -> str | None:
    """The rule of a text that no other rule fits, but that is worded as small talk is and states nothing that may last.

    For texts that are to become a memory: within a conversation "the second one" may be the answer that matters.
    """
    plain = plain_text(text)
    if not _SHORTEST_TALK <= len(plain) <= _LONGEST or not classifier("noise").accepts(plain) or is_durable(plain):
        return None
    return "noise.small_talk"


def _without_words(plain: str) -> str | None:
    if not plain:
        return "empty"
    if any(character.isalnum() for character in plain):
        return None
    pictures = any(unicodedata.category(character) in ("So", "Sk", "Co") for character in plain)
    return "emoji" if pictures else "punctuation"


def _phrase(plain: str) -> str | None:
    if _ECHO.match(plain):
        return "assistant_echo"
    if _BOOT.fullmatch(plain):
        return "boot"
    return "vague" if len(plain) <= 160 and _VAGUE.fullmatch(plain) else None


def _vocabulary(plain: str) -> str | None:
    """The class whose words use the text up; greetings and thanks may be mixed."""
    if len(plain) > 60:
        return None
    spoken = " ".join(re.sub(r"[^\w\s']+", " ", plain).split()).replace("_", " ")
    for kind, words in _VOCABULARY.items():
        if not _left(words, spoken) and _has_core(kind, spoken):
            return kind
    left = spoken
    for kind in ("greeting", "acknowledgement", "laughter", "filler"):
        left = _left(_VOCABULARY[kind], left)
    return None if left else "acknowledgement"


def _left(words: re.Pattern[str], spoken: str) -> str:
    return words.sub(" ", spoken).strip(" '")


def _has_core(kind: str, spoken: str) -> bool:
    if kind == "clock":
        return _MEANINGLESS_CORE.search(spoken) is not None
    if kind == "vague":
        return _DEICTIC_CORE.search(spoken) is not None
    return kind != "retry" or _RETRY_CORE.search(spoken) is not None


def _mash(plain: str) -> str | None:
    tokens = plain.split()
    if len(tokens) >= 4 and len(set(tokens)) * 2 <= len(tokens) and max(map(len, tokens)) <= 12:
        return "repetition"
    compact = "".join(tokens)
    if 4 <= len(compact) <= 80 and len(set(compact)) == 1:
        return "repetition"
    if 6 <= len(compact) <= 80 and _REPEATED.fullmatch(compact) and not compact.isdigit():
        return "repetition"
    if len(tokens) <= 2 and 5 <= len(compact) <= 60 and not _CHINESE.search(compact) and _is_mashed(compact):
        return "keyboard"
    return None


def _is_mashed(compact: str) -> bool:
    """Neighbouring keys most of the way ("asdfghjkl;"), or a long run of letters without vowels."""
    if not compact.isascii() or not any(map(str.isalpha, compact)) or any(map(str.isdigit, compact)):
        return False
    pairs = list(pairwise(compact))
    near = sum(_are_neighbours(first, second) for first, second in pairs)
    vowels = sum(character in "aeiouy" for character in compact)
    return near >= 0.75 * len(pairs) or (
        len(compact) >= 8 and compact.isalpha() and vowels <= 0.13 * len(compact) and near >= 0.3 * len(pairs)
    )


def _are_neighbours(first: str, second: str) -> bool:
    a, b = _PLACES.get(first), _PLACES.get(second)
    return a is not None and b is not None and a[0] == b[0] and abs(a[1] - b[1]) <= 1
