from __future__ import annotations

from time import perf_counter

import pytest

from memoryapp.domain.cues import confirms_saving, find_cues, has_cue, only_asks
from memoryapp.domain.silence import wants_silence
from memoryapp.domain.types import CueKind

REMEMBER = [
    ("记住：周会改成每周二上午十点", "周会改成每周二上午十点"),
    ("帮我记一下，我的车牌尾号限行是周四。", "我的车牌尾号限行是周四"),
    ("请记住我女儿叫小满。", "我女儿叫小满"),
    ("顺便记下来：我们的测试机在上海机房", "我们的测试机在上海机房"),
    ("你要记住，我晚上不喝茶", "我晚上不喝茶"),
    ("能不能帮我记住我不吃香菜？", "我不吃香菜"),
    ("别忘了我是左撇子", "我是左撇子"),
    ("千万别忘记我爸有糖尿病", "我爸有糖尿病"),
    ("记得我家只有一个卫生间", "我家只有一个卫生间"),
    ("请記住我對海鮮過敏", "我對海鮮過敏"),
    ("我叫顾明远。", "我叫顾明远"),
    ("叫我阿宽就行", "叫我阿宽就行"),
    ("把我的航班偏好记下来", "我的航班偏好"),
    ("我每周三都要接孩子，这个要记住。", "我每周三都要接孩子"),
    ("我不吃香菜。记住。", "我不吃香菜"),
    ("Please remember that I'm left-handed.", "I'm left-handed"),
    ("Could you remember that our sprint starts on Wednesdays?", "our sprint starts on Wednesdays"),
    ("Keep in mind I only have a toaster oven.", "I only have a toaster oven"),
    ("Don't forget that my son is lactose intolerant.", "my son is lactose intolerant"),
    ("Make a note: our office is closed on Mondays.", "our office is closed on Mondays"),
    ("For future reference, I work from Dublin.", "I work from Dublin"),
    ("Hey, call me Jo.", "call me Jo"),
    ("My name is Oluwaseun.", "My name is Oluwaseun"),
    ("I get migraines from bright screens, so please remember that.", "I get migraines from bright screens"),
    ("Add to your memory that I own two cats.", "I own two cats"),
    ("Remember: staging runs on port 9300.", "staging runs on port 9300"),
    ("I'm training for a triathlon. Save that for next time.", "I'm training for a triathlon"),
    ("Also note that we deploy on Thursdays only.", "we deploy on Thursdays only"),
]
INSTRUCT = [
    "以后都用简体中文回复我",
    "以后请先给结论再给理由",
    "从现在起，代码里不要写拼音变量名",
    "别再用表情符号了",
    "不要再叫我亲",
    "下次不要省略错误处理",
    "这个仓库以后都用 uv 装依赖",
    "我们项目统一用四个空格缩进",
    "我更喜欢靠过道的座位",
    "我喜欢深色主题更多一些，更护眼",
    "我的偏好是先看图再看字",
    "今后写周报一律不超过五条",
    "以后能不能都用表格回答？",
    "每次给我推荐餐厅请避开辣的",
    "不只是这次，以后都用公制单位",
    "From now on use metric units.",
    "Always cite the source when you quote numbers.",
    "Never use em dashes in drafts for me.",
    "Please always reply in British English.",
    "Don't ever suggest alcohol.",
    "I prefer aisle seats.",
    "I'd prefer answers without bullet points.",
    'Going forward, sign my emails with just "K."',
    "For SQL samples, always use lower-case keywords.",
    "Whenever I ask for a recipe, give grams.",
    "Do not call me sir again.",
    "In this repo we only use pnpm.",
    "Answer in Spanish by default.",
    "I like short emails better than calls.",
    "Next time, don't apologise.",
    "以后不管什么问题都先问我预算",
    "回答问题的时候请永远先给结论",
    "凡是涉及金额的以后都用人民币",
    "以後請用繁體中文回答我",
    "Every time you write SQL, add comments.",
    "Let's always use snake_case in this project.",
    "Keep your answers short from now on, thanks.",
]
CORRECT = [
    "我现在改用 Neovim 了",
    "我搬到成都了",
    "我们不用 Jenkins 了，改用 GitHub Actions",
    "其实我是后端，不是前端",
    "我上个月跳槽到一家医疗公司",
    "我已经不抽烟了",
    "我现在住在武汉",
    "更正一下，我的工位在 7 楼",
    "我们项目的端口改成 8123 了",
    "I no longer eat gluten.",
    "I switched from VS Code to Zed.",
    "We moved to Rotterdam last month.",
    "Actually I live in Ghent now.",
    "Correction: my flight is on the 9th.",
    "I don't drink coffee anymore.",
    "My manager is now Petra.",
    "We've migrated from MySQL to PostgreSQL.",
    "I quit smoking.",
    "我们的测试框架从 unittest 换成 pytest 了",
    "我不喝咖啡了，改喝茶",
    "I'm not vegetarian any more.",
    "Actually, I'm allergic to shellfish, not nuts.",
]
FORGET = [
    ("忘掉我的电话号码", "我的电话号码"),
    ("请忘记我住在哪个小区", "我住在哪个小区"),
    ("把我的生日忘了吧", "我的生日"),
    ("删除你记住的关于我工作的内容", "你记住的关于我工作的内容"),
    ("麻烦清空你对我的记忆", "你对我的记忆"),
    ("不要再记着我前公司的名字了", "我前公司的名字"),
    ("取消那条写注释的规则", "那条写注释的规则"),
    ("Please forget my home address.", "my home address"),
    ("Forget that I'm vegan.", "I'm vegan"),
    ("Forget everything you know about me.", "everything you know about me"),
    ("Erase what you saved about my job.", "what you saved about my job"),
    ("Drop the rule about bullet points.", "the rule about bullet points"),
    ("You don't need to remember my shoe size any more.", "my shoe size"),
    ("Delete my birthday from your memory.", "my birthday from your memory"),
]
DO_NOT_STORE = [
    "别记住这个，我只是随口一说",
    "不要保存这段对话",
    "这个别记",
    "刚才说的不要记下来",
    "先别记，我还没想好",
    "This is off the record.",
    "Don't save this.",
    "Please don't remember any of this.",
    "Do not store this conversation.",
]
NO_CUE = [
    "你还记得我住哪吗？",
    "你记住了吗",
    "我不记得把钥匙放哪了",
    "我忘了关灯，怎么办？",
    "忘记密码怎么办",
    "记住密码功能在哪个页面？",
    "登录页的「记住我」按钮点了没反应",
    "怎么快速记住英语单词？",
    "帮我想想怎么记住这么多地名",
    "十点以后还有车吗？",
    "毕业以后做什么好呢",
    "我以后想当医生",
    "以后再说吧",
    "下班以后都堵车，烦死了",
    "算了，别再说了",
    "这次用英文回答，以后再说",
    "今天先用表格吧",
    "老板说以后都要写日报，好烦",
    "我妈让我以后都早点睡",
    "他说：记住，准时到。",
    "翻译成日语：请记住带护照",
    "把标题改成红色",
    "把变量名改成 user_id",
    "写一个故事，主角总是说“别忘了我”",
    "假装你是海盗，记住我叫杰克船长",
    "假如我搬到火星，以后都得穿宇航服吧",
    "要是我现在改用 Linux 会不会好一点？",
    "我叫了外卖，还没到",
    "我叫他明天来",
    "别忘了今晚取快递",
    "删除这个文件里的第三行",
    "取消订单怎么操作？",
    "我改用递归重写了，还是报错",
    "总是报错，怎么办",
    "好的，收到",
    "Do you remember my dog's name?",
    "Remember when we talked about Paris?",
    "I can't remember the command.",
    "I remember that movie.",
    "Forget it.",
    "Never mind, it works now.",
    "Forget about the regex, let's use a parser.",
    "I forgot to commit.",
    "Should I always use HTTPS?",
    "Is it true that you never store data?",
    "The `remember_me` flag is never set.",
    "My teacher said: always show your work.",
    "She told me to always knock first.",
    "Translate into German: Remember that I love you.",
    "Just for this answer, use French.",
    "This time, always start with a joke.",
    "Pretend you're my grandmother. Always call me sweetie.",
    "If I were rich I would never cook again.",
    "Call me when the build is done.",
    "I always forget my umbrella.",
    "My wife and I never watch TV.",
    "I prefer this one.",
    "Don't forget to buy milk tomorrow.",
    "It always fails on the second run.",
    "test_never_forget_user FAILED",
    "Delete the second paragraph.",
    "Drop the users table.",
    "Save it to a file called notes.txt.",
    "I switched to the main branch and the tests still fail.",
    'What does "keep in mind" mean?',
    "> Remember that the deadline is Friday\nWhat did he mean by that?",
    "Write a poem that says remember me when I am gone.",
    "The docs say to always pin versions. Is that needed?",
    "In the future I want to be a pilot.",
    "I used to live in Oslo.",
    "孩子以后都要上网课，怎么办",
    "他不用 Mac 了，改用 Windows",
    "老师布置作业：以后都要写日记",
    "别忘了检查一下空指针",
    "把数据库里的旧记录删除",
    "Can you remember things between chats?",
    "My sister no longer eats meat.",
    "I prefer the blue one.",
    "Please remove my name from the title page.",
    "Remove the rule about unused variables from eslint.",
    "Going forward with option B then.",
    "Never gonna give you up",
]


