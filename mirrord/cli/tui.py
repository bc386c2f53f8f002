"""`mirrord tui`: sessions, conversation, prompts, surfaces and the protocol itself, full screen. Over the control socket only."""

from __future__ import annotations

import importlib.util
import sys

import click

from mirrord.cli.completing import sessions

REQUIREMENT = "textual>=8"
"""What the extra `tui` brings."""


@click.command(
    "tui",
    epilog="""\b
Examples:
  mirrord tui                      begins with the session that waits for somebody
  mirrord tui 4711                 with the session whose id begins with 4711
""",
)
@click.argument("session", required=False, shell_complete=sessions)
def command(session: str | None) -> int:
    """Follow all Pi sessions here, full screen, and answer what they ask.

    It shows what `mirrord attach` shows, and beside it what extensions show and every message of the protocol, which can be filtered,
    held still and copied. F1 lists the keys. It needs the extra `tui`.
    """
    from mirrord.errors import MirrordError

    if importlib.util.find_spec("textual") is None:
        from mirrord.installed_by import command_to_add

        raise MirrordError(f"`mirrord tui` needs textual; install it with `{command_to_add(REQUIREMENT)}`, or use `mirrord attach`")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise MirrordError("`mirrord tui` needs a terminal; without one use `mirrord attach`")
    import anyio

    return anyio.run(_run, session)


async def _run(wanted: str | None) -> int:
    from functools import partial

    from bridge.paths import paths_here
    from mirrord.cli.attach import process_of
    from mirrord.cli.choose_session import choose
    from mirrord.client import Local, connect
    from mirrord.tui.app import MirrordApp
    from mirrord.wire.capabilities import SERVER_CAPABILITIES

    dial = partial(connect, Local(paths_here().control_socket), name="mirrord tui", kind="cli", capabilities=SERVER_CAPABILITIES)
    async with dial() as first:
        # Whoever names a session that is not there, or has no daemon, is told before the screen is taken.
        chosen = choose(first.welcome.sessions, wanted).session_id if wanted is not None else None
    app = MirrordApp(lambda resume, tap: dial(resume=resume, tap=tap), process_of, session=chosen)
    await app.run_async()
    if app.failure is not None:
        raise app.failure
    return 0
