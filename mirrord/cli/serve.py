"""`mirrord serve`: the daemon."""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING

import click

from mirrord.cli import first_pairing
from mirrord.settings import DEFAULT_PORT, IDLE_LIMIT, LEVELS, LOOPBACK

if TYPE_CHECKING:
    from bridge.paths import Paths
    from mirrord.detached import RunningDaemon


@click.command(
    "serve",
    epilog="""\b
Examples:
  mirrord serve                    in this terminal, until Ctrl+C
  mirrord serve --detach           in the background
  mirrord serve --port 0           on any free port; `mirrord status` tells which
""",
)
@click.option(
    "--port",
    metavar="PORT",
    type=click.IntRange(0, 65535),
    help=f"Port on 127.0.0.1; 0 takes any free one. Default: {DEFAULT_PORT}.",
)
@click.option("--detach", is_flag=True, help="Start it in the background and return when it answers. One that runs already stays.")
@click.option(
    "--idle-exit",
    metavar="SECONDS",
    type=click.FloatRange(0, IDLE_LIMIT),
    help="End after so long without a session and a client; 0 is never. Default: never.",
)
@click.option("--log-level", type=click.Choice(LEVELS), help="The least important lines that the log takes. Default: info.")
def command(port: int | None, detach: bool, idle_exit: float | None, log_level: str | None) -> int:
    """Run the daemon that mirrors every Pi of yours on this machine.

    `mirrord pi` starts one by itself when none runs, which ends after ten minutes without a session and a client. It listens on
    127.0.0.1 only, and on sockets that only you can reach. In a terminal it first shows a code for pairing, as long as no device is paired.
    What no option says is as `mirrord config show` has it. Started by a service manager it takes the sockets that are passed to it, tells
    when it is ready, and reads its settings anew on SIGHUP.
    """
    from bridge.paths import paths_here
    from mirrord.config import daemon_settings, read_config
    from mirrord.service.environment import is_managed, start_shed

    # A terminal that a service manager started passes its variables on to what is typed in it.
    by_manager = is_managed(os.environ, os.getpid()) and not sys.stdin.isatty()
    if by_manager:
        start_shed(os.environ)

    paths = paths_here()
    given = {"port": port, "idle_exit": idle_exit, "log_level": log_level}
    config = read_config(paths.config_file, os.environ, {name: value for name, value in given.items() if value is not None})
    for problem in config.problems:
        click.echo(f"mirrord: {problem.sentence}", err=True)
    settings = daemon_settings(paths, config)
    if detach:
        from mirrord.detached import spawn_detached

        daemon = spawn_detached(settings)
        if not daemon.started:
            _tell_of(daemon, paths, port)
        return 0
    from mirrord.daemon.daemon import serve

    if by_manager:
        from mirrord.service.managed import managed

        service = managed(os.environ, settings)
        return serve(settings, quiet=service.quiet, managed=service)
    return serve(settings, _show_first_code if first_pairing.wanted(settings.paths, os.environ) else None)


def _tell_of(daemon: RunningDaemon, paths: Paths, wanted: int | None) -> None:
    """Say that this one runs already. Raises MirrordError when it is not known to be at the port that was asked for; 0 is any."""
    from mirrord.cli.handover import port_here
    from mirrord.errors import MirrordError

    port = port_here(paths)
    where = f"pid {daemon.pid}, " + (f"http://{LOOPBACK}:{port}/" if port is not None else "at a port that it does not tell")
    if wanted not in (None, 0, port):
        raise MirrordError(
            f"mirrord is already running ({where}), and not at port {wanted}; stop it with `kill {daemon.pid}` and start it again"
        )
    click.echo(f"mirrord: mirrord is already running ({where})", err=True)


def _show_first_code(_: RunningDaemon) -> None:
    """Called by the daemon once it answers; it goes on while a thread asks it for the code, as `mirrord pair` would."""
    threading.Thread(target=first_pairing.show, args=("run `mirrord pair`",), daemon=True).start()
