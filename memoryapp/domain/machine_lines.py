"""Machine output whose format nobody has listed: lines that are made of signs, settings and counters, or that repeat.

A person's list has words, dates and amounts; what a program prints has `=`, `/`, braces, columns of figures, or the same
words over and over with another number in them. Nothing here judges a text of fewer than four lines, and source code
that somebody wrote is left alone.
"""

from __future__ import annotations

import re
from collections import Counter

_LEAST, _MOST = 4, 80
"""Filled lines that a text must have, and those that are looked at."""
_WIDEST = 300
_SIGNS = b'=\\|{}[]()<>_#$%&*+~^;:/.-0123456789\t"' + "├└│─".encode()
_BULLET = re.compile(r"\s*(?:[-*+•·–]|\d{1,3}[.)、]|#{1,6}|>)\s(?:\[[ xX]\]\s)?")
_PLAIN = re.compile(
    r"https?://\S+|\b\d{1,4}[/-]\d{1,2}(?:[/-]\d{1,4})?\b|\*\*|__|[\w.+-]+@[\w.-]+|`[^`\n]{1,40}`|(?<![/\w])[A-Za-z]+/[A-Za-z]+(?![/\w.])"
)
_CODE_SIGN = re.compile(r"[=\\|{}\[\]<>_#$%&+~^;/]|::|->|\.{3}")
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d.,:]*[%a-zA-Z]{0,3}(?![\w.])")
_COLUMN_GAP = re.compile(r"\S {2,}(?=\S)")
_SETTING = re.compile(r"\s*~?\s*[\w.\"'\-\[\]一-鿿 ]{1,40}?\s?=\s?\S.*")
_VARIABLE = re.compile(r"\b(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{1,64}(?:[.:][0-9a-fA-F]+)*")
_TRACE = re.compile(
    r"(?<![\w/:.@])(?:[\w-]+\.){1,4}[\w-]+/\S+|(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.])|(?<!\w)(?:[\w.@-]*/){1,12}[\w.-]+\.\w{1,6}\b|\b(?=[a-f]*\d)[0-9a-f]{7,64}\b|sha\d{1,3}:"
    r"|\b\d+(?:\.\d+)? ?(?:[KMGT]i?B|ms|s)\b(?:/\S)?|(?<![\d/])\d{1,5}/\d{1,5}(?![\d/])|\.{3} ?(?:done|ok|failed|完成|失败|通过)?$|\w\(\)"
)
"""What stands in output and seldom in prose: addresses, paths, hashes, sizes, counters."""
_COMMIT = re.compile(r"[*|\\/ ]{0,12}(?=[a-f]*\d)(?:0x)?[0-9a-f]{6,16}[: ]|[|\\/*_ ]{2,12}$")
_KNOWN = re.compile(
    r"\s*(?:# (?:HELP|TYPE) \S|[a-z_:]+\{[^}\n]*\} [\d.]|At line:\d|\+ ~+|\+ \w+\s+:|INSERT INTO \S+ (?:\([^)]*\) )?VALUES|\d+\) (?:\"|\()|[\d.]{7,15}:\d+> |Error: |[\w./]{1,80}\.func\d|.{1,40}(?:\. ?){4,}:|[MADRU?]{1,2}\s+\S+[./]\S+$|(?i:型号|固件|传感器|校验|电池|序列号|电压|电流|运行时[长间]|报警|状态码|信号强度|firmware|serial|sensor|battery|voltage|checksum|uptime|imei)[^:：=\n]{0,8}\s?[:：=]|(?:PASS|FAIL|SKIP|ERROR|OK)\s+\S+[./]\S+|[●✓✕×✔✖›] |(?:inet6?|ether|RX|TX|lo|eth\d|en\w\d+)[: ]|Could not resolve dependency|peer \S+@|node_modules/|\d+ \d+ obj$|endobj$|(?:错误|警告|信息|调试)[:：]\s?第?\s?\d+\s?行|[.#@]?[\w\-.# ]{1,40}\{[^{}]{0,200}\}$|On branch \S|Your branch is|Changes (?:not staged|to be committed)|Untracked files:|nothing (?:added )?to commit|位于分支|您的分支|尚未暂存"
    r"|要提交的变更|未跟踪的文件|修改尚未加入提交|Plan: \d+ to add|# \S+ will be (?:created|updated|destroyed|replaced)|[WEINDF]: \S|[A-Z][A-Z-]{2,24}(?:;[\w=/-]+)*:\S"
    r"|(?:Received|DKIM-Signature|Message-ID|Return-Path|MIME-Version|ARC-[\w-]+|Authentication-Results|X-[\w-]+|Content-[\w-]+): "
    r"|(?:make|gcc|cc|ld|g\+\+|clang|cmake|bash|sh|zsh|cp|mv|rm|ls|tar|curl|wget|ssh|git|docker|npm|pip|fatal|error|warning|note|hint|remote)"
    r"(?:\[\d+\])?: |[├└│╰╭┌┐┘┤─]|(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) /\S* \d{3}\b|[{}\[\]();,!]{1,8}$|\w[\w ]*\s{2,}: \S)"
)
"""Openings of lines that only programs write."""
_FRAME = re.compile(r"[\w一-鿿]\.\w{1,5}:\d+")
_WORD = re.compile(r"[A-Za-z]+|[一-鿿]")
_SOURCE = re.compile(
    r"\s*(?:def |class |return\b|import |from \w+ import|const |let |var |function\b|if ?\(|if .{1,80}:$|for .{1,80}:$|for ?\(|while\b"
    r"|else\b|elif |try:|except\b|public |private |protected |static |void |#include|package |func |fn |use |struct |enum |SELECT |FROM "
    r"|WHERE |UPDATE |CREATE |JOIN |await |async |export |print\(|echo |alias |@(?!media|font-face|import|keyframes)\w+(?:\(|$)|//|/\*|\*/|end$)"
)
_LATEX = re.compile(
    r"\s*\\(?:begin|end|documentclass|usepackage|section|caption|label|item|frac|hline|toprule|midrule|bottomrule)\b"
)
_PAIR = re.compile(r"(?<!\S)[\w.\-一-鿿]{1,30}[=＝]\s{0,8}[^\s=]{1,80}")


