"""Promise: every command explains itself: one line of summary, help for each option, examples that are real command lines."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from mirrord import __version__
from mirrord.cli import VERBS, cli


def every_command(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from every_command(command, (*path, name))


COMMANDS = [pytest.param(path, command, id=" ".join(path)) for path, command in every_command(cli)]


@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_a_command_has_a_summary_option_help_and_examples(path: tuple[str, ...], command: click.Command) -> None:
    shown = CliRunner().invoke(cli, [*path, "--help"], prog_name="mirrord")
    assert shown.exit_code == 0
    assert "Examples:" in shown.output
    summary = (command.help or "").partition("\n")[0]
    assert summary.endswith(".")
    assert len(summary) <= 90
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{parameter.opts[-1]} has no help"
    assert max(map(len, shown.output.splitlines())) <= 100


@pytest.mark.parametrize(("path", "command"), COMMANDS)
def test_examples_begin_with_the_command_they_are_for(path: tuple[str, ...], command: click.Command) -> None:
    lines = (command.epilog or "").splitlines()
    examples = [line.strip() for line in lines[lines.index("Examples:") + 1 :] if line.strip()]
    assert examples
    wanted = " ".join(("mirrord", *path))
    assert all(wanted in example for example in examples) or path == ("extension",)
    for example in examples:
        # What stands behind two spaces is an explanation.
        shlex.split(example.partition("  ")[0])


def test_the_first_page_lists_every_verb_with_its_summary() -> None:
    shown = CliRunner().invoke(cli, ["--help"], prog_name="mirrord").output
    listed = [line.split()[0] for line in shown.partition("Commands:")[2].partition("Examples:")[0].splitlines() if line.strip()]
    assert listed == list(VERBS)


HEAVY = "{'anyio', 'websockets', 'msgspec', 'prompt_toolkit', 'mirrord.daemon.daemon', 'mirrord.cli.pi'}"


def loaded_by(*arguments: str) -> str:
    """The last line of a process that runs this and then names the heavy modules it loaded."""
    script = f"import sys; from mirrord.cli import run; run({list(arguments)!r}); print(sorted({HEAVY} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1]


def test_the_version_is_told_without_loading_any_verb() -> None:
    assert loaded_by("--version") == "[]"
    assert CliRunner().invoke(cli, ["--version"]).output == f"mirrord {__version__}\n"


def test_help_is_told_without_loading_what_verbs_need() -> None:
    assert loaded_by("--help") == "['mirrord.cli.pi']"
