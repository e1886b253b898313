"""Raw machine output pasted as text: JSON, traces, logs, diffs, tables, vectors, encoded blobs.

A text is a dump when most of its lines are of machine shape. Long prose never is, in whatever language: nothing here
looks at length alone. When a person's own sentence stands before or after the dump on its own line, that line is kept.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from memoryapp.domain.admission import is_durable
from memoryapp.domain.classifier import classifier
from memoryapp.domain.cues import has_cue
from memoryapp.domain.machine_lines import is_one_line, machine_region
from memoryapp.domain.shapes import has_run, share_of_marks, signs_of
from memoryapp.domain.types import Effect


@dataclass(frozen=True, slots=True)
class Dump:
    """What was recognised, and the human lines that remain ("" when there are none)."""

    rule: str
    rest: str


_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE|PANIC|错误|信息|警告|调试|严重|致命)"
_TIME = (
    r"(?:\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d:\d\d|\d\d:\d\d:\d\d[.,]\d{3}|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\d{2}/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d)"
)
# One strong line is enough to call its surroundings a dump; weak lines need company.
_STRONG = {
    "traceback": r"Traceback \(most recent call last\)|\s+File \"[^\"\n]{1,300}\", line \d+|\s*at [\w$.<>/ "
    r"\[\]]{1,200}\([^()\n]{0,200}\)|\s*at (?:async )?(?:file://)?/\S{1,300}:\d+:\d+"
    r"|Caused by: [\w.$]+|\s+\.\.\. \d+ more|Exception in thread|[\w.$]{3,120}(?:Exception|Error): "
    r".{0,300}\bat\b.{0,200}:\d+|goroutine \d+ \[|panic: |thread '[^'\n]{1,80}' panicked at|\s+\d{1,3}: "
    r"+(?:0x[0-9a-f]+ - )?[\w:<>]{3,200}::\w+|stack backtrace:|note: run with `RUST_BACKTRACE"
    r"|(?:Unhandled|Uncaught) \w*(?:Error|Exception|rejection)|Segmentation fault|#\d{1,3} +0x[0-9a-f]{6,}"
    r"|\s*from [\w./-]+:\d+:in [`']|\s*-{2,3}> \S{1,200}:\d+:\d+|\S{1,200}[(:]\d+[,:]\d+\)?: (?:error|warning|note|fatal error)\b|(?:error|warning)\[\w{1,8}\]: |PHP (?:Fatal|Warning|Notice)|Fatal error: |Process finished with exit code"
    r"|\s+at .{1,200} in .{1,200}:line \d+|\s+/\S{1,200}\.\w{1,5}:\d+",
    "log": r"\[?" + _TIME + r"[.,\d]{0,10}(?:Z|[+-]\d\d:?\d\d)?\]?[ |,\t-]{1,4}(?:\[?[\w./:@ -]{0,40}\]?[ "
    r"|:-]{0,3}){0,1}\[?(?:\b|(?=[一-鿿]))"
    + _LEVEL
    + r"(?:\b|(?<=[一-鿿]))|\[?"
    + _TIME
    + r"[.,]\d{3}.{0,6}(?:"
    + _LEVEL
    + r"|\[)"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d [\w.-]+ [\w./-]+(?:\[\d+\])?: |\[?"
    + _LEVEL
    + r"\]?[:\s]\s{0,3}\[?"
    + _TIME
    + r"|(?:time|ts|timestamp)=\S{10,40} level=\w+|level=(?:info|warn|error|debug)\w* .{0,40}(?:ts|time|msg)="
    r"|\[\s{0,6}\d{1,6}\.\d{3,6}\] |[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+|\["
    + _LEVEL
    + r"\] [\w.-]{2,40}[:\]] |\w+ \| .{0,60}"
    + _TIME,
    "access_log": r"\[?"
    + _TIME
    + r"\]? \[(?:error|warn|notice|info|crit|alert|emerg|debug)\]|(?:\d{1,3}\.){3}\d{1,3} \S{1,64} \S{1,64} \[[^\]\n]{10,40}\] \"|\"?(?:GET|POST|PUT|PATCH|DELETE"
    r"|HEAD|OPTIONS) /\S{0,400} HTTP/\d(?:\.\d)?\"? \d{3}",
    "diff": r"diff --git a/|commit [0-9a-f]{40}$|index [0-9a-f]{6,40}\.\.[0-9a-f]{6,40}|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|(?:---|\+\+\+) "
    r"[ab]/\S",
    "hexdump": r"(?:0x)?[0-9a-fA-F]{4,16}:?[ \t]+(?:[0-9a-fA-F]{2,4} {1,3}){4,16}",
    "table": r"\s{0,6}PID +(?:USER|TTY|PPID|%CPU)\b.{0,200}|-{3,60}(?:\+-{2,60}){1,20}$|(?:CONTAINER ID|NAMESPACE"
    r"|NAME|PID|Filesystem|COMMAND|USER|Proto|REPOSITORY|PORT|UID|Active Internet|total) {2,40}[A-Z][\w%()/ "
    r"-]{1,200}$|\+[-=+]{6,200}\+$|\|(?:[ :-]{3,60}\|){2,20}\s*$|\(?\d+ rows? (?:in set|affected)|(?:[-=]{3,60}[ +|]{1,3}){2,20}[-=]{3,60}$|[dl-][rwxsStT-]{9}[.+@]? +\d+ ",
    "package_log": r"npm (?:warn|ERR!|error|notice|WARN|http)|added \d+ packages|\d+ packages are looking for funding"
    r"|found \d+ vulnerabilit|Successfully installed \S+-\d|Requirement already satisfied:|Collecting "
    r"[\w.\[\]-]+(?:[<>=~!;( ]|$)|Downloading \S{4,300}(?: \([\d.]+ [kMG]B\))?|Get:\d+ https?://|Setting up \S+ "
    r"\(|Unpacking \S+ \(|yarn (?:install|run) v\d|\[\d/\d\] |Resolved \d+ packages|Step \d+/\d+ :|#\d+ (?:\["
    r"|\d+\.\d+|DONE|CACHED|sha256)|\s+Compiling \S+ v\d|> Task :\S+|\[INFO\] |BUILD (?:SUCCESS|FAILED)|webpack (?:\S+ )?compiled |webpack "
    r"\d|Fetched \d[\d.]* [kM]?B in|Preparing to unpack|Already up to date|remote: (?:Counting|Compressing"
    r"|Enumerating)|(?:Receiving objects|Resolving deltas|Unpacking objects|Writing objects|Counting objects): +\d+%|remote: \w|Sending build context|\s*---> [0-9a-f]{6,}|go: downloading \S",
    "query_plan": r"\s*(?:->)?\s*(?:Bitmap|Seq|Index(?: Only)?|Hash(?: Join)?|Nested|Merge|Sort|Aggregate|Limit"
    r"|Gather|Append|CTE|Parallel|HashAggregate|GroupAggregate|Materialize|Subquery|WindowAgg)\b[\w "
    r"]{0,80}\(cost=|\s+(?:Recheck Cond|Filter|Index Cond|Hash Cond|Rows Removed by|Heap Blocks|Sort Key|Sort "
    r"Method|Buffers|Planning Time|Execution Time|Planning time|Execution time):|(?:Planning|Execution) [Tt]ime: "
    r"\d",
    "test_output": r"={3,60} .{1,200} ={3,60}$|(?:FAILED|PASSED|ERROR|SKIPPED) \S+::\S+|\S+::\S+ (?:FAILED|PASSED"
    r"|ERROR|SKIPPED)|E {3,10}\S|_{5,60} \w+ _{5,60}$|\s*(?:✓|✕|×|√) .{1,200}\(\d+ ?ms\)|(?:--- )?(?:PASS|FAIL|ok"
    r"|RUN): ?\s?\w+|ok  ?\t\S+\t[\d.]+s|test \S+ \.\.\. (?:ok|FAILED)|Ran \d+ tests? in|Tests: +\d+ |Test "
    r"Suites: +\d",
    "markup": r"<!DOCTYPE|<!doctype|<html|<\?xml|<svg|<soap|<head>|<body",
    "http": r"HTTP/\d(?:\.\d)? \d{3}|(?i:content-type|retry-after|www-authenticate|location|content-length|x-[a-z-]{2,40}|server|etag|cache-control|date"
    r"|connection|accept|user-agent|host|set-cookie|vary|strict-transport-security|transfer-encoding"
    r"|accept-encoding): \S|[<>*] (?:HTTP/|GET |POST |Host:|User-Agent:|Trying |Connected )",
    "manifest": r"apiVersion: \S|kind: [A-Z]\w+$",
    "ping": r"\d+ bytes from \S+ |PING \S+ \(|\d+ packets transmitted|rtt min/avg/max|\s?\d{1,2}  ?(?:\S+ "
    r"\((?:\d{1,3}\.){3}\d{1,3}\)|\* \* \*)",
}
_WEAK = re.compile(
    r"[+-](?![ \t]?[一-鿿])\s{0,20}[\w({\[<@\"'].{0,300}|[ \t]+\S.{0,400}|\S{1,100}(?: {2,40}\S{1,60}(?: "
    r"\S{1,30}){0,4}){2,20}|[\w.$]{2,120}(?:Error|Exception)(?::.{0,400})?$|[\w$]{1,60}(?:\.[\w$]{1,60}){1,8}: .{1,400}$|[\w./-]{2,60}: (?:error|fatal|warning"
    r"|fatal error|FATAL|ERROR|WARNING)\b.{0,300}"
    r"|[A-Z_][A-Z0-9_]{2,60}=\S.{0,300}|\|.{0,300}\|\s*$|\(\d+ rows?(?: affected)?\)|(?:ruby|python\d?|node|php|java|perl|bash|sh|zsh|make|gcc|ld): .{1,300}$|\s*---> .{1,200}|\s+[0-9a-f]{7,12}\.\.[0-9a-f]{7,12} .{1,200}|To \S+[:/]\S+$|Stack trace:$|#\d{1,3} .{1,300}|\s*thrown in .{1,300}|(?:Error|Warning|Exception): .{1,400}$|(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|EXPLAIN) .{3,400};$|asset \S+ [\d.]+ \w|modules by path .{1,200}|[$#>] (?:docker|kubectl|git"
    r"|npm|pip|curl|ls|cat|ps|df|python|sudo|make|go|cargo|systemctl|psql)\b.{0,200}|[{}\[\]();,]{1,6}$|commit "
    r"[0-9a-f]{7,40}$|(?:Author|Date|Merge): .{1,120}"
)
_STRONG_LINE = re.compile(
    "|".join(f"(?P<{name}>{pattern})" for name, pattern in _STRONG.items()), re.MULTILINE | re.ASCII
)
_STATUS = re.compile(
    r"(?:HTTP(?:/\d(?:\.\d)?)? ?)?[1-5]\d\d(?: (?:OK|Created|Accepted|No Content|Moved Permanently"
    r"|Found|See Other|Not Modified|Temporary Redirect|Bad Request|Unauthorized|Forbidden|Not Found|Method Not "
    r"Allowed|Not Acceptable|Request Timeout|Conflict|Gone|Payload Too Large|Unprocessable (?:Entity|Content)|Too "
    r"Many Requests|Internal Server Error|Not Implemented|Bad Gateway|Service Unavailable|Gateway Time-?out))?"
    r"|(?:status|code|http)(?: ?code)?[:= ]{1,3}[1-5]\d\d(?: OK)?"
    r"|(?:[Pp]rocess )?(?:exit|exited|finished)(?: with)?(?: (?:code|status))[:= ]{1,3}-?\d{1,3}"
    r"|[\w ]{1,30}\(core dumped\)|(?:fatal|bash|zsh|sh): [ -~]{5,200}|Segmentation fault|Killed(?:: 9)?"
)
_YAML_LINE = re.compile(r"\s*(?:- )?[\w.\"'/-]{1,60}:(?: \S.{0,120})?$|\s*- \S{1,120}$|\s*- \{.{1,120}\}$|\s*#.*$|---$")
_CONFIG_LINE = re.compile(r"\[{1,2}[\w.\- \"']{1,60}\]{1,2}\s*$|[\w.\-]{1,60}\s?=\s?\S.{0,200}$|\s*[#;].{0,200}$")
_STAMPED = re.compile(r"\[?(?:[\d/.年月日-]{3,12}[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?\]?[ \t:]")
_JSON_PAIR = re.compile(r"[\"'][\w .@/-]{1,60}[\"']\s{0,4}:")
_BLOB = re.compile(r"(?:data:[\w/+.-]{1,60};base64,)?[A-Za-z0-9+/_-]{60,}={0,2}")
_VECTOR_TEXT = re.compile(r"[-+\d.,;\seE\[\](){}:]+")
_ARRAY = re.compile(r"(?:\w{1,12}\.)?(?:tensor|array|ndarray|Tensor)\(\[|%PDF-\d")
_DECIMAL = re.compile(r"-?\d{1,4}\.\d{2,}")
_WIDEST = 600
"""Characters of a line that are looked at."""
_ALONE = frozenset({"log", "access_log", "query_plan", "diff", "hexdump", "markup"})
_SHORTEST_SHAPE, _FEW_MARKS = 40, 0.1
_MOST_LINES = 200
_ASKS_ABOUT_IT = re.compile(
    r"[?？]\s*$|帮[我忙]?(?:看|查|分析|解决|修|改|瞧|排查)|怎么(?:回事|办|解决|修|搞|弄)|为什么|什么(?:原因|意思|问题|情况)|[看瞧]一?[下看眼]"
    r"|\b(?:any ideas?|why (?:is|does|did|am|do|are)|what(?:'s| is| does) (?:wrong|this|that|it|going|happening)|help|fix (?:this|it)|how (?:do|to|can|should)"
    r"|can you|could you|please (?:check|look|fix|explain|help)|take a look|have a look|look at|see (?:below|the)|make sense of|explain)\b",
    re.IGNORECASE,
)
_FENCE = re.compile(r"```\w{0,20}\n?")
_PYTHON_CODE = re.compile(r"(?:\\x[0-9a-f]{2}){8,}|(?:0x[0-9a-f]{2},? ?){8,}", re.IGNORECASE)
RULES: dict[str, Effect] = dict.fromkeys(
    [
        f"machine_dump.{name}"
        for name in (*_STRONG, "json", "http_status", "base64", "vector", "csv", "markup_text", "binary", "shape")
    ],
    Effect.REFUSE,
)


def find_dump(text: str) -> Dump | None:
    """Return the kind of dump that the text is, with the human lines around it; None when it is no dump."""
    if len(text) < 3:
        return None
    if whole := _whole(text):
        return Dump(f"machine_dump.{whole}", "")
    found = _by_lines(text) if "\n" in text or _maybe_line(text) else None
    return found or _by_shape(text)


def _by_shape(text: str) -> Dump | None:
    """No line has a known form, but the marks and figures stand as machines set them."""
    if len(text) < _SHORTEST_SHAPE or ("\n" not in text and share_of_marks(text) < _FEW_MARKS):
        return None
    if not classifier("dump").accepts(text):
        return None
    return Dump("machine_dump.shape", "\n".join(filter(_is_human, text.split("\n")[:_MOST_LINES])))


def _maybe_line(text: str) -> bool:
    """Whether a single line is machine output by itself; many openings ("panic:", "host:") also begin sentences."""
    match = _STRONG_LINE.match(text[:_WIDEST]) if len(text) >= 12 else None
    return match is not None and (
        match.lastgroup in _ALONE or "::" in text or text.startswith(("===", "Traceback", "HTTP/"))
    )


def _whole(text: str) -> str | None:
    """The kind of a text that is one machine value from its first to its last character."""
    body = _FENCE.sub("", text).strip() if text.startswith("```") else text
    if _is_json(body):
        return "json"
    if len(body) <= 200 and _STATUS.fullmatch(body):
        return "http_status"
    if _is_vector(body):
        return "vector"
    if _is_blob(body):
        return "base64"
    if body.startswith("<") and body.count("</") >= 2 and body.count("<") * 40 > len(body):
        return "markup_text"
    rows = _rows(body)
    if _is_stamped(rows):
        return "log"
    if (body.startswith("[") and _is_config(rows)) or _is_yaml(rows):
        return "manifest"
    if "\n" not in body and len(body) >= 40 and is_one_line(body):
        return "log"
    return "csv" if _is_csv(rows) else ("binary" if _PYTHON_CODE.match(body) else None)


def _is_json(body: str) -> bool:
    if body[:1] not in ("{", "[") or body[-1:] not in ("}", "]"):
        return False
    try:
        return isinstance(json.loads(body), dict | list)
    except (ValueError, RecursionError):
        return len(_JSON_PAIR.findall(body)) >= 2


def _is_vector(body: str) -> bool:
    if _ARRAY.match(body):
        return True
    if body[:1] not in "[(-+0123456789{" or not _VECTOR_TEXT.fullmatch(body):
        return False
    return len(_DECIMAL.findall(body)) >= 8


def _is_blob(body: str) -> bool:
    """Base64 over most of the text: long runs with all kinds of characters, no path, no words."""
    if len(body) < 60 or not has_run(signs_of(body), 60):
        return False
    runs = [run for run in _BLOB.findall(body) if _is_encoded(run)]
    covered = sum(map(len, runs))
    return covered >= 0.8 * len(body) and len(body) - covered <= 16 + body.count("\n")


def _is_encoded(run: str) -> bool:
    kinds = (any(map(str.islower, run)), any(map(str.isupper, run)), any(map(str.isdigit, run)))
    hexadecimal = len(run) >= 80 and re.fullmatch(r"[0-9a-f]+|[0-9A-F]+", run) is not None
    return hexadecimal or (all(kinds) and run.count("/") * 12 < len(run) + 24)


def _rows(body: str) -> list[str]:
    return [row for row in body.split("\n", 200) if row.strip()]


def _is_stamped(rows: list[str]) -> bool:
    """Whether at least three lines, and nearly all, begin with a time to the second: people write no seconds."""
    if len(rows) < 3 or not any(map(_STAMPED.match, rows[: len(rows) // 5 + 1])):
        return False
    return sum(bool(_STAMPED.match(row)) for row in rows) >= 0.8 * len(rows)


def _is_config(rows: list[str]) -> bool:
    """A section in brackets and nothing but settings under it (INI, TOML)."""
    return len(rows) >= 3 and all(_CONFIG_LINE.match(row[:_WIDEST]) for row in rows)


def _is_yaml(rows: list[str]) -> bool:
    """Keys over indented keys or items; a flat list of a person's "key: value" lines is no configuration."""
    if len(rows) < 4 or not all(_YAML_LINE.match(row[:_WIDEST]) for row in rows):
        return False
    return sum(row.startswith("  ") for row in rows) >= 2


