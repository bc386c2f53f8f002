"""`mirrord pi`: become Pi, with the extension loaded and a daemon that listens to it."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from mirrord.cli.pi_arguments import split


class PassThrough(click.Command):
    """Takes our options from the front and leaves every other word as it is."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Everything from Pi's first word on is a plain argument to click."""
        own, rest = split(args)
        return super().parse_args(ctx, [*own, "--", *rest])


@click.command(
    "pi",
    cls=PassThrough,
    options_metavar="[--pi PATH] [--no-pair]",
    epilog="""\b
Examples:
  mirrord pi                       Pi here, mirrored
  mirrord pi --model sonnet "fix the tests"
  mirrord pi -- --help             Pi's own help
  MIRRORD=0 mirrord pi             Pi here, not mirrored
""",
)
@click.option("--pi", "named", metavar="PATH", help="Pi's program. Default: $MIRRORD_PI, else `pi` on PATH.")
@click.option("--no-pair", is_flag=True, help="Do not show a code for pairing before Pi starts, though no device is paired.")
@click.argument("pi_args", nargs=-1, type=click.UNPROCESSED, metavar="[PI ARGS]...")
def command(named: str | None, no_pair: bool, pi_args: tuple[str, ...]) -> NoReturn:
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
        from mirrord.cli.pi_preparation import prepare

        arguments = prepare(arguments, show_code=not no_pair)
    sys.stdout.flush()
    sys.stderr.flush()
    os.execve(pi, [str(pi), *arguments], os.environ)


def _is_mirrored(arguments: list[str]) -> bool:
    from mirrord.cli.pi_arguments import shows_a_terminal

    wanted = os.environ.get("MIRRORD") != "0"
    return wanted and sys.stdin.isatty() and sys.stdout.isatty() and shows_a_terminal(arguments)
