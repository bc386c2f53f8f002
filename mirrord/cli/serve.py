"""`mirrord serve`: the daemon."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import click

from mirrord.cli import first_pairing
from mirrord.settings import DEFAULT_PORT

if TYPE_CHECKING:
    from mirrord.detached import DaemonInfo


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
    default=DEFAULT_PORT,
    show_default=True,
    help="Port on 127.0.0.1; 0 takes any free one.",
)
@click.option("--detach", is_flag=True, help="Start it in the background and return when it answers.")
def command(port: int, detach: bool) -> int:
    """Run the daemon that mirrors every Pi of yours on this machine.

    `mirrord pi` starts one by itself when none runs. It listens on 127.0.0.1 only, and on sockets that only you can reach.
    In a terminal it first shows a code for pairing, as long as no device is paired.
    """
    from bridge.paths import paths_here
    from mirrord.settings import Settings

    settings = Settings(paths=paths_here(), port=port)
    if detach:
        from mirrord.detached import spawn_detached

        spawn_detached(settings)
        return 0
    from mirrord.daemon import serve

    return serve(settings, _show_first_code if first_pairing.wanted(settings.paths, os.environ) else None)


def _show_first_code(_: DaemonInfo) -> None:
    """Called by the daemon once it answers; it goes on while a thread asks it for the code, as `mirrord pair` would."""
    threading.Thread(target=first_pairing.show, args=("run `mirrord pair`",), daemon=True).start()
