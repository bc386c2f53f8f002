"""Shows a pairing code and waits until it is used or old."""

from __future__ import annotations

import os
import sys
import time
from typing import Final

import anyio
import click
import msgspec

from bridge.paths import paths_here
from mirrord.cli.pair_view import Room, ending, invitation, paired_words, time_left
from mirrord.client import Connection, Local, PairingCode, PairingOutcome, connect
from mirrord.client.refusals import refused_by
from mirrord.errors import MirrordError

TICK_SECONDS: Final = 1.0
"""How often the time that is left is shown anew."""

_ERASE_LINE: Final = "\r\x1b[K"


class NotPaired(MirrordError):
    """The code ended without a device."""


async def show_and_wait(role: str, *, as_json: bool, wait: bool) -> int:
    """The exit status of `mirrord pair`. Raises NotPaired when the code ended without a device."""
    async with connect(Local(paths_here().control_socket), name="mirrord", kind="cli") as connection:
        with refused_by(connection):
            code = await connection.request("pair_code", PairingCode, {"role": role})
            if as_json:
                _say_json(code)
            else:
                _say("\n".join(invitation(code, terminal_room())))
            if not wait:
                return 0
            outcome = await _outcome(connection, code, counting=not as_json)
    if as_json:
        _say_json(outcome)
    if outcome.outcome != "used":
        raise NotPaired(ending(outcome))
    if not as_json:
        _say(paired_words(outcome))
    return 0


def terminal_room() -> Room | None:
    """The size of the terminal on stdout; None when there is none that shows colours."""
    if not sys.stdout.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return None
    size = os.get_terminal_size(sys.stdout.fileno())
    return Room(size.columns, size.lines)


async def _outcome(connection: Connection, code: PairingCode, *, counting: bool) -> PairingOutcome:
    async with anyio.create_task_group() as tasks:
        if counting and terminal_room() is not None:
            tasks.start_soon(_count_down, code.expires_at / 1000)
        elif counting:
            _say(f"Good until {time.strftime('%H:%M:%S', time.localtime(code.expires_at / 1000))}.")
        outcome = await connection.request("pair_wait", PairingOutcome, {"offer": code.offer})
        tasks.cancel_scope.cancel()
    return outcome


async def _count_down(end: float) -> None:
    """For ever; its line is gone when it is cancelled."""
    try:
        while True:
            click.echo(f"{_ERASE_LINE}{time_left(end - time.time())}", nl=False)
            await anyio.sleep(TICK_SECONDS)
    finally:
        click.echo(_ERASE_LINE, nl=False)


def _say_json(told: PairingCode | PairingOutcome) -> None:
    _say(msgspec.json.encode(told).decode())


def _say(text: str) -> None:
    click.echo(text)
    sys.stdout.flush()