def machine_region(lines: list[str]) -> tuple[int, int, str] | None:
    """First and last line of what a program printed, and its kind (log, manifest, table or markup); None if a person wrote."""
    filled = [number for number, line in enumerate(lines[:_MOST]) if line.strip()]
    if len(filled) < 2 or not _has_signs("".join(lines[:_MOST])):
        return None
    if 12 * sum(bool(_SOURCE.match(lines[number])) for number in filled) >= len(filled):
        return None
    kinds = {number: kind for number in filled if (kind := _kind(lines[number][:_WIDEST]))}
    if len(filled) < _LEAST and (len(kinds) < max(2, len(filled) - 1) or "manifest" in kinds.values()):
        return None
    repeated = _repeated(lines, filled)
    sure = {*kinds, *repeated}
    machine = sorted(sure.union(number for number in filled if _TRACE.search(lines[number][:_WIDEST])))
    if len(sure) < min(3, max(2, len(filled) - 1)) or len(machine) < 0.6 * len(filled):
        return None
    counted = Counter(kinds.get(number, "log") for number in sure)
    return machine[0], machine[-1], counted.most_common(1)[0][0]


def _has_signs(text: str) -> bool:
    """Whether as many signs and digits stand in it as prose never has: a cheap test before the lines are read."""
    raw = text.encode("utf-8", "replace")
    return len(raw) - len(raw.translate(None, _SIGNS)) >= 0.03 * len(raw)


def is_one_line(text: str) -> bool:
    """Whether a single line is pairs of names and values, or a page of code without line breaks."""
    pairs = _PAIR.findall(text) if text.count("=") + text.count("＝") >= 5 else []
    if len(pairs) >= 5 and sum(map(len, pairs)) >= 0.6 * len(text):
        return True
    if text.count("{") < 2:
        return False
    signs = sum(text.count(sign) for sign in "{}();=")
    dense = len(text) >= 120 and signs >= 0.07 * len(text) and text.count(" ") <= 0.12 * len(text)
    return dense and text.count(";") + text.count("},") >= 3


def _kind(line: str) -> str | None:
    """What sort of machine line it is by itself."""
    if _LATEX.match(line):
        return "markup"
    if line.count("=") >= 3 and len(_PAIR.findall(line)) >= 2:
        return "log"
    if _SETTING.fullmatch(_BULLET.sub("", line, count=1)):
        return "manifest"
    if _COMMIT.match(line) or _KNOWN.match(line) or _FRAME.search(line):
        return "log"
    plain = _PLAIN.sub(" ", _BULLET.sub("", line, count=1))
    if len(_NUMBER.findall(plain)) >= 5 or len(_COLUMN_GAP.findall(line)) >= 3:
        return "table"
    signs = len(_CODE_SIGN.findall(plain))
    return "log" if signs >= 3 or (signs >= 2 and signs >= 0.08 * len(plain.strip())) else None


def _repeated(lines: list[str], filled: list[int]) -> set[int]:
    """Lines that say the same three times and more with other numbers, or begin alike and hold traces of a program."""
    heads: dict[str, list[int]] = {}
    for number in filled:
        line = _BULLET.sub("", lines[number][:_WIDEST], count=1).strip()
        folded, count = _VARIABLE.subn("#", line)
        words = "".join(_WORD.findall(folded))
        if count and len(words) >= 2:
            heads.setdefault(folded[:4] + words[:6], []).append(number)
        if count and words and _WORD.search(line.split()[0]) and _TRACE.search(line):
            heads.setdefault(line.split()[0], []).append(number)
    return {number for numbers in heads.values() if len(numbers) >= 3 for number in numbers}
