"""The pages of the command line: mirrord(1), and one for each verb with all that stands below it. Pure; click's own help is the source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import click

from mirrord.cli import cli
from tools.manual import roff

FILES: Final = (
    ("$XDG_RUNTIME_DIR/mirrord", "the daemon's sockets and lock; without that variable, run below the state directory"),
    ("$XDG_STATE_HOME/mirrord", "its log, and its store: who may connect, public keys, and tokens as their hashes"),
    ("$XDG_DATA_HOME/mirrord", "the copy of the extension that Pi loads"),
    ("$XDG_CONFIG_HOME/mirrord/config.toml", "settings; `mirrord.toml`(5) has them all"),
)
ENVIRONMENT: Final = (
    ("MIRRORD", "0 keeps a Pi session private: no socket, no record"),
    ("MIRRORD_*", "settings, before the file; `mirrord.toml`(5) names the variable of each"),
    ("MIRRORD_PI", "Pi's program, where it is not the `pi` on PATH"),
    ("CI", "set in build and test services: `mirrord pi` then starts no daemon and shows no code"),
    ("PI_CODING_AGENT_DIR", "where Pi keeps its settings, as for Pi itself"),
)
STATUS: Final = (
    ("0", "what was asked for was done"),
    ("1", "it was not; one sentence on stderr says why"),
    ("2", "the command line is wrong"),
    ("3", "it is not known whether Pi took the message (`mirrord send`)"),
    ("130", "Ctrl+C"),
)


def pages() -> Iterator[tuple[str, str]]:
    """File name and text of each."""
    context = click.Context(cli, info_name="mirrord", **cli.context_settings)
    verbs = [(name, command) for name in cli.list_commands(context) if (command := cli.get_command(context, name)) is not None]
    yield "mirrord.1", roff.text(_overview(verbs, context))
    for name, command in verbs:
        yield f"mirrord-{name}.1", roff.text(_verb(command, click.Context(command, info_name=name, parent=context)))


def _overview(verbs: list[tuple[str, click.Command]], context: click.Context) -> Iterator[str]:
    yield roff.header("mirrord", 1, "User Commands")
    yield from roff.name("mirrord", _summary(cli))
    yield from (".SH SYNOPSIS", ".B mirrord", "[\\-\\-version] [\\-\\-help] COMMAND [ARGS]...")
    yield ".SH DESCRIPTION"
    yield from roff.paragraphs(cli.help or "")
    yield from roff.paragraphs(
        "\n\nThe terminal owns the session: Pi behaves the same when mirrord is absent, frozen or killed. "
        "The first answer to a prompt wins, wherever it is given, and every device is told who gave it."
    )
    yield ".SH COMMANDS"
    yield from roff.prose("Each has a page of its own, `mirrord-COMMAND`(1), which is what `mirrord COMMAND --help` says.")
    for name, command in verbs:
        yield from roff.term(f"mirrord {name}", (command.help or "").partition("\n")[0])
    yield ".SH OPTIONS"
    yield from _options(cli, context)
    for title, rows in (("EXIT STATUS", STATUS), ("ENVIRONMENT", ENVIRONMENT), ("FILES", FILES)):
        yield f".SH {title}"
        for word, words in rows:
            yield from roff.term(word, words)
    yield ".SH EXAMPLES"
    yield from _examples(cli)
    yield from roff.see_also(*((f"mirrord-{name}", 1) for name, _ in verbs), ("mirrord.toml", 5), ("mirrord-protocol", 7))


def _verb(command: click.Command, context: click.Context) -> Iterator[str]:
    name = f"mirrord-{context.info_name}"
    yield roff.header(name, 1, "User Commands")
    yield from roff.name(name, _summary(command))
    yield from (".SH SYNOPSIS", *_synopsis(command, context))
    yield ".SH DESCRIPTION"
    yield from roff.paragraphs(command.help or "")
    yield ".SH OPTIONS"
    yield from _options(command, context)
    if isinstance(command, click.Group):
        yield ".SH COMMANDS"
        for below, its in _below(command, context):
            yield f".SS {roff.escaped(its.command_path)} {roff.escaped(' '.join(below.collect_usage_pieces(its)))}"
            yield from roff.paragraphs(below.help or "")
            yield from _options(below, its)
            yield from (".PP", "Examples:", *_examples(below))
    yield ".SH EXAMPLES"
    yield from _examples(command)
    yield from roff.see_also(("mirrord", 1), ("mirrord.toml", 5))


def _summary(command: click.Command) -> str:
    """The first line of its help, as it stands behind a name."""
    line = (command.help or "").partition("\n")[0].rstrip(".")
    return line[0].lower() + line[1:]


def _below(group: click.Group, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """Every command of a group, groups in it opened."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        its = click.Context(command, info_name=name, parent=context)
        yield command, its
        if isinstance(command, click.Group):
            yield from _below(command, its)


def _synopsis(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f"\\fB{roff.escaped(context.command_path)}\\fR {roff.escaped(' '.join(command.collect_usage_pieces(context)))}"


def _options(command: click.Command, context: click.Context) -> Iterator[str]:
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None:
            yield from roff.term(record[0], record[1])


def _examples(command: click.Command) -> Iterator[str]:
    lines = (command.epilog or "").splitlines()
    yield from roff.literal([line.removeprefix("  ") for line in lines[lines.index("Examples:") + 1 :] if line.strip()])
