"""Promise: the real Pi and we edit one settings file without losing each other's changes, and Pi loads our copy once."""

from __future__ import annotations

import json
import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from bridge.extension_files import refresh
from bridge.pause import pause_thread
from bridge.pi_lock import SettingsLocked, pi_lock
from bridge.pi_settings import Entry, install, status, uninstall
from tests.harness.pi import GENERATIONS, node, quit_pi, running_pi

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from mirrord.demo.pi_home import PiHome
    from tests.harness.pi import PiKind

each_generation = pytest.mark.parametrize("kind", GENERATIONS, ids=str)

# Pi's own modules, unbundled in both generations. Each command is a line in, each answer a line out.
PI_SETTINGS = """
const [modules, root, agent] = process.argv.slice(1);
const { createRequire } = await import("node:module");
const lockfile = createRequire(modules + "/")("proper-lockfile");
const { SettingsManager } = await import(root + "/dist/core/settings-manager.js");
const path = agent + "/settings.json";
let release;
const commands = {
  lock() { release = lockfile.lockSync(path, { realpath: false }); return "held"; },
  unlock() { release(); return "released"; },
  extensions() { return JSON.stringify(SettingsManager.create(agent, agent).getExtensionPaths()); },
  async themes(count) {
    const manager = SettingsManager.create(agent, agent);
    for (let n = 1; n <= count; n += 1) { manager.setTheme("theme-" + n); await manager.flush(); }
    return JSON.stringify(manager.drainErrors().map((error) => String(error.error ?? error)));
  },
};
const { createInterface } = await import("node:readline");
for await (const line of createInterface({ input: process.stdin })) {
  const [name, argument] = line.split(" ");
  try { console.log(await commands[name](argument)); } catch (error) { console.log(error.code ?? String(error)); }
}
"""


class PiSettings:
    """Pi's settings code in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, command: str) -> str:
        """What Pi answers to `command`."""
        self.say(command)
        return self.hear()

    def say(self, command: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{command}\n")
        self._process.stdin.flush()

    def hear(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def pi_settings(kind: PiKind, agent: Path) -> Iterator[PiSettings]:
    modules = next(parent for parent in kind.entry.parents if parent.name == "node_modules")
    root = next(parent for parent in kind.entry.parents if parent.name == "pi-coding-agent")
    command = [str(node()), "--input-type=module", "-e", PI_SETTINGS, str(modules), str(root), str(agent)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield PiSettings(process)
        process.communicate(timeout=10)


@pytest.fixture
def data(home: PiHome) -> Path:
    return home.root / "data" / "mirrord"


@each_generation
def test_we_wait_for_pi_and_pi_waits_for_us(kind: PiKind, home: PiHome, data: Path) -> None:
    entry = refresh(data)
    with pi_settings(kind, home.agent) as pi:
        assert pi.ask("lock") == "held"
        waits = 0

        def pause(_: float) -> None:
            nonlocal waits
            waits += 1
            if waits == 2:
                assert pi.ask("unlock") == "released"

        assert install(home.settings_file, entry, data, pause)
        assert waits == 2

        with pi_lock(home.settings_file):
            assert pi.ask("lock") == "ELOCKED"
        assert pi.ask("lock") == "held"
        with pytest.raises(SettingsLocked):
            uninstall(home.settings_file, entry, data, lambda _: None)
        assert pi.ask("unlock") == "released"


@each_generation
def test_pi_reads_what_we_wrote_and_keeps_it_when_it_writes(kind: PiKind, home: PiHome, data: Path) -> None:
    entry = refresh(data)
    install(home.settings_file, entry, data)
    with pi_settings(kind, home.agent) as pi:
        assert json.loads(pi.ask("extensions")) == [str(entry)]
        assert pi.ask("themes 1") == "[]"
        assert status(home.settings_file, entry, data) is Entry.INSTALLED
        uninstall(home.settings_file, entry, data)
        assert json.loads(home.settings_file.read_bytes())["theme"] == "theme-1"
        assert pi.ask("extensions") == "[]"


@each_generation
def test_both_write_at_once_and_neither_loses_a_change(kind: PiKind, home: PiHome, data: Path) -> None:
    entry = refresh(data)
    with pi_settings(kind, home.agent) as pi:
        pi.say("themes 60")
        for _ in range(10):
            for change in (install, uninstall):
                assert change(home.settings_file, entry, data)
                # Pi gives up after ten tries in 200 ms, so the lock must be free for most of the time, however slow the disk.
                pause_thread(0.1)
        assert install(home.settings_file, entry, data)
        assert pi.hear() == "[]"
    settings = json.loads(home.settings_file.read_bytes())
    assert settings["theme"] == "theme-60"
    assert settings["extensions"] == [str(entry)]
    assert not home.settings_file.with_name("settings.json.lock").exists()


def test_pi_shows_our_name_and_loads_the_copy_once_though_it_is_named_twice(kind: PiKind, home: PiHome, data: Path) -> None:
    entry = refresh(data)
    install(home.settings_file, entry, data)
    with running_pi(kind, home, extensions=[entry]) as pi:
        # A second load under another path would be shown by its path, to tell it from the first.
        screen = pi.screen_text()
        assert "[Extensions]\n  mirrord\n" in "\n".join(line.rstrip() for line in screen.splitlines())
        assert quit_pi(pi) == 0
