"""One connection on `/v1/pair`: a few small frames within ten seconds, from whoever got past the gate without a credential."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Protocol

import anyio
import anyio.to_thread
import msgspec
from websockets.exceptions import ConnectionClosed

from mirrord import crypto
from mirrord.pairing.desk import Claim, refusal
from mirrord.server.arrival import Arrival
from mirrord.server.client import NORMAL, POLICY, hang_up
from mirrord.wire.pairing import Answer, Authenticate, Challenge, Pair, PairClientMessage, Paired, PairRefused, PairServerMessage, Token
from mirrord.wire.roles import Role

CONVERSATION_SECONDS: Final = 10.0
"""The whole of it: a phone makes its keys and signs within one, the rest is a bad network."""

TOO_SLOW: Final = f"not done within {CONVERSATION_SECONDS:.0f} s"

_OUR_FAULT: Final = frozenset(("store_not_writable",))
_DECODER: Final[msgspec.json.Decoder[PairClientMessage]] = msgspec.json.Decoder(PairClientMessage)
_ENCODER: Final = msgspec.json.Encoder()


class PairingDesk(Protocol):
    """Who decides; `mirrord.pairing.desk` is it."""

    async def pair(self, asked: Pair, host: str) -> Paired | PairRefused:
        """Make a device."""

    def challenge(self, asked: Authenticate, host: str) -> tuple[Claim, Challenge] | PairRefused:
        """Something to sign."""

    def token(self, claim: Claim, signature: str, host: str) -> Token | PairRefused:
        """A token for who signed it."""

    def admits(self, device: str, role: Role) -> bool:
        """Whether this device still may connect in this role."""


async def converse(socket: Arrival, desk: PairingDesk, host: str, failed: Callable[[], None]) -> None:
    """Hold the conversation and close the connection. `failed` counts what was refused against the peer's address."""
    code, reason = NORMAL, ""
    try:
        with anyio.move_on_after(CONVERSATION_SECONDS) as patience:
            await anyio.to_thread.run_sync(crypto.load)
            await _talk(socket, desk, host, failed)
        if patience.cancelled_caught:
            code, reason = POLICY, TOO_SLOW
    except ConnectionClosed:
        return
    finally:
        await hang_up(socket, code, reason)


async def _talk(socket: Arrival, desk: PairingDesk, host: str, failed: Callable[[], None]) -> None:
    """Until a token was given or something was refused. A device that was just paired may go on and ask for its token."""
    claim: Claim | None = None
    while True:
        message = _decode(await socket.receive())
        reply: PairServerMessage
        match message:
            case Pair() if claim is None:
                reply = await desk.pair(message, host)
            case Authenticate() if claim is None:
                challenged = desk.challenge(message, host)
                if isinstance(challenged, PairRefused):
                    reply = challenged
                else:
                    claim, reply = challenged
            case Answer(signature=signature) if claim is not None:
                reply = desk.token(claim, signature, host)
            case _:
                reply = refusal("malformed")
        if isinstance(reply, PairRefused) and reply.code not in _OUR_FAULT:
            failed()
        await socket.send(_ENCODER.encode(reply), text=True)
        if isinstance(reply, PairRefused | Token):
            return


def _decode(frame: str | bytes) -> PairClientMessage | None:
    try:
        return _DECODER.decode(frame) if isinstance(frame, str) else None
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
