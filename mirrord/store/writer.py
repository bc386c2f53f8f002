"""The one hand that writes: a thread, one change at a time, so that nothing waits for the disk but who asked for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

import anyio
import anyio.to_thread

from mirrord.errors import StoreNotWritable

_Result = TypeVar("_Result")


class Writer:
    """Changes of an open store, each on disk whole when it returns, or not there at all."""

    def __init__(self, path: Path, db: sqlite3.Connection) -> None:
        self.path: Final = path
        self._db = db
        self._one_at_a_time = anyio.CapacityLimiter(1)

    async def change(self, work: Callable[[sqlite3.Connection], _Result]) -> _Result:
        """Run `work` in a transaction of its own.

        Raises:
            sqlite3.IntegrityError: the tables do not allow it; nothing changed.
            StoreNotWritable: the disk said no; nothing changed.
        """

        def in_transaction() -> _Result:
            with self._db:
                return work(self._db)

        try:
            return await anyio.to_thread.run_sync(in_transaction, limiter=self._one_at_a_time)
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error as error:
            raise StoreNotWritable(self.path, str(error)) from error

    async def execute(self, statement: str, *values: object) -> None:
        """Run one statement. Raises as `change` does."""
        await self.change(lambda db: db.execute(statement, values))
