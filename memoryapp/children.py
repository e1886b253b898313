"""Child processes that never outlive us: their own session, an own account, and a signal when the parent dies."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

PR_SET_PDEATHSIG = 1
"""From linux/prctl.h: the signal the kernel sends this process when the thread that made it ends."""

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


@dataclass(frozen=True, slots=True)
class Account:
    """The system user that a child runs as."""

    name: str
    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Command:
    """One child: what to run, as whom, and how it is told to stop.

    `patience` is how many seconds it may take to stop before its whole session is killed.
    """

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(repr=False)
    folder: Path
    account: Account | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGTERM
    patience: float = 10.0


Starter = Callable[[Command], subprocess.Popen[bytes]]


def spawn(command: Command, output: int | IO[bytes]) -> subprocess.Popen[bytes]:
    """Start the command with both its streams in `output`. Call from a thread that lives as long as the child should.

    The death signal is set after the change of user, because the kernel clears it there.
    """
    account = command.account
    return subprocess.Popen(
        command.argv,
        env=dict(command.environment),
        cwd=command.folder,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
        preexec_fn=_tie_to_parent(command.death_signal),
    )


def stop(child: subprocess.Popen[bytes], command: Command) -> None:
    """Ask the child to stop, wait, then kill what is left of its session."""
    if child.poll() is None:
        child.send_signal(command.stop_signal)
        with suppress(subprocess.TimeoutExpired):
            child.wait(command.patience)
    kill_session(child)


def kill_session(child: subprocess.Popen[bytes]) -> None:
    """Kill whatever still runs in the child's session: grandchildren do not learn of its death by themselves."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def end_with_parent(death_signal: signal.Signals) -> None:
    """Have the kernel send this process a signal when its parent ends (Linux; elsewhere nothing happens)."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)


def _tie_to_parent(death_signal: signal.Signals) -> Callable[[], None] | None:
    if _libc is None:
        return None
    libc, parent, number = _libc, os.getpid(), int(death_signal)

    def tie() -> None:
        libc.prctl(PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return tie
