from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import redis
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand
from django.db import connections
from django.db.migrations.executor import MigrationExecutor
from django.db.utils import DatabaseError, OperationalError

from memoryapp.domain.errors import DomainError
from memoryapp.domain.types import ReembeddingState
from memoryapp.environment import Environment
from memoryapp.providers import registry
from memoryapp.providers.base import Embedder
from memoryapp.services import reembedding, restore_safety, tenants, vector_index, vectors
from memoryapp.services.reembedding import Change, Held
from memoryapp.services.vector_index import LargeSpace

LEAST_POSTGRES = 160010
LEAST_PGVECTOR = (0, 8)


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the report; `mend` is empty when all is well."""

    subject: str
    text: str
    mend: str = ""


class Command(BaseCommand):
    help = (
        "Check services, roles, migrations, embedder, LLM and folders, and say how to mend each. Exit 1 on a problem."
    )
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        findings = [finding for check in CHECKS for finding in check()]
        for finding in findings:
            self.stdout.write(_line(finding))
        if any(finding.mend for finding in findings):
            raise SystemExit(1)


def _line(finding: Finding) -> str:
    state = "problem" if finding.mend else "ok"
    mend = f" — {finding.mend}" if finding.mend else ""
    return f"{state:<8} {finding.subject:<12} {finding.text}{mend}"


def check_database() -> Iterator[Finding]:
    try:
        version, vector = _row(
            "SELECT current_setting('server_version_num')::int, max(extversion) FROM pg_extension"
            " WHERE extname = 'vector'"
        )
    except OperationalError:
        yield Finding("PostgreSQL", "does not answer", "start it, or correct DATABASE_URL; see data folder's log")
        return
    too_old = version < LEAST_POSTGRES
    yield Finding("PostgreSQL", _dotted(version), "use PostgreSQL 16.10 or later" if too_old else "")
    yield _pgvector(vector)
    yield from _roles()
    yield from _migrations()


def _pgvector(version: str | None) -> Finding:
    if version is None:
        return Finding("pgvector", "missing", "run as superuser in this database: CREATE EXTENSION vector")
    too_old = tuple(int(part) for part in version.split(".")[:2]) < LEAST_PGVECTOR
    return Finding(
        "pgvector", version, "install pgvector 0.8 or later, then ALTER EXTENSION vector UPDATE" if too_old else ""
    )


def _roles() -> Iterator[Finding]:
    mend = "make the roles with the SQL of `manage.py database_roles`"
    name, superuser, bypass, owner = _row(
        "SELECT rolname, rolsuper, rolbypassrls, EXISTS (SELECT FROM pg_tables WHERE schemaname = 'public' AND tableowner"
        " = rolname) FROM pg_roles WHERE rolname = current_user"
    )
    for wrong, text in ((superuser, "is a superuser"), (bypass, "bypasses row-level security"), (owner, "owns tables")):
        if wrong:
            yield Finding("roles", f"the application's role {name} {text}", mend)
            return
    yield Finding("roles", f"{name} is bound by row-level security")


def _migrations() -> Iterator[Finding]:
    try:
        executor = MigrationExecutor(connections["owner"])
    except OperationalError:
        yield Finding("migrations", "the owner cannot log in", "correct DATABASE_OWNER_URL")
        return
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    text = f"{len(waiting)} not applied" if waiting else "all applied"
    yield Finding("migrations", text, "run `manage.py migrate`, or `manage.py up`" if waiting else "")


def check_valkey() -> Iterator[Finding]:
    for subject, url in (("broker", settings.CELERY_BROKER_URL), ("cache", settings.CACHES["default"]["LOCATION"])):
        if url.startswith("amqp"):
            yield Finding(subject, "RabbitMQ; not asked")
            continue
        try:
            with redis.Redis.from_url(_plain(url), socket_connect_timeout=3) as client:
                server = client.info("server")
                yield Finding(subject, f"{server.get('server_name', 'redis')} {_server_version(server)} answers")
        except (redis.RedisError, ValueError):
            yield Finding(subject, "does not answer", f"start it, or correct {subject.upper()}_URL")


def check_embedder() -> Iterator[Finding]:
    yield _embedder("embedder", registry.embedder, "EMBEDDING_…")


def check_second_embedder() -> Iterator[Finding]:
    """The one of `NEXT_EMBEDDING_…`, while it is set."""
    environment: Environment = settings.MEMORYAPP
    if environment.next_embedding_provider or environment.next_embedding_base_url:
        yield _embedder("next embedder", registry.second_embedder, "NEXT_EMBEDDING_…")


def _embedder(subject: str, built: Callable[[], Embedder | None], names: str) -> Finding:
    try:
        embedder = built()
        vector = embedder.embed_query("doctor") if embedder is not None else []
    except (ImproperlyConfigured, DomainError, OSError) as error:
        return Finding(subject, f"gives no vector: {error}", f"correct the {names} settings")
    return Finding(subject, f"{embedder.model if embedder else 'none'} gives {len(vector)} dimensions")


def check_vectors() -> Iterator[Finding]:
    try:
        everyone = tenants.tenant_ids()
        foreign = sum(vectors.foreign(tenant_id) for tenant_id in everyone)
        changes = [change for tenant_id in everyone if (change := reembedding.change_of(tenant_id)) is not None]
        held = [one for tenant_id in everyone for one in reembedding.held(tenant_id)]
    except (DatabaseError, ImproperlyConfigured, DomainError, OSError):
        return  # told by the checks of the database and of the embedder
    text = f"{foreign} memories have a vector of another embedding model and are found by words only"
    mend = "leave `manage.py up` (or worker and beat) running: they are embedded anew within minutes"
    kept = _kept(held) or "none yet"
    yield Finding("vectors", text, mend) if foreign else Finding("vectors", f"no stranger among them: {kept}")
    yield from _changes(changes)


def _kept(held: Sequence[Held]) -> str:
    """Vectors by model and length, of all tenants together."""
    counts: Counter[tuple[str, int]] = Counter()
    for one in held:
        counts[(one.model, one.dimensions)] += one.count
    return ", ".join(f"{count} of {model} ({length} numbers)" for (model, length), count in counts.most_common())


def _changes(changes: Sequence[Change]) -> Iterator[Finding]:
    """Re-embeddings that are open: how far, and who answers."""
    still = [change for change in changes if change.state is not ReembeddingState.FINISHED]
    for (old, new, state), count in Counter((c.from_model, c.to_model, c.state) for c in still).items():
        made = sum(c.made for c in still if (c.from_model, c.to_model, c.state) == (old, new, state))
        items = sum(c.items for c in still if (c.from_model, c.to_model, c.state) == (old, new, state))
        yield Finding("re-embedding", f"{old} → {new} is {state} for {count} tenants, {made} of {items} vectors made")


def check_vector_indexes() -> Iterator[Finding]:
    try:
        large = [one for tenant_id in tenants.tenant_ids() for one in vector_index.large_spaces(tenant_id)]
        for space in large:
            yield _served(space)
    except (DatabaseError, ImproperlyConfigured, DomainError, OSError):
        return  # told by the check of the database


def _served(space: LargeSpace) -> Finding:
    text = f"space {space.space_id} of {space.items} items"
    if space.index is None:
        return Finding(
            "vector index", f"{text} is searched exactly; `manage.py vector_index create` makes meaning cheaper"
        )
    if not space.index.usable:
        return Finding("vector index", f"{text}: its index is half-made", "create it again, or drop it")
    recall = vector_index.recall_of(space.index)
    told = f"{text}: recall@10 {recall.share:.3f} against the exact search, on {recall.sampled} stored vectors"
    return Finding(
        "vector index", told, "" if recall.enough else "drop it, or create it anew: `manage.py vector_index`"
    )


def check_llm() -> Iterator[Finding]:
    if not registry.llm_configured():
        yield Finding("LLM", "none configured: the rules alone judge, which see explicit statements only")
        return
    try:
        address = registry.llm_address(settings.MEMORYAPP)
        httpx.get(address.base_url, timeout=5)
    except ImproperlyConfigured as error:
        yield Finding("LLM", str(error), "correct the LLM_… settings")
    except httpx.HTTPError as error:
        yield Finding("LLM", f"{address.base_url} does not answer ({type(error).__name__})", "correct LLM_BASE_URL")
    else:
        yield Finding("LLM", f"{address.base_url} answers")


def check_tombstones() -> Iterator[Finding]:
    try:
        lost = restore_safety.difference()
    except (DatabaseError, DomainError) as error:
        yield Finding("tombstones", f"cannot be compared ({type(error).__name__})", "mend the database, then try again")
        return
    count = len(lost.stones) + len(lost.erasures)
    text = f"{count} in the file are not in the database: an older database was restored" if count else "all there"
    yield Finding("tombstones", text, "run `manage.py replay_tombstones` before serving" if count else "")


def check_folders() -> Iterator[Finding]:
    for subject, folder in (
        ("data folder", settings.MEMORYAPP.data_dir),
        ("keys folder", settings.MEMORYAPP.keys_folder),
    ):
        yield _folder(subject, folder.resolve())


def _folder(subject: str, folder: Path) -> Finding:
    if not folder.is_dir():
        return Finding(subject, f"{folder} is not there yet; it is made when it is needed")
    open_to_others = bool(stat.S_IMODE(folder.stat().st_mode) & stat.S_IRWXO)
    return Finding(subject, str(folder), f"close it to others: chmod o= {folder}" if open_to_others else "")


def _row(query: str) -> tuple[Any, ...]:
    with connections["default"].cursor() as cursor:
        cursor.execute(query)
        return tuple(cursor.fetchone() or ())


def _dotted(version: int) -> str:
    return f"{version // 10000}.{version % 10000}"


def _server_version(server: dict[str, Any]) -> str:
    """Valkey also states the Redis version that it is compatible with."""
    return str(server.get("valkey_version") or server.get("redis_version"))


def _plain(url: str) -> str:
    """Celery's name for a socket URL, in the Redis client's words."""
    return url.replace("redis+socket://", "unix://").replace("virtual_host=", "db=")


CHECKS: tuple[Callable[[], Iterator[Finding]], ...] = (
    check_database,
    check_valkey,
    check_embedder,
    check_second_embedder,
    check_vectors,
    check_vector_indexes,
    check_llm,
    check_tombstones,
    check_folders,
)
