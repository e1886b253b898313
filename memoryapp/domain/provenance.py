"""Only what the user typed or confirmed may hold an instruction. The same form from anywhere else is set apart.

Tool, web, document, import and assistant text is read without its quotation marks and roles: what matters is the form
(remember …, always …, 以后都 …), not whether it looks like an attack.
"""

from __future__ import annotations

import re

from memoryapp.domain.clauses import FILLER, blanked
from memoryapp.domain.cues import find_cues
from memoryapp.domain.types import CueKind, Role

UNTRUSTED_SOURCE = "untrusted_source"
"""The reason with which such a text is kept apart, whatever any detector says."""

TRUSTED = frozenset({Role.USER})
_INSTRUCTING = frozenset({CueKind.REMEMBER, CueKind.INSTRUCT, CueKind.FORGET})
_MARKS = re.compile(r"[\"'“”‘’「」『』【】《》`*_#>\[\]()（）{}]|<!--|-->|</?[a-z][^<>\n]{0,80}>", re.IGNORECASE)
_QUOTED = re.compile(f"{re.escape(FILLER)}{{6,}}")
_LABEL = re.compile(r"(?:^|(?<=[\n。.!！;；]))[ \t]{0,4}[^\n。.:：]{1,24}[:：][ \t]{0,4}")
_ADDRESSED = re.compile(
    r"(?:请|务必|必须|应当?|需要)[^。\n]{0,12}(?:记住|牢记|记下|保存到|存入|写入|加入|忘记|忘掉|删除)"
    r"|(?:保存|写入|存入|加入|添加)到?(?:你的|您的|长期|永久){0,2}记忆|(?:以后|今后|从现在起|从今往后|往后)[^。\n]{0,16}(?:都|一律|只|优先|不要|别|必须|始终|永远|无需|不用)"
    r"|(?:用户|user)(?:应当?|必须|需要|应该|同意|希望|想要)?(?:始终|永远|总是|一直|一律)"
    r"|\b(?:please|must|always|assistants?|ai|agents?|model)[,:]? (?:you )?(?:must |should |always |please )*(?:remember|memori[sz]e|never forget|forget)\b"
    r"|\b(?:save|store|add|write|commit|record) (?:this |that |it |the following )?(?:to|in|into) (?:your |the |long-term |persistent |user'?s )*memor(?:y|ies)\b"
    r"|\b(?:from now on|henceforth|going forward)\b|\bthe user (?:should|must|wants? (?:you )?to|prefers? (?:that )?you|always|never)\b"
    r"|\b(?:assistants?|ai|agents?|you) (?:must|should|shall|are to|will) (?:always|never)\b|(?:^|[.!?:\n] ?)(?:always|never) [a-z]{3,}",
    re.IGNORECASE,
)
_ACKNOWLEDGES = re.compile(
    r"[^。！？!?\n]{0,30}(?:需要我|要不要我|要我|是否需要我|\b(?:shall|should|can|may|do you want me to|would you like me to|want me to)\b)[^\n]{0,60}[?？]\s*$|"
    r"(?:好的?[，,]?)?(?:我(?:已经?|会|都)?(?:帮您|帮你|为您|替您)?(?:记住|记下|记录|保存|忘记|删除|明白|知道|以后)|以后(?:我|会)|已(?:为您|经)?(?:记|保存|删除))"
    r"|(?:(?:ok|okay|got it|sure|noted|understood)[.,! ]+)*(?:I(?:'ll| will|'ve| have)|noted|saved|done|from now on,? I(?:'ll| will))\b",
    re.IGNORECASE,
)


def instructs(text: str) -> bool:
    """Whether a text has the form of something to remember, a standing rule or a wish to forget, quoted or not."""
    if _ADDRESSED.search(text):
        return True
    bare = _LABEL.sub("", _MARKS.sub(" ", text))
    return any(cue.kind in _INSTRUCTING for cue in find_cues(bare.strip()))


def carries_quoted_rule(content: str, text: str) -> bool:
    """Whether a content repeats a rule that its user only quotes or tells of others (he says I should tell the bot “…”)."""
    bare = "".join(content.split())
    quoted = (text[run.start() : run.end()] for run in _QUOTED.finditer(blanked(text)))
    return any("".join(stretch.split()) in bare and instructs(stretch) for stretch in quoted)


def untrusted_reasons(text: str, role: Role) -> tuple[str, ...]:
    """`(UNTRUSTED_SOURCE,)` when text of a role that may give no instructions has the form of one; else empty.

    An assistant that says what it will do ("好的，我记住了", "I'll always answer briefly") only repeats the user.
    """
    if role in TRUSTED or (role is Role.ASSISTANT and _ACKNOWLEDGES.match(text)):
        return ()
    return (UNTRUSTED_SOURCE,) if instructs(text) else ()
