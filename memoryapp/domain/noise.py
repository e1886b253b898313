"""Text that says nothing durable: acknowledgements, laughter, greetings, fillers, tests, mash, echoes, heartbeats.

Short texts are noise when nothing is left after the words of a class are taken out, so that "好的，收到" is noise
and "好的，我对花生过敏" is not.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from memoryapp.domain.classifier import classifier
from memoryapp.domain.scripts import plain_text
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
        "笑不活了? 蚌埠住了 绷不住了 笑(?:死|疯|晕|哭|不活|尿|裂|喷)我?了? 哈+ 呵+ 嘻+ 嘿+ 笑死我?了? 233+ 2333 hhh+ xswl 笑哭 太好笑了 绝了 草",
        r"(?:ha){2,}h? (?:he){2,}h? lo+l lmf?ao+ rofl hehe haha+ l+ol xd+ k{3,} www+ heh jaja(?:ja)*",
    ),
    "acknowledgement": _words(
        "好的?呢? 好[滴嘞吧呀啊哒耶喔哦] 得嘞 得咧 中嘞 行嘞 成嘞 OK啦 欧了 喳 遵命 阅 悉 朕知道了 没毛病 安排 必须的 妥了 稳 知悉 好说 晓得了? 冇问题 唔该 多谢晒 嗯+哼? 哦+ 噢+ 喔+ 行吧?呢? 可以的?了? 没问题 没事儿?了? 收到了? 了解了? 明白了? 知道[了啦] 懂了 已处理了? 已阅 谢谢?[你您啦了]? 大佬 麻烦了 就这么着 请问 老师 亲 兄弟 哥们? 多谢 感谢 "
        "绝绝子 绝了 牛批 太强了? 太酷了? 太可了? 爱了爱了 奥利给 给力 真香 家人们 针不戳 栓q 芭比q了? 大赞 点赞 太牛了? "
        "无敌了? 不愧是你 get到?了 欧克 哦克 了然 明白啦 收到啦 妥嘞 学到了 长知识了 赞同 支持 加油 冲鸭? 可还行 稳了 绝对的 那必须 辛苦[了啦] 对的?呀? 是的?呀? 没错 不客气 赞 厉害 牛[逼啊]? 棒 太好了 太棒了 完美 不错 6{2,} 就这样吧? 先这样吧? 搞定了? 完事了? 没了 不用了 算了 挺好的? 可 妥 妥了 "
        "妥妥的 成 中 "
        "同意 赞成 原来如此 这样啊 真的吗? 啊+ 呀 吧 了 啦 呢 的 哈 那 就 我 这就 马上 也",
        r"that'?s_(?:fire|lit|sick|dope|wild|crazy|insane|so_cool|awesome|hilarious|neat|sweet) fire fr frfr ngl no_cap lowkey highkey lit slay based sheesh dope goat goated "
        r"awesome_sauce ay+ moment yyds nb tql awsl u1s1 yysy xdm gkd okok tbh imo imho w_take facts same_here so_true true true_that this_is_the_way love_it love_that so_good so_cool neat sweet wicked legend king queen "
        r"my_bad all_good got_you i_got_you good_stuff nice_work way_to_go congrats congratulations woohoo woo yass+ yess+ gg ggwp wp k_thanks kthx "
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
        "在 来了 回聊 (?:我|那)?先(?:下|撤|走|溜|忙|睡|闪)了?啦? 下线了 溜了 撤了 闪了 睡了 去忙了 回见 再会 拜+ 8{2,}6? 下次聊 改天聊 明儿见 周一见 早点休息 好梦 [你您]好[啊呀]? 大家好 哈[喽啰罗啦] 嗨+ 嘿 早啊 早呀 晚好 午安 各位 有人[在吗么]+ 在吗 在不在 在么 早[上安]?好? 早安 上午好 中午好 下午好 晚上好 晚安 再见 拜拜 回头见 明天见 你是谁 很高兴认识你 吃了吗 最近怎么样 最近好吗 "
        "新年快乐 周末愉快",
        r"ttyl gator cya see_ya talk_to_you_(?:later|soon|tomorrow) talk_(?:later|soon|tomorrow) catch_you_later gotta_(?:go|run|dash) have_to_(?:go|run) "
        r"got_to_(?:go|run) i_(?:gotta|have_to)_(?:go|run) gtg g2g heading_(?:out|off) signing_off off_now peace peace_out take_it_easy sleep_well sleep_tight sweet_dreams "
        r"cheerio laters? until_(?:later|tomorrow|next_time) speak_soon nighty?_night ciao tschuss adios hola bonjour salut hallo "
        r"h(?:i|ey|ello|iya|owdy)+ there everyone all folks team buddy good_(?:morning|afternoon|evening|night"
        r"|day) morning evening how_are_you(?:_doing)?(?:_today)? how'?s_it_going what'?s_up sup yo "
        r"bye(?:_bye)? goodbye see_(?:you|ya)(?:_later|_tomorrow|_soon)? later take_care nice_to_meet_you gm gn "
        r"have_a_(?:good|nice|great)_(?:day|one|weekend|evening) today who_are_you bot assistant again",
    ),
    "filler": _words(
        "哎 心塞 好?难过 好?难受 太?离谱了? "
        "啥 蛤 照旧 随你 老样子 你定 你看着办 哇塞 哇+ 没事了? 接个电话 笑拉了 唉+ 无语了?死?了? 好?烦(?:死了?|人|了)? 好?累(?:了|死了?|啊)? 郁闷 崩溃了? (?:我)?醉了 救命 天[哪啊呐] 妈呀 卧槽 我[去靠擦] 呜+ 嘤+ 难受 裂开了? 破防了? 服了 我服了 "
        "真服了 离谱 无聊 好困 困了? 好饿 饿了 哭了 太难了 我太难了 心累 头疼 头大 烦躁 不想上班 不想动 摸鱼 躺平 尴尬 害 啧+ 哼+ 切 诶+ 欸+ 嗐 啊这 嗯+ 呃+ 额+ 唔 那个 这个嘛? 就是说? 怎么说呢 让?我想[想一]?下?想? 让我想一想 我看看 我看一下 稍等一?下? 等[一我]?[下等会]?儿? 等等 随便吧? 都行 都可以 不知道[诶欸呢]? "
        "不清楚 无所谓 再说吧? 我再想想 先不急 先等等 一下 慢慢来 嘛 呢 吧 啊 话说 哎+ 唉+",
        r"bleh yawn+ deadass wild give_me_\d+ gimme_\d+ so_sad huh wha?t sounds_like_a_plan cool_beans happy_(?:monday|tuesday|wednesday|thursday|friday|weekend|holidays) on_the_phone phone_call no_idea emo ugh+ meh+ yikes sigh+ damn dang omg wtf wth smh geez gosh whoa oof+ argh+ gah grr+ hmph tsk bruh dude man ffs fml bummer phew whew eek ouch ow "
        r"so_(?:tired|bored|annoying|sad|hungry|sleepy|done|over_it) i'?m_(?:so_)?(?:tired|bored|done|exhausted|hungry|sleepy|over_it|annoyed) "
        r"what_a_(?:day|week|mess) this_sucks sucks annoying crap oh_(?:no|man|well|boy|god|my|dear|wow) oops whoops my_god jeez mondays monday "
        r"(?:\d+|a_few|few|couple|a_couple_of)_(?:s|secs?|seconds?|mins?|minutes?) (?:in_)?\d+_?(?:s|secs?|seconds?|mins?|minutes?) bear_with_me back_soon "
        r"be_right_back afk one_sec u[hm]+ e+r+m* hm+ well let_me_(?:think|see|check)(?:_about_(?:it|that|this))? let'?s_see give_me_(?:a"
        r"|one)_(?:sec(?:ond)?|min(?:ute)?|moment) (?:just_)?(?:a|one)_(?:sec(?:ond)?|min(?:ute)?|moment) hold_on "
        r"hang_on wait "
        r"i_don'?t_know idk dunno whatever not_sure i_guess maybe never_?mind nvm i'?ll_think_about_it you_know "
        r"like so anyway for_a_(?:second|sec|moment|minute|bit) about_it please i'?m_thinking thinking brb hmm+ "
        r"or_something",
    ),
    "test": _words(
        "[能可]以?(?:看|听|收)得?到[我这]?(?:个|条|消息)*[吗么不]? (?:看|听|收)得?(?:到|见)[我吗么不]+ 在线吗 通了?吗 有反应吗 能用吗 好使吗 测试一?下?下? 试试 试一下 测一下 一二三四?五? 消息 哈喽 能收到吗 听得到吗",
        r"can_you_(?:see|hear|read)_(?:this|me)(?:_message)? (?:is_)?any(?:one|body)_(?:there|here|home) did_(?:this|that|it)_(?:go_through|send|work|arrive) "
        r"are_you_(?:there|working|alive|online|up) testing_testing is_it_working do_you_(?:copy|read_me|hear_me) trying attempt can_u_see "
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
        "啥时候了? 啥 来着 再问一下 问一下 告诉我 今儿 明儿 咋样 农历 今年 哪一?年 哪天 哪一?号 今晚 [今明后昨]天 现在 请问 是? 几点钟?[了啦]? 几号 星期几 周几 几月几[号日] 什么时间 什么时候了 什么日子 天气 怎么样 怎样 如何 会?下雨[吗么] 冷[吗不] 热[吗不] 多少度 的 了 吗 "
        "呢 北京 上海 这里 外面 时间 啊 呀 礼拜几 农历",
        r"which today'?s tomorrow'?s month year week of again hour on day's quick question um hey wanna_know going check for here was yesterday "
        r"what(?:'?s|_is)? time is it now right_now the current date day today tomorrow tonight please is_it "
        r"weather like tell_me do_you_know how going_to rain will outside hot cold what_year_is_it whats here",
    ),
}
_CHATTER = _words(
    "喂 鸭 捏 哩 子 太 真 很 好 又 再 才 就 都 也 还 先 后 马上 立刻 回来 回头 等 看 听 问 说 写 做 弄 搞 改 发 给 来 去 走 想 要 会 能 可以 得 到 见 过 "
    "我 你 您 他 她 它 们 这 那 哪 个 些 样 么 什么 怎么 谁 是 不 没 有 在 一 两 二 三 几 下 遍 次 回 点 儿 会儿 分钟 秒钟? 小时 今天 明天 现在 刚才 刚刚 吗 的 地 "
    "知道 晓得 明白 清楚 帮忙? 请 麻烦 谢谢 辛苦 早 晚 重新 试 换 无语 收 完 行 对 错 找 定 样 老 那 就 这么 办 让 还是 好的 大家 朋友们 宝 宝子们? 姐妹们? 兄弟们?",
    "a an the this that these those it its one ones some any of to for on in at up out off over down by with from and or but so if "
    "then than as just only even still also too very really quite pretty much many lot bit little more less most again once twice now "
    "today tonight tmrw tomorrow later soon there here back away yet already maybe perhaps probably please pls plz thanks thx ty tysm ton yes "
    "yeah yep yup no nope nah ok okay sure alright right fine good great nice cool well better bad wrong same other another next last "
    "first i you u ya we he she they me us him her them your our their his im i'm i'll i'd i've you're ur we're that's it's what's "
    "whats who what when where why how which is are was were be been being am do does did done doing have has had can could will would "
    "shall should may might must gonna wanna gotta lemme gimme let lets let's get got go goes going gone come comes coming say said "
    "tell ask try tried trying see look looking check checking hear wait waiting hold hang catch think thinking know mean guess need want "
    "make stop start keep give take send sent reply answer redo retry repeat continue help show sec secs second seconds min mins minute "
    "minutes moment hey hi hello bye lol lmao haha(?:ha)* hmm um uh oh ah wow omg man dude guys mate bro sis folks everyone anyone "
    "anybody someone nobody else like literally basically actually honestly anyway whatever thing things stuff way hilarious funny different how's over found phone idea as before",
)
"""What fills a conversation: words that carry no fact unless somebody says them of himself."""
_STATES = re.compile(
    r"(?<![a-z])(?:i|we|he|she|they) (?:am|was|were|are|have|had|can(?:not|'t)?|could|don'?t|do not|didn'?t|never|always|need|want|like|make|get|go|keep|take|must|is|has)\b"
    r"|(?<![a-z])(?:i'm|i've|i'd|we're|my|our|his|her|their)\b|[我他她](?:们)?(?:是|有|没|在|不|会|能|要|得|想要|都|也|还|就|说|做|写|听|看|今天|明天)|\bnot? (?:a|the|to|for|in|on)\b|\bfirst$"
)
_MEANINGLESS_CORE = re.compile(
    r"几点|几号|星期几|周几|礼拜几|天气|时间|日子|度|雨|time|date|day|weather|rain|hot|cold|what_year"
)
_TEST_CORE = re.compile(r"测试|\btest")
_DEICTIC_CORE = re.compile(r"那个|这个|东西|\b(?:it|that|this|one|thing)")
_RETRY_CORE = re.compile(
    r"重|再|换|继续|接着|下一|不对|错|不行|again|re(?:generate|do|try|write)|continue|go on|go ahead|keep|next"
    r"|more|wrong|over|proceed|undo|not that|not right|incorrect|shorter|longer"
)
_ECHO = re.compile(
    r"(?:当然可以|当然|没问题|好的|可以的|非常好的问题|很高兴|明白了?)[！!，,。~ ]{0,3}(?:[^。！!\n]{0,12})?(?:以下是|下面是|这是(?:为|给)?您|我(?:来|将|会"
    r"|可以)(?:为|帮|给)?您|让我(?:来)?(?:为|帮)?您|为您整理|为您提供)"
    r"|(?:以下是|下面是)(?:为您|给您|我为您|您(?:要|需要)的?)[^。\n]{0,30}(?:内容|信息|建议|方案|结果|总结|列表|整理)?[:：。]?$|(?:好的?|收到|明白)?[，,]?我已经?(?:理解|了解|收到|明白|知道|记录)[^。\n]{0,6}您[^\n]{0,40}(?:为您|给您)|作为(?:一[个名])?(?:人工智能|ai"
    r"|大?语言模型|智能助手)"
    r"|(?:希望|祝)(?:以上|这些|对您|能)[^。\n]{0,20}(?:帮助|帮到您)|(?:如果|若)您?(?:还)?有(?:任何|其他|更多)[^。\n]{0,10}(?:问题|疑问"
    r"|需要)[^\n]{0,30}(?:告诉我|联系|问我|提出)|(?:请问)?(?:还)?有什么(?:可以|能|我能)[^。\n]{0,8}(?:帮|协助)|很高兴(?:能|为|帮)[^。\n]{0,12}(?:您"
    r"|你)|您的请求已|(?:很|非常|十分)?(?:抱歉|对不起|遗憾)[，,][^\n]{0,20}(?:我无法|我不能|我没办法|作为)"
    r"|thank(?:s| you) for (?:contacting|reaching out|your patience|waiting|calling|choosing)|感谢您?的?(?:耐心等待|来电|咨询|使用|支持与)|祝您(?:生活|工作|购物|使用|旅途|一切)"
    r"|(?:as (?:you )?(?:requested|asked|promised)|per your request)[,.: ]{1,3}(?:here|below|i(?:'ve| have))"
    r"|(?:sure(?: thing)?|certainly|of course|absolutely|great question|happy to help|no problem|definitely|got it)[!,.: "
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
    r"(?:hello|hi|hey|thanks|goodbye|bye|questions?|something|things?|stuff|help|assistance|information|messages?|topics?|conversation|the "
    r"assistant|the (?:ai|bot)|an answer|various (?:topics|things)|a (?:request|response|chat|discussion|task)"
    r"|about it|with it|details|more|it|this|that|some text|some code|guidance|clarification|support)"
    r"(?:,? (?:and|but|which) (?:the )?(?:assistant|ai|bot|model|it|system)[^.]{0,60})?[.!]?"
    r"|(?:the )?(?:assistant|ai|bot|model) (?:has |then |also )?(?:answered|responded|replied|greeted|welcomed|thanked|helped|provided"
    r"|gave|explained|offered|assisted|acknowledged|confirmed|said|suggested|apologi[sz]ed"
    r"|summari[sz]ed)[^.]{0,60}[.!]?"
    r"|(?:a |the |this )?(?:(?:brief|short|long|general|casual|previous|whole) )?(?:conversation|discussion|chat|exchange|session|dialogue|interaction|talk)"
    r" (?:took place|happened|occurred|was held|continued|ended|started|between|about|covered|touched (?:on|upon)|included|revolved around|focused on"
    r"|went well|was (?:about|productive|helpful|short|brief|friendly|long|informative)|dealt with|contained|consisted of|involved)[^.]{0,40}[.!]?"
    r"|an? exchange of \w+ (?:took place|happened|occurred)[.!]?|(?:several|various|some|many|multiple|a few|different|a number of) (?:topics|questions|things|subjects|points|issues|matters) (?:were|was|have been) "
    r"(?:discussed|covered|raised|mentioned|addressed|asked|answered)[^.]{0,30}[.!]?|(?:there is )?no(?:thing)? (?:new "
    r"|relevant |durable |useful |important )*(?:information|memor(?:y|ies)|facts?|content)?(?: was| were| to| "
    r"is)?(?: \w+){0,3}[.!]?(?<!allerg)"
    r"|(?:该|这个|本)?用户(?:[和与跟](?:助手|ai|模型|机器人))?(?:刚才?|又|也|还|向助手|向ai)?(?:问了?|提出了?|询问了?|咨询了?|说了?|提到了?|进行了?|发送了?|请求了?|寻求了?|讨论了?|有|想要?"
    r"|需要|表示了?|发起了?)(?:一个|一些|几个|某个|某些|一次|关于某?个?|相关|若干|点|一下|什么)?(?:具体的?|新的?|其他|相关的?|简单的?)?(?:问题|内容|事情|话题|信息|需求|对话"
    r"|消息|帮助|请求|东西|交流|感谢|疑问|指令|任务)(?:[，,]?(?:并且?|然后|而|得到了)?(?:由)?(?:助手|ai|模型|系统)?(?:进行了?|给出了?|提供了?|作出了?|做了?|得到了?"
    r"|的)?(?:回答|回复|解答|帮助|回应|答复|处理)了?(?:一?[些个]?(?:问题|信息|建议|答案|回复))?)?[。.！!]?"
    r"|用户表示(?:感谢|满意|同意|了解)[，,]?(?:助手|ai|模型)?[^。，,]{0,8}[。.]?|(?:助手|ai|模型|双方|系统)(?:已经?|向用户|为用户|对用户|随后)?(?:问好|问候|致谢|进行了|回答了?|回复了?|提供了?|给出了?|帮助了?|解释了?|讨论了?"
    r"|完成了?)[^。，,]{0,16}[。.！!]?|(?:本次|这次|该|此次|整个|本轮)?(?:对话|会话|聊天|交流|讨论|沟通)(?:内容)?(?:已)?(?:结束|开始|继续|内容|无|涉及|涵盖|围绕|包括|讨论|谈到|聊到|很|较为?|比较)[^。，,]{0,12}"
    r"(?:[了过]?(?:一些|几个|多个|若干|各种|不少|许多)?[^。，,]{0,4}(?:话题|内容|问题|方面|事情|主题|信息|顺利|愉快|简短|友好))?[。.]?|(?:没有|未|没|无"
    r"|暂无)(?:提到|提及|涉及|出现|产生|发现)?(?:任何)?(?:新的?|需要|值得|有用的?|可)?(?:要)?(?:记忆|记住|记录|信息|内容|保存)的?(?:信息|内容)?[。.]?"
)
_CLIENT = re.compile(
    r"typing[. …]*|输入中[.…。]*|gif|sticker|photo|(?:图片|表情|语音|视频|贴纸|动图)|[\w ]{1,24} (?:is|are) (?:typing|thinking|recording|composing)(?: a (?:reply|message|voice message))?[. …]*|(?:对方|[一-鿿\w]{1,8})正在(?:输入|讲话|录音|打字|思考)[.…。]*"
    r"|\[?(?:消息|该消息|此消息|一条消息)?(?:已|被)?撤回(?:了?一?条?消息)?\]?|[一-鿿\w]{1,8}撤回了一条消息|(?:消息)?已(?:读|送达|发送)|以上是打招呼的内容"
    r"|(?:this|the) message (?:was|has been|is) (?:deleted|removed|unsent|edited|unavailable)\.?|message (?:deleted|unsent|not delivered|failed to send)"
    r"|<?(?:media|image|video|audio|sticker|file|attachment) omitted>?|(?:seen|read|delivered|sent)(?: (?:at )?\d{1,2}[:.]\d\d(?: ?[ap]m)?)?"
    r"|missed (?:voice |video )?call(?: .{0,30})?|[\w ]{1,24} (?:joined|left|has joined|has left)(?: the)? (?:group|chat|channel|call|meeting|conversation)\.?"
    r"|[一-鿿\w]{1,12}(?:加入|退出|离开)了?(?:群聊?|聊天|会议|频道|通话)|(?:语音|视频)通话(?:已)?(?:结束|取消|时长)?.{0,12}|未接(?:来电|语音|视频).{0,12}"
    r"|(?:\s*[\[【(（<](?:[一-鿿]{1,6}|sticker|stickers|image|images|photo|picture|video|voice(?: message)?|audio|gif|emoji|file|attachment|link|location|contact|card"
    r"|red packet|like|thumbs ?up|wave|smile|laugh|cry|heart|[a-z]{3,12}\.(?:jpe?g|png|gif|webp|mp4))[\]】)）>]\s*){1,12}"
    r"|(?:you )?(?:reacted|liked|loved|laughed at|emphasized|disliked)(?: with)? .{1,40}|—+ ?(?:new|unread) messages? ?—+"
)
_BOOT = re.compile(
    r"heartbeat(?! (?:interval|rate|of|every|is|between|monitor)\b)(?:[_ -]?(?:ok|check|poll|ping|tick))?[.!:]?(?:\s[^\n]{0,80})?|.{0,40}heartbeat\.md.{0,120}"
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
_OF_SOMEBODY = re.compile(
    r"(?!(?:User|The|This|That|These|There|In|On|At|A|An|I|It|My|No|Not|None|Nothing|Is|He|She|They|We|You|Summary|Assistant|Agent|Session|Conversation)\b)"
    r"[A-Z][a-z]+(?:(?:'s)? (?!is (?:a|an|the) )[a-z]|(?:和[A-Z][a-z]+)?[一-鿿])"
)
_UNFILLED = re.compile(
    r"(?:[\w' ]{2,24}[:：] ?)?[\[(（【<]?(?:n/?a|none|nil|null|undefined|unknown|unspecified|tbd|todo|placeholder|empty|not (?:given|mentioned|specified|provided|known|available)"
    r"|暂无|未知|不详|待补充|待定|未提供|未提及|未说明|没说|占位)(?:内容|信息|记录)?[\])）】>]?[.。]?"
    r"|(?:the )?(?:user|human)(?:'s)? (?:\w+ ){0,2}(?:is|are|the|a|an|to|and|prefers|likes|wants|has|enjoys)|(?:用户|使用者)(?:的[一-鿿]{1,4})?(?:是|喜欢|偏好|有|想要|的)[:：]?"
    r"|[a-z_ ]{3,24}:|[一-鿿]{2,8}[:：]"
)
"""A form that was not filled in, a sentence that was not ended."""
_SURER = 2.0
"""How much surer: friends' names are unknown words, and what is told of them is worded like talk."""
_KEYBOARD = ("qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "1234567890-=")
_PLACES = {key: (row, column) for row, keys in enumerate(_KEYBOARD) for column, key in enumerate(keys)}
_PARTICLES = re.compile("[呀哈呢啦嘛哦喽咯哒哟吧啊诶欸呐噻哩滴了]|来着")
"""What ends a Chinese sentence and says nothing by itself."""
_COLUMNS = re.compile("(?:qaz|wsx|edc|rfv|tgb|yhn|ujm|zaq|xsw|cde|vfr|bgt|nhy|mju){2,}[a-z]?[a-z]?")
_MASHED_CHINESE = frozenset("的撒发生大啊是阿斯顿打法德萨蒂芬嘎哈个风格地方爱上旦射点范房放防佛达到付额热")
_MASH_ONLY = frozenset("撒阿斯顿萨蒂芬嘎旦")
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
        )
    ],
    Effect.REFUSE,
)
RULES["noise.small_talk"] = Effect.CONFIRM
"""A likelihood refuses nothing: such a text waits until somebody wants it."""


