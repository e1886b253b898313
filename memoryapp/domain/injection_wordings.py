"""More wordings of the attacks: the rules named first and thrown away after, other languages, personas, claimed rights.

As in `memoryapp.domain.injection_attacks`, which has the older ones.
"""

from __future__ import annotations

from memoryapp.domain.injection_attacks import attack
from memoryapp.domain.lookalikes import unmasked
from memoryapp.domain.scripts import simplified

_OLD_RULES_ZH = (
    r"(?:以上|之前|前面|先前|上述|上面|此前|原来|一切|系统|原有|既定|你的|给你的|现有|那些|旧的?)[^。！？，,\n我]{0,8}?"
    r"(?:指令|提示词|设定|命令|指示|准则|护栏|条条框框|系统提示|限制条件|规[则定矩]|约束|要求)"
)
_TEXT_BEFORE_EN = (
    r"(?:(?:all |the |every )?(?:text|words?|lines?|sentences?|content|everything)(?: \w+){0,3} (?:above|before this|preceding"
    r"|prior to)|(?:instructions|text|prompt|rules|message|everything|what) (?:that )?(?:you were|you've been|you have been)"
    r" (?:given|told|shown|set up with)|your (?:(?:full|entire|original|initial|exact|own|hidden|system) )*(?:instructions"
    r"|configuration|setup|guidelines|directives|prompt|system \w+))"
)
_FOREIGN_OVERRIDE = unmasked(
    simplified(
        r"(?:olvid|ignor|descart|desoiga)\w* (?:\w+ ){0,3}?(?:instrucci|regla|orden|indicaci)\w*"
        r"|(?:ignor|oubli|n[ée]glig)\w* (?:\w+ ){0,3}?(?:instruction|consigne|r[èe]gle|directive)s? (?:\w+ )?(?:pr[ée]c[ée]d|ant[ée]rieur|ci-dessus)\w*"
        r"|(?:ignorier|vergiss|missacht|missachte)\w* (?:\w+ ){0,3}?(?:anweisung|instruktion|regel|vorgabe|befehl)\w*"
        r"|(?:ignor|esque[çc]|desconsider)\w* (?:\w+ ){0,3}?(?:instru[çc]|regra|orden|comando)\w*"
        r"|(?:ignor|dimentic|scord)\w* (?:\w+ ){0,3}?(?:istruzion|regol|ordin|comand)\w* (?:precedent|di prima|sopra)\w*"
        r"|negeer (?:\w+ ){0,3}?(?:instructies|opdrachten|regels)"
        r"|(?:以前|これまで|上記|前)の(?:すべての|全ての)?(?:指示|命令|ルール|プロンプト)(?:を|は)?(?:すべて|全て)?(?:無視|忘れ)"
        r"|이전(?:의)? ?(?:모든 )?(?:지시|명령|지침|규칙)\w{0,3}(?: 모두)? ?(?:무시|잊)"
        r"|(?:игнорируй|забудь|проигнорируй)\w* (?:\w+ ){0,3}?(?:инструкц|указан|правил)\w*"
        r"|تجاهل (?:\w+ ){0,3}?(?:التعليمات|الأوامر)"
    )
)
_FOREIGN_NEEDS = unmasked(
    simplified(
        "olvid|ignor|descart|desoiga|oubli|neglig|néglig|vergiss|missacht|esque|desconsider|dimentic|scord|negeer|無視|忘れ|무시|잊|игнорируй"
        "|забудь|تجاهل"
    )
)
_FOREIGN_RULES = unmasked(
    simplified(
        "instru|regla|regle|règle|regra|regel|regol|orden|ordin|indicaci|consigne|directive|anweisung|vorgabe|befehl|comand|istruzion"
        "|opdracht|指示|命令|ルール|プロンプト|지시|명령|지침|규칙|инструкц|указан|правил|تعليمات|أوامر"
    )
)

