"""`mirrord restart`: the daemon ends in order and another one takes its place."""

from __future__ import annotations

import click


@click.command(
    "restart",
    epilog="""\b
Examples:
  mirrord restart                  after an upgrade, or for settings that count from the start on
""",
)
def command() -> None:
    """End the daemon in order and start it anew, as the service where one is installed.

    Clients are told and come back, as do sessions with all that is open in them. Pi goes on meanwhile. A daemon that does not answer is
    ended all the same. Settings count as they are now; the port stays unless another one is configured.
    """
    import os
    from dataclasses import replace

    from bridge.daemon_lock import read_holder
    from bridge.paths import paths_here
    from mirrord.cli.handover import answering_daemon, daemon_here, next_port, port_of, stop_daemon
    from mirrord.cli.service import this_manager
    from mirrord.client import DaemonNotRunning
    from mirrord.config import daemon_settings, read_config
    from mirrord.detached import spawn_detached

    paths = paths_here()
    holder = read_holder(paths.lock_file)
    manager = this_manager()
    installed = any(path.exists() for path in manager.written()) and manager.obstacle() is None
    if installed and (holder is None or manager.state().pid == holder.pid):
        manager.restart()
        click.echo(f"The service was restarted ({manager.state().words}).")
        return
    if holder is None:
        raise DaemonNotRunning(f"there is no {paths.control_socket}")
    running = answering_daemon(paths)
    idle_exit = None if running is None or running.idle_exit is None else running.idle_exit.seconds
    settings = daemon_settings(paths, read_config(paths.config_file, os.environ), deserted_after=idle_exit, spare=True)
    settings = replace(settings, port=next_port(settings, port_of(running, holder)), spare_ports=0)
    stop_daemon(paths)
    started = spawn_detached(settings)
    now = daemon_here()
    where = "by the service manager" if now is not None and now.managed else "in the background"
    click.echo(f"The daemon was restarted {where} (pid {started.pid}, was {holder.pid}).")