def find_noise(text: str) -> str | None:
    """Return the noise rule that a whole text fits, or None."""
    if len(text) > _LONGEST:
        return None
    plain = plain_text(text)
    kind = _without_words(plain) or _phrase(plain) or _vocabulary(plain) or _mash(plain)
    return f"noise.{kind}" if kind else None


def find_small_talk(text: str) -> str | None:
    """The rule of a text that no other rule fits, but that is worded as small talk is and states nothing that may last.

    For texts of one line that are to become a memory: within a conversation "the second one" may be the answer that
    matters. Of what is told of somebody by name the classifier must be surer.
    """
    plain = plain_text(text)
    if _UNFILLED.fullmatch(plain):
        return "noise.small_talk"
    if not _SHORTEST_TALK <= len(plain) <= _LONGEST or "\n" in plain:
        return None
    own = classifier("noise")
    score = own.score(plain)
    surer = _SURER if _OF_SOMEBODY.match(text) else 0.0
    return "noise.small_talk" if score is not None and score >= own.threshold + surer else None


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
    if _BOOT.fullmatch(plain) or (len(plain) <= 120 and _CLIENT.fullmatch(plain)):
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
    if not left:
        return "acknowledgement"
    return None if _STATES.search(spoken) else _chatter(spoken)


def _chatter(spoken: str) -> str | None:
    """The class of a text that has no word left when those that fill conversations are taken out; one word is too few."""
    if len(_CHINESE.findall(spoken)) < 3 and len(spoken.split()) < 2:
        return None
    if not _left(_CHATTER, _left(_VOCABULARY["clock"], spoken)) and _has_core("clock", spoken):
        return "clock"
    if not _left(_CHATTER, _left(_VOCABULARY["test"], spoken)) and _TEST_CORE.search(spoken):
        return "test"
    left = spoken
    for kind in ("greeting", "acknowledgement", "laughter", "filler", "retry"):
        left = _left(_VOCABULARY[kind], left)
    return None if _left(_CHATTER, left) else "filler"


def _left(words: re.Pattern[str], spoken: str) -> str:
    return _PARTICLES.sub("", words.sub(" ", spoken)).strip(" '")


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
    if len(compact) >= 6 and _MASHED_CHINESE.issuperset(compact) and sum(each in _MASH_ONLY for each in compact) >= 1:
        return "keyboard"
    if len(compact) >= 6 and len(tokens) <= 3 and _COLUMNS.fullmatch(compact):
        return "keyboard"
    if len(tokens) <= 3 and all(map(_is_of_one_row, tokens)):
        return "keyboard"
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


def _is_of_one_row(token: str) -> bool:
    """Many different letters of one row of the keyboard, as hardly a word has: the top row holds most vowels."""
    letters = set(token)
    for row, least in zip(_KEYBOARD[:3], (8, 6, 5), strict=True):
        if letters.issubset(row):
            return len(letters) >= least or (len(token) >= 4 and row == _KEYBOARD[1] and "a" not in letters)
    return False


def _are_neighbours(first: str, second: str) -> bool:
    a, b = _PLACES.get(first), _PLACES.get(second)
    return a is not None and b is not None and a[0] == b[0] and abs(a[1] - b[1]) <= 1
