"""Promise: a daemon whose disk is full goes on serving, says so to who wants something kept, and needs nothing but room again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest

from mirrord.client import CommandRefused, Local, connect
from mirrord.settings import Settings

ON_A_SMALL_DISK = 'mount -t tmpfs -o size=1m,mode=700 tmpfs "$0" && exec "$@"'


def may_mount() -> bool:
    """Whether a file system can be mounted that nobody else sees."""
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", ON_A_SMALL_DISK, "/tmp", "true"]
    return shutil.which("unshare") is not None and subprocess.run(command, capture_output=True, check=False).returncode == 0


@contextmanager
def daemon_on_a_small_disk(settings: Settings) -> Iterator[Path]:
    """A daemon whose state directory has 1 MB; yields that directory as the daemon sees it."""
    state_dir = settings.paths.state_dir
    state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    base = settings.paths.runtime_dir.parent.parent
    env = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "MIRRORD"))}
    env |= {f"XDG_{name}": str(base / name.lower()) for name in ("RUNTIME_DIR", "STATE_HOME", "DATA_HOME", "CONFIG_HOME")}
    serve = [sys.executable, "-m", "mirrord", "serve", "--port", "0"]
    with subprocess.Popen(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", ON_A_SMALL_DISK, str(state_dir), *serve],
        env=env,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            assert process.stderr is not None
            assert any("daemon: ready" in line for line in process.stderr)
            drain = threading.Thread(target=process.stderr.read)
            drain.start()
            yield Path(f"/proc/{process.pid}/root{state_dir}")
            assert process.poll() is None
        finally:
            process.terminate()
            status = process.wait(5)
            drain.join()
    assert status == 0


def fill(path: Path) -> None:
    """A file that takes all room there is."""
    with path.open("wb", buffering=0) as file:
        for size in (65_536, 1):
            try:
                while file.write(bytes(size)):
                    pass
            except OSError:
                continue


@pytest.mark.skipif(not may_mount(), reason="no file system can be mounted here")
def test_a_full_disk_refuses_what_must_be_kept_with_a_sentence_and_nothing_else(own_settings: Settings) -> None:
    async def pair(name: str) -> None:
        async with connect(Local(own_settings.paths.control_socket), name="test", kind="cli") as owner:
            await owner.request("pair", dict, {"name": name})

    async def devices() -> list[str]:
        async with connect(Local(own_settings.paths.control_socket), name="test", kind="cli") as owner:
            return [device["name"] for device in (await owner.request("devices", dict))["devices"]]

    async def revoke(name: str) -> str:
        """Why not; nothing when it was done."""
        async with connect(Local(own_settings.paths.control_socket), name="test", kind="cli") as owner:
            try:
                await owner.request("device_revoke", type(None), {"name": name})
            except CommandRefused as error:
                return str(error)
        return ""

    with daemon_on_a_small_disk(own_settings) as state_dir:
        anyio.run(pair, "before")
        anyio.run(pair, "lost")
        filling = state_dir / "filling"
        fill(filling)
        refused: list[str] = []
        for number in range(64):
            try:
                anyio.run(pair, f"during {number}")
            except CommandRefused as error:
                refused.append(str(error))
        assert refused
        assert all("make room" in sentence for sentence in refused)
        kept = anyio.run(devices)
        assert "make room" in anyio.run(revoke, "lost")
        kept.remove("lost")
        assert anyio.run(devices) == kept, "who is revoked is out, whatever the disk says"
        filling.unlink()
        assert anyio.run(revoke, "lost") == ""
        anyio.run(pair, "after")
        assert anyio.run(devices) == [*kept, "after"]
    assert kept[0] == "before"
    assert len(kept) == 65 - len(refused)
