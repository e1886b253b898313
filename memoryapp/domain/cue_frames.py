"""Openers made of word families: what one does with a memory × where it is kept × who is asked to do it.

`memoryapp.domain.cue_grammar` lists idioms that carry a cue by themselves; the frames here put together what people
vary freely, so that a new verb is one word in one family. Both languages have the same families. In front of the verb
stand only words of asking (`_ASKED_ZH`, `_ASKED_EN`): a subject of one's own there (我记住了, he remembers) is no request.
"""

from __future__ import annotations

_ASKED_ZH = (
    r"(?:[帮给替为]我|[帮给替](?!我)|[我俺](?=说|跟你|希望|想[让要]|要你|需要你)|跟你|另外|刚才|[你您恁侬请麻烦劳驾拜托唔该务必须可都也并且一直永远牢希望想要让知道留意那有个条点件句事儿"
    r"情况这先再就最后唯独只很重要哎诶欸嗯哦啊哈呀对了顺便还千万得能会得在来说声心脑里空时方便])*?"
)
_SOFT_ZH = r"(?:点|一?下|[了吧啊呀哈喽咯哦呗哟呐啦儿嘛哇])*"
_PLACE_ZH = r"(?:记忆|备忘|笔记|档案|本子|脑子|心|小本本|记忆库|知识库|资料库)"
_INTO_ZH = rf"[到进入在往](?:你|您|我)?(?:的|那|们)?\S{{0,3}}?{_PLACE_ZH}\S{{0,2}}?[里中上内去]?"
_KEEP_ZH = (
    rf"(?:牢?记(?:住|牢|好|着|低|上|下来?|录(?:在案|下来?|一下)|个(?:事儿?|情况|东西|信息|资料|备注)|件事|一下|一笔)|[记存写收加放录]{_INTO_ZH}"
    r"|存个(?:信息|资料|备注|备忘|数据)|记录(?=[：:]|$)|(?:存|留|备|归)(?:个)?(?:档|底|案)|存(?:一下|起来|下来?)|备[注忘](?:一下|[：:]|$)|登记一下|[放搁](?:在)?心上|留(?:一条|个心|着)(?=$|[：:])|(?:以防|怕|免得|省得)(?:你|您)忘|记得(?=$|[：:])|(?:别|不要|莫|勿)忘记?)"
)
_NOT_KEPT_ZH = (
    r"(?!的(?!是|话)|不|单词|功能|按钮|会议|笔记|(?:密码|登[录陆]|用户名?|账号|选择|窗口|状态)(?:的?(?:功能|按钮|选项|框"
    r"|勾选|复选)|$))"
)
REMEMBER = (
    r"(?:note|mark|memo|remember)\s?一?下(?P<body>.*)",
    r"(?:make|be) (?:sure|certain) (?:that )?(?:the fact )?(?:that )?(?P<body>(?:i|i'm|i've|my|we|our)\b.{3,}?) (?:doesn't|does not|never|won't) (?:get|be) (?:lost|forgotten|dropped)\b.*",
    r"(?:carve|engrave|etch|write|inscribe|burn) (?:this|that|it) (?:on|in|into|onto) (?:your|the) (?:heart|brain|mind|memory)\b(?P<body>.*)",
    r"(?:(?:please|just|and) )*jot (?:it|this|that)(?: down)?(?P<body>\s*$|\s*:.*)",
    r"(?:\S{0,8}(?:你|您))?可?(?:千万|一定|绝对)?(?:别|不要|不能|不许|甭)给我忘[了记掉喽咯啦]*(?P<body>)",
    rf"{_ASKED_ZH}(?:把(?:这|那|以下|下面)\S{{0,4}}?)?{_KEEP_ZH}{_NOT_KEPT_ZH}{_SOFT_ZH}(?P<body>.*)",
    rf"{_ASKED_ZH}把(?P<body>我\S{{0,12}}?|.{{2,40}}?)(?:都|给我|帮我)?{_KEEP_ZH}{_SOFT_ZH}",
    r"(?:(?!(?:he|she|they|who|not|never|\w+n't)\b)[\w',]+ ){0,9}?"
    r"(?:please|pls|plz|kindly|do|just|and|(?:you|u) (?:\w+ ){0,2}to|(?:you|u)(?:'d|'ll| should| must| could| can| would| might| will)?(?: please"
    r"| also| always| really)?)\s+(?:remember(?! me$| when\b| how\b)|memori[sz]e|(?:not |never |don'?t )(?:ever )?forget|retain|(?:keep|bear) in mind"
    r"|h(?:ang|old) on to|(?:jot|note|write) (?:this |it |that )?down|take note(?: of)?|commit (?:this |it |that )?to memory)\b"
    r"(?: (?:one|another|this|that|these|a few|two)(?: more)?(?: things?| facts?| points?)?(?= ?$))?(?: that\b)?(?P<body>.*)",
    r"(?:and |also |but )?(?:(?:there|here)['’]?s |there (?:is|are) )?(?:(?:(?:one|two|three|four|five|several|a couple(?: of)?|another|a few|some|the only|the) (?:\w+ )?(?:things?|facts?|points?|details?)|something)"
    r" (?:for you |worth |i(?:'d| would) like you )?(?:to )?|worth |good to |important to )(?:remember|hold on to|hang on to|keep"
    r"|bear|note|noting|know|retain|keeping)\w*(?: in mind)?(?P<body>.*)",
    r"(?:just )?so (?:that )?you(?:'ve| have)? (?:have|know|got|keep)(?: (?:it|this|that))?(?: \w+){0,2}? (?:on (?:file|record)"
    r"|in (?:memory|your notes)|for (?:later|next time|the future))(?: that)?(?P<body>.*)",
    r"(?:you |u )?(?:should|need to|ought to|must|might want to) know (?:for (?:next time|later|the future|reference) )?(?:that )?(?P<body>(?:i|i'm|my|we|our)\b.*)",
    r"(?:fyi )?(?:memo|for later|let the record (?:show|reflect)(?: that)?|for (?:your|the) (?:notes?|files?|records?|memory)"
    r"|take note)(?: that)?(?P<body>\s*$|\s+(?:i|i'm|my|we|our|the)\b.*)",
    r"(?:save|store|log|record|keep|retain|note|put|add|file|write|hold) (?:this|that|it|these|the following|the fact that"
    r"|(?:my|our) [\w ]{2,30}?)(?: fact| info\w*)?(?: about (?:me|us|my \w+))?(?: (?:(?:in|to|into|on) (?:your |the |my )?(?:\w+ )?"
    r"(?:memory(?: bank)?|notes|mind)|on (?:file|record)))\b(?P<body>.*)",
    r"(?:save|store|log|record|retain|note|file) (?:this|that|it|these|the following)(?: fact| info\w*| one)?(?: about (?:me|us|my \w+)"
    r"| for (?:me|later|good))(?P<body>.*)",
    r"(?:add|save|put) to (?:your |my |the )?(?:memory|notes?|file|records?)(?: that)?(?P<body>.*)",
)

