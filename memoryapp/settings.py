"""Django settings, from the typed environment. See memoryapp/environment.py for what an operator can set."""

from __future__ import annotations

import sys
from email.utils import parseaddr
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from celery.schedules import crontab
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
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


def _given(value: SecretStr | None, scheme: str) -> str:
    """A URL of the environment; a harmless one for the commands that run before the services are there."""
    return value.get_secret_value() if value is not None else f"{scheme}:///not-configured"


def _email(url: str) -> dict[str, Any]:
    """SMTP settings of an `smtp://` or `smtps://` URL; without one, none is sent: a log must not hold links that work."""
    if not url:
        return {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
    parts = urlsplit(url)
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": parts.hostname or "localhost",
        "EMAIL_PORT": parts.port or 587,
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp" and bool(parts.username),
        "EMAIL_USE_SSL": parts.scheme == "smtps",
    }


_TESTING = MEMORYAPP.environment is EnvironmentName.TEST
_SERVING_TLS = MEMORYAPP.public_url.startswith("https://")

SECRET_KEY = MEMORYAPP.signing_secret()
DEBUG = MEMORYAPP.debug
ALLOWED_HOSTS = [*MEMORYAPP.hosts, *([urlsplit(MEMORYAPP.public_url).hostname or ""] if MEMORYAPP.public_url else [])]
CSRF_TRUSTED_ORIGINS = [MEMORYAPP.public_url] if MEMORYAPP.public_url else []
globals().update(_email(MEMORYAPP.email_url))
DEFAULT_FROM_EMAIL = parseaddr(MEMORYAPP.email_from)[1] or "memoryapp@localhost"

INSTALLED_APPS = [
    "memoryapp.apps.MemoryappConfig",
    "accounts.apps.AccountsConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_htmx",
    "template_partials",
    "csp",
    "django_structlog",
]
MIDDLEWARE = [
    "memoryapp.web.middleware.RequestIdMiddleware",
    "memoryapp.api.edge.ApiEdgeMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "memoryapp.web.middleware.PagesApart",
]
CALL_MIDDLEWARE = ["django.middleware.locale.LocaleMiddleware"]
PAGE_MIDDLEWARE = [
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
ROOT_URLCONF = "memoryapp.urls"
WSGI_APPLICATION = "memoryapp.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "memoryapp.web.context.page",
            ],
        },
    }
]

DATABASES = {
    "default": database_settings(
        _given(MEMORYAPP.database_url, "postgresql"),
        pool_size=None if _TESTING else MEMORYAPP.database_pool_size,
        server_side=True,
    ),
    "owner": database_settings(
        _given(MEMORYAPP.database_owner_url or MEMORYAPP.database_url, "postgresql"),
        pool_size=None,
        server_side=False,
    ),
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": _given(MEMORYAPP.cache_url, "redis"),
        "KEY_PREFIX": "memoryapp",
    }
}

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
if _TESTING:
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = _SERVING_TLS
SESSION_COOKIE_NAME = "memoryapp_session"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if MEMORYAPP.behind_proxy else None
SECURE_HSTS_SECONDS = 31_536_000 if MEMORYAPP.production else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
    }
}

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = MEMORYAPP.data_dir / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # WhiteNoise warns about a missing one
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = MEMORYAPP.debug

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["memoryapp.api.authentication.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["memoryapp.api.edge.QuickJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["memoryapp.api.edge.BoundedJSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["memoryapp.api.edge.KeyThrottle"],
    "DEFAULT_METADATA_CLASS": "memoryapp.api.edge.Methods",
    "DEFAULT_SCHEMA_CLASS": "memoryapp.api.schema.Described",
    "EXCEPTION_HANDLER": "memoryapp.api.problems.exception_handler",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Memoryapp",
    "DESCRIPTION": "Long-term memory for LLM agents.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": [],
    "SERVE_AUTHENTICATION": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": ["memoryapp.api.schema.add_problems"],
}

CELERY_BROKER_URL = _given(MEMORYAPP.broker_url, "redis")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_TIME_LIMIT = 900
CELERY_TASK_SOFT_TIME_LIMIT = 840
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 5
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 1800, "socket_connect_timeout": 2, "socket_timeout": 5}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BEAT_SCHEDULE = {
    "dispatch-due-work": {
        "task": "memoryapp.dispatch_due",
        "schedule": MEMORYAPP.dispatch_seconds,
        "options": {"expires": 10},
    },
    "housekeeping": {"task": "memoryapp.housekeeping", "schedule": 300.0},
    "rewrite-purged-tables": {"task": "memoryapp.erase_physical", "schedule": crontab(hour=3, minute=30)},
    "nightly": {"task": "memoryapp.nightly", "schedule": crontab(hour="3", minute="10")},
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "memoryapp.log_lines.MaskedFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s %(message)s",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "stream": sys.stderr, "formatter": "line"}},
    "root": {"handlers": ["console"], "level": MEMORYAPP.log_level},
    "loggers": {
        "celery.worker.strategy": {"level": "WARNING"},
        "celery.app.trace": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},
    },
}
