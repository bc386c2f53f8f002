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
from bridge.extension_files import entry_of, refresh
from bridge.paths import Paths, home_here, paths_here
from bridge.privacy import private_reason
from bridge.refusal import Refusal
from mirrord.cli import first_pairing
from mirrord.cli.automation import is_automated
from mirrord.cli.extension import settings_of
from mirrord.cli.pi_arguments import with_extension
from mirrord.config import daemon_settings, read_config
from mirrord.daemon.idle import IDLE_EXIT_SECONDS
from mirrord.detached import is_running, spawn_detached
from mirrord.errors import MirrordError

PATIENCE_SECONDS: Final = 1.0
"""A wait longer than this is explained."""


def is_private(*, asked_to_share: bool) -> bool:
    """Whether the person's settings keep a Pi in this folder private. Who asked to share its screen is told why nobody will see it."""
    paths = paths_here()
    try:
        reason = private_reason(paths.config_file, os.getcwd(), home_here())
    except OSError:
        reason = "this folder is not there any more"
    if reason is not None and asked_to_share:
        _warn(f"this session is private ({reason}), so nobody sees its screen")
    return reason is not None


def prepare(arguments: list[str], *, private: bool, show_code: bool) -> list[str]:
    """Pi's arguments with the extension in them; what went wrong was said on stderr, and Pi starts all the same.

    `private`: the extension will tell the person so, and needs no daemon. `show_code`: with no paired device, say how to pair one.
    """
    paths = paths_here()
    entry = _extension(paths)
    if entry is None:
        return arguments
    if not private:
        _start_daemon(paths)
    if show_code and not private and first_pairing.wanted(paths, os.environ):
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
    # What is wrong with the configuration is for `mirrord config check` and the doctor to say: here it would be in Pi's way.
    config = read_config(paths.config_file, os.environ)
    settings = daemon_settings(paths, config, deserted_after=IDLE_EXIT_SECONDS, spare=True)
    if is_automated(os.environ) or is_running(settings):
        return
    try:
        with explained_when_slow("mirrord: starting the daemon…", _say):
            notice = spawn_detached(settings).notice
        if notice is not None:
            _warn(notice)
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
