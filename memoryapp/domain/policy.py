"""Policy: every limit and threshold of the service, per tenant and versioned, with the defaults of FEATURES A2.

A decision stores the version of the policy that took it. Unknown names and out-of-range values are refused by
`from_mapping`, so that a policy row can never half-apply.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from memoryapp.domain.errors import DomainError
from memoryapp.domain.types import Effect, Kind

QUOTAS: Mapping[str, int] = {"profile": 8, "preference": 12, "matched": 16, "recent": 4}


@dataclass(frozen=True, slots=True)
class Policy:
    """Defaults from the sources; seconds, days, characters and counts as named. Thresholds are in 0–1."""

    version: int = 1
    cue_threshold: float = 0.55
    idle_threshold: float = 0.75
    candidate_floor: float = 0.35
    idle_seconds: int = 45
    candidate_days: int = 30
    trash_days: int = 7
    message_days: int = 7
    session_days: int = 7
    """How long working memory outlives the last word of its session."""
    export_days: int = 7
    """How long the file of a finished export can be downloaded."""
    min_length: int = 3
    max_length: int = 500
    operations_per_run: int = 20
    rejudge_attempts: int = 5
    judge_tokens: int = 6000
    """Estimated tokens of existing memories up to which the judge is shown all of them."""
    snooze_days: int = 7
    expiring_days: int = 7
    import_messages_per_run: int = 40
    injection_limit: int = 40
    injection_tokens: int = 1500
    quotas: Mapping[str, int] = field(default_factory=lambda: dict(QUOTAS))
    exact_up_to: int = 20_000
    """Items of the searched spaces up to which meaning is compared with every one of them. Above it a space is searched
    by an approximate index, if an operator made one for it."""
    archive_below: float = 0.02
    """Forgetting score under which an active item is archived; 0 switches ageing off."""
    forget_archived_days: int = 0
    """Days after which an archived item is forgotten (and, after the trash period, erased); 0 keeps it for good."""
    space_limit: int = 5000
    """Active items of a space above which the least useful are suggested for the archive; 0 means no limit."""
    consolidation_spaces: int = 200
    """Spaces of a tenant that one night consolidates, the most changed first."""
    consolidation_llm_calls: int = 20
    """Calls to the language model that a tenant's night may make; 0 means none."""
    half_life_days: Mapping[str, int] = field(default_factory=dict)
    """Days by kind, over the defaults of `forgetting.HALF_LIFE_DAYS`."""
    personal_numbers: str = "confirm"
    """`confirm` (personal numbers wait for the person), `refuse`, or `allow`. Restricted ones are always refused."""
    guard_effects: Mapping[str, Effect] = field(default_factory=dict)
    """Overrides by rule name or rule class, e.g. `{"noise.filler": "flag"}`. Secrets cannot be overridden."""


DEFAULT_POLICY = Policy()


def from_mapping(version: int, values: Mapping[str, object]) -> Policy:
    """Build a policy from stored values over the defaults; raise `invalid_policy` naming the first bad entry."""
    known = {f.name: f for f in fields(Policy) if f.name != "version"}
    for name in values:
        if name not in known:
            raise DomainError("invalid_policy", f"Unknown policy setting “{name}”. Known: {', '.join(sorted(known))}.")
    typed = {name: _typed(name, value) for name, value in values.items()}
    return replace(DEFAULT_POLICY, version=version, **typed)  # type: ignore[arg-type]


def _typed(name: str, value: object) -> object:
    default = getattr(DEFAULT_POLICY, name)
    if name == "guard_effects" and isinstance(value, Mapping):
        return {str(rule): _effect(str(rule), effect) for rule, effect in value.items()}
    if name == "half_life_days" and isinstance(value, Mapping):
        return {_kind(str(kind)): _days(str(kind), days) for kind, days in value.items()}
    if isinstance(default, float) and isinstance(value, int | float) and 0 <= value <= 1:
        return float(value)
    if isinstance(default, bool) == isinstance(value, bool) and isinstance(value, type(default)):
        return _checked(name, value)
    raise DomainError("invalid_policy", f"Policy setting “{name}” must be like its default {default!r}.")


def _kind(text: str) -> str:
    if text not in set(Kind):
        raise DomainError("invalid_policy", f"“{text}” is no kind; half_life_days takes {', '.join(Kind)}.")
    return text


def _days(kind: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise DomainError("invalid_policy", f"half_life_days of “{kind}” is a whole number of days, at least 1.")
    return value


def _effect(rule: str, value: object) -> Effect:
    if rule.split(".")[0] == "secret":
        raise DomainError("invalid_policy", "Secrets are always refused or masked; that rule cannot be changed.")
    try:
        return Effect(str(value))
    except ValueError as error:
        raise DomainError("invalid_policy", f"“{value}” is no guard effect; use {', '.join(Effect)}.") from error


def _checked(name: str, value: object) -> object:
    if isinstance(value, int) and not isinstance(value, bool) and value < 0:
        raise DomainError("invalid_policy", f"Policy setting “{name}” must not be negative.")
    if name == "personal_numbers" and value not in ("confirm", "refuse", "allow"):
        raise DomainError("invalid_policy", "personal_numbers must be confirm, refuse or allow.")
    return value
