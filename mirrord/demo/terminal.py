"""Run an interactive program in a terminal of our own: type into it, wait for what it shows.

For the demo and for tests with the real Pi. Blocking; in async code call it in a worker thread.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from bridge.process import look
from mirrord.demo.screen import Screen, Snapshot

READ_SIZE = 65536
# Pi takes an escape and a key that follow within 10 ms for Alt and the key, and waits 500 ms for a second escape.
PAUSE_AFTER_ESCAPE = 0.12
# How long a program may take to end after SIGHUP, and again after SIGTERM.
GRACE = 3.0
# How long output may still arrive after the program ended: a grandchild may hold the terminal open for ever.
LAST_OUTPUT = 0.5

# How long a wait goes on unless told otherwise, in seconds: what takes a tenth of one takes ten where several Pis share a core.
PATIENCE = 30.0
# How often `settle` looks whether the program computes, in seconds: some times in the shortest quiet time that is asked for.
LOOK = 0.02

# Pi's spinner is one Braille character.
SPINNER = re.compile("[\u2800-\u28ff]")

RUNNABLE = "R"
"""The state in proc_pid_stat(5) of what runs or waits for a core."""

KEYS: Mapping[str, str] = {
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "backspace": "\x7f",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
}

# The child makes its standard input its controlling terminal, then becomes the program. A fork in this process would
# copy locks that other threads hold.
_LAUNCH = "import fcntl,os,sys,termios; fcntl.ioctl(0,termios.TIOCSCTTY,0); os.execvp(sys.argv[1],sys.argv[1:])"

Wanted = str | re.Pattern[str] | Callable[[str], bool]


class NotShown(TimeoutError):
    """The screen did not come to show what was waited for; the message holds the screen."""


def key_bytes(key: str) -> bytes:
    """A name of KEYS, `ctrl+x`, `alt+x` or `ctrl+alt+x` as a terminal without keyboard protocols sends it."""
    if key in KEYS:
        return KEYS[key].encode()
    *modifiers, letter = key.split("+")
    if len(letter) != 1 or not set(modifiers) <= {"ctrl", "alt"} or not modifiers:
        raise ValueError(f"no key is called {key!r}")
    code = bytes([ord(letter.upper()) & 0x1F]) if "ctrl" in modifiers else letter.encode()
    return b"\x1b" + code if "alt" in modifiers else code


def matcher(wanted: Wanted) -> Callable[[str], bool]:
    """A string must be on the screen as it is; a pattern is searched, with ^ and $ at each row."""
    if isinstance(wanted, str):
        return lambda text: wanted in text
    if isinstance(wanted, re.Pattern):
        return lambda text: wanted.search(text) is not None
    return wanted


class Terminal:
    """A program that runs in a terminal, and the terminal's screen. A context manager that ends the program."""

    def __init__(
        self,
        argv: Sequence[str | Path],
        *,
        env: Mapping[str, str],
        cwd: Path,
        columns: int = 100,
        rows: int = 30,
    ) -> None:
        self._screen = Screen(columns, rows)
        self._output = bytearray()
        self._last_seen = ""
        self._last_change = time.monotonic()
        self._changed = threading.Condition()
        self._ended = threading.Event()
        self._master, slave = pty.openpty()
        # A byte here ends the reader, even when a grandchild still holds the terminal open.
        self._stop, self._stopper = os.pipe()
        self._set_size(columns, rows)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-IS", "-c", _LAUNCH, *map(str, argv)],
                stdin=slave,
                stdout=slave,
                stderr=slave,
                env=dict(env),
                cwd=cwd,
                start_new_session=True,
            )
        except BaseException:
            self._close_files()
            raise
        finally:
            os.close(slave)
        self._reader = threading.Thread(target=self._read, name=f"terminal of {self._process.pid}", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def screen_text(self) -> str:
        """The rows as shown now, without trailing spaces."""
        with self._changed:
            return self._screen.text()

    def history_text(self) -> str:
        """The rows that left the normal screen at the top, then the rows as shown now."""
        with self._changed:
            return "\n".join([*self._screen.scrollback, self._screen.text()])

    def snapshot(self) -> Snapshot:
        """What a person sees now, with colours, cursor and title."""
        with self._changed:
            return self._screen.snapshot()

    def output(self, since: int = 0) -> bytes:
        """What the program wrote, from that byte on."""
        with self._changed:
            return bytes(self._output[since:])

    def send(self, text: str | bytes) -> None:
        """The text as it is, in one write. The keys of a line are the text and a carriage return."""
        data = memoryview(text.encode() if isinstance(text, str) else text)
        while data:
            data = data[os.write(self._master, data) :]

    def line(self, text: str) -> None:
        """The text and Enter."""
        self.send(text + "\r")

    def keys(self, *keys: str) -> None:
        """Keys by name, see `key_bytes`; waits after an escape so that it is not read as Alt."""
        for key in keys:
            self.send(key_bytes(key))
            if key == "escape":
                self._ended.wait(PAUSE_AFTER_ESCAPE)

    def resize(self, columns: int, rows: int) -> None:
        with self._changed:
            self._screen.resize(columns, rows)
        self._set_size(columns, rows)

    def wait_for(self, wanted: Wanted, timeout: float = PATIENCE) -> str:
        """The screen's text once it shows what is wanted; NotShown when that takes longer, or the program ends first."""
        return self._wait(matcher(wanted), timeout, f"{wanted!r} was not shown")

    def wait_gone(self, unwanted: Wanted, timeout: float = PATIENCE) -> str:
        """The screen's text once it no longer shows this; NotShown as with `wait_for`."""
        test = matcher(unwanted)
        return self._wait(lambda text: not test(text), timeout, f"{unwanted!r} is still shown")

    def settle(self, quiet: float = 0.15, timeout: float = PATIENCE) -> str:
        """The screen's text once text and cursor, but for spinners, stayed the same for `quiet` seconds, else NotShown.

        Where Linux tells it, the time in which the program computed or waited for a core does not count: on a busy
        machine a screen that stands still may be one that is about to change.
        """
        # The quiet time starts with the call: what was just typed has had no answer yet.
        start = worked = time.monotonic()
        with self._changed:
            while not self._ended.is_set():
                now = time.monotonic()
                shown = max(start, self._last_change) + quiet - now
                if shown <= 0 and not self._screen.in_frame and (worked + quiet <= now or now - start > timeout):
                    break
                if now - start > timeout:
                    raise NotShown(f"the screen still changes after {timeout} s\n{framed(self._screen.text())}")
                self._changed.wait(LOOK)
                if self._computes():
                    worked = time.monotonic()
            return self._screen.text()

    def _computes(self) -> bool:
        """Whether the program's main thread runs or would if it had a core; False where nobody tells without a process of its own."""
        info = look(self.pid) if sys.platform == "linux" else None
        return info is not None and info.state == RUNNABLE

    def _wait(self, test: Callable[[str], bool], timeout: float, failure: str) -> str:
        with self._changed:

            def holds() -> bool:
                # Between the marks of a synchronized update the screen is half drawn.
                return not self._screen.in_frame and test(self._screen.text())

            self._changed.wait_for(lambda: holds() or self._ended.is_set(), timeout)
            text = self._screen.text()
            if test(text):
                return text
        when = f"the program ended ({self.wait_exit()})" if self._ended.is_set() else f"after {timeout} s"
        raise NotShown(f"{failure}; {when}\n{framed(text)}")

    def wait_exit(self, timeout: float = PATIENCE) -> int:
        """The exit code, negative for a signal; NotShown when the program does not end."""
        try:
            code = self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise NotShown(f"the program did not end within {timeout} s\n{framed(self.screen_text())}") from None
        self._reader.join(LAST_OUTPUT)
        return code

    def close(self) -> int:
        """Ends the program as a closed terminal window does, by force if it must; gives the exit code."""
        for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGKILL):
            if not self.alive:
                break
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)
                # A stopped process takes no signal but SIGKILL until it goes on.
                os.killpg(self.pid, signal.SIGCONT)
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
        code = self._process.wait()
        self._reader.join(LAST_OUTPUT)
        self.hang_up()
        return code

    def hang_up(self) -> None:
        """The terminal goes, as when its window is closed; the program is told by the system and may live on."""
        if self._master >= 0:
            os.write(self._stopper, b"x")
            self._reader.join()
            self._close_files()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _close_files(self) -> None:
        for descriptor in (self._master, self._stop, self._stopper):
            os.close(descriptor)
        self._master = -1

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def _read(self) -> None:
        poll = select.poll()
        poll.register(self._master, select.POLLIN)
        poll.register(self._stop, select.POLLIN)
        while True:
            ready = {descriptor for descriptor, _ in poll.poll()}
            data = b""
            if self._stop not in ready:
                # Linux reports an error when the last writer is gone.
                with suppress(OSError):
                    data = os.read(self._master, READ_SIZE)
            with self._changed:
                if data:
                    self._output += data
                    self._screen.feed(data)
                    self._note_change()
                else:
                    self._ended.set()
                self._changed.notify_all()
            if not data:
                return

    def _note_change(self) -> None:
        """Only what can be seen counts as a change, and a turning spinner does not: it turns while a dialog waits."""
        seen = SPINNER.sub("", f"{self._screen.text()}\n{self._screen.cursor}")
        if seen != self._last_seen:
            self._last_seen = seen
            self._last_change = time.monotonic()


def framed(text: str) -> str:
    """The screen in a frame, for a failure message."""
    rows = text.rstrip("\n").split("\n")
    width = max(20, *map(len, rows))
    bar = "─" * width
    return "\n".join([f"┌{bar}┐", *(f"│{row.ljust(width)}│" for row in rows), f"└{bar}┘"])
