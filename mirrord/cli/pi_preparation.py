"""What happens before Pi starts: a fresh copy of the extension, and a daemon. Nothing here may keep Pi from starting."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from bridge.daemon_lock import read_holder
from bridge.extension_files import entry_of, refresh
from bridge.paths import Paths, paths_here
from bridge.refusal import Refusal
from mirrord.cli.pi_arguments import with_extension
from mirrord.daemon import spawn_detached
from mirrord.errors import MirrordError
from mirrord.settings import Settings

_PATIENCE_SECONDS: Final = 1.0
"""A wait longer than this is explained."""


def prepare(arguments: list[str]) -> list[str]:
    """Pi's arguments with the extension in them; what went wrong was said on stderr, and Pi starts all the same."""
    paths = paths_here()
    entry = _extension(paths)
    if entry is None:
        return arguments
    _start_daemon(paths)
    return with_extension(arguments, entry, configured=False)


def _extension(paths: Paths) -> Path | None:
    """The file that Pi is to load: a fresh copy, else the one that is there."""
    try:
        return refresh(paths.data_dir)
    except Refusal as refusal:
        _warn(
            f"{refusal}; Pi starts with the copy that is there"
            if entry_of(paths.data_dir).is_file()
            else f"{refusal}; Pi starts unmirrored"
        )
    entry = entry_of(paths.data_dir)
    return entry if entry.is_file() else None


def _start_daemon(paths: Paths) -> None:
    if read_holder(paths.lock_file) is not None:
        return
    try:
        with _explained_when_slow("mirrord: starting the daemon…"):
            spawn_detached(Settings(paths=paths))
    except (MirrordError, Refusal) as error:
        # The extension offers what it holds as soon as a daemon appears.
        _warn(f"{error}; Pi starts, and is mirrored as soon as a daemon runs (`mirrord serve`)")


@contextmanager
def _explained_when_slow(line: str) -> Iterator[None]:
    timer = threading.Timer(_PATIENCE_SECONDS, click.echo, [line], {"err": True})
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _warn(sentence: str) -> None:
    click.echo(f"mirrord: {sentence}", err=True)
