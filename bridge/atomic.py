"""Files that are replaced whole: a reader sees the old content or the new one, also after a crash or a full disk."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_NEW_MODE: Final = 0o666
"""Of a file that did not exist, before the umask: what any program's new file gets."""


def replace_file(path: Path, content: bytes, mode: int | None = None) -> None:
    """Make `path`, which is no symbolic link, hold `content`. After an OSError it holds the old content or the new one, whole.

    An existing file keeps its mode and owner unless `mode` is given; the directory must exist.
    """
    before = path.lstat() if path.exists() else None
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, _NEW_MODE if mode is None else mode)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            file.flush()
            if before is not None:
                _keep_owner(fd, before)
                mode = stat.S_IMODE(before.st_mode) if mode is None else mode
            if mode is not None:
                os.fchmod(fd, mode)
            os.fsync(fd)
        temporary.rename(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_directory(path.parent)


def _keep_owner(fd: int, before: os.stat_result) -> None:
    now = os.fstat(fd)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        os.fchown(fd, before.st_uid, before.st_gid)


def _sync_directory(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
