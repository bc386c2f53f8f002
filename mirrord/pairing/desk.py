"""Where pairing is decided: the code that is good now, the devices in the store, and the tokens they get."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import anyio
import anyio.to_thread

from mirrord import crypto, logs
from mirrord.clock import Clock
from mirrord.crypto import from_text, to_text
from mirrord.errors import StoreNotWritable
from mirrord.pairing.code import new_code
from mirrord.pairing.offers import OFFER_SECONDS, TRIES, Ended, Fate, Offer, Offers, Taken, Wrong
from mirrord.pairing.tokens import TOKEN_SECONDS, Tokens
from mirrord.server.gate import Credential
from mirrord.store import Store
from mirrord.wire.pairing import (
    CHALLENGE_BYTES,
    NONCE_BYTES,
    PAIRED_AGAIN,
    REVOKED,
    Authenticate,
    Challenge,
    DeviceRole,
    Pair,
    Paired,
    PairRefusal,
    PairRefused,
    Token,
    client_proof,
    daemon_signature,
    device_signature,
    server_proof,
)
from mirrord.wire.roles import Role

LOOK_SECONDS: Final = 1.0
"""How often a waiter looks at the clock: the end of a code need not be told to the millisecond, and no timer counts sleep."""

_OFFER_ID_BYTES: Final = 8
_DEVICE_ID: Final = re.compile(r"[0-9a-f]{16}")

_SENTENCES: Final[dict[PairRefusal, str]] = {
    "wrong_code": "This code is wrong; look at it again.",
    "used_code": "This code was used already, and one code pairs one device; make a new one with `mirrord pair`.",
    "old_code": "This code is too old; make a new one with `mirrord pair`.",
    "no_code": "No code is good right now; make one with `mirrord pair`.",
    "too_many_tries": "This code was tried wrong too often; make a new one with `mirrord pair`.",
    "unknown_device": "This device is not paired, or was removed; pair it again with `mirrord pair`.",
    "bad_signature": "This device could not prove who it is; pair it again with `mirrord pair`.",
    "malformed": "This page and this mirrord do not understand each other; load the page again.",
    "store_not_writable": "The daemon cannot write to its disk; make room there and try again.",
}
_LAST_TRY: Final = "This code is wrong, and that was its last try; make a new one with `mirrord pair`."
_FATES: Final[dict[Fate, PairRefusal]] = {
    "used": "used_code",
    "failed": "used_code",
    "old": "old_code",
    "replaced": "old_code",
    "too_many_tries": "too_many_tries",
}


@dataclass(frozen=True, slots=True)
class NewCode:
    """A code for a person; `offer` names it without telling it. `expires_at` is in ms since the epoch."""

    offer: str
    role: DeviceRole
    expires_at: int
    code: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Claim:
    """Somebody says that they are this device and was given the challenge; nothing is believed yet."""

    device: str
    challenge: str


@dataclass(slots=True)
class Desk:
    """`cut` closes the connections of a device, given its id and a reason."""

    store: Store
    clock: Clock
    cut: Callable[[str, str], None]
    offers: Offers = field(default_factory=Offers)
    tokens: Tokens = field(default_factory=Tokens)
    _ended: anyio.Event = field(default_factory=anyio.Event)
    """Set, and replaced, whenever a code may have ended."""

    def credentials(self) -> tuple[Credential, ...]:
        """Everybody who may get in now, as the gate wants it."""
        return self.store.credentials + self.tokens.credentials(self.store.device, self.clock.boot())

    # ---- codes -------------------------------------------------------------------------------------------------------

    async def offer(self, role: DeviceRole) -> NewCode:
        """A new code; the one before it is good no longer. Raises StoreNotWritable, and nothing has changed."""
        code, offer = new_code(), secrets.token_hex(_OFFER_ID_BYTES)
        key = await anyio.to_thread.run_sync(crypto.code_key, code)
        await self.store.begin_tries(offer)
        now = self.clock.boot()
        self.offers.begin(Offer(offer, role, now + OFFER_SECONDS, key), now)
        self._wake()
        logs.note("pair: code made", offer=offer, role=role)
        return NewCode(offer, role, self.clock.wall() + round(OFFER_SECONDS * 1000), code)

    async def wait(self, offer: str) -> Ended | None:
        """What became of a code, once it is good no longer; None for one that is not known."""
        while True:
            now = self.clock.boot()
            ended, live = self.offers.ended(offer, now), self.offers.live(now)
            # A used one is told when its device has a name.
            if ended is not None and (ended.fate != "used" or ended.device is not None):
                return ended
            if ended is None and (live is None or live.id != offer):
                return None
            with anyio.move_on_after(LOOK_SECONDS):
                await self._ended.wait()

    async def pair(self, asked: Pair, host: str) -> Paired | PairRefused:
        """Make the device that holds the code. Every try is on disk before it is judged."""
        public, given = from_text(asked.public_key, crypto.PUBLIC_KEY_BYTES), from_text(asked.proof, crypto.PROOF_BYTES)
        if public is None or given is None or from_text(asked.nonce, NONCE_BYTES) is None or not crypto.is_public_key(public):
            return refusal("malformed")
        live = self.offers.live(self.clock.boot())
        try:
            tries = await self.store.count_try(live.id) if live is not None else None
        except StoreNotWritable as error:
            logs.warn("pair: a try could not be counted, so it was not judged", why=str(error))
            return refusal("store_not_writable")
        verdict = self.offers.judge(
            live.id if live is not None else None,
            # Not counted means not judged: what is not in the store is beyond the last try.
            TRIES + 1 if tries is None else tries,
            lambda key: crypto.is_proof(key, given, *client_proof(host, asked)),
            self.clock.boot(),
        )
        self._wake()
        match verdict:
            case Taken(offer):
                return await self._admit(offer, asked, public, host)
            case Wrong(tries_left):
                logs.warn("pair: wrong code", offer=live.id if live is not None else None, triesLeft=tries_left)
                return refusal("wrong_code", tries_left)
        return refusal("no_code" if verdict.fate is None else _FATES[verdict.fate])

    async def _admit(self, offer: Offer, asked: Pair, public: bytes, host: str) -> Paired | PairRefused:
        try:
            device = await self.store.pair(asked.name, Role[offer.role.upper()], public)
        except StoreNotWritable as error:
            logs.warn("pair: the device could not be stored", why=str(error))
            self.offers.failed(offer.id)
            self._wake()
            return refusal("store_not_writable")
        # One that was paired before may have had another role.
        self._forget(device.id, PAIRED_AGAIN)
        self.offers.used_by(offer.id, device.name)
        self._wake()
        logs.note("pair: device paired", device=device.id, name=device.name, role=offer.role)
        daemon_key = to_text(self.store.identity.public)
        return Paired(
            device=device.id,
            name=device.name,
            role=offer.role,
            daemon_key=daemon_key,
            proof=to_text(crypto.proof(offer.key, *server_proof(host, asked, device.id, daemon_key))),
        )

    # ---- tokens ------------------------------------------------------------------------------------------------------

    def challenge(self, asked: Authenticate, host: str) -> tuple[Claim, Challenge] | PairRefused:
        """Something to sign, for whoever asks: that a device is unknown is told after the same steps."""
        if from_text(asked.nonce, NONCE_BYTES) is None or not _DEVICE_ID.fullmatch(asked.device):
            return refusal("malformed")
        challenge = to_text(secrets.token_bytes(CHALLENGE_BYTES))
        signature = self.store.identity.sign(daemon_signature(host, asked.nonce, challenge))
        return Claim(asked.device, challenge), Challenge(challenge=challenge, signature=to_text(signature))

    def token(self, claim: Claim, signature: str, host: str) -> Token | PairRefused:
        """A token for the device that signed its challenge."""
        device = self.store.device(claim.device)
        # Our own key never signs such a line, and looking at it takes as long as looking at a device's.
        public = device.public_key if device is not None and device.public_key is not None else self.store.identity.public
        given = from_text(signature, crypto.SIGNATURE_BYTES)
        signed = crypto.is_signed(public, given or b"", device_signature(host, claim.device, claim.challenge))
        if device is None or device.public_key is None:
            return refusal("unknown_device")
        if not signed:
            return refusal("bad_signature")
        return Token(
            token=self.tokens.issue(device.id, self.clock.boot()),
            expires_at=self.clock.wall() + round(TOKEN_SECONDS * 1000),
            name=device.name,
            role=role_name(device.role),
        )

    def admits(self, device: str, role: Role) -> bool:
        """Whether this device still may connect in this role."""
        known = self.store.device(device)
        return known is not None and known.role is role

    # ---- devices -----------------------------------------------------------------------------------------------------

    async def revoke(self, name: str) -> None:
        """Forget a device: its tokens and connections end at once. Raises NoSuchDevice, StoreNotWritable."""
        device = self.store.revocable(name)
        try:
            await self.store.revoke(name)
        finally:
            self._forget(device.id, REVOKED)
        logs.note("device: revoked", device=device.id, name=device.name)

    def _forget(self, device: str, reason: str) -> None:
        self.tokens.revoke(device)
        self.cut(device, reason)

    def _wake(self) -> None:
        ended, self._ended = self._ended, anyio.Event()
        ended.set()


def refusal(code: PairRefusal, tries_left: int | None = None) -> PairRefused:
    """The refusal with the sentence that says what to do."""
    return PairRefused(code=code, message=_LAST_TRY if tries_left == 0 else _SENTENCES[code], tries_left=tries_left)


def role_name(role: Role) -> DeviceRole:
    """The role as it is told; no device is an owner."""
    return "controller" if role is Role.CONTROLLER else "observer"
