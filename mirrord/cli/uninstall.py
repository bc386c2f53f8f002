"""`mirrord uninstall`: everything that mirrord keeps on this machine goes, but for the package itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from mirrord.errors import MirrordError

if TYPE_CHECKING:
    from pathlib import Path

    from bridge.paths import Paths
    from mirrord.belongings import Taken


SHOWN: Final = 8
"""Files of one folder that are named one by one."""


class NotSaid(MirrordError):
    """Nobody can be asked what becomes of the data."""

    def __init__(self) -> None:
        super().__init__(
            "nothing was removed, since nobody can be asked here what becomes of paired devices, log and settings; "
            "say --keep-data or --purge"
        )


@click.command(
    "uninstall",
    epilog="""\b
Examples:
  mirrord uninstall                  asks before it does anything
  mirrord uninstall --keep-data      a later mirrord knows your devices and settings
  mirrord uninstall --purge --yes    all of it, and no question
""",
)
@click.option("--purge", is_flag=True, help="Remove paired devices, log and settings too.")
@click.option("--keep-data", is_flag=True, help="Leave them for a later mirrord.")
@click.option("--yes", is_flag=True, help="Ask nothing; needs one of the two above.")
def command(purge: bool, keep_data: bool, yes: bool) -> int:
    """Remove what mirrord keeps on this machine, and say how to remove the package.

    That is the service, the line in Pi's settings, the copy of the extension, what Pi's loader keeps of it, sockets and the lock; the
    daemon is stopped. Pi goes on. Files of others are left, with the folders that they are in. It may be run again.
    """
    import os

    from bridge.paths import paths_here
    from mirrord import belongings
    from mirrord.cli.handover import answering_daemon, stop_daemon
    from mirrord.cli.service import remove_service, this_manager
    from mirrord.installed_by import how_to_remove

    paths = paths_here()
    if purge and keep_data:
        raise click.UsageError("--purge and --keep-data say the opposite of each other.")
    answer = _agreed(paths, purge, keep_data, yes)
    if answer is None:
        click.echo("Nothing was removed.")
        return 1
    answering_daemon(paths)  # A program that runs inside a mirrored Pi is refused here, before anything is gone.
    # First what would load or start the rest; each step that is refused leaves what can be done again.
    _remove_entry(paths)
    remove_service(this_manager())
    stop_daemon(paths)
    taken = [_take_running(paths), belongings.take_away(belongings.program(paths, os.environ))]
    of_data = belongings.data(paths)
    if answer:
        taken.append(belongings.take_away(of_data))
    _tell([path for each in taken for path in each.removed])
    for path in () if answer else of_data.files:
        click.echo(f"Kept {path}.")
    for path in belongings.strangers(paths):
        click.echo(f"Left {path}, which is not mirrord's.")
    failed = [each for one in taken for each in one.failed]
    for path, reason in failed:
        click.echo(f"{path} could not be removed: {reason}.", err=True)
    click.echo(f"To remove the package itself, {how_to_remove()}")
    return 1 if failed else 0


def _agreed(paths: Paths, purge: bool, keep_data: bool, yes: bool) -> bool | None:
    """Whether the data go too; None when nothing is to be removed. Raises NotSaid."""
    import sys

    asks = sys.stdin.isatty() and not yes
    if not asks and not purge and not keep_data:
        raise NotSaid
    too = ", and forget paired devices, log and settings" if purge else ""
    if asks and not click.confirm(f"Stop the daemon, remove the service, the line in Pi's settings and the extension{too}?", err=True):
        return None
    if purge or keep_data:
        return purge
    return click.confirm(f"Forget paired devices, log and settings too ({paths.state_dir}, {paths.config_file})?", err=True)


def _remove_entry(paths: Paths) -> None:
    import os

    from bridge import pi_settings
    from bridge.extension_files import entry_of
    from mirrord.cli.extension import settings_of

    settings = settings_of(os.environ)
    if pi_settings.uninstall(settings, entry_of(paths.data_dir), paths.data_dir):
        click.echo(f"Removed the line in {settings}.")


def _take_running(paths: Paths) -> Taken:
    """Sockets and lock, while the lock is held: a daemon that starts meanwhile keeps its own. Raises Refusal when one has it already."""
    from bridge.daemon_lock import DaemonLock
    from mirrord import belongings

    there = belongings.running(paths)
    if paths.lock_file not in there.files:
        return belongings.take_away(there)
    with DaemonLock(paths.lock_file) as lock:
        lock.acquire(paths.control_socket)
        return belongings.take_away(there)


def _tell(removed: list[Path]) -> None:
    """A line for each file and folder; of what was in a folder that is gone none, and of many in one folder one for all."""
    from collections import Counter

    whole = [path for path in removed if not any(parent in removed for parent in path.parents)]
    many = {folder: count for folder, count in Counter(path.parent for path in whole).items() if count > SHOWN}
    for path in whole:
        if path.parent not in many:
            click.echo(f"Removed {path}.")
    if not removed:
        click.echo("There was nothing else to remove.")
    for folder, count in many.items():
        click.echo(f"Removed {count} files in {folder}.")
