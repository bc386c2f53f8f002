"""`mirrord devices`: who may connect; call one something else, or take its access away."""

from __future__ import annotations

import click

from mirrord.cli.completing import devices


@click.group(
    "devices",
    invoke_without_command=True,
    epilog="""\b
Examples:
  mirrord devices
  mirrord devices --json
  mirrord devices rename "Chrome on Android" phone
  mirrord devices revoke phone
""",
)
@click.option("--json", "as_json", is_flag=True, help="Print the list as one JSON object.")
@click.pass_context
def command(context: click.Context, as_json: bool) -> int:
    """List the devices and tokens that may connect."""
    if context.invoked_subcommand is not None:
        return 0
    import time

    import msgspec

    from mirrord.cli.devices_table import table
    from mirrord.cli.owner import ask_daemon
    from mirrord.client import Devices

    listed = ask_daemon("devices", Devices)
    if as_json:
        click.echo(msgspec.json.encode(listed).decode())
    else:
        click.echo("\n".join(table(listed.devices, round(time.time() * 1000))))
    return 0


@command.command("rename", epilog="\b\nExamples:\n  mirrord devices rename 'Chrome on Android' phone\n")
@click.argument("old", shell_complete=devices)
@click.argument("new")
def rename(old: str, new: str) -> None:
    """Call a device something else; others see the name when it answers."""
    from mirrord.cli.owner import ask_daemon
    from mirrord.client import DeviceInfo
    from mirrord.client.clean import one_line

    renamed = ask_daemon("device_rename", DeviceInfo, {"name": old, "to": new})
    click.echo(f"{one_line(old)} is called {one_line(renamed.name)} now.")


@command.command("revoke", epilog="\b\nExamples:\n  mirrord devices revoke phone\n")
@click.argument("name", shell_complete=devices)
def revoke(name: str) -> None:
    """Take a device's access away; its connections are closed at once."""
    from mirrord.cli.owner import ask_daemon
    from mirrord.client.clean import one_line

    ask_daemon("device_revoke", type(None), {"name": name})
    click.echo(f"{one_line(name)} may not connect any more.")
