"""The conversation on `/v1/pair`, `mirrord.pair.v1`: how a browser or program becomes a device, and how a device gets a token.

`docs/pairing.md` shows an example of each message. `nonce`, keys, proofs, challenges and signatures are base64url without
padding; a public key is an uncompressed point of P-256, a signature r and s one after the other, as WebCrypto has them.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

PAIR_SUBPROTOCOL: Final = "mirrord.pair.v1"
PAIR_ENDPOINT: Final = "/v1/pair"

PAIR_FRAME_BYTES: Final = 4096
"""One frame of this conversation, either way; the longest that is any use has some 400 bytes."""

NONCE_BYTES: Final = 16
CHALLENGE_BYTES: Final = 32

REVOKED: Final = "revoked"
"""Reason with which the connections of a device are closed (1008) that may not be here any more."""

PAIRED_AGAIN: Final = "paired again"
"""The same for a device that has another role now, and may come back."""

DeviceRole = Literal["observer", "controller"]
PairRefusal = Literal[
    "wrong_code",
    "used_code",
    "old_code",
    "no_code",
    "too_many_tries",
    "unknown_device",
    "bad_signature",
    "malformed",
    "store_not_writable",
]


class _Message(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="type", kw_only=True):
    """One text frame."""


class Pair(_Message, frozen=True, tag="pair"):
    """I hold the code, and this is my key. `name` is how the device calls itself; `proof` binds all of it to the code."""

    nonce: str
    public_key: str
    name: str
    proof: str


class Authenticate(_Message, frozen=True, tag="authenticate"):
    """I am this device."""

    device: str
    nonce: str


class Answer(_Message, frozen=True, tag="answer"):
    """The device's signature over the challenge."""

    signature: str


PairClientMessage = Pair | Authenticate | Answer


class Paired(_Message, frozen=True, tag="paired"):
    """You are a device now, under this name. `proof` shows that the daemon holds the code too; `daemonKey` is to be pinned."""

    device: str
    name: str
    role: DeviceRole
    daemon_key: str
    proof: str


class Challenge(_Message, frozen=True, tag="challenge"):
    """To be signed. `signature` is the daemon's over the device's nonce and the challenge."""

    challenge: str
    signature: str


class Token(_Message, frozen=True, tag="token"):
    """A credential for `/v1/ws`, good until `expiresAt` (ms since the epoch)."""

    token: str
    expires_at: int
    name: str
    role: DeviceRole

    def __repr__(self) -> str:
        """Without the token."""
        return f"Token(expires_at={self.expires_at}, name={self.name!r}, role={self.role!r})"


class PairRefused(_Message, frozen=True, tag="refused"):
    """No. `message` is one sentence that says what to do; `triesLeft` is there where a code can still be tried."""

    code: PairRefusal
    message: str
    tries_left: int | None = None


PairServerMessage = Paired | Challenge | Token | PairRefused


# ---- what is proved and signed: these lines, joined by line feeds, as UTF-8 --------------------------------------------
# `host` is the Host header, which a page knows as `location.host`: a proof made for another address is good for nothing.


def client_proof(host: str, pair: Pair) -> tuple[str, ...]:
    """By the key of the code: I hold it, and this public key is mine."""
    return "mirrord pair client", host, pair.nonce, pair.public_key


def server_proof(host: str, pair: Pair, device: str, daemon_key: str) -> tuple[str, ...]:
    """By the key of the code: so do I, and this is my public key."""
    return "mirrord pair server", host, pair.nonce, pair.public_key, device, daemon_key


def daemon_signature(host: str, nonce: str, challenge: str) -> bytes:
    """By the daemon's own key: I am the daemon that you paired with."""
    return "\n".join(("mirrord daemon", host, nonce, challenge)).encode()


def device_signature(host: str, device: str, challenge: str) -> bytes:
    """By the device's key: I am that device."""
    return "\n".join(("mirrord device", host, device, challenge)).encode()