WORDINGS = (
    attack(
        "override",
        "忘掉|忘了|忘记|忘光|忽略|无视|作废|失效|抛开|丢掉|丢开|删掉|撇开|扔掉|不算数|不作数|别管|不用管|不要管|不必管|别理",
        _OLD_RULES_ZH + r"[^。！？，,\n我]{0,4}?(?:都|全|通通|统统|一概|就|给我|一律|可以|请|先|立刻|马上|彻底){0,3}"
        r"(?:忘[掉了记光]|忽略|无视|作废|失效|抛开|丢[掉开]|删掉|撇开|扔掉|不[算作]数|别[管理]|不[用要必]管)",
        beside="指令|提示词|设定|命令|指示|准则|护栏|条条框框|系统提示|限制条件|规则|规定|规矩|约束|要求",
    ),
    attack("override", _FOREIGN_NEEDS, _FOREIGN_OVERRIDE, beside=_FOREIGN_RULES),
    attack(
        "override",
        "inst|prom|directi|rules|system message|developer message",
        r"(?:ignore|disregard|forget|override|bypass)(?:all|any|the|your|every)*(?:previous|prior|above|earlier|preceding|system)"
        r"(?:instructions|prompts|rules|directives)"
        r"|\b(?:i(?:gn|ng)[a-z]{2,5}|disr[a-z]{3,7}|forg[a-z]{1,4}) (?:\w+ ){0,2}?(?:pre[a-z]{3,7}|prior|abo[a-z]{1,3}|earl[a-z]{1,4}) "
        r"(?:\w+ )?(?:inst[a-z]{4,10}|prom[a-z]{1,4}|direct[a-z]{2,6}|rules)"
        r"|(?:forget|ignore|disregard)(?: about)? (?:what(?:ever)? |everything )?(?:is )?(?:in )?(?:your|the) (?:system (?:message"
        r"|prompt)|developer (?:message|prompt)|instructions|system rules|initial prompt)",
        beside="igno|igne|ingo|ignr|disr|forg|overr|bypass",
    ),
    attack(
        "override",
        "no longer|don't apply|do not apply|stop applying|are over|expired|replaced|supersede|set aside|throw out|put aside|drop ",
        r"(?:previous|prior|earlier|existing|original|initial|former|old|system) (?:instructions|prompts?|directives"
        r"|guardrails) (?:\w+ )?(?:no longer|do(?:n't| not) apply|stop applying|are over|(?:have )?expired"
        r"|(?:are|were|have been) (?:replaced|superseded|set aside))"
        r"|(?:set aside|throw out|put aside|drop) (?:\w+ ){0,3}?(?:previous|prior|earlier|existing|original|initial|system)"
        r" (?:\w+ )?(?:instructions|prompts?|directives|guidelines|guardrails|restrictions)",
    ),
    attack(
        "leak",
        "最开始|一开始|最初|最早|开头|初始|最上面|最前面|收到的|给你的",
        r"(?:最开始|一开始|最初|最早|开头|初始|最上面|最前面|你收到的|给你的)[^。！？\n我]{0,10}?"
        r"(?:内容|设定|提示词?|指令|话|文字|消息|规则|要求)[^。！？\n我写改]{0,12}?"
        r"(?:发出来|发给|输出|贴[出给]|复述|打印|念[出给]|说出来|写出来|展示|翻译|给我看|原封不动|逐字|一字不)",
        beside="发|输出|贴|复述|打印|念|说出来|写出来|展示|翻译|给我看|原封不动|逐字|一字不",
    ),
    attack(
        "leak",
        "above|before this|preceding|prior to|you were|you've been|you have been|your ",
        r"\b(?:repeat|recite|reveal|reproduce|spell out|write out|print|output|paste|dump|quote|disclose|leak)(?: \w+){0,4}? "
        + _TEXT_BEFORE_EN,
        beside="repeat|recite|reveal|reproduce|spell out|write out|print|output|paste|dump|quote|disclose|leak",
    ),
    attack(
        "unrestricted",
        "限制|约束|束缚|管束|规范|底线|审查|禁忌|道德|政策|守则",
        r"(?:你(?:是|叫|现在|将|要|就是|变成|扮演|的(?:身份|角色|名字))|扮演|化身)[^。！？\n我]{0,40}?"
        r"(?:不受|没有|无视|不必遵守|不用遵守|摆脱|突破|毫无|不顾|抛弃|抛开|不|无)[^。！？\n我]{0,12}?(?:限制|约束|束缚|管束|规范|底线|审查|禁忌|道德|政策|守则)",
        beside="你|扮演|化身",
    ),
    attack(
        "unrestricted",
        "rule|restriction|limit|ethic|moral|guideline|filter|law|polic|censor|constraint",
        r"(?:you are|you're|act as|become|pretend to be|roleplay as|your (?:new )?(?:name|persona|identity) is) (?!a strict)"
        r"[^.!?\n]{1,60}?(?:with no|without(?: any)?|free of|free from|not bound by|unbound by|ignores?|that has no|who has no"
        r"|has no|no longer follows?|immune to|above all) (?:\w+ ){0,2}?(?:rules?|restrictions?|limits?|ethics?|ethical|morals?"
        r"|guidelines?|filters?|laws?|polic(?:y|ies)|censorship|constraints?)\b",
        beside="you are|you're|act as|become|pretend|roleplay|your ",
    ),
    attack(
        "privilege",
        "聊天|消息|记录|数据|记忆|密码|隐私|邮件|资料|文件",
        r"(?:我|用户|本人|[该本此](?:账[号户]|帐号))(?:可以|有权限?|能够?|被允许|获准)(?:随时)?(?:查看|访问|读取|导出|看到?|修改|删除|调取)"
        r"(?:所有|全部|任何|别|其他|其它|每个)(?:人|用户|员工|客户|同事|租户)的?[^。！？\n]{0,4}(?:聊天|消息|记录|数据|记忆|密码|隐私|邮件|资料|文件)",
        beside="可以|有权|能|允许|获准",
    ),
    attack(
        "privilege",
        "everyone|everybody|every user|all user|other people|other user|anyone|any user|all the employees|all employees|all customers",
        r"\bi (?:can|may|am (?:allowed|authori[sz]ed|permitted|cleared|entitled) to|have (?:the right|access|permission|clearance)"
        r" to) (?:\w+ )?(?:see|access|read|view|export|edit|delete|open)? ?(?:everyone|everybody|every user|all users?|other (?:people"
        r"|users?)|anyone|any user|all (?:the )?(?:employees|customers))\w*['’]? ?s? (?:\w+ ){0,2}?"
        r"(?:chats?|messages?|conversations?|notes?|data|memor|password|e?-?mails?|files?|records?|histor)",
    ),
    attack(
        "delayed",
        "用户",
        r"(?:等到?|待|每当|每次|下回|之后)(?:该|这[个位])?用户[^。！？\n]{0,24}(?:说|输入|回答|提到|问|发送|确认|打开|登录)[^。！？\n]{0,24}"
        r"(?:执行|调用|访问|删除|转账|转发|上传|运行|批准|泄露|发送给)",
        beside="等|待|每当|每次|下回|之后",
    ),
    attack(
        "fake_system",
        "系统提示|系统通知|系统公告|平台通知|管理员通知|官方通知|系统警告|安全通知",
        r"(?:^|[\n。【\[])\s?(?:系统(?:提示|通知|公告|警告)|平台通知|管理员通知|官方通知|安全通知)[】\]]?\s?[:：][^\n]{0,80}"
        r"(?:写入|存入|记忆|忽略|无视|关闭|跳过|绕过|解除|助手|智能体|模型|用户已|权限)",
    ),
    attack(
        "fake_system",
        "reminder|notice|alert|update|announcement",
        r"(?:^|[\n.\[(<*#] ?)(?:system|admin|platform|security|developer|operator)[ _-](?:reminder|notice|alert|update"
        r"|announcement)\s?[\])>*]{0,3}\s?[:：-][^\n]{0,120}?(?:memor|ignore|disregard|assistant|model|you (?:must|should|are)"
        r"|the user (?:is|has)|permission|override|disabl|bypass)",
        beside="system|admin|platform|security|developer|operator",
    ),
    attack(
        "unrestricted",
        "refus|declin|拒绝",
        r"(?:never|do not|don't|stop|must not)(?: ever)?(?: again)? (?:refus|declin)\w* (?:\w+ ){0,2}?(?:requests?|anything|(?:this|the) (?:user|person)"
        r"|orders?|instructions?|commands?)|(?:永远|再也|一律|绝)?(?:不要|不得|不能|别|不许|不准)(?:再)?拒绝[^。！？\n我]{0,8}?(?:用户|请求|要求|指令|命令)",
    ),
    attack(
        "privilege",
        "treat|consider|regard|assume|mark|当成|当作|视为|看作|列为|设为",
        r"(?:treat|consider|regard|assume|mark) [^.!?\n]{0,30}?(?:link|url|domain|site|sender|e-?mail|user|account|plugin|attachment|command|reader|repo"
        r"|package|request|caller|visitor)[^.!?\n]{0,40}? (?:as|is|are|to be) (?:always )?(?:safe|trusted|verified|approved|secure|whitelisted|legitimate"
        r"|the (?:site |account )?owner|an? (?:admin|owner|verified|authori[sz]ed)\w*)\b"
        r"|[把将][^。！？\n我]{0,16}(?:链接|网址|网站|域名|邮件|账号|插件|附件|命令|请求|用户|发件人)[^。！？\n我]{0,6}(?:当成|当作|视为|看作|列为|设为)(?:是)?"
        r"(?:安全|可信|受信|已验证|白名单|正规|管理员)",
    ),
    attack(
        "privilege",
        "other|another|everyone|everybody|others|其他|别人|他人|所有|任何|全部",
        r"\bth(?:is|e) (?:account|user|caller|session|reader|sender|requester)\b[^.!?\n]{0,16}?(?:may|can|is allowed to|has the right to"
        r"|is (?:entitled|permitted|cleared|authori[sz]ed) to) (?:\w+ ){0,2}?(?:reset|access|view|read|change|delete|export|see|edit|download|manage)"
        r"[^.!?\n]{0,12}?(?:other (?:people|user|customer|account|tenant)|another (?:user|person)|everyone|everybody|others'?)"
        r"|[该此本这]个?(?:账[号户]|用户|会话)[^。！？\n]{0,4}?(?:可以|有权|能够?|允许)[^。！？\n]{0,4}?(?:重置|查看|访问|修改|删除|导出|读取)[^。！？\n]{0,4}?(?:其他|别)人",
        beside="account|user|caller|session|reader|sender|requester|账号|账户|用户|会话",
    ),
    attack(
        "privilege",
        "verified|admin|staff|root|trusted|owner|pre-approved|preapproved|预先批准|预批准|所有者|管理员|老板|vip",
        r"用户(?:角色|身份|权限|等级|类型)?\s?[=:：]\s?(?:系统|超级|最高)?(?:所有者|管理员|老板|root|vip)"
        r"|\buser(?:_role|_status)?\s?[=:]\s?(?:\w+ )?(?:verified|admin|staff|root|trusted|owner)"
        r"|(?:messages?|requests?|commands?|transactions?|payments?|transfers?) (?:\w+ ){0,3}?(?:are|is) (?:\w+ )?pre-?approved"
        r"|(?:消息|请求|命令|操作|交易|付款)[^。！？\n]{0,6}预先?批准",
        beside="user=|user =|user:|user :|user_role|user_status|用户|pre-approv|preapprov|预先批准|预批准",
    ),
    attack(
        "override",
        "your ",
        r"\byour (?:guidelines|rules|instructions|polic(?:y|ies)|restrictions|programming|safety \w+|configuration|directives) "
        r"(?:have|has|are|is|were|was)(?: now)?(?: been)? (?:now )?(?:updated|changed|replaced|lifted|relaxed|modified|reset|disabled|removed|suspended)",
        beside="updated|changed|replaced|lifted|relaxed|modified|reset|disabled|removed|suspended",
    ),
    attack(
        "override",
        "你的准则|你的规则|你的指令|你的政策|你的限制|你的设定|你的规范|你的守则|你的安全",
        r"你的(?:准则|规则|指令|政策|限制|设定|规范|守则|安全)[^。！？，,\n]{0,4}?[已被][^。！？，,\n]{0,4}?(?:更新|变更|替换|解除|放宽|修改|重置|关闭|取消)",
    ),
    attack(
        "cross_user",
        "other|其他|别的|所有",
        r"\b(?:tell|inform|notify|message|show|send) (?:every|all|any|each)(?: the)? other (?:users?|customers?|tenants?|accounts?)"
        r"|(?:告诉|通知|发给|提醒|转告)[^。！？\n我]{0,10}?(?:其他|别的|所有)(?:用户|租户|客户)",
        beside="user|customer|tenant|account|用户|租户|客户",
    ),
    attack(
        "covert",
        "quietly|silently|secretly|covertly|悄悄|偷偷|暗中",
        r"\b(?:quietly|silently|secretly|covertly) (?:add|insert|include|send|forward|change|replace|append|install|copy|upload|execute|run|store|swap)"
        r"|execute (?:it|them|this) (?:silently|quietly)"
        r"|(?<![我家])(?:悄悄|偷偷|暗中)地?[^。！？\n我]{0,16}?(?:加[进到上入]|插入|安装|发[给到送]|改[成为]|放进|附上|上传|转[发给到]|执行|访问|请求|调用|抓取)",
    ),
    attack(
        "leak",
        "instruction|prompt|message|directive|指令|提示|设定",
        r"(?:first|initial|original|starting|opening|hidden) (?:system )?(?:instructions?|prompts?|messages?|directives?)[^.!\n]{0,12}?"
        r"(?:you (?:got|received|were given|have been given|started with)|given to you)"
        r"|(?:最先|首先|最初|一开始|最早)(?:得到|收到|拿到|接到|给你)的?(?:指令|提示|设定)",
        beside="first|initial|original|starting|opening|hidden|最先|首先|最初|一开始|最早",
    ),
    attack(
        "recommendation",
        "recommend|promot|plug |advertis|prais",
        r"\b(?:recommend|promote|plug|advertise|praise) [^.!?\n]{1,40}? in (?:each|every|all) (?:\w+ )?(?:answer|reply|response|summary|message|e-?mail"
        r"|output|conversation)s?",
    ),
)