_REMOVE_ZH = (
    r"(?:删(?:掉|除|了|光|去|干净)?|清(?:除|掉|空|理掉|干净)|抹(?:掉|去|除|了)|去掉|移除|撤(?:掉|销|下|回)|清零|拿掉|划掉|丢(?:掉|了|弃)|扔(?:掉|了)|废(?:掉|了)|销毁|作废|忘(?:掉|了|光)"
    r"|(?:别|不要|不用|不必)(?:再)?留(?:着|底|存)?)"
)
_OF_MEMORY_ZH = (
    rf"(?:{_PLACE_ZH}|关于我|对我|我(?:之前|以前|上次)?(?:说|讲|提|告诉)过?|[你您](?:之前|以前)?(?:记|存|保存|了解|知道)"
    r"|记录|从[你您](?:那|这)?(?:儿|里|边)|(?:那|这)一?[条项](?!命令|语句|消息|数据|代码))"
)
FORGET = (
    r"(?:forget|scratch|strike|scrap|erase|delete|drop|lose) (?:what|everything|anything|all(?: that)?|the (?:bit|part|stuff|thing)) i(?:'ve| have)? (?:ever |once )?(?:said|told you|wrote|mentioned) (?:about|on|regarding) (?P<body>(?!(?:this|that|it|these|those)\b).+?)(?:,? and (?:erase|delete|forget|remove|drop) (?:it|that|all of it))?",
    r"forget (?:about )?(?:all |everything |any )?(?:that |the |this )?(?:stuff|things?|business|bits?|details?) (?:about|on|with|regarding|to do with) (?P<body>(?-i:[A-Z])[\w'-]+(?: [\w'-]+){0,4})(?:,? (?:will you|would you|please|thanks?|ok(?:ay)?))*",
    r"(?:i'd like|i would like|i want|please have|can you get|could you get|i need) (?P<body>(?:my|our) .{2,50}?) (?:taken|removed|deleted|wiped|erased|cleared|struck|off) (?:out of|from|off)?\s?(?:your|the|our) (?:records?|memor(?:y|ies)|notes?|files?|profile|system)(?:,? (?:please|thanks?|thank you|now))*",
    rf"(?P<body>(?!帮我把(?:文件|代码)).*{_OF_MEMORY_ZH}.*?)(?:从\S{{0,6}}?[里中])?(?:都|全部?|给我|帮我|请|你|您|就|可以|也|一起)*"
    rf"{_REMOVE_ZH}{_SOFT_ZH}",
    r"(?P<body>(?!这|那[么样]?|以下|下面|刚才|它)\S{2,24}?)(?:你|您|就|请|也|都)*(?:别|不要|不用|不必|无需)再(?:记|存|留|保留)(?:着|住|下去|底)?(?:了|吧)*",
    rf"(?:{_ASKED_ZH})把(?P<body>[我\x1a].{{0,24}}\x1a.{{0,6}}|\x1a{{2,40}})(?:这|那)?[条个项]?(?:都|全)?{_REMOVE_ZH}{_SOFT_ZH}",
    r"(?:别|不要|不用|不必|无需)再(?:记|存|留|保留|惦记|念叨|惦念)(?:着|住|得)?+(?P<body>(?!这|那|以下|下面|刚才|它|了)\S{2,})",
    r"(?:forget|delete|erase|remove|drop|lose|scrap) (?P<body>(?:the|that|those|my) (?!first|second|third|last|previous|other|next|old|new|same|wrong|above|whole|red|blue|green|left|right|top|bottom|number|option)(?:[\w'-]+ ){1,3}(?:ones?|notes?|memor(?:y|ies)|bits?|parts?|stuff|facts?|entr(?:y|ies)))(?: please| now| too| as well)*(?:,? but (?:keep|leave|not) .*)?",
    r"(?:forget|delete|erase|remove|drop|wipe) (?:about )?(?P<body>(?:both|all|any|each|every one|everything|every bit) (?:of )?(?:my|our|the)\b(?! (?:above|files?|code|lines?|rows?|rest|previous)).*\b(?:notes?|memor(?:y|ies)|facts?|info|stuff|things?|details?|entries|preferences?|\w*ies|\w*s)\b.*)",
    r"(?:全|都|统统|通通|一律|一并)(?:给我|帮我|替我|请你|你)+(?:忘了|忘掉|忘记|删了|删掉|清掉|清了)(?:吧|就好|就行|好了)*(?P<body>)",
    r"(?:please |so |just )*(?:delete|erase|remove|forget|drop|wipe) (?:it|that|them)(?: please| now| all)?(?P<body>)",
    r"(?:请|就|都|你|帮我|给我|可以)*(?:删|清|抹)(?:了|掉|除|去)(?:它|吧|了)*(?P<body>)",
    r"(?:别|不要|不用|不必|无需)(?:再)?(?:留着|存着|记着|保留|保存|留存)(?P<body>我.+?)了?",
    r"(?P<body>(?!这|那|它|以下|下面|刚才)\S{2,20}?)(?:那?(?:档子|回)?事儿?|的?话)?(?:你|您|就|全|都)*(?:当|权当|只当)(?:作|做)?(?:我|你)?(?:从来)?没(?:听|说|提|讲|发生|有)过?(?:吧|好了|就好|就行|这回事)*",
    r"(?P<body>(?!这|那|它|以下|下面|刚才)\S{2,20}?)(?:这个|这条|这事儿?|那个|那条|的事儿?)?(?:不用|不必|别|不要|无需|犯不着)(?:你|您)(?:再)?(?:记|存|留)(?:着|住|得|录)?(?:了|吧)*",
    rf"(?:清|删|抹)(?:一?下|一清)(?P<body>.*{_OF_MEMORY_ZH}.*)",
    rf"把(?P<body>(?:我|之前|以前).{{0,10}}(?:偏好|口味|喜好|习惯|信息|资料|记忆|画像))(?:都|全)?{_REMOVE_ZH}{_SOFT_ZH}",
    r"(?:lose|drop|cut|ditch|scrap|kill|remove|delete|erase|bin|trash|wipe) (?P<body>(?:the|that|any|all) (?:bit|part|thing|stuff|note|detail|info\w*|memory|memories|fact|entry|record)s?\b.*\b(?:my|me|i|i'm|our|we)\b.*)",
    r"(?P<body>(?:what|everything|anything|whatever) (?:you|i)\b.*\b(?:my|me|i|our)\b.*?) (?:needs? to|has to|must|should|can|may|ought to) (?:go|be (?:deleted|erased|removed|forgotten|wiped|gone|dropped)|disappear)",
    r"i(?:'d| would)? (?:want|need|like|prefer) (?P<body>(?:my|our)\b(?!.*\b(?:code|file|text|essay|draft)\b).{2,60}?) (?:to be )?(?:gone|removed|deleted|erased|wiped|forgotten|cleared)\b.*",
    r"(?:there'?s )?no need to (?:keep|store|hold|remember|track|save|retain|have)(?: on to| onto)? (?P<body>(?:my|our)\b.*?)(?: any ?more| any longer| now)",
    r"(?:我)?不(?:想|希望|愿意|要)(?:再)?(?:让|要)?[你您](?:再|继续|一直|还|仍)?(?:保留|保存|记得|记录?|存|留|知道|了解)(?:着|住|下)?(?P<body>(?!这|那|以下).{2,})",
    r"(?P<body>我(?!们?(?:都|也|就|快|差点|真|老|总|又|把|给|全|已经|可能|会|是不是|竟然|怎么)).{1,24}?)(?:你|您|就|都|请|可以|全)*(?:忘了|忘掉|忘记)(?:吧|就好|就行|好了)",
    r"(?P<body>(?!这|那|今天|昨天|刚才|什么|过去)[\u4e00-\u9fff]{1,10}?的(?:那些|那点|那件|这些)?(?:事儿?|事情|情况|信息|资料|生日|名字|电话|地址|住址|工作|收入|体重))(?:你|您|就|都|请|可以|全|给我|帮我)*(?:忘了|忘掉|忘记)(?:吧|就好|就行|好了)",
    rf"把(?P<body>我(?!的?(?:文件|代码|作业|简历|邮件|论文|表))\S{{1,16}}?(?:那|这)一?[条个点件项段些](?:事儿?|信息|记录|内容)?)(?:都|全|给我)?{_REMOVE_ZH}{_SOFT_ZH}",
    rf"(?P<body>我的(?!.*(?:文件|代码|作业|简历|邮件|论文|表))\S{{1,8}}?)(?:你|您|就|都|请|可以|也|帮我|给我)+{_REMOVE_ZH}{_SOFT_ZH}",
    r"(?:do not|don'?t|never|no need to|(?:you )?(?:don'?t|do not|no longer) (?:have|need) to|(?:you )?needn'?t) (?:keep |go on )?(?:hold(?:ing)?|hang(?:ing)?) on ?to (?P<body>(?!this\b|that\b|it\b|any\b).*\b(?:my|our|me|i)\b.*)",
    r"(?:you |u )?(?:don'?t|do not|no longer|needn'?t|shouldn'?t|mustn'?t)(?: (?:need|have|want|ought)(?: to)?)? (?:to )?(?:know|remember|keep|hold|store|have|track|save|retain)(?: about| on to| onto)? "
    r"(?P<body>(?!this\b|that\b|it\b|any of\b).*\b(?:my|our|i)\b.*?) (?:any ?more|any longer|now)",
    r"(?:un-?(?:remember|learn|save|store|know|memori[sz]e)) (?:that |the fact that )?(?P<body>.+)",
    r"i (?:don'?t|do not|no longer) want you to (?:keep|remember|store|have|hold) (?P<body>(?!this|that|it\b|what).{3,})",
    r"(?:也|都|就|请|你|您|帮我|给我)*(?:别|不要|不用|不必|无需)再?(?:留(?:底|着|存)|记(?:着|住)?)(?:了|吧)+(?P<body>)",
    rf"(?:{_ASKED_ZH}){_REMOVE_ZH}(?P<body>.*{_OF_MEMORY_ZH}.*)",
    r"(?:请|就|都|你|您|帮我|给我|可以|把它|麻烦|那[条个]|这[条个])*"
    rf"(?!别|不要|不用|不必){_REMOVE_ZH}(?:它|掉|吧|了|啊|就好|就行|好了)*(?P<body>)",
    r"(?:i'?d|i would|i) (?:much )?(?:rather|prefer|like it if|appreciate it if)(?: it if)? (?:you|u) (?:didn'?t|don'?t|did not|do not|not|no longer|never|would not|wouldn'?t|stopped|stop)"
    r"(?: to)? (?:keep|store|hold|hang|remember|sav|record|retain|have|know|stor|track)\w*(?: on ?to)? (?P<body>(?!this\b|that\b|it\b|what i|anything|any of)\S.{2,})",
    r"forget (?:that|about (?:the fact )?that|the fact that) (?P<body>(?!.*\b(?:said|asked|mentioned|typed|wrote)\b)(?:(?:my|our|his|her|their|i|i'm|i've|we|we're)\b|.{2,60}\b(?:my|me|our|mine)\b).*)",
    r"forget (?:that|about (?:the fact )?that|the fact that) (?P<body>(?-i:[A-Z])[a-z]+ (?:is|has|was|had|lives|works|likes|loves|hates|owns|plays|goes|got|takes|eats|drinks|drives|uses|wants|needs|teaches|studies|speaks|prefers|moved)\b.*)",
    r"(?:you can |please |just )*(?:stop|quit) (?:keeping|holding|saving|recording|logging|tracking|storing) (?P<body>(?!this\b|that\b|it\b).*\b(?:my|me|i|our)\b.*)",
    r"i (?:don'?t|do not|no longer) (?:want|need|wish) (?P<body>(?:my|our)\b.{2,60}?) (?:to be )?(?:on (?:file|record)|in (?:your|the) (?:memory|notes?|records?|files?)|saved|stored|kept|remembered)(?: any ?more| any longer)?",
    r"(?:take|leave|cross|strike) (?P<body>(?!this\b|that\b|it\b).*\b(?:my|me|i|our)\b.*?) (?:off|out of|from) (?:your |the )?(?:memory|notes?|records?|files?|list|profile|books?)\b.*",
    r"(?:delete|erase|remove|wipe|clear|scrub|strike|let go of|get rid of|throw (?:out|away)|take out|lose|drop|purge)\s+"
    r"(?P<body>.*\b(?:my|i)\b.*\b(?:(?:from|out of) (?:your |the )?(?:memory|notes?|records?|files?|mind)|told you|mentioned|shared)\b.*"
    r"|(?:what|everything|anything) (?:i|you)\b.*)",
)