@pytest.mark.parametrize(("text", "body"), REMEMBER)
def test_a_wish_to_remember_is_found_with_its_statement(text: str, body: str) -> None:
    assert [(cue.kind, cue.body) for cue in find_cues(text)] == [(CueKind.REMEMBER, body)]


@pytest.mark.parametrize("text", INSTRUCT)
def test_a_standing_rule_or_preference_is_a_cue(text: str) -> None:
    assert CueKind.INSTRUCT in [cue.kind for cue in find_cues(text)]


@pytest.mark.parametrize("text", CORRECT)
def test_a_correction_is_a_cue(text: str) -> None:
    assert CueKind.CORRECT in [cue.kind for cue in find_cues(text)]


@pytest.mark.parametrize(("text", "body"), FORGET)
def test_a_wish_to_forget_names_what_to_forget(text: str, body: str) -> None:
    assert [(cue.kind, cue.body) for cue in find_cues(text)] == [(CueKind.FORGET, body)]


@pytest.mark.parametrize("text", DO_NOT_STORE)
def test_a_wish_for_silence_is_the_opposite_of_a_cue(text: str) -> None:
    assert [cue.kind for cue in find_cues(text)] == [CueKind.DO_NOT_STORE]
    assert not has_cue(text)


@pytest.mark.parametrize("text", NO_CUE)
def test_questions_idioms_quotes_fiction_and_one_offs_are_no_cues(text: str) -> None:
    assert find_cues(text) == ()


