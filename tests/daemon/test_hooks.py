"""Promise: the person's program is told each call once, without a shell, alone, and without a secret; it can hold nobody up."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from mirrord.daemon import hooks
from mirrord.daemon.hooks import DEVICE, WAITING, Hook, environment
from mirrord.testing import FakeClock
from mirrord.wire.attention import Attention

PATIENCE = 20.0

SCRIPT = """
import json, os, sys
with open(sys.argv[1], "a") as file:
    print(json.dumps({"args": sys.argv[2:], "told": json.load(sys.stdin), "env": sorted(os.environ), "cwd": os.getcwd()}), file=file)
print("noise" * 100_000)
"""


def call(session: str = "1-1", kind: str = "waiting", **more: str) -> Attention:
    return Attention(session_id=session, kind=kind, title="garden", body="A question waits", at=7, **more)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def in_no_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs follow each other at once; none of these tests is about the pause."""
    monkeypatch.setattr(hooks, "PAUSE_SECONDS", 0.0)


@asynccontextmanager
async def running(command: tuple[str, ...]) -> AsyncIterator[Hook]:
    hook = Hook(FakeClock())
    hook.configure(command, titles=False)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(hook.run)
        yield hook
        tasks.cancel_scope.cancel()


async def told(hook: Hook, count: int) -> None:
    """Return when so many runs are over."""
    with anyio.fail_after(PATIENCE):
        while hook.runs + hook.failures < count:  # noqa: ASYNC110 - it tells nobody
            await anyio.sleep(0.01)


async def test_the_program_is_told_in_json_and_gets_its_own_words_and_little_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "secret")
    monkeypatch.setenv("MIRRORD_PORT", "1")
    out = tmp_path / "out"
    async with running((sys.executable, "-c", SCRIPT, str(out), "$HOME; ls", "two words")) as hook:
        hook.put(call(prompt_id="p"))
        await told(hook, 1)
    (line,) = out.read_text().splitlines()
    run = json.loads(line)
    assert run["args"] == ["$HOME; ls", "two words"]
    assert run["told"] == {
        "session": "1-1",
        "kind": "waiting",
        "at": 7,
        "sentAt": FakeClock().wall(),
        "title": "garden",
        "body": "A question waits",
        "prompt": "p",
    }
    assert {name for name in run["env"] if not name.startswith("LC_")} <= hooks.PASSED_ON
    assert run["cwd"] == "/"
    assert (hook.runs, hook.failures) == (1, 0)


async def test_of_what_waits_only_the_newest_of_each_session_is_told(tmp_path: Path) -> None:
    out = tmp_path / "out"
    async with running((sys.executable, "-c", SCRIPT, str(out))) as hook:
        for session, kind in (("1", "waiting"), ("2", "waiting"), ("1", "over"), ("1", "failed"), ("2", "over")):
            hook.put(call(session, kind))
        await told(hook, 2)
    runs = [json.loads(line)["told"] for line in out.read_text().splitlines()]
    assert [(run["session"], run["kind"]) for run in runs] == [("1", "failed"), ("2", "over")]


async def test_two_never_run_at_once(tmp_path: Path) -> None:
    script = "import os, sys; os.mkdir(sys.argv[1]); os.rmdir(sys.argv[1])"
    async with running((sys.executable, "-c", script, str(tmp_path / "lock"))) as hook:
        for number in range(4):
            hook.put(call(str(number)))
        await told(hook, 4)
    assert (hook.runs, hook.failures) == (4, 0)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (("/nowhere/at-all", "my secret"), "no such file or directory"),
        ((sys.executable, "-c", "raise SystemExit(3)", "my secret"), "ended with status 3"),
        ((sys.executable, "-c", "import sys; sys.stdin.close(); raise SystemExit(1)", "my secret"), "ended with status 1"),
    ],
)
async def test_what_goes_wrong_is_one_line_without_the_programs_arguments(
    caplog: pytest.LogCaptureFixture, command: tuple[str, ...], why: str
) -> None:
    async with running(command) as hook:
        hook.put(call())
        await told(hook, 1)
    (line,) = caplog.messages
    assert f'program={Path(command[0]).name} kind=waiting why="{why}"' in line
    assert "secret" not in line
    assert "garden" not in line


async def test_one_that_hangs_is_killed_with_all_that_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hooks, "TIMEOUT_SECONDS", 1.0)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    # The child holds the pipe open for as long as it lives.
    script = "import os, subprocess, sys; subprocess.Popen(['sleep', '60'], stdout=open(sys.argv[1], 'w')); os.wait()"
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        async with running((sys.executable, "-c", script, str(fifo))) as hook:
            hook.put(call())
            await told(hook, 1)
        with anyio.fail_after(PATIENCE):
            while not _hung_up(reader):  # noqa: ASYNC110 - the kernel tells nobody
                await anyio.sleep(0.01)
    finally:
        os.close(reader)
    assert hook.failures == 1


def _hung_up(fd: int) -> bool:
    try:
        return os.read(fd, 1) == b""
    except BlockingIOError:
        return False


async def test_without_a_program_nothing_waits_and_nothing_runs() -> None:
    hook = Hook(FakeClock())
    noted = hook.configure((), titles=False)
    hook.put(call())
    assert (noted.device, noted.subscribed, hook.dropped, len(hook._waiting)) == (DEVICE, False, 0, 0)


def test_what_may_wait_is_bounded() -> None:
    hook = Hook(FakeClock())
    noted = hook.configure(("x",), titles=True)
    for number in range(WAITING + 3):
        hook.put(call(str(number)))
    assert (len(hook._waiting), hook.dropped) == (WAITING, 3)
    assert noted.settings.device.titles
    assert "garden" not in repr(hook)


def test_no_variable_of_ours_or_with_a_secret_is_passed_on() -> None:
    given = {"HOME": "/home/ada", "LC_ALL": "C", "MIRRORD_PORT": "1", "ANTHROPIC_API_KEY": "k", "SSH_AUTH_SOCK": "s"}
    assert environment(given) == {"HOME": "/home/ada", "LC_ALL": "C"}