def _is_csv(rows: list[str]) -> bool:
    if len(rows) < 3:
        return False
    for separator in (",", "\t", ";", "|"):
        count = rows[0].count(separator)
        if count >= 2 and all(row.count(separator) == count for row in rows) and _has_cells(rows[1:], separator):
            return True
    return False


def _has_cells(rows: list[str], separator: str) -> bool:
    """Cells, not prose: no blank after the separator, and figures among them."""
    cells = [cell for row in rows for cell in row.split(separator)]
    tight = sum(not cell.startswith(" ") for cell in cells) >= 0.9 * len(cells) or separator != ","
    figures = sum(any(map(str.isdigit, cell)) for cell in cells)
    return tight and figures >= 0.3 * len(cells)


def _by_lines(text: str) -> Dump | None:
    lines = text.split("\n")
    strong = {
        number: match.lastgroup for number, line in enumerate(lines) if (match := _STRONG_LINE.match(line[:_WIDEST]))
    }
    if not strong:
        return _json_lines(lines) or _unlisted(lines)
    machine = [
        number
        for number, line in enumerate(lines)
        if number in strong or (line.strip() and _WEAK.match(line[:_WIDEST]))
    ]
    filled = sum(1 for line in lines if line.strip())
    first, last = _region(machine, strong, len(lines))
    inside = sum(1 for line in lines[first : last + 1] if line.strip())
    sure = _maybe_line(lines[first]) or (strong[min(strong)] == "traceback" and not lines[first].startswith("panic: "))
    if not _enough(len(strong), filled if sure else inside, filled, len(machine)):
        return _unlisted(lines)
    rest = "\n".join(line for number, line in enumerate(lines) if not first <= number <= last and _is_human(line))
    kinds = [kind for kind in strong.values() if kind]
    return Dump(f"machine_dump.{max(kinds, key=kinds.count)}", rest)