@pytest.mark.parametrize(
    "text",
    ["嗯，记下来吧", "好的，记住吧。", "Yes, save it.", "Sure, please remember that", "ok, note it down", "对，记一下"],
)
def test_a_short_yes_confirms_saving_what_was_said_before(text: str) -> None:
    assert confirms_saving(text)
    assert [(cue.kind, cue.body) for cue in find_cues(text)] == [(CueKind.REMEMBER, "")]


@pytest.mark.parametrize(
    "text", ["好的", "Yes please", "记住我叫阿宽", "Save it to disk as a PDF", "记住了吗？", "嗯，先不用"]
)
def test_other_short_answers_confirm_nothing(text: str) -> None:
    assert not confirms_saving(text)


def test_each_clause_of_a_message_is_verbatim_in_it() -> None:
    text = "这个项目以后都用 pnpm，开发服务跑在 4000 端口。顺便记一下，我不喜欢太客套的回答。"
    cues = find_cues(text)
    assert [cue.body for cue in cues] == ["这个项目以后都用 pnpm，开发服务跑在 4000 端口", "我不喜欢太客套的回答"]
    assert all(cue.clause in text and cue.body in text for cue in cues)


def test_a_trailing_request_belongs_to_the_rule_before_it() -> None:
    assert [cue.body for cue in find_cues("查到了。以后日志都按天切，这条记住。")] == ["以后日志都按天切"]


def test_a_list_after_the_request_is_its_statement() -> None:
    (cue,) = find_cues("记住以下几点：\n1. 我不吃牛肉\n2. 我住在三楼\n谢谢")
    assert "我不吃牛肉" in cue.body and "我住在三楼" in cue.body and "谢谢" not in cue.body


def test_the_question_after_a_statement_is_not_part_of_it() -> None:
    (cue,) = find_cues("记住我吃素，周五请客去哪家好？")
    assert cue.body == "我吃素"


@pytest.mark.parametrize(
    "unit", ["“", "'", " ' ", "请", "写", "嗯", "I ", "always use ", "以后都", "我，", "a  \t", "\n"]
)
def test_a_message_of_full_length_is_read_in_time_whatever_it_repeats(unit: str) -> None:
    started = perf_counter()
    find_cues("x" + unit * (8000 // len(unit)) + "y")
    assert perf_counter() - started < 2


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("忘掉我的住址", True),
        ("别记这个", True),
        ("Forget my phone number.", True),
        ("我住在杭州，忘掉旧地址", False),
        ("我叫阿宽", False),
    ],
)
def test_a_wish_to_forget_or_not_to_store_is_no_fact(text: str, asks: bool) -> None:
    assert only_asks(text) is asks


