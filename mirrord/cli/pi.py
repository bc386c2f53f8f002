"""`mirrord pi`: Pi in a terminal of ours, with the extension loaded and a daemon that listens to it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NoReturn

import click

from mirrord import __version__
from mirrord.cli.pi_arguments import split

_NO_TERMINALS: Final = ("", "dumb")
"""What `TERM` is where nothing is known of the terminal, or that it has no modes to be given back."""


class PassThrough(click.Command):
    """Takes our options from the front and leaves every other word as it is."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Everything from Pi's first word on is a plain argument to click."""
        own, rest = split(args)
        return super().parse_args(ctx, [*own, "--", *rest])


@click.command(
    "pi",
    cls=PassThrough,
    options_metavar="[--pi PATH] [--no-pair] [--share-screen]",
    epilog="""\b
Examples:
  mirrord pi                       Pi here, mirrored
  mirrord pi --model sonnet "fix the tests"
  mirrord pi --share-screen        Pi here, and its screen for your devices
  mirrord pi -- --help             Pi's own help
  MIRRORD=0 mirrord pi             Pi here, not mirrored
""",
)
@click.option("--pi", "named", type=click.Path(), metavar="PATH", help="Pi's program. Default: $MIRRORD_PI, else `pi` on PATH.")
@click.option("--no-pair", is_flag=True, help="Do not show a code for pairing before Pi starts, though no device is paired.")
@click.option("--share-screen", is_flag=True, help="Let devices that may answer see this screen; /mirrord screen off ends that.")
@click.argument("pi_args", nargs=-1, type=click.UNPROCESSED, metavar="[PI ARGS]...")
def command(named: str | None, no_pair: bool, share_screen: bool, pi_args: tuple[str, ...]) -> NoReturn:
    """Run Pi in this terminal, mirrored to your other devices.

    Everything after our own options goes to Pi as it is. A daemon is started in the background when none runs; when that
    fails, Pi starts all the same. As long as no device is paired, a code for pairing is shown first. Commands of Pi that
    hold no conversation (install, -p, --mode) run as they are.
    """
    from mirrord.pi_program import check_node, find_pi

    pi = find_pi(named, os.environ)
    check_node(pi, os.environ)
    arguments = list(pi_args)
    if _is_mirrored(arguments):
        from mirrord.cli.pi_preparation import is_private, prepare

        private = is_private(asked_to_share=share_screen)
        arguments = prepare(arguments, private=private, show_code=not no_pair)
        if not _is_plain(os.environ):
            _wrap(pi, arguments, followed=not private, share_screen=share_screen)
    _become(pi, arguments)


def _is_plain(env: Mapping[str, str]) -> bool:
    """Whether the terminal is too simple to be given back; that was said then."""
    name = env.get("TERM", "")
    if name in _NO_TERMINALS:
        called = f"TERM={name}" if name else "TERM is not set: it"
        click.echo(
            f"mirrord: {called} names no terminal that could be given back, so Pi runs straight in it; it is mirrored all the same",
            err=True,
        )
    return name in _NO_TERMINALS


def _wrap(pi: Path, arguments: list[str], *, followed: bool, share_screen: bool) -> None:
    """Run Pi in a terminal of ours and end as it ends. Returns, after a word on stderr, when this terminal cannot be wrapped."""
    from bridge.pty.fate import share
    from bridge.pty.feed import ChildInfo, nobody
    from bridge.pty.guard import run
    from bridge.pty.outer import open_outer
    from bridge.refusal import Refusal
    from bridge.screen.start import Followed, start

    def follow(child: ChildInfo) -> Followed:
        return start(child.pid, shared=share_screen, columns=child.size.columns, rows=child.size.rows, version=__version__)

    try:
        outer = open_outer()
    except Refusal as refusal:
        click.echo(f"mirrord: {refusal}, so Pi runs straight in it; it is mirrored all the same", err=True)
        return
    sys.stdout.flush()
    sys.stderr.flush()
    ended = run([str(pi), *arguments], outer, follow if followed else nobody)
    if ended.problem is not None:
        raise Refusal(ended.problem)
    share(ended.status)


def _become(pi: Path, arguments: list[str]) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        # The interpreter ignores them, and what is ignored would stay so in Pi.
        signal.signal(number, signal.SIG_DFL)
    os.execve(pi, [str(pi), *arguments], os.environ)


def _is_mirrored(arguments: list[str]) -> bool:
    from bridge.privacy import is_switched_off
    from mirrord.cli.pi_arguments import shows_a_terminal

    wanted = not is_switched_off(os.environ)
    return wanted and sys.stdin.isatty() and sys.stdout.isatty() and shows_a_terminal(arguments)