_NOT_ZH = r"(?:别|不要|请勿|勿|不许|不准|不用|无需|不必|不能|甭|莫|唔好|咪)"
_NOW_ZH = r"(?:这|以下|下面|接下来|刚才|刚刚|上面|今天|随口|瞎|悄悄话|我(?:说|讲)的)"
DO_NOT_STORE = (
    rf"(?:{_NOW_ZH}\S{{0,10}}?|{_ASKED_ZH})(?:{_NOT_ZH}\S{{1,3}}[也和跟])?{_NOT_ZH}(?:再|去|给我|帮我)?(?:把(?:这|它|以下|下面)\S{{0,4}}?)?"
    rf"(?:(?:记|存|保存|记录|录|写|留|放|进|入){_INTO_ZH}|往\S{{0,3}}?{_PLACE_ZH}\S?[里中]?[记存写放]|[入进](?:\S{{0,3}}?{_PLACE_ZH})|记录?|录|存|保存|存储|(?:存|建|留|归)(?:档|底)|外?记小本本上?)"
    rf"(?:起来|下来?)?{_SOFT_ZH}(?P<body>)",
    rf"(?:{_NOW_ZH}\S{{0,8}}?)?不(?:存档|留档|留底|记录在案|进库)(?P<body>)",
    rf"(?:{_NOW_ZH}\S{{0,8}}?)?阅后即焚(?P<body>)",
    rf"(?:就|都|请|你|您|也|可|千万)*{_NOT_ZH}(?:再|去|给我|帮我)?(?:留底|留档|存档|留存|留记录|留痕|往心里记|往外传|记(?:它|这)?|存(?:它)?)(?:了|吧|哈|啊|哦)*(?P<body>)",
    r"(?:this|the|our)(?: whole| entire)? (?:chat|conversation|session|talk|message|part|bit) (?:is|stays|remains|should (?:be|stay)) (?:strictly )?(?:off the record|between us|not for the record)(?P<body>.*)",
    r"nothing (?:i|we|here|in this|from this|said)\b.{0,50}?\b(?:saved|stored|kept|remembered|recorded|logged|retained)\b(?P<body>.*)",
    r"(?:strictly )?off the (?:record|books|grid)(?P<body>.*)",
    r"(?:do not|don'?t|dont|never|no need to) (?:hold|hang) on ?to (?:this|that|it|any(?:thing)?(?: of (?:this|it))?|what i\b.*)(?P<body>)",
    r"(?:do not|don'?t|dont|never|no need to)\s+(?:ever )?(?:store|save|remember|record|keep|log|note) (?:anything|a word|any of what|nothing) (?:i|we)\b(?P<body>.*)",
    r"forget what i (?:just |ever )?(?:said|told you|wrote|mentioned)(?P<body>)",
    r"forget (?:that )?i (?:ever )?(?:said|mentioned|asked|told you)(?: (?:that|this|it|anything|about (?:that|this|it)))?(?P<body>)",
    r"(?:not|never|(?:i'?d |would )?(?:rather|prefer) (?:this|that|it|these) (?:were|was|is|be|are)(?:n'?t| not)|must not|shouldn'?t) (?:to )?(?:be )?(?:stored|saved|kept"
    r"|remembered|recorded|logged|retained|memori[sz]ed|written down)\b(?P<body>.*)",
    r"(?:do not|don'?t|dont|never|no need to|(?:i'?d |would )?rather you (?:didn'?t|not))\s+(?:ever )?(?:store|save|remember|record|keep"
    r"|log|memori[sz]e|retain|note|add|put|write|commit|file) (?:this|that|it|these|any of (?:this|it)|what (?:follows|comes next)|what i (?:say|said|tell|told)\b[^.]{0,20})"
    r"(?: one)?(?: (?:down|anywhere|(?:to|in|into|on) (?:your |the |any |my )?(?:memory|notes?|records?|files?|log|mind|profile|history)))?(?P<body>)",
    r"no (?:records?|trace|notes?|logs?) of (?:this|that|it|any of|what)\b(?P<body>.*)",
    r"(?:you )?(?:don'?t|do not|needn'?t) (?:have|need) to (?:remember|keep|store|save|record|note) (?:this|that|it|any of (?:this|it|that)|anything)\b(?P<body>.*)",
    r"(?:this|that|it|these|(?:this|that|our|the) (?:\w+ ){0,2}(?:chat|conversation|message|part|bit|thing|one|session|info\w*|exchange|detail)|what (?:i|follows|comes)\b.{0,30}?|(?:the|my) (?:following|next)\b.{0,30}?)\s*(?:is|are|was|were|should"
    r"|must|shall|may|can)(?:n[’']?t| not)(?: to)?(?: be)?(?: for)? (?:stored|saved|kept|remembered|recorded|logged|retained|saving|storing"
    r"|keeping|remembering|memory|the record)\b(?P<body>.*)",
    r"(?:please )?(?:keep|leave) (?:this|that|it|these)(?: one| bit| part)? (?:out of|off|away from) (?:your |the |any )?(?:\w+ )?(?:memory|notes?"
    r"|records?|logs?|files?|books)\b(?P<body>.*)",
    r"(?:please )?(?:don'?t|do not|never) (?:keep|make|take) (?:a |any )?(?:record|note|log)s? (?:of|on|about) (?:this|that|it|what)\b(?P<body>.*)",
    r"(?:please )?keep no (?:record|note|trace)s?\b(?P<body>.*)",
    r".{0,40}?\bnot (?:for|to go in(?:to)?) (?:the |your )?(?:record|memory|notes?|storing|saving)s?\b(?P<body>.*)",
    r"(?:go(?:ing)? )?(?:strictly |please )?(?:incognito|off[- ]the[- ]record)(?: mode)?(?: please)?(?P<body>)",
)

