"""Promise: it is told what a typed line means before anything is sent: no answer becomes a message, no message a command by accident."""

from __future__ import annotations

import pytest

from mirrord.attach.ask import Explain
from mirrord.attach.say import HELP_LINES, Do, Said, Say, read_line


def read(line: str, *, for_prompt: bool = False, at_desk: bool = True, working: bool = False) -> Said | None:
    return read_line(line, for_prompt=for_prompt, at_desk=at_desk, working=working)


@pytest.mark.parametrize(
    ("line", "working", "said"),
    [
        ("Plant tulips", False, Say("prompt", "Plant tulips", plain=True)),
        ("north first", True, Say("steer", "north first", plain=True)),
        ("/steer north first", False, Say("steer", "north first")),
        ("/follow then the roses", True, Say("follow_up", "then the roses")),
        ("/say /home/ada is full", False, Say("prompt", "/home/ada is full", plain=True)),
        ("/say no", True, Say("steer", "no", plain=True)),
        ("/compact keep the beds", True, Say("command", "/compact keep the beds")),
        ("!ls -l", False, Say("bash", "ls -l")),
        ("!!env", False, Say("bash", "env", excluded=True)),
        ("/older", True, Do("older")),
        (" /retry ", False, Do("retry")),
        ("/discard", False, Do("discard")),
        ("/help", False, Do("help")),
        ("/help me", False, Say("command", "/help me")),
        ("/stop", True, None),
        ("/show", False, None),
    ],
)
def test_a_line_that_answers_no_prompt(line: str, working: bool, said: Said | None) -> None:
    assert read(line, working=working) == said


@pytest.mark.parametrize("line", ["", "  ", "/steer", "/follow  ", "/say", "!", "!! "])
def test_what_holds_nothing_is_explained(line: str) -> None:
    assert isinstance(read(line), Explain)


@pytest.mark.parametrize("line", ["2", "y", "/home/ada", "/compact", "!ls", "", "/keep", "/cancel", "/stop", "/more"])
def test_a_line_that_was_begun_for_a_prompt_is_its_answer(line: str) -> None:
    assert read(line, for_prompt=True) is None


def test_words_of_ours_count_whatever_is_on_screen() -> None:
    assert read("/steer north", for_prompt=True) == Say("steer", "north")
    assert read("/older", for_prompt=True) == Do("older")


@pytest.mark.parametrize("line", ["y", "/compact", "!rm -r ."])
def test_of_a_pipe_only_words_of_ours_are_sent(line: str) -> None:
    assert isinstance(read(line, at_desk=False), Explain)
    assert read(f"/say {line}", at_desk=False) == Say("prompt", line, plain=True)


def test_help_names_every_word_and_fits_a_screen() -> None:
    told = "\n".join(HELP_LINES)
    assert all(f"/{word}" in told for word in ("steer", "follow", "say", "stop", "older", "retry", "discard"))
    assert max(map(len, HELP_LINES)) <= 100
