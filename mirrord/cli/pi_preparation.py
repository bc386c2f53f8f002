"""What happens before Pi starts: a fresh copy of the extension, and a daemon. Nothing here may keep Pi from starting."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from bridge import pi_settings
from bridge.daemon_lock import read_holder
from bridge.extension_files import entry_of, refresh
from bridge.paths import Paths, paths_here
from bridge.refusal import Refusal
from mirrord.cli import first_pairing
from mirrord.cli.extension import settings_of
from mirrord.cli.pi_arguments import with_extension
from mirrord.detached import spawn_detached
from mirrord.errors import MirrordError
from mirrord.settings import Settings

PATIENCE_SECONDS: Final = 1.0
"""A wait longer than this is explained."""


def prepare(arguments: list[str], *, show_code: bool) -> list[str]:
    """Pi's arguments with the extension in them; what went wrong was said on stderr, and Pi starts all the same.

    `show_code`: with no paired device, say how to pair one.
    """
    paths = paths_here()
    entry = _extension(paths)
    if entry is None:
        return arguments
    _start_daemon(paths)
    if show_code and first_pairing.wanted(paths, os.environ):
        first_pairing.show("type /mirrord pair in Pi")
    return with_extension(arguments, entry, _is_in_settings(entry, paths))


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


def _is_in_settings(entry: Path, paths: Paths) -> bool:
    try:
        return pi_settings.status(settings_of(os.environ), entry, paths.data_dir) is pi_settings.Entry.INSTALLED
    except Refusal:
        # Pi says itself what is wrong with its settings.
        return False


def _start_daemon(paths: Paths) -> None:
    if read_holder(paths.lock_file) is not None:
        return
    try:
        with explained_when_slow("mirrord: starting the daemon…", _say):
            spawn_detached(Settings(paths=paths))
    except (MirrordError, Refusal) as error:
        # The extension offers what it holds as soon as a daemon appears.
        _warn(f"{error}; Pi starts, and is mirrored as soon as a daemon runs (`mirrord serve`)")


@contextmanager
def explained_when_slow(line: str, say: Callable[[str], None], patience: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Says the line, once, when the block takes longer than `patience` seconds; nothing is said after it has ended."""
    timer = threading.Timer(patience, say, [line])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def _say(line: str) -> None:
    click.echo(line, err=True)


def _warn(sentence: str) -> None:
    _say(f"mirrord: {sentence}")
