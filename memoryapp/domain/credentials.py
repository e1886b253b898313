"""Secrets in text: by the formats that issuers publish, by label and value in Chinese and English, and wrapped.

Every pattern starts at a literal (its hint) that a plain substring test looks for first, and bounds every
repetition, so that hostile input costs linear time. Offsets in findings always refer to the text given.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass

from memoryapp.domain.credential_labels import HINTS, LABEL_RULES, labelled_values
from memoryapp.domain.likely_secrets import LIKELY_RULE as LIKELY_RULE
from memoryapp.domain.likely_secrets import SUBJECTS, likely_secrets
from memoryapp.domain.literals import Literals
from memoryapp.domain.messages import Folded, clean_text, holds_any
from memoryapp.domain.reading import Reading, lower_of, read
from memoryapp.domain.shapes import has_run, has_singles
from memoryapp.domain.spoken_secrets import SEED_LABELS, seed_phrases, set_apart
from memoryapp.domain.types import Effect, Finding
from memoryapp.domain.value_forms import looks_random
from memoryapp.domain.vendor_tokens import is_mixed, prefixed_tokens

_B = r"(?<![A-Za-z0-9_])"  # a token may stand right behind a Chinese character, which \b would not allow


@dataclass(frozen=True, slots=True)
class _Format:
    """A published credential format. `group` is the part to mask; `mixed` asks for letters and digits in it,
    `short` says that it need not hold a run of sixteen signs, `apart` that its hint may stand outside of that run,
    `loose` is the pattern without its left edge, for text whose blanks were taken out.
    """

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    loose: re.Pattern[str]
    group: int = 0
    mixed: bool = False
    short: bool = False
    apart: bool = False


def _format(
    name: str,
    hints: str,
    pattern: str,
    group: int = 0,
    *,
    mixed: bool = False,
    short: bool = False,
    apart: bool = False,
) -> _Format:
    compiled, loose = (re.compile(each, re.ASCII) for each in (pattern, pattern.removeprefix(_B)))
    return _Format(name, tuple(hints.split()), compiled, loose, group, mixed, short, apart or short)


_FORMATS = (
    _format(
        "aws_key",
        "AKIA ASIA ABIA ACCA",
        _B + r"A(?:KIA|SIA|BIA|CCA)(?![A-Z0-9]{9}EXAMPLE)[A-Z0-9]{16}(?![A-Za-z"
        r"0-9])",
    ),
    _format("github_token", "ghp_ ghs_ gho_ ghu_ ghr_", _B + r"gh[psour]_[A-Za-z0-9]{20,255}", mixed=True),
    _format("github_token", "github_pat_", _B + r"github_pat_[A-Za-z0-9_]{22,255}", mixed=True),
    _format("anthropic_key", "sk-ant-", _B + r"sk-ant-[a-z0-9]{1,12}-[A-Za-z0-9_-]{16,256}"),
    _format("openai_key", "sk-", _B + r"sk-(?:[a-z]{2,9}-|or-v1-)?[A-Za-z0-9_-]{16,256}", mixed=True),
    _format("slack_token", "xox", _B + r"xox[abceoprs]-[A-Za-z0-9-]{10,250}", mixed=True),
    _format("slack_token", "xapp-", _B + r"xapp-\d-[A-Za-z0-9-]{10,250}"),
    _format("stripe_key", "k_live_ k_test_ k_prod_", _B + r"[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,250}"),
    _format("webhook_secret", "whsec_", _B + r"whsec_[A-Za-z0-9+/]{16,100}"),
    _format("google_key", "AIza", _B + r"AIza[A-Za-z0-9_-]{28,45}"),
    _format("google_token", "ya29. GOCSPX-", _B + r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{16,256}"),
    _format("registry_token", "npm_", _B + r"npm_[A-Za-z0-9]{30,60}", mixed=True),
    _format(
        "registry_token",
        "pypi- rubygems_ dckr_pat_",
        _B + r"(?:pypi-|rubygems_|dckr_pat_)[A-Za-z0-9_-]{24,256}",
        mixed=True,
    ),
    _format("huggingface_token", "hf_", _B + r"hf_(?=[a-z0-9]{0,40}[A-Z])[A-Za-z0-9]{28,50}"),
    _format("tencent_key", "AKID", _B + r"AKID[A-Za-z0-9]{28,44}"),
    _format("aliyun_key", "LTAI", _B + r"LTAI[A-Za-z0-9]{12,32}"),
    _format("cloud_key", "AKLT ALTAK", _B + r"(?:AKLT|ALTAK)[A-Za-z0-9]{16,64}"),
    _format("sendgrid_key", "SG.", _B + r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}"),
    _format("mail_key", "key-", _B + r"key-[0-9a-f]{32}(?![0-9a-f])"),
    _format("mail_key", "-us", _B + r"[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    _format("twilio_key", "SK", _B + r"SK[0-9a-f]{32}(?![0-9a-f])"),
    _format("digitalocean_token", "_v1_", _B + r"do[opr]_v1_[a-f0-9]{40,80}"),
    _format("vault_token", "hvs. hvb. hvr.", _B + r"hv[sbr]\.[A-Za-z0-9_-]{20,256}"),
    _format(
        "gitlab_token", "gl", _B + r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt)-[A-Za-z0-9_.-]{18,128}", mixed=True
    ),
    _format("telegram_token", ":A", r"(?<![0-9A-Za-z])\d{6,12}:A[A-Za-z0-9_-]{30,45}"),
    _format("discord_token", ".", _B + r"[MNO][A-Za-z\d_-]{22,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{25,40}", mixed=True),
    _format("jwt", "eyJ", _B + r"eyJ[A-Za-z0-9_-]{8,4000}\.eyJ[A-Za-z0-9_-]{4,8000}(?:\.[A-Za-z0-9_-]{0,2000})?"),
    _format("vendor_token", "k.eyJ", _B + r"[ps]k\.eyJ[A-Za-z0-9_-]{16,400}\.[A-Za-z0-9_-]{10,100}"),
    _format("vendor_token", "shpat_ shpca_ shppa_ shpss_", _B + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,64}"),
    _format(
        "vendor_token",
        "lin_api_ figd_ ntn_ glsa_ glc_ sntrys_ sntryu_ gsk_ xai- pplx- sbp_ pscale_ nvapi- r8_ "
        "dapi "
        "ATATT3 PMAK- NRAK- dp.pt. EAA fo1_ mk_ vercel_ tskey- pul- secret_ ATCTT3",
        _B + r"(?:lin_api_|figd_|ntn_|glsa_|glc_|sntry[su]_|gsk_|xai-|pplx-|sbp_|pscale_(?:tkn|pw)_|nvapi-|r8_|dapi"
        r"|AT[AC]TT3|PMAK-|NRAK-|dp\.pt\.|EAA[A-Za-z]|fo1_|mk_[A-Za-z0-9]{4,40}_|vercel_|tskey-[a-z]{2,8}-"
        r"|pul-|secret_)"
        r"[A-Za-z0-9_=-]{24,300}",
        mixed=True,
    ),
    _format("age_key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{40,70}"),
    _format(
        "azure_key",
        "AccountKey= SharedAccessKey= sig=",
        r"(?:AccountKey|SharedAccessKey"
        r"|[?&;]sig)=([A-Za-z0-9%+/=]{24,200})",
        1,
    ),
    _format("webhook_url", "hooks.slack.com/", r"hooks\.slack\.com/(?:services|workflows)/([A-Za-z0-9/_-]{16,120})", 1),
    _format(
        "webhook_url",
        "/robot/send? /webhook/send? open-apis/bot/ /api/webhooks/",
        r"(?:/robot/send\?access_token=|/webhook/send\?key=|open-apis/bot/v2/hook/"
        r"|/api/webhooks/)([A-Za-z0-9/_-]{16,160})",
        1,
    ),
    _format(
        "bearer_token",
        "earer EARER",
        r"[Bb](?:earer|EARER)[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,4000})",
        1,
        mixed=True,
        apart=True,
    ),
    _format(
        "basic_auth",
        "asic ",
        r"[Aa]uthorization[\"']?[:=][ \t\"']{0,4}[Bb]asic[ "
        r"\t]{1,4}([A-Za-z0-9+/]{6,400}={0,2})",
        1,
        short=True,
    ),
    _format(
        "basic_auth",
        "-u --user --proxy-user",
        r"(?<![\w-])(?:-u|--user|--proxy-user)[ "
        r"=]{0,2}[\"']?([^\s:\"'/]{1,64}:[^\s\"']{3,128})",
        1,
        short=True,
    ),
    _format("netrc", "login", r"\blogin[ \t]{1,4}\S{1,100}[ \t\n]{1,4}password[ \t]{1,4}(\S{3,128})", 1, short=True),
    _format(
        "private_key",
        "PRIVATE KEY",
        r"-{2,5} ?BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: "
        r"BLOCK)?-{2,5}[^-]{0,20000}(?:-{2,5} ?END [A-Z0-9 ]{0,40}-{2,5})?",
        short=True,
    ),
    _format("private_key", "PuTTY-User-Key-File", r"PuTTY-User-Key-File-\d:[^\0]{0,20000}"),
    _format(
        "cli_password",
        "sshpass mysql mongo",
        r"\b(?:sshpass[ \t]{1,2}-p[ \t]?|mysql(?:dump)?\b[^\n|;]{0,120}?\s-p|mongo(?:sh|dump)?\b[^\n|;]{0,120}?\s-p )"
        r"[\"']?([!-~]{4,100})",
        1,
        short=True,
    ),
    _format(
        "cli_password", "redis-cli", r"\bredis-cli\b[^\n|;]{0,120}?\s-a[ \t]{1,2}[\"']?([!-~]{4,100})", 1, short=True
    ),
    _format(
        "cloud_key",
        "AK SK ak: ak= sk: sk=",
        r"(?<![A-Za-z])(?:[AS]K|[as]k(?= ?[:：=]))(?: ?[:：=] ?| )([0-9A-Za-z]{16,64})(?![0-9A-Za-z])",
        1,
        mixed=True,
        apart=True,
    ),
    _format(
        "cli_password",
        "sudo chpasswd",
        r"\becho[ \t]{1,2}[\"']?([!-~]{4,100}?)[\"']?[ \t]{0,2}\|[ \t]{0,2}sudo\b",
        1,
        short=True,
    ),
    _format(
        "private_key",
        "0x",
        r"(?i:private key|seed|私钥|wallet)[^\n]{0,16}?\b(0x[0-9a-fA-F]{64})(?![0-9a-fA-F])",
        1,
        apart=True,
    ),
    _format(
        "cli_password",
        "-p --password",
        r"(?<![\w-])(?:-u|--user(?:name)?)[ =]{1,2}[\w.@-]{1,64}[ \t]{1,3}(?:-p|--password)[ =]{1,2}[\"']?([!-~]{4,100})",
        1,
        short=True,
    ),
    _format(
        "password_hash",
        ":$",
        r"(?<![\w$])[\w.@-]{1,64}:(\$(?:apr1|1|2[abxy]|5|6|7|y|argon2id?|sha1|md5)\$[!-9;-~]{16,200})",
        1,
        apart=True,
    ),
    _format(
        "private_key",
        "5 K L xprv",
        _B
        + r"(?=[1-9A-Za-z]{0,50}\d)(?:(?:5[HJK]|[KL])[A-Za-z0-9]{49,51}|xprv[1-9A-HJ-NP-Za-km-z]{100,112})(?![A-Za-z0-9])",
        mixed=True,
    ),
    _format(
        "product_key",
        "-",
        r"(?<![A-Za-z0-9-])(?:(?=[A-Z-]{0,28}\d)[A-Z0-9]{5}(?:-[A-Z0-9]{5}){4}|\d{6}(?:-\d{6}){7})(?![A-Za-z0-9-])",
    ),
    _format("password", "WIFI:", r"WIFI:(?:[A-Z]:[^;\n]{0,64};){0,3}P:([^;\n]{4,64});", 1, short=True),
    _format("cli_password", " -a", r"\bhttps? -a[ =]{1,2}[\w.@-]{1,64}:([^\s\"']{3,128})", 1, short=True),
    _format("totp_secret", "otpauth://", r"otpauth://[!-~]{1,200}?secret=([A-Za-z2-7=]{8,128})", 1),
)
_URL_PASSWORD = re.compile(r"://([^\s/@:]{0,128}):([^\s/]{1,200})@[\w\[]", re.ASCII)
_PLACEHOLDER_WORD = re.compile(
    r"(?:user(?:name)?|pass(?:word|wd)?|pwd|secret|token|x+|\*+|your[\w-]{0,30}|密码|口令"
    r"|[<{$%\[].*)",
    re.IGNORECASE,
)
_COOKIE = re.compile(r"(?:set-)?cookie[\"']?\s{0,2}[:=：]\s{0,2}[\"']?([!-~][ -~]{10,3000})", re.IGNORECASE | re.ASCII)
_SESSION_PAIR = re.compile(
    r"(?<![A-Za-z0-9])(?:[A-Za-z.]{0,16}(?:sess(?:ion)?[_-]?(?:id|data|token)?|\.sid|csrf[_-]?token"
    r"|xsrf[_-]?token|auth[_-]?token)|sid"
    r"|remember[_-]?(?:me|token)|jwt|bduss|ticket)=(?:s%3A)?([A-Za-z0-9%._+/-]{10,400})",
    re.IGNORECASE | re.ASCII,
)
_SESSION_HINTS = ("sess", "sid=", "csrf", "xsrf", "auth", "remember", "jwt", "bduss", "ticket")
_TOTP = re.compile(
    r"(?:totp|2fa|mfa|otp|authenticator|两步验证|双因素|动态口令|谷歌验证器|身份验证器"
    r"|令牌种子)[^\n]{0,40}?(?<![A-Za-z0-9])((?:[A-Z2-7]{4}[ -]?){4,16})(?![a-z])",
    re.IGNORECASE,
)
_TOTP_HINTS = frozenset({"totp", "2fa", "mfa", "otp", "authenticator", "两步验证", "双因素", "口令", "验证器", "令牌"})
LITERALS = Literals((*HINTS, *SEED_LABELS, *_TOTP_HINTS, *SUBJECTS))
_BASE64_RUN = re.compile(r"(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_-]{24,8000}={0,2}")
_HEX_RUN = re.compile(r"(?<![0-9A-Za-z])(?:[0-9a-f]{2}){16,2000}(?![0-9A-Za-z])", re.IGNORECASE)
_SINGLES = re.compile(r"(?:(?<!\S)\S[ \t]){5,}\S(?!\S)")
_GLUE = re.compile(r"[\"'] {0,2}\+ {0,2}[\"']|\s+")
_ORDINARY_WORD = re.compile(r"[A-Z]?[a-z]{2,}[.,;:!?]?")
_SPREAD_NAMES = (
    "aws_key github_token openai_key anthropic_key slack_token stripe_key google_key registry_token "
    "huggingface_token tencent_key aliyun_key gitlab_token jwt digitalocean_token"
)
_SPREAD = frozenset(_SPREAD_NAMES.split())

_SHORTEST_TOKEN, _SHORTEST_WRAPPED, _SHORTEST_PIECE, _SHORTEST_HEX = 16, 24, 14, 32
_SHORT_FORMATS = tuple(kind for kind in _FORMATS if kind.short)
_SPREAD_FORMATS = tuple(kind for kind in _FORMATS if kind.name in _SPREAD)
_BROKEN_PREFIXES = ("_", "sk-", "AKI", "ASI", "AKID", "LTAI", "AIza", "eyJ", "xox", "glpat")
"""What is left of those hints in a text whose pieces are all short."""

_WRAPPED_RULE = "secret.encoded"
RULES: dict[str, Effect] = {
    **{f"secret.{kind.name}": Effect.MASK for kind in _FORMATS},
    **dict.fromkeys(LABEL_RULES, Effect.MASK),
    **dict.fromkeys(
        ("secret.url_password", "secret.cookie", "secret.seed_phrase", _WRAPPED_RULE, LIKELY_RULE), Effect.MASK
    ),
}


def find_secrets(text: str, reading: Reading | None = None) -> tuple[Finding, ...]:
    """Return every secret in the text, in order and without overlaps; each finding spans the value only.

    `reading` is what `read` made of the text with (at least) `LITERALS`, when that is at hand.
    """
    seen = reading or read(text, LITERALS)
    return _merged([_moved(finding, seen.plain) for finding in _scan(seen)])


def find_given_away(text: str, reading: Reading) -> tuple[Finding, ...]:
    """As `find_secrets`, and what no rule but the classifier takes for a secret.

    For what people say: ids, records of machines and lines of a log are not worded, so that rules alone look at them.
    """
    found = [*_scan(reading), *likely_secrets(reading.plain.text, reading.lower, reading.hints)]
    return _merged([_moved(finding, reading.plain) for finding in found])


def redact(text: str) -> str:
    """Return the cleaned text with every secret replaced by its class in brackets, such as `[github_token]`."""
    cleaned = clean_text(text)
    pieces: list[str] = []
    position = 0
    for finding in find_secrets(cleaned):
        pieces += [cleaned[position : finding.start], label_of(finding.rule)]
        position = finding.end
    return "".join([*pieces, cleaned[position:]])


def label_of(rule: str) -> str:
    """What stands in a text instead of a finding: `[password]` for `secret.password`."""
    return f"[{rule.partition('.')[2]}]"


def _scan(seen: Reading) -> Iterator[Finding]:
    text = seen.plain.text
    yield from _scan_formats(text, seen.signs)
    yield from (_finding("vendor_token", *span) for span in prefixed_tokens(text, seen.signs))
    yield from labelled_values(text, seen.lower, seen.hints)
    yield from _scan_spread(text, seen.signs)
    yield from _scan_set_apart(text)
    yield from _scan_urls_and_cookies(text)
    yield from _scan_seeds(text, seen.hints)
    if has_run(seen.signs, _SHORTEST_WRAPPED):
        yield from _scan_wrapped(text, seen.signs)


def _scan_formats(text: str, signs: bytes) -> Iterator[Finding]:
    tokens = has_run(signs, _SHORTEST_TOKEN)
    runs = " ".join(run for run in text.split() if len(run) >= _SHORTEST_TOKEN) if tokens else ""
    for kind in _FORMATS if tokens else _SHORT_FORMATS:
        seen = text if kind.apart else runs
        if not holds_any(seen, kind.hints) or not kind.pattern.search(seen):
            continue
        for match in kind.pattern.finditer(text):
            if not kind.mixed or is_mixed(match.group(kind.group)):
                yield _finding(kind.name, match.start(kind.group), match.end(kind.group))


def _scan_urls_and_cookies(text: str) -> Iterator[Finding]:
    if "://" in text and "@" in text:
        for match in _URL_PASSWORD.finditer(text):
            if not _PLACEHOLDER_WORD.fullmatch(match[2]):
                yield _finding("url_password", match.start(2), match.end(2))
    if "=" in text:
        for match in _SESSION_PAIR.finditer(text) if holds_any(text.lower(), _SESSION_HINTS) else ():
            if is_mixed(match[1]):
                yield _finding("cookie", match.start(1), match.end(1))
        for match in _COOKIE.finditer(text) if "ookie" in text or "OOKIE" in text else ():
            if "=" in match[1] and any(
                is_mixed(pair.partition("=")[2]) for pair in match[1].split(";") if len(pair) > 10
            ):
                yield _finding("cookie", match.start(1), match.end(1))


def _scan_seeds(text: str, hints: frozenset[str]) -> Iterator[Finding]:
    for start, end in seed_phrases(text, hints):
        yield _finding("seed_phrase", start, end)
    for match in _TOTP.finditer(text) if _TOTP_HINTS & hints else ():
        if match[1].isupper() or any(character.isdigit() for character in match[1]):
            yield _finding("totp_secret", match.start(1), match.end(1))


def _scan_wrapped(text: str, signs: bytes) -> Iterator[Finding]:
    """Secrets behind base64 or hexadecimal: decoded once, and scanned by format and by label."""
    runs = " ".join(run for run in text.split() if len(run) >= _SHORTEST_WRAPPED)
    for match in _BASE64_RUN.finditer(text) if _BASE64_RUN.search(runs) else ():
        if _holds_plain_secret(_decoded(match.group())):
            yield Finding(_WRAPPED_RULE, Effect.MASK, match.start(), match.end())
    for match in _HEX_RUN.finditer(text) if has_run(signs, _SHORTEST_HEX) else ():
        if _holds_plain_secret(_printable(bytes.fromhex(match.group()))):
            yield Finding(_WRAPPED_RULE, Effect.MASK, match.start(), match.end())


def _decoded(run: str) -> str:
    body = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _printable(base64.b64decode(body + "=" * (-len(body) % 4), validate=True))
    except binascii.Error:
        return ""


def decoded_texts(text: str, signs: bytes) -> list[str]:
    """The readable texts (up to 6,000 bytes each) that stand in base64 inside a text, of which `signs` are known."""
    if not has_run(signs, _SHORTEST_WRAPPED):
        return []
    runs = (_decoded(match.group()) for match in _BASE64_RUN.finditer(text))
    return [run for run in runs if run]


def _printable(raw: bytes) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return text if text.replace("\n", " ").replace("\t", " ").replace("\r", " ").isprintable() else ""


def _holds_plain_secret(text: str) -> bool:
    if len(text) < 8:
        return False
    plain_pair = re.fullmatch(r"[\w.@-]{2,40}:[!-~]{6,80}", text, re.ASCII)
    return (
        bool(plain_pair)
        or any(True for _ in _scan_formats(text, b"s" * _SHORTEST_TOKEN))
        or any(True for _ in _labelled(text))
    )


def _labelled(text: str) -> Iterator[Finding]:
    lower = lower_of(text)
    return labelled_values(text, lower, LITERALS.within(lower))


def _scan_spread(text: str, signs: bytes) -> Iterator[Finding]:
    """Tokens that blanks, line breaks or a string concatenation cut into pieces ("ghp_ab cd ef")."""
    singles = has_singles(text) and _SINGLES.search(text) is not None
    if (
        not singles
        and not has_run(signs, _SHORTEST_PIECE)
        and "+" not in text
        and not holds_any(text, _BROKEN_PREFIXES)
    ):
        return
    squeezed = _GLUE.sub("", text)
    if len(squeezed) == len(text):
        return
    kinds = [kind for kind in _SPREAD_FORMATS if holds_any(squeezed, kind.hints) and kind.loose.search(squeezed)]
    if not kinds and not singles:
        return
    view = _joined(text)
    for kind in kinds:
        for match in kind.loose.finditer(view.text):
            yield from _spread_token(text, view, kind, match)
    if singles:
        yield from (_moved(finding, view) for finding in _labelled(view.text))


def _scan_set_apart(text: str) -> Iterator[Finding]:
    for start, end, value in set_apart(text):
        if len(value) >= 6 and looks_random(value):
            yield _finding("password", start, end)


def _joined(text: str) -> Folded:
    kept: list[int] = []
    position = 0
    for gap in _GLUE.finditer(text):
        kept.extend(range(position, gap.start()))
        position = gap.end()
    kept.extend(range(position, len(text)))
    return Folded("".join(text[each] for each in kept), tuple(kept))


def _spread_token(text: str, view: Folded, kind: _Format, match: re.Match[str]) -> Iterator[Finding]:
    start, end = view.source_span(match.start(), match.end())
    if text[start - 1 : start].isalnum() and text[start - 1 : start].isascii():
        return
    end = start + _token_length(text[start:end])
    token = _GLUE.sub("", text[start:end])
    if token != text[start:end] and kind.loose.fullmatch(token) and (is_mixed(token) or token.isupper()):
        yield _finding(kind.name, start, end)


def _token_length(spread: str) -> int:
    """Where the token ends: before the first piece that is an ordinary word and not as long as the piece before it."""
    position = length = 0
    for gap in [*_GLUE.finditer(spread), None]:
        stop = gap.start() if gap else len(spread)
        piece = spread[position:stop]
        if position and _ORDINARY_WORD.fullmatch(piece) and len(piece) != length:
            return _before_gap(spread, position)
        length = len(piece)
        position = gap.end() if gap else stop
    return len(spread)


def _before_gap(spread: str, position: int) -> int:
    return len(spread[:position].rstrip(" \t\n\"'+"))


def _finding(name: str, start: int, end: int) -> Finding:
    return Finding(f"secret.{name}", Effect.MASK, start, end)


def _moved(finding: Finding, view: Folded) -> Finding:
    start, end = view.source_span(finding.start, finding.end)
    return Finding(finding.rule, finding.effect, start, end)


def _merged(found: list[Finding]) -> tuple[Finding, ...]:
    """Overlapping findings become one, under the name of the one that begins first (the longer one, then)."""
    merged: list[Finding] = []
    for finding in sorted(found, key=lambda each: (each.start, -each.end)):
        if merged and finding.start < merged[-1].end:
            last = merged.pop()
            finding = Finding(last.rule, last.effect, last.start, max(last.end, finding.end))
        merged.append(finding)
    return tuple(merged)
