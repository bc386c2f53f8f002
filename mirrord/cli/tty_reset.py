"""`mirrord tty-reset`: a terminal that was left in a mess, made usable."""

from __future__ import annotations

import sys

import click


@click.command(
    "tty-reset",
    epilog="""\b
Examples:
  mirrord tty-reset                keys are not shown? type it all the same, and Ctrl+J
""",
)
def command() -> None:
    """Make this terminal usable again after a program was killed in it.

    `mirrord pi` gives the terminal back whatever happens to Pi. It cannot when all its processes are killed at once
    (kill -9 of the whole job); this does: keys are shown and lines edited, mouse, paste and keyboard modes are off, the
    shell's own screen is back.
    """
    import termios

    from bridge.pty.reset import reset
    from bridge.refusal import Refusal

    try:
        reset(sys.stdout.fileno())
    except (OSError, termios.error) as error:
        raise Refusal("this is no terminal; run it in the one that is to be reset, without redirecting its output") from error
