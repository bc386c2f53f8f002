"""Promise: the person's program is told what calls them, without what is asked; settings that may change do so while the daemon runs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest

from bridge import messages as bridge
from mirrord import logs
from mirrord.clock import SystemClock
from mirrord.daemon import hooks
from mirrord.detached import spawn_detached
from mirrord.place import Place
from mirrord.settings import Settings
from mirrord.testing import fake_extension, hello, running_daemon

PATIENCE = 20.0
TITLE = "yellow canary 7f3a"
PROMPT = bridge.Prompt(id="p", method="confirm", title=TITLE, opened_at=1, message=TITLE)
SCRIPT = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())"


async def until(found: Callable[[], bool]) -> None:
    with anyio.fail_after(PATIENCE):
        while not await anyio.to_thread.run_sync(found):  # noqa: ASYNC110 - a file tells nobody
            await anyio.sleep(0.02)


def configure(settings: Settings, script: str, out: Path) -> None:
    """A program of the person's, and what else a reload may take or not."""
    file = settings.paths.config_file
    file.parent.mkdir(exist_ok=True)
    command = json.dumps([sys.executable, "-c", script, str(out)])
    file.write_text(f'log_level = "error"\nport = 1\n[notify]\ntitles = true\ncommand = {command}\n')


async def test_a_prompt_is_told_and_its_end_without_a_word_of_it(
    own_settings: Settings, own_place: Place, pi_pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "PAUSE_SECONDS", 0.0)
    out = tmp_path / "out"
    settings = replace(own_settings, notify_command=(sys.executable, "-c", SCRIPT, str(out)))

    def told() -> list[dict[str, Any]]:
        return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []

    async with (
        running_daemon(own_place, settings, SystemClock()) as daemon,
        fake_extension(settings.paths.bridge_socket, hello(pi_pid)) as extension,
    ):
        await extension.say(bridge.PromptOpened(seq=0, prompt=PROMPT))
        await until(lambda: len(told()) == 1)
        await extension.say(bridge.PromptSettled(seq=0, id="p", outcome="answered", winner="terminal", at=2))
        await until(lambda: len(told()) == 2)
        await until(lambda: daemon.hook.runs == 2)
        counted = daemon.runner.status()["hook"]
    assert [(call["kind"], call["title"], call["body"]) for call in told()] == [
        ("waiting", "garden", "A question waits"),
        ("over", "garden", "Answered at the terminal"),
    ]
    assert counted == {"runs": 2, "failures": 0, "dropped": 0}


DESKTOP = {
    "USER": "ada",
    "LOGNAME": "ada",
    "LC_TIME": "C.UTF-8",
    "DISPLAY": ":99",
    "WAYLAND_DISPLAY": "wayland-9",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus",
}
PRINTS_ITS_ENVIRONMENT = "import json, os, sys; open(sys.argv[1], 'w').write(json.dumps(dict(os.environ)) + '\\n')"


async def test_a_daemon_in_the_background_gives_it_what_reaches_the_desktop_and_no_secret(
    at_home: Settings, pi_pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    for name, value in (DESKTOP | {"ANTHROPIC_API_KEY": "hunter2"}).items():
        monkeypatch.setenv(name, value)
    await anyio.to_thread.run_sync(configure, at_home, PRINTS_ITS_ENVIRONMENT, out)
    await anyio.to_thread.run_sync(spawn_detached, at_home)
    async with fake_extension(at_home.paths.bridge_socket, hello(pi_pid), PROMPT):
        await until(lambda: out.exists() and out.read_text().endswith("\n"))
    environ = json.loads(await anyio.Path(out).read_text())
    assert {name: environ.get(name) for name in DESKTOP} == DESKTOP
    assert "ANTHROPIC_API_KEY" not in environ


async def test_a_reload_takes_a_program_titles_and_the_log_level(
    own_settings: Settings, own_place: Place, pi_pid: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "PAUSE_SECONDS", 0.0)
    levels: list[str] = []
    monkeypatch.setattr(logs, "set_level", levels.append)
    out = tmp_path / "out"
    async with (
        running_daemon(own_place, own_settings, SystemClock()) as daemon,
        fake_extension(own_settings.paths.bridge_socket, hello(pi_pid), PROMPT),
    ):
        await anyio.to_thread.run_sync(configure, own_settings, SCRIPT, out)
        await daemon.reload()
        await until(lambda: out.exists() and TITLE in out.read_text())
        port = daemon.settings.port
    assert levels == ["error"]
    assert port == own_settings.port
