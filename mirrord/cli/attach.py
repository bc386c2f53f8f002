"""`mirrord attach`: one session as a readable stream, answers typed below it. Over the control socket only."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import click

from mirrord.cli.completing import sessions

if TYPE_CHECKING:
    from pathlib import Path

    from mirrord.attach.screen import Screen
    from mirrord.attach.session import AttachSession
    from mirrord.wire.messages import Session


@click.command(
    "attach",
    epilog="""\b
Examples:
  mirrord attach                   the only session
  mirrord attach 4711              the session whose id begins with 4711
  mirrord attach --read-only       watch, type nothing
  mirrord attach --screen          what the terminal shows, where the person there shares it
  mirrord attach --json            for programs: a message a line
""",
)
@click.argument("session", required=False, shell_complete=sessions)
@click.option("--json", "as_json", is_flag=True, help="One server message a line out, client messages as JSON lines in.")
@click.option("--read-only", is_flag=True, help="Show only; nothing is read from stdin.")
@click.option("--screen", "screen", is_flag=True, help="Show the terminal's screen as text; /mirrord screen on in Pi shares it.")
def command(session: str | None, as_json: bool, read_only: bool, screen: bool) -> int:
    """Follow a Pi session here, write to it, and answer what it asks.

    SESSION is an id, the beginning of one, or a conversation's name; it may be left out when there is only one. A typed
    line answers the prompt that was on screen when its first key was typed. When there was none it goes to Pi: as a
    prompt, or while Pi works as a message that steers it. /help lists the rest: /steer, /follow, /older, /show, /stop and
    Pi's own commands. From a pipe only lines that begin with /say, /steer or /follow are sent, and `mirrord send` is
    simpler. /cancel cancels a prompt, Ctrl+C leaves. What extensions show besides prompts stands above that line,
    shortened where it must be; /show prints all of it.

    When the daemon goes away it is connected to again. An answer that has no verdict yet and a message that has no
    receipt yet are tried again until they have one, and count once. With --json this is told by the lines
    connection_lost and not_confirmed, and a second welcome.
    """
    import anyio

    if screen:
        if as_json:
            raise click.UsageError("--screen is for people; with --json send the command screen_watch.")
        return anyio.run(_mirror, session)
    return anyio.run(attach, session, as_json, read_only)


async def _mirror(wanted: str | None) -> int:
    from bridge.paths import paths_here
    from mirrord.attach.mirror import mirror
    from mirrord.cli.choose_session import choose
    from mirrord.cli.signals import until_signal
    from mirrord.client import Local, connect

    async def show() -> int:
        async with connect(Local(paths_here().control_socket), name="mirrord attach", kind="cli") as connection:
            return await mirror(connection, choose(connection.welcome.sessions, wanted))

    return await until_signal(show)


async def attach(wanted: str | None, as_json: bool, read_only: bool, socket: Path | None = None) -> int:
    """Follow a session until it or the person ends it; the exit status. `socket`: of a replay, whose session may be over."""
    from bridge.paths import paths_here
    from mirrord.attach.chat import ChatPane
    from mirrord.attach.follow import Follower
    from mirrord.attach.json_lines import JsonFollower
    from mirrord.attach.session import AttachSession
    from mirrord.cli.choose_session import choose
    from mirrord.client import Following, Local, Watcher, connect
    from mirrord.client.clean import one_line
    from mirrord.wire.capabilities import SERVER_CAPABILITIES

    here = Local(socket or paths_here().control_socket)
    dial = partial(connect, here, name="mirrord attach", kind="cli", capabilities=SERVER_CAPABILITIES)
    async with dial() as first:
        session = choose(first.welcome.sessions, wanted, ended=socket is not None)
        if first.welcome.notice:
            click.echo(one_line(first.welcome.notice), err=True)
        watch = read_only or first.welcome.role == "observer"
        state = AttachSession()
        alive = process_of(session)

        def following(watcher: Watcher) -> Following:
            return Following(first, lambda resume: dial(resume=resume), session.session_id, watcher, pending=state.pending, alive=alive)

        if as_json:
            programs = JsonFollower(session.session_id, None if watch else sys.stdin.fileno(), state.pending)
            return await programs.run(following(programs))
        screen, is_terminal = _screen(state, watch), sys.stdout.isatty()
        chat = ChatPane(session.session_id, screen, _columns, at_desk=sys.stdin.isatty(), dims=is_terminal and "NO_COLOR" not in os.environ)
        people = Follower(session.session_id, screen, state, chat)
        return await people.run(following(people))


def process_of(session: Session) -> Callable[[], bool]:
    """Whether the session's Pi still runs; of one that cannot be looked at it is taken that it does."""
    from bridge.process import is_alive, start_time

    pid = session.pid
    start = start_time(pid) if pid is not None else None
    if pid is None or start is None:
        return lambda: True
    return lambda: is_alive(pid, start)


def _columns() -> int | None:
    """Of the screen now; None where the output is no terminal."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def _screen(state: AttachSession, watch: bool) -> Screen:
    from mirrord.attach.screen import PlainScreen, WatchScreen, WatchTerminal

    if watch:
        return WatchTerminal() if sys.stdout.isatty() else WatchScreen()
    if not sys.stdin.isatty():
        return PlainScreen(state, sys.stdin.fileno())
    if not sys.stdout.isatty():
        # The terminal would echo what is typed, secrets too, while the cards that ask for it go elsewhere.
        click.echo("Output is no terminal, so nothing can be typed here: watching only.", err=True)
        return WatchScreen()
    from mirrord.attach.editor import EditorScreen

    return EditorScreen(state)
