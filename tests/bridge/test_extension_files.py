"""Promise: Pi finds a whole, current copy of the extension at a place that no upgrade moves, and only we can write there."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from bridge import extension_files
from bridge.extension_files import ExtensionNotCopied, entry_of, refresh
from bridge.private import NotADirectory, OpenDirectory

SOURCE = Path(extension_files.__file__).parent / "extension"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.iterdir()}


def test_the_copy_equals_the_packaged_extension_and_is_private(tmp_path: Path) -> None:
    entry = refresh(tmp_path / "data")
    assert entry == entry_of(tmp_path / "data")
    assert contents(entry.parent) == {path.name: path.read_bytes() for path in SOURCE.glob("*.ts")}
    assert stat.S_IMODE(entry.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in entry.parent.iterdir()} == {0o600}


def test_pi_shows_it_as_mirrord() -> None:
    # Pi drops a last part `index.ts` from the path and shows the part before it.
    assert entry_of(Path("/data/mirrord")).parts[-2:] == ("mirrord", "index.ts")


def test_what_is_equal_is_not_written_again(tmp_path: Path) -> None:
    folder = refresh(tmp_path).parent
    before = stamps(folder)
    refresh(tmp_path)
    assert stamps(folder) == before


def test_what_differs_is_replaced_and_what_is_no_longer_ours_goes(tmp_path: Path) -> None:
    entry = refresh(tmp_path)
    whole = contents(entry.parent)
    entry.write_bytes(b"older")
    entry.with_name("client.ts").unlink()
    entry.with_name("gone.ts").write_bytes(b"of an older version")
    entry.with_name("notes.txt").write_bytes(b"not ours")
    refresh(tmp_path)
    assert contents(entry.parent) == {**whole, "notes.txt": b"not ours"}


def test_a_link_in_the_place_of_a_file_is_replaced_and_its_target_untouched(tmp_path: Path) -> None:
    entry = refresh(tmp_path)
    target = tmp_path / "target"
    target.write_bytes(entry.read_bytes())
    entry.unlink()
    entry.symlink_to(target)
    refresh(tmp_path)
    assert not entry.is_symlink()
    assert target.read_bytes() == entry.read_bytes()


def test_the_entry_is_written_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(extension_files, "replace_file", lambda path, content, mode: written.append(path.name))
    refresh(tmp_path)
    assert written[-1] == "index.ts"
    assert len(written) == len(list(SOURCE.glob("*.ts")))


def test_a_reader_sees_the_old_file_or_the_new_one(tmp_path: Path) -> None:
    entry = refresh(tmp_path)
    new = entry.read_bytes()
    entry.write_bytes(b"old")
    with entry.open("rb") as reading:
        refresh(tmp_path)
        assert reading.read() == b"old"
    assert entry.read_bytes() == new


def test_a_folder_that_others_can_write_to_is_refused(tmp_path: Path) -> None:
    folder = refresh(tmp_path).parent
    folder.chmod(0o777)
    with pytest.raises(OpenDirectory):
        refresh(tmp_path)


def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "extension").mkdir()
    (tmp_path / "extension" / "mirrord").symlink_to(tmp_path)
    with pytest.raises(NotADirectory):
        refresh(tmp_path)


def test_a_full_disk_is_told_and_leaves_the_old_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry = refresh(tmp_path)
    entry.write_bytes(b"old")

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ExtensionNotCopied, match=r"cannot be copied to .* \(No space left on device\); make room"):
        refresh(tmp_path)
    assert entry.read_bytes() == b"old"
    assert not list(entry.parent.glob(".*"))
