"""The conversation on `/v1/pair`, `mirrord.pair.v1`: how a browser or program becomes a device, and how a device gets a token.

`docs/pairing.md` shows an example of each message. `nonce`, keys, proofs, challenges and signatures are base64url without
padding; a public key is an uncompressed point of P-256, a signature r and s one after the other, as WebCrypto has them.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

PAIR_SUBPROTOCOL: Final = "mirrord.pair.v1"
PAIR_ENDPOINT: Final = "/v1/pair"

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
