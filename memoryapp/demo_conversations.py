"""What the demo's people say. All invented; sent through the public API like any agent's traffic."""

from __future__ import annotations

from typing import Any

PEOPLE = (
    ("lin", "lin@demo.example", "member", "zh-hans", "林然"),
    ("emma", "emma@demo.example", "member", "en", "Emma Reed"),
    ("", "compliance@demo.example", "compliance", "en", "Cora Compliance"),
    ("", "operator@demo.example", "operator", "en", "Otto Operator"),
)


def _talk(user_id: str, session: str, *turns: tuple[str, str]) -> dict[str, Any]:
    messages = [{"role": role, "content": content} for role, content in turns]
    return {"user_id": user_id, "session_id": session, "messages": messages}


CONVERSATIONS: tuple[dict[str, Any], ...] = (
    _talk("lin", "work", ("user", "记住：以后代码示例优先 TypeScript"), ("assistant", "好的，记下了。")),
    _talk("lin", "work", ("user", "这个项目以后都用 pnpm，开发服务跑在 4000 端口。顺便记一下，我不喜欢太客套的回答。")),
    _talk("lin", "work", ("user", "这个项目不用 pnpm 了，改用 bun")),
    _talk("lin", "life", ("user", "记住，我对青霉素过敏，任何用药建议都要考虑这个。")),
    _talk("lin", "life", ("user", "记住我的手机号 13800138000，以后订餐用。")),
    _talk("lin", "life", ("user", "记住：我女儿叫小满，今年上三年级")),
    _talk("lin", "life", ("user", "记住我的数据库密码是 demo!only_Passw0rd")),
    _talk("lin", "life", ("user", "周末想带孩子去爬山，有什么推荐吗？"), ("assistant", "可以看看近郊的步道。")),
    _talk("emma", "work", ("user", "From now on, always give me the short answer first, then the details.")),
    _talk("emma", "work", ("user", "Remember that our staging cluster is rebuilt every Sunday at 03:00 UTC.")),
    _talk("emma", "life", ("user", "Please keep in mind that my daughter Mia is allergic to peanuts.")),
    _talk("emma", "life", ("user", "Remember that I am a vegetarian.")),
    _talk("emma", "life", ("user", "Remember my phone number +1 202 555 0143 for bookings.")),
    _talk("emma", "life", ("user", "What should I cook tonight?"), ("assistant", "How about a lentil curry?")),
)

NOTES: tuple[dict[str, Any], ...] = tuple(
    {"user_id": person, "content": content, "kind": "note"}
    for person, content in (
        ("lin", "好的，收到"),
        ("lin", "刚才那个不对，重新来一遍"),
        ("lin", "哈哈哈哈哈哈"),
        ("emma", "um let me think about it for a second..."),
        ("emma", "test test 123"),
        ("emma", "The user asked a question and the assistant answered it."),
    )
)
