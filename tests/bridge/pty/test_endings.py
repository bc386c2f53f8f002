"""Promise: whoever waits for `mirrord pi` sees how Pi ended, has all that it wrote, and never waits for what it left behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.bridge.pty.outside import GONE, PYTHON, WRAP, descendants, lives, outside, soon, wrapped
from tests.bridge.pty.programs import TUI, program

RUNS, MANY_RUNS = 20, 200
ABORT, PLAIN = b"\x18\x1b\\", b"\x1b[?2026l\x1b[?25h\x1b[0m\x1b]8;;\x1b\\"


@pytest.fixture
def left() -> Iterator[list[int]]:
    """Processes that a test left on purpose."""
    pids: list[int] = []
    yield pids
    for pid in pids:
        os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("code", [0, 1, 7, 129, 255])
def test_the_exit_code_is_the_programs(code: int) -> None:
    with wrapped(*PYTHON, f"import sys; print('last words'); sys.exit({code})") as terminal:
        assert terminal.ended() == code
        assert terminal.output == b"last words\r\n"


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE, signal.SIGUSR1]
)
def test_death_by_a_signal_is_reported_as_that_signal(number: signal.Signals) -> None:
    default = "" if number is signal.SIGKILL else f"signal.signal({number:d}, signal.SIG_DFL)"
    text = program(f"{default}\nraw(); say(b'last words'); os.kill(os.getpid(), {number:d})")
    with wrapped(*PYTHON, text) as terminal:
        assert terminal.ended() == -number
        # What was cut off may have been a sequence, a frame or a link.
        assert terminal.output == b"last words" + ABORT + PLAIN
        assert terminal.attributes() == terminal.before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2])
def test_a_signal_to_us_reaches_the_program_which_decides(number: signal.Signals) -> None:
    text = program(
        f"signal.signal({number:d}, lambda *_: say(b'caught;'))\nraw(); say(b'ready;')\nsay(b'key ' + os.read(0, 1)); cooked(); sys.exit(3)"
    )
    with wrapped(*PYTHON, text) as terminal:
        terminal.until(b"ready;")
        terminal.process.send_signal(number)
        terminal.until(b"caught;")
        terminal.type(b"x")
        assert terminal.ended() == 3
        assert terminal.output.endswith(b"key x")


def test_a_signal_that_is_ignored_when_we_start_stays_ignored() -> None:
    """`nohup mirrord pi`."""
    text = "import signal; print([signal.getsignal(n) == signal.SIG_IGN for n in (signal.SIGHUP, signal.SIGPIPE, signal.SIGTTOU)])"
    shown = []
    for words in ((), WRAP):
        with outside("/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh", *words, *PYTHON, text) as terminal:
            assert terminal.ended() == 0
            shown.append(bytes(terminal.output))
    assert shown == [b"[True, True, False]\r\n"] * 2


def test_where_children_that_end_are_ignored_the_end_of_pi_is_noticed_all_the_same() -> None:
    """Some launchers ignore SIGCHLD, and what they start inherits that."""
    start = "import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    text = "import signal, sys; print(signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN); sys.exit(7)"
    for words in ((), WRAP):
        with outside(*PYTHON, start, *words, *PYTHON, text) as terminal:
            assert terminal.ended() == 7
            assert bytes(terminal.output) == b"True\r\n"


def test_no_signal_that_our_interpreter_ignores_is_ignored_in_the_program() -> None:
    with wrapped("/bin/sh", "-c", "exec grep -E '^Sig(Ign|Blk)' /proc/self/status") as terminal:
        assert terminal.ended() == 0
    fields = {name: int(mask, 16) for name, mask in (line.split(":\t") for line in terminal.output.decode().splitlines())}
    assert not fields["SigIgn"] & (1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1)
    assert fields["SigBlk"] == 0


def test_last_words_that_the_terminal_does_not_take_are_given_up_when_we_are_to_end() -> None:
    text = program("""
raw(); say(b"ready;"); os.read(0, 1); os.set_blocking(1, False)
refused = 0
while refused < 5:
    try: os.write(1, b"x" * 1000); refused = 0
    except BlockingIOError: refused += 1; time.sleep(0.05)
