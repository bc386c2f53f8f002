"""A repository as its files describe it, read without Git. Blocks; every file is read to a bound, and nothing but regular files is read."""

from __future__ import annotations

import errno
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Final

POINTER_BYTES: Final = 4096
"""`HEAD`, a `.git` file and `commondir` hold one name or path; no system takes a longer path."""

ATTRIBUTES_BYTES: Final = 256 * 1024
"""A `.gitattributes`; the largest of known projects have some 10 KiB."""

SHORT_HASH: Final = 7
"""Digits of a commit, as Git shows it."""

_COMMIT: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_BRANCH: Final = "refs/heads/"
_NO_BRANCH: Final = ".invalid"
"""What `HEAD` says where refs are not kept in files."""
_FILTER: Final = re.compile(rb"[ \t]filter(?:[= \t\r\n]|\Z)")


@dataclass(frozen=True, slots=True)
class Repository:
    """`root` is the folder of the working files; `git_dir` belongs to it alone, `common_dir` to all its worktrees."""

    root: Path
    git_dir: Path
    common_dir: Path

    def head(self) -> str | None:
        """The branch that is checked out, or the commit's first digits; raw. None when the file says neither."""
        path = self.git_dir / "HEAD"
        ref = _link(path)
        if ref is None:
            text = _text(path)
            if _COMMIT.fullmatch(text):
                return text[:SHORT_HASH]
            if not text.startswith("ref:"):
                return None
            ref = text.removeprefix("ref:").strip()
        name = ref.removeprefix(_BRANCH)
        return name if ref.startswith("refs/") and name not in ("", _NO_BRANCH) else None

    def uses_filters(self) -> bool:
        """Whether the attributes at its root name a filter: what Git then compares is not what is in the files."""
        places = (self.root / ".gitattributes", self.common_dir / "info" / "attributes")
        return any(_FILTER.search(_read(place, ATTRIBUTES_BYTES)) for place in places)


def find(folder: Path) -> Repository | None:
    """The repository that a folder belongs to, as Git would find it; a bare one is none. `folder` is resolved. Raises OSError."""
    for root in (folder, *folder.parents):
        git_dir = _git_dir(root)
        if git_dir is not None:
            common = _text(git_dir / "commondir")
            return Repository(root, git_dir, git_dir / common if common else git_dir)
    return None


def _git_dir(root: Path) -> Path | None:
    entry = root / ".git"
    if entry.is_dir():
        git_dir = entry
    else:
        pointer = _text(entry)
        if not pointer.startswith("gitdir:"):
            return None
        git_dir = root / pointer.removeprefix("gitdir:").strip()
    return git_dir if os.path.lexists(git_dir / "HEAD") else None


def _link(path: Path) -> str | None:
    """Where a symbolic link points, which is how Git once wrote `HEAD`."""
    try:
        return os.readlink(path)
    except OSError:
        return None


def _text(path: Path) -> str:
    return _read(path, POINTER_BYTES).decode(errors="replace").strip()


def _read(path: Path, limit: int) -> bytes:
    """The beginning of a regular file; nothing when there is none."""
    try:
        # A pipe or a device in its place must not make us wait.
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return b""
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.ENAMETOOLONG):
            return b""
        raise
    try:
        return os.read(fd, limit) if stat.S_ISREG(os.fstat(fd).st_mode) else b""
    finally:
        os.close(fd)
