"""`mirrord service`: the daemon as a service of systemd's user manager or of launchd."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mirrord.service.install import Change
    from mirrord.service.managers import Manager

LINES = 50
"""Of the log, unless asked for more: what fits on a screen."""


@click.group(
    "service",
    epilog="""\b
Examples:
  mirrord service install
  mirrord service status
  mirrord service logs --follow
""",
)
def command() -> None:
    """Let the system run the daemon: from login on, and again when it fails.

    On Linux it is a unit of systemd's user manager, on macOS an agent of launchd; no root is needed. Pi is never its child: whatever
    happens to the service, Pi goes on, and what was open in it is offered again.
    """


@command.command(
    "install",
    epilog="""\b
Examples:
  mirrord service install
  mirrord service install --port 17680
  mirrord service install --write-only   where no manager runs, such as in an image
""",
)
@click.option(
    "--port", metavar="PORT", type=click.IntRange(0, 65535), help="Port on 127.0.0.1. Default: the running daemon's, or as configured."
)
@click.option("--write-only", is_flag=True, help="Write the files and ask no manager to use them.")
def install(port: int | None, write_only: bool) -> None:
    """Write the service, start it, and have it start at each login.

    Shows what it writes. A daemon that runs already makes room for it: devices and sessions come back by themselves.
    """
    import os

    from bridge.daemon_lock import read_holder
    from bridge.paths import paths_here
    from bridge.private import ensure_private_dir
    from mirrord.cli.handover import answering_daemon, daemon_here, next_port, port_of, stop_daemon
    from mirrord.config import daemon_settings, read_config
    from mirrord.service.errors import NoServiceManager
    from mirrord.service.install import changes, write
    from mirrord.service.launch import launch_here

    manager, paths = this_manager(), paths_here()
    obstacle = None if write_only else manager.obstacle()
    if obstacle is not None:
        raise NoServiceManager(f"{obstacle}; `mirrord service install --write-only` writes the files for later")
    flags = {} if port is None else {"port": port}
    settings = daemon_settings(paths, read_config(paths.config_file, os.environ, flags), spare=True)
    # One that does not answer is gone once that is known, and its note with it.
    before = read_holder(paths.lock_file)
    running = daemon_here() if write_only else answering_daemon(paths)
    launch = launch_here(next_port(settings, port_of(running, before)), paths, os.environ)
    wanted = manager.files(launch)
    changed = changes(wanted)
    _show(changed)
    ensure_private_dir(paths.state_dir)
    write({change.path: wanted[change.path] for change in changed})
    if write_only:
        click.echo(f"Written, and {manager.name} was not asked to use it; run `mirrord service install` where it runs.")
        return
    # Also where it runs: files that were only written may have been started for a Pi, and would be at no login.
    manager.enable()
    pid, holder = manager.state().pid, read_holder(paths.lock_file)
    if pid is not None and not changed and (holder is None or holder.pid == pid):
        click.echo(f"The service runs already (pid {pid}).")
        return
    stop_daemon(paths, but=pid)
    notice = manager.use()
    if notice is not None:
        click.echo(notice)
    click.echo(f"The service runs ({manager.state().words}), and will at each login.")


@command.command("uninstall", epilog="\b\nExamples:\n  mirrord service uninstall\n")
def uninstall() -> None:
    """Stop the service and remove its files.

    Nothing else is touched, and `mirrord pi` starts a daemon as it did before.
    """
    if not remove_service(this_manager()):
        click.echo("No service is installed.")


def remove_service(manager: Manager) -> bool:
    """Stop the service and remove its files, and say so; False when there is none. Raises ServiceFailed and ServiceNotWritable."""
    from mirrord.service.install import Change, removals, remove

    gone, links = removals(manager.written()), manager.links()
    if not gone and not links:
        return False
    if (obstacle := manager.obstacle()) is None:
        manager.drop()
    else:
        click.echo(f"{manager.name} cannot be asked to stop it: {obstacle}.")
    gone = (*gone, *(Change(link, None, None) for link in links if link.is_symlink()))
    remove(gone)
    if obstacle is None:
        manager.forget()
    for change in gone:
        click.echo(f"Removed {change.path}.")
    return True


@command.command("status", epilog="\b\nExamples:\n  mirrord service status\n")
def status() -> int:
    """Say whether the service is installed, and whether the daemon that runs is its own.

    Exit status 1 when it is not installed or does not run.
    """
    from bridge.daemon_lock import read_holder
    from bridge.paths import paths_here

    manager = this_manager()
    files = [path for path in manager.written() if path.exists()]
    if not files:
        click.echo("not installed; `mirrord service install` does that")
        return 1
    for path in files:
        click.echo(f"file:     {path}")
    if (obstacle := manager.obstacle()) is not None:
        click.echo(f"manager:  cannot be asked: {obstacle}")
        return 1
    state = manager.state()
    click.echo(f"manager:  {state.words}")
    holder = read_holder(paths_here().lock_file)
    if holder is None:
        click.echo("daemon:   none runs")
    elif holder.pid == state.pid:
        click.echo(f"daemon:   pid {holder.pid}, the service's")
    else:
        click.echo(f"daemon:   pid {holder.pid}, which is not the service's; `mirrord service install` lets the service take over")
    return 0 if holder is not None and holder.pid == state.pid else 1


@command.command(
    "logs",
    epilog="""\b
Examples:
  mirrord service logs
  mirrord service logs -n 200 --follow
""",
)
@click.option(
    "-n", "--lines", metavar="N", type=click.IntRange(min=1), default=LINES, show_default=True, help="How many of the last lines."
)
@click.option("-f", "--follow", is_flag=True, help="Go on with what is added, until Ctrl+C.")
@click.pass_context
def logs(context: click.Context, lines: int, follow: bool) -> int:
    """Show the service's log: the journal where it can be read, else what `mirrord logs` shows."""
    import os
    import subprocess
    import sys

    from mirrord.cli import logs as daemon_log

    shown = this_manager().log_command(lines, follow)
    if shown is None:
        status: int = context.invoke(daemon_log.command, count=lines, follow=follow)
        return status
    sys.stdout.flush()
    # Not in our place: whoever runs us in a process of its own expects an exit status from us.
    with subprocess.Popen(shown, env=os.environ) as program:
        return program.wait()


def this_manager() -> Manager:
    """The service manager of this system, for this person."""
    import os
    import sys

    from bridge.paths import home_here
    from mirrord.detached import daemon_environment
    from mirrord.service.managers import manager_here

    return manager_here(sys.platform, daemon_environment(os.environ), home_here(), os.getuid())


def _show(changed: tuple[Change, ...]) -> None:
    for change in changed:
        for line in change.diff():
            click.echo(line)
