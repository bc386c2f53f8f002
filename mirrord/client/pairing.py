"""Pairing and tokens from the device's side, as the web client does it: both sides prove themselves before anything is believed."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final, TypeVar
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import msgspec
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as tcp_connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from mirrord import crypto
from mirrord.client.clean import one_line
from mirrord.client.connection import CLOSE_SECONDS, OPEN_SECONDS, opening
from mirrord.client.errors import ConnectionLost, NotADaemon, NotGenuine, PairingRefused
from mirrord.crypto import SigningKey, from_text, to_text
from mirrord.pairing.code import read_code
from mirrord.wire import pairing as wire

_Message = TypeVar("_Message", bound=wire.PairServerMessage)

_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final[msgspec.json.Decoder[wire.PairServerMessage]] = msgspec.json.Decoder(wire.PairServerMessage)


@dataclass(frozen=True, slots=True)
class Identity:
    """What a device keeps. The private key is in no repr; `daemon_key` is the daemon's, pinned."""

    device: str
    name: str
    role: wire.DeviceRole
    daemon_key: bytes = field(repr=False)
    key: SigningKey = field(repr=False)


async def pair(url: str, code: str, name: str, key: SigningKey | None = None) -> Identity:
    """Become a device of the daemon at `url` (`http://` or `ws://host:port`, any path). `code` as a person types it.

    Raises:
        PairingRefused: the daemon said no; its sentence says what to do.
        NotGenuine: it could not prove that it holds the code.
        MirrordError: it cannot be reached.
    """
    device_key = key or SigningKey.generate()
    read = read_code(code)
    if read is None:
        raise PairingRefused("malformed", "this is no pairing code; it has ten characters, such as K7QF2-M9XTB")
    await anyio.to_thread.run_sync(crypto.load)
    code_key = await anyio.to_thread.run_sync(crypto.code_key, read)
    async with _conversation(url) as (socket, host):
        asked = wire.Pair(nonce=_nonce(), public_key=to_text(device_key.public), name=name, proof="")
        asked = msgspec.structs.replace(asked, proof=to_text(crypto.proof(code_key, *wire.client_proof(host, asked))))
        paired = await _ask(socket, url, asked, wire.Paired)
        daemon_key = from_text(paired.daemon_key, crypto.PUBLIC_KEY_BYTES)
        given = from_text(paired.proof, crypto.PROOF_BYTES)
        lines = wire.server_proof(host, asked, paired.device, paired.daemon_key)
        if daemon_key is None or given is None or not crypto.is_proof(code_key, given, *lines):
            raise NotGenuine(url)
        return Identity(paired.device, paired.name, paired.role, daemon_key, device_key)


async def authenticate(url: str, identity: Identity) -> wire.Token:
    """A token for `Remote`, good for minutes. The daemon proves first that it is the one that was paired with.

    Raises:
        PairingRefused: the device was revoked, or is not known.
        NotGenuine: another daemon answers there.
        MirrordError: it cannot be reached.
    """
    await anyio.to_thread.run_sync(crypto.load)
    async with _conversation(url) as (socket, host):
        nonce = _nonce()
        given = await _ask(socket, url, wire.Authenticate(device=identity.device, nonce=nonce), wire.Challenge)
        signature = from_text(given.signature, crypto.SIGNATURE_BYTES)
        signed = wire.daemon_signature(host, nonce, given.challenge)
        if signature is None or not crypto.is_signed(identity.daemon_key, signature, signed):
            raise NotGenuine(url)
        answer = identity.key.sign(wire.device_signature(host, identity.device, given.challenge))
        return await _ask(socket, url, wire.Answer(signature=to_text(answer)), wire.Token)


@asynccontextmanager
async def _conversation(url: str) -> AsyncIterator[tuple[ClientConnection, str]]:
    """A connection to the pairing endpoint, and the host as it is proved and signed."""
    host = urlsplit(url).netloc
    async with opening(url):
        socket = await tcp_connect(
            f"ws://{host}{wire.PAIR_ENDPOINT}",
            subprotocols=[Subprotocol(wire.PAIR_SUBPROTOCOL)],
            compression=None,
            # A proxy from the environment would see who pairs.
            proxy=None,
            open_timeout=OPEN_SECONDS,
            max_size=wire.PAIR_FRAME_BYTES,
        )
    try:
        if socket.subprotocol != wire.PAIR_SUBPROTOCOL:
            raise NotADaemon(url, f"it does not speak {wire.PAIR_SUBPROTOCOL}")
        yield socket, host
    except ConnectionClosed as closed:
        raise ConnectionLost(closed.rcvd.code if closed.rcvd else None, one_line(closed.rcvd.reason) if closed.rcvd else "") from closed
    finally:
        with anyio.move_on_after(CLOSE_SECONDS, shield=True):
            await socket.close()
        socket.transport.abort()


async def _ask(socket: ClientConnection, url: str, message: wire.PairClientMessage, kind: type[_Message]) -> _Message:
    await socket.send(_ENCODER.encode(message), text=True)
    with anyio.move_on_after(OPEN_SECONDS):
        try:
            reply = _DECODER.decode(await socket.recv(decode=True))
        except msgspec.DecodeError as error:
            raise NotADaemon(url, "what it says about pairing cannot be read") from error
        match reply:
            case wire.PairRefused() as refused:
                raise PairingRefused(refused.code, one_line(refused.message), refused.tries_left)
            case _ if isinstance(reply, kind):
                return reply
        raise NotADaemon(url, f"it said {type(reply).__name__} out of turn")
    raise NotADaemon(url, f"no answer within {OPEN_SECONDS:.0f} s")


def _nonce() -> str:
    return to_text(secrets.token_bytes(wire.NONCE_BYTES))