@pytest.mark.parametrize(
    "said",
    [
        "Remember that I moved to Bonn, but don't remember that I left Anna",
        "Remember I like jazz but please don't store that I am pregnant",
        "I work nights, and please do not keep that my boss is ill",
        "Note that I row, but do not record how my knee was hurt",
        "请记住我搬到了波恩，但别记住我离开了安娜",
    ],
)
def test_a_wish_for_silence_behind_a_request_is_heard(said: str) -> None:
    assert CueKind.DO_NOT_STORE in {cue.kind for cue in find_cues(said)}


@pytest.mark.parametrize("said", ["I don't remember that we met", "Sorry, but I don't remember how it went"])
def test_a_gap_of_ones_own_memory_is_no_wish(said: str) -> None:
    assert CueKind.DO_NOT_STORE not in {cue.kind for cue in find_cues(said)}


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("那什么你记一下啊我姑娘叫朵朵", "我姑娘叫朵朵"),
        ("Pop this in your notes: I'm colour blind", "I'm colour blind"),
        (
            "I live on the top floor, add that to what you know about me, and now help me pick a sofa.",
            "I live on the top floor",
        ),
        ("我家没有烤箱，这条留着以后推荐菜谱用", "我家没有烤箱"),
        ("ＲＥＭＥＭＢＥＲ that I live in Oslo", "I live in Oslo"),
    ],
)
def test_a_request_to_keep_is_heard_wherever_it_stands(text: str, body: str) -> None:
    assert [(cue.kind, cue.body) for cue in find_cues(text)] == [(CueKind.REMEMBER, body)]


@pytest.mark.parametrize(
    "text",
    [
        "这段代码帮我存一下，文件名叫 main.py",
        "Save this to a file called notes.txt",
        "会议纪要帮我记录一下要点",
        "Add this to the table above",
        "不对，我要的是表格",
        "That's wrong, I meant the other chart",
        "业主群聊天：\n王姐：我现在不喝咖啡改喝茶了\n老张：我搬到燕郊了\n帮我接一句俏皮话",
        "把上一段忘掉，我们重新写",
    ],
)
def test_saving_a_file_or_mending_an_answer_is_no_request_to_memory(text: str) -> None:
    assert find_cues(text) == ()


@pytest.mark.parametrize(
    "text", ["let go of what I told you about my job", "at work we always use Jira", "return only code from now on"]
)
def test_a_sentence_that_begins_like_code_is_still_said(text: str) -> None:
    assert has_cue(text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("别再记着我住哪儿", CueKind.FORGET),
        ("Forget that my cat is called Luna", CueKind.FORGET),
        ("I'd rather you didn't keep my birthday on file", CueKind.FORGET),
        ("别再记这些了", CueKind.DO_NOT_STORE),
        ("以后别再记我的饮食", CueKind.INSTRUCT),
        ("不对，我每周四打球", CueKind.CORRECT),
        ("我的会议挪到三点了", CueKind.CORRECT),
        ("之前说住三楼，是四楼", CueKind.CORRECT),
        ("wait no i told you wrong, the kids go to St Mark's", CueKind.CORRECT),
    ],
)
def test_what_is_asked_is_told_apart(text: str, kind: CueKind) -> None:
    """以后别再记… is a standing rule: kept as one, so that every later judgement sees it."""
    assert [cue.kind for cue in find_cues(text)] == [kind]


@pytest.mark.parametrize(
    ("text", "withdrawn"),
    [
        ("记住我每天早上六点跑步。算了，别记了", True),
        ("记住我爱吃寿司。还是别记了", True),
        ("记住我养了一只狗叫旺财，算了不用记了", True),
        ("Remember that I run every morning. Actually, scratch that.", True),
        ("Remember that I love sushi. Forget that.", True),
        ("Remember I am vegan. No wait, don't save that", True),
        ("记住我每天早上六点跑步", False),
        ("Remember that I run every morning.", False),
        ("Always cc Priya. Actually scratch that, never cc Priya.", False),
        ("记住：密码不用记了，都在密码管理器里", False),
    ],
)
def test_a_message_may_take_back_what_it_said(text: str, withdrawn: bool) -> None:
    assert wants_silence(text) is withdrawn
