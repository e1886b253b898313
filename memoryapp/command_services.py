"""Services for one management command, chosen before Django's settings load.

`up` starts its own. Every other command uses the servers of a running `up`, or runs them for as long as it takes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

from pydantic import ValidationError

from memoryapp.embedded import ServiceUrls, Wanted, embedded_services, is_home, running_services
from memoryapp.embedded_home import EmbeddedError, make_data_folder
from memoryapp.environment import Environment

WITHOUT_SERVICES = frozenset(
    {"up", "help", "version", "--help", "-h", "--version", "database_roles", "bench", "makemessages", "compilemessages"}
)
IN_A_HOME = frozenset(
    [
        "api_key",
        "backfill",
        "canary_scan",
        "create_tenant",
        "dictionary",
        "doctor",
        "erase",
        "evaluate",
        "import_memories",
        "invite",
        "reembed",
        "replay_tombstones",
        "vector_index",
    ]
)
"""Commands that look into a home or change it. They make none: in a wrong folder they would answer about an empty one."""
STARTING_SECONDS = 60.0


@contextmanager
def services_for(argv: Sequence[str]) -> Iterator[None]:
    """Put DATA_DIR and the URLs that are not configured into the environment. Raises EmbeddedError.

    Settings that are refused start nothing: Django's settings then say what is wrong with them.
    """
    command = argv[1] if len(argv) > 1 else "help"
    if command == "up":
        _apply_data_dir(argv)
    try:
        environment = Environment()
    except ValidationError:
        yield
        return
    wanted = wanted_services(environment)
    if command != "up" and (command in WITHOUT_SERVICES or not wanted.anything):
        yield
        return
    if command in IN_A_HOME and wanted.database and not {"-h", "--help"} & set(argv):
        _refuse_no_home(environment.data_dir)
    data = make_data_folder(environment.data_dir)
    os.environ["DATA_DIR"] = str(data)
    with nullcontext(ServiceUrls()) if command == "up" else _found_or_started(data, command, wanted) as urls:
        os.environ.update(urls.environment())
        yield


def wanted_services(environment: Environment) -> Wanted:
    """A server runs here for each URL that the settings leave open."""
    return Wanted(
        database=environment.database_url is None,
        broker=environment.broker_url is None,
        cache=environment.cache_url is None,
    )


def _refuse_no_home(data_dir: Path) -> None:
    data = data_dir.expanduser().resolve()
    if not is_home(data):
        raise EmbeddedError(
            f"There is no home of Memoryapp in {data}. Is DATA_DIR missing? Give the folder of `manage.py up"
            " --data-dir`; `manage.py up` or `manage.py migrate` makes a new one."
        )


@contextmanager
def _found_or_started(data: Path, command: str, wanted: Wanted) -> Iterator[ServiceUrls]:
    urls = running_services(data, wait_seconds=STARTING_SECONDS)
    if urls is not None:
        yield urls
        return
    with embedded_services(data, f"manage.py {command}", wanted) as started:
        yield started


def _apply_data_dir(argv: Sequence[str]) -> None:
    """`up --data-dir` must reach the settings, which load before the command's own arguments are read."""
    for position, argument in enumerate(argv):
        if argument == "--data-dir" and position + 1 < len(argv):
            os.environ["DATA_DIR"] = argv[position + 1]
        elif argument.startswith("--data-dir="):
            os.environ["DATA_DIR"] = argument.removeprefix("--data-dir=")
