"""Django settings, from the typed environment. See memoryapp/environment.py for what an operator can set."""

from __future__ import annotations

import sys
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP
from django.utils.translation import gettext_lazy as _
from pydantic import SecretStr, ValidationError

from memoryapp.environment import Environment, EnvironmentName, database_settings


def _environment() -> Environment:
    try:
        return Environment()
    except ValidationError as error:
        lines = [f"{'.'.join(map(str, e['loc'])).upper() or 'settings'}: {e['msg']}" for e in error.errors()]
        raise ImproperlyConfigured("Settings refused:\n  " + "\n  ".join(lines)) from None


MEMORYAPP = _environment()
BASE_DIR = Path(__file__).resolve().parent.parent


def _required(value: SecretStr | None, name: str) -> str:
    return value.get_secret_value() if value is not None else f"unset://{name}"