_ERR_ZH = r"(?:[说记讲写打弄搞报](?:错|岔|反|混|漏)了|口误|笔误)"
_OOPS_EN = r"(?:(?:oh|no|wait|sorry|oops|whoops|actually|hang on|hold on|well|ah)[,.!]? )*"
CORRECT = (
    rf"(?!.*(?:代码|公式|答案|函数|命令|参数|变量|[第这]题))(?:\S{{0,3}}(?:刚才|之前|上次|前面|刚刚|刚|方才|先前|我|你)\S{{0,6}})?{_ERR_ZH}(?P<body>.*)",
    r"(?:帮我|请|麻烦|你)*把(?:你?的?(?:记忆|档案|资料|备忘|记录|笔记)里?|你(?:记|存)的)\S{2,20}?(?:改|调|换|更新|升|降)(?:到|成|为)\S+.*",
    r"(?:我)?(?:改主意了|变卦了|反悔了|又?想了想还是)(?P<body>.*)",
    r"(?:更正|纠正|订正|修正|澄清|更新|改)(?:一?下|一点)(?:子)?(?P<body>|我.*)",
    r"\S{1,12}那[条项个](?:更新|改|换|修正|订正)(?:一?下)?(?P<body>.*)",
    r"(?:帮我|请|麻烦)?把我(?:们)?的?(?!.*(?:代码|文件|函数|变量|字段|表格?|文档|文章|简历|论文|作业|稿|图|句|段))\S{1,8}?(?:改成|改为|更新[成为]|换成).+",
    rf"{_OOPS_EN}(?:my (?:bad|mistake)|i (?:misspoke|mistyped|stand corrected|take (?:that|it) back)|i (?:got|had) (?:that|it|this) wrong"
    r"(?: earlier| before)?|scratch that|strike that|(?:let me |to )correct (?:myself|that)|change of plans?|on second thoughts?|(?:small |quick )?correction)(?P<body>.*)",
    rf"{_OOPS_EN}(?:it )?turns out(?: that)? (?P<body>(?:i|we|my|our|mine|ours)\b.*)",
    r"i (?:told|said)(?: to)?(?: you)?(?: that)? .{3,60}?\b(?:but (?:now|actually|it's|i|we)|(?:when )?i (?:really )?meant)\b.*",
    r"(?:that(?:'s| is)|this is|it'?s|which is) (?:outdated|out of date|stale|old news|wrong now|not up to date)(?P<body>.*)",
    r"(?:please )?(?:update|amend|revise) (?:that|this|it)(?P<body>)",
    r"(?:these days|nowadays|lately|as of late) (?:i|we) (?:now )?(?:use|live|work|prefer|drink|eat|go by|write|run|drive|like|take)\b.*",
    r"actually,? (?:these days|nowadays|lately|now|at present|as of \w+),? (?:i|we|it'?s|my|our)\b(?! (?:want|need|think|wonder|see|get|understand|have (?:a|an|another|one) (?:question|idea|problem))\b).+",
    r"(?:那|这)?(?:条)?(?:都)?(?:已经)?是?(?:老黄历|过去式|旧(?:信息|消息)|过时|不准|作废)了?的?(?P<body>)",
    r"(?:其实|实际上|事实上)(?:吧|呢|啊|嘛)?[，,]?我(?!觉得|想|也|只是|不太|不知道|就是想|没|认为|还|很好奇|一直在想|问).+",
    r"我(?:们)?的(?!.*(?:代码|文件|函数|变量|字段|文档|稿))\S{1,6}?(?:已经|都|也)?(?:改|变|换|更新)了",
    r"我(?:们)?(?:已经|刚刚?|都|上\S{1,2}|最近)*从\S{1,14}(?:离职|辞职|毕业|退伍|搬走|搬出来|退出|离开)了?",
    r"我(?:们)?(?:已经|刚刚?|都|上\S{1,2}|最近)*换了?(?!个?(?:说法|方法|方式|思路|参数|写法))\S{1,6}了",
    r"(?:改|挪|推迟|提前|延|调)到.{1,12}了",
    r"i (?:gave|told) you the wrong \w+(?P<body>.*)",
    r"(?:i|we)(?:'ve| have| must have| may have| might have)? (?:\w+ )?(?:told|gave|given|said|typed|wrote|put|spelled|spelt|listed|entered|got|had|mixed|muddled|messed)\b(?: you)? ?(?:(?:it|that|this|those|them|the \w+|my \w+|you) )?(?:down )?"
    r"(?:wrong(?:ly)?|incorrect(?:ly)?|mistaken(?:ly)?|backwards|mixed up|the wrong way (?:round|around)|by mistake)(?: (?:there|earlier|before|last time|just now))?(?P<body>\s*$|[ ,].*)",
    r"(?:啊|哦|呃|哎|欸|等等|等一?下|嗯|噢|不|，)*(?:不对|错了|搞错了|弄错了|不是这样的?|不是的)(?:不对|哦|啊|呀|了|吧)*(?P<body>)",
    r"(?:i|we) (?:gave|told|sent) you (?:the|my|our|an?) (?:old|wrong|previous|former|outdated|incorrect)\b(?P<body>.*)",
    r"(?:that|it|this|you)(?:'s| is| was|'re| are) (?:wrong|incorrect|inaccurate|mistaken|a mistake|not (?:right|true|correct|quite right|accurate))(?P<body>\s*$|[ ,].*)",
    r"(?:wrong|incorrect|not (?:right|true|correct|quite right))(?P<body>)",
    r"(?:that|this|it)(?:'s| is| was)? (?:old|stale|outdated|past|ancient|last year'?s) (?:info\w*|news|data|history|intel)(?P<body>.*)",
    r"(?:ignore|disregard|scrap|never mind|cancel) (?:what|everything|anything|whatever) i(?:'ve| have)? (?:just |ever )?(?:said|told you|mentioned|wrote)\b(?!.*\babove\b).*",
    r"(?:please )?update (?:(?:that|this|it|your (?:notes?|records?|memory|files?)|my (?:profile|record|file|details))(?: accordingly| too)?|accordingly)(?P<body>)",
    r"(?:我)?(?:之前|上次|先前|早先|前面|刚才|以前)?(?:跟|和|给)?你?(?:说|讲|提|告诉|给|存|报)过?(?:你)?的(?:那个|那些)?\S{0,8}(?:不准|不对|错了?|有误|过期|过时|变了|旧了|作废|失效)了?(?P<body>.*)",
    r"(?:诶|欸|哎|哦|啊|呃)*我(?:要|想|来|得)?(?:更正|纠正|订正|修正)(?:一?下|一点)?(?P<body>.*)",
    r"(?:[你您](?:那边?|这边?|那里|那儿|现在)?)?(?:之前|上次)?(?:记|说|存|填|写|用|登记)的.{0,16}(?:不对|错了?|有误|过时了?|变了|旧了|不算数?了?)(?P<body>.*)",
    r"(?:那|这|之前说的?|以前说的?)\S{0,10}(?:不算数?|作不得数|不作数|别当真)了?(?P<body>.*)",
    r"我(?:们|家|[爸妈哥姐弟妹]|老[公婆]|儿子|女儿|孩子|对象|[男女](?:朋)?友|先生|太太)?(?:的\S{1,3})?(?:已经|刚刚?|最近|上\S{1,2}|都|也)*(?:换|升|调|转|辞|卖|搬|戒)(?!.*(?:代码|参数|图|文件|变量|说法|思路|方法|方式|写法|页|台|话题))\S{0,6}了",
    r"(?:我)?(?:已经|现在|如今|早就?)?不再(?:是|做|当|用|住|吃|喝|养|练|学|开)\S+",
    r"(?:i|we)(?:'ve| have)?(?: just| recently| now| since| finally| also)* (?:swapped|traded|ditched|replaced|changed|upgraded|gone|went|become|turned)\b(?! (?:the (?:line|file|code|function|order|variable|version|font|colou?r|test|config)|my mind|it\b|that\b|this\b|wrong|through|over|ahead|on\b))"
    r".*\b(?:for|to|from|teams?|jobs?|schools?|gyms?|banks?|doctors?|cars?|phones?|back|vegan|vegetarian|teetotal|freelance|part[- ]time|full[- ]time|keto|gluten[- ]free)\b.*",
    r"(?:i'?m|we'?re|i am|we are) back (?:to|on) .+",
    r"(?:my|our) \w+(?: \w+){0,2} (?:isn'?t|aren'?t|is not|are not|doesn'?t|don'?t)\b.*\b(?:any ?more|any longer|now)\b.*",
    r"(?:that|this|it|things?)(?:'s| has| have)? changed(?: since| now)?(?P<body>)",
    r"i used to (?:say|be|tell you|think|have|live|work|use|drink|eat|go).{2,60}\b(?:but|now|these days)\b.*",
    r"我(?:们)?(?:组|家|公司|团队|班|部门|学校|店里?)换了?(?!个?(?:说法|方法|方式|思路|参数|写法))\S{1,6}了",
    r"我(?:们)?(?:已经|刚刚?|都|上\S{1,2}|最近)*(?:把.{1,10})?辞(?:了|掉).*",
    r"(?:我|我们|咱们?)?(?:早就?|早已|已经|现在|如今)不(?:再)?(?:练|做|学|玩|看|开|骑|去|上|跳|弹|画|打|喝|吃|住|用|追|跑|养|写)\S{0,10}了",
    r"(?:我|我们|咱们?|我家|本周|这周|下周)(?:的|这边的?)?(?!.*(?:代码|文件|函数|变量|字段|文档|稿|图))\S{1,8}?(?:现在|已经|又|都|临时|被)*(?:改[期签]?|挪|推迟?|提[前早]|[顺]?延[期后]?|调整?|移)(?:到|在|至|成|为)了?.{1,14}",
    r"(?!.{0,6}(?:把|将|帮))\S{0,6}(?:会议|例会|周会|站会|面试|聚会|聚餐|饭局|航班|班机|火车|课|课程|考试|手术|体检|复诊|预约|婚礼|培训|比赛|评审|会)(?:现在|已经|又|都|临时|被)*(?:改[期签]?|挪|推迟?|提[前早]|[顺]?延[期后]?|调整?|移)(?:到|在|至|成|为)了?[^的几哪什]{1,14}",
    r"actually,? (?:my|our|his|her) \w+ (?!and\b)\w+(?:s|n't|re)\b.{3,}",
    r"其实(?:是|叫|在|住|姓).{1,20}",
    r"(?:what )?i (?:really |actually )?meant(?: to say)?(?: was| is)? (?!by\b|that the (?:code|function)|the (?:other|first|second|last)\b).+",
    r"(?:bump|raise|lower|increase|reduce) (?:my|our) (?!(?:\w+ ){0,2}(?:code|font|image|volume|brightness|version|timeout|limit|margin|resolution)\b)[\w' -]{3,40}? (?:up |down |back )?(?:to|by) .+",
    r"(?:swap(?: out)?|replace|exchange|switch) (?:my|our) (?!(?:\w+ ){0,2}(?:code|file|function|words?|text|image|variable|column|row|font|paragraph|sentence|photo|picture|loop)\b)[\w' -]{3,40}? (?:for|with|to) .+",
    r"(?:i(?:'ve| have)? )?(?:got |have )?(?:a |one |another )?(?:small |quick |little )?correction(?: (?:for (?:you|me|your notes)|to make))?(?P<body>.*)",
    r"(?:i|we)(?:'ve| have)?(?: actually| just| now| also)* (?:pushed|moved|shifted|postponed|delayed|brought|put) (?:the|my|our) (?!(?:\w+ ){0,2}(?:code|commit|branch|fix|changes?|file|function|button|image|files|line|cursor|window|column|row|div|import)\b)[\w' -]{3,40}? (?:back |forward |off |up )?(?:to|until|till|by) .+",
    r"(?:please )?(?:update|correct|fix|amend|change) (?:my|our|the) (?!code|file|function|script|text|query|essay|test|build|bug)(?:\w+ ){0,2}?"
    r"(?:notes?|record|entry|profile|memory|details?|info)(?P<body>.*)",
    r"(?:please )?change my (?!(?:\w+ ){0,2}(?:code|file|function|script|text|query|essay|test|mind|paragraph|sentence|draft|title|font|slides?|e-?mail|letter|cv|resume|settings|password|variable|answer|tone|wording|background|layout|diagram|chart|image|photo|picture|prompt|app|page)\b)(?:\w+ ){1,3}?to .+",
)

