"""The typed environment: every setting an operator can give, with its default and bounds.

Names are environment variables or lines of `.env`. Each secret may come from a file instead: `LLM_API_KEY_FILE=/run/…`.
Unknown names in `.env` and impossible values are refused at start, naming the setting.
"""

from __future__ import annotations

import os
import secrets
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

from psycopg.conninfo import conninfo_to_dict
from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict


class EnvironmentName(StrEnum):
    DEVELOPMENT = "development"
    TEST = "test"
    PRODUCTION = "production"


class SecretFiles(PydanticBaseSettingsSource):
    """Reads `NAME_FILE` for every setting `NAME`; giving both is refused, an unreadable file too."""

    def get_field_value(self, field: FieldInfo, field_name: str) -> tuple[Any, str, bool]:
        path = os.environ.get(f"{field_name.upper()}_FILE")
        if path is None:
            return None, field_name, False
        if field_name.upper() in os.environ:
            raise ValueError(f"Both {field_name.upper()} and {field_name.upper()}_FILE are set; keep one.")
        try:
            return Path(path).read_text(encoding="utf-8").strip(), field_name, False
        except OSError as error:
            raise ValueError(f"{field_name.upper()}_FILE={path} cannot be read: {error.strerror}.") from error

    def __call__(self) -> dict[str, Any]:
        read = {name: self.get_field_value(field, name)[0] for name, field in self.settings_cls.model_fields.items()}
        return {name: value for name, value in read.items() if value is not None}


class Environment(BaseSettings):
    """All settings. Times are seconds, sizes bytes unless named otherwise."""

    model_config = SettingsConfigDict(env_file=".env", extra="forbid", env_ignore_empty=True, hide_input_in_errors=True)

    environment: EnvironmentName = EnvironmentName.DEVELOPMENT
    debug: bool = False
    secret_key: SecretStr | None = None
    allowed_hosts: str = "localhost,127.0.0.1,[::1]"
    public_url: str = ""
    """Where people reach the pages, e.g. https://memory.example.org; used in invitations and CSRF checks."""
    behind_proxy: bool = False
    """Trust `X-Forwarded-Proto` of the proxy in front."""

    data_dir: Path = Path(".data")
    keys_dir: Path | None = None
    database_url: SecretStr | None = None
    database_owner_url: SecretStr | None = None
    database_pool_size: int = Field(default=10, ge=1, le=200)
    broker_url: SecretStr | None = None
    cache_url: SecretStr | None = None

    llm_provider: str = ""
    """`rules`, a preset (openai, deepseek, qwen, ollama, vllm) or empty: rules unless LLM_BASE_URL is given."""
    llm_base_url: str = ""
    llm_api_key: SecretStr | None = None
    llm_model: str = ""
    llm_timeout_seconds: float = Field(default=30, gt=0, le=600)
    embedding_provider: str = ""
    embedding_base_url: str = ""
    embedding_api_key: SecretStr | None = None
    embedding_model: str = ""
    embedding_timeout_seconds: float = Field(default=15, gt=0, le=600)
    embedding_dimensions: int | None = Field(default=None, ge=8, le=4000)
    next_embedding_provider: str = ""
    """A second embedder beside the first, for `manage.py reembed`: every NEXT_… setting means what its namesake does."""
    next_embedding_base_url: str = ""
    next_embedding_api_key: SecretStr | None = None
    next_embedding_model: str = ""
    next_embedding_dimensions: int | None = Field(default=None, ge=8, le=4000)
    session_summaries: Literal["extractive", "llm"] = "extractive"
    """Who sums sessions up: whole sentences of the user, or the language model (one call after each extraction)."""
    recall_fusion: Literal["weighted", "rrf"] = "weighted"
    """How words and meaning become one order; `rrf` is reciprocal rank fusion."""
    reranker: Literal["endpoint", "llm"] = "endpoint"
    """Whose second opinion on the order of a search: a rerank endpoint, or the language model (a call every search)."""
    rerank_base_url: str = ""
    """An endpoint with `/rerank`; empty leaves the order as it is."""
    rerank_api_key: SecretStr | None = None
    rerank_model: str = ""
    rerank_timeout_seconds: float = Field(default=1.5, gt=0, le=30)

    backup_retention_days: int = Field(default=30, ge=0, le=3650)
    """How long the operator keeps backups; stated in receipts of erasure, and how long tombstone keys outlive a person."""
    idle_seconds: int | None = Field(default=None, ge=0, le=86_400)
    """Overrides the policy's silence window for every tenant."""
    run_lease_seconds: int = Field(default=30, ge=5, le=3600)
    """How long a claim outlives its worker; it is renewed while the work goes on."""
    run_attempts: int = Field(default=5, ge=1, le=20)
    retry_base_seconds: float = Field(default=2.0, ge=0, le=600)
    dispatch_seconds: float = Field(default=1.0, gt=0, le=60)
    rate_limit_per_minute: int = Field(default=12_000, ge=0, le=10_000_000)
    """Requests of one API key per minute on average; 0 switches the limit off."""
    rate_limit_burst: int = Field(default=2_000, ge=1, le=1_000_000)
    """Requests of one API key that may come at once."""
    log_level: str = "INFO"
    email_url: str = ""
    """smtp://user:password@host:587 for invitations and password resets; empty prints mails to the log."""
    email_from: str = "memoryapp@localhost"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return init_settings, env_settings, SecretFiles(settings_cls), dotenv_settings

    @field_validator("log_level")
    @classmethod
    def _known_level(cls, value: str) -> str:
        if value.upper() not in ("DEBUG", "INFO", "WARNING", "ERROR"):
            raise ValueError("LOG_LEVEL must be DEBUG, INFO, WARNING or ERROR")
        return value.upper()

    @model_validator(mode="after")
    def _safe_in_production(self) -> Environment:
        if self.environment is not EnvironmentName.PRODUCTION:
            return self
        if self.debug:
            raise ValueError("DEBUG=true is refused when ENVIRONMENT=production")
        if self.secret_key is None or len(self.secret_key.get_secret_value()) < 32:
            raise ValueError("ENVIRONMENT=production needs SECRET_KEY (or SECRET_KEY_FILE) of at least 32 characters")
        if "*" in self.hosts:
            raise ValueError("ALLOWED_HOSTS=* is refused when ENVIRONMENT=production; name the hosts")
        if not self.public_url.startswith("https://"):
            raise ValueError("ENVIRONMENT=production needs PUBLIC_URL=https://… (cookies are sent over TLS only)")
        return self

    @property
    def production(self) -> bool:
        return self.environment is EnvironmentName.PRODUCTION

    @property
    def hosts(self) -> list[str]:
        return [host.strip() for host in self.allowed_hosts.split(",") if host.strip()]

    @property
    def keys_folder(self) -> Path:
        return self.keys_dir or self.data_dir / "keys"

    def signing_secret(self) -> str:
        """SECRET_KEY, or in development one made once and kept readable by the owner in the data folder."""
        if self.secret_key is not None:
            return self.secret_key.get_secret_value()
        path = self.data_dir / "secret_key"
        if not path.exists():
            write_once(path, secrets.token_urlsafe(48))
        return path.read_text(encoding="ascii")


