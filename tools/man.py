"""Make man/mirrord.1 from the command line's own help, so that the two cannot differ.

python tools/man.py            writes it
python tools/man.py --check    exit status 1 when it is not current
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from mirrord import __version__
from mirrord.cli import cli

PAGE = Path(__file__).resolve().parent.parent / "man" / "mirrord.1"

FILES = (
    ("$XDG_RUNTIME_DIR/mirrord", "the daemon's sockets; without that variable, run below the state directory"),
    ("$XDG_STATE_HOME/mirrord", "its log, and who may connect: public keys, and tokens as their hashes"),
    ("$XDG_DATA_HOME/mirrord", "the copy of the extension that Pi loads"),
    ("$XDG_CONFIG_HOME/mirrord/config.toml", "settings: mirror = false, exclude = [globs], show_pairing = false"),
)
ENVIRONMENT = (
    ("MIRRORD", "0 keeps a Pi session private: no socket, no record"),
    ("MIRRORD_PI", "Pi's program, where it is not the `pi` on PATH"),
    ("PI_CODING_AGENT_DIR", "where Pi keeps its settings, as for Pi itself"),
)
STATUS = (
    ("0", "what was asked for was done"),
    ("1", "it was not; one sentence on stderr says why"),
    ("2", "the command line is wrong"),
    ("130", "Ctrl+C"),
)


def escaped(text: str) -> str:
    """Text that roff prints as it is."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain


def page() -> str:
    """The whole page. It holds no date: the same help gives the same bytes."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    summary = (cli.help or "").partition("\n")[0].rstrip(".")
    yield f'.TH MIRRORD 1 "" "mirrord {__version__}" "User Commands"'
    yield from (".SH NAME", f"mirrord \\- {escaped(summary[0].lower() + summary[1:])}")
    yield from (".SH SYNOPSIS", ".B mirrord", "[\\-\\-version] [\\-\\-help] COMMAND [ARGS]...")
    yield ".SH COMMANDS"
    yield from _group(cli, click.Context(cli, info_name="mirrord", **cli.context_settings))
    for title, rows in (("EXIT STATUS", STATUS), ("ENVIRONMENT", ENVIRONMENT), ("FILES", FILES)):
        yield f".SH {title}"
        for term, words in rows:
            yield from (".TP", f".B {escaped(term)}", escaped(words))
    yield ".SH EXAMPLES"
    yield from _examples(cli)


def _group(group: click.Group, context: click.Context) -> Iterator[str]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from _command(command, click.Context(command, info_name=name, parent=context))


def _command(command: click.Command, context: click.Context) -> Iterator[str]:
    yield f".SS {escaped(context.command_path)} {escaped(' '.join(command.collect_usage_pieces(context)))}"
    for number, paragraph in enumerate((command.help or "").split("\n\n")):
        if number:
            yield ".PP"
        yield escaped(" ".join(paragraph.split()))
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context) if isinstance(parameter, click.Option) else None
        if record is not None:
            yield from (".TP", f".B {escaped(record[0])}", escaped(record[1]))
    yield from (".PP", "Examples:")
    yield from _examples(command)
    if isinstance(command, click.Group):
        yield from _group(command, context)


def _examples(command: click.Command) -> Iterator[str]:
    lines = (command.epilog or "").splitlines()
    yield ".nf"
    yield from (escaped(line) for line in lines[lines.index("Examples:") + 1 :] if line.strip())
    yield ".fi"


def main(arguments: list[str]) -> int:
    """Write the page, or compare it."""
    text = page()
    if arguments == ["--check"]:
        if PAGE.exists() and PAGE.read_text() == text:
            return 0
        print("man/mirrord.1 is not current; run: python tools/man.py", file=sys.stderr)
        return 1
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
