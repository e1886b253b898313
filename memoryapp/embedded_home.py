"""Where the embedded servers live: the data folder, or the system's state folder when their user cannot enter it.

PostgreSQL refuses to run as root, so under root both servers run as the system user `memoryapp`, made when missing.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import stat
import subprocess
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memoryapp.children import Account

SYSTEM_USER = "memoryapp"
STATE_FOLDER = Path("/var/lib/memoryapp")
LONGEST_SOCKET_FOLDER = 85
"""Bytes; a socket's whole path may have 107, and `/.s.PGSQL.5432` comes after the folder."""


class EmbeddedError(Exception):
    """The embedded servers cannot start; the text says what is wrong, where, and how to mend it."""


@dataclass(frozen=True, slots=True)
class Home:
    """Folders of one instance. `notices` are sentences that the operator should read."""

    data: Path
    base: Path
    sockets: Path
    account: Account | None
    notices: tuple[str, ...] = ()

    @property
    def postgres(self) -> Path:
        return self.base / "postgres"

    def own(self, path: Path) -> Path:
        """Give a file or folder to the servers' user."""
        if self.account is not None:
            os.chown(path, self.account.uid, self.account.gid)
        return path


def make_data_folder(path: Path) -> Path:
    """Create the data folder, closed to others; returns its absolute path. Raises EmbeddedError when that fails."""
    folder = path.expanduser().resolve()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise EmbeddedError(
            f"The data folder {folder} cannot be used ({error.strerror}). "
            "Make it a folder that this user can write, or choose another with --data-dir or DATA_DIR."
        ) from error
    return folder


def find_home(data: Path) -> Home:
    """Choose the folders and the user; moves an existing database when its user can no longer reach it."""
    if os.geteuid() != 0:
        return Home(data=data, base=data, sockets=_socket_folder(data, None), account=None)
    account = _account_for(data / "postgres")
    os.chown(data, 0, account.gid)
    data.chmod(0o710)
    if not _moved(data).exists() and _can(account, 'cd "$1"', data):
        return Home(data=data, base=data, sockets=_socket_folder(data, account), account=account)
    return _move(data, account)


def reachable(tree: Path, program: str, home: Home) -> tuple[Path, str | None]:
    """A copy of `tree` whose `program` the servers' user can run; `tree` itself when that works. And a notice."""
    if home.account is None or _can(home.account, '"$1" --version', tree / program):
        return tree, None
    digest = hashlib.sha256(str(tree).encode()).hexdigest()[:12]
    copy = _state_folder() / f"binaries-{digest}-{int((tree / program).stat().st_mtime)}"
    if not copy.exists():
        draft = Path(tempfile.mkdtemp(dir=copy.parent, prefix="binaries-draft-"))
        shutil.copytree(tree, draft / "tree", symlinks=True)
        (draft / "tree").rename(copy)
        draft.rmdir()
    copy.chmod(0o755)
    return copy, f"The user {home.account.name} cannot run the programs in {tree}; a copy in {copy} is used."


def remove(data: Path) -> None:
    """Delete the data folder and what was moved out of it. The servers must be stopped."""
    shutil.rmtree(_short_folder(data), ignore_errors=True)
    if os.geteuid() == 0:
        shutil.rmtree(_moved(data), ignore_errors=True)
    shutil.rmtree(data)


def _move(data: Path, account: Account) -> Home:
    base = _moved(data)
    base.mkdir(mode=0o700, exist_ok=True)
    os.chown(base, account.uid, account.gid)
    if (data / "postgres").exists() and not (base / "postgres").exists():
        shutil.move(data / "postgres", base / "postgres")
    notice = f"The user {account.name} cannot enter {data}; the database is kept in {base}."
    return Home(data, base, _socket_folder(base, account), account, (notice,))


def _moved(data: Path) -> Path:
    return _state_folder() / hashlib.sha256(str(data).encode()).hexdigest()[:16]


def _state_folder() -> Path:
    STATE_FOLDER.mkdir(mode=0o755, parents=True, exist_ok=True)
    return STATE_FOLDER


def _account_for(folder: Path) -> Account:
    """Who already owns the database, else the system user."""
    if folder.exists() and folder.stat().st_uid != 0:
        owner = folder.stat()
        return Account(str(owner.st_uid), owner.st_uid, owner.st_gid)
    entry = _system_user() or _add_system_user()
    return Account(entry.pw_name, entry.pw_uid, entry.pw_gid)


def _system_user() -> pwd.struct_passwd | None:
    return next((entry for entry in pwd.getpwall() if entry.pw_name == SYSTEM_USER), None)


def _add_system_user() -> pwd.struct_passwd:
    add = ["useradd", "--system", "--user-group", "--no-create-home", "--home-dir", str(STATE_FOLDER)]
    with suppress(FileNotFoundError):
        subprocess.run([*add, "--shell", "/usr/sbin/nologin", SYSTEM_USER], check=False, capture_output=True)
    entry = _system_user()
    if entry is None:
        raise EmbeddedError(
            f"PostgreSQL does not run as root, and the system user {SYSTEM_USER} could not be made with useradd. "
            "Make it, run as another user, or set DATABASE_URL to a server of your own."
        )
    return entry


def _can(account: Account, script: str, path: Path) -> bool:
    outcome = subprocess.run(
        ["/bin/sh", "-c", script, "sh", str(path)],
        user=account.uid,
        group=account.gid,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        check=False,
    )
    return outcome.returncode == 0


def _short_folder(base: Path) -> Path:
    return Path("/tmp") / f"memoryapp-{hashlib.sha256(str(base).encode()).hexdigest()[:12]}"


def _socket_folder(base: Path, account: Account | None) -> Path:
    """A folder only the servers' user may enter, with a path short enough for a socket."""
    folder = base / "run"
    if len(os.fsencode(folder)) > LONGEST_SOCKET_FOLDER:
        folder = _short_folder(base)
    folder.mkdir(mode=0o700, exist_ok=True)
    found, owners = folder.lstat(), {os.geteuid(), account.uid if account else os.geteuid()}
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in owners:
        raise EmbeddedError(f"{folder} belongs to somebody else. Remove it, or choose a shorter --data-dir.")
    folder.chmod(0o700)
    if account is not None:
        os.chown(folder, account.uid, account.gid)
    return folder
