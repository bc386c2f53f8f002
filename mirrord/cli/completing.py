"""What a shell offers for a word: sessions and devices, as the daemon has them. Nobody waits long for it, and nothing is ever said."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from mirrord.client import Connection

    Words = Callable[[Connection], Awaitable[list[tuple[str, str]]]]

SECONDS: Final = 1.0
"""How long Tab may take."""

_PLAIN: Final = re.compile(r"[A-Za-z0-9_.@+-]+")
"""What is put on a command line. An agent can name its session, and a shell would run a name such as `$(…)`."""


def sessions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Ids of the sessions, and names that are one plain word."""
    return _offered(_sessions, incomplete)


def devices(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of devices and tokens that are one plain word."""
    return _offered(_devices, incomplete)


def _offered(words: Words, incomplete: str) -> list[CompletionItem]:
    import anyio
    from click.shell_completion import CompletionItem

    try:
        found = anyio.run(_ask, words)
    except Exception:  # There is nobody to tell: the person is typing.
        return []
    return [CompletionItem(word, help=told or None) for word, told in found if word.startswith(incomplete) and _PLAIN.fullmatch(word)]


async def _ask(words: Words) -> list[tuple[str, str]]:
    import anyio

    from bridge.paths import paths_here
    from mirrord.client import Local, connect

    with anyio.move_on_after(SECONDS):
        async with connect(Local(paths_here().control_socket), name="mirrord", kind="cli") as connection:
            return await words(connection)
    return []


async def _sessions(connection: Connection) -> list[tuple[str, str]]:
    from mirrord.client.clean import one_line

    living = [each for each in connection.welcome.sessions if each.status.state != "ended"]
    ids = [(each.session_id, one_line(each.name or each.cwd)) for each in living]
    return ids + [(each.name, one_line(each.cwd)) for each in living if each.name]


async def _devices(connection: Connection) -> list[tuple[str, str]]:
    from mirrord.client import Devices

    listed = await connection.request("devices", Devices)
    return [(each.name, each.role) for each in listed.devices]
