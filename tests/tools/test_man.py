"""Promise: the manual has every verb, option, setting and message as the program has them, and man's readers have no complaint."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from mirrord.cli import VERBS, cli
from mirrord.config.keys import KEYS
from mirrord.wire.roles import MINIMUM_COMMAND_ROLE, MINIMUM_ROLE
from tools import man
from tools.manual import markdown, protocol, roff

PAGES = man.pages()
FILES = [man.FOLDER / name for name in PAGES]
EXAMPLES = man.ROOT / "fixtures" / "wire" / "messages.jsonl"


def rendered(name: str) -> str:
    """The page as somebody reads it, without its fonts."""
    done = subprocess.run(["mandoc", "-Tutf8", "-O", "width=100", str(man.FOLDER / name)], capture_output=True, text=True, check=True)
    return re.sub(".\b", "", done.stdout)


def commands(group: click.Group, context: click.Context) -> Iterator[click.Context]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        below = click.Context(command, info_name=name, parent=context)
        yield below
        if isinstance(command, click.Group):
            yield from commands(command, below)


def test_the_checked_in_pages_are_current() -> None:
    assert man.main(["--check"]) == 0


def test_a_page_that_is_not_current_is_told_and_one_that_is_no_longer_made_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(man, "FOLDER", tmp_path / "man")
    assert man.main([]) == 0
    assert man.main(["--check"]) == 0
    (tmp_path / "man" / "mirrord-pi.1").write_text("old")
    (tmp_path / "man" / "mirrord-gone.1").write_text("old")
    assert man.main(["--check"]) == 1
    assert capsys.readouterr().err == "not current: man/mirrord-gone.1, man/mirrord-pi.1; run: python tools/man.py\n"
    assert man.main([]) == 0
    assert not (tmp_path / "man" / "mirrord-gone.1").exists()
    assert man.main(["--check"]) == 0


def test_every_verb_has_a_page_and_is_in_the_overview() -> None:
    overview = rendered("mirrord.1")
    for verb in VERBS:
        assert f"mirrord-{verb}.1" in PAGES
        assert f"mirrord {verb}" in overview
        assert f"mirrord-{verb}(1)" in overview


def test_every_option_and_argument_of_every_command_is_in_the_page_of_its_verb() -> None:
    texts = {verb: rendered(f"mirrord-{verb}.1") for verb in VERBS}
    for context in commands(cli, click.Context(cli, info_name="mirrord", **cli.context_settings)):
        _, verb, *_ = context.command_path.split()
        assert context.command_path in texts[verb]
        for parameter in context.command.get_params(context):
            if isinstance(parameter, click.Option) and not parameter.hidden:
                missing = [name for name in (*parameter.opts, *parameter.secondary_opts) if name not in texts[verb]]
                assert missing == [], context.command_path
            elif isinstance(parameter, click.Argument):
                assert parameter.make_metavar(context) in texts[verb]


def test_every_setting_is_in_the_page_with_its_default_variable_and_flag() -> None:
    text = rendered("mirrord.toml.5")
    for key in KEYS.values():
        assert re.search(rf"^ +{re.escape(key.name)}( |$)", text, re.MULTILINE)
        assert all(name in text for name in (key.env, key.flag) if name)
        assert key.doc.split("`")[0] in " ".join(text.split())


def test_every_message_is_in_the_page_with_direction_role_and_an_example() -> None:
    text = rendered("mirrord-protocol.7")
    for names, direction in ((protocol.FROM_CLIENT, "Client to daemon, from the role "), (protocol.FROM_DAEMON, "Daemon to client.")):
        for name in names:
            section = re.search(rf"^   {name}\n(.*?)(?=^ {{0,3}}\S|\Z)", text, re.MULTILINE | re.DOTALL)
            assert section is not None, name
            assert direction in section[1]
            assert re.search(rf'"type": "{name}"', section[1])
            assert name not in MINIMUM_ROLE or MINIMUM_ROLE[name].name.lower() in section[1]
    for command in MINIMUM_COMMAND_ROLE:
        assert re.search(rf"^ +{command}( |$)", text, re.MULTILINE), command


def test_the_example_of_a_message_is_one_that_the_tests_decode() -> None:
    fixtures = [json.loads(line)["message"] for line in EXAMPLES.read_text("utf-8").splitlines()]
    lines = "\n".join(map(json.dumps, fixtures[:3]))
    shown = "\n".join(line for line in markdown.body(f"```json\n{lines}\n```") if not line.startswith("."))
    decoder, at, decoded = json.JSONDecoder(), 0, []
    plain = shown.replace("\\-", "-")
    while at < len(plain):
        message, at = decoder.raw_decode(plain, at)
        decoded.append(message)
        at += len(plain[at:]) - len(plain[at:].lstrip())
    assert decoded
    assert all(message in fixtures for message in decoded)


def test_a_wheel_carries_every_page_where_man_looks_for_it() -> None:
    build = tomllib.loads((man.ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    carried = build["targets"]["wheel"]["shared-data"]
    assert carried == {f"man/{name}": f"share/man/man{name[-1]}/{name}" for name in sorted(PAGES)}


@pytest.mark.parametrize(
    ("text", "line"), [("a-b", "a\\-b"), ("a\\b", "a\\eb"), (".TH", "\\&.TH"), ("'x", "\\&'x"), ("-.", "\\-."), ("→", "\\[u2192]")]
)
def test_text_is_no_roff(text: str, line: str) -> None:
    assert roff.escaped(text) == line
    assert "".join(roff.prose(text)) == line


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("One. Two `a b` **c** [d](e.md).", ["One.", "Two \\fBa b\\fR \\fBc\\fR d."]),
        ("* one\n  more\n* two", [".IP \\(bu 2", "one more", ".IP \\(bu 2", "two"]),
        ("| a | b |\n|---|---|\n| `x` | y |", [".TP", "\\fBx\\fR", "y"]),
        ("| a | b | c |\n|---|---|---|\n| `x` | y | z |", [".TP", "\\fBx\\fR", "b: y", ".br", "c: z"]),
        ("one\n\ntwo", ["one", ".PP", "two"]),
        ("```\na  b\n```", [".PP", ".nf", ".RS 4", "a  b", ".RE", ".fi"]),
    ],
)
def test_markdown_becomes_roff(source: str, lines: list[str]) -> None:
    assert list(markdown.body(source)) == lines


def test_headings_inside_fences_are_none() -> None:
    assert list(markdown.sections("# A\none\n```\n# no\n```\n## B\ntwo\n")) == [(1, "A", "one\n```\n# no\n```"), (2, "B", "two")]


def test_mandoc_has_no_complaint() -> None:
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "all", *map(str, FILES)], capture_output=True, text=True, check=False)
    assert done.stdout + done.stderr == ""
    assert done.returncode == 0


def test_groff_has_no_complaint() -> None:
    for file in FILES:
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", str(file)], capture_output=True, text=True, check=True)
        assert done.stderr == "", file.name
