"""Receipts between the core, which decides, and the store, which writes: together what waits, again what the disk refused.

The core goes on while the disk writes. A turn is given to its terminal once ReceiptKept says that its receipt is on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import anyio

from mirrord import logs
from mirrord.clock import Clock, moment
from mirrord.core.events import Event
from mirrord.core.receipts import RECEIPTS, KeepReceipt, Receipt, ReceiptKept, ReceiptsLoaded
from mirrord.errors import StoreNotWritable
from mirrord.store import ReceiptTable

RETRY_SECONDS: Final = 10.0
"""When the disk refused: somebody who makes room on it needs no longer to see that it worked."""

NOT_WRITABLE: Final = "The daemon cannot write to its disk; make room there and try again."


class ReceiptKeeper:
    """Carries out KeepReceipt. `run` writes until it is cancelled; `flush` writes what waits then."""

    def __init__(self, table: ReceiptTable, clock: Clock, happen: Callable[[Event], None]) -> None:
        self._table = table
        self._clock = clock
        self._happen = happen
        self._waiting: dict[str, Receipt] = {}
        """By `clientTurnId`, the newest of each; those that the disk refused are among them."""
        self._refused: dict[str, Receipt] = {}
        """Those of which it was said already that the disk refused them."""
        self._woken = anyio.Event()
        self._one_at_a_time = anyio.Lock()

    def loaded(self) -> ReceiptsLoaded:
        """What earlier daemons kept, for the core to begin with."""
        return ReceiptsLoaded(key=self._table.key, receipts=self._table.earlier)

    def keep(self, command: KeepReceipt) -> None:
        """Have a receipt written as soon as the disk is free."""
        receipt = command.receipt
        self._waiting.pop(receipt.client_turn_id, None)
        self._waiting[receipt.client_turn_id] = receipt
        if len(self._waiting) > RECEIPTS:
            # The disk refuses for long: the table would forget the oldest as well.
            del self._waiting[next(iter(self._waiting))]
        self._woken.set()

    async def run(self) -> None:
        """For ever: write what waits, and after a refusal again."""
        while True:
            with anyio.move_on_after(RETRY_SECONDS if self._waiting else None):
                await self._woken.wait()
            self._woken = anyio.Event()
            await self.flush()

    async def flush(self) -> None:
        """Write what waits now, in one transaction, and tell the core how that went."""
        async with self._one_at_a_time:
            await self._write()

    async def _write(self) -> None:
        batch = tuple(self._waiting.values())
        if not batch:
            return
        try:
            await self._table.keep(batch)
        except StoreNotWritable as error:
            new = [receipt for receipt in batch if self._refused.get(receipt.client_turn_id) is not receipt]
            if new:
                logs.warn("receipts: not written", count=len(batch), why=str(error))
            self._refused = {receipt.client_turn_id: receipt for receipt in batch}
            self._tell(new, NOT_WRITABLE)
            return
        for receipt in batch:
            if self._waiting.get(receipt.client_turn_id) is receipt:
                del self._waiting[receipt.client_turn_id]
        self._refused.clear()
        self._tell(batch, None)

    def _tell(self, receipts: list[Receipt] | tuple[Receipt, ...], error: str | None) -> None:
        for receipt in receipts:
            self._happen(ReceiptKept(at=moment(self._clock), receipt=receipt, error=error))
