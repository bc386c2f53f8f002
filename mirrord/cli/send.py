"""`mirrord send`: one message to a Pi session, for scripts. Over the control socket only."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Final

import click

from mirrord.cli.completing import sessions

if TYPE_CHECKING:
    from mirrord.wire.chat import SubmitKind

STDIN: Final = "-"


@click.command(
    "send",
    epilog="""\b
Examples:
  mirrord send 4711 "Run the tests"                 a prompt, when Pi does nothing
  mirrord send 4711 --steer "Skip the slow ones"    into the turn that runs
  mirrord send 4711 --wait "What failed?"           prints the answer
  mirrord send 4711 /compact                        a command of Pi's
  mirrord send 4711 - < plan.md                     the text of a file, whatever it begins with
""",
)
@click.argument("session", shell_complete=sessions)
@click.argument("text", nargs=-1, required=True)
@click.option("--steer", is_flag=True, help="Steer the turn that runs.")
@click.option("--follow-up", is_flag=True, help="For when the turn that runs is done.")
@click.option("--literal", is_flag=True, help="A text that begins with / or ! is no command.")
@click.option("--wait", is_flag=True, help="Wait until Pi is done with it, and print the answer.")
def command(session: str, text: tuple[str, ...], steer: bool, follow_up: bool, literal: bool, wait: bool) -> int:
    """Send a message to a Pi session.

    SESSION is an id, the beginning of one, or a conversation's name. TEXT is a prompt; words are joined by spaces, and - is
    what stands on standard input. A text that begins with / is a command of Pi's, one that begins with ! a shell command.

    The exit status is 0 once Pi has begun with the message or has it in its queue (with --wait, once it is done), 1 when it
    was refused or went wrong, and 3 when it is not known whether Pi took it. It is sent once, whatever happens on the way.
    Until Pi has looked at it, which may take a while when an extension asks somebody first, nothing is said. A command that
    lasts, such as /compact, and a shell command count as taken once they run: `mirrord attach` shows what came of it.
    """
    import anyio

    from mirrord.cli.signals import until_signal

    if steer and follow_up:
        raise click.UsageError("--steer and --follow-up exclude each other.")
    whole = _stdin() if text == (STDIN,) else " ".join(text)
    is_literal = literal or text == (STDIN,)
    kind: SubmitKind = "steer" if steer else "follow_up" if follow_up else "prompt"
    if kind == "prompt" and not is_literal and whole.startswith(("/", "!")):
        kind = "command" if whole.startswith("/") else "bash"
    excluded = kind == "bash" and whole.startswith("!!")
    if kind == "bash":
        whole = whole.lstrip("!").strip()
    return anyio.run(until_signal, partial(_send, session, kind, whole, is_literal, excluded, wait))


def _stdin() -> str:
    from bridge.limits import CONTENT_BYTES

    read = sys.stdin.buffer.read(CONTENT_BYTES + 1)
    if len(read) > CONTENT_BYTES:
        raise click.UsageError(f"A message has at most {CONTENT_BYTES} bytes.")
    try:
        return read.decode()
    except UnicodeDecodeError:
        raise click.UsageError("Standard input is no UTF-8 text.") from None


async def _send(wanted: str, kind: SubmitKind, text: str, literal: bool, excluded: bool, wait: bool) -> int:
    from bridge.paths import paths_here
    from mirrord.cli.attach import process_of
    from mirrord.cli.choose_session import choose
    from mirrord.cli.sending import Sender
    from mirrord.client import Following, Local, Pending, connect
    from mirrord.client.chat import CLAIMS
    from mirrord.client.turns import turn

    dial = partial(connect, Local(paths_here().control_socket), name="mirrord send", kind="cli", capabilities=CLAIMS)
    async with dial() as first:
        session = choose(first.welcome.sessions, wanted)
        sender = Sender(turn(session.session_id, kind, text, literal=literal, excluded=excluded), wait)
        # A Pi that quits while its daemon is away is told by nobody.
        alive = process_of(session)
        return await sender.run(
            Following(first, lambda resume: dial(resume=resume), session.session_id, sender, pending=Pending(), alive=alive)
        )
