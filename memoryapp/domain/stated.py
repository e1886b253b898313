"""What a message states, for a request that stands elsewhere: its facts without questions, tasks and small talk."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memoryapp.domain.admission import is_durable, is_task
from memoryapp.domain.clauses import FILLER, Sentence, is_hypothetical, leans, sentences
from memoryapp.domain.cue_reach import says_nothing
from memoryapp.domain.facts import Fact, atoms
from memoryapp.domain.noise import find_noise, find_small_talk

_ANAPHORIC = re.compile(
    r"(?:这|那|它|此|上述|上面|刚才)[\u4e00-\u9fff]{0,3}|(?:以下|下面|这)几?[点条个项]\S{0,3}|(?:this|that|it"
    r"|them|these|those)(?: one| thing)?"
    r"|搬家了|换工作了|换了|记错了|说错了|搞错了|你记错了",
    re.IGNORECASE,
)


_VAGUE = re.compile(
    r"(?:东西|事情|单词|人名|名字|人脸|面孔|这么多\S{0,4}|所有\S{0,4})(?:真的?|太|好|很|实在|对我来说|挺|可)*(?:不容易|难|容易|累|费劲|简单|重要)(?:了|啊|的|吧)*"
    r"|(?:things|names|words|faces|stuff|everything)(?: \w+)? (?:is|are) (?:\w+ )?(?:hard|difficult|easy|tiring|important)",
    re.IGNORECASE,
)
"""What is said of remembering itself (记住东西很难)."""


def stands_alone(content: str) -> bool:
    """Whether a statement says something by itself."""
    bare = content.strip(" ，,。.！!")
    return (
        len(content) >= 2
        and not _VAGUE.fullmatch(bare)
        and not _ANAPHORIC.fullmatch(bare)
        and not leans(content)
        and not says_nothing(bare)
    )


def facts_of_request(body: str) -> tuple[Fact, ...]:
    """The facts of what is to be remembered; small talk among them is left out, unless nothing else is there."""
    facts = tuple(fact for fact in atoms(body) if stands_alone(fact.content))
    return tuple(fact for fact in facts if not _is_talk(fact.content)) or facts


def facts_of_message(text: str) -> tuple[Fact, ...]:
    """The facts of a message that asks for nothing, up to where it asks something."""
    return tuple(
        fact
        for sentence in sentences(text)
        for fact in atoms(_without_question(text, sentence))
        if stands_alone(fact.content) and not is_hypothetical(fact.content) and _is_told(fact.content)
    )


_ANNOUNCED = re.compile(r"[^：:\n]{1,60}[：:]")
_PRONOUN = re.compile(r"(?:he|she|they|it|his|her|their|its)\b|[他她它]", re.IGNORECASE)
_MOST_BEHIND = 8
"""Facts that a request with a colon may open."""


def with_those_behind(facts: tuple[Fact, ...], clause: str, text: str, others: Sequence[str]) -> tuple[Fact, ...]:
    """The facts of a request that opens a list of them (“Remember: I'm vegan. I don't drink.”): those of the sentences
    behind it in the same line that may last, up to one of the `others`. One about “he” or “it” stays with the fact before it.
    """
    line = text.partition(clause)[2].partition("\n")[0]
    line = line[: min((place for other in others if (place := line.find(other)) >= 0), default=len(line))]
    if not facts or not line.strip() or not _ANNOUNCED.match(clause):
        return facts
    for behind in facts_of_message(line)[:_MOST_BEHIND]:
        if not is_durable(behind.content):
            continue
        if _PRONOUN.match(behind.content):
            before = facts[-1]
            facts = (*facts[:-1], Fact(f"{before.content}{_stop(before.content)}{behind.content}", before.quote))
        else:
            facts = (*facts, behind)
    return facts


def _stop(text: str) -> str:
    return ". " if text.isascii() else "。"


def _is_told(content: str) -> bool:
    return not _is_talk(content) and not is_task(content) and FILLER not in content


def _is_talk(content: str) -> bool:
    return find_noise(content) is not None or find_small_talk(content) is not None


def _without_question(text: str, sentence: Sentence) -> str:
    """A sentence up to where it asks something; all of it when it asks nothing."""
    asks = (clause.start for clause in sentence.clauses if clause.asks and not says_nothing(clause.own))
    asking = next(asks, sentence.end)
    return text[sentence.start : asking]


def nearest_facts(messages: Sequence[str], most: int = 3) -> tuple[Fact, ...]:
    """The facts of the nearest message that states any, newest last; no further back than `most` messages."""
    for text in list(reversed(messages))[:most]:
        if facts := facts_of_message(text):
            return facts
    return ()
