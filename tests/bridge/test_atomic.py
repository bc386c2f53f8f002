"""Promise: a file is replaced whole or not at all, and stays the same file in mode and owner."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from bridge.atomic import replace_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_has_the_mode_of_any_new_file_or_the_one_asked_for(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        replace_file(tmp_path / "a", b"x")
        replace_file(tmp_path / "b", b"x", 0o604)
    finally:
        os.umask(before)
    assert (mode_of(tmp_path / "a"), mode_of(tmp_path / "b")) == (0o640, 0o604)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664, 0o4755])
def test_an_existing_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "a").chmod(mode)
    replace_file(tmp_path / "a", b"new")
    assert (mode_of(tmp_path / "a"), (tmp_path / "a").read_bytes()) == (mode, b"new")
    replace_file(tmp_path / "a", b"new", 0o600)
    assert mode_of(tmp_path / "a") == 0o600


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a file of another user")
def test_root_does_not_take_a_file_from_its_owner(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    os.chown(tmp_path / "a", 65534, 65534)
    replace_file(tmp_path / "a", b"new")
    assert ((tmp_path / "a").stat().st_uid, (tmp_path / "a").stat().st_gid) == (65534, 65534)


@pytest.mark.parametrize("call", ["fsync", "fchmod", "rename"])
def test_whatever_fails_the_old_file_stays_and_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def fail(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(OSError, match="Input/output error"):
        replace_file(tmp_path / "a", b"new")
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_bytes() == b"old"


def test_content_and_directory_are_on_disk_before_it_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[str] = []
    sync: Callable[[int], None] = os.fsync

    def note(fd: int) -> None:
        synced.append("directory" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file")
        sync(fd)

    monkeypatch.setattr(os, "fsync", note)
    replace_file(tmp_path / "a", b"new")
    assert synced == ["file", "directory"]
