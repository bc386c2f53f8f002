"""How far a recording is, on stderr: one line that is written anew on a terminal, one line at the beginning elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import click

from mirrord.attach.view import session_title
from mirrord.recording.recorder import Recorder
from mirrord.wire.messages import Session

_ANEW: Final = "\r\x1b[K"


@dataclass(slots=True)
class Progress:
    """`wall`: ms since the epoch."""

    session: Session
    recorder: Recorder
    wall: Callable[[], int]

    def begin(self) -> None:
        """Recording begins."""
        texts = " with its conversation" if self.recorder.conversation else ""
        click.echo(f"Recording {session_title(self.session)}{texts}; Ctrl+C ends it.", err=True)

    def tell(self) -> None:
        """Some time has passed."""
        if sys.stderr.isatty():
            seconds = (self.wall() - self.recorder.started_at) // 1000
            click.echo(
                f"{_ANEW}{seconds // 60}:{seconds % 60:02}  {self.recorder.said} messages, {self.recorder.size:,} bytes", nl=False, err=True
            )

    def end(self) -> None:
        """It is over."""
        if sys.stderr.isatty():
            click.echo(_ANEW, nl=False, err=True)
