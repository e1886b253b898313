"""Places where a test may kill the program: `FAILPOINT=name` ends the process there, as `kill -9` would."""

from __future__ import annotations

import os
import signal


def failpoint(name: str) -> None:
    """Do nothing, except in a test run that names this very place."""
    if os.environ.get("FAILPOINT") == name and os.environ.get("ENVIRONMENT") == "test":
        os.kill(os.getpid(), signal.SIGKILL)
