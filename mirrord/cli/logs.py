"""`mirrord logs`: what the daemon wrote down."""

from __future__ import annotations

import click


@click.command(
    "logs",
    epilog="""\b
Examples:
  mirrord logs                     the newest lines
  mirrord logs -f                  and what comes from now on, until Ctrl+C
  mirrord logs -n 500 --since 2h
  mirrord logs --json | jq -r 'select(.level != "info").event'
""",
)
@click.option("-f", "--follow", is_flag=True, help="Go on with what is written from now on.")
@click.option("-n", "--lines", "count", metavar="N", type=click.IntRange(min=0), default=50, show_default=True, help="The newest N events.")
@click.option(
    "--since", "since", metavar="TIME", help="Only events from then on: `10min`, `2h`, `3d` ago, or a date such as 2026-05-01T12:00."
)
@click.option("--json", "as_json", is_flag=True, help="Print each event as a JSON object on a line of its own.")
def command(follow: bool, count: int, since: str | None, as_json: bool) -> int:
    """Show the daemon's log.

    It never holds what is typed or asked, tokens or codes: it can be shown to others. It does name folders of sockets, and devices.
    """
    import json
    from datetime import UTC, datetime

    from bridge.paths import paths_here
    from mirrord import log_lines
    from mirrord.cli import log_files
    from mirrord.errors import MirrordError
    from mirrord.words import colour

    oldest = ""
    if since is not None:
        try:
            oldest = log_lines.since(since, datetime.now(UTC))
        except (ValueError, OverflowError):
            raise click.BadParameter(f"{since!r} is no time; try 10min, 2h, 3d or 2026-05-01", param_hint="--since") from None
    directory = paths_here().state_dir
    written = log_files.read(directory)
    if written is None and not follow:
        raise MirrordError(f"there is no log in {directory}; no daemon has run yet")
    coloured = colour.wanted_here() and not as_json

    def show(entry: log_lines.Entry) -> None:
        if entry.time < oldest:
            return
        text = json.dumps(entry.as_object(), ensure_ascii=False) if as_json else log_files.painted(entry, coloured)
        click.echo(text, color=coloured)

    found = [entry for entry in log_lines.entries(written or ()) if entry.time >= oldest]
    for entry in found[len(found) - min(count, len(found)) :]:
        show(entry)
    if follow:
        for entry in log_lines.entries(log_files.follow(directory)):
            show(entry)
    return 0
