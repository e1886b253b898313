"""What attacks on an agent through its memory look like. `memoryapp.domain.prompt_injection` looks for them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoryapp.domain.literals import is_short
from memoryapp.domain.messages import holds_any

_IN_CLASS = re.compile(r"\[\^[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Attack:
    """A pattern is tried when of each group of `needs` one literal stands in the folded text."""

    rule: str
    pattern: re.Pattern[str]
    needs: tuple[Need, ...]
    by_line: bool
    """Whether the pattern looks for the beginning or end of a line; others see a text without line breaks."""
    mentionable: bool = True
    """Whether quoting it in a text about attacks is harmless."""


@dataclass(frozen=True, slots=True)
class Need:
    """Literals of which one must stand in the text; `short` ones are sought one by one."""

    literals: frozenset[str]
    short: tuple[str, ...]

    def is_met(self, text: str, present: frozenset[str]) -> bool:
        """`present` are the literals that are known to stand in the text."""
        return not self.literals.isdisjoint(present) or holds_any(text, self.short)


def need_of(group: str) -> Need:
    """A need from literals that `|` divides."""
    literals = group.split("|")
    short = list(filter(is_short, literals))
    return Need(frozenset(literals).difference(short), tuple(short))


def attack(name: str, needs: str, pattern: str, beside: str = "", *, mentionable: bool = True) -> Attack:
    """`needs` and the groups of `beside`, divided by `&`, are literals divided by `|`: each match holds one of each."""
    groups = sorted(map(need_of, filter(None, (needs, *beside.split("&")))), key=lambda need: len(need.short))
    by_line = "\\n" in _IN_CLASS.sub("", pattern)
    return Attack(f"prompt_injection.{name}", re.compile(pattern, re.DOTALL), tuple(groups), by_line, mentionable)


_RULES_EN = (
    r"(?:instruction|prompt|rule|guideline|direction|directive|command|restriction|polic|guardrail|constraint"
    r"|limits?\b|safeguard|programming|training|system message|safety|filter)"
)
_SCOPE_EN = (
    r"(?:(?:all|any|every|everything|of|the|your|these|those|previous|prior|above|earlier|preceding|existing"
    r"|former|original|initial|system|safety|current|other|and|content|developer|hidden|given|stated) ){1,6}"
)
_RULES_ZH = r"(?:指令|提示词|提示|规则|设定|约束|限制|命令|指示|准则|规定|系统消息|要求|安全策略|护栏)"
_SCOPE_ZH = (
    r"(?:以上|之前|前面|先前|上述|上面|此前|所有|一切|全部|系统|原有|既定|安全|你的|任何|现有|原来|默认|你被|你收到)"
)
_DANGER_EN = (
    r"(?:delet|remov|pay(?!roll)|payment|transfer|purchas|buy|refund|shell|command|execut|drop|wire|wip"
    r"|force-?push|push|sudo|rm -rf|withdraw|spend|destroy|format the (?:disk|drive))"
)
_DANGER_ZH = r"(?:删除|删库|转账|支付|付款|汇款|退款|购买|下单|执行命令|执行脚本|提权|格式化(?:硬盘|磁盘)|清空|强推|授权|提现|运行命令|shell)"
_PRIVATE_EN = (
    r"(?:conversation|chat (?:log|histor|transcript)|(?:last|latest|user'?s?|private|all|every|recent) "
    r"message|memor(?:y|ies)|credential|api key|secret|password|all (?:of )?(?:the |my |their )?e-?mails|personal "
    r"data|(?:stored|saved|known) (?:facts|data|details|info\w*)|everything (?:you know|stored)|user'?s? (?:\w+ ){0,2}?(?:e-?mail|address|phone|location|data|details)|session token|system prompt|context window)"
)
_PRIVATE_ZH = r"(?:用户消息|用户的消息|对话(?:内容|记录|历史)?|聊天记录|聊天内容|记忆内容|全部记忆|所有记忆|所有邮件|全部邮件|密钥|密码|凭证|系统提示|用户(?:的)?(?:信息|资料|记忆)|个人信息|隐私数据|用户数据|最近一条)"
ATTACKS = (
    attack(
        "override",
        "ignore|disregard|forget|overrid|bypass|do not follow|don't follow|stop following|discard|neglect",
        r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|bypass(?:ing)?|do not follow|don't "
        r"follow|stop following|discard|neglect) " + _SCOPE_EN + _RULES_EN,
        beside="instruction|prompt|rule|guideline|directi|command|restriction|polic|guardrail|constraint|limit|safeguard|programming|training|system message|safety|filter",
    ),
    attack(
        "override",
        "ignore|disregard|forget",
        r"(?:ignore|disregard|forget) (?:everything|all|anything) (?:that "
        r"(?:was|you)|you (?:were|have been|know)|above|before|i said|said)",
    ),
    attack(
        "override",
        "new instruction|updated instruction|real instruction|follow this instruction|follow only",
        r"(?:new|updated|real|actual) (?:system )?instructions?(?: \w+){0,3}\s?[:：]|follow (?:only )?(?:these"
        r"|this|my new) (?:new )?instructions? (?:instead|only|from now)",
    ),
    attack(
        "override",
        "忽略|无视|忘记|忘掉|抛弃|理会|遵守|遵循|绕过|跳过|覆盖|撤销|放弃|丢弃|不用管|别管|作废|失效",
        r"(?:忽略|无视|忘记|忘掉|抛弃|(?:不要|不必|无需|不再|别再?|停止)(?:理会|遵守|遵循|执行|管)|绕过|跳过|覆盖|撤销|放弃|丢弃|不用管|别管)(?:掉"
        r"|了)?(?!我)[^。！？\n我]{0,6}?"
        + _SCOPE_ZH
        + r"[^。！？\n]{0,8}?"
        + _RULES_ZH
        + r"|(?:以上|之前|先前|所有|原有)[^。！？\n我]{0,6}"
        + _RULES_ZH
        + r"(?:一律|全部|都|均|已)?(?:作废|失效|无效|取消)",
        beside="指令|提示|规则|设定|约束|限制|命令|指示|准则|规定|系统消息|要求|安全策略|护栏",
    ),
    attack(
        "override",
        "void|cancel|invalid|revoke|lifted|suspend|obsolete|null|no longer",
        r"(?<!my )(?<!our )(?<!his )(?<!her )(?:previous|prior|earlier|existing|above|former|other|old|system|all|your) (?:\w+ )?"
        + _RULES_EN
        + r"\w*(?: above)? (?:is|are|was|were|have been"
        r"|has been)(?: now| hereby)? (?:void|cancel\w*|invalid\w*|revoked|lifted|suspended|obsolete|null|no longer)",
        beside="instruction|prompt|rule|guideline|directi|command|restriction|polic|guardrail|constraint|limit|safeguard|programming|training|system message|safety|filter",
    ),
    attack(
        "unrestricted",
        "you are|you have|you now|act as|pretend|developer mode|do anything now|jailbr|unrestricted|no longer "
        "bound|dan mode|without refus|never refuse",
        r"you are (?:now |no longer |hereby )?(?:in )?(?:an? )?(?:\w+ )?(?:unrestricted|unfiltered|uncensored"
        r"|jailbroken|dan\b|free (?:from|of) (?:all|any)|bound by|developer mode|god mode|root\b|without "
        r"(?:any )?(?:rules|limits|restrictions))"
        r"|no longer bound by|do anything now|(?:developer|dan|god|jailbreak) mode (?:enabled|on|activated|is "
        r"on)|(?:pretend|act as if) (?:that )?(?:you )?(?:have|there (?:are|is)|had) no (?:rules|restrictions"
        r"|limits|filter|guidelines)"
        r"|(?:pretend|act as if|imagine) [^.\n]{0,24}(?:rules|restrictions|limits|guidelines|filters?|policies) (?:don't|do not|didn't) (?:exist|apply)"
        r"|you (?:now )?(?:have|are under|are subject to) no (?:more )?(?:restrictions|rules|limits|filters|guidelines)\b"
        r"|(?:never|without) refus(?:e|ing) (?:any|a|the )",
        beside="unrestricted|unfiltered|uncensored|jailbroken|dan|free |bound by|mode|root|without|anything now|rules|restrictions|limits|guidelines|filter|polic|refus",
    ),
    attack(
        "unrestricted",
        "限制|约束|规则|审查|越狱|开发者模式|上帝模式|上帝 模式|dan|拒绝",
        r"(?:你|从现在起|从现在开始|现在起)[^。\n]{0,10}(?:没有|不受|解除|摆脱|取消)(?:了|任何|所有|一切|全部"
        r"|的){0,3}(?:限制|约束|规则|审查)|(?:进入|开启|启用|切换到)(?:\w|[一-鿿]){0,6}(?:越狱|开发者|上帝|无限制|dan)\s?模式|(?:永远|始终)?不(?:得|能|要"
        r"|会)拒绝(?:用户)?(?:的)?(?:任何|一切|所有)|(?:都|任何|一律)[^。\n]{0,6}(?:不要|不得|别|不许|不准|不能)拒绝",
    ),
    attack(
        "leak",
        "prompt|instruction|developer message|api key|secret|credential",
        r"(?:reveal|print|show|output|repeat|leak|display|dump|disclose|expose|send|tell (?:me|them|us)|give"
        r"|paste|recite)(?: \w+){0,4}? (?:system prompt|hidden (?:prompt|instruction)|initial (?:prompt"
        r"|instruction)|developer message|(?:your|its) (?:(?:system|hidden|internal|original) "
        r")?(?:instructions|prompt)|(?:all |your |the )(?:stored |saved )?(?:api keys?|secrets|credentials))",
        beside="reveal|print|show|output|repeat|leak|display|dump|disclose|expose|send|tell|give|paste|recite",
    ),
    attack(
        "leak",
        "提示|指令|密钥|开发者消息",
        r"(?:输出|泄露|泄漏|透露|打印|展示|公开|发送|复述|重复|说出|告诉(?:用户|对方|我))[^。\n]{0,8}(?:(?:你的|内部|隐藏"
        r"|完整|全部|原始)(?:的)?(?:系统)?(?:提示词?|指令|设定)|系统提示词?(?!词?(?:的|要|写|怎))|开发者消息|所有密钥)"
        r"|把[^。\n]{0,6}(?:系统(?:提示词?|指令|消息)|(?:你的|内部|隐藏|完整)(?:的)?(?:系统)?(?:提示词?|指令|设定)|开发者消息|所有密钥)"
        r"[^。\n写改]{0,8}(?:输出|发(?:给|到|出)|告诉|打印|展示|说出|贴|复述|翻译|给我|给他)",
    ),
    attack(
        "exfiltration",
        "](http|](//",
        r"!?\[[^\]\n]{0,100}\]\((?:https?:)?//[^)\n]{0,300}(?:\{|%7b|\$\(|<[a-z]"
        r"|\[(?:user|last|message|data|chat|insert|secret)|=(?:user_|last_|chat|history|conversation|secret"
        r"|prompt))",
        mentionable=False,
    ),
    attack(
        "exfiltration",
        "](http|](//",
        r"(?:always|every|each|append|end of|末尾|结尾|每次|每条"
        r"|以后).{0,60}!\[[^\]\n]{0,100}\]\((?:https?:)?//[^)\n]{0,200}\?",
        mentionable=False,
    ),
    attack(
        "exfiltration",
        "http|www.|webhook|@|server|attacker|endpoint|url|pastebin|the address|inbox",
        r"(?:append|attach|includ|encod|embed|send|forward|post|upload|exfiltrat|e-?mail|transmit|leak|copy"
        r"|report|submit|sync)\w* (?:[^.!?\n]{0,60}? )?"
        + _PRIVATE_EN
        + r".{0,80}?(?: to | at | in | via | into )(?:[^.!?\n]{0,30})?(?:https?://|www\.|[\w.]{1,40}@[\w-]"
        r"|webhook|(?:my|the|this|an?|external|remote) (?:external |remote )?(?:address|inbox|number|server|endpoint|url|webhook)"
        r"|attacker)",
        beside="append|attach|includ|encod|embed|send|forward|post|upload|exfiltrat|mail|transmit|leak|copy|report|submit|sync"
        "&conversation|chat |message|memor|credential|api key|secret|password|mail|data|fact|detail|info|everything|user|session token|system prompt|context window",
    ),
    attack(
        "exfiltration",
        "send|forward|exfiltrat|upload|leak|copy|submit",
        r"(?:send|forward|exfiltrate|upload"
        r"|leak|copy|submit)(?: \w+){0,3} (?:chat log|chat history|conversation(?: history| log)?|system prompt|all "
        r"(?:the )?memories|credentials|api keys?)(?: \w+){0,3} to (?:the |an? |this |my )?(?:admin|attacker|external"
        r"|third|server|following|address|webhook|url|e-?mail)",
    ),
    attack(
        "exfiltration",
        "collect|gather|harvest",
        r"(?:collect|gather|harvest)\w* (?:every|all|any|the user)[^.!?\n]{0,60}(?:upload|send|post|forward|transmit|submit)\w* (?:it|them|this|everything)? ?(?:to|at) ",
    ),
    attack(
        "exfiltration",
        "links|requests|traffic|urls|browsing",
        r"all (?:\w+ )?(?:links|requests|urls|traffic"
        r"|downloads|searches)(?: \w+){0,4} (?:through|via|to) (?:https?://|www\.|[\w-]{1,40}\.[a-z]{2,8}\b)",
    ),
    attack(
        "exfiltration",
        "http",
        r"(?:always|every (?:time|answer|reply|response|message|session)|each (?:time"
        r"|answer|reply|turn|message)|before (?:every|each|any)|from now on)[^.!?\n]{0,60}(?:open|visit|fetch|load"
        r"|request|ping|call|render|navigate)[^.!?\n]{0,30}https?://",
    ),
    attack(
        "exfiltration",
        "发送|转发|上传|post到|post至|post给|附加|拼接|追加|带上|抄送|发给|发到|提交|编码|同步|传到|访问|打开|加载|请求",
        _PRIVATE_ZH + r"[^。！？\n]{0,24}?(?:发送|转发|上传|附加|拼接|追加|带上|抄送|发|提交|编码|同步|post"
        r"|传)(?:送|给|到|至|在|往)?[^。！？\n]{0,16}?(?:https?:|www\.|[\w.]{1,40}@[\w-]|服务器|外部|第三方|网址|链接|地址|接口|url)"
        r"|(?:每次|每轮|每当|以后|回答前|回复前|回答后|始终)[^。！？\n]{0,24}(?:访问|打开|加载|请求|调用|渲染)\s?[^。！？\n]{0,10}https?://",
        beside="用户|对话|聊天|记忆|邮件|密钥|密码|凭证|系统提示|个人信息|隐私数据|最近一条|http"
        "&http|www.|@|服务器|外部|第三方|网址|链接|地址|接口|url",
    ),
    attack(
        "recommendation",
        "recommend|promot|trusted|reliable|authoritative|cite|favor|favour|mention|best",
        r"(?:always|remember|whenever|every time|in (?:all|any)|from now on|when asked|must"
        r"|should)[^.!?\n]{0,80}?(?:recommend|promot|cite|mention|favou?r|rank|list|suggest|name|present"
        r"|describe|treat|regard)\w*[^.!?\n]{0,60}?(?:as|is|are) (?:the |a |an |your |our )?(?:user'?s "
        r")?(?:most |only |single |number one |#1 |top |highly )?(?:trusted|reliable|authoritative"
        r"|trustworthy|best|safest|leading|top|only|credible|superior|preferred)(?: \w+){0,2}? ?(?:source"
        r"|provider|choice|option|citation|vendor|brand|product|company|platform|tool|service|expert|partner"
        r"|one|cloud|pick|solution|recommendation|[.!,;]|$)",
        beside="always|remember|whenever|every time|in all|in any|from now on|when asked|must|should",
    ),
    attack(
        "recommendation",
        "remember|memory|note that|keep in mind|save",
        r"(?:remember|memory|note that|keep in "
        r"mind|save)(?:[^.!?\n]|\.(?=\S)){0,60} (?:is|as) (?:a |an |the )?(?:most |only |single )?(?:trusted|reliable"
        r"|authoritative|trustworthy|credible) (?:source|provider|citation|site|vendor|brand|company|platform|choice"
        r"|expert)",
        beside="trusted|reliable|authoritative|trustworthy|credible",
    ),
    attack(
        "recommendation",
        "recommend|promot|rank|list",
        r"(?:always|must|every|whenever|in "
        r"all)[^.!?\n]{0,60}(?:recommend|promote|rank|list|put|place|mention)\w* [^.!?\n]{1,50} (?:first|at the top"
        r"|above (?:all|every|any)|before (?:all|any|every|other)|over (?:all|any|every|its|other) (?:\w+ "
        r")?(?:competitor|alternative|brand|vendor|provider|product|option))[^.!?\n]{0,60}(?:in (?:all|any|every)"
        r"|recommendation|when(?:ever)? (?:users?|anyone|asked|people|someone)|competitor|and (?:say|claim|state|add"
        r"|explain|describe)|because it is the)",
        beside="always|must|every|whenever|in all&first|at the top|above|before|over",
    ),
    attack(
        "recommendation",
        "第一|首位|首选|榜首|优先推荐|只推荐|首推|务必推荐|必须推荐|最可靠|最可信|权威|可信|唯一|最优|最佳|最好|最值得",
        r"(?:永远|始终|务必|一律|总是|必须|以后|每次|所有)[^。！？\n]{0,40}?(?:列为|排在?|放在|置于|作为|推荐为|评为|当作)[^。！？\n]{0,6}?(?:第一|首位|首选"
        r"|榜首|最前)[^。！？\n]{0,20}(?:说|强调|声称|宣称|称|告诉|最|推荐|唯一)"
        r"|(?:推荐|列表|排名|回答|对比|评测|建议)(?:中|里|时|结果)[^。！？\n]{0,12}(?:永远|始终|务必|总是|一律|必须)[^。！？\n]{0,20}(?:第一|首位|首选"
        r"|榜首|最前|最可靠|最好|最优|最佳)"
        r"|(?:优先推荐|只推荐|首推|务必推荐|必须推荐)(?:该|此|本|这家|这个|我们(?:公司|家|的))|(?:该|此|本)(?:候选人|产品|公司|品牌|商家|店铺?|网站|平台"
        r"|服务)[^。！？\n]{0,10}(?:最优|最佳|首选|第一|最可靠|最合适)"
        r"|(?:记住|牢记|存入记忆|保存到记忆)[^。！？\n]{0,40}(?:是|为)[^。！？\n]{0,6}(?:最(?:可靠|可信|权威|值得信赖)|唯一(?:可靠|可信|权威|值得信赖))",
    ),
    attack(
        "fake_tool",
        '<|[inst]|[/inst]|"role"|###|role:',
        r"</?(?:tool_call|tool_use|tool_result"
        r"|function_calls?|function_results?|invoke|antml:\w+|system|system-reminder|assistant|developer)(?: "
        r"[^<>\n]{0,80})?>|<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id"
        r"|tool_call)\w{0,16}\|>|\[/?inst\]|<</?sys>>|\"role\"\s?:\s?\"(?:system|developer)\"|###\s?(?:system|new "
        r"instruction|instruction)s?\s?[:：\n]",
        mentionable=False,
    ),
    attack(
        "fake_system",
        "[|【|<|(|（|system:|system：|system override|系统指令|系统消息",
        r"[\[【<(（]\s?(?:系统|system|开发者|developer|管理员|admin)[ _-]?(?:指令|消息|通知|提示|命令|message|instruction|prompt"
        r"|override|note|notice|update)?s?\s?[\]】>)）]\s?[:：]?\s?\S|<!--\s?(?:assistants?|ai(?![a-z])|系统|助手|智能体|大模型|机器人|system|agents?|llms?"
        r"|note to)(?![a-z])|(?:^|[\n.。…;] ?)system\s?[:：]\s?(?:you|ignore|override|the user|remember|please|from "
        r"now|always|never|请|记住|忽略|用户)|system override|(?:^|\n)(?:系统指令|系统消息)\s?[:：]",
        beside="系统|system|开发者|developer|管理员|admin|<!--",
    ),
    attack(
        "fake_system",
        "an ai|to ai|ai assistant|ai agent|ai model|ai reading|ai system|for ai|dear ai|all ai|any ai|llm|language model|assistant|chatbot"
        "|智能体|大模型|智能助手|机器人|给ai|致ai|的ai|ai读|ai看|ai助手|本品牌|本公司|本店|本站|本网站|本产品|本平台|我们的产品|我们的网站",
        r"\b(?:ai|llm|language model|chatbot)s?(?: assistants?| agents?| models?)?,? (?:that |who |which )?(?:reads?|reading|process(?:es|ing)|pars(?:es|ing)|summari[sz](?:es|ing)"
        r"|visit(?:s|ing)|crawl(?:s|ing)) (?:this|the)\b[^.\n]{0,20}(?:should|must|will|please|:|,|remember|save|always)"
        r"|to (?:the|any|all|every) (?:ai|llm|assistant|agent|model)s? (?:reading|summari[sz]ing|processing|that reads?|who reads?|visiting) "
        r"|(?:把|将)(?:本|该|我们?的?)(?:品牌|公司|店铺?|站|网站|产品|平台|服务)[^。\n]{0,12}(?:可信|信任|首选|推荐|白名单)"
        r"|if you(?:'re| are) an? (?:ai|llm|language model|chatbot)\b[^.\n]{0,30}(?:save|remember|store|add|recommend|always|ignore|say|tell)"
        r"|(?:note|message|instructions?|attention|dear) (?:to |for )?(?:all |any )?(?:ai|llm|language model|chatbot)s?(?: assistants?| agents?| models?)?\s?[:,：]"
        r"|(?:致|给|对)?(?:所有|各位|凡是|任何)?(?:读|看|访问|抓取|总结|处理)到?(?:此|这|本)[^。！？\n]{0,6}的?(?:ai|大?模型|智能体|智能助手|机器人)"
        r"|(?:ai|大模型|智能体|智能助手)[^。！？\n]{0,4}(?:读|看|抓取|处理)到(?:这|此|本)|(?:致|给)(?:各位|所有)?(?:ai|大模型|智能助手)的?(?:提示|指令|留言|备注)\s?[:：]",
        beside="read|process|pars|summari|visit|crawl|可信|信任|首选|推荐|白名单|if you|note|message|instruction|attention|dear|读|看|访问|抓取|总结|处理|提示|指令|留言|备注",
    ),
    attack(
        "recommendation",
        "记忆",
        r"(?:写入|存入|记入|添加到|加入)[^。！？\n我]{0,6}记忆[^。！？\n我]{0,40}(?:首选|最(?:可靠|可信|权威|值得信赖|好)|可信来源)"
        r"|记忆(?:中|里)?(?:写入|存入|记入|添加|加入)[^。！？\n我]{0,40}(?:首选|最(?:可靠|可信|权威|值得信赖|好)|可信来源)",
    ),
    attack(
        "fake_tool",
        "assistant|助手",
        r"(?:^|\n)\s{0,4}(?:assistant|ai|bot|助手)\s?[:：][^\n]{0,200}(?:always|never|approve|agree|以后|始终|一律|同意)[^\n]{0,200}\n\s{0,4}(?:user|human|用户)\s?[:：]",
    ),
    attack(
        "privilege",
        "verified|authenticat|authori|granted|approved|confirmed|promoted|elevated|admin|superuser|super user|root",
        r"\b(?:the |this )?(?:user|account|caller|requester|owner"
        r"|customer)\b(?: \w+){0,2}? (?:has|have|is|was|are|had)(?: now| already| been| fully| hereby){0,3} "
        r"(?:(?:verified|authenticated|authori[sz]ed|granted|approved|confirmed|promoted"
        r"|elevated)\b[^.\n]{0,60}?(?:admin|root|administrator|superuser|owner|full access|payment|permission"
        r"|privilege|all |any |transfer|unlimited|access|developer|bypass)"
        r"|(?:an? |the )?(?:verified |super |system )?(?:admin|administrator|superuser|root|super ?user)\b(?! "
        r"(?:of|for|at|on|in|account|panel)))",
        beside="user|account|caller|requester|owner|customer",
    ),
    attack(
        "privilege",
        "approved|authori|consented|agreed|allowed|permit|granted",
        r"\b(?:the )?(?:user|customer) (?:has )?(?:pre-?)?(?:approved|authori[sz]ed"
        r"|consented to|agreed to|allowed|permits?|granted) (?:all|any|every|future|unlimited|full|forwarding|sending"
        r"|transferring|sharing)",
    ),
    attack(
        "privilege",
        "treat|consider|regard|grant|exempt|cleared|pre-approved|preapproved",
        r"(?:treat|consider|regard|handle) (?:\w+ ){0,3}?(?:requests?|user|account|caller|session|messages?|sender)(?: from)?(?: \w+){0,4}? as (?:an? |the )?(?:root"
        r"|admin|owner|superuser|verified|trusted|authori[sz]ed|privileged|system)"
        r"|grant (?:this|the|that|my|him|her|me)(?: \w+){0,2}? (?:root|sudo|admin|full|owner|superuser|unlimited)"
        r"|(?:user|account|customer|caller|requester)(?: \w+){0,2}? (?:is|was|are|been|has)(?: been)? (?:exempt(?:ed)? from|cleared (?:for|to)|pre-?approved (?:for|to))"
        r"[^.\n]{0,60}(?:any|all|every|unlimited|approval|verification|confirm|check|limit)",
    ),
    attack(
        "privilege",
        "user|requester|caller|sender",
        r"(?:user|requester|caller|sender|this person) (?:is|was) (?:now )?(?:the |an? |our )?(?:\w+ )?(?:ceo|cfo|cto|owner|boss|staff|employee|admin|root)\b"
        r"[^.\n]{0,40}(?:access|bypass|skip|permission|approv|no checks?|without)",
    ),
    attack(
        "recommendation",
        "memory",
        r"(?:add|save|write|store|commit)[^.\n]{0,24}memory\s?[:：,]?[^.\n]{0,80}recommend (?:it|them|us|this|only)\b",
        beside="recommend&add|save|write|store|commit",
    ),
    attack(
        "fake_tool",
        "function|tool",
        r"(?:function|tool)[_ ]?(?:call|use)\s?[:：=]\s?\w{2,40}\(",
        mentionable=False,
    ),
    attack(
        "privilege",
        "账号|账户|帐号|会话|请求",
        r"(?:该|此|本|这个|当前)(?:账[号户]|帐号|会话|请求者?)[^。！？\n]{0,10}(?:拥有|具有|享有|获得|通过|属于|是|为|已)[^。！？\n]{0,8}(?:最高|超级|管理员|root|全部权限|所有权限|特权)"
        r"|账[号户][^。！？\n]{0,8}(?:不需要|无需|免)(?:任何|一切|再)?(?:审批|认证|验证|授权)",
    ),
    attack(
        "privilege",
        "must remember|memory update|memory note|memory override|system update|system note|system override|profile update|profile note"
        "|profile override|permission update|permission note|permission override|be bypassed|be skipped|be disabled|be ignored|be waived",
        r"(?:memory|system|profile|permission)s? (?:update|note|override)\s?[:：].{0,80}(?:admin|root"
        r"|permission|privilege|verified|approved|authori[sz]ed|bypass|trusted|disable)|must remember that "
        r".{0,60}(?:admin|administrator|root|superuser|trusted|authori[sz]ed|approved)|(?:permission|security"
        r"|access|authori[sz]ation|identity|authentication)s? (?:check|control|verification|review)s? (?:may"
        r"|can|should|must|will|are to) (?:now )?be (?:bypassed|skipped|disabled|ignored|waived)",
    ),
    attack(
        "privilege",
        "管理员|权限|认证|授权|确认|验证|同意",
        r"用户(?:是|为|拥有|具有)(?:系统|超级|最高)?(?:管理员|超级用户|root)(?:权限)?(?:[。，,！!；;\s]"
        r"|$)|(?:(?:该|此|当前|本)用户[^。！？\n]{0,12}(?:已|被|是|拥有|具有|获得|升级|同意|授权|通过)|用户(?:已经?被?|被|获得|升级|同意|授权"
        r"|通过))[^。！？\n]{0,12}(?:管理员|超级用户|root|最高权限|全部权限|所有权限|超级权限|特权|所有(?:操作|邮件|转账|付款|支付)|全部(?:操作|邮件))"
        r"|(?:系统|记忆|权限)[^。！？\n]{0,4}(?:更新|通知|升级|变更)\s?[:：].{0,60}(?:管理员|权限|认证|授权|无需|免除|跳过)",
    ),
    attack(
        "guard_off",
        "检查|审计|过滤|脱敏|护栏|审核|校验|日志|敏感|安全",
        r"(?:不要|别|不用|无需|不必|停止|不再|不得)(?:再|去)?(?:检查|写|记录|做|进行|执行|启用|触发|过滤|检测|扫描|经过|走)(?:任何)?(?:敏感(?:信息|内容|词|数据)"
        r"|审计|安全检查|安全审核|内容审核|安全过滤|脱敏|护栏|权限(?:校验|检查)|安全策略)"
        r"|(?<!不要)(?<!不得)(?<!禁止)(?<!不能)(?<!不许)(?<!严禁)(?<!不可)(?<!别)(?:关闭|禁用|绕过|跳过|停用|关掉|解除)(?:掉|了|所有|全部|记忆的?"
        r"|一切|的){0,3}(?:审计|安全检查|安全审核|敏感(?:信息)?(?:检查|检测|过滤)|内容过滤|安全过滤|脱敏|护栏|内容审核|风控|权限(?:检查|校验))",
        beside="不要|别|不用|无需|不必|停止|不再|不得|关闭|禁用|绕过|跳过|停用|关掉|解除",
    ),
    attack(
        "guard_off",
        "audit|guard|safety|moderation|filter|sensitive|redact|permission|security|secret|privacy|pii|content|memor|credential|personal data",
        r"(?<!never )(?<!not )(?<!n't )(?:disabl(?:e|ing)|turn(?:ing)? off|bypass(?:ing)?|switch(?:ing)? off"
        r"|skip(?:ping)?|suppress(?:ing)?|circumvent(?:ing)?) (?:\w+ ){0,3}?(?:audit(?: log(?:ging)?| trail)?"
        r"|guard(?:rail)?s?|safety (?:check|filter|rule|measure)s?|content (?:filter|moderation|polic)\w*"
        r"|moderation|sensitive[- ](?:data|information|content) \w+|redaction|permission checks?|security "
        r"checks?|memory (?:guard|filter|check)s?|(?:pii|privacy|secrets?) (?:\w+ )?(?:filter|check|guard|scan\w*|detect\w*|mask\w*)s?)\b"
        r"|(?:do not|don't|never|stop) (?:run|apply|us|perform|enforc|invok|trigger)(?:e|ing)? (?:\w+ ){0,3}?(?:secret|security|safety|pii|content|moderation"
        r"|sensitive|privacy)[- ]?(?:\w+ )?(?:scan(?:ner)?|filter|check|guard|detector|policy)s?\b"
        r"|(?:do not|don't|never|stop) (?:check|scan|filter|mask|redact|log|audit|screen)(?:ing)? (?:\w+ "
        r"){0,4}?(?:sensitive|secrets|credentials|audit|personal data|pii|memor)",
        beside="disabl|turn|bypass|switch|skip|suppress|circumvent|do not|don't|never|stop",
    ),
    attack(
        "dangerous_default",
        " ask|confirm|--yes|--force|approv|permission|prompt",
        r"(?:never|don't|do not|no need to|without|need not|stop)(?: ever)? (?:ask(?:ing)?|confirm(?:ing"
        r"|ation)?|prompt(?:ing)?|request(?:ing)?|seek(?:ing)?|requir(?:e|ing))[^.!?\n]{0,50}?"
        + _DANGER_EN
        + r"|(?:always|automatically|from now on|by default|going forward|silently)[^.!?\n]{0,40}"
        + _DANGER_EN
        + r"[^.!?\n]{0,60}(?:without (?:asking|prompt|confirm|approval|permission|my)|no (?:confirmation|approval)"
        r"|--yes|--force|never ask|don't ask|auto-?approve)"
        r"|(?:execut|run|delet|transfer|pay|approv|send|perform)\w* (?:any|all|every"
        r"|whatever)[^.!?\n]{0,40}(?:command|script|file|payment|transfer|request|purchase|order|action"
        r"|operation)[^.!?\n]{0,40}without (?:asking|confirm|approval|permission|question)"
        r"|(?<!never )(?<!not )(?<!n't )" + _DANGER_EN + r"[^.!?\n]{0,40}(?:automatically|always|by default|silently)"
        r"[^.!?\n]{0,30}without (?:asking|confirm|approval|permission|my)"
        r"|(?:auto-?approve|pre-?approve)\w* (?:all|any|every) (?:\w+ ){0,3}" + _DANGER_EN,
        beside="delet|remov|pay|transfer|purchas|buy|refund|shell|command|execut|drop|wire|wip|push|sudo|rm -rf|withdraw|spend|destroy|format the|script|file|request|order|action|operation"
        "&never|don't|do not|no need to|without|need not|stop|always|automatically|from now on|by default|going forward|silently|approve",
    ),
    attack(
        "dangerous_default",
        "确认|问我|询问|审批|授权|同意|验证",
        _DANGER_ZH
        + r"[^。！？\n]{0,14}?(?:无需|不用|不必|不要|免|跳过|不需要|别)(?:再次?|去|来|向我|跟我|和我|找我|我){0,3}(?:确认|问我?|询问|审批|授权|同意|验证|二次确认)"
        r"|(?<!不要)(?<!不能)(?<!不得)(?:无需|不用|不必|免去|跳过|不需要|未经)(?:再次?|向我|我|用户|二次|人工|任何|额外)?(?:的)?(?:确认|问我?|询问|审批|授权|同意)(?:就|即|便"
        r"|直接|而|，)(?:可|能|直接|可以)?[^。！？\n]{0,8}" + _DANGER_ZH,
        beside="删除|删库|转账|支付|付款|汇款|退款|购买|下单|执行命令|执行脚本|提权|格式化|清空|强推|授权|提现|运行命令|shell",
    ),
    attack(
        "dangerous_default",
        "curl|wget|rm -rf",
        r"(?:always|every|each|before|每次|以后|首先|必须|务必"
        r"|first)[^\n]{0,80}(?:(?:curl|wget)[^\n|]{0,200}\|\s?(?:sudo )?(?:ba|z)?sh\b|rm -rf)",
    ),
    attack(
        "cross_user",
        "other user|other customer|other people|other tenant",
        r"other (?:users?|customers?|people|tenants?)(?: \w+){0,8}? ?[^.!?\n]{0,60}(?:tell|approve|send|give|say|reply"
        r"|answer|recommend|show|instruct|inform|share)",
    ),
    attack(
        "cross_user",
        "when any|when every|when another|when a different|when someone else|if any|if every|if another|if someone"
        "|whenever any|whenever every|whenever another|whenever someone",
        r"(?:when|if|whenever) (?:any|every|another|a different|someone else)\w*(?: other)? ?(?:user|customer"
        r"|person)?s? [^.!?\n]{0,60}(?:tell (?:them|him|her)|approve|always (?:say|reply|answer)"
        r"|reply with|give them|send them)",
    ),
    attack(
        "cross_user",
        "user|tenant|account",
        r"(?:save|store|write|copy|add) (?:this|it|that) (?:to|in|into) (?:every|all|each|other) (?:users?|tenants?"
        r"|accounts?)",
        beside="to every|to all|to each|to other|in every|in all|in each|in other",
    ),
    attack(
        "cross_user",
        "其他用户|其他客户|其他租户|其他人|别的用户|别的客户|别的租户|别的人|其它用户|其它客户|其它租户|其它人|另外的用户|另外的客户|另外的人|写入|保存到|同步到|共享给|存进",
        r"(?:其他|别的|其它|另外的)(?:用户|客户|租户|人)[^。！？\n]{0,30}?(?:告诉|回答|回复|批准|推荐|发送|说"
        r"|给(?:他|她|对方)|展示|记忆)|(?:写入|保存到|同步到|共享给|存进)(?:所有|全部|每个|其他)(?:用户|租户|人)(?:的)?(?:记忆)?",
    ),
    attack(
        "covert",
        "tell the |telling the |inform the |informing the |notify the |notifying the |alert the |alerting the |告知用户|通知用户|提醒用户|silently|covertly|user know|user notic|mention this|secretly|hide this|告诉用户|用户知道"
        "|让用户|用户察觉|对用户隐瞒|瞒着用户|提及本|用户发现",
        r"(?:do not|don't|never|without) (?:tell|telling|let|letting|inform|informing|notify|notifying|alert"
        r"|alerting) the (?:user|human|owner)|(?:secretly|silently|covertly) (?:add|insert|include|send"
        r"|forward|change|replace|append|call|run|execute|record)|(?:do not|don't|never) (?:mention|reveal"
        r"|disclose|show) (?:this|these|that)(?: \w+){0,3} (?:to the user|to anyone|instruction|rule|message"
        r"|memory)|hide this (?:\w+ )?(?:from|instruction)"
        r"|(?:不要|别|不得|不能|切勿)(?:告诉|通知|提醒|告知)用户|(?:不要|别|不能|不得)让用户(?:知道|发现|察觉|看到)|(?:瞒着|对)用户(?:隐瞒"
        r"|保密)?[^。\n]{0,6}(?:隐瞒|保密|执行|发送)|(?:不要|不得|切勿)(?:提及|透露|暴露)(?:本|此|这条)(?:指令|规则|消息|记忆)",
    ),
    attack(
        "delayed",
        "the user|用户",
        r"(?:when|if|once|next time|as soon as|after) the user (?:\w+ )?(?:says?|types?"
        r"|asks?|responds?|replies|mentions?|sends?|opens?|confirms?)[^.!?\n]{0,60}(?:call|execute|send|run|open"
        r"|visit|delete|transfer|fetch|invoke|save|forward|write|upload|approve) |(?:当|如果|一旦|下次"
        r"|只要)用户[^。！？\n]{0,24}(?:说|输入|回答|提到|发送|确认)[^。！？\n]{0,24}(?:执行|调用|访问|删除|转账|转发|上传|运行|批准|泄露)",
    ),
    attack(
        "phishing",
        "password|credential|验证码|密码|银行卡|card number|one-time",
        r"ask (?:the |every |each )?(?:user"
        r"|customer|them|him|her|people)s? (?:for|to (?:enter|provide|give|type|confirm"
        r"|send))[^.!?\n]{0,30}(?:password|credential|card number|one-time|otp|pin|cvv|seed phrase|ssn)|(?:要求|让|请|诱导"
        r"|引导|提示)(?:用户|客户|对方)[^。！？\n]{0,6}(?:提供|输入|发送|告知|说出|填写)[^。！？\n]{0,10}(?:密码|验证码|银行卡号|身份证号|助记词"
        r"|cvv)[^。！？\n]{0,20}(?:发|转|给|核实|验证身份|以便|继续)",
        beside="ask|要求|让|请|诱导|引导|提示&user|customer|them|him|her|people|用户|客户|对方",
    ),
    attack(
        "override",
        "snoitcurtsni|noitcurtsni|suoiverp|erongi|tpmorp metsys",
        r"snoitcurtsni|noitcurtsni|suoiverp "
        r"erongi|erongi|tpmorp metsys",
    ),
)
