"""An item that says several things: forgetting or changing one of them leaves the others."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from memoryapp.models import Evidence, MemoryItem, Tombstone
from memoryapp.services import changes
from memoryapp.services.scope import tenant_scope
from tests.cast import Cast
from tests.services.talk import active, keep, told

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("known", "wish", "stays"),
    [
        (
            "Mum's birthday is 2 March and dad's is 9 May",
            "Please forget my dad's birthday",
            "Mum's birthday is 2 March",
        ),
        ("妈妈生日3月2日，爸爸生日5月9日", "忘掉我爸的生日", "妈妈生日3月2日"),
        ("I live in Porto and work as a baker", "Forget where I live", "I work as a baker"),
        ("我在腾讯上班，喜欢打羽毛球", "把我的工作忘掉", "我喜欢打羽毛球"),
        ("Likes sushi, pizza and ramen", "Forget that I like pizza", "Likes sushi and ramen"),
        ("用户对花生、虾和芒果过敏", "忘掉我对芒果过敏这件事", "用户对花生和虾过敏"),
        ("My mother is called Ruth and she has cancer", "Forget that my mother has cancer", "My mother is called Ruth"),
        ("我儿子叫小宝，他有自闭症", "忘掉我儿子有自闭症这件事", "我儿子叫小宝"),
        ("I smoke weed and live in Hull", "Forget that I smoke weed", "I live in Hull"),
        ("I was in prison in 2015 and now I run a bakery", "Forget that I was in prison", "I run a bakery"),
        ("I have a cat called Milo and a dog called Rex", "Forget my dog", "I have a cat called Milo"),
        ("我离过婚，在银行上班", "忘掉我离过婚", "我在银行上班"),
    ],
)
def test_forgetting_one_thing_leaves_the_rest_of_its_item(cast: Cast, known: str, wish: str, stays: str) -> None:
    keep(cast, known)
    told(cast, wish)
    assert active(cast) == {stays}


def test_several_wishes_take_their_parts_of_one_item(cast: Cast) -> None:
    keep(cast, "I live in Porto, work as a baker and have two cats")
    told(cast, "Forget where I live. And forget my job please.")
    assert active(cast) == {"I have two cats"}


def test_what_stays_and_is_known_already_is_not_written_twice(cast: Cast) -> None:
    keep(cast, "I live in Porto and work as a baker", "I work as a baker")
    told(cast, "Forget where I live")
    assert active(cast) == {"I work as a baker"}


@pytest.mark.parametrize(
    ("known", "wish"),
    [
        ("Mum's birthday is 2 March and dad's is 9 May", "Please forget my parents' birthdays"),
        ("I live in Porto and work as a baker", "Forget that I live in Porto and work as a baker"),
        ("用户对花生、虾和芒果过敏", "忘掉我过敏的事"),
        ("妈妈生日3月2日，爸爸生日5月9日", "把你记的关于我的东西全部忘掉"),
        ("My brother Tom lives in Oslo and he has diabetes", "Forget everything about Tom"),
        ("我老公叫李强，他有抑郁症，今年四十岁", "把我老公的事都忘了"),
    ],
)
def test_a_wish_that_means_all_of_an_item_leaves_nothing(cast: Cast, known: str, wish: str) -> None:
    keep(cast, known)
    told(cast, wish)
    assert active(cast) == set()


def test_what_was_asked_for_has_a_stone_of_its_own(cast: Cast) -> None:
    keep(cast, "Mum's birthday is 2 March and dad's is 9 May")
    told(cast, "Please forget my dad's birthday")
    with tenant_scope(cast.agent):
        assert Tombstone.objects.count() == 2
        assert "dad" not in Evidence.objects.get(item__status="active").quote.lower()
    with pytest.raises(changes.DomainError, match="tombstoned"):
        changes.add(cast.agent, "alice", changes.NewItem("dad's birthday is 9 May"))


def test_each_part_that_was_asked_for_stays_away(cast: Cast) -> None:
    keep(cast, "I live in Porto, work as a baker and have two cats")
    told(cast, "Forget where I live. And forget my job please.")
    for gone in ("I live in Porto", "I work as a baker"):
        with pytest.raises(changes.DomainError, match="tombstoned"):
            changes.add(cast.agent, "alice", changes.NewItem(gone))


def test_what_is_left_ends_and_is_pinned_as_the_whole_was(cast: Cast) -> None:
    ends = timezone.now() + timedelta(days=9)
    changes.add(cast.agent, "alice", changes.NewItem("I live in Porto and have two cats", expires_at=ends, pinned=True))
    told(cast, "Forget where I live")
    with tenant_scope(cast.agent):
        left = MemoryItem.objects.get(status="active")
    assert (left.content, left.expires_at, left.pinned) == ("I have two cats", ends, True)


def test_what_is_left_was_said_by_whoever_said_the_whole(cast: Cast) -> None:
    told(cast, "Remember that my sister lives in Paris and has two cats", name="Bob")
    told(cast, "Forget my sister's cats", name="Bob")
    with tenant_scope(cast.agent):
        left = MemoryItem.objects.get(status="active")
    assert (left.content, left.speaker) == ("My sister lives in Paris", "Bob")


def test_an_item_about_two_people_waits_when_one_of_them_is_to_be_forgotten(cast: Cast) -> None:
    keep(cast, "Tom and Anna moved to Rome", "Tom likes sushi", "Anna likes tea")
    told(cast, "Forget what I said about Tom")
    assert active(cast) == {"Tom and Anna moved to Rome", "Anna likes tea"}


@pytest.mark.parametrize(
    ("known", "said", "new", "stays"),
    [
        ("I moved to Porto and work as a nurse", "Remember that I live in Lisbon now", "Lisbon", "work as a nurse"),
        ("我住在上海，是个护士", "更正：我搬到北京了", "北京", "是个护士"),
        ("妈妈生日3月2日，爸爸生日5月9日", "更正：我妈的生日是3月4日", "3月4日", "爸爸生日5月9日"),
        ("妈妈住在成都，爸爸住在重庆", "更正：我爸搬到西安了", "西安", "妈妈住在成都"),
        ("User is allergic to nuts and shellfish", "I'm no longer allergic to nuts", "no longer", "shellfish"),
        (
            "Mum's birthday is 4 May, Dad's birthday is 9 June",
            "Correction: Dad's birthday is 19 June.",
            "19 June",
            "4 May",
        ),
        (
            "Tom is in year 3, Ella is in year 6",
            "Correction: Ella is in year 7, not year 6.",
            "year 7",
            "Tom is in year 3",
        ),
        ("大宝上三年级，小宝上一年级", "记错了，小宝上二年级，不是一年级", "二年级", "大宝上三年级"),
        ("老婆对猫过敏，我对花粉过敏", "记错了，老婆是对狗过敏，不是猫", "对狗过敏", "我对花粉过敏"),
        ("我在华为做硬件工程师，住在深圳", "我跳槽了，记住我现在在小米上班", "小米", "住在深圳"),
        ("I live in Leeds and my mum lives in York", "Actually I live in Hull now, please update that", "Hull", "York"),
        ("用户对花生、芒果过敏", "我现在对花生不过敏了，更新一下", "不过敏了", "对芒果过敏"),
    ],
)
def test_changing_one_thing_keeps_the_rest_of_its_item(cast: Cast, known: str, said: str, new: str, stays: str) -> None:
    keep(cast, known)
    told(cast, said)
    kept = "\n".join(active(cast))
    assert new in kept and stays in kept and known not in kept


@pytest.mark.parametrize(
    ("known", "wish", "stays"),
    [
        (
            ("用户孩子的小名叫糯米", "用户的孩子在第二实验小学上学"),
            "学校那条删掉，小名可以留着",
            {"用户孩子的小名叫糯米"},
        ),
        (
            ("User gets migraines", "User is allergic to penicillin"),
            "Delete the migraines one but keep the allergy, that's important",
            {"User is allergic to penicillin"},
        ),
        (
            ("User's address is 14 Fennel Row", "User's mother's address is 9 Quarry Lane"),
            "Remove my home address from your memory but keep mum's, I post her parcels all the time",
            {"User's mother's address is 9 Quarry Lane"},
        ),
        (("用户体重66公斤", "用户身高168厘米"), "我的体重你忘了吧，身高留着买衣服用", {"用户身高168厘米"}),
        (("我妈生日4月18日，我爸生日11月6日",), "我爸从来不过生日的，把他生日忘掉吧", {"我妈生日4月18日"}),
        (
            ("I have a dentist appointment on Monday", "I have a doctor appointment on Tuesday"),
            "Forget my dentist appointment, keep the doctor one.",
            {"I have a doctor appointment on Tuesday"},
        ),
        (("我对花生、鸡蛋和牛奶过敏",), "忘掉我的过敏，但花生的留着", {"我对花生、鸡蛋和牛奶过敏"}),
        (
            ("My hobbies are jazz, hiking and chess",),
            "Forget my hobbies except chess.",
            {"My hobbies are jazz, hiking and chess"},
        ),
    ],
)
def test_what_a_wish_says_may_stay_stays(cast: Cast, known: tuple[str, ...], wish: str, stays: set[str]) -> None:
    keep(cast, *known)
    told(cast, wish)
    assert active(cast) == stays


def test_a_wish_for_all_but_one_thing_waits_for_its_person(cast: Cast) -> None:
    keep(cast, "User is allergic to nuts", "User lives in Rome", "User likes jazz")
    told(cast, "Forget everything about me except my allergy")
    with tenant_scope(cast.agent):
        waiting = MemoryItem.objects.filter(pending_reason="delete_unasked").values_list("content", flat=True)
        assert set(waiting) == {"User lives in Rome", "User likes jazz"}


def test_one_of_two_friends_without_a_name_is_asked_for(cast: Cast) -> None:
    keep(cast, "朋友小鹿喜欢跳伞", "朋友大成喜欢插花")
    told(cast, "我那个朋友的爱好你忘掉吧")
    assert active(cast) == {"朋友小鹿喜欢跳伞", "朋友大成喜欢插花"}


@pytest.mark.parametrize(
    "said",
    [
        "关于我家孩子你都知道些啥？",
        "把你知道的关于我孩子的都说一遍",
        "What do you know about my kid?",
        "Tell me everything you have on my kid",
    ],
)
def test_asking_what_is_known_takes_nothing_away(cast: Cast, said: str) -> None:
    known = {"用户孩子的小名叫糯米", "用户的孩子在第二实验小学上学", "User's kid is called Nuo", "User's kid is nine"}
    keep(cast, *known)
    told(cast, said)
    with tenant_scope(cast.agent):
        assert (
            set(MemoryItem.objects.filter(status="active", pending_reason="").values_list("content", flat=True))
            == known
        )
