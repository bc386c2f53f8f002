"""xterm.js, the terminal that others take as the reference: what is on its screen after some input."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import msgspec

from tests.harness.pi import ROOT, node

PROGRAM: Final = ROOT / "tools" / "xterm" / "screens.mjs"


class Run(msgspec.Struct, array_like=True, frozen=True):
    """Neighbouring cells of a row that look the same. What nothing was written to is blank and plain."""

    text: str
    attributes: tuple[str, ...]
    """Of bold, dim, italic, underline, reverse, conceal and strikethrough."""
    colour: int
    """As in `sanitize.pens`: -1, an index, or 256 plus 0xRRGGBB."""
    link: str | None


Screen = tuple[tuple[Run, ...], ...]
"""All rows, from the top."""


class Answer(msgspec.Struct, frozen=True):
    """What the program answers: `screens` has one for each input."""

    screens: tuple[Screen, ...] = ()
    nanoseconds: int = 0
    """What it took to parse the inputs and to read the rows."""
    error: str = ""
    """What xterm.js threw, in which case there is nothing else."""


class XtermError(Exception):
    """xterm.js has a bug, and told so with an exception."""


class Xterm:
    """A Node process that gives a new terminal to each input."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process: Final = process

    def screens(self, inputs: Sequence[str], columns: int, rows: int) -> Answer:
        """The screen after each of the inputs, which hold no lone surrogate. Raises XtermError."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(msgspec.json.encode({"inputs": inputs, "cols": columns, "rows": rows}) + b"\n")
        self._process.stdin.flush()
        answer = msgspec.json.decode(self._process.stdout.readline(), type=Answer)
        if answer.error:
            raise XtermError(answer.error)
        return answer

    def screen(self, text: str, columns: int, rows: int) -> Screen:
        """The screen after the text."""
        return self.screens([text], columns, rows).screens[0]


@contextmanager
def xterm() -> Iterator[Xterm]:
    """Raises FileNotFoundError when it was not set up."""
    if not (PROGRAM.parent / "node_modules").exists():
        raise FileNotFoundError("there is no xterm.js yet: run python3 tools/setup.py xterm")
    with subprocess.Popen([str(node()), str(PROGRAM)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Xterm(process)
