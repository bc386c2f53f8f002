"""Promise: whatever lies where the store should be, the daemon starts, says what it set aside, and fills no disk with it."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from mirrord.errors import NewerStore, StoreNotWritable
from mirrord.store import FILE_NAME, Store, open_store
from mirrord.store.aside import SET_ASIDE, found
from mirrord.store.formats import APPLICATION
from mirrord.testing import FakeClock
from mirrord.wire.roles import Role


def filled(directory: Path) -> Path:
    """A store with a device, closed in order, or the way a kill leaves it."""
    store = open_store(directory, FakeClock())
    anyio.run(store.pair, "phone", Role.CONTROLLER, b"key")
    store.close()
    return directory / FILE_NAME


def statement(text: str) -> Callable[[Path], None]:
    """Damage that is done with SQL."""

    def damage(directory: Path) -> None:
        with closing(sqlite3.connect(filled(directory), isolation_level=None)) as db:
            db.executescript(text)

    return damage


def cut_short(directory: Path) -> None:
    path = filled(directory)
    os.truncate(path, path.stat().st_size // 2)


def half_a_page(directory: Path) -> None:
    os.truncate(filled(directory), 1_000)


def malformed(directory: Path) -> None:
    path = filled(directory)
    raw = bytearray(path.read_bytes())
    for start in range(4096, len(raw), 4096):
        raw[start : start + 200] = bytes(range(200))
    path.write_bytes(raw)


def header_of_noise(directory: Path) -> None:
    path = filled(directory)
    path.write_bytes(b"\xa5" * 100 + path.read_bytes()[100:])


def text(directory: Path) -> None:
    (directory / FILE_NAME).write_bytes(b"this was never a database" * 100)


def torn(directory: Path) -> None:
    (directory / FILE_NAME).write_bytes(b"SQLite format 3\x00" + b"\xff" * 4000)


def a_directory(directory: Path) -> None:
    (directory / FILE_NAME).mkdir()
    (directory / FILE_NAME / "somebody's").write_text("file")


def a_pipe(directory: Path) -> None:
    os.mkfifo(directory / FILE_NAME)


def emptied_beside_its_changes(directory: Path) -> None:
    store = open_store(directory, FakeClock())
    anyio.run(store.pair, "phone", Role.CONTROLLER, b"key")
    changes = (directory / f"{FILE_NAME}-wal").read_bytes()
    store.close()
    (directory / FILE_NAME).write_bytes(b"")
    (directory / f"{FILE_NAME}-wal").write_bytes(changes)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "text": text,
    "torn": torn,
    "header of noise": header_of_noise,
    "cut short": cut_short,
    "half a page": half_a_page,
    "malformed pages": malformed,
    "a directory": a_directory,
    "a pipe": a_pipe,
    "emptied beside its changes": emptied_beside_its_changes,
    "another program's": statement("PRAGMA application_id = 252006674"),
    "no store": statement("PRAGMA user_version = 0; PRAGMA application_id = 0"),
    "of a format before the first": statement("PRAGMA user_version = -1"),
    "without its table": statement("DROP TABLE devices"),
    "with another table of that name": statement("DROP TABLE receipts; CREATE TABLE receipts (other TEXT)"),
    "with a role that nobody knows": statement("UPDATE devices SET role = 'ALMIGHTY'"),
    "with a name that is no text": statement("UPDATE devices SET name = x'ff'"),
    "with a time that is no number": statement("UPDATE devices SET created_at = 'noon'"),
    "without a key of its own": statement("UPDATE identity SET secret = ''"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_cannot_be_used_is_set_aside_with_a_message_and_a_new_store_begins(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    damage(tmp_path)
    with caplog.at_level(logging.WARNING, "mirrord"):
        store = open_store(tmp_path, clock)
    aside = tmp_path / f"{FILE_NAME}.corrupt-20231114T221320Z"
    assert store.devices == ()
    assert store.took_the_place_of == aside
    assert aside.exists()
    assert aside.name in caplog.text
    assert "every device has to pair again" in caplog.text
    anyio.run(store.pair, "tablet", Role.CONTROLLER, b"another key")
    store.close()
    again = open_store(tmp_path, clock)
    assert [each.name for each in again.devices] == ["tablet"]
    assert again.took_the_place_of is None
    again.close()


def test_changes_of_another_store_leave_this_one_or_a_new_one_and_never_a_mixture(tmp_path: Path) -> None:
    for name in ("ours", "theirs"):
        (tmp_path / name).mkdir()
    theirs = open_store(tmp_path / "theirs", FakeClock())
    for number in range(40):
        anyio.run(theirs.mint, f"theirs {number}", Role.OBSERVER)
    path = filled(tmp_path / "ours")
    (path.parent / f"{FILE_NAME}-wal").write_bytes((tmp_path / "theirs" / f"{FILE_NAME}-wal").read_bytes())
    theirs.close()
    store = open_store(path.parent, FakeClock())
    names = [each.name for each in store.devices]
    assert names in ([], ["phone"]) or set(names) == {f"theirs {number}" for number in range(40)}
    store.close()
    open_store(path.parent, FakeClock()).close()
    assert len(found(path)) <= 1


def test_changes_that_lie_there_without_their_store_are_not_played_into_a_new_one(tmp_path: Path) -> None:
    store = open_store(tmp_path, FakeClock())
    anyio.run(store.pair, "phone", Role.CONTROLLER, b"key")
    changes = (tmp_path / f"{FILE_NAME}-wal").read_bytes()
    store.close()
    (tmp_path / FILE_NAME).unlink()
    (tmp_path / f"{FILE_NAME}-wal").write_bytes(changes)
    again = open_store(tmp_path, FakeClock())
    assert again.devices == ()
    again.close()


def test_its_side_files_go_with_it(tmp_path: Path) -> None:
    a_directory(tmp_path)
    for suffix in ("-wal", "-shm"):
        (tmp_path / f"{FILE_NAME}{suffix}").write_bytes(b"left")
    store = open_store(tmp_path, FakeClock())
    aside = store.took_the_place_of
    store.close()
    assert aside is not None
    assert Path(f"{aside}-wal").exists()
    assert [file.name for file in tmp_path.iterdir() if not file.name.startswith(aside.name)] == [FILE_NAME]


def test_so_many_are_kept_and_the_newest_always_though_somebody_sets_the_clock_back(tmp_path: Path) -> None:
    clock = FakeClock()
    made: list[Path] = []
    for number in range(SET_ASIDE + 2):
        (tmp_path / FILE_NAME).unlink(missing_ok=True)
        text(tmp_path)
        store = open_store(tmp_path, clock)
        assert store.took_the_place_of is not None
        made.append(store.took_the_place_of)
        store.close()
        clock.set_wall(clock.wall() + (-3_600_000 if number == SET_ASIDE else 0))
    kept = {each.path for each in found(tmp_path / FILE_NAME)}
    assert len(kept) == SET_ASIDE
    assert made[-1] in kept
    assert len(set(made)) == len(made)


def test_a_folder_of_somebody_is_never_emptied(tmp_path: Path) -> None:
    a_directory(tmp_path)
    clock = FakeClock()
    open_store(tmp_path, clock).close()
    for _ in range(SET_ASIDE + 1):
        clock.advance(1)
        text(tmp_path)
        open_store(tmp_path, clock).close()
    assert (tmp_path / f"{FILE_NAME}.corrupt-20231114T221320Z" / "somebody's").read_text() == "file"


def test_a_symbolic_link_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"")
    (tmp_path / FILE_NAME).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreNotWritable):
        open_store(tmp_path, FakeClock())
    assert (tmp_path / "elsewhere").read_bytes() == b""


def test_a_store_of_a_later_mirrord_is_refused_and_left_alone(tmp_path: Path) -> None:
    statement("PRAGMA user_version = 99")(tmp_path)
    before = (tmp_path / FILE_NAME).read_bytes()
    with pytest.raises(NewerStore, match="newer mirrord"):
        open_store(tmp_path, FakeClock())
    assert (tmp_path / FILE_NAME).read_bytes() == before


def test_one_byte_that_is_no_text_is_one_odd_word_and_not_the_end_of_a_store(tmp_path: Path) -> None:
    statement("UPDATE devices SET name = CAST(x'41ff' AS TEXT)")(tmp_path)
    store: Store = open_store(tmp_path, FakeClock())
    assert [each.name for each in store.devices] == ["A\ufffd"]
    store.close()


def test_a_store_says_whose_it_is(tmp_path: Path) -> None:
    with closing(sqlite3.connect(filled(tmp_path))) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
