"""How a value behind a label is made: a placeholder, an expression, an algorithm, a quantity, or random signs."""

from __future__ import annotations

import re

PLACEHOLDER = re.compile(
    r"[<{$%\[(].*|.{0,8}([xX*•●.…_#-])\1{2,}.{0,4}|[xX*•.…?]+|(?:your|my|the|some|insert|enter|put|replace)[-_ ].*"
    r"|.*(?:placeholder|changeme|change_me|redacted|masked|your[-_]|[-_]here$)|example\w*"
    r"|(?:password|passwd|pass|secret|token|key|pwd|null|none|nil|true|false|undefined|empty|todo|tbd|n/a|unknown"
    r"|hidden|string|str|text)[.;,)!?]*",
    re.IGNORECASE,
)
EXPRESSION = re.compile(
    r"[\w.]{1,60}\(.*|(?:os|env|process|self|this|config|settings|request|req|ctx|args|options|params|secrets"
    r"|vars|data)\..*"
    r"|[\w.]{1,60}\[.*|[a-z_]{2,}(?:\.[a-z_]{2,})+|https?://.*|[./~]{0,2}/[\w./-]*|--.*|[\w./-]+\.(?:py|js|ts|rs"
    r"|go|md|ya?ml|json|toml|java|env|txt)(?::.*)?|&.*",
    re.IGNORECASE,
)
ALGORITHM = re.compile(
    r"(?:sha|md|aes|des|rsa|sm|hs|rs|es|ps|base|utf|tls|ssl|oauth|oidc|argon|pbkdf|bcrypt|scrypt|ed|x|curve|hmac"
    r"|nist|iso|fido|webauthn|kms"
    r"|jwt|jwks?|saml|ldap|totp|1password|2fa|mfa|http|ipv|ascii|unicode|crc|blake|chacha|gcm|ecdsa|p-?|v)[-_ ]?\d{0,4}"
    r"(?:[-_/.]?(?:\d{1,4}|sha\d*|gcm|cbc|ecb|poly\d+|hmac|rsa|aes|mb4|id|i|d|only)){0,4}[.,;:)]?",
    re.IGNORECASE,
)
QUANTITY = re.compile(
    r"[<>=~≥≤+]{0,2}\d{1,6}(?:[.-]\d{1,6})?[- ]?(?:char(?:acter)?s?|digits?|bits?|bytes?|days?|hours?|h"
    r"|min(?:ute)?s?|s|ms|sec(?:ond)?s?|k|kb|mb|x|times|weeks?|months?|years?)?[+]?",
    re.IGNORECASE,
)

_BASE64 = re.compile(r"(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9+/]{32,}={0,2}")
_PATH_PART = re.compile(r"[a-z]*(?:[A-Z][a-z]+)*\d{0,4}|[A-Z]{1,8}\d{0,4}|\d{1,6}")
"""A name of a folder or a file as people write it; of random letters hardly any part reads so."""


def is_base64(value: str) -> bool:
    """Whether a value is random bytes in base64 rather than a path: both have letters, digits and slashes."""
    return _BASE64.fullmatch(value) is not None and not all(map(_PATH_PART.fullmatch, value.split("/")))


def looks_random(value: str) -> bool:
    """Digits and letters mixed, or an unusual sign inside: what words, versions and paths do not have."""
    if is_base64(value):
        return True
    if (
        PLACEHOLDER.fullmatch(value)
        or EXPRESSION.fullmatch(value)
        or ALGORITHM.fullmatch(value)
        or QUANTITY.fullmatch(value)
    ):
        return False
    digits = sum(map(str.isdigit, value))
    letters = sum(map(str.isalpha, value))
    odd = sum(character in "!@#$%^&*~+=|?" for character in value[:-1])
    if re.fullmatch(r"v?\d+(?:\.\d+){1,3}|[\w-]+(?:/[\w.-]+)+|\w+::?\w+|[A-Z]{1,3}\d{1,4}|[A-Za-z]{2,}-\d{1,5}", value):
        return False
    return (
        (digits >= 1 and letters >= 2 and digits + letters >= 5)
        or (odd >= 1 and letters >= 3 and len(value) >= 6)
        or (digits >= 4 and odd >= 1)
    )
