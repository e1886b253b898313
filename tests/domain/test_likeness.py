"""What says the same, what says the opposite, and what only looks alike."""

from __future__ import annotations

import pytest

from memoryapp.domain.likeness import contradicts, hedged, replacing_clause, same_statement, shares_a_word


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("我喜欢绿茶", "用户喜欢绿茶"),
        ("I like green tea", "User likes green tea"),
        ("我住在青岛", "用户住在青岛市南区"),
        ("我喜欢喝拿铁，不加糖", "用户喜欢喝不加糖的拿铁"),
    ],
)
def test_a_repeat_in_another_person_is_the_same(text: str, known: str) -> None:
    assert same_statement(text, known)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("我不喜欢绿茶", "用户喜欢绿茶"),
        ("服务跑在 8001 端口", "服务跑在 8000 端口"),
        ("小周喜欢小吴", "小吴喜欢小周"),
        ("我爱猫，不爱狗", "用户不爱猫，爱狗"),
        ("User's cat is called Pip", "User's cat is called Pixel"),
        ("部署用 run_a.sh", "部署用 run_b.sh"),
        ("我喜欢绿茶和红茶", "用户喜欢绿茶"),
        ("My sister likes tea", "User likes tea"),
    ],
)
def test_another_figure_name_order_or_stance_is_not_the_same(text: str, known: str) -> None:
    assert not same_statement(text, known)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("我现在讨厌豆腐了", "用户喜欢吃豆腐"),
        ("I can't stand tofu", "User loves tofu"),
        ("我以后不吃素了", "用户吃素"),
        ("I'm not vegan anymore", "User is vegan"),
        ("我住在烟台", "用户住在青岛"),
        ("I joined Hooli last month", "User works at Initech"),
        ("请叫我阿福", "称呼用户为小满"),
    ],
)
def test_both_cannot_hold(text: str, known: str) -> None:
    assert contradicts(text, known)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("我女儿讨厌豆腐", "用户喜欢吃豆腐"),
        ("我以前住在烟台", "用户住在青岛"),
        ("I used to work at Hooli", "User works at Initech"),
        ("我也在烟台住", "用户住在青岛"),
        ("我不喜欢加班", "用户喜欢加班餐"),
        ("I like tofu", "User likes tempeh"),
        ("我特别喜欢豆腐", "用户喜欢吃豆腐"),
        ("这家店不错", "用户喜欢这家店"),
    ],
)
def test_both_may_hold(text: str, known: str) -> None:
    assert not contradicts(text, known)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("My father lives in York", "My mother lives in Leeds"),
        ("我爸住在重庆", "我妈住在成都"),
        ("我奶奶住在北京", "我外婆住在上海"),
        ("我叔叔住在北京", "我舅舅住在上海"),
        ("我哥在北京工作", "我姐在上海工作"),
        ("My dog is allergic to chicken", "My cat is allergic to eggs"),
        ("My cousin Ben lives in Oslo", "My cousin Amy lives in Rome"),
        ("我同事小王住在浦东", "我同事小李住在闵行"),
        ("My husband works at Shell", "My ex-husband works at BP"),
        ("My parents live in Oslo", "My mother lives in Leeds"),
        ("我舅舅在腾讯工作", "我在华为工作"),
        ("小王住在北京", "我住在上海"),
        ("她住在北京", "我住在上海"),
        ("She lives in Rome", "I live in Oslo"),
        ("Tom lives in Rome", "I live in Oslo"),
        ("My landlord lives in Rome", "I live in Oslo"),
        ("李明住在北京", "我住在上海"),
        ("Tom is vegan", "I am vegetarian"),
        ("Tom's birthday is June 2", "my birthday is May 1"),
        ("李明生日是6月2日", "我生日是5月1日"),
        ("Tom uses emacs", "I use vim"),
        ("张伟在腾讯上班", "我在阿里上班"),
        ("小王吃素", "我吃肉"),
        ("她不喜欢吃香菜", "用户喜欢吃香菜"),
        ("我大女儿吃素", "我小女儿吃肉"),
        ("我大儿子住在北京", "我小儿子住在上海"),
        ("my older son lives in Rome", "My younger son lives in Paris"),
        ("我同事李明在腾讯上班", "我同事王芳在阿里上班"),
        ("我女儿雨桐吃素", "我女儿思涵吃肉"),
        ("my daughter emma is vegan", "my daughter lily is vegetarian"),
        ("李明住在北京", "王芳住在上海"),
        ("Tom is vegan", "Anna is vegetarian"),
        ("我老婆的妹妹住在北京", "我老婆住在上海"),
        ("我妈妈的朋友住在北京", "我妈妈住在上海"),
        ("My wife's sister lives in Rome", "My wife lives in Paris"),
        ("User's friend Tom prefers aisle seats", "User prefers window seats"),
    ],
)
def test_what_is_true_of_one_says_nothing_about_another(text: str, known: str) -> None:
    assert not contradicts(text, known) and not same_statement(text, known)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("My mum lives in Oslo now", "My mother lives in Leeds"),
        ("My sister lives in Rome", "My older sister lives in Paris"),
        ("我妈搬到上海了", "我妈住在成都"),
        ("我女儿小米现在住在上海", "我女儿小米住在北京"),
        ("我叔叔搬到北京了", "我叔住在上海"),
        ("Currently lives in Rome", "User lives in Paris"),
        ("Diet is vegan", "User is vegetarian"),
        ("于今年搬到北京", "用户住在上海"),
        ("我媳妇跳槽到腾讯了", "我老婆在阿里上班"),
        ("My wife works at BP", "My partner works at Shell"),
        ("我是数学老师，住在北京", "我住在上海"),
        ("I am a landlord and live in Rome", "I live in Oslo"),
        ("我女儿思涵现在吃素", "我女儿思涵吃肉"),
        ("my daughter lily is vegan now", "my daughter Lily is vegetarian"),
        ("李明搬到北京了", "李明住在上海"),
        ("Tom is vegan", "Tom is vegetarian"),
        ("我大女儿吃素", "我女儿吃肉"),
        ("我老婆的妹妹住在北京", "我老婆的妹妹住在上海"),
        ("我女儿现在吃素", "我女儿吃肉"),
        ("I now live in Rome", "User lives in Paris"),
        ("现在住在北京", "用户住在上海"),
    ],
)
def test_another_word_for_the_same_one_is_heard(text: str, known: str) -> None:
    assert contradicts(text, known)


def test_the_sentence_that_takes_something_back_is_found_among_others() -> None:
    said = "今天好冷。我现在一口豆腐都吃不下了。晚饭吃什么？"
    assert replacing_clause(said, "用户喜欢吃豆腐") == "我现在一口豆腐都吃不下了"
    assert replacing_clause("Do I like tofu? It rains.", "User likes tofu") == ""
    assert replacing_clause("豆腐在哪里买？", "用户喜欢吃豆腐") == ""
    assert replacing_clause("I am no vegan any more", "I am a vegan") == "I am no vegan any more"


@pytest.mark.parametrize("text", ["我可能要搬去烟台", "Maybe I like tofu"])
def test_a_guess_is_heard_as_one(text: str) -> None:
    assert hedged(text)


def test_a_fact_shares_something_with_what_was_said() -> None:
    assert shares_a_word("用户养猫", "我家有只橘猫")
    assert shares_a_word("User owns a parrot", "We bought two parrots")
    assert not shares_a_word("用户有一艘游艇", "今天好冷")
    assert not shares_a_word("User owns a yacht", "It rains today")
