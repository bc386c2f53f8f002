"""bash with job control in a terminal, as a person uses it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from bridge.pty.size import Size
from tests.bridge.pty.outside import Outside, children, outside

PROMPT = b"shell> "


class Shell:
    """bash with job control; `job` is the process that it started."""

    def __init__(self, terminal: Outside) -> None:
        self.terminal = terminal
        self.position = terminal.until(PROMPT)

    def run(self, line: str, until: bytes = PROMPT) -> bytes:
        """What comes after the line was typed, up to `until`."""
        begin = len(self.terminal.output)
        self.terminal.type(line.encode() + b"\r")
        # The line itself is echoed first.
        begin = self.terminal.until(line.encode() + b"\r\n", since=begin)
        return bytes(self.terminal.output[begin : self.terminal.until(until, since=begin)])

    def keys(self, keys: bytes, until: bytes) -> bytes:
        begin = len(self.terminal.output)
        self.terminal.type(keys)
        return bytes(self.terminal.output[begin : self.terminal.until(until, since=begin)])

    @property
    def job(self) -> int:
        return children(self.terminal.pid)[0]

    def inside(self, leader: bool) -> int:
        """The leader, or what it leads."""
        found = next(pid for pid in children(self.job) if os.getpgid(pid) != self.job)
        return found if leader else children(found)[0]

    def attributes(self) -> str:
        """As `stty` tells them; readline's own are never seen by a program."""
        return self.run("stty -g").decode()


@contextmanager
def shell(size: Size | None = None, env: Mapping[str, str] | None = None) -> Iterator[Shell]:
    """A shell that takes its first line."""
    bash = shutil.which("bash")
    assert bash is not None
    with outside(bash, "--norc", "--noprofile", "-i", env={**(env or {}), "PS1": PROMPT.decode(), "HISTFILE": ""}, size=size) as terminal:
        shell = Shell(terminal)
        # A prompt without modes of its own, so that what is on is Pi's.
        shell.run("bind 'set enable-bracketed-paste off'")
        yield shell
