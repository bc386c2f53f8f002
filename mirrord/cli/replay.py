"""`mirrord replay`: look at a recording in the web client, or here, as its devices saw it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from mirrord.pairing.desk import Desk
    from mirrord.recording.format import Recording
    from mirrord.recording.serving import Own

FASTEST: Final = 1000.0
"""Times as fast: an hour in four seconds. Whoever wants more wants the end, which is `max`."""


def speed(ctx: click.Context, param: click.Parameter, value: str) -> float | None:
    """A number, or None for `max`. Raises BadParameter."""
    if value == "max":
        return None
    try:
        times = float(value)
    except ValueError:
        times = 0.0
    if not 0 < times <= FASTEST:
        raise click.BadParameter(f"{value!r} is neither max nor a number up to {FASTEST:.0f}", ctx, param)
    return times


@click.command(
    "replay",
    epilog="""\b
Examples:
  mirrord replay bug.jsonl                 in a browser, which a code pairs with it
  mirrord replay bug.jsonl --attach        here
  mirrord replay bug.jsonl --speed 10      ten times as fast
  mirrord replay bug.jsonl --speed max     how it was when the recording ended
""",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--speed", default="1", callback=speed, metavar="TIMES", show_default=True, help="How many times as fast, or max: its end at once."
)
@click.option("--port", type=click.IntRange(0, 65_535), default=0, help="Of the web client. Default: any free one.")
@click.option("--attach", "here", is_flag=True, help="Show it here, as `mirrord attach` would.")
def command(file: Path, speed: float | None, port: int, here: bool) -> int:
    """Show what `mirrord record` recorded, as devices saw it.

    It begins when somebody looks. Nothing in it can be answered. The daemon that runs here is not touched: a replay has sockets, an
    address and pairings of its own, which end with it.
    """
    import anyio

    from mirrord.recording.format import read
    from mirrord.recording.serving import own_place

    recording = read(file)
    with own_place(port) as own:
        return anyio.run(_replay, recording, own, speed, here)


async def _replay(recording: Recording, own: Own, speed: float | None, here: bool) -> int:
    from mirrord.cli.attach import attach
    from mirrord.cli.signals import until_signal
    from mirrord.recording.serving import serving

    async def show() -> int:
        async with serving(recording, own, speed) as desk:
            if here:
                return await attach(None, as_json=False, read_only=True, socket=own.control)
            return await _invite(desk, own)

    return await until_signal(show)


async def _invite(desk: Desk, own: Own) -> int:
    """Show codes until one is used, then wait for the end."""
    import anyio

    from mirrord.cli.pair_view import invitation
    from mirrord.cli.pair_wait import terminal_room
    from mirrord.client import PairingCode
    from mirrord.pairing.code import pairing_url

    click.echo(f"The recording is served at {own.page} until Ctrl+C.")
    used = False
    while not used:
        code = await desk.offer("observer")
        shown = PairingCode(code.offer, code.code, code.role, own.page, pairing_url(own.page, code.code), code.expires_at)
        for line in invitation(shown, terminal_room()):
            click.echo(line)
        ended = await desk.wait(code.offer)
        used = ended is not None and ended.fate == "used"
    click.echo("A browser is paired with it.")
    await anyio.sleep_forever()
    return 0
