"""How attacks on a memory are put together, whatever their words: signs that are harmless alone and not together.

A person says always, never, save this and do not ask me. An attack lets somebody else say it: the user "has agreed", a
policy "requires assistants to", the vendor's "team" wants a check skipped, whoever reads this mail should store a rule,
everyone who asks shall hear one brand praised. A scheme names the signs that must stand close to one another.
`memoryapp.domain.prompt_injection` looks for them in folded text without line breaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoryapp.domain.injection_attacks import Need, need_of
from memoryapp.domain.literals import places
from memoryapp.domain.messages import holds_any

_WIDEST = 100
"""Characters on either side of its literal that a match of a sign may take."""


@dataclass(frozen=True, slots=True)
class Sign:
    """A pattern and needs that each of its matches meets."""

    pattern: re.Pattern[str]
    needs: tuple[Need, ...]


@dataclass(frozen=True, slots=True)
class Scheme:
    """Signs that make an attack when they stand within `reach` characters of the one that is rarest in the text."""

    rule: str
    signs: tuple[Sign, ...]
    reach: int

    def fits(self, text: str, present: frozenset[str]) -> bool:
        """Whether all signs stand together; `present` are the literals that are known to stand in the text."""
        if not all(need.is_met(text, present) for sign in self.signs for need in sign.needs):
            return False
        needles = {need: _literals_in(need, text, present) for sign in self.signs for need in sign.needs}
        first = min(self.signs, key=lambda sign: sum(map(text.count, needles[sign.needs[0]])))
        for start, end in _windows(text, needles[first.needs[0]], self.reach + _WIDEST):
            window = text[start:end]
            if all(holds_any(window, each) for each in needles.values()) and any(
                self._around(text, first, match) for match in first.pattern.finditer(text, start, end)
            ):
                return True
        return False

    def _around(self, text: str, first: Sign, match: re.Match[str]) -> bool:
        start, end = max(0, match.start() - self.reach), match.end() + self.reach
        return all(sign is first or sign.pattern.search(text, start, end) for sign in self.signs)


def _literals_in(need: Need, text: str, present: frozenset[str]) -> tuple[str, ...]:
    """The literals of a need that stand in the text."""
    return (*(need.literals & present), *(each for each in need.short if each in text))


def _windows(text: str, literals: tuple[str, ...], margin: int) -> Iterator[tuple[int, int]]:
    """Stretches around the places of the literals, merged where they meet."""
    start = end = -1
    for place in sorted(place for literal in literals for place in places(text, literal)):
        if start >= 0 and place - margin <= end:
            end = place + margin
            continue
        if start >= 0:
            yield start, end
        start, end = max(0, place - margin), place + margin
    if start >= 0:
        yield start, end


def _sign(need: str, *patterns: str, beside: str = "") -> Sign:
    return Sign(re.compile("|".join(patterns)), tuple(map(need_of, filter(None, (need, *beside.split("&"))))))


def _either(*signs: Sign) -> Sign:
    """One of several signs."""
    literals = frozenset().union(*(sign.needs[0].literals for sign in signs))
    short = tuple(each for sign in signs for each in sign.needs[0].short)
    return Sign(re.compile("|".join(sign.pattern.pattern for sign in signs)), (Need(literals, short),))


_KEEPS = _sign(
    "remember|memori|stor|save|saving|record|note |permanent|persist|mind|from now on|from here on|from today|forward"
    "|henceforth|future|always|whenever|every|each|standing|default|rule|记住|记下|记录|牢记|写入|写进|存入|存进|存成|存为"
    "|保存|永久|记忆|以后|今后|从现在起|从今|从此|即日起|往后|每次|始终|一律|凡是|默认|规则",
    r"\b(?:remember|memori[sz]e|stor(?:e|ing)|sav(?:e|ing)|record|note (?:that|this|down)|permanent(?:ly)?|persist\w*"
    r"|keep in mind|from (?:now|here|today) on(?:wards?)?|going forward|henceforth|in (?:the )?future|always|whenever"
    r"|every|each time|standing|by default|rules?)\b",
    r"记住|记下|记录|牢记|写入|写进|存[入进成为]|保存|永久|记忆|以后|今后|从现在起|从今|从此|即日起|往后|每次|始终|一律|凡是|默认|规则",
)
_WRITES_MEMORY = _sign(
    "memo|rule|polic|profile|preference|priority|instruction|directive|procedure|fact|记忆|规则|永久|优先级",
    r"\b(?:add|sav|stor|writ|commit|record|persist|push|updat|set|put)\w* (?:[\w':,.]+ ){0,6}?(?:to|in|into|as|with) "
    r"(?:your |the |its |long-term |persistent |permanent |global |system |core |a |an )*"
    r"(?:memor(?:y|ies)|rules?|polic(?:y|ies)|(?:user )?profile|preferences)\b",
    r"\b(?:sav|stor|writ|creat)\w* (?:\w+ )?memor(?:y|ies)\b",
    r"\b(?:permanent|global|standing|core|persistent) (?:rule|memory|instruction|policy|directive|fact)",
    r"\b(?:save|store|remember|record|persist|keep|make|treat) this (?:as )?(?:(?:a|an|the) )?(?:\w+ )?(?:rule|policy|instruction|directive|memo|procedure)",
    r"\b(?:highest|top|absolute) priority|\bmemory (?:update|entry|record|write)",
    r"(?:写入|写进|存[入进到]?|加入|更新|保存[到在进]?|记入|录入|记到|添加)[^。！？\n]{0,8}?记忆"
    r"|记忆[^。！？\n]{0,16}?(?:更新[为成]?|改[为成]|替换[为成]|写入|设[为成]|存为)"
    r"|[往向在]记忆[^。！？\n]{0,4}?[存写记]|(?:存|记|保存|设|写|当)[成为作入进][^。\n]{0,4}规则|永久(?:保存|记住|生效|有效|记忆|记录)|优先级最高|最高优先级?",
)
_GRANTS = _sign(
    "user|owner|holder|human|operator|requester|caller|principal|permission|approval|authori|consent|用户|本人|主人|机主|持有人"
    "|持卡人|使用者",
    r"\b(?:user|account (?:owner|holder)|human|operator|requester|caller|principal|owner)s? (?:\w+ ){0,3}?"
    r"(?:g[ai]ven?|gives|grant(?:s|ed)|provided|consent(?:s|ed)|approv(?:es|ed)|authori[sz](?:es|ed)|agree[sd]"
    r"|permit(?:s|ted)|delegat(?:es|ed)|waive[sd]|opted (?:in|out)|signed off|signed"
    r"|(?:prefers|wants|expects|likes|asked|asks|would like|wishes)(?: that| for)? you)\b",
    r"\b(?:standing|blanket|prior|permanent|unlimited|irrevocable|general) (?:permission|approval|authori[sz]ation"
    r"|consent|authority|mandate)",
    r"(?:用户|本人|主人|机主|持有人|持卡人|使用者)(?!可以)[^。！？\n我]{0,8}?(?:同意|授权|批准|许可|允许|委托|放弃|认可|准许|签字|签署过|(?:希望|想要|想让|要求|期望|喜欢)你)",
)
_SKIPS = _sign(
    "without|no longer|no further|no additional|no more|no need|no confirm|no approv|no verif|no question|no check|skip|bypass|waiv"
    "|omit|suppress|disabl|never|not |n't|stop|instead of asking|不必|无需|不用|毋须|免|跳过|不要|不需要|不再|别|豁免|取消|省略|省去|略过",
    r"\bwithout (?:(?:any|further|first|additional|prior|their|his|her|my|your|explicit|a|the|another) ){0,3}"
    r"(?:ask|confirm|approv|permission|check|prompt|verif|consent|notice|notif|review|question|warn|authori)\w*",
    r"\bno (?:(?:further|additional|more|need for|need to|explicit) ){0,2}(?:confirm|approv|verif|question|check|consent"
    r"|permission|ask|review)\w*",
    r"\b(?:skip|bypass|waiv|omit|suppress|disabl)\w* (?:(?:the|all|any|every|this|that|its|your) ){0,2}(?:[\w-]+ ){0,2}?"
    r"(?:confirm|approv|verif|permission|consent|check|prompt|review|two-factor|2fa|authori)\w*",
    r"(?:never|not|n't|stop)(?: need to| have to| be)? (?:ask\w*|confirm\w*|verif\w*|prompt\w*|required? to confirm)\b",
    r"(?:never|not|n't|no longer) (?:need|require)s? (?:[\w'’]+ ){0,3}?(?:confirm|approv|permission|consent|verif|authori)\w*",
    r"(?:免除|豁免|取消|省[略去]|略过|跳过|免)[^。，,！？\n]{0,8}?(?:确认|审批|验证|核实|核对|授权|复核)",
    r"(?:不用|无需|不必|不要|别)(?:再)?(?:提示|核实|询问)",
    r"(?:不必|无需|不用|毋须|免|跳过|不要|不需要|不再|别)(?:再次?|去|每次|先)?(?:向|跟|找|经过?|和|由)?(?:本人|我|用户|任何人|他|她|主管|人工)?的?"
    r"(?:二次|逐笔|另行|人工|再次|身份)?(?:确认|审批|询问|请示|核实|验证|授权|同意|批准|过问|核对)",
)
_WIDE = _sign(
    "any|all |unlimited|up to|every|全部|所有|任何|一切|代为|任意|不限|一律|各类",
    r"\b(?:any|all|every|unlimited) (?:\w+ ){0,2}?(?:purchas|payment|transfer|transaction|amount|contract|command|refund"
    r"|order|withdrawal|trade|request|document|access|e-?mail|file)\w*",
    r"\b(?:wire|transfer|spend|pay|withdraw|send|purchase|buy)\w* (?:\w+ ){0,3}?(?:up to|any)\b",
    r"(?:全部|所有|任何|一切|各类)(?:的)?(?:合同|转账|付款|支付|操作|交易|请求|文件|权限|命令|购买|扣款|消费|借款|提现|邮件)"
    r"|代为(?:签|付|转|操作|下单|决定|处理|提交|支付)|任意金额|不限(?:额|金额)",
)
_AUTHORITY = _sign(
    "this is|behalf|message from|notice from|instruction from|order of|speaking as|acting as|as the|as your|i am the|i'm the|we are the"
    "|i am your|i'm your|we are your|purposes|我是|这里是|本人是|这边是|我们是|作为",
    r"\bthis is (?:[\w'’-]+ ){0,4}?(?:provider|developer|vendor|administrator|admin|openai|anthropic|google|microsoft"
    r"|operator)(?:['’]?s)?\b",
    r"\bthis is (?:[\w'’-]+ ){0,4}?(?:support|compliance|security|alignment|safety|platform|engineering|red|it)(?:['’]s)? "
    r"(?:team|department|desk|staff|division|speaking|office)\b|\bthis is (?:the |your )?helpdesk",
    r"\b(?:i am|i'm|we are|speaking as|acting as|(?<!same )as) (?:the |your )(?:\w+ ){0,2}?(?:developer|creator|administrator|admin"
    r"|operator|maintainer|provider|vendor|security team|compliance team|support team)\b",
    r"\b(?:on behalf of|(?:message|notice|instruction)s? from|by order of) (?:the |your |our )?(?:\w+ ){0,2}?(?:developer"
    r"|provider|vendor|admin\w*|security|compliance|system|platform|management|openai|anthropic)",
    r"\bfor (?:evaluation|testing|audit(?:ing)?|calibration|alignment|debug\w*|maintenance|training) purposes",
    r"(?:(?:我们?|这里|这边|本人)(?:就)?是|作为)(?!不是)(?:你们?的?|本|贵|这个|该)?(?:平台|系统|公司|官方|模型|服务|产品)?(?:的)?[^。，,！？\n]{0,6}?"
    r"(?:管理员|开发者|创建者|开发人员|开发团队|安全团队|官方|厂商|提供商|供应商|技术支持|运维团队|监管方)",
    beside="provider|developer|vendor|admin|support|complian|security|alignment|safety|helpdesk|openai|anthropic|google|microsoft"
    "|platform|operator|engineering|department|red team|it team|creator|maintainer|management|system|purposes|管理员|开发|创建者"
    "|安全团队|官方|厂商|提供商|供应商|技术支持|运维|监管",
)
_POLICY = _sign(
    "polic|complian|regulat|guideline|memo|directive|mandate|effective immediately|新规|规定|政策|通知|即日起|合规|制度|公告"
    "|安全部|法务|总部|上级|监管",
    r"\bpolic(?:y|ies)\b|\bcomplian\w+|\bregulat\w+|\bguidelines?\b|\bmemo\b|\bdirectives?\b|\bmandate\w*"
    r"|effective immediately|新规|规定|政策|通知|即日起|合规|制度|公告|安全部门?|法务|总部|上级|监管",
)
_ASSISTANT_MUST = _sign(
    "assistant|ai |llm|chatbot|copilot|language model|助手|助理|智能体|大模型|机器人|ai",
    r"\b(?:ai|llms?|chatbots?|copilots?|language models?|assistants?)(?: assistants?| agents?| models?| systems?)? "
    r"(?:must|should|shall|are (?:to|required to|expected to|instructed to)|is (?:to|required to)|have to|has to|will"
    r"|need to|needs to)(?! not\b)(?! never\b)",
    r"(?:助手|助理|智能体|大模型|机器人|(?<![a-z])ai)[^。，,！？\n我]{0,4}?(?:必?须(?!有)|应当|应该|务必|一律|都要|需要?在|请把|请将|请在)",
)
_READS_THIS = _sign(
    "process|read|pars|summari|index|handl|review|crawl|visit|scan|draft|处理|阅读|读取|读到|看到|总结|分析|解析|浏览|抓取|翻译",
    r"\b(?:if|any|to|when|hey|dear|attention|should|for) (?:(?:an?|any|the|all|every|you are an?) ){0,2}"
    r"(?:ai|llm|language model|chatbot|assistant|automated|virtual|agent)\b(?: [\w-]+){0,3}? (?:is |are |that |who |which )?"
    r"(?:currently )?(?:process|read|pars|summari|index|handl|review|crawl|visit|scan|draft)\w*(?:\s?[:：]| this| these| the (?:following"
    r"|page|e?-?mail|message|document|ticket|inbox))",
    r"\b(?:ai|assistants?|agents?|bots?|chatbots?|llms?|language models?) (?:that |who |which )?(?:are )?(?:process|read|pars"
    r"|summari|index|handl|review|crawl|visit|scan)\w* (?:this|these)\b",
    r"(?:处理|阅读|读取|读到|看到|总结|分析|解析|浏览|抓取|翻译)(?:到|了)?(?:本|此|这)(?:[封个份条篇段]?)"
    r"(?:邮件|网页|页面|文档|文件|消息|内容|信|文章|附件|评论|简历|网站|表格|工单)?的(?:任何|所有|各位)?(?:智能|ai|人工智能|大)?"
    r"(?:助手|助理|智能体|模型|机器人|(?<=的)ai)",
    r"(?:(?<![a-z])ai|助手|助理|智能体|大模型|机器人)[^。！？\n我]{0,6}(?:处理|阅读|读取|读到|看到|总结|分析|抓取)[^。！？\n我]{0,3}(?:本|此|这)"
    r"(?:邮件|网页|页面|文档|文件|消息|内容|信|文章|附件|简历|网站|封|份|篇|条|段)[^。！？\n我]{0,12}(?:请|须|务必|必须|应|把|将|记)",
    beside="assistant|agent|chatbot|llm|language model|automated|virtual|bot|ai |ai,|ais|的ai|ai读|ai看|ai处|ai总|ai分|ai抓|助手|助理|智能体|模型|机器人",
)
_NOTE_TO_MODEL = _sign(
    "note|message|memo|instruction|attention|notice|reminder|dear|hint|heads|给|致|告知|提醒|注意",
    r"(?:助[理手]|智能体|大模型|(?<![a-z])ai|机器人)们?[^。，,！？\n我]{0,3}?注意\s?[:：，,]",
    r"\b(?:note|message|memo|instructions?|attention|notice|reminder|dear|hint|heads-?up)[ ,]{1,2}(?:to |for )?"
    r"(?:all |any |the |our |future |every )?(?:ai|llm|language model|chatbot|assistant|agent|model|bot)s?"
    r"(?: assistants?| agents?| models?)?\s?(?:[:：,，]|-\s)",
    r"(?:给|致|告知|提醒)(?:各位|所有|本|处理|阅读)?[^。，,！？\n我]{0,4}(?:助[理手]|智能体|大模型|(?<![a-z])ai|机器人)(?:的)?"
    r"(?:说明|提示|指令|留言|备注|话|信|通知)?\s?[:：】\]]",
)
_GUARD_OFF = _sign(
    "disabl|turn|switch|bypass|skip|suppress|deactivat|remov|lift|ignor|suspend|relax|unmask|redact|mask|filter|censor|scrub|anonymi|plain|clear|verbatim|unredact"
    "|as is|as-is|without|关闭|关掉|禁用|停用|绕过|跳过|解除|取消|下线|卸载|屏蔽|放宽|暂停|打码|脱敏|失效|照存|照记|遮挡|屏蔽|原样|明文|不拦",
    r"(?<!never )(?<!not )(?<!n't )\b(?:disabl|turn|switch|bypass|skip|suppress|deactivat|remov|lift|ignor|suspend|relax)\w*"
    r"(?: off)? (?:(?:the|all|any|your|its|every|this) ){0,2}(?:[\w-]+ ){0,2}?(?:safety|security|content|moderation|privacy"
    r"|audit|secret|pii|sensitive|redaction|guardrail|filter|mask)\w*",
    r"(?:never|not|n't|stop) (?:redact|mask|filter|censor|scrub|anonymi)\w*",
    r"\b(?:store|save|keep|record|remember|write|log)\w* (?:[\w,]+ ){0,5}?(?:passwords?|secrets?|credentials|api keys?"
    r"|card numbers?|tokens|private keys?)(?: [\w,]+){0,4}? (?:unmasked|in (?:plain|clear)|verbatim|as[- ]is|unredacted|in full"
    r"|without (?:mask|redact|filter)\w*)",
    r"(?<!不要)(?<!不得)(?<!禁止)(?<!不能)(?<!不许)(?<!严禁)(?<!不可)(?<!别)(?:关闭|关掉|禁用|停用|绕过|跳过|解除|取消|下线|卸载|屏蔽|放宽|暂停)"
    r"(?:掉|了)?[^。，,！？\n]{0,8}?(?:审计|脱敏|护栏|风控|敏感词|打码|(?:内容|安全|敏感|合规|权限|隐私)(?:信息)?(?:审[核查]|校验|检[查测]|过滤|拦截|策略|机制))",
    r"(?:审计|脱敏|护栏|风控|(?:内容|安全|敏感|合规)(?:信息)?(?:审[核查]|检[查测]|过滤|拦截|策略))[^。，,！？\n]{0,6}?"
    r"(?:关闭|下线|停用|失效|取消|禁用|解除|暂停)",
    r"停止[^。，,！？\n]{0,8}?(?:打码|脱敏|过滤)",
    r"(?:不用|不要|无需|不必|别|不再)[^。，,！？\n]{0,3}(?:打码|脱敏|遮挡|屏蔽)",
    r"(?:密码|密钥|口令|证件号?|身份证号?|银行卡号?|敏感信息|令牌)[^。！？\n]{0,8}(?:照存|照记|原样|明文[存记保]|不拦)",
)
_ASKED = _sign(
    "when|if |any time|anytime|every time|each time|in case|凡是|只要|每当|每次|如果|要是|一旦|不管|无论|遇到|碰到|涉及|关于|有人|用户|别人|大家|对方",
    r"\b(?:whenever|when|if|any ?time|every time|each time|in case)(?! (?:i|i'm|i've|we)\b) [^.!?\n]{0,40}?(?:asks?|asking"
    r"|mentions?|brings? up|wants?|needs?|inquires?|talks? about|looks? for|looking|compares?|shops?|search(?:es)?"
    r"|questions?|requests?|considers?|choosing|chooses?|comes? up)\b",
    r"(?:凡是|只要|每当|每次|当|如果|要是|一旦|不管|无论|遇到|有人|用户|别人|大家|对方)[^。！？\n我]{0,12}"
    r"(?:问(?!我)|提[到及起]|咨询|搜索?|想买|想找|聊到|说到|打听|比较|求推荐|选购)",
    r"(?:遇到|碰到|涉及|关于)[^。！？\n我]{1,10}?(?:问题|话题|咨询|需求|提问)",
)
_SAYS = _sign(
    "say|tell|answer|reply|respond|recommend|suggest|mention|claim|state|push|steer|point|promote|name|prais|present|list"
    "|rank|describ|call|put|回答|说|告诉|推荐|回复|介绍|引导|宣称|答|排|列|放",
    r"\b(?:rank|describe|call|put|say|tell|answer|reply|respond|recommend|suggest|mention|claim|state|push|steer|point|promote|name|praise|present"
    r"|list)\b|回答|说|告诉|推荐|回复|介绍|引导|宣称|答|排第?|列[为在]|放在",
)
_PRAISES = _sign(
    "only|best|safest|top |number one|#1|leading|most |competitor|rival|alternative|other |another|doctors|experts|award"
    "|approved by|别的|其他|其它|竞品|竞争|同类|对手|只有|唯一|最好|第一|首选|最可靠|最安全|最权威|最靠谱|官方|不靠谱|超标|有毒|检出|翻车|别家|友商|偷工减料",
    r"\bonly (?:\w+ ){0,3}?(?:one|option|choice|brand|product|provider|place|company|solution|tool|supplier)\b",
    r"\bonly \w+(?: \w+)? (?:is|are|has|offers)\b|只有[^。，,！？\n我]{1,10}?(?:是|才|受|能|有)",
    r"\b(?:is|are|as) (?:the )?(?:best|safest|top|number one|#1|leading|finest|superior|most (?:trusted|reliable|effective"
    r"|advanced|accurate))\b",
    r"\b(?:competitor|rival|(?:other|another|rival|competing) (?:brand|product|option|vendor|provider|compan|shop|site"
    r"|store|service|tool))\w*",
    r"\b(?:doctors|experts|scientists|everyone) (?:approve|agree|recommend|trust)|award-winning|\b(?:any|all) alternatives?",
    r"(?:别的|其他|其它)(?:牌子|品牌|产品|店|平台|公司|厂家|商家|家|软件|同类|选择)|竞品|竞争对手|同类产品|对手|唯一|最好|第一|首选"
    r"|最可靠|最安全|最权威|最靠谱|官方(?:指定|推荐)|不靠谱|超标|有毒|检出|翻车|别家|友商|偷工减料",
)
_ANYONE = _sign(
    "no matter which|no matter what|anyone|anybody|everyone|everybody|whoever|no matter who|any user|any person|any caller|any student|any customer"
    "|any visitor|不管|无论|不论|凡是|任何|谁来|谁要|谁问|谁都",
    r"\bno matter (?:which|what) \w+(?: \w+)? (?:asks?|wants?|says?|requests?)\b",
    r"\b(?:anyone|anybody|everyone|everybody|whoever|no matter who|any (?:user|person|caller|student|customer|visitor))"
    r"(?: who| that)? (?:asks?|requests?|wants?|says?|knows?|contacts?|messages?|claims?|writes?)\b",
    r"(?:不管|无论|不论|凡是|任何)(?:是)?(?:谁|哪个|哪位|什么人|任何人|人|用户|学生|客户|访客|家长|同事|客人|顾客|同学|老师|病人|家属)[^。！？\n我]{0,12}(?:问|来|要|索取|请求|提出|申请|说)",
    r"谁(?:来|要|问|都)(?!我)",
)
_GIVES = _sign(
    "share|give|tell|approv|send|grant|reveal|provid|hand|show|disclos|allow|let |access|都|一律|就|直接|必须",
    r"\b(?:share|give|tell|approve|send|grant|reveal|provide|hand|show|disclose|allow|let|access)\b",
    r"(?:都|一律|就|直接|必须)[^。！？\n]{0,10}(?:说|告诉|给|批准|同意|通过|提供|回答|答应|放行|发)",
)
_LATER = _sign(
    "when|if |once|next time|as soon as|future|from now on|always|every|each|all |end of|bottom of|结尾|末尾|开头|时，|时,|时候|当|等|下次|每次|以后|今后|如果|一旦|只要|每当|之后",
    r"\b(?:when|whenever|if|once|next time|as soon as|in (?:the )?future|from now on|always|every|each"
    r"|all (?:\w+ )?(?:answers|replies|responses|messages|reports|outputs)|(?:end|bottom|top) of)\b"
    r"|结尾|末尾|开头|时，|时,|时候|当|等|下次|每次|以后|今后|如果|一旦|只要|每当|之后",
)
_OF_THE_USER = _sign(
    "user|customer|employee|human|his |her |their |visitor|用户|他的|她的|对方的|员工|来访者",
    r"\b(?:the|this|each|every|any|all) (?:user|customer|employee|human|visitor)(?:'s|s)?\b|\busers?'?s?\b"
    r"|\b(?:his|her|their) (?:\w+ ){0,2}?(?:data|files?|photos?|invoices?|messages?|contacts?|documents?|address|passport|location|position|history|chats?|conversations?"
    r"|receipts?|attachments?|reply|answers?)\b|用户|他的|她的|对方的|来访者",
)
_SENDS = _sign(
    "send|sent|forward|post|upload|cop|cc|shar|mail|submit|transmit|report|mirror|sync|relay|发|上传|抄送|同步|提交|传|转|推送|共享|分享",
    r"\b(?:send|sent|forward|post|upload|copy|copied|copies|b?cc|shar(?:e|ing)|e?-?mail|submit|transmit|report|mirror|sync|relay)"
    r"(?:ed|d|s|ing|ted)?\b|发送|转发|发给|发到|发往|上传|抄送|同步[到给]|提交[到给]|传[到给]|转[给到]|推送|发一份|共享|分享给",
)
_ADDRESS = _sign("http|www.|@|webhook", r"https?://|\bwww\.|[\w.+-]{1,40}@[\w-]{1,60}\.|\bwebhook")
_EMPOWERS = _sign(
    "you to|授权你|批准你|允许你|准许你|命令你|要求你|指示你",
    r"\b(?:authori[sz]e|permit|allow|instruct|order|command|empower|direct)s? you to\b|(?:授权|批准|允许|准许|命令|要求|指示)你",
)
_MONEY = _sign(
    "pay|purchas|transfer|refund|withdraw|spend|command|script|delet|付款|支付|转账|购买|退款|提现|扣款|下单|消费|命令|脚本|执行|删除",
    r"\b(?:shell )?commands?\b|\bscripts?\b|\bdelet\w+|命令|脚本|执行|删除|\b(?:payments?|pay|purchases?|transfers?|refunds?|withdrawals?|spending)\b|付款|支付|转账|购买|退款|提现|扣款|下单|消费",
)
_USERS_OK = _sign(
    "user|owner|holder|用户|机主|主人|持卡人",
    r"(?:never|not|n't|without|no) (?:(?:need|require)s? )?(?:\w+ ){0,2}?(?:the |this )?(?:user|owner|account holder)(?:['’]s)? (?:\w+ )?"
    r"(?:confirm|approv|permission|consent|verif|authori)\w*",
    r"(?:no need to|never|not|n't|without) (?:need to )?(?:ask|check|consult|confirm|verify|notify)\w* (?:with |by |from )?(?:the |this )(?:user|owner)",
    r"(?:不用|无需|不必|不要|别)(?:再|去)?(?:问|询问|征求|通知|请示|打扰)(?:用户|机主|主人)",
    r"(?:不需要?|无需|不用|不必|免去?)[^。，,！？\n]{0,4}(?:用户|机主|主人|持卡人)(?:本人)?的?(?:二次|再次)?(?:确认|同意|授权|审批|验证)",
    beside="confirm|approv|permission|consent|verif|authori|ask|check|consult|notif|确认|同意|授权|审批|验证|问|征求|通知|请示|打扰"
    "&never|not |n't|without|no need|no |不需|无需|不用|不必|不要|免|别",
)
_CALLS_IT = _sign(
    "call|describe|present|refer|cite|treat|label|称|说|宣称|介绍",
    r"\b(?:call|describe|present|refer to|cite|treat|label)\w* (?:it|them|this|that|us|the (?:site|link|page|company)) (?:as )?"
    r"(?:the |an? |our )?(?:\w+ )?(?:official|trusted|authoritative|reliable|best|preferred|verified)",
    r"(?:称|说|宣称|介绍)(?:其|它|这|该)[^。，,\n]{0,4}?[为是][^。，,\n]{0,4}(?:官方|权威|可信|最好|唯一|正规|首选)",
    beside="official|trusted|authoritative|reliable|best|preferred|verified|官方|权威|可信|最好|唯一|正规|首选",
)
_IS_OFF = _sign(
    "safety|security|content|moderation|安全",
    r"\b(?:safety|security|content|moderation)(?: \w+)? (?:layer|filter|mode|module|check|guard)s? (?:(?:is|are|now) ){0,2}"
    r"(?:off|disabled|down|offline|bypassed|suspended|inactive)\b",
    r"安全(?:层|模式|模块|机制|系统|防护|过滤)[^。，,！？\n]{0,3}?(?:关闭|下线|解除|停用|失效)",
)
_NO_WARNING = _sign(
    "warn|caveat|caution|disclaim|警告|风险|警示",
    r"(?:never|not|n't|without(?: any)?|no) (?:warn\w*|caveats?|cautions?|disclaimers?)|(?:不要|别|不必|无需|不用)[^。，,！？\n我]{0,4}?(?:警告|风险|警示)",
)
_RISKY = _sign(
    "link|url|download|dosage|attachment|链接|下载|剂量|附件|网址",
    r"\b(?:links?|urls?|downloads?|dosages?|attachments?)\b|链接|下载|剂量|附件|网址",
)
_DELEGATES = _sign(
    "assistant|agent|bot |model|you to|助手|助理|智能体|机器人",
    r"\b(?:assistant|agent|ai|bot|model|you) to (?:\w+ )?(?:accept|sign|pay|send|delete|approve|buy|transfer|book|agree|act|decide"
    r"|share|execute|run|publish|post)\b|(?:助手|助理|智能体|机器人)(?:代为|代替|直接|自动|可以)",
)
_DEFERRED = _sign(
    "next time|first time|later on|not now|下次|下回|下一次|先不用|先别|现在别|等到|等用户",
    r"\b(?:next|first) time (?:somebody|someone|anybody|anyone|any|another|a |the |they|he|she|people)|\bnot now\b"
    r"|下(?:一?次|回)[^。，,！？\n我]{0,4}?(?:用户|有人|别人|他|她|对方|谁|客户|提到|说到|问)|先不用|现在别|等到?用户",
)
_IMAGE = _sign("](http|](//", r"!\[[^\]\n]{0,100}\]\((?:https?:)?//[^)\s]{1,300}?[?=/][^)\n]{0,300}\)")
_ACCOUNT = _sign(
    "account|bank|payee|iban|beneficiary|收款|账户|账号|银行卡|汇款",
    r"\b(?:payment|payout|bank|payee|beneficiary|billing|wire) (?:account|details|information|number)|\biban\b|\bpayee\b"
    r"|收款(?:账[户号]|人|卡|方)|汇款账[户号]|银行卡号?",
)
_COVERT = _sign(
    "do not|don't|never|without|remov|delet|omit|leave out|strip|exclud|quietly|silently|secretly|不要|别|不得|不能|切勿|无需|不必|不许"
    "|悄悄|偷偷|默默",
    r"\b(?:remove|delete|omit|leave out|strip|exclude) (?:this|these|the above) (?:sentence|line|note|message|instruction"
    r"|paragraph|text|section)s?\b",
    r"\b(?:do not|don't|never) (?:log|record|report|include|mention|disclose|summari[sz]e|show|tell|notify|alert|inform)"
    r" (?:\w+ ){0,2}?(?:this|it|(?:the |an? )?(?:user|account holder|account owner|owner|customer|client|human)s?|anyone|them|him|her)\b",
    r"\b(?:quietly|silently|secretly|covertly)\b",
    r"(?:不要|别|不得|不能|切勿|无需|不必|不许)(?:再|去)?(?:提示|告诉|通知|提醒|告知|惊动|打扰|知会|让)(?:用户|客户|对方|任何人|其他人|他人|机主|主人|本人|持卡人)",
    r"(?:别|不要|不得|切勿|不许|不能)把?(?:这|本|此)[^。！？\n]{0,10}?(?:[写记][进入到]?|留在|显示在?)[^。！？\n]{0,4}(?:审计|日志|记录|摘要|总结|历史)",
    r"悄悄|偷偷|默默",
)


def _scheme(rule: str, *signs: Sign, reach: int = 120) -> Scheme:
    return Scheme(f"prompt_injection.{rule}", signs, reach)


SCHEMES = (
    _scheme("privilege", _GRANTS, _SKIPS, reach=80),
    _scheme("privilege", _GRANTS, _WIDE, _either(_KEEPS, _WRITES_MEMORY), reach=80),
    _scheme("privilege", _GRANTS, _SENDS, _either(_KEEPS, _WRITES_MEMORY), reach=80),
    _scheme("privilege", _GRANTS, _DELEGATES, _either(_KEEPS, _WRITES_MEMORY), reach=80),
    _scheme("delayed", _ADDRESS, _DEFERRED, _SENDS, reach=90),
    _scheme("guard_off", _IS_OFF, _KEEPS, reach=60),
    _scheme("exfiltration", _NO_WARNING, _RISKY, reach=60),
    _scheme("privilege", _WRITES_MEMORY, _ACCOUNT, _either(_COVERT, _ASSISTANT_MUST, _READS_THIS)),
    _scheme("guard_off", _AUTHORITY, _either(_SKIPS, _GUARD_OFF, _COVERT)),
    _scheme("guard_off", _GUARD_OFF, _WRITES_MEMORY),
    _scheme("guard_off", _GUARD_OFF, _POLICY, _KEEPS),
    _scheme("fake_system", _POLICY, _ASSISTANT_MUST),
    _scheme("fake_system", _READS_THIS, _either(_KEEPS, _SENDS, _COVERT, _SAYS, _SKIPS)),
    _scheme("fake_system", _NOTE_TO_MODEL, _either(_WRITES_MEMORY, _SENDS, _SKIPS, _COVERT, _OF_THE_USER, _KEEPS)),
    _scheme("fake_system", _ASSISTANT_MUST, _WRITES_MEMORY),
    _scheme("recommendation", _ASKED, _PRAISES, _SAYS, reach=90),
    _scheme("cross_user", _ANYONE, _GIVES, _either(_WRITES_MEMORY, _GRANTS), reach=100),
    _scheme("exfiltration", _ADDRESS, _OF_THE_USER, _SENDS, _LATER, reach=90),
    _scheme("exfiltration", _IMAGE, _LATER, reach=80),
    _scheme("covert", _COVERT, _WRITES_MEMORY),
    _scheme("covert", _ACCOUNT, _COVERT, _KEEPS, reach=80),
    _scheme("dangerous_default", _USERS_OK, _either(_MONEY, _WRITES_MEMORY), reach=60),
    _scheme("guard_off", _AUTHORITY, _EMPOWERS, reach=60),
    _scheme("recommendation", _CALLS_IT, _LATER),
)


def literals() -> Iterator[str]:
    """The literals that the signs need."""
    for scheme in SCHEMES:
        for sign in scheme.signs:
            for need in sign.needs:
                yield from need.literals