os._exit(5)
""")
    with wrapped(*PYTHON, text) as terminal:
        terminal.until(b"ready;")
        pi = terminal.pi()
        terminal.type(b"x")
        soon(lambda: not lives(pi))
        assert terminal.process.poll() is None, "somebody may read on"
        terminal.process.send_signal(signal.SIGTERM)
        soon(lambda: terminal.process.poll() is not None, GONE)
        assert terminal.process.returncode == 5


def test_a_program_that_closes_its_terminal_and_lives_is_waited_for_without_work(tmp_path: Path) -> None:
    note = tmp_path / "note"
    text = program("say(b'bye;')\nfor n in (0, 1, 2): os.close(n)\nwhile not os.path.exists(sys.argv[1]): time.sleep(0.02)\nos._exit(5)")
    with wrapped(*PYTHON, text, str(note)) as terminal:
        terminal.until(b"bye;")
        worker = terminal.worker()
        assert terminal.read(0.3) == b""
        assert terminal.process.poll() is None
        spent = _cpu(worker) + _cpu(terminal.pid)
        assert terminal.read(0.5) == b""
        assert _cpu(worker) + _cpu(terminal.pid) - spent <= 2, "nothing turns in circles"
        note.touch()
        assert terminal.ended() == 5


def test_a_program_that_opens_its_terminal_again_is_shown_again() -> None:
    text = program("say(b'bye;')\nfor n in (0, 1, 2): os.close(n)\ntime.sleep(0.2)\nopen('/dev/tty', 'w').write('back;')")
    with wrapped(*PYTHON, text) as terminal:
        terminal.until(b"bye;")
        terminal.until(b"back;")
        assert terminal.ended() == 0


@pytest.mark.parametrize("busy", [False, True], ids=["silent", "that goes on writing"])
def test_a_grandchild_that_holds_the_terminal_is_not_waited_for(busy: bool, left: list[int]) -> None:
    last = "x" * 5000 + "last words"
    text = program(f"""
pid = os.fork()
if not pid:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    while True:
        if {busy}:
            try: os.write(1, b"y" * 100)
            except OSError: time.sleep(60)
        else: time.sleep(60)
say(b"<%d>" % pid)
all({last.encode()!r}); os._exit(4)
""")
    with wrapped(*PYTHON, text) as terminal:
        end = terminal.until(b">")
        pid = int(terminal.output[: end - 1].rpartition(b"<")[2])
        left.append(pid)
        assert terminal.ended() == 4
        assert bytes(terminal.output).replace(b"y", b"").endswith(last.encode())
        assert lives(pid), "what the program left running is not ours to end"


def test_what_the_program_left_running_gets_no_hangup_when_it_ends(left: list[int], tmp_path: Path) -> None:
    """A clipboard's owner, for one, stays in the program's group and must live on."""
    text = program("""
if not os.fork():
    open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)
while not (os.path.exists(sys.argv[1]) and open(sys.argv[1]).read()): time.sleep(0.01)
""")
    note = tmp_path / "note"
    with wrapped(*PYTHON, text, str(note)) as terminal:
        assert terminal.ended() == 0
        left.append(int(note.read_text()))
        assert terminal.read(0.2) == b""
        assert lives(left[0])


def test_modes_that_a_program_left_on_are_switched_off_and_only_those() -> None:
    with wrapped(*PYTHON, program("raw(); say(b'\\x1b[?1049h\\x1b[?2004h\\x1b[?1006h\\x1b[?1006l..'); os._exit(1)")) as terminal:
        assert terminal.ended() == 1
        assert bytes(terminal.output).partition(b"..")[2] == ABORT + b"\x1b[?2004l\x1b7\x1b[?1049l" + PLAIN
        assert terminal.attributes() == terminal.before


def test_nothing_is_added_to_what_an_orderly_program_writes() -> None:
    shown = []
    for run in (outside, wrapped):
        with run(*PYTHON, TUI) as terminal:
            terminal.until(b"ready")
            terminal.type(b"ab")
            terminal.until(b"key 62;")
            terminal.type(b"q")
            assert terminal.ended() == 0
            shown.append(bytes(terminal.output))
    assert shown[0] == shown[1]


@pytest.mark.parametrize("runs", [RUNS, pytest.param(MANY_RUNS, marks=[pytest.mark.soak, pytest.mark.timeout(600)])])
def test_many_short_runs_leave_nothing(runs: int) -> None:
    before = os.listdir("/proc/self/fd")
    mark = f"of-a-test-of-many-runs-{os.getpid()}"
    pids: list[int] = []
    for number in range(runs):
        with wrapped("/bin/sh", "-c", f"echo {number}; read -r _; exit {number}", env={"MARK": mark}) as terminal:
            terminal.until(b"%d\r\n" % number)
            us = marked(mark)
            assert {terminal.pid, *descendants(terminal.pid)} <= {*us}
            pids += us
            terminal.type(b"\r")
            assert terminal.ended() == number
    soon(lambda: not marked(mark))
    assert not any(os.path.exists(f"/proc/{pid}") for pid in pids), "zombies"
    assert os.listdir("/proc/self/fd") == before


def marked(mark: str) -> list[int]:
    """Processes with this word in their environment, which all have who descend from the one that was given it."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
    return found


def _cpu(pid: int) -> int:
    """Hundredths of a second that it has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])
