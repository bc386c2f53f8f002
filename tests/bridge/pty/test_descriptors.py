"""Promise: the program has what the shell opened for it and nothing of ours; we keep none of that."""

from __future__ import annotations

import os
from pathlib import Path

from tests.bridge.pty.outside import PYTHON, WRAP, outside
from tests.bridge.pty.programs import program

OPENED = """
import os
held = sorted(fd for fd in map(int, os.listdir("/dev/fd")) if os.path.exists(f"/proc/self/fd/{fd}"))
say(repr(held).encode() + os.read(5, 100) + b";"); os.write(6, b"written"); os.read(0, 1)
"""


def test_a_descriptor_of_the_shell_is_the_programs(tmp_path: Path) -> None:
    (tmp_path / "in").write_text("from the shell")
    script = f'exec 5<{tmp_path}/in 6>{tmp_path}/out; exec "$@"'
    shown = []
    for words in ((), WRAP):
        with outside("/bin/sh", "-c", script, "sh", *words, *PYTHON, program(OPENED)) as terminal:
            terminal.until(b"from the shell;")
            if words:
                for pid in (terminal.pid, terminal.worker(), terminal.leader()):
                    assert not [fd for fd in os.scandir(f"/proc/{pid}/fd") if os.readlink(fd.path).startswith(str(tmp_path))]
            terminal.type(b"\r")
            assert terminal.ended() == 0
            shown.append(bytes(terminal.output))
            assert (tmp_path / "out").read_text() == "written"
    assert shown[0].startswith(b"[0, 1, 2, 5, 6]")
    assert shown[0] == shown[1]
