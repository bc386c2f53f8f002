"""The cryptography of pairing, as WebCrypto in a browser has it: P-256 signatures, and proofs made with a key from a code.

Keys, nonces and signatures travel as base64url without padding; here they are bytes. Nothing here raises on what a peer sent.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

PUBLIC_KEY_BYTES: Final = 65
"""An uncompressed point: 4, then x and y."""

SIGNATURE_BYTES: Final = 64
"""r and s, one after the other; not the DER that most libraries give."""

PROOF_BYTES: Final = 32
CODE_KEY_ROUNDS: Final = 100_000
"""Slows who recorded a proof and guesses codes; a phone takes a tenth of a second for it."""

_NUMBER_BYTES: Final = 32
_SALT: Final = b"mirrord pair v1"
_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""Of the group that P-256's base point makes (FIPS 186-4, D.1.2.3): private keys are the numbers from 1 to below it."""


def load() -> None:
    """Import all that is used of the library: 8 MB of memory and 50 ms that a daemon without paired browsers does not need.

    Call it in a thread, before anything else here: whoever imports it meanwhile on a loop makes the loop wait.
    """
    import cryptography.exceptions
    import cryptography.hazmat.primitives.asymmetric.ec
    import cryptography.hazmat.primitives.asymmetric.utils
    import cryptography.hazmat.primitives.hashes
    import cryptography.hazmat.primitives.serialization  # noqa: F401


class SigningKey:
    """A private key of P-256; in no repr."""

    def __init__(self, secret: bytes) -> None:
        """`secret` is what `secret` of another one gave. Raises ValueError when it is no private key."""
        if len(secret) != _NUMBER_BYTES or not 0 < int.from_bytes(secret, "big") < _ORDER:
            raise ValueError("this is no private key of P-256")
        self.secret: Final = secret
        """32 bytes, for a store that is the user's alone."""

    @cached_property
    def _key(self) -> EllipticCurvePrivateKey:
        from cryptography.hazmat.primitives.asymmetric import ec

        return ec.derive_private_key(int.from_bytes(self.secret, "big"), ec.SECP256R1())

    @cached_property
    def public(self) -> bytes:
        """PUBLIC_KEY_BYTES."""
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

        return self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)

    def sign(self, message: bytes) -> bytes:
        """SIGNATURE_BYTES over the message."""
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        from cryptography.hazmat.primitives.hashes import SHA256

        r, s = utils.decode_dss_signature(self._key.sign(message, ec.ECDSA(SHA256())))
        return r.to_bytes(_NUMBER_BYTES, "big") + s.to_bytes(_NUMBER_BYTES, "big")

    @classmethod
    def generate(cls) -> SigningKey:
        """A new one."""
        return cls((secrets.randbelow(_ORDER - 1) + 1).to_bytes(_NUMBER_BYTES, "big"))


def is_public_key(public: bytes) -> bool:
    """Whether this is a point of the curve in the form that is told here."""
    from cryptography.hazmat.primitives.asymmetric import ec

    if len(public) != PUBLIC_KEY_BYTES:
        return False
    try:
        ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
    except ValueError:
        return False
    return True


def is_signed(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the signature over the message was made with the key of `public`."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec, utils
    from cryptography.hazmat.primitives.hashes import SHA256

    if len(signature) != SIGNATURE_BYTES or not is_public_key(public):
        return False
    r, s = (int.from_bytes(part, "big") for part in (signature[:_NUMBER_BYTES], signature[_NUMBER_BYTES:]))
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
    try:
        key.verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(SHA256()))
    except InvalidSignature:
        return False
    return True


def code_key(code: str) -> bytes:
    """The key that both sides make from a code (upper case, no dash). Takes tens of milliseconds: call it in a thread."""
    return hashlib.pbkdf2_hmac("sha256", code.encode("ascii"), _SALT, CODE_KEY_ROUNDS, PROOF_BYTES)


def proof(key: bytes, *lines: str) -> bytes:
    """PROOF_BYTES that only who holds the key can make for these lines."""
    return hmac.digest(key, "\n".join(lines).encode(), "sha256")


def is_proof(key: bytes, given: bytes, *lines: str) -> bool:
    """Whether `given` is the proof for these lines, in constant time."""
    return hmac.compare_digest(proof(key, *lines), given)


def to_text(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_text(text: str, size: int) -> bytes | None:
    """The `size` bytes that `to_text` made this text from; None when it did not."""
    try:
        data = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        return None
    return data if len(data) == size and to_text(data) == text else None
