"""`mirrord status`: the daemon, its sessions, what waits, who is connected."""

from __future__ import annotations

from typing import Any

import click


@click.command(
    "status",
    epilog="""\b
Examples:
  mirrord status
  mirrord status --json | jq -r .url
""",
)
@click.option("--json", "as_json", is_flag=True, help="Print url, socket, pid, sessions[] and the rest as one JSON object.")
def command(as_json: bool) -> int:
    """Show the daemon, what moved last, the sessions it mirrors and who is connected."""
    import json
    import shutil
    import time

    from mirrord.cli.owner import ask_daemon
    from mirrord.cli.status_table import table
    from mirrord.client import DaemonStatus
    from mirrord.words import colour

    # The kind that keeps no daemon alive which is about to end.
    if as_json:
        click.echo(json.dumps(ask_daemon("status", dict[str, Any], kind="status")))
    else:
        status, coloured = ask_daemon("status", DaemonStatus, kind="status"), colour.wanted_here()
        lines = table(status, round(time.time() * 1000), shutil.get_terminal_size().columns, coloured)
        click.echo("\n".join(lines), color=coloured)
    return 0
