"""Where a benchmark takes place: servers and a database of its own in a temporary folder, gone afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from memoryapp.embedded import embedded_services
from memoryapp.embedded_home import make_data_folder
from memoryapp.management.benchmarks.wsgi_environment import SUPERUSER_URL

MANAGE = Path(sys.argv[0]).resolve()


@contextmanager
def own_services() -> Iterator[dict[str, str]]:
    """The environment of processes that see an empty, migrated installation; nothing of the real one is touched."""
    with tempfile.TemporaryDirectory(prefix="memoryapp-bench-") as folder:
        data = Path(folder)
        data.chmod(0o711)
        home = make_data_folder(data / "data")
        with embedded_services(home, "bench") as urls:
            environment = {
                **os.environ,
                **urls.environment(),
                SUPERUSER_URL: urls.database_superuser_url,
                "DATA_DIR": str(home),
                "PYTHONPATH": str(MANAGE.parent),
                "ENVIRONMENT": "development",
            }
            _run(environment, "migrate", "--no-input", "--verbosity", "0")
            yield environment


def inside(environment: dict[str, str], arguments: Sequence[str]) -> dict[str, object]:
    """Run the measuring command in those surroundings; its report."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "report.json"
        _run(environment, "bench", *arguments, "--inside", str(out))
        report: dict[str, object] = json.loads(out.read_text(encoding="utf-8"))
        return report


def _run(environment: dict[str, str], *arguments: str) -> None:
    subprocess.run([sys.executable, str(MANAGE), *arguments], env=environment, check=True)
