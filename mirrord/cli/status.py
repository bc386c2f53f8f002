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
    """Show the daemon, the sessions it mirrors and who is connected."""
    import json
    import time

    from mirrord.cli.owner import ask_daemon
    from mirrord.cli.status_table import table
    from mirrord.client import DaemonStatus

    if as_json:
        click.echo(json.dumps(ask_daemon("status", dict[str, Any])))
    else:
        click.echo("\n".join(table(ask_daemon("status", DaemonStatus), round(time.time() * 1000))))
    return 0
