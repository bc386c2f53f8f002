"""`mirrord pair`: a credential for another device or a script."""

from __future__ import annotations

import click


@click.command(
    "pair",
    epilog="""\b
Examples:
  mirrord pair --token phone
  mirrord pair --token wallboard --role observer
  mirrord pair --token script --json
""",
)
@click.option("--token", "name", required=True, metavar="NAME", help="Make a token; NAME is shown to others when it answers.")
@click.option(
    "--role",
    type=click.Choice(["controller", "observer"]),
    default="controller",
    show_default=True,
    help="controller: may answer prompts; observer: may only watch.",
)
@click.option("--json", "as_json", is_flag=True, help="Print {token, name, role, url} as one JSON object.")
def command(name: str, role: str, as_json: bool) -> int:
    """Make a credential for another device and print it.

    It is printed once, because mirrord keeps only its hash. Only you at this machine can do this; a program that runs
    inside a mirrored Pi cannot.
    """
    import msgspec

    from mirrord.cli.owner import ask_daemon
    from mirrord.client import Paired
    from mirrord.client.clean import one_line

    paired = ask_daemon("pair", Paired, {"name": name, "role": role})
    if as_json:
        click.echo(msgspec.json.encode(paired).decode())
        return 0
    # On stdout the token alone, so that TOKEN=$(mirrord pair --token NAME) works.
    click.echo(one_line(paired.token))
    click.echo(f"{one_line(paired.name)} may connect as {one_line(paired.role)} to {one_line(paired.url)}", err=True)
    click.echo("The token is not shown again.", err=True)
    return 0
