"""`mirrord pair`: another device, by a QR code or a short code; or a token for a script."""

from __future__ import annotations

import click


@click.command(
    "pair",
    epilog="""\b
Examples:
  mirrord pair                     show a QR code and a short code, and wait
  mirrord pair --observer          for a device that may only watch
  mirrord pair --token script      a credential for a program
  mirrord pair --token wallboard --role observer --json
""",
)
@click.option("--observer", is_flag=True, help="The device may only watch.")
@click.option("--no-wait", is_flag=True, help="Show the code and return at once; it stays good for its two minutes.")
@click.option("--token", "name", metavar="NAME", help="Make a token instead; NAME is shown to others when it answers.")
@click.option(
    "--role",
    type=click.Choice(["controller", "observer"]),
    default="controller",
    show_default=True,
    help="controller: may answer prompts; observer: may only watch.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the code and then what became of it, or the token.")
def command(observer: bool, no_wait: bool, name: str | None, role: str, as_json: bool) -> int:
    """Let another device in.

    The code is good once, for two minutes. A device that you pair can answer every prompt, and so run anything that you can, unless
    it is an observer. A token is printed once, because mirrord keeps only its hash. Only you at this machine can do this; a
    program that runs inside a mirrored Pi cannot.
    """
    if observer:
        role = "observer"
    if name is not None:
        return _token(name, role, as_json)
    from mirrord.cli.pair_wait import show_and_wait
    from mirrord.cli.signals import until_signal

    async def run() -> int:
        return await show_and_wait(role, as_json=as_json, wait=not no_wait)

    import anyio

    return anyio.run(until_signal, run)


def _token(name: str, role: str, as_json: bool) -> int:
    import msgspec

    from mirrord.cli.owner import ask_daemon
    from mirrord.client import Paired
    from mirrord.client.clean import one_line

    paired = ask_daemon("pair", Paired, {"name": name, "role": role})
    try:
        # On stdout the token alone, so that TOKEN=$(mirrord pair --token NAME) works.
        click.echo(msgspec.json.encode(paired).decode() if as_json else one_line(paired.token))
    except OSError:
        _take_back(paired.name)
        raise
    if not as_json:
        click.echo(f"{one_line(paired.name)} may connect as {one_line(paired.role)} to {one_line(paired.url)}", err=True)
        click.echo("The token is not shown again.", err=True)
    return 0


def _take_back(name: str) -> None:
    """Nobody has seen this token, or all of it: it may open nothing, and its name is free again."""
    from bridge.refusal import Refusal
    from mirrord.cli.owner import ask_daemon
    from mirrord.client.clean import one_line
    from mirrord.errors import MirrordError

    try:
        ask_daemon("device_revoke", type(None), {"name": name})
    except (MirrordError, Refusal) as error:
        shown = one_line(name)
        click.echo(f"mirrord: {shown} has a token that nobody saw; `mirrord devices revoke {shown}` takes it back ({error})", err=True)
