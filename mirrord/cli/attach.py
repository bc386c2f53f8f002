"""`mirrord attach`: one session as a readable stream, answers typed below it. Over the control socket only."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mirrord.cli.attach_screen import Screen
    from mirrord.cli.attach_session import AttachSession


@click.command(
    "attach",
    epilog="""\b
Examples:
  mirrord attach                   the only session
  mirrord attach 4711              the session whose id begins with 4711
  mirrord attach --read-only       watch, type nothing
  mirrord attach --json            for programs: a message a line
""",
)
@click.argument("session", required=False)
@click.option("--json", "as_json", is_flag=True, help="One server message a line out, client messages as JSON lines in.")
@click.option("--read-only", is_flag=True, help="Show only; nothing is read from stdin.")
def command(session: str | None, as_json: bool, read_only: bool) -> int:
    """Follow a Pi session here, and answer what it asks.

    SESSION is an id, the beginning of one, or a conversation's name; it may be left out when there is only one. A typed
    line answers the prompt that was on screen when its first key was typed. /cancel cancels a prompt, Ctrl+C leaves.
    """
    import anyio

    return anyio.run(_attach, session, as_json, read_only)


async def _attach(wanted: str | None, as_json: bool, read_only: bool) -> int:
    from bridge.paths import paths_here
    from mirrord.cli.attach_follow import Follower
    from mirrord.cli.attach_json import JsonFollower
    from mirrord.cli.attach_session import AttachSession
    from mirrord.cli.choose_session import choose
    from mirrord.client import Local, connect
    from mirrord.client.clean import one_line

    async with connect(Local(paths_here().control_socket), name="mirrord attach", kind="cli") as connection:
        welcome = connection.welcome
        session = choose(welcome.sessions, wanted)
        if welcome.notice:
            click.echo(one_line(welcome.notice), err=True)
        watch = read_only or welcome.role == "observer"
        if as_json:
            return await JsonFollower(connection, session.session_id, None if watch else sys.stdin.fileno()).run()
        state = AttachSession()
        return await Follower(connection, session.session_id, _screen(state, watch), state).run()


def _screen(state: AttachSession, watch: bool) -> Screen:
    from mirrord.cli.attach_screen import PlainScreen, WatchScreen

    if watch:
        return WatchScreen()
    if not sys.stdin.isatty():
        return PlainScreen(state, sys.stdin.fileno())
    if not sys.stdout.isatty():
        # The terminal would echo what is typed, secrets too, while the cards that ask for it go elsewhere.
        click.echo("Output is no terminal, so nothing can be typed here: watching only.", err=True)
        return WatchScreen()
    from mirrord.cli.attach_editor import EditorScreen

    return EditorScreen(state)
