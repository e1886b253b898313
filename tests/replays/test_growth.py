"""Replays of merging that swells: facts that differ stay apart, and no text grows over the bound."""

from __future__ import annotations

import pytest

from memoryapp.domain.public_ids import parsed
from memoryapp.services import consolidation
from tests.llm_stub import LLMStub
from tests.replays.door import Door, add

TRIPS_ZH = [
    "我在大连坐过有轨电车",
    "我去泉州看过开元寺",
    "我爬过两次黄山",
    "我在喀什住过一个月",
    "我的蜜月是在厦门过的",
    "我在成都吃过最辣的火锅",
    "我坐船游过三峡",
    "我在哈尔滨看过冰灯",
    "我骑车环过青海湖",
    "我在苏州学过评弹",
    "我去敦煌看过壁画",
    "我在三亚学会了潜水",
]
TRIPS_EN = [
    "I rode the old tram in Lisbon",
    "My honeymoon was in Bergen",
    "I climbed Snowdon twice",
    "I lived in Graz for a month",
    "I learned to dive near Malta",
    "I cycled around Lake Constance",
    "My first flight went to Oslo",
    "I saw the northern lights from Tromso",
    "I took a cooking class in Bologna",
    "I crossed the Baltic by ferry",
    "I camped beside Loch Ness",
    "I visited the caves of Altamira",
]
NEAR = [
    ["去过京都", "去过大阪", "去过奈良", "去过三亚", "想去冰岛", "去了两次泰国", "在首尔住过三个月", "不喜欢坐红眼航班", "坐飞机喜欢靠窗", "坐高铁喜欢靠过道", "护照在2027年到期", "护照在2029年到期"],
    ["对花生过敏", "对芒果过敏", "对青霉素过敏", "妹妹对花生过敏", "不吃香菜", "不吃葱", "爱吃花生糖以外的糖"],
    ["大女儿生日是3月2日", "二女儿生日是3月12日", "儿子生日是2月3日", "结婚纪念日是3月2日", "母亲生日是农历三月初二"],
    ["周报每周五发给陈曼", "月报每月五号发给陈曼", "周报抄送给老郑", "日报不用发", "周报用中文写"],
    ["家里的路由器在书房", "办公室的路由器在机房", "旧路由器送人了", "书房的灯坏了", "机房的灯是声控的"],
    ["Has been to Kyoto", "Has been to Osaka", "Has been to Nara", "Wants to see Iceland", "Went to Peru twice", "Went to Peru in 2019", "Lived in Seoul for 3 months", "Dislikes red-eye flights", "Likes window seats on planes", "Likes aisle seats on trains", "Passport expires in 2027", "Passport expires in 2029"],
    ["Is allergic to peanuts", "Is allergic to mangoes", "Is allergic to penicillin", "Her sister is allergic to peanuts", "Dislikes coriander", "Dislikes leeks"],
    ["Elder daughter was born on 2 March", "Younger daughter was born on 12 March", "Son was born on 3 February", "Married on 2 March"],
    ["Weekly reports go to Ines on Friday", "Monthly reports go to Ines on the 5th", "Weekly reports are copied to Jonas", "Daily reports are not sent"],
    ["The router at home stands in the study", "The router at work stands in the cellar", "The old router was given away", "The lamp in the study is broken"],
]  # fmt: skip
FEW = 500
"""Characters that a text may have."""


@pytest.mark.parametrize("facts", NEAR, ids=range(len(NEAR)))
def test_facts_that_are_near_each_other_stay_apart_when_a_night_consolidates(
    door: Door, facts: list[str]
) -> None:  # 24
    for fact in facts:
        door.keep("mia", fact)
    asked = door.good("POST", "memories/consolidate", {"user_id": "mia", "dry_run": False})
    consolidation.consolidate(door.cast.agent.tenant_id, parsed("job", asked["id"]))
    assert door.good("GET", f"jobs/{asked['id']}")["status"] == "succeeded"
    assert door.listed("mia") == sorted(facts)


@pytest.mark.parametrize(("facts", "joint"), [(TRIPS_ZH, "。"), (TRIPS_EN, ". ")])
def test_separate_facts_stay_separate_and_no_update_swells_over_the_bound(
    door: Door, judge: LLMStub, facts: list[str], joint: str
) -> None:  # 24
    judge.answer([add(fact) for fact in facts])
    door.told("mia", joint.join(facts))
    assert door.listed("mia") == sorted(facts)
    swollen = joint.join(facts * 6)
    assert len(swollen) > FEW
    judge.answer([{**add(swollen, facts[0]), "action": "UPDATE", "target_id": 0}])
    said = f"{facts[0]}, as I said" if joint == ". " else f"说过的，{facts[0]}"
    event = door.told("mia", said, session_id="later")
    assert len(event["skipped"]) == 1
    assert door.listed("mia") == sorted(facts)
