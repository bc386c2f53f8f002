"""Processes that work on a store and can be failed or killed: forked from one that has everything loaded, so that hundreds cost seconds.

`python -m tests.store.children` reads an Order as one line of JSON and forks. The child says its pid, waits for a byte, works, says how
that ended, waits for a byte, tries again, says how that ended; its exit status is the last line.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Literal

import anyio
import msgspec

from mirrord.clock import moment
from mirrord.core.receipts import Receipt, Stage
from mirrord.core.retention import USUAL, Prune
from mirrord.errors import NoSuchDevice, StoreNotWritable
from mirrord.store import Store, open_store
from mirrord.store.notify import Subscription
from mirrord.testing import FakeClock
from mirrord.wire.roles import Role

BATCH = 3
"""Receipts that are written together."""

Work = Literal["open", "keep", "pair", "rename", "revoke", "try", "prune", "subscribe", "keep_on"]
Outcome = Literal["done", "refused"]


class Order(msgspec.Struct):
    """`open` opens the store, the others work on an open one, `keep_on` until it is killed.

    `file_bytes` is the longest that a file may become during the first attempt: writes past that fail.
    """

    directory: str
    work: Work
    file_bytes: int | None = None


def batch(number: int, stage: Stage = "sent") -> list[Receipt]:
    """Receipts that belong together."""
    at = FakeClock().wall()
    return [Receipt(f"{number:04}.{each}", "phone", "4242-1", "prompt", bytes(16), stage, at) for each in range(BATCH)]


# ---- the child -------------------------------------------------------------------------------------------------------


def child(order: Order) -> None:
    clock, directory = FakeClock(), Path(order.directory)
    store = None if order.work == "open" else open_store(directory, clock)

    def work() -> None:
        if store is None:
            open_store(directory, clock).close()
        else:
            anyio.run(WORKS[order.work], store)

    say(os.getpid())
    os.read(0, 1)
    if order.file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (order.file_bytes, resource.RLIM_INFINITY))
    say(attempt(work))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    os.read(0, 1)
    say(attempt(work))


def attempt(work: Callable[[], object]) -> Outcome:
    try:
        work()
    except StoreNotWritable:
        return "refused"
    return "done"


async def keep(store: Store) -> None:
    await store.receipts.keep(batch(0, "consumed") + batch(1))


async def pair(store: Store) -> None:
    await store.pair("tablet", Role.CONTROLLER, b"another key")


async def keep_on(store: Store) -> None:
    """Write one batch after another, and say the number of each that is kept."""
    number = 0
    while True:
        await store.receipts.keep(batch(number))
        say(number)
        number += 1


async def rename(store: Store) -> None:
    with suppress(NoSuchDevice):  # the second time
        await store.rename("phone", "Ada's phone")


async def revoke(store: Store) -> None:
    with suppress(NoSuchDevice):  # the second time
        await store.revoke("phone")


async def try_(store: Store) -> None:
    """Somebody tries a code; how often is what counts."""
    await store.begin_tries("offer")


async def prune(store: Store) -> None:
    at = moment(FakeClock())
    await store.receipts.prune(Prune(at=at, retention=USUAL, before=at.wall + 1))


async def subscribe(store: Store) -> None:
    (device,) = store.devices
    await store.notify.subscribe(device.id, Subscription("https://push.example/a", b"p256dh", b"auth"))


WORKS = {
    "keep": keep,
    "pair": pair,
    "rename": rename,
    "revoke": revoke,
    "try": try_,
    "prune": prune,
    "subscribe": subscribe,
    "keep_on": keep_on,
}


def say(value: object) -> None:
    os.write(1, msgspec.json.encode(value) + b"\n")


def main() -> None:
    while line := sys.stdin.buffer.readline():
        pid = os.fork()
        if pid == 0:
            try:
                child(msgspec.json.decode(line, type=Order))
                os._exit(0)
            except BaseException:
                sys.excepthook(*sys.exc_info())
                os._exit(1)
        _, status = os.waitpid(pid, 0)
        say(os.waitstatus_to_exitcode(status))


# ---- the test's side -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Children:
    """One child at a time."""

    _orders: IO[bytes]
    _answers: IO[bytes]

    def begin(self, order: Order) -> int:
        """The pid of a child that is ready to do this."""
        self._tell(msgspec.json.encode(order) + b"\n")
        return self.hear_number()

    def go_on(self) -> None:
        """Let it begin, or try again."""
        self._tell(b".")

    def hear_number(self) -> int:
        """The next number that it says: of a batch that is kept, and at last its exit status."""
        return msgspec.json.decode(self._answers.readline(), type=int)

    def hear_outcome(self) -> Outcome:
        """How its work ended."""
        return msgspec.json.decode(self._answers.readline(), type=Outcome)

    def _tell(self, told: bytes) -> None:
        self._orders.write(told)
        self._orders.flush()


@contextmanager
def children() -> Iterator[Children]:
    """A process that forks children, until the end of the block."""
    with subprocess.Popen([sys.executable, "-m", "tests.store.children"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Children(process.stdin, process.stdout)
        process.stdin.close()


if __name__ == "__main__":
    main()