def _unlisted(lines: list[str]) -> Dump | None:
    """Output of a format that is not listed."""
    if (region := machine_region(lines)) is None:
        return None
    first, last, kind = region
    outside = [line for number, line in enumerate(lines) if not first <= number <= last]
    return Dump(f"machine_dump.{kind}", "\n".join(filter(_is_human, outside)))


def _enough(strong: int, inside: int, filled: int, machine: int) -> bool:
    """Whether the counts make a dump: strong lines, lines of the region, filled lines, lines of machine shape."""
    if inside == filled == 1:
        return True
    return (strong >= 2 and machine >= 0.3 * filled) or (strong == 1 and inside >= 2 and machine >= 0.5 * filled)


def _region(machine: list[int], strong: dict[int, str | None], count: int) -> tuple[int, int]:
    """First and last line of the dump: from the first to the last strong line, widened over machine lines beside it."""
    first, last = min(strong), max(strong)
    known = set(machine)
    while first - 1 in known:
        first -= 1
    while last + 1 in known and last + 1 < count:
        last += 1
    return first, last


def _json_lines(lines: list[str]) -> Dump | None:
    filled = [line for line in lines if line.strip()]
    start = next((number for number, line in enumerate(lines) if line[:1] in ("{", "[")), None)
    if len(filled) >= 2 and sum(_is_json(line.strip()) for line in filled) >= 0.8 * len(filled):
        return Dump("machine_dump.json", "")
    if start is None:
        return None
    stop = next((number for number in range(len(lines) - 1, start, -1) if lines[number][:1] in ("}", "]")), start)
    if stop - start >= 2 and _is_json("\n".join(lines[start : stop + 1]).strip()):
        outside = [line for number, line in enumerate(lines) if not start <= number <= stop]
        return Dump("machine_dump.json", "\n".join(filter(_is_human, outside)))
    return None


def _is_human(line: str) -> bool:
    """A sentence of its own: not indented, no lead-in ("报错了："), no question about the dump; it asks to be kept or tells what may last."""
    if not line.strip() or line[0] in " \t" or line.rstrip().endswith((":", "：")):
        return False
    if _STRONG_LINE.match(line[:_WIDEST]) or _WEAK.match(line[:_WIDEST]):
        return False
    if len(line) <= 80 and _ASKS_ABOUT_IT.search(line):
        return False
    says = len(re.findall(r"[㐀-鿿]", line)) >= 8 or len(re.findall(r"[A-Za-z]{2,}", line)) >= 5
    return says and (has_cue(line) or is_durable(line))
