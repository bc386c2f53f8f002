"""What a push carries, so that only the browser can read it (RFC 8291), and always of the same length."""

from __future__ import annotations

from typing import Final

import msgspec

from mirrord.store.notify import Subscription
from mirrord.wire.attention import Attention

PAYLOAD_BYTES: Final = 2048
"""Of every payload: its length says nothing. Push services take 4096 bytes, of which encryption needs about a hundred."""


def payload(message: Attention) -> bytes:
    """The message as JSON, filled up with spaces. One that is too long, which takes letters of many bytes, loses its words."""
    encoded = msgspec.json.encode(message)
    if len(encoded) > PAYLOAD_BYTES:
        encoded = msgspec.json.encode(msgspec.structs.replace(message, title="Pi", body=""))
    return encoded.ljust(PAYLOAD_BYTES)


def sealed(subscription: Subscription, content: bytes) -> bytes:
    """The content encrypted as `aes128gcm` for this subscription, with a new key and a new salt. Takes about a millisecond.

    Raises ValueError when the subscription's keys are none.
    """
    import http_ece
    from cryptography.hazmat.primitives.asymmetric import ec

    try:
        body: bytes = http_ece.encrypt(
            content,
            private_key=ec.generate_private_key(ec.SECP256R1()),
            dh=subscription.p256dh,
            auth_secret=subscription.auth,
            version="aes128gcm",
        )
    except http_ece.ECEException as error:
        raise ValueError(str(error)) from None
    return body