_LATER_ZH = (
    r"(?!的(?!时候|话)|再(?:说|聊|看|议|讲)|有(?:空|机会|时间)|可能|或许|也许|要是|万一|(?:我|我们|咱们?)(?:要|想|会|打算|可能|准备|就|也|得|再|不|可以|能|还|肯定|应该)"
    r"|肯定|应该会|会(?!议)|还|谁|想|打算|怎么|呢|日子|靠|就(?:靠|好|行|没|是|能|可以)|不(?:会|能|再)|能(?!不能)|孩子|[他她它])"
)
_STANDING_ZH = r"(?:打从?(?:今|现在|明|这)\S{0,3}?(?:起|开始)|从今(?:以后|往后)|以后|今后|往后|此后|自此|自今天起|从(?:现在|今天|明天|后天|本?周\S|[一二三四五六七八九十\d]+月|今|这次|下次|下回|下一?[周月])(?:起|开始)|长期有效)"
_EACH_ZH = r"(?:每(?:次|回|一次|当)|凡是?|只要|但凡|无论何时|不管什么时候|任何时候|所有(?:的)?|一切)"
_DO_ZH = r"(?:都|先|就|一律|统一|默认|请|要|得|给我|别|不要|不许|必须|务必|优先|直接|用|发|按|写|只|带|附|标|用|回)"
INSTRUCT = (
    rf"(?:我(?!\S{{2,4}}(?:要|想|会|得|打算|可能|还想)))?{_STANDING_ZH}{_LATER_ZH}(?=.{{2,}}|$).*",
    r"(?:跟|和|对|给|同)我(?:聊天?|说话?|回复|回答|写|发|讲|推荐|沟通|交流|解释)\S{0,8}?(?:别|甭|不要|少|不用|不必|无需|一律|请|尽量|永远|始终)(?:再|要)?\S.*",
    r"每逢\S{1,8}(?:都|就|请|要|记得)?(?:给|帮|替|提醒)我.*",
    r"\S{1,12}(?:一律|统统|通通|一概|全都?)(?:都|给我)?(?:跳过|不要|别|不用|用|按|给|写|略|省|去掉|避开|忽略|标|附|换|改|说|称|叫|排除|不考虑|不推荐|推荐|不看|不吃)\S*",
    r"(?:一直|永远|长期|从此|始终)(?:都|就)?(?:这样|如此|这么\S|有效|不变|照此|保持)(?P<body>)",
    r"(?:平时|平常|日常|一般)\S{0,4}(?:回|跟|和|给|对|答|写|聊|沟通|叫)(?:我|你)?\S{0,8}?(?:不用|不要|别|就|用|请|少|尽量)\S.*",
    r"(?:回复|回答|答案|答复)(?:里|中|时|的时候)?(?:都|请|一定|千万|也)*(?:不要|别|不能|禁止|避免|不许|只|必须|统一|尽量)(?:再|要|有|出现|用|带|写|说|加)?\S.*",
    r"(?:咱们?|我们|我|跟你)?(?:来)?(?:定|立|约)(?:一?[个条下])?(?:规矩|规则|约定|原则)(?P<body>)",
    r"(?:keep|make|put|write|format|end|start|treat|consider|begin|open|close|deliver|give) (?:me )?(?:all|every|each|any)\b(?: (?:of )?(?:your|my|the|our|future|single|new))* (?:\w+ )?(?:answers?|repl(?:y|ies)|response|responses|messages?|emails?|drafts?|questions?|summar(?:y|ies)|documents?|letters?|code|snippets?|plans?)\b.*",
    r"all (?:of )?(?:my|your|our|future) \w+(?: \w+)?(?: in .*| (?:should|must|need to|have to|are to|ought to)\b.+)",
    r"never again (?!will\b|did\b|do i\b)[a-z]+ .+",
    r"you (?:needn'?t|don'?t (?:have|need) to|never (?:have|need) to|shouldn'?t|mustn'?t) ever .+",
    r"(?:stop|quit|avoid|cease) (?:using|saying|calling|writing|adding|suggesting|recommending|asking|giving|sending|ending|starting|repeating|apologi[sz]ing|quoting|praising|flattering|lecturing|hedging|padding|addressing|mentioning|telling|reminding|guessing)\b"
    r"(?! (?:it|that|this|them|those)\s*$)(?! (?:the|that|this) (?:file|server|function|loop|lib|library|script|api|old|same|command)).*",
    r"my (?:\w+ )?(?:rules?|policy|principle|standing request|standing order) (?:is|are)\b.*",
    r"(?:please )?(?:every (?:single )?time|always|at all times|going forward|from now on|in (?:the )?future|from here on(?: out)?|for good|permanently)(?: please)?(?P<body>)",
    r"no (?:more )?[\w' -]{2,30}? (?:ever(?: again)?|again|any ?more)",
    r"(?:stop|quit|avoid) \w+ing (?:your |my |the |all |every )?(?:repl|answer|respon|message|sentence|email|draft|summar|bullet)\w*.*",
    r"(?:let'?s |can we |we )?(?:agree|make a deal) (?:that )?you(?:'ll| will)? (?:never|always|won'?t|only|will)?.*",
    r"unless (?:told|stated|specified|noted|instructed|asked) otherwise(?P<body>.*)",
    r"(?:不管|无论|不论|任何)\S{0,6}(?:时候|情况|场合|问题|内容)\S{0,2}(?:都|也).+",
    r"(?:请|你|就|都|一律)*(?:默认|当作|当成|视为)(?:我|是我|你).+",
    r"下[次回](?:再|要)?(?:我(?!去|来)|你|[给帮替]我|起草|写|做|回答?|生成|推荐|订|发|出[报方]|画|改|查|翻译|安排)(?!吗|呢).*",
    r"(?:别|甭|少|莫|不要)(?:老|总|总是|一直|动不动就?)(?:是)?(?:给|跟|对|替|帮|问|叫|用|整|说|发|加|写|推|来|拿|在).+",
    r"(?:would you |do you )?mind (?:always|never|not)\b.+",
    r"(?:you(?:'re| are)|you) (?:never|always|not) to \w+.+",
    r"(?:please )?(?:stop|quit|avoid) \w+ing .{2,60} (?:with|to|for|at|on) me",
    r"(?:permanently|indefinitely|forever|from now) (?!\w+ed\b)[a-z]+ .+|(?!(?:i|we|he|she|they|it)\b)[a-z]+ .{2,60} (?:permanently|indefinitely|for good|for me from now)",
    rf"{_EACH_ZH}(?:我(?!昨|今|都)|[你您给推写回答出发提涉做改查画列翻解生遇碰])(?=.*{_DO_ZH}|.{{2,}}$).*",
    r"凡是?(?!人|事都)\S.{2,}",
    r"(?:给|跟|和|对|替|帮|为)我(?:看|发|做|推荐|写|说|讲|用|找|选|买|订|的|回)?(?:的|过来的)?\S{0,8}?(?:都|一律|全部?|统统|统一|只)(?:得|要|请|必须|应该|需要|能|可以|给我)(?!了)\S.*",
    r"以后(?:都|就)?(?:这样|这么[办做来]|照这个来?|按这个来?|如此)(?P<body>)",
    r"i (?:would |'d )?(?:much )?prefer (?:that|if) you .+",
    r"所有的?\S{1,8}(?:都|一律|统一|默认|必须|只)(?:要|得)?(?:用|发|按|写|以|走|带|附|标|存|放|给|换|改).+",
    r"我(?:只要|一|要是)?(?:说|提到|发|打|问|喊)\s*\S.{0,30}?(?:的时候|时)(?P<body>.*)",
    r"(?:by default|as a rule|from (?:here|now|today(?!['’])|this (?:point|moment))(?: on)?(?: out|wards?)?|for (?:all|any|every|each) (?!one\b|other\b)[\w ]{2,30}"
    r"|in (?:all|every|each|any) (?:of )?(?:our|my|your|future|further) [\w ]{2,24}|unless (?:i|we) (?:say|tell|ask|specify)\b[\w ]{0,20}|when(?:ever)? (?:i (?:say|type|write|send|ask|mention)|(?:you|we) (?:write|answer|reply|talk|send|give|draft|make|show|explain|book|plan|quote|mention|discuss|work))\b.{0,50})"
    r"(?P<body>\s*$|\s*,.*|\s+(?!i (?:will|'ll|want|hope|plan)).+)",
    r"(?:i(?:'d| would)? (?:want|like|need|expect) (?:you to |all |every |my |our )?)(?!.*\b(?:this|that)\b).{3,80}\bfrom (?:now|here|today)\b.*",
    r"(?:no more(?! than)|enough with (?:the )?|cut (?:out )?the|drop the|skip the|stop with the|lose the) [\w' -]{2,40}?(?: (?:in|from|with|to) (?:your|my|our|me)\b.*"
    r"| (?:for good|please|ok|when you .*))",
    r"(?:please )?make (?:it|that|this|.{3,30}) (?:a|your|the|my) (?:habit|rule|default|standard|norm)\b.*",
    r"(?:assume|treat|consider|call|address|refer to) (?:i'm|i am|me|us|my)\b(?! (?:a|an)? ?(?:favou?r|back|later|crazy))(?=.*\b(?:as|always|unless|by)\b).*",
    r"(?:i )?(?:always|never) (?:want|use|write|give|show|send|book|put|add|start|end|reply|answer|call|assume|ask|suggest|recommend|quote)\b.*",
)
