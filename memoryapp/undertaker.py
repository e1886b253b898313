"""Kills what is left of `up`'s children when `up` itself was killed. A process of its own, standard library only.

The death signal reaches a child but not its grandchildren, and a worker whose log has gone can hang on its way out.
Reads `+PID` and `-PID` lines, sessions that began and ended; the end of the input is the death of the parent.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import suppress

GRACE_SECONDS = 2.0


def open_sessions(lines: Iterable[str]) -> set[int]:
    """The sessions that had not ended when the input did."""
    sessions: set[int] = set()
    for line in lines:
        change = sessions.add if line.startswith("+") else sessions.discard
        change(int(line[1:]))
    return sessions


def main() -> None:
    left = open_sessions(sys.stdin)
    if left:
        time.sleep(GRACE_SECONDS)
    for session in left:
        with suppress(ProcessLookupError):
            os.killpg(session, signal.SIGKILL)


if __name__ == "__main__":
    main()
