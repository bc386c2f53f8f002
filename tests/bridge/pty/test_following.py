"""Promise: a follower gets all that Pi wrote, in order, and can be slow, broken or dead without a person noticing."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import pytest

from bridge.pty.size import Size
from bridge.pty.worker import FEED_SECONDS
from tests.bridge.pty.outside import PYTHON, Outside, children, outside, soon
from tests.bridge.pty.programs import program

# What `wrap.py` does, with a follower that behaves as its name says and notes what it was told.
FOLLOWED = """
import json, os, sys
from bridge.pty.fate import share
from bridge.pty.guard import run
from bridge.pty.outer import open_outer

class Feed:
    def __init__(self, child):
        self.told = {"pid": child.pid, "size": [child.size.columns, child.size.rows], "offered": "", "resized": [], "flushes": 0}
        self.waiting = False
        self.reading, self.writing = os.pipe()
        os.set_blocking(self.writing, False)
        if kind == "dead": os.close(self.reading)
        if kind == "mortal": os.posix_spawn("/bin/true", ["true"], {})
        if kind == "slow": os.write(self.writing, bytes(65536))
    @property
    def wanting(self): return self.waiting or kind == "hungry"
    def fileno(self): return self.writing
    def offer(self, data): self.told["offered"] += data.decode("latin-1"); self.waiting = True
    def resized(self, columns, rows): self.told["resized"].append([columns, rows])
    def flush(self): self.told["flushes"] += 1; self.waiting = False
    def close(self): open(note, "w").write(json.dumps(self.told))

def follow(child):
    if kind == "broken": raise OSError("no process can be made")
    return Feed(child)

kind, note, *argv = sys.argv[1:]
share(run(argv, open_outer(), follow).status)
"""

TALKING = program("raw(); say(b'ready;')\nwhile (key := os.read(0, 1)) != b'q': say(key.hex().encode() + b';')")


def followed(kind: str, note: Path) -> tuple[str, ...]:
    return (sys.executable, "-P", "-c", FOLLOWED, kind, str(note), *PYTHON, TALKING)


def talk(terminal: Outside) -> None:
    terminal.until(b"ready;")
    for key in b"abc":
        terminal.type(bytes([key]))
        terminal.until(b"%02x;" % key)


@pytest.mark.parametrize("kind", ["quick", "slow", "hungry", "dead", "broken"])
def test_a_person_notices_nothing_of_the_follower(kind: str, tmp_path: Path) -> None:
    with outside(*followed(kind, tmp_path / "note"), size=Size(30, 100)) as terminal:
        talk(terminal)
        terminal.type(b"q")
        assert terminal.ended() == 0
        assert terminal.output == b"ready;61;62;63;"


def test_it_is_told_everything_a_little_later(tmp_path: Path) -> None:
    note = tmp_path / "note"
    with outside(*followed("quick", note), size=Size(30, 100)) as terminal:
        talk(terminal)
        pi = terminal.pi()
        terminal.resize(Size(40, 120))
        terminal.read(0.3)
        terminal.type(b"q")
        assert terminal.ended() == 0
    told = json.loads(note.read_text())
    assert (told["pid"], told["size"], told["resized"]) == (pi, [100, 30], [[120, 40]])
    assert told["offered"] == "ready;61;62;63;"
    assert 1 <= told["flushes"] <= 5


def test_one_that_always_wants_more_gets_its_turn_fifty_times_a_second(tmp_path: Path) -> None:
    note = tmp_path / "note"
    with outside(*followed("hungry", note)) as terminal:
        begun = time.monotonic()
        talk(terminal)
        assert terminal.read(0.5) == b""
        terminal.type(b"q")
        assert terminal.ended() == 0
        turns = (time.monotonic() - begun) / FEED_SECONDS
    assert 5 < json.loads(note.read_text())["flushes"] <= turns + 1


def test_one_that_ends_leaves_no_zombie(tmp_path: Path) -> None:
    with outside(*followed("mortal", tmp_path / "note")) as terminal:
        talk(terminal)
        worker = terminal.worker()
        soon(lambda: not children(worker))
        terminal.type(b"q")
        assert terminal.ended() == 0


def test_of_a_dead_one_nothing_more_is_wanted(tmp_path: Path) -> None:
    note = tmp_path / "note"
    with outside(*followed("dead", note)) as terminal:
        terminal.until(b"ready;")
        terminal.until_holds(note.exists, "the feed is not closed")
        talk(terminal)
        terminal.type(b"q")
        assert terminal.ended() == 0
