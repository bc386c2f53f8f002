"""Promise: wherever the disk fails or the daemon is killed, the store holds the old state or the new one, whole, and goes on.

The faults are the system's own: a file that may not grow, a file system without room, system calls that strace fails one by one.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import NamedTuple

import anyio
import pytest

from mirrord.crypto import SigningKey
from mirrord.store import FILE_NAME, open_store
from mirrord.testing import FakeClock
from mirrord.wire.roles import Role
from tests.store.children import BATCH, Children, Order, Outcome, Work, batch, children
from tests.store.goldens import GOLDENS, restore

STEP_BYTES = 1000
"""How much longer a file may become from one run to the next: several limits within every page."""

KILLS = 20

needs_strace = pytest.mark.skipif(sys.platform != "linux", reason="strace is Linux's")

FAULTS = [("ENOSPC", call) for call in ("openat", "pwrite64", "ftruncate", "fdatasync")]
FAULTS += [("EIO", call) for call in ("openat", "pread64", "pwrite64", "ftruncate", "fdatasync", "unlink")]
"""What SQLite does to its files, and how each of it can fail."""

SAMPLE = 6
"""Of all the places where something can fail, one in so many is tried each time; `make soak` tries all of them."""

STRIDES = [SAMPLE, pytest.param(1, marks=[pytest.mark.soak, pytest.mark.timeout(900)])]


class State(NamedTuple):
    """Names of devices, stages of receipts by id, codes whose tries are counted, and where devices are pushed to."""

    devices: tuple[str, ...]
    receipts: Mapping[str, str]
    codes: tuple[str, ...] = ()
    pushed: tuple[str, ...] = ()


@pytest.fixture
def forked() -> Iterator[Children]:
    with children() as made:
        yield made


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> dict[Work | str, Path]:
    """Stores as each work finds them."""
    base = tmp_path_factory.mktemp("seeds")
    made = {name: base / name for name in ("nothing", "format 1", "format 2", "kept")}
    for path in made.values():
        path.mkdir()
    for number in (1, 2):
        restore(GOLDENS[number - 1], made[f"format {number}"])
    store = open_store(made["kept"], FakeClock())
    anyio.run(store.pair, "phone", Role.CONTROLLER, SigningKey.generate().public)
    anyio.run(store.receipts.keep, batch(0))
    store.close()
    return made


OLD = State(("phone",), {each.client_turn_id: "sent" for each in batch(0)})
NEW = {each.client_turn_id: each.stage for each in batch(0, "consumed") + batch(1)}
FIRST, SECOND = State(("script",), {}), State(("script", "Ada's phone"), {}, codes=("a1b2c3d4e5f60718",))

CASES: list[tuple[str, Work, State, State]] = [
    ("nothing", "open", State((), {}), State((), {})),
    ("format 1", "open", FIRST, FIRST),
    ("format 2", "open", SECOND, SECOND),
    ("kept", "keep", OLD, OLD._replace(receipts=NEW)),
    ("kept", "pair", OLD, OLD._replace(devices=("phone", "tablet"))),
    ("kept", "rename", OLD, OLD._replace(devices=("Ada's phone",))),
    ("kept", "revoke", OLD, OLD._replace(devices=())),
    ("kept", "try", OLD, OLD._replace(codes=("offer",))),
    ("kept", "prune", OLD, OLD._replace(receipts={})),
    ("kept", "subscribe", OLD, OLD._replace(pushed=("https://push.example/a",))),
]
"""A store, what is done with it, and what it may hold afterwards."""

all_cases = pytest.mark.parametrize(("seed", "work", "old", "new"), CASES, ids=[f"{work}, {seed}" for seed, work, _, _ in CASES])


def state(directory: Path) -> State:
    """What a daemon finds that starts now; it must not set the store aside."""
    store = open_store(directory, FakeClock())
    store.close()
    assert [file.name for file in directory.iterdir() if "corrupt" in file.name] == []
    with closing(sqlite3.connect(directory / FILE_NAME)) as db:
        codes = tuple(offer for (offer,) in db.execute("SELECT offer FROM pairing_tries"))
        pushed = tuple(endpoint for (endpoint,) in db.execute("SELECT endpoint FROM push_subscriptions"))
    receipts = {each.client_turn_id: each.stage for each in store.receipts.earlier}
    return State(tuple(device.name for device in store.devices), receipts, codes, pushed)


def settle(forked: Children, first: Outcome, directory: Path, old: State, new: State) -> None:
    """Look at what a crash right after the first attempt would leave behind; then a second one, in the same process, has to succeed."""
    left = state(shutil.copytree(directory, directory.with_name("crashed")))
    shutil.rmtree(directory.with_name("crashed"))
    assert left in ((new,) if first == "done" else (old, new))
    forked.go_on()
    assert forked.hear_outcome() == "done"
    assert forked.hear_number() == 0
    assert state(directory) == new


@all_cases
@pytest.mark.parametrize("stride", STRIDES)
def test_a_file_that_may_not_grow_leaves_the_old_or_the_new_state(
    forked: Children, seeds: dict[str, Path], tmp_path: Path, seed: str, work: Work, old: State, new: State, stride: int
) -> None:
    refused = 0
    for limit in count(0, STEP_BYTES * stride):
        directory = shutil.copytree(seeds[seed], tmp_path / str(limit))
        forked.begin(Order(str(directory), work, file_bytes=limit))
        forked.go_on()
        first = forked.hear_outcome()
        settle(forked, first, directory, old, new)
        if first == "done":
            break
        refused += 1
    assert refused > 0


@needs_strace
@all_cases
@pytest.mark.parametrize("stride", STRIDES)
def test_a_system_call_that_fails_leaves_the_old_or_the_new_state_whichever_it_is(
    forked: Children, seeds: dict[str, Path], tmp_path: Path, seed: str, work: Work, old: State, new: State, stride: int
) -> None:
    failed = 0
    for place, (error, call) in enumerate(FAULTS):
        for number in count(1 + place % stride, stride):
            directory = shutil.copytree(seeds[seed], tmp_path / f"{error} {call} {number}")
            pid = forked.begin(Order(str(directory), work))
            with failing(pid, directory, f"{call}:error={error}:when={number}") as log:
                forked.go_on()
                first = forked.hear_outcome()
            settle(forked, first, directory, old, new)
            if b"INJECTED" not in log.read_bytes():
                break
            failed += 1
    assert failed > 0


@needs_strace
@pytest.mark.parametrize("error", ["ENOSPC", "EIO"])
@pytest.mark.parametrize("number", [1, 2])
def test_a_damaged_store_that_cannot_be_moved_away_is_told_and_stays_whole_until_it_can(
    forked: Children, tmp_path: Path, error: str, number: int
) -> None:
    directory = tmp_path / "damaged"
    directory.mkdir()
    (directory / FILE_NAME).write_bytes(b"this was never a database" * 100)
    (directory / f"{FILE_NAME}-journal").write_bytes(b"left")
    pid = forked.begin(Order(str(directory), "open"))
    with failing(pid, directory, f"rename,renameat2:error={error}:when={number}") as log:
        forked.go_on()
        first = forked.hear_outcome()
    assert b"INJECTED" in log.read_bytes()
    assert first == "refused"
    forked.go_on()
    assert forked.hear_outcome() == "done"
    assert forked.hear_number() == 0
    (aside,) = (file for file in directory.iterdir() if file.name.endswith("Z"))
    assert aside.read_bytes() == b"this was never a database" * 100
    store = open_store(directory, FakeClock())
    assert store.devices == ()
    store.close()


@needs_strace
def test_a_disk_that_cannot_be_read_is_told_and_its_store_is_not_set_aside(
    forked: Children, seeds: dict[str, Path], tmp_path: Path
) -> None:
    directory = shutil.copytree(seeds["kept"], tmp_path / "unreadable")
    pid = forked.begin(Order(str(directory), "open"))
    with failing(pid, directory, "pread64,read:error=EIO:when=2+"):
        forked.go_on()
        first = forked.hear_outcome()
    assert first == "refused"
    settle(forked, first, directory, OLD, OLD)


@contextmanager
def failing(pid: int, directory: Path, fault: str) -> Iterator[Path]:
    """Fail one of the process's system calls on the store's files, counted in each of its threads; yields strace's log."""
    log = directory.with_name("strace.log")
    files = [option for suffix in ("", "-wal", "-shm", "-journal") for option in ("-P", f"{directory / FILE_NAME}{suffix}")]
    command = ["strace", "-f", "-p", str(pid), "-o", str(log), *files, "-e", f"inject={fault}"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as strace:
        assert strace.stderr is not None
        assert any("attached" in line for line in strace.stderr)
        yield log
        strace.send_signal(signal.SIGINT)
        strace.stderr.read()


def test_a_daemon_that_is_killed_in_the_middle_of_a_write_lost_nothing_that_it_acknowledged(
    forked: Children, seeds: dict[str, Path], tmp_path: Path
) -> None:
    dice = random.Random(8)
    for _ in range(KILLS):
        directory = shutil.copytree(seeds["nothing"], tmp_path / "killed")
        pid = forked.begin(Order(str(directory), "keep_on"))
        forked.go_on()
        kept = [forked.hear_number() for _ in range(dice.randrange(1, 20))]
        threading.Event().wait(dice.random() * 0.004)
        os.kill(pid, signal.SIGKILL)
        while (number := forked.hear_number()) >= 0:
            kept.append(number)
        assert number == -signal.SIGKILL
        stages = state(directory).receipts
        numbers = {int(client_turn_id.partition(".")[0]) for client_turn_id in stages}
        assert numbers >= set(kept), f"lost {set(kept) - numbers}"
        assert len(stages) == BATCH * len(numbers), "a batch is there in part"
        shutil.rmtree(directory)