def make_private(folder: Path) -> None:
    """Make a folder, and those above it that are missing, closed to others: `parents=True` would leave these open."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def write_once(path: Path, text: str) -> None:
    """Create a file readable by its owner only; when another process was faster, keep that one's."""
    make_private(path.parent)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(text)
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def database_settings(url: str, *, pool_size: int | None, server_side: bool) -> dict[str, Any]:
    """Django's DATABASES entry for a `postgresql://` URL (a socket folder as `?host=/path` works too)."""
    parts = conninfo_to_dict(url)
    options: dict[str, Any] = {"server_side_binding": server_side, "options": "-c jit=off"}
    if server_side:
        # A statement that comes often is planned once for a connection: its planning costs more than its run.
        options["prepare_threshold"] = 5
    if pool_size is not None:
        options["pool"] = {"min_size": 1, "max_size": pool_size, "timeout": 10}
    known = {"host", "port", "user", "password", "dbname"}
    options |= {name: value for name, value in parts.items() if name not in known}
    return {
        "ENGINE": "memoryapp.postgres",
        "NAME": parts.get("dbname", ""),
        "USER": parts.get("user", ""),
        "PASSWORD": parts.get("password", ""),
        "HOST": parts.get("host", ""),
        "PORT": parts.get("port", ""),
        "CONN_MAX_AGE": 0,
        "CONN_HEALTH_CHECKS": True,  # a pooled connection of a server that was restarted is not handed out
        "OPTIONS": options,
    }
