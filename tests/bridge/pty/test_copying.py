"""Promise: between the person's terminal and Pi's not a byte is lost or changed, however much comes and however slowly it is taken."""

from __future__ import annotations

import hashlib
import os
import random
import re
from pathlib import Path

import pytest

from bridge.pty.size import Size
from tests.bridge.pty.outside import PYTHON, outside, soon, wrapped
from tests.bridge.pty.programs import program

EVERY_BYTE = bytes(range(256))

LAST_WORDS = 200

FLOOD = """
import hashlib
line = b"".join(b"%d the quick brown fox\\r\\n" % number for number in range(4000))
bare()
say(b"go;")
sent = 0; digest = hashlib.sha256()
while sent < 50_000_000:
    all(line); sent += len(line); digest.update(line)
say(b"\\x1b]end;%d;%s\\x07" % (sent, digest.hexdigest().encode()))
"""


def test_a_flood_of_50_megabytes_arrives_whole() -> None:
    with wrapped(*PYTHON, program(FLOOD)) as terminal:
        begin = terminal.until(b"go;")
        digest, received, tail = hashlib.sha256(), 0, bytes(terminal.output[begin:])
        while not tail.endswith(b"\x07"):
            # The last words may be cut anywhere.
            digest.update(tail[:-LAST_WORDS])
            received += len(tail[:-LAST_WORDS])
            tail = tail[-LAST_WORDS:]
            terminal.output.clear()
            data = terminal.read()
            assert data, f"nothing more came after {received} bytes"
            tail += data
        rest, _, end = tail.partition(b"\x1b]end;")
        digest.update(rest)
        assert end == b"%d;%s\x07" % (received + len(rest), digest.hexdigest().encode())
        assert terminal.ended() == 0


def test_a_paste_of_a_megabyte_arrives_whole() -> None:
    paste = random.Random(6).randbytes(1 << 20)
    text = program(f"""
import hashlib
raw(); say(b"ready")
digest = hashlib.sha256(); left = {len(paste)}
while left:
    data = os.read(0, 65536); digest.update(data); left -= len(data)
say(digest.hexdigest().encode())
""")
    with wrapped(*PYTHON, text) as terminal:
        terminal.until(b"ready")
        terminal.type(paste)
        terminal.until(hashlib.sha256(paste).hexdigest().encode())


def test_both_directions_are_full_at_once_and_none_waits_for_the_other() -> None:
    data = random.Random(7).randbytes(1 << 19)
    with wrapped(*PYTHON, program('bare(); say(b"ready;")\nwhile data := os.read(0, 65536): all(data)')) as terminal:
        begin = terminal.until(b"ready;")
        terminal.type(data)
        terminal.until_holds(lambda: len(terminal.output) - begin >= len(data), "the echo is not complete")
        assert terminal.output[begin:] == data


def test_every_byte_passes_as_it_is() -> None:
    with wrapped(
        *PYTHON, program('raw(); say(b"ready;" + bytes(range(256)))\nwhile True: say(b"<" + os.read(0, 1).hex().encode() + b">")')
    ) as terminal:
        begin = terminal.until(b"ready;")
        terminal.until(b"\xff", since=begin)
        # Output of a program in raw mode is still processed, in one place: a line feed gets its carriage return.
        assert terminal.output[begin:] == EVERY_BYTE.replace(b"\n", b"\r\n")
        begin = len(terminal.output)
        terminal.type(EVERY_BYTE)
        terminal.until(b"<ff>", since=begin)
        assert terminal.output[begin:] == b"".join(b"<%02x>" % byte for byte in EVERY_BYTE)


@pytest.mark.parametrize("text", ["plain", "tab\there", "line\nline\r\nline", "\x1b[31mred"])
def test_what_a_line_editing_program_writes_is_as_without_us(text: str) -> None:
    shown = []
    for run in (outside, wrapped):
        with run(*PYTHON, program(f"say({text.encode()!r}); name = input('name? '); print('hello', name)")) as terminal:
            terminal.until(b"name? ")
            terminal.type(b"Adb\x7fa\r")
            assert terminal.ended() == 0
            shown.append(bytes(terminal.output))
    assert shown[0] == shown[1]


def test_a_stopped_terminal_stops_the_program_and_loses_nothing() -> None:
    """Ctrl+S and Ctrl+Q in a program that leaves them to the terminal."""
    text = program("""
silent = before[:]; silent[3] &= ~termios.ECHO
termios.tcsetattr(0, termios.TCSADRAIN, silent)
say(b"ready;")
for number in range(40000): say(b"%d\\n" % number)
say(b"end;" + os.read(0, 10))
""")
    with wrapped(*PYTHON, text) as terminal:
        begin = terminal.until(b"ready;")
        terminal.type(b"\x13")
        while terminal.read(0.3):
            pass
        stopped_at = len(terminal.output)
        terminal.type(b"x\r")
        assert terminal.read(0.3) == b""
        terminal.type(b"\x11")
        terminal.until(b"end;x\n".replace(b"\n", b"\r\n"))
        lines = re.findall(rb"\d+(?=\r\n)", bytes(terminal.output[begin:]))
        assert [int(line) for line in lines] == list(range(40000))
        assert stopped_at < len(terminal.output) - 1000


def test_keys_reach_the_program_while_the_terminal_reads_nothing(tmp_path: Path) -> None:
    """Output is held up, input is not: else Ctrl+C could not end a flood."""
    text = program("""
raw(); say(b"ready;")
os.set_blocking(1, False)
blocked = 0
while blocked < 20:
    try: os.write(1, b"x" * 4096)
    except BlockingIOError: blocked += 1; time.sleep(0.01)
os.set_blocking(1, True)
open(sys.argv[1], "w").write("full")
key = os.read(0, 1)
open(sys.argv[1], "w").write(f"key {key.hex()}")
""")
    note = tmp_path / "note"
    with wrapped(*PYTHON, text, str(note)) as terminal:
        terminal.until(b"ready;")
        soon(lambda: note.exists() and note.read_text() == "full")
        os.write(terminal.master, b"k")
        soon(lambda: note.read_text() == "key 6b")
        assert terminal.ended() == 0


def test_the_program_finds_the_terminal_as_it_was() -> None:
    text = """
import fcntl, os, struct, termios
print(termios.tcgetattr(0), struct.unpack('4H', fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))))
print(sorted(os.environ.items()), sorted(os.listdir('/proc/self/fd')), os.getcwd())
print(os.getpgrp() == os.getpid() == os.tcgetpgrp(0), [os.isatty(n) for n in (0, 1, 2)])
"""
    seen = []
    for run in (outside, wrapped):
        with run(*PYTHON, text, size=Size(41, 97, 970, 820)) as terminal:
            assert terminal.ended() == 0
            seen.append(bytes(terminal.output))
    assert seen[0] == seen[1]
    assert b"(41, 97, 970, 820)" in seen[0]


def test_errors_go_where_the_person_sent_them(tmp_path: Path) -> None:
    with (
        (tmp_path / "errors").open("wb") as errors,
        wrapped(*PYTHON, "import sys; print('out'); print('err', file=sys.stderr)", stderr=errors.fileno()) as terminal,
    ):
        assert terminal.ended() == 0
        assert terminal.output == b"out\r\n"
    assert (tmp_path / "errors").read_bytes() == b"err\n"
