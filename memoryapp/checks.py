"""System checks with ids. Run by `manage.py check`, by `up` and by CI."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register
from django.core.exceptions import ImproperlyConfigured

from memoryapp.providers import registry


@register("memoryapp")
def providers_are_configured(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """memoryapp.E001: the LLM or embedding settings contradict each other."""
    try:
        registry.check()
    except ImproperlyConfigured as error:
        return [Error(str(error), id="memoryapp.E001")]
    return []


@register("memoryapp")
def database_is_given(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """memoryapp.W001: migrations run as the application's own role."""
    if settings.MEMORYAPP.database_url and not settings.MEMORYAPP.database_owner_url:
        hint = "Set DATABASE_OWNER_URL to the role that owns the tables; `manage.py database_roles` prints the roles."
        return [Warning("DATABASE_OWNER_URL is not set.", hint=hint, id="memoryapp.W001")]
    return []
