"""Promise: Ctrl+Z stops the real Pi, the shell gets its terminal, and fg brings Pi back, with the very bytes that it has without us."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from bridge.pty.size import Size
from mirrord.demo.pi_home import temporary_pi_home
from mirrord.demo.scripted_model import ScriptedModel
from tests.bridge.pty.giving_back import left_on
from tests.bridge.pty.outside import WRAP, Outside, descendants, stopped
from tests.bridge.pty.shell import PROMPT, shell
from tests.harness.pi import FULLSCREEN, GENERATIONS, ROOT, PiKind, command, environment

STARTED = 60.0
STILL = 0.4
# A machine that does other things makes Pi draw twice what it draws at once otherwise; three times in a row is no accident.
TRIES = 3


def rest(terminal: Outside) -> None:
    while terminal.read(STILL):
        pass


def stop_and_go_on(kind: PiKind, wrapper: Sequence[str]) -> tuple[bytes, bytes]:
    """What came when Pi was stopped in the middle of a line, and when it went on in a smaller window."""
    with (
        ScriptedModel() as model,
        temporary_pi_home(model.base_url) as home,
        shell(env={**environment(home), "PYTHONPATH": str(ROOT)}) as bash,
    ):
        before = bash.attributes()
        bash.run(shlex.join([*wrapper, *command(kind)]), until=b"scripted-1")
        rest(bash.terminal)
        bash.terminal.type(b"half a line")
        rest(bash.terminal)
        at_stop = bash.keys(b"\x1a", until=PROMPT)
        assert bash.attributes() == before
        assert left_on(bytes(bash.terminal.output)) == set()
        assert stopped(descendants(bash.terminal.pid)[-1]), "Pi itself"
        bash.terminal.resize(Size(20, 60))
        begin = len(bash.terminal.output)
        bash.run("fg", until=b"half a line")
        rest(bash.terminal)
        going_on = re.sub(rb"/tmp/mirrord-\w{8}", b"/tmp/mirrord-HOME", bytes(bash.terminal.output[begin:]))
        # Ctrl+C takes the line away, Ctrl+D ends Pi.
        bash.terminal.type(b"\x03")
        rest(bash.terminal)
        bash.keys(b"\x04", until=PROMPT)
        assert bash.attributes() == before
        assert bash.run("echo status $?").startswith(b"status 0\r\n")
        assert left_on(bytes(bash.terminal.output)) == set()
    # What the shell says of the job names our words as well.
    return at_stop.partition(b"[1]+")[0], going_on.partition(kind.entry.name.encode())[2]


@pytest.mark.timeout(180)
@pytest.mark.parametrize("kind", GENERATIONS, ids=str)
def test_ctrl_z_and_fg(kind: PiKind) -> None:
    for _ in range(TRIES):
        with ThreadPoolExecutor(2) as threads:
            without, with_us = threads.map(lambda wrapper: stop_and_go_on(kind, wrapper), ((), WRAP))
        if with_us == without:
            break
    assert with_us == without
    assert (b"\x1b[?1049h" in with_us[1]) == (kind is FULLSCREEN)
