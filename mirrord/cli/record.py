"""`mirrord record`: what devices are told of a session, as a file for a bug report or a test."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from mirrord.cli.completing import sessions

if TYPE_CHECKING:
    from mirrord.recording.file import RecordingFile
    from mirrord.recording.recorder import Recorder

_DURATION: Final = re.compile(r"([0-9]{1,6})(s|m|h)?", re.ASCII)
_SECONDS: Final = {"s": 1, "m": 60, "h": 3600}


def duration(ctx: click.Context, param: click.Parameter, value: str | None) -> float | None:
    """`90`, `90s`, `5m`, `2h` in seconds. Raises BadParameter."""
    if value is None:
        return None
    found = _DURATION.fullmatch(value)
    if found is None or int(found[1]) == 0:
        raise click.BadParameter(f"{value!r} is no time; write 90s, 5m or 2h", ctx, param)
    return float(int(found[1]) * _SECONDS[found[2] or "s"])


@click.command(
    "record",
    epilog="""\b
Examples:
  mirrord record                       the only session, until Ctrl+C
  mirrord record 4711 --for 5m         the session whose id begins with 4711
  mirrord record -o bug.jsonl          into a file of this name
  mirrord record --explain bug.jsonl   what is in it
""",
)
@click.argument("session", required=False, shell_complete=sessions)
@click.option("-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="Default: mirrord-DATE-TIME.jsonl in this folder.")
@click.option("--for", "seconds", callback=duration, metavar="TIME", help="How long: 90s, 5m, 2h. Default: until Ctrl+C.")
@click.option("--with-conversation", is_flag=True, help="With the conversation's texts, and what tools were told and said.")
@click.option("--explain", type=click.Path(path_type=Path), metavar="FILE", help="Tell what is in a recording, and record nothing.")
def command(session: str | None, output: Path | None, seconds: float | None, with_conversation: bool, explain: Path | None) -> int:
    """Record what devices are told of a Pi session, for a bug report.

    What somebody typed as an answer is never in it, and the conversation's texts only with --with-conversation. What is in it is told
    at the end; look at that before you send the file. It can be looked at with `mirrord replay`.
    """
    import anyio

    if explain is not None:
        if session is not None or output is not None or seconds is not None or with_conversation:
            raise click.UsageError("--explain looks at a file, and takes nothing else.")
        return _explain(explain)
    import time

    from mirrord.recording.file import recording_file

    path = output or Path(time.strftime("mirrord-%Y%m%d-%H%M%S.jsonl"))
    with recording_file(path) as file:
        ended = anyio.run(_record, session, file, seconds, with_conversation)
    click.echo(f"{path}: {ended}", err=True)
    return _explain(path)


def _explain(path: Path) -> int:
    from mirrord.recording.explain import explained
    from mirrord.recording.format import read

    for line in explained(read(path)):
        click.echo(line)
    return 0


async def _record(wanted: str | None, file: RecordingFile, seconds: float | None, conversation: bool) -> str:
    """How it ended, in a sentence."""
    import signal
    import time

    import anyio

    from bridge.paths import paths_here
    from mirrord.cli.choose_session import choose
    from mirrord.cli.record_progress import Progress
    from mirrord.client import CommandRefused, Local, connect
    from mirrord.client.clean import one_line
    from mirrord.recording.capture import Capture
    from mirrord.recording.recorder import Recorder
    from mirrord.wire.capabilities import SERVER_CAPABILITIES

    def wall() -> int:
        return round(time.time() * 1000)

    async with connect(Local(paths_here().control_socket), name="mirrord record", kind="cli", capabilities=SERVER_CAPABILITIES) as daemon:
        if daemon.welcome.role != "owner":
            notice = daemon.welcome.notice or "Only the person at this machine can record."
            raise CommandRefused("forbidden", one_line(notice))
        session = choose(daemon.welcome.sessions, wanted)
        recorder = Recorder(session.session_id, wall(), conversation)
        progress = Progress(session, recorder, wall)
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:

            async def stopped() -> None:
                await anext(aiter(signals))

            progress.begin()
            why = await Capture(daemon, file, recorder, wall, progress.tell).run(stopped, seconds)
            progress.end()
    return _ended(why, recorder)


def _ended(why: str, recorder: Recorder) -> str:
    what = f"{recorder.said} messages, {recorder.size:,} bytes."
    match why:
        case "size":
            return f"{what} The recording reached its largest size, so what came after is not in it."
        case "lost":
            return f"{what} The connection to the daemon ended."
        case "session":
            return f"{what} The session ended."
        case _:
            return what
