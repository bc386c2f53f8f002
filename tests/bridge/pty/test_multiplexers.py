"""Promise: inside tmux and inside GNU screen it is as in any terminal. Skipped where they are not installed."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bridge.pty.size import Size
from tests.bridge.pty.outside import PYTHON, WRAP, Outside, outside
from tests.bridge.pty.programs import program

SIZES = """
def told(*_): all(b"<%d %d>\\r\\n" % tuple(os.get_terminal_size()))
signal.signal(signal.SIGWINCH, told)
raw(); say(b"\\x1b[?1049h\\x1b[?2004h"); told()
while (key := os.read(0, 1)) != b"q": say(b"[key %s]" % key.hex().encode())
say(b"\\x1b[?2004l\\x1b[?1049l"); cooked()
"""


@contextmanager
def multiplexer(name: str, folder: Path) -> Iterator[Outside]:
    """It shows our wrapper with a program, then `status N`, and ends."""
    found = shutil.which(name)
    assert found is not None, f"{name} is not installed: tools/setup.py programs"
    script = folder / "program.py"
    script.write_text(program(SIZES))
    inner = f"{shlex.join([*WRAP, *PYTHON[:-1], str(script)])}; echo status $?; read line"
    env = {"HOME": str(folder), "SCREENDIR": str(folder), "SHELL": "/bin/sh", "TMUX_TMPDIR": str(folder)}
    folder.chmod(0o700)
    words = {
        "tmux": [found, "-f", os.devnull, "-L", "test", "new-session", "/bin/sh", "-c", inner],
        "screen": [found, "-c", os.devnull, "-S", "test", "/bin/sh", "-c", inner],
    }[name]
    with outside(*words, env=env, size=Size(24, 80)) as terminal:
        try:
            yield terminal
        finally:
            end = {"tmux": [found, "-L", "test", "kill-server"], "screen": [found, "-S", "test", "-X", "quit"]}[name]
            subprocess.run(end, env={**os.environ, **env}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


@pytest.mark.parametrize("name", ["tmux", "screen"])
def test_keys_sizes_and_the_end(name: str, tmp_path: Path) -> None:
    with multiplexer(name, tmp_path) as terminal:
        # tmux keeps a line for itself.
        rows = 23 if name == "tmux" else 24
        terminal.until(b"<80 %d>" % rows)
        terminal.type(b"k")
        terminal.until(b"[key 6b]")
        terminal.resize(Size(30, 100))
        terminal.until(b"<100 %d>" % (rows + 6))
        terminal.type(b"q")
        terminal.until(b"status 0")
