"""`mirrord doctor`: what is wrong here, and what helps."""

from __future__ import annotations

import click


@click.command(
    "doctor",
    epilog="""\b
Examples:
  mirrord doctor
  mirrord doctor --json | jq '.rows[] | select(.status == "problem")'
""",
)
@click.option("--json", "as_json", is_flag=True, help="Print ok and rows[] of id, about, status, found and fix as one JSON object.")
def command(as_json: bool) -> int:
    """Look at Pi, the extension, the daemon and this machine; changes nothing.

    The exit status is 1 when there is a problem. A row with a dash cannot apply here or needs nothing. It takes five seconds at most,
    and what it prints holds no prompt, message or token.
    """
    import json
    import os
    import shutil

    from mirrord.doctor.checks import judge
    from mirrord.doctor.gather import gather
    from mirrord.doctor.report import as_object, has_problem, lines
    from mirrord.words import colour

    rows = judge(gather(os.environ))
    if as_json:
        click.echo(json.dumps(as_object(rows), ensure_ascii=False))
    else:
        coloured = colour.wanted_here()
        click.echo("\n".join(lines(rows, shutil.get_terminal_size().columns, coloured)), color=coloured)
    return 1 if has_problem(rows) else 0
