"""Promise: our options come first, and every other word reaches Pi unchanged and in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from mirrord.cli.pi_arguments import shows_a_terminal, split, with_extension


@pytest.mark.parametrize(
    ("words", "own", "pis"),
    [
        ([], [], []),
        (["hello"], [], ["hello"]),
        (["--pi", "/x/pi", "--model", "m"], ["--pi", "/x/pi"], ["--model", "m"]),
        (["--pi=/x/pi", "-c"], ["--pi=/x/pi"], ["-c"]),
        (["--pi"], ["--pi"], []),
        (["--model", "m", "--pi", "/x/pi"], [], ["--model", "m", "--pi", "/x/pi"]),
        (["--help"], ["--help"], []),
        (["--", "--help"], [], ["--help"]),
        (["--", "--pi", "x"], [], ["--pi", "x"]),
        (["--", "--", "- a list"], [], ["--", "- a list"]),
        (["-p", "--", "- a list"], [], ["-p", "--", "- a list"]),
        (["--no-pair", "--pi=/x/pi", "-c", "--no-pair"], ["--no-pair", "--pi=/x/pi"], ["-c", "--no-pair"]),
        (["--pi", "/x/pi", "--", "--help"], ["--pi", "/x/pi"], ["--help"]),
        (["--share-screen", "-c"], ["--share-screen"], ["-c"]),
        (["--pip", "x"], [], ["--pip", "x"]),
        (["-ex", "y"], [], ["-ex", "y"]),
    ],
)
def test_our_options_are_taken_from_the_front_only(words: list[str], own: list[str], pis: list[str]) -> None:
    assert split(words) == (own, pis)


@pytest.mark.parametrize(
    ("arguments", "shows"),
    [
        ([], True),
        (["fix the tests"], True),
        (["--model", "m", "-c"], True),
        (["install", "npm:x"], False),
        (["mcp", "list"], False),
        (["please", "install", "it"], True),
        (["-p", "hello"], False),
        (["--mode", "rpc"], False),
        (["--version"], False),
        (["--", "-p"], True),
    ],
)
def test_only_a_pi_that_holds_a_conversation_is_mirrored(arguments: list[str], shows: bool) -> None:
    assert shows_a_terminal(arguments) is shows


def test_the_extension_is_loaded_first_and_only_once() -> None:
    entry = Path("/data/extension/mirrord/index.ts")
    assert with_extension(["-c"], entry, configured=False) == ["-e", str(entry), "-c"]
    assert with_extension(["-c"], entry, configured=True) == ["-c"]
    assert with_extension(["-ne"], entry, configured=True) == ["-e", str(entry), "-ne"]
