"""The words that open, close and rule out a cue, in Chinese and English. `memoryapp.domain.cues` puts them together.

Each opener is tried at the beginning of a clause, after its polite words. The group `body` is where the statement
begins; an opener without that group is itself part of the statement.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from memoryapp.domain import cue_frames as frames
from memoryapp.domain.types import CueKind

_I = re.IGNORECASE

LEAD = re.compile(
    r"(?:(?:我?再(?:说|讲|强调|重申)一[遍次]|以防你忘了?|提醒你?一下|提醒你|顺手|顺便|嗯+|哦+|噢|啊|好的?|行|对了|那么?|另外|还有|顺便(?:说一下|说一句|说|提一下|提)?|顺带|最后|首先|同时"
    r"|而且|并且|并|也|再|然后"
    r"|但是?|不过|麻烦|劳烦|烦请|拜托|请你?|你|您|帮我|帮忙|给我|替我|务必|一定|千万|要|需要|希望你|我(?:想"
    r"|希望|要|需要)让?你|能不能"
    r"|能否|可以|可不可以|能|可否|总之|所以|因此|重要|助手|AI)\s*"
    r"|\b(?:oh|ok(?:ay)?|hey|hi|hello|so|and|but|also|well|yes|yeah|yep|sure|right|thanks|thank you|please|pls|plz|ty|thx"
    r"|kindly|just|u+m+|u+h+|er+m?|h+m+|yo|oi|psst|sup|dude|mate|bro|buddy|folks|alrighty|alright|k|look|listen|wait|no|nope|nah|ah|ooh|aha|great|perfect"
    r"|cool|nice|lovely|awesome|good|fine|super|brilliant|excellent|wonderful|gotcha|got it|anyways?|plus|ps|nb|sorry|hang on|hold on|oops|whoops|my bad|like"
    r"|(?:one|another|last|quick|small) (?:more )?(?:thing|one|note|request)|heads[- ]?up|real quick|quickly|now|while (?:i'm|we're|you're) at it|before (?:i|we|you) (?:forget|start|go on|continue|begin|move on)"
    r"|fwiw|for what it'?s worth|do me a favou?r(?: and)?|do please|try to|gonna need (?:you|u) to|(?:(?:i|we)(?:'d| would)?(?: really)? (?:like|love|want|need) (?:you|u|ya) to)|(?:can|could) (?:ya|u)|(?:can|could|shall|may) we|i'd be grateful if you(?: could| would|'d)?"
    r"|(?:you|u)(?:'ll|'d| will| would| might| may| do)? (?:want|wanna|need|have|ought|do well)(?: to)?|if you (?:could|would|can|don'?t mind)(?: please)?|would you kindly"
    r"|(?:would it be|is it) (?:possible|ok(?:ay)?|all right)(?: for you)? to|btw|by the way|fyi|first|finally|then|again|assistant|important|(?:can|could|would|will) (?:you|u)|(?:you|u) (?:should|must"
    r"|can|could|need to|have to|may)(?: also)?|(?:i want|i'd like|i need|i would like) you to|(?:make|be) sure"
    r" (?:that )?"
    r"(?:you|to)|it(?:'d| would) be (?:great|nice|good|helpful|lovely|cool) if you(?: could| can|'d)?|i'?d (?:appreciate|love) it if you(?: could| can|'d)?|(?:know|note) and|go ahead and|feel free to|let'?s|it'?s (?:very )?important (?:that )?you|you)\b\s*)*",
    _I,
)
REQUEST = re.compile(
    r"能不能|能否|可以|可不可以|能|可否|\b(?:(?:can|could|would|will|shall|may) (?:you|u|ya|we)|(?:would it be|is it) (?:possible|ok(?:ay)?|all right))\b",
    _I,
)
ASKING_BODY = re.compile(
    r"^我(?:说|讲|告诉你)的|^(?:what|where|who|why|how|which|whether|me$|(?:when|if)(?! I (?!told|said|asked|mentioned|went|was|met|did))"
    r"|the (?:time|day))\b|怎么|什么|哪|多少|为什么|吗$",
    _I,
)

_MEMORY_OBJECT_ZH = (
    r"(?:你|您)?(?:们)?(?:之前|以前|已经|曾经|所)?(?:记|存|保存|了解|知道|收集)|记忆|关于我|个人(?:信息|资料)"
    r"|规则|偏好|规矩|约定"
    r"|我的?(?:家庭)?(?:住址|地址|电话|手机|号码|生日|邮箱|名字|姓名|工作|职业|公司|信息|资料|饮食|过敏|健康"
    r"|病史|习惯|年龄|婚姻|家人|工资|收入|薪资|体重|身高|血型)"
)
_MEMORY_OBJECT_EN = (
    r"(?:you(?:'ve| have)? (?:\w+ )?(?:saved|stored|remember(?:ed)?|know|noted|recorded|learned|kept|collected)"
    r"|you have (?:about|on)"
    r"|memor(?:y|ies)|about me|about my|on me|(?:the|that|my|any) (?:\w+ ){0,3}(?:rule|preference|instruction|note)s?\b"
    r"|my (?:[\w'’]+ ){0,3}(?:address|phone|number|birthday|birth date|email|e-mail|name|job|employer|health|diet"
    r"|allerg\w+|age|personal))"
)
_TRANSIENT_EN = (
    r"(?:this|that|these|those|it|any|anything|any of (?:this|it)|what i|the (?:following|above"
    r"|next|last|conversation|chat))"
)

_OF_WHAT_IS_SAID = r"[\W了吧啊哦噢哈呀啦着住哟呗嘛得哒]|$|[到进在入下]|一[个点丁]|半|[我咱俺]|[这那它此]|刚|以[上下]|上[面一]|前面|任何|什么|啥|关于|有关|接下|后面|对话|聊天|今[天晚]|本次|小本"
"""What follows 别记 when it is about what is said; 别存钱了 and 别记仇 have a matter of their own."""
_DO_NOT_STORE = (
    r"(?:先)?(?:别|不要|请勿|不用|无需|不必|不许|不准|不需要)(?:再)?(?:给我|帮我|去)?(?:把(?P<what>.{1,14}?))?"
    r"(?:记住|记下来?|记录|记(?![得错流账单仇笔日])|保存(?!到|为|成)|存储|存(?![到为成在])|写进记忆|写入记忆|放进记忆)"
    rf"(?={_OF_WHAT_IS_SAID})(?P<body>.*)",
    r"(?:这[个条些段句件事]*|以下|下面|刚才|刚刚|上面|今天|接下来|本次|这次)\S{0,8}?(?:就|都|请"
    r"|也|可)?(?:你)?(?:别|不要|不用|请勿|先别|不必|不能|不许|不准|不得|千万别|勿|甭|唔好|咪)"
    r"(?:给我|帮我)?(?:记|存|保存|写进|留下?记录)(?P<body>.*)",
    rf"(?:do not|don'?t|dont|no need to|you don'?t (?:need|have) to)\s+(?:ever )?(?:store|save|remember|record"
    rf"|keep|log|memori[sz]e|retain"
    rf"|note)\s+(?P<body>{_TRANSIENT_EN}\b(?! (?:file|branch|image|as|to (?!memory)|i\b|we\b|my\b)).*)",
    r"(?:but|and|also|please|though)\s+(?:please )?(?:do not|don'?t|dont|never)\s+(?:ever )?(?:store|save|remember|record|keep|log"
    r"|memori[sz]e|retain|note)\s+(?:that|how|about|the fact that)\s+(?P<body>.*)",
    r"(?:keep )?(?:this|it|that|everything)?\s*(?:is |stays |will be )?(?:strictly )?off the record(?P<body>.*)",
    r"not for (?:the |your )?(?:record|memory|storing|saving)s?(?P<body>.*)",
    r"(?:this|that|it) (?:stays|is|remains)(?: just| strictly)? between (?:us|you and me)(?P<body>.*)",
    r"keep (?:this|it|that) out of (?:your |the )?memory(?P<body>.*)",
)
_FORGET = (
    r"忘掉(?!就好|就行|好了|吧$|了$|它)(?P<body>.+)",
    r"(?:忘记|忘了|忘却)(?P<body>(?:我|关于|之前|以前|你|那[条个件]|所有|全部|上次|有关|[“\"「]).*(?<!了))",
    r"把(?P<body>.+?)(?:忘掉|忘了|忘记|忘光)(?:吧|了)?",
    rf"把(?P<body>.*(?:{_MEMORY_OBJECT_ZH}).*?)(?:从记忆[里中])?(?:都|全部?)?(?:删掉|删除|删了|清除|清掉|清空"
    rf"|抹掉|移除|去掉)(?:吧|了)?",
    rf"(?:删除|删掉|删了|清除|清空|清掉|抹掉|抹去|移除|撤销|取消|作废|去掉)(?P<body>.*(?:{_MEMORY_OBJECT_ZH}).*)",
    r"把(?P<body>(?:我|关于|之前|以前|上次).+?(?:这|那)(?:[条个点件]|件事)?)(?:记忆|信息|记录|内容)?(?:都|全)?(?:删掉|删除|删了|清掉|去掉|抹掉)(?:吧|了)?",
    r"(?:别|不要|不用|不必|无需|不需要)(?:再)?(?:记住|记得|记着|记|保留|保存)(?P<body>(?!这|那|以下|下面|刚才"
    r"|今天|任何|了).{2,}?)了",
    r"(?P<body>(?:我的|关于|之前|以前|那条|那个).{1,20}?)(?:你)?(?:就)?(?:可以)?(?:忘掉|忘了|忘记|删掉|删了"
    r"|不用记|不用再记|作废)(?:它)?(?:吧|就好|就行|好了|了)",
    r"forget (?:about )?(?P<body>(?!my (?:mistake|question|typo|last|previous|earlier|request|message))(?:my|our)\b.+)",
    r"forget (?:that )?(?P<body>(?!i (?:ever )?(?:said|mentioned|asked) (?:that|this|it|anything)$)(?:I|we|you (?:know|saved|stored))(?:\b|').+)",
    r"forget (?:about |the fact (?:that )?)?(?P<body>(?:the (?:fact|rule|preference|instruction|note|memory"
    r"|thing|stuff|detail)\b|where I|who I|how I"
    r"|what (?:i|you)(?:'ve| have)? (?:said|told you|know|saved|remember|stored) (?:about|on)\b).+)",
    r"forget (?:everything|all|anything)(?: you (?:know|saved|stored))? (?:about|regarding|concerning|related to)"
    r" (?P<body>(?-i:[A-Z])(?!\w*['’]?\w* (?:code|file|test|error))[\w'’-]*(?: (?-i:[A-Z])[\w'’-]*)*)",
    r"forget (?P<body>(?:everything|all|anything)\b.*\b(?:about me|about my|i(?:'ve| have)? told|you(?:'ve|"
    r" have)? (?:know|saved|stored|remember\w*|learned"
    r"|noted)).*)",
    rf"(?:delete|erase|remove|wipe|clear|purge|drop|scrap|ditch|discard|cancel|retire|get rid of)\s+"
    rf"(?P<body>(?:.*\b)?{_MEMORY_OBJECT_EN}.*)",
    r"unlearn (?:that |the fact that )?(?P<body>.+)",
    r"(?:stop|quit) (?:remembering|storing|keeping track of) (?P<body>.+)",
    r"(?:you )?(?:don'?t|do not|no longer|needn'?t) (?:need to |have to )?(?:remember|keep) (?P<body>(?!this"
    r"|that|it\b).+?)(?: any ?more| any longer)",
    r"(?:you )?(?:no longer need to|no need to|don'?t (?:need|have) to) remember (?P<body>(?!this|that|it\b|any(?:thing|\s+of\s+(?:this|that|it))\b).+)",
)
_REMEMBER = (
    r"(?:记住|记低|记个(?:事儿?|东西|重点)|记件事|记在心[里上]|记清楚|记好|记牢|牢记|记着|记下来?|记一下|记一笔|记录一下(?=$|我)|备注一下|备忘(?:一下)?|备注(?=[：:]|$)|(?:拿)?小本本?记(?:下|上|好)|记上一笔|记上|写到(?:你的)?记忆[里中]|存(?:一下|下来)(?=$|[：:]|我)|(?:提醒)?(?:你)?自己记着|存到记忆(?:里"
    r"|中)?|写进记忆|加入记忆|添加到记忆)"
    r"(?!(?:东西|事情|单词|人名|名字|面孔|别人|这么多|所有)\S{0,8}(?:难|容易|累|费劲|简单)|的(?!是)|不|单词|功能|按钮|会议|笔记|(?:密码|登[录陆]|用户名?|账号|选择|窗口|状态|我)(?:的?(?:功能"
    r"|按钮|选项|框|勾选|复选|cookie)|$))(?:了|吧|啊|哈|的是|一点|几点)?(?P<body>.*)",
    r"把(?P<body>.+?)(?:记住|记下来?|记一下|存下来|(?:记|存|写|加)[到进入](?:你的)?(?:长期)?(?:记忆"
    r"|备忘)\S{0,2})(?:吧|了)?",
    r"(?:别|不要|勿|不能|别给我)忘[了记]?(?P<body>.*)",
    r"记得(?P<body>(?:我(?!们?(?:在|说|昨天|上次|曾))|我们|我家|以后|每次|每天|都|总是|永远|始终|这个项目|项目"
    r"|今后|平时|回答|回复|用(?:中|英)文).*)",
    r"(?P<name>(?:我(?:的名字|名字)?(?:叫|是叫)(?!了|你|他|她|它|个|车|外卖|不|人|得|过|上|来|起|做|一[个声下])"
    r"|我的名字是|叫我(?!起|去|来|一|怎|做|干|写|回|吃|有|在|的|等)|称呼我(?:为)?|喊我(?!去|来|起|一)).{1,})",
    r"remember(?! me\b)(?:\s*$|\s+(?:that|this|these|the following)\b(?! (?:one|is|was|guy|song|movie))"
    r"|\s+(?=(?:I|we|my|our|to|not|never|always|the"
    r"|for|his|her|their|all|your|you|it'?s|each|every|when(?:ever)? i)\b)|\s+(?=[A-Z\u4e00-\u9fff]))\s*(?P<body>.*)",
    r"(?:rmbr?|rem|rem+e?m?[eb]{1,2}e?r|remeber|remmeber|rember|rememeber|remembr|rememebr|remebmer) (?:that |this )?(?P<body>(?:i|im|i'm|my|we|our|the|not|to)\b.*)",
    r"(?:(?:a |another )?(?:quick |small )?note to self(?: \(?and (?:to )?you\)?)?|(?:just )?(?:one|a|another|some|two|few) (?:more )?things? (?:to (?:remember|know|note|keep in mind)|worth (?:remembering|knowing))(?: (?:about|for) (?:me|us|next time))?)(?P<body>.*)",
    r"(?:keep|bear|have) (?:it |this |that )?in mind(?: that)?(?P<body>.*)",
    r"(?:don'?t|do not|never) (?:you )?(?:ever )?forget(?: that)?(?P<body>(?!.*\b(?:semicolon|comma)\b).*)",
    r"(?:make|take|keep)(?: me)? (?:a |an )?(?:mental |quick |permanent )?note(?: that| of)?(?P<body>.*)",
    r"(?:note|jot|write) down(?: that)?(?P<body>.*)",
    r"(?:please )?note(?: that)? (?P<body>(?:.*\b(?:I|I'm|I've|my|we|we're|our|me)\b).*)",
    r"(?:quick |small |another )?note (?:for next time|to remember|for later|for the future|to keep)(?P<body>.*)",
    r"for (?:future reference|the record|next time|later reference)(?P<body>.*)",
    r"(?:save|store|add|put|commit|log)(?: (?:this|that|it))? (?:to|in|into) (?:your |the |long-term"
    r" )*(?:memory|notes)(?: that)?(?P<body>.*)",
    r"(?:save|store|record|log|memori[sz]e|note) (?:that|the fact that|for later that|for me that) (?P<body>.+)",
    r"(?:keep|make) (?:a )?(?:record|reminder)(?: that| of|(?= ?[:：]|$))(?P<body>.*)",
    r"(?:save|note)(?P<body>)$",
    r"(?:save|store|memori[sz]e) (?:this|that|it|the following)(?: for (?:later|next time|me|the future|future"
    r" use))?(?P<body>)$",
    r"(?P<name>call me (?!when|if|back|later|tomorrow|at\b|on\b|in\b|crazy|a\b|an\b|once|after|before|asap|now"
    r"|tonight|maybe).{1,})",
    r"(?P<name>(?:my name(?:'s| is)|I go by|my (?:first|full|last) name is) (?!not clear|the same|in the|on the"
    r"|missing|too).{2,})",
)
_DIRECTIVE_ZH = (
    r"(?:不(?:再)?(?:吃|喝|抽|做|去|写|看|要)|都|请|一律|统一|不要|不许|别|不用|只|每次|默认|优先|回答|回复|叫"
    r"|称呼|给我|写|先|按|说|讲|加|带|保留|存|走|放|改|附|列|用|发|推荐|直接"
    r"|尽量|必须|避免|提醒|安排|订|记得|凡是|遇到|涉及|把|帮我|不管|无论|少|多|报|给|控制|保持|限|换|改|全)"
)
_LATER_NOT_RULE = (
    r"再说|再聊|再看|再议|再讲|有空|有机会|会(?!议)|可能|想|打算|的事|的计划|怎么|呢|或许|也许|要是|万一"
    r"|我(?:要|想|会|打算|可能|准备|就)"
)
_INSTRUCT = (
    rf"(?:从今以后|从今往后|从此(?:以后|往后)?|自此|打?从?今儿?个?起|打今(?:天|儿)起|自今天起|接下来(?=.{{0,4}}(?:都|一律|统一|全))|以后所有|今后所有|以后|今后|往后|之后|此后|下次(?:起|开始)|从(?:现在|今天|这次|今)(?:起"
    rf"|开始))(?:能不能|可不可以|能否|可以)?(?!{_LATER_NOT_RULE})(?!\S{{1,4}}用$)(?=.*{_DIRECTIVE_ZH}|$).*",
    rf"(?:(?!孩子|[他她它]|老师|学生|员工|大家|.{{0,8}}(?:不是|没有?|谁)\S{{0,3}}(?:说|让|叫|要求)|\S{{0,6}}[们长师任练东板](?:说|让|要求|叫))(?!.*(?:[\d一二三四五六七八九十两]+[点号月年天岁周]|完|了"
    rf"|[上下]班|[上下]课|毕业|吃[完饭]|起床|回[来家]|结婚|入职|退休|睡[觉醒]|[发修出]\S|之)以后)"
    rf"\S{{1,16}}?)\s*(?:以后|今后|往后)(?!{_LATER_NOT_RULE})(?:我)?(?:都|请|就|一律|统一|不要|别|默认|优先|只|控制|保持|限制|标注|注明|附上|写成|精简"
    rf"|必须|全部?|尽量).*",
    r"(?:千万|绝对|一定|坚决)(?:别|不要|不能|勿)(?!忘|记)(?:再)?(?:给我|跟我|对我|替我|推荐|提|用|发|说|叫).+",
    r"(?:别|不要|不许|不准|勿|请勿)再(?!卡|崩|报错|转圈|掉线|emo|下雨|下雪|刮风|堵|涨|跌|降温|内耗|熬夜|拖延|想了|刷|难过|哭|纠结|焦虑|摆烂|卷|犹豫|浪费|说了|闹|吵|问了|提了|试了|等了|见|会|骗|逗|笑|吓|开玩笑|烦我)(?!来)\S.{1,}",
    r"(?:下次|下回)(?:再)?(?:回答|回复|写|推荐|解释|给我\S{0,4})?(?:的时候|时)?(?:请|不要|别|记得|直接|先|给我"
    r"|用|也)(?!再见).+",
    r"(?:永远|始终|总是|一直)(?:请|都)?(?:不要|别|用|使用|给|先|以|按|把|优先|保持|称呼|叫).+",
    r"(?:给我|跟我|和我|对我|回答|回复|回|答复|解释|推荐|写|讲|报|发)\S{0,10}?(?:永远|始终|总是|一律|统一|务必)(?:都)?(?:用|不要|别|给|以|按|说|写|先|避开|避免|推荐|讲|加|带|只|保持|附).+",
    r"(?:每次|每回|每一次|每当|凡是)(?!都?报错)\S.{0,20}(?:请|要|先|都(?:用|给|先|要|请|附|带|加|写|跑|列|标|说|问|配|画|放|按|留)|别|不要|记得|提醒).*",
    r"(?:默认|一律|统一)(?:都)?(?:用|使用|以|给|按|采用|走).+",
    r"我(?:个人|一般|平时|通常|还是)*(?:更|比较|最)?(?:偏好|偏爱|偏向|倾向于?|习惯于?)(?!这|那|第|前者|后者).+",
    r"\S{2,16}(?:的时候|时)(?:请|要|都)?(?:永远|始终|一律|总是|务必|都|统一|只|尽量)(?:先|用|给|以|按|不要|别|加|附|带|避开|避免|跳过|推荐|说|写|列|少|选|考虑|保留|标|注明).+",
    r"我(?:这个人|本人)?(?:个人|一般|平时|通常|还是)*(?:更|比较)(?:喜欢|爱|愿意|想要|中意)(?!这|那|第|前者|后者"
    r"|上面|你刚).+",
    r"我喜欢(?!这|那).{1,20}(?:更|胜过|多过).*",
    r"我的(?:个人|饮食|阅读|写作|编码|代码|语言)?(?:偏好|习惯|喜好|原则|要求)(?:是|为|$|就是).*",
    r"(?:(?:在|对)?(?:这个|本|该|我们的?|咱们的?|咱)?(?:项目|仓库|团队|公司|小组|代码库|部门|我们|我们组)(?:里"
    r"|内|中|的?\S{0,6})?)(?:都|统一|一律|默认|全部|只|必须|约定)(?:用|使用|采用|走|写|放|按|要|以).+",
    r"(?:from (?:now|here|today|this point) on(?:wards?| out)?|going forward|moving forward|henceforth|in"
    r" (?:the )?future|as of (?:now|today)|as a (?:general |standing )?rule"
    r"|starting (?:today|now)|from today(?!['’]))(?P<body>(?!\s*with\b)(?!\s*(?:I|we)\s+(?:want|will|hope|plan|might"
    r"|may|could|would)\b).*)",
    r"(?:always|never)\s+(?!(?:has|have|had|did|do|does|was|were|will|is|are|am|could|would)\s*$|something\b|someone\b|one\b|here\b|there\b|ending\b|-|(?!embed|need|feed|speed)\w+ed\b|mind\b|been\b|seen\b|had\b|thought\b|heard\b"
    r"|knew\b|an?\b|the\b|happy\b|glad\b"
    r"|good\b|nice\b|on\b|off\b|ending\b"
    r"|works?\b|fails?\b|returns?\b|gets\b|happens\b|said\b|in\b|too\b|again\b|knowing\b|would\b|did\b|was\b"
    r"|gonna\b|going\b|true\b|false\b)[a-z]+.*",
    r"(?:in|for|when|with|on|at|after|before|whenever|if|unless)\b[^.]{2,60}?\b(?:always|never|you should"
    r"|please)\s+(?!been|seen)[a-z]+.*",
    r"(?:don'?t|do not) (?:you )?ever .+",
    r"(?:please )?default to (?!the (?:branch|value)\b).+",
    r"(?:don'?t|do not|stop|no more|use|answer|reply|respond|write|give|keep|format|default|show|put|end|start"
    r"|include|skip|avoid|address|treat)\b"
    r".*\b(?:again|any ?more|from now on|going forward|in (?:the )?future|by default|unless i (?:say|ask"
    r"|tell)\b.*|every time|at all times|as a rule"
    r"|in all (?:your )?\w+|for all (?:my|your|our) \w+)",
    r"(?:all|any|every|each) (?:future|further|subsequent|upcoming) .{2,60}?\b(?:should|must|needs? to|ha(?:s|ve) to|shall)\b.+",
    r"(?!(?:i|we|he|she|they|it|there|this|that|the|my|our|his|her|who|what|how|will|would|one|people|things|nothing|everything)\b)[a-z]+\b.{2,80}\b(?:from now on|going forward|moving forward|in (?:the )?future|at all times)",
    r"(?:stop|quit) (?:calling me|apologi[sz]ing|using emojis?|using emoticons).*",
    r"i(?:'d| would| do)? (?:\w+ly )?(?:much |still |always )?prefer(?! (?:this|that|these|those|it\b|the"
    r" (?:first|second|third|other|latter|former|last"
    r"|option|top|bottom|left|right|one)|option|not to (?:say|answer)|number|the (?:\w+ ){1,3}one\b)) .+",
    r"i(?:'d| would) (?:much )?rather (?:you|have|not have|get|see) .+",
    r"i (?:really |always )?(?:like|love|enjoy) (?!this|that|it).{2,40} (?:better|more) than .+",
    r"my (?:personal |general |usual |strong )?(?:preference (?:is|for)|preferred|default|favou?rite) (?!(?:thing|part|bit|way|kind) (?:in|of|about|to)\b(?!.* (?:is|are|was|has)\b)).+",
    r"(?:whenever|every time|each time|any ?time) (?:i|you|we)\b.+",
    r"next time(?P<body>\s+(?:please |do ?n[o']t|don'?t|use|do|give|start|skip|include|ask|answer|also|just"
    r"|remember|check|write|show|put).*|$)",
    r"(?:in|for|on) (?:this|our|my) (?:project|repo\w*|team|codebase|company|app)(?:,)? (?:we |you |always "
    r"|only |please )*(?:use|uses|run|write|stick|go|call|deploy)\b.+",
    r"(?:this|our|my|the) (?:project|repo\w*|team|codebase|company)\b.{0,20}\b(?:always|only|exclusively) .+",
)
_SUBJECT_ZH = (
    r"(?:我们家|我家|我们?|咱们?|(?:这个|本|该|我们的?)?(?:项目|公司|团队|仓库|小组))(?:这边|里|内)?(?:现在"
    r"|已经|目前|最近|刚刚?|上周|上个月|今年|今天|从今天起?|前不久|早就|也|都|又)*"
)
_CORRECT = (
    rf"(?:{_SUBJECT_ZH}|现在|已经)不(?:再)?(?:用|吃|喝|住|在|叫|做|抽|养|喜欢|爱|写|当|负责|从事|使用|单身|打"
    rf"|练|跑|信|姓|属于|是)(?!知|到|了).{{1,24}}了",
    rf"{_SUBJECT_ZH}不再\S.{{1,}}",
    rf"(?:{_SUBJECT_ZH}|现在|已经)?不用.{{1,20}}了$",
    rf"(?:{_SUBJECT_ZH}|现在|已经)(?:改用|改吃|改喝|换成|换到|换用|改成|改为|改叫|改名|转用|转到|转做|转行"
    rf"|迁移到|迁到|切换到|换了|跳槽|换工作|搬家|搬到|搬去|搬来|搬回"
    rf"|离职|辞职|入职|戒[了掉]|调到|升职|退休|结婚|离婚|分手|毕业|讨厌|开始用|开始吃|升为).*",
    r"(?:改用|搬家了|搬到了?|跳槽到|换工作了|换成了).*",
    r"我(?:们)?(?:现在|目前|如今)(?:已经)?(?:改|住|在.{1,16}(?:上班|工作|任职|读书|上学|读研)|讨厌|不喜欢|负责"
    r"|养了?|转|主要(?:用|写)|只(?:吃|喝|用)).*",
    r"(?:其实|实际上|事实上)我(?!觉得|想|也|只是|不太|不知道|就是想|没|认为|还|很好奇|一直在想|问).+",
    r"(?:更正|纠正|订正)(?:一下|一点)?(?P<body>.*)",
    r"(?:不对|不是)?我(?:之前|上次|刚才|刚刚|以前)?(?:说错|记错|弄错|搞错|写错)了.*",
    r"你?(?:之前|上次)?(?:记|说|存)的.{0,16}(?:不对|错了|有误|过时了|变了).*",
    r"你记错了.*",
    r"(?!帮|把|请)\S{0,16}?从\s*.{1,16}?(?:换成|改成|改为|迁移到|切换到|换到|搬到|转到|迁到).+",
    r"(?:我的?)?(?:手机号?|电话|号码|邮箱|地址|微信|住址|单位|网名|车牌)(?:已经|刚刚?|又|都)*(?:换|改|变)了",
    r"我的?新(?:地址|住址|电话|手机号?|号码|邮箱|公司|工作|名字|职位)(?:是|在|叫).+",
    r"(?!帮|把)\S{0,14}(?:截止(?:日期|时间)?|(?i:deadline|ddl)|例会|周会|端口|上线(?:时间|日期)?|发布(?:日"
    r"|时间)|电话|手机号?|邮箱|地址|名字|域名|交付日?期?)\S{0,10}?"
    r"(?:改到|改成|改为|改在|推迟到|提前到|延到|延期到|换成|变成|挪到|换了)了?.+",
    r"(?:actually\s+)?(?:I|we|(?:this|the|our) \w+(?: \w+)?|my (?:team|company|project|job|address|number|email"
    r"|default|diet))"
    r"(?:'m|'re| am| are| is| do)?(?: actually| now| really)? no longer .+",
    r"(?:actually\s+)?(?:I|we)(?: actually| really)?(?: don'?t| do not| am not|'m not| aren'?t|'re not)"
    r" .+\b(?:any ?more|any longer|now)$",
    r"(?:actually\s+)?(?:I|we)(?:'ve| have)? (?:just |recently |now |finally )*(?:stopped|quit|gave up|given"
    r" up) (?!at\b)(?:\w+ing|my job|smoking|meat|alcohol|sugar|coffee|dairy)\b.*",
    r"(?:actually\s+)?(?:I|we|my \w+|our \w+(?: \w+)?|the (?:project|team|company|deadline|meeting|launch"
    r"|release|office|kick-?off)(?: \w+){0,3}?)"
    r"(?:'ve| have|'s| has|'re| are| was| were| got)?(?: now| just| recently| since| finally| actually| been| already)*"
    r" (?:switched|moved|migrated|relocated|changed (?:jobs|my name|to|from|companies|careers)|transferred"
    r"|slipped|joined|renamed|started using"
    r"|started working|pushed back|rescheduled|retired|got (?:married|divorced))\b(?! (?:on|the (?:line|file"
    r"|button|import)|my mind|line|that)\b)"
    r"(?=.*\b(?:to|from|at|in|jobs|back|with|as|using|married|retired|divorced|[A-Z]\w+)\b|$).*",
    r"(?:actually\s+)?(?:I|we) (?:actually|now) (?!also)(?:use|live|work|prefer|drink|eat|am|go by|write|run"
    r"|drive|have|speak|study|teach|like|hate|don'?t"
    r"|own|manage|lead)\b.*",
    r"I(?:'m| am) now (?:living|working|based|using|an?|vegan|vegetarian|on|in charge|responsible|single"
    r"|married|the)\b.*",
    r"actually[,\s]+(?P<body>(?:I (?:live|work|use|prefer|go by|eat|drink|speak|like|hate|study|don'?t (?:eat"
    r"|drink|like|use|live|work|have))|I(?:'m| am)"
    r" (?:an?|from|(?:now )?(?:living|working) (?:at|in|for)|allergic|based|vegan|vegetarian|not an?)|my \w+"
    r" (?:is|are|isn'?t))\b.*)",
    r"(?:it'?s|that'?s|it is|i'?m|we'?re) .{2,40}? actually,? not .+",
    r"(?:small |quick |one )?correction(?P<body>.*)",
    r"scratch that(?P<body>.*)",
    r"I (?:misspoke|was wrong|made a mistake|got that wrong)(?P<body>.*)",
    r"(?:you have|you've got|you got) (?:that|it|my \w+) wrong(?P<body>.*)",
    r"(?:that'?s|that is|it'?s) (?:no longer|not) (?:true|right|correct|current|the case)(?: any ?more)?(?P<body>.*)",
    r"(?:switch|change|update|set) my (?:default|\w+ address|address|name|number|phone|email|preferred"
    r"|preference|timezone|time zone|title|job)\b.*\b(?:to)\b.+",
    r"I(?:'ve| have)? (?:just |recently |finally )*(?:got|started|took|landed|have got) (?:a |my )?new (?:job|phone|number|address|role|position|place|apartment|flat|house|email)\b.*",
    r"(?:we|they|I)(?:'ve| have)? (?:just |now )*(?:pushed|moved|bumped|shifted|brought|delayed|postponed|rescheduled|extended) (?:the|our|my) (?:\w+ ){0,2}(?:deadline|launch|release|meeting|stand-?up|review|exam|appointment|go-live|kick-?off|demo|start)\b.*\b(?:to|until|forward|back)\b.*",
    r"my new (?:\w+ )?(?:address|phone|number|e-?mail|job|name|manager|boss|employer|title|office|role|team) is .+",
    r"(?:my|our|the (?:deadline|port|due date|meeting|launch|release|address|number))\b.{0,40}\b(?:is|are) now\b.+",
)

OPENERS: Mapping[CueKind, tuple[re.Pattern[str], ...]] = {
    kind: tuple(
        re.compile(rf"(?:{source})\s*(?:吧|哦|啊|谢谢|please|pls|thanks|thank you)?\s*$", _I | re.DOTALL)
        for source in sources
    )
    for kind, sources in (
        (CueKind.FORGET, _FORGET + frames.FORGET),
        (CueKind.DO_NOT_STORE, _DO_NOT_STORE + frames.DO_NOT_STORE),
        (CueKind.REMEMBER, _REMEMBER + frames.REMEMBER),
        (CueKind.INSTRUCT, _INSTRUCT + frames.INSTRUCT),
        (CueKind.CORRECT, _CORRECT + frames.CORRECT),
    )
}
"""Tried in this order; the first that matches the whole rest of a clause wins."""

TRAILING_ASK = re.compile(
    r"(?:请|你|帮我|给我|麻烦|都|把|嗯|好的?|对|行)*(?:这[条个点些句]?|这件事|以上)?(?:也|都|要|请|帮我|给我"
    r"|你|一定|务必)*"
    r"(?:记住|记下来?|记一下|记着|记好|记牢|别忘[了记]?|不要忘[了记]?|存一下|存下来|保存下来|存起来|存到记忆里?"
    r"|记到记忆里?|记上|记在心[里上]|放在心上|记清楚|记低|记心上)(?:它|这[个点条])?(?:吧|了|哦|啊|哈|好|就好|就行)*"
    r"|(?:and |so |yes |yeah |yep |ok(?:ay)? |sure |right )*(?:please )?(?:do )?(?:(?:keep|bear) (?:it|this"
    r"|that)(?: fact)? in mind"
    r"|(?:remember|save|store|note|memori[sz]e|record) (?:it|this|that|them)(?: one)?(?: down)?|don'?t"
    r" forget(?: (?:it|this|that))?"
    r"|(?:make|take) (?:a )?note(?: of (?:it|this|that))?|(?:write|note|jot) (?:it|this|that) down|add (?:it"
    r"|this|that) to (?:your )?memory)"
    r"(?: for (?:later|next time|the future|me|future reference|future conversations))?(?: please| ok| thanks| then)*",
    _I,
)
INLINE_ASK = re.compile(
    r"(?P<body>(?:I|I'm|my|we|our)\b.{4,}?)[ ,]+(?:so |and )?(?:please )?(?:(?:keep|bear) (?:it|this|that) in"
    r" mind|(?:remember|note|save) (?:it|this|that)"
    r"(?: down)?|don'?t forget(?: it| that)?)(?: for next time| please| ok)*$",
    _I,
)
ASSENT = re.compile(
    r"(?:嗯+|对|好的?|行|可以|是的?|没错|当然|ok|yes|yeah|yep|sure|please|do|right|of course|go ahead"
    r"|absolutely|correct|thanks|谢谢|那就?|就这样)",
    _I,
)
ONE_OFF_TIME = re.compile(
    r"明天|后天|今晚|今天|待会|等下|一会儿?|下午|晚点|出门|\b(?:tomorrow|tonight|later|today|this (?:evening"
    r"|afternoon|morning|week)|on the way|in an hour"
    r"|before you leave|at \d)\b",
    _I,
)
DEBUGGING = re.compile(
    r"报错|报\S{1,5}的?错|不通了|还是(?:不行|超时|失败|崩|一样|[不没连打报出]\S)|连不上|打不开|跳转错|没用|出错|崩溃|异常|失败|超时|不生效|没反应|试试|\b(?:error|exception"
    r"|fails?|failed|failing|crash\w*|traceback|still (?:\w+ing|broken|red|get|see"
    r"|does|not)|doesn'?t work|branch|tab|window|line \d+|print|breakpoint|stack ?trace)\b",
    _I,
)
THIRD_PERSON_WISH = re.compile(
    r"[一-龥]{1,5}(?:长|师|任|练|东|板|总|姐|哥|叔|姨|们)(?:总|老|又|还)?(?:说|让|要求|叫|嘱咐|叮嘱|通知|规定)|(?:妈|爸|老婆|老公|妻子|丈夫|对象|[男女]友|室友|同学|孩子|女儿|儿子|奶奶|爷爷|婆婆|教练|房东|甲方|老板|同事|老师|经理|朋友|客户|医生|他|她|他们|领导|[一-龥]总)[^我，,]{0,6}(?:说|让|要求|叫|希望"
    r"|建议)|\b(?:he|she|they|my (?:boss|manager|mom|mum|dad|friend"
    r"|teacher|colleague|wife|husband|coach)|(?:mr|mrs|ms|miss|prof(?:essor)?|coach)\.? \w+|the (?:docs?|article|page|client|teacher|manual))\s+(?:says?|said|told"
    r"|wants?|asked|tells|thinks?)\b",
    _I,
)
ALWAYS_ARTIFACT = re.compile(
    r"复选框|勾选|选项框|水印|空行|防火墙|路由规则|告警规则|正则|\b(?:eslint|firewall|lint\w*|iptables|css|memory leak"
    r"|from (?:the|this|that) (?!memor|records?|profile)\w+)\b",
    _I,
)
ARTIFACT = re.compile(
    r"文件|代码|函数|[数表]据[库表]|字段|分支|表格|段落|变量|缓存|日志|图片|第.{1,3}[行列段条]|注释|按钮|接口"
    r"|评论区|\b(?:files?|function|table|row"
    r"|column|branch|lines?|paragraph|repo|commit|class|sentence|section|bullet|cell|variable|cache)\b",
    _I,
)
MEMORY_WORD = re.compile(
    r"规则|偏好|规矩|约定|记忆|[你您]记|\b(?:rule|preference|instruction|memor(?:y|ies)"
    r"|remember|saved|stored|about me)\b",
    _I,
)
CALL_TO_ACTION = re.compile(
    r"\s*(?:关注|点赞|按赞|按讚|订阅|转发|收藏|点个|一键三连|三连|投币|打卡|签到|扫码|下载|评论|报名|领取?|抢购?|下单|投票|remember\b|记住"
    r"|(?:to )?(?:like|subscribe|follow|hit|share|smash|vote|rsvp|sign up|tip|download)\b(?! (?:my|me|our))"
    r"|the (?:titans|alamo|name|date|time|milk|door|lights|keys)\b)",
    _I,
)
"""What posters and videos ask for, and names that begin like a request: no fact follows."""
STATES = re.compile(
    r"我|咱|他|她|是|有|在|对|叫|姓|属|只|每|周|号|都|项目|以后|总|始终|\b(?:I|I'm|I'd|I've|my|we|our|me|us|always|never"
    r"|every|each|when(?:ever)?|is|are|has|have)\b",
    _I,
)
POLITE_STATEMENT = re.compile(
    r"^(?:that\b|this[:,]|I\b|I'|my\b|we\b|our\b|to\b|not to\b|never\b|always\b)"
    r"|[\u4e00-\u9fff]",
    _I,
)
ANOTHER_SUBJECT = re.compile(
    r"(?:他|她|它)们?(?!的话)|我(?:的)?(?:同事|朋友|老板|哥|姐|弟|妹|室友)|\b(?:he|she|they|my (?:boss|friend"
    r"|brother|sister|colleague))\b",
    _I,
)
POINTS_AHEAD = re.compile(
    r"(?:以下|下面|下列|下述|这几|几)\S{0,6}|(?:a (?:couple|few)(?: of)?|some|two|three|several) (?:things|facts|points|details)(?: (?:about|for) (?:me|us))?\s*|(?:the following|these|this|that|it)(?:"
    r" \w+)?\s*|(?:(?:this|that|it)\s+)?(?:for|4)\s+(?:me|us|later|good|next time|the future)\s*",
    _I,
)
