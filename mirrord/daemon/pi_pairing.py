"""`/mirrord pair` inside Pi: a code for the person at that terminal, over the link of the Pi that they sit at and of no other process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import anyio.to_thread

from bridge import messages as said
from bridge.listener import LinkConnection
from mirrord import logs
from mirrord.errors import MirrordError
from mirrord.pairing.code import pairing_url
from mirrord.pairing.desk import Desk
from mirrord.qr import half_blocks, modules

REQUEST_ID_CHARS: Final = 128
"""Longest id of a request that is repeated to who sent it; a UUID is 36."""

BUSY: Final = "Another code is being made for this terminal; try again."
FAILED: Final = "A code could not be made: {}."


@dataclass(slots=True)
class PiPairing:
    """`page` is the address of the web client. `obstacle` says why this link may have no code, and blocks while it reads processes."""

    desk: Desk
    page: str
    obstacle: Callable[[LinkConnection], str | None]
    _making: set[int] = field(default_factory=set)
    """Links for which a code is being made: one at a time, since making it is work."""

    async def answer(self, link: LinkConnection, asked: said.PairCodeRequest) -> None:
        """Say a code and then what became of it, or why there is none. Never raises."""
        request = asked.request_id[:REQUEST_ID_CHARS]
        if link.id in self._making:
            link.send(said.PairCodeRefused(seq=0, request_id=request, message=BUSY))
            return
        self._making.add(link.id)
        try:
            offer = await self._offer(link, asked, request)
        finally:
            self._making.discard(link.id)
        if offer is None:
            return
        ended = await self.desk.wait(offer)
        if ended is not None:
            link.send(said.PairCodeEnded(seq=0, request_id=request, outcome=ended.fate, device=ended.device))

    async def _offer(self, link: LinkConnection, asked: said.PairCodeRequest, request: str) -> str | None:
        """The offer that was told, or None after a refusal."""
        obstacle = await anyio.to_thread.run_sync(self.obstacle, link)
        if obstacle is None:
            try:
                made = await self.desk.offer(asked.role)
            except MirrordError as error:
                obstacle = FAILED.format(error)
        if obstacle is not None:
            logs.warn("link: no code for this terminal", id=link.id, why=obstacle)
            link.send(said.PairCodeRefused(seq=0, request_id=request, message=obstacle))
            return None
        url = pairing_url(self.page, made.code)
        qr = await anyio.to_thread.run_sync(lambda: tuple(half_blocks(modules(url))))
        link.send(
            said.PairCode(
                seq=0,
                request_id=request,
                code=made.code,
                url=url,
                page=self.page,
                role=made.role,
                expires_at=made.expires_at,
                qr=qr,
            )
        )
        return made.offer
