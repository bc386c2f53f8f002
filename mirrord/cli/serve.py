"""`mirrord serve`: the daemon."""

from __future__ import annotations

import click

from mirrord.settings import DEFAULT_PORT


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
    """
    from bridge.paths import paths_here
    from mirrord.settings import Settings

    settings = Settings(paths=paths_here(), port=port)
    if detach:
        from mirrord.detached import spawn_detached

        spawn_detached(settings)
        return 0
    from mirrord.daemon import serve

    return serve(settings)
