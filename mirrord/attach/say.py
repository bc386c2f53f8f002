"""What a typed line means for a conversation. Pure: nothing is sent from here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from mirrord.attach.ask import Explain
from mirrord.wire.chat import SubmitKind

SAY: Final = "/say"
STEER: Final = "/steer"
FOLLOW: Final = "/follow"
OLDER: Final = "/older"
RETRY: Final = "/retry"
DISCARD: Final = "/discard"
HELP: Final = "/help"
STOP: Final = "/stop"
SHOW: Final = "/show"
BASH: Final = "!"
ASIDE: Final = "!!"

NOT_ASKED: Final = f"Nothing was asked when you began to type; the line was not sent. {SAY} TEXT sends it to Pi."

HELP_LINES: Final = (
    "A line that answers no prompt goes to Pi: as a prompt, or while Pi works as a message that steers.",
    f"  {STEER} TEXT   steers the turn that runs       {FOLLOW} TEXT   is for when the turn is done",
    f"  {SAY} TEXT     goes whatever is on screen      {STOP}          stops the turn",
    f"  {OLDER}        shows earlier messages          {RETRY}         sends again what failed",
    f"  {DISCARD}      gives up what failed            {SHOW}          prints what extensions show",
    f"  {BASH}COMMAND      runs in Pi's shell ({ASIDE}: aside)",
    "  /NAME ...     is a command of Pi's, where this Pi can run it from afar; Ctrl+C leaves",
)


@dataclass(frozen=True, slots=True)
class Say:
    """Send this. `plain`: its kind follows from whether Pi works."""

    kind: SubmitKind
    text: str
    excluded: bool = False
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Do:
    """Something to be done here: `older`, `retry`, `discard`, `help`."""

    what: str


Said = Say | Do | Explain


def read_line(line: str, *, for_prompt: bool, at_desk: bool, working: bool) -> Said | None:
    """The meaning of a line; None when it is for the prompts.

    `for_prompt`: a prompt was on screen when it was begun. `at_desk`: it was typed in a terminal; lines of a pipe were written before
    anybody could know what is asked, so that of these only what begins with a word of ours is sent. `working`: a turn runs.
    """
    trimmed = line.strip()
    word, _, rest = trimmed.partition(" ")
    match word:
        case "/steer" | "/follow" | "/say":
            if not rest.strip():
                return Explain(f"Write the text behind {word}. Nothing was sent.")
            if word == SAY:
                return _plain(rest.strip(), working)
            return Say("steer" if word == STEER else "follow_up", rest.strip())
        case "/older" | "/retry" | "/discard" | "/help" if not rest:
            return Do(word.removeprefix("/"))
        case "/stop" | "/show" if not rest:
            return None
    if for_prompt:
        return None
    if not at_desk:
        return Explain(NOT_ASKED)
    if not trimmed:
        return Explain("An empty line is not sent.")
    if trimmed.startswith(ASIDE):
        return _bash(trimmed.removeprefix(ASIDE).strip(), excluded=True)
    if trimmed.startswith(BASH):
        return _bash(trimmed.removeprefix(BASH).strip(), excluded=False)
    if trimmed.startswith("/"):
        return Say("command", trimmed)
    return _plain(line, working)


def plain_kind(working: bool) -> SubmitKind:
    """How a text goes that says nothing about it."""
    return "steer" if working else "prompt"


def _plain(text: str, working: bool) -> Say:
    return Say(plain_kind(working), text, plain=True)


def _bash(command: str, *, excluded: bool) -> Said:
    if not command:
        return Explain("There is no command behind it. Nothing was sent.")
    return Say("bash", command, excluded=excluded)
