"""`mirrord attach`: one session as a readable stream, answers typed below it. Over the control socket only."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mirrord.cli.attach_screen import Screen
    from mirrord.cli.attach_session import AttachSession
    from mirrord.wire.messages import Session


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
    line answers the prompt that was on screen when its first key was typed. /cancel cancels a prompt, /stop stops the
    agent's turn, Ctrl+C leaves. When the daemon goes away it is connected to again, and an answer that has no verdict yet
    is tried again until it has one. With --json this is told by the lines connection_lost and not_confirmed, and a second
    welcome.
    """
    import anyio

    return anyio.run(_attach, session, as_json, read_only)


async def _attach(wanted: str | None, as_json: bool, read_only: bool) -> int:
    from bridge.paths import paths_here
    from mirrord.cli.attach_follow import Follower
    from mirrord.cli.attach_json import JsonFollower
    from mirrord.cli.attach_session import AttachSession
    from mirrord.cli.choose_session import choose
    from mirrord.client import Following, Local, Watcher, connect
    from mirrord.client.clean import one_line

    dial = partial(connect, Local(paths_here().control_socket), name="mirrord attach", kind="cli")
    async with dial() as first:
        session = choose(first.welcome.sessions, wanted)
        if first.welcome.notice:
            click.echo(one_line(first.welcome.notice), err=True)
        watch = read_only or first.welcome.role == "observer"
        state = AttachSession()
        alive = _process_of(session)

        def following(watcher: Watcher) -> Following:
            return Following(first, lambda resume: dial(resume=resume), session.session_id, watcher, pending=state.pending, alive=alive)

        if as_json:
            programs = JsonFollower(session.session_id, None if watch else sys.stdin.fileno(), state.pending)
            return await programs.run(following(programs))
        people = Follower(session.session_id, _screen(state, watch), state)
        return await people.run(following(people))


def _process_of(session: Session) -> Callable[[], bool]:
    """Whether the session's Pi still runs; of one that cannot be looked at it is taken that it does."""
    from bridge.process import is_alive, start_time

    pid = session.pid
    start = start_time(pid) if pid is not None else None
    if pid is None or start is None:
        return lambda: True
    return lambda: is_alive(pid, start)


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
