"""What mirrord keeps on this machine outside of its package, found by name and taken away file by file. Blocks.

Only names that we use, of the kind that we make, and owned by this user, are taken. A folder goes when it is empty then, and never
through a symbolic link: what lies behind one is somebody's arrangement.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bridge.extension_files import entry_of
from bridge.paths import Paths
from mirrord.detached import START_LOG
from mirrord.logs import FILE_NAMES as LOGS
from mirrord.service.launchd import START_LOG as SERVICE_LOG
from mirrord.store.aside import SIDE_FILES, found
from mirrord.store_file import FILE_NAME as STORE

_TEMPORARY: Final = re.compile(r"\.(.+)\.[0-9a-f]{16}\.tmp")
"""What `bridge/atomic.py` leaves behind when it is killed."""

_TRANSPILED: Final = re.compile(r"mirrord-[a-z_]+\.[0-9a-f]{8}\.mjs")
"""Our extension as Pi's loader keeps it, in a folder `jiti` of the temporary folder."""

_TEMPORARY_FOLDERS: Final = ("TMPDIR", "TMP", "TEMP")
"""Where Node looks for that folder, in this order; else in /tmp."""


@dataclass(frozen=True, slots=True)
class Belongings:
    """Files that are there, and folders that go when they are empty, the deepest first."""

    files: tuple[Path, ...]
    folders: tuple[Path, ...]


@dataclass(frozen=True, slots=True)
class Taken:
    """What was removed, and which files of ours could not be, each with the reason."""

    removed: tuple[Path, ...]
    failed: tuple[tuple[Path, str], ...]


def running(paths: Paths) -> Belongings:
    """Sockets and the lock, for whoever holds the lock."""
    here = paths.runtime_dir
    sockets = (paths.bridge_socket, paths.screen_socket, paths.control_socket)
    files = (*_ours(sockets, stat.S_ISSOCK), *_ours((paths.lock_file,), stat.S_ISREG))
    short = (here.parent,) if here.parent == Path(f"/tmp/mirrord-{os.getuid()}") else ()
    return Belongings(_reachable(files), (here, *short))


def program(paths: Paths, environ: Mapping[str, str]) -> Belongings:
    """The copy of the extension, and what Pi's loader made of it."""
    copy = entry_of(paths.data_dir).parent
    scripts = [path for path in _inside(copy) if path.suffix == ".ts" or _was_for(path, ".ts")]
    cache = Path(next((environ[name] for name in _TEMPORARY_FOLDERS if environ.get(name)), "/tmp")) / "jiti"
    cached = [path for path in _inside(cache) if _TRANSPILED.fullmatch(path.name)]
    return Belongings(_reachable(_ours((*scripts, *cached), _is_file)), (copy, copy.parent, paths.data_dir))


def data(paths: Paths) -> Belongings:
    """Who may connect, the log, and the settings."""
    state = paths.state_dir
    store = state / STORE
    stores = [Path(f"{path}{suffix}") for path in (store, *(each.path for each in found(store))) for suffix in ("", *SIDE_FILES)]
    logs = [state / name for name in (*LOGS, START_LOG, SERVICE_LOG)]
    files = _ours((*stores, *logs, paths.config_file), _is_file)
    return Belongings(_reachable(files), (state, paths.data_dir, paths.config_file.parent))


def take_away(belongings: Belongings) -> Taken:
    """Remove them, and the folders that are empty then. Raises nothing."""
    removed: list[Path] = []
    failed: list[tuple[Path, str]] = []
    for path in belongings.files:
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            failed.append((path, error.strerror or str(error)))
        else:
            removed.append(path)
    for folder in belongings.folders:
        # One that is a link, or that has something in it, stays.
        with suppress(OSError):
            folder.rmdir()
            removed.append(folder)
    return Taken(tuple(removed), tuple(failed))


def strangers(paths: Paths) -> tuple[Path, ...]:
    """What stands in our places and is not ours to take: other files in a folder of ours, and a link in the place of a folder."""
    folders = _folders(paths)
    ours = {*folders, *running(paths).files, *data(paths).files}
    others = {path for folder in folders for path in _inside(folder) if path not in ours}
    return tuple(sorted(others | {folder for folder in folders if folder.is_symlink()}))


def _folders(paths: Paths) -> tuple[Path, ...]:
    copy = entry_of(paths.data_dir).parent
    return (paths.runtime_dir, paths.state_dir, copy, copy.parent, paths.data_dir, paths.config_file.parent)


def _was_for(path: Path, suffix: str) -> bool:
    match = _TEMPORARY.fullmatch(path.name)
    return match is not None and match[1].endswith(suffix)


def _inside(folder: Path) -> list[Path]:
    """What stands in a folder of this user's that is no link; nothing when there is none."""
    try:
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            return []
        return sorted(folder.iterdir())
    except OSError:
        return []


def _ours(paths: Iterable[Path], is_kind: Callable[[int], bool]) -> Iterator[Path]:
    for path in paths:
        with suppress(OSError):
            status = path.lstat()
            if is_kind(status.st_mode) and status.st_uid == os.getuid():
                yield path


def _reachable(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Those whose folder is no link."""
    return tuple(path for path in paths if not path.parent.is_symlink())


def _is_file(mode: int) -> bool:
    """A plain file, or a link in its place, of which the link alone is ours."""
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)
