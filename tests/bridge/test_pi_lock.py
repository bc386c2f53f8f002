"""Promise: we hold Pi's lock as Pi does, wait for Pi, never for a crashed one, and never take away what is not ours."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from bridge import pi_lock as module
from bridge.pi_lock import SettingsLocked, SettingsLockNotMade, pi_lock

if TYPE_CHECKING:
    from pathlib import Path


def never(_: float) -> None:
    raise AssertionError("nothing to wait for")


def age(lock: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(lock, (then, then))


def test_the_lock_is_a_directory_beside_the_file_while_it_is_held(tmp_path: Path) -> None:
    with pi_lock(tmp_path / "settings.json", never) as check:
        assert (tmp_path / "settings.json.lock").is_dir()
        check()
    assert list(tmp_path.iterdir()) == []


def test_it_is_beside_a_link_and_not_beside_its_target(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "settings.json").symlink_to("elsewhere/settings.json")
    with pi_lock(tmp_path / "settings.json", never):
        assert (tmp_path / "settings.json.lock").is_dir()
        assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_relative_path_is_taken_from_the_working_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pi_lock(tmp_path.relative_to(tmp_path) / "settings.json", never):
        assert (tmp_path / "settings.json.lock").is_dir()


def test_it_is_released_when_the_block_fails(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), pi_lock(tmp_path / "settings.json"):
        _ = 1 / 0
    assert list(tmp_path.iterdir()) == []


def test_it_waits_for_pi(tmp_path: Path) -> None:
    lock = tmp_path / "settings.json.lock"
    lock.mkdir()
    waits: list[float] = []

    def pause(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 3:
            lock.rmdir()

    with pi_lock(tmp_path / "settings.json", pause):
        assert waits == [0.02] * 3


def test_it_does_not_wait_for_ever_and_leaves_the_lock_to_its_holder(tmp_path: Path) -> None:
    lock = tmp_path / "settings.json.lock"
    lock.mkdir()
    waits: list[float] = []
    with (
        pytest.raises(SettingsLocked, match=rf"Pi is writing its settings \(it holds {lock}\); try again"),
        pi_lock(tmp_path / "settings.json", waits.append),
    ):
        pass
    assert sum(waits) == pytest.approx(2, abs=0.1)
    assert lock.is_dir()


def test_a_lock_of_ten_seconds_is_left_over_and_a_younger_one_is_not(tmp_path: Path) -> None:
    lock = tmp_path / "settings.json.lock"
    lock.mkdir()
    age(lock, 5)
    with pytest.raises(SettingsLocked), pi_lock(tmp_path / "settings.json", lambda _: None):
        pass
    age(lock, 11)
    with pi_lock(tmp_path / "settings.json", lambda _: None):
        assert time.time() - lock.stat().st_mtime < 5


def test_an_old_directory_with_something_in_it_is_no_lock_and_stays(tmp_path: Path) -> None:
    lock = tmp_path / "settings.json.lock"
    lock.mkdir()
    (lock / "precious").touch()
    age(lock, 100)
    with pytest.raises(SettingsLocked), pi_lock(tmp_path / "settings.json", lambda _: None):
        pass
    assert (lock / "precious").exists()


def test_a_lock_that_was_taken_over_meanwhile_is_noticed_and_not_removed(tmp_path: Path) -> None:
    lock = tmp_path / "settings.json.lock"
    with pi_lock(tmp_path / "settings.json", never) as check:
        lock.rename(tmp_path / "ours")
        with pytest.raises(SettingsLocked):
            check()
        lock.mkdir()
        with pytest.raises(SettingsLocked):
            check()
    assert lock.is_dir()


def test_what_the_system_refuses_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(SettingsLockNotMade, match=r"cannot be made \(No such file or directory\)"),
        pi_lock(tmp_path / "missing" / "s", never),
    ):
        pass


def test_it_tries_as_often_as_pi_would_and_longer() -> None:
    assert module._TRIES * module._PAUSE_SECONDS >= 10 * 0.02
