"""Whether a conversation is worth a judge: does any user turn state something that could outlive the task at hand?

Generous on purpose, since a dropped fact is lost and a judged one costs a few cents: a turn is dropped only when all of
it is a question, a task, a one-off, imagined, debugging, a passing state or pasted material. One turn that is worth it
takes the whole run along.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from memoryapp.domain.classifier import classifier
from memoryapp.domain.clauses import FILLER, Clause, Sentence, is_hypothetical, is_one_off, sentences
from memoryapp.domain.cue_grammar import ANOTHER_SUBJECT, DEBUGGING, THIRD_PERSON_WISH
from memoryapp.domain.cues import has_cue
from memoryapp.domain.scripts import plain_text
from memoryapp.domain.types import Role, Turn

EPHEMERAL = "ephemeral"
"""Reason of a run in which nothing was worth judging."""

_I = re.IGNORECASE
_LONGEST_CLAUSE = 300

_PERSON = re.compile(
    r"我|咱|俺|本人|\b(?:I|I'm|I've|I'd|I'll|im|ive|my|mine|me|we|we're|we've|our|ours|us|myself)\b", _I
)
_DURABLE = re.compile(
    r"一直|从来|从不|从小|向来|每(?:天|周|次|晚|早|个?月|年|季|逢|隔|个?星期)|平时|平常|通常|一般都?|习惯|喜欢|讨厌|最爱|热爱|爱[吃喝看听玩用]"
    r"|偏[好爱]|不(?:太|大|怎么)?(?:能|会|爱|敢|得)?[吃喝抽碰穿用戴坐]|戒|过敏|忌口|[吃喝]素|清真|住[在的]|老家|上班|任职|就职|年了|打算|计划|准备考|目标|梦想|今年|明年|属[鼠牛虎兔龙蛇马羊猴鸡狗猪]"
    r"|[男女]朋友|老婆|老公|妻子|丈夫|爱人|女儿|儿子|孩子|宝宝|闺女|爸|妈|父亲|母亲|爷爷|奶奶|外[公婆]|哥|姐|弟|妹|室友|同事|老板"
    r"|养了|家里?(?:有|养)?\S?[\d一二两三四五几][只个口条辆]|生日|毕业|专业|职业|岁|病|血压|血糖|怀孕|近视|失眠|不耐受|擅长|母语|会说|负责|管理着"
    r"|最多|以内|之内|统一|约定|规定|原则"
    r"|(?:砍|涨|降|提|升|加|减|调)到[^，。]{0,6}[\d一二两三四五六七八九十百千万]|截止|上线|改[到成为]|推迟|提前|迁移|换成|改用|不再|[用写]的?是|一律|采用|保留|不得"
    r"|\b(?:usually|normally|generally|typically|every (?:day|week|month|year|morning|evening|night|sunday"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|time|quarter|sprint|\d+)|each (?:week|month|year|time|sprint)"
    r"|weekly|monthly|daily|most (?:days|weekends|of my)|on (?:sun|mon|tues|wednes|thurs|fri|satur)days|weekends"
    r"|prefer\w*|favou?rite|likes|loves|hates|dislikes|can'?t stand|can(?:'?t|not) (?:eat|drink|have|stand|wear|drive|swim|lift|digest)|don'?t (?:eat|drink|use|own|drive|wear|do|watch|work)|allerg\w+|intoleran\w+"
    r"|vegan|vegetarian|halal|kosher|diabet\w+|asthma\w*|live|lives|living|based in|born|grew up|moved|work (?:at|as|for"
    r"|in|on|night|from|part)|works|job|years?|decades?|since|used to|no longer|any ?more|these days|nowadays|(?:sing|dance|act|serve|volunteer|coach|row) (?:in|at|for|with) (?:an?|the|our|my)|plan(?:ning)? to|saving (?:up )?(?:for|to)|by 20\d\d|in (?:\d+|two|three|five|ten) years|goal|training"
    r" for|learning (?!about|how|to use|that)\w+|moving to|relocating|sitting (?:the|my|an?) [\w ]{2,24}exam|retiring|expecting (?:a|our|my)|learn(?:ing)? best|studying|degree|married|wife|husband|partner|daughter|son|kids?|child(?:ren)?|mom|mum|dad"
    r"|mother|father|brother|sister|girlfriend|boyfriend|roommate|flatmate|boss|manager|colleague|dog|cat|birthday"
    r"|(?:gone|went|going) (?:up|down) to|cut (?:down|back) to|switched (?:to|from)|(?:trad|swapp)ed \S.{1,30}? for|deadline|rotate|policy|convention|standard|by default|at most|no more than|own|speak|native|pronouns|budget)\b",
    _I,
)
_WEAK = re.compile(
    r"以后|今后|永远|始终|总是|必须|务必|不要|别[给用推]|优先|尽量|默认|要求|\b(?:always|never|like|love|hate|enjoy\w*|dislike"
    r"|teaching|raising|caring|managing|running a|building|writing a|planning)\b",
    _I,
)
"""Words of lasting things that count beside a person only: by themselves they stand in idioms and titles."""
_SUBJECT = re.compile(
    r"项目|团队|公司|部门|小组|仓库|代码库|客户|甲方|验收|服务器|环境|集群|数据库|流程|版本|架构|接口|里程碑|周会|例会|站会|学校|班级|病区|科室"
    r"|预算|房租|工资|补习班|兴趣班|\b(?:(?:book|chess|running|cycling|rowing|sewing) club|choir|rehearsals?|lessons?|rent|lease|allowance|project|team|company|department|repo\w*|codebase|client|customers?|cluster|staging|production|pipeline|release"
    r"|sprint|meeting|stand-?up|policy|process|office|school|class|ward|clinic|database|server|backups?)\b",
    _I,
)
_COPULA = re.compile(
    r"是|为|叫|在|有|用|要|由|归|改|走|放|存|跑|[砍涨降提升加减调]到|[：:]|['’]s (?:moved|gone|now|been|changed|switched)\b|\b(?:is|are|was|has|have|uses?|runs?|must|should|moved|takes?|goes|needs?"
    r"|starts?|ends?|meets?|closes?|opens?|belongs?|means|handles?|allows?|requires?)\b",
    _I,
)
_AS_A = re.compile(
    r"^(?:planning|training|saving|hoping|studying|living|raising|working|moving|retiring|caring|dealing|coping) (?:to|for|in|at|with|as|on)\b.{4,}$"
    r"|^(?:as|being|speaking as) (?:an?|the|someone|somebody|one) [\w -]{2,60}$|^(?:as|being) (?:someone|somebody) (?:with|who)\b|^作为(?:一[个名位])?\S{1,20}$|\bas an? \w+ (?:who|with)\b",
    _I,
)
_TASK = re.compile(
    r"^(?:给[个出]|[换改][成个一])|^\S{2,10}(?:帮我|给我|替我)(?:存|记录|登记|画|写|改|查|找|做|整理)|造[一个]?个?句|^重新\S|^(?:下面|上面)?(?:这个?|那个?)\S{1,8}?(?:用|写|改|算)\S{1,8}(?:写|做|算|改)|^(?:(?:好的?|嗯|那么?|然后|接着|再|先|现在|麻烦|请|你|帮忙|可以|能不能)\s*)*(?:帮我|给我(?!家|妈|爸|们)|替我|帮忙|把|将|翻译|总结|概括|解释|介绍"
    r"|写[一个篇封段首份]|列[出一举]|算[一下出]|查[一下询找]|搜|画|生成|推荐|改写|润色|检查|看看|看一?下|瞧瞧|过一遍|念一|读一|估一?[下算]|解答|告诉我|讲[讲一个]|说说|对比|比较|分析|排[一序]|优化"
    r"|重写|续写|运行|执行|打开|创建|新建|删除|添加|修[复改]|实现|继续|给[她他它])"
    r"|^(?:(?:ok(?:ay)?|so|now|then|and|also|please|pls|hey|hi|just|could you|can you|would you)[ ,]+)*(?:translate"
    r"|summari[sz]e|sum (?:up|this|it)|quiz|estimate|redo|recalculate|skim|rank|count|guess|turn (?:this|it|that)|walk me|talk me|explain|describe|write|list|give|show|tell|find|search|calculate|compute|convert|draw|generate"
    r"|create|make|fix|debug|refactor|rewrite|rephrase|check|review|compare|sort|format|run|open|add|remove|delete"
    r"|change|rename|save|put|log|take|export|undo|help|draft|suggest|recommend|plan|book|look|read|draw|design|build|implement|continue|try|use"
    r"|let'?s|let me|sign|send|pick|choose|proofread|edit|shorten|play|solve|render|extract|outline|remind me (?:how|what|why))\b",
    _I,
)
_PASSING = re.compile(
    r"我(?:把|将|在(?:地铁|公交|高铁|飞机|车上|路上|外面|排队|超市|厕所|电梯|机场|食堂))|我(?:就|也|又|还|真|好|很|太|有点|都|先|再|只|现在|今天|刚刚?|刚才|正|已经)*(?:想[问要知看找]|需要|要(?:去|找|写|做|买|一|个)|觉得|认为|在(?:看|写|做|跑|调|等|改|用这|路上|开会|忙|吃|想|找)|正在|刚|忘[了记]"
    r"|看(?:了|到|不懂|见)|试[了过着]|加了|跑了|写了|贴|发(?:你|给|了|现)|收到|不(?:知道|明白|懂|太?清楚|确定|会)|没(?:看|懂|有|找|收|想|明白)|该|能|可以|得(?:去|先|走)"
    r"|有(?:个|一个|点|些)?(?:问题|疑问|报错|文件|表|需求|事|函数|数组|列表|想法|急)|累|困|饿|烦|生气|难受|崩溃|无语|晕|找不到|听说|猜|怀疑|希望你|懂了|明白|错了|等|走了|回来|先去|马上|今天|昨天|刚才|这[边里个段])"
    r"|\bI(?:'m| am|m)? (?:just |still |so |really |also |now |currently |a bit |not |very |about to |kind of )*(?:stuck|tired|lost"
    r"|confused|\w+ing|sure|sorry|late|back|here|done"
    r"|ready|busy|hungry|bored|in a (?:meeting|hurry|rush)|on (?:the|my) way|curious|asking|afraid|reading (?:the|this|an?)"
    r"|need|want|wonder|think|guess|suppose|mean|added|tried|changed|ran|get|got|see|saw|forgot|can|can'?t|cannot|could"
    r"|couldn'?t|don'?t (?:know|understand|see|get|think|remember)|have (?:a|an|this|these|some|two|three) (?:question"
    r"|error|bug|problem|function|file|list|table|string|array|query|meeting|doubt|idea)|found|wrote|pasted|attached"
    r"|copied|sent|clicked|installed|updated|restarted|deleted|opened|read|heard|noticed|just|agree|disagree|hope"
    r"|apprec\w+|thought|understand|followed|expected|assume|keep getting|appreciate|will (?:be|do|try|check|go|let)"
    r"|'ll (?:be|do|try|check|go|let))\b",
    _I,
)
_MOMENT = re.compile(
    r"[累困饿烦气热冷忙急笑渴]死|^今天\S{1,6}了$|堵车|快没电|马上就?|稍等|等我|待会|等下|一会儿?|今晚|现在(?:外面|好|很|有点|几|在)|这(?:周|几天|两天)|刚才"
    r"|\b(?:right now|at the moment|today|tonight|just now|this (?:morning|afternoon|evening)|in (?:two|five|ten|\d+)"
    r" minutes|at \d+ ?%|taking (?:forever|ages)|for (?:lunch|dinner|breakfast)|minutes (?:late|away|left)|(?:until|till) (?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:until|till) (?:tomorrow|tonight|noon|the weekend)|running late|got back|traffic|one call later|a (?:sec|second|minute))\b",
    _I,
)
_IRONY = re.compile(
    r"^(?:oh[ ,]+(?:great|sure|yeah|wow|good|nice|joy|perfect)|yeah,? right|呵呵|真是太好了|可不是嘛|好家伙)", _I
)
_POINTING = re.compile(
    r"(?:I|我)\s*(?:also |really |still |much )?(?:like|love|prefer|hate|喜欢|选|要|爱)\s*(?:this|that|it|these|those|the"
    r" (?:first|second|third|last|other)|这|那|第.)(?: \w+)?\S{0,3}",
    _I,
)
_PHRASE = re.compile(
    r"我(?:要|说|问|指|想|需要)的是|^(?:不对|错了|不是(?:这|那))|我(?:已经|都|刚)?(?:删|改|试|重启|重装|装|点|记下来?|记住|存|关)了(?:$|[，,])|\bi meant\b|\bwrong (?:arg\w*|input|column|file|chart|function|line|row|answer)\b"
    r"|\bi(?:'ll| will) never forget\b|\bnothing i do\b|\boff the top of my head\b|\bmessed up the\b|\bfor a (?:second|moment|bit)\b|"
    r"\b(?:can|could|will) never (?:remember|recall|tell)\b|\bi (?:always|never) (?:forget|mix up|confuse|remember)\b|以后再说|再也不熬|永远的神|一直在(?:加载|转|报|卡|跑|等|更新|重启|闪|下)|记不[住清得]|我(?:没|不是)(?:让|说|叫|要)|\bnever ?mind\b|\balways a pleasure\b"
    r"|\b(?:lol|lmao|haha)\b|\bdon'?t forget to\b|\bI (?:keep (?:forgetting|getting|losing|seeing)|didn'?t (?:ask|say|mean|tell))"
    r"|\bI'?m not (?:saying|asking)\b|\bon (?:my|the) way\b|\bon (?:the|a) (?:bus|train|call|road|plane|metro|tube)\b",
    _I,
)
_WISH = re.compile(r"记住|以后|今后|都[要得]|别|不要|必须|不许|\b(?:always|never|to|should|must)\b", _I)
_SAID = re.compile(r"(?:说|写道|回复|问|wrote|said|says|asked|told me)[\s:：]*$", _I)
_DONE = re.compile(r"^[把将]\S[^，,]*了$")
"""把默认分支改成 main 了 tells what was done; without the 了 it is a task."""
_TEST_RESULT = re.compile(
    r"\b(?:build|compile|deploy\w*|tests?|script|code|page|app|query|loop|pod|server|request|table|screen|job) (?:broke|breaks|fails?|failed|crash\w*"
    r"|hangs?|passe[sd]|(?:is|was|are) (?:still )?(?:broken|stuck|slow|down|blank|empty|red|green))|(?:用例|测试|构建|编译|单测|流水线)\S{0,6}(?:挂|过|红|绿|失败|通过)|\bsegfault\b|\breturns? [45]\d\d\b|"
    r"\b\d+ (?:failed|passed|errors?|warnings?)\b|\bexit code\b|\.(?:py|js|ts|go|java|rs|jsx|tsx):\d+|测试输出|运行结果|日志(?:是|如下|里)"
)


def worth_judging(turns: Sequence[Turn]) -> bool:
    """Whether any user turn holds a cue or states something that may last."""
    return any(turn.role is Role.USER and turn.text and (turn.cue or is_durable(turn.text)) for turn in turns)


def is_durable(text: str) -> bool:
    """Whether a user's message holds a cue or a sentence that may state something lasting.

    The rules decide sentence by sentence, and the wording has a say where it is sure (`memoryapp.domain.classifier`).
    """
    if has_cue(text):
        return True
    cut = [sentence for sentence in sentences(text) if not _set_aside(sentence)]
    lasting = classifier("lasting")
    if cut and lasting.accepts(plain_text(text)):
        return True
    telling = [text[sentence.start : sentence.end] for sentence in cut if _says_something(sentence)]
    return any(not lasting.rejects(plain_text(sentence)) for sentence in telling)


def tells_something(text: str) -> bool:
    """Whether the rules alone find a sentence that states something lasting."""
    return any(_says_something(sentence) for sentence in sentences(text) if not _set_aside(sentence))


def is_task(text: str) -> bool:
    """Whether a sentence is an order for work at hand (帮我改一下, summarise this)."""
    return _TASK.search(text.strip()) is not None


def _set_aside(sentence: Sentence) -> bool:
    """Whether a sentence is imagined, ironic or for this once."""
    first = sentence.clauses[0].own
    imagined = any(is_hypothetical(clause.own) for clause in sentence.clauses)
    return imagined or is_one_off(first) or _IRONY.match(first) is not None


def _says_something(sentence: Sentence) -> bool:
    if any(clause.marked for clause in sentence.clauses) and not any(_tells(clause) for clause in sentence.clauses):
        return False
    return any(_lasts(clause) for clause in sentence.clauses)


def _tells(clause: Clause) -> bool:
    """Whether a clause of a question is about a person, or of the lasting kind."""
    return any(words.search(clause.own) for words in (_DURABLE, _PERSON, _AS_A))


def _lasts(clause: Clause) -> bool:
    whole = unicodedata.normalize("NFKC", clause.own[:_LONGEST_CLAUSE]).replace(FILLER, " ").strip()
    own = _before_question(whole)
    if _AS_A.search(own) and not own.endswith(("?", "？")):
        return True
    if (clause.asks and own == whole) or _is_passing(own):
        return False
    return _lasts_for_a_person(own) if _PERSON.search(own) else _lasts_by_itself(own)


def _lasts_for_a_person(own: str) -> bool:
    if _DURABLE.search(own) or _WEAK.search(own):
        return True
    if _TROUBLE.search(own) or ANOTHER_SUBJECT.match(own):
        return False
    return _HAPPENED_TO_ME.search(own) is not None or _PASSING.search(own) is None


def _lasts_by_itself(own: str) -> bool:
    """A statement without a person: of the lasting kind, about a subject of work, or something that happened."""
    if _TROUBLE.search(own) or _SMALL_TALK.search(own):
        return False
    if _DURABLE.search(own) and (len(own) <= _SHORT or _COPULA.search(own)):
        return True
    if _SUBJECT.search(own) and _COPULA.search(own):
        return True
    if _LOOKS.fullmatch(own):
        return False
    return _EVENT.search(own) is not None and sum(character.isalnum() for character in own) >= _FEWEST_LETTERS


_FEWEST_LETTERS = 4
_LOOKS = re.compile(
    r"(?:the|this|that|these|it)(?: \w+)?(?:'s| is| are| looks?| seems?)(?: so| too| very| really| a bit| still)? \w+[.!]?|这\S{1,4}(?:太|好|真|很|有点|不)\S{1,4}"
    r"|(?:上面|下面|这|那)(?:里的?)?[张段列行份题页幅个](?:表|图|列|行|段|题|数据|数|代码|页|文|单|SQL)\S*"
    r"|(?:that|this|the|these|those) (?:\w+ )?(?:column|row|table|figure|chart|cell|line|sheet|value|ticket|issue|pr|commit|variable|button|string|regex|title|axis|slide)s?(?: \w+)? (?:is|are|was|should|has|have)\b.*",
    _I,
)
"""What something on the screen looks like just now: "the image is blurry"."""
_EVENT = re.compile(
    r"了(?!吗|么|吧|啊|哦)|[去来吃看]过|搬[到家进]|换[到成]|打算|下个?[周月]|上个?[周月]|周[一二三四五六日末]|星期|\d+\s*[月号]|生日|在学"
    r"|用\s*\S|跑在|在\S+(?:云|楼|边)|是\S{2}"
    r"|\b(?:moved|started|joined|left|got|bought|sold|passed|shipped|switched|migrated|adopted|married|engaged|graduated"
    r"|broke up|retired|promoted|is|are|was|were|handles?|lives?|runs?|uses?|likes?|loves?|takes)\b",
    _I,
)
_TROUBLE = re.compile(
    r"报错|报\s?\d{3}|闪退|白屏|连不上|起不来|占用|挂了|失败|卡[住死]|过不去|没反应|打不开|日志|重装|好累|心情|下雨|烦|emo|崩|又\S{1,2}了|终于|太\S{1,3}了|还没|看不清|跳转错"
    r"|error|exception|traceback|undefined|not found|\bfail(?:s|ed)?\b|no such|denied|refused|\$ |\bfound it\b"
    r"|has no effect|\bfile \"",
    _I,
)
_SMALL_TALK = re.compile(
    r"^(?:记得(?!我)|记住了|别忘了?|別忘了?|忘了|不见不散|谁也没|忘年|算了|好的|thanks?|thank you|remember[, ]|never ?mind"
    r"|forget (?:it|about it)|don'?t forget|always (?:a|something)|long time|这(?:药|题|首|个问题))|啊$|哦$|谢谢",
    _I,
)
_HAPPENED_TO_ME = re.compile(
    r"我(?:把|将)\S+(?:卖|买|送|退|改成|换成|搬|迁)|我(?:昨天|上[周个]\S{0,2}|刚刚?|今天)?(?:吃|喝|去|见|参加|领|拿|考|过|搬)[了过到]|会(?:喝|吃|用)|我在(?:做|学|写)一?[个本款]"
    r"|\bI (?:just |recently |finally )?(?:got|bought|adopted|sold|moved|started|joined|left|passed|changed|take|ran)\b"
    r"(?! (?:an? )?(?:error|the same|this|it|stuck|\d))",
    _I,
)
_SHORT = 40
_TURN = re.compile(
    r"(?P<head>.{8,}?)[ ,]+(?:so|and|but)?[ ,]*(?:what|which|how|when|where|is|are|can|could|should|do|does|will|would|any)\b.*",
    _I,
)
_TURN_ZH = re.compile(
    r"(?P<head>我\S{1,24}?(?:过敏|吃素|怀孕|高血压|糖尿病|[了的]|岁|年|夜班|不[吃喝]\S{1,4}))(?:能|可以|该|要不要|应该|怎|吃什么|有什么|有啥|哪|选|用什么)\S*"
)


def _before_question(own: str) -> str:
    """The statement in front of a question of the same clause (I can't eat gluten so what …?), else the clause."""
    turn = _TURN_ZH.fullmatch(own) or (_TURN.fullmatch(own) if _STATEMENT_EN.match(own) else None)
    return turn["head"].strip() if turn else own


_STATEMENT_EN = re.compile(r"(?:(?:hi|hey|so|well|btw)[ ,]+)?(?:I|I'm|I've|im|ive|we|we're|we've|my|our)\b", _I)


def _is_passing(own: str) -> bool:
    """A task, a one-off, debugging, a moment, or words that only point at something on the screen."""
    return bool(
        is_one_off(own)
        or _PHRASE.search(own)
        or (THIRD_PERSON_WISH.search(own) and _WISH.search(own))
        or (_TASK.search(own) and not _DONE.search(own))
        or (DEBUGGING.search(own) and not _HAPPENED_TO_ME.search(own))
        or _TEST_RESULT.search(own)
        or _POINTING.fullmatch(own)
        or _SAID.search(own)
        or (_MOMENT.search(own) and not _DURABLE.search(own))
    )
