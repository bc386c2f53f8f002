"""Small programs that behave as Pi does towards its terminal, each in what its test needs."""

from __future__ import annotations

from typing import Final

_TWO_WAYS: Final = ["?1049", "?1000", "?1002", "?1003", "?1004", "?1006", "?2004", "?2031"]
MODES_ON: Final = ("".join(f"\x1b[{mode}h" for mode in _TWO_WAYS) + "\x1b[?7l\x1b[>7u\x1b[>4;2m\x1b[?25l").encode()
"""As Pi 1.6.0 begins in a terminal with everything."""
MODES_OFF: Final = ("\x1b[<u\x1b[>4;0m\x1b[?7h\x1b[?25h" + "".join(f"\x1b[{mode}l" for mode in reversed(_TWO_WAYS))).encode()

_BEGIN: Final = f"""
import os, signal, sys, termios, time
ON, OFF = {MODES_ON!r}, {MODES_OFF!r}
def say(data): os.write(1, data)
def all(data):
    while data: data = data[os.write(1, data):]
before = termios.tcgetattr(0)
def raw():
    a = termios.tcgetattr(0)
    a[0] &= ~(termios.BRKINT | termios.ICRNL | termios.INPCK | termios.ISTRIP | termios.IXON)
    a[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
    termios.tcsetattr(0, termios.TCSADRAIN, a)
def bare():
    a = termios.tcgetattr(0); a[1] &= ~termios.OPOST; termios.tcsetattr(0, termios.TCSADRAIN, a)
    raw()
def cooked(): termios.tcsetattr(0, termios.TCSADRAIN, before)
"""

RESTLESS: Final = (
    _BEGIN
    + """
raw()
say(ON + b"ready")
while True:
    say(b"\\x1b[?2026h\\x1b[?25h\\x1b]8;;https://example.org\\x1b\\\\text\\x1b]8;;\\x1b\\\\\\x1b[31m...\\x1b[?25l\\x1b[?2026l")
    say(OFF)
    say(ON)
"""
)
"""Switches everything on and off without a pause."""

TUI: Final = (
    _BEGIN
    + """
def suspend():
    say(OFF); cooked()
    signal.signal(signal.SIGCONT, lambda *_: resume())
    os.kill(0, signal.SIGTSTP)
def resume():
    signal.signal(signal.SIGCONT, signal.SIG_DFL)
    raw(); say(ON + b"again " + b"%d %d;" % tuple(os.get_terminal_size()))
raw()
say(ON + b"ready")
while True:
    key = os.read(0, 1)
    if key == b"\\x1a": suspend()
    elif key == b"q": break
    elif not key: os._exit(129)
    else: say(b"key " + key.hex().encode() + b";")
say(OFF); cooked()
"""
)
"""Tells which keys come, stops itself on Ctrl+Z as Pi does, ends on q, and with 129 when its terminal is gone."""

STUBBORN: Final = (
    _BEGIN
    + """
for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
raw(); say(ON + b"ready")
while True: time.sleep(60)
"""
)
"""Ends by SIGKILL alone."""


def program(body: str) -> str:
    """The text of a program with `say`, `all`, `raw`, `bare` (raw, and output is not processed either), `cooked`, `ON` and `OFF`."""
    return _BEGIN + body
