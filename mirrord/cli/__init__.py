"""The command `mirrord`: one file for each verb, imported when the verb is used.

A mistake of the person ends in one sentence on stderr and exit status 1 (2 for a wrong command line), never in a
traceback; here is the only place where that is decided.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import Final, NoReturn

import click

from mirrord import __version__
from mirrord.cli.output import NotWritten, give_up_stdout, watch_streams
from mirrord.cli.text import takes_text

VERBS: Final = (
    "pi",
    "serve",
    "attach",
    "tui",
    "send",
    "status",
    "doctor",
    "restart",
    "pair",
    "devices",
    "config",
    "service",
    "logs",
    "record",
    "replay",
    "extension",
    "schema",
    "demo",
    "completion",
    "tty-reset",
    "uninstall",
)
"""In the order of `mirrord --help`: what a newcomer needs first comes first. Each is a module of this package."""

_INTERRUPTED: Final = 130
"""128 + SIGINT, as shells report it."""

_NO_READER: Final = 141
"""128 + SIGPIPE: whoever read our output went away."""

_NOT_WRITTEN: Final = 1
"""The output is not where it was to go."""


class VerbGroup(click.Group):
    """Finds a verb by importing the module of its name, so that `mirrord --version` imports none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every verb, in the order of `VERBS`."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb's command, or None."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f"mirrord.cli.{cmd_name.replace('-', '_')}").command
        takes_text(command)
        return command


@click.group(
    cls=VerbGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="""\b
Examples:
  mirrord pi                  run Pi here; other devices see it and can answer
  mirrord attach              follow it in another terminal
  mirrord demo                try it without an account
""",
)
@click.version_option(__version__, message="mirrord %(version)s")
def cli() -> None:
    """Mirror a Pi coding agent that runs in a terminal, and answer its prompts from another device."""


def main() -> NoReturn:
    """Run the command line and exit with its status."""
    _fill_closed_streams()
    watch_streams()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """The exit status of one command line; a user's mistake is said in one sentence on stderr."""
    try:
        status = cli.main(arguments, prog_name="mirrord", standalone_mode=False)
        sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except BaseException as raised:
        ended = _status_of(_alone(raised))
        if ended is None:
            raise
        return ended


def _fill_closed_streams() -> None:
    """Where the shell closed a standard stream (`<&-`) Python has none, and the next file that is opened would take its descriptor."""
    for fd, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_RDWR)
            if nothing != fd:
                os.dup2(nothing, fd)
                os.close(nothing)
            os.set_inheritable(fd, True)
            setattr(sys, name, open(fd, mode, closefd=False))  # noqa: SIM115 - as long as the process


def _status_of(error: BaseException) -> int | None:
    """The exit status for an error that a person can mend, once it was said; None for one that is ours."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        return _INTERRUPTED
    if isinstance(error, BrokenPipeError):
        give_up_stdout()
        return _NO_READER
    if isinstance(error, NotWritten):
        give_up_stdout()
        click.echo(f"mirrord: the output could not be written: {error.strerror}", err=True)
        return _NOT_WRITTEN
    # Imported late: `mirrord --version` needs neither.
    from bridge.refusal import Refusal
    from mirrord.errors import MirrordError

    if isinstance(error, (MirrordError, Refusal)):
        click.echo(f"mirrord: {error}", err=True)
        return error.exit_code if isinstance(error, MirrordError) else 1
    return None


def _alone(error: BaseException) -> BaseException:
    """What a task group raised, when that is one error."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
