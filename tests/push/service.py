"""A push service on loopback: TLS with a certificate for `push.example`, and the browser's side of RFC 8291 and 8292.

It shares no code with the product: what it opens and verifies was made as the RFCs say, and not only as we read them.
"""

from __future__ import annotations

import base64
import contextlib
import datetime
import json
import socket
import ssl
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
from anyio.abc import ByteStream
from anyio.streams.tls import TLSListener
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import NameOID

from mirrord.push.https import Https, PublicDial

HOST = "push.example"
CERTIFICATE = "trusted.pem"
"""The name of the file that a client trusts."""
P256 = ec.SECP256R1()


def text(data: bytes) -> str:
    """Base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def raw(data: str) -> bytes:
    """What `text` was given."""
    return base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))


def point(key: ec.EllipticCurvePublicKey) -> bytes:
    """65 bytes."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


@dataclass(frozen=True)
class Browser:
    """A subscription with the keys that never leave the browser."""

    path: str = "/send/secret-capability"
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(P256))
    auth: bytes = bytes(range(16))

    @property
    def endpoint(self) -> str:
        return f"https://{HOST}{self.path}"

    @property
    def arguments(self) -> dict[str, str]:
        """As `push_subscribe` takes them."""
        return {"endpoint": self.endpoint, "p256dh": text(point(self.key.public_key())), "auth": text(self.auth)}

    def opened(self, body: bytes) -> bytes:
        """The plaintext of a body of one record (RFC 8291, 3.4 and RFC 8188, 2)."""
        salt, size, id_size = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, record = body[21 : 21 + id_size], body[21 + id_size :]
        assert len(record) <= size
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(P256, sender))
        info = b"WebPush: info\0" + point(self.key.public_key()) + sender
        secret = HKDF(SHA256(), 32, self.auth, info).derive(shared)
        content_key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(secret)
        nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(secret)
        padded = AESGCM(content_key).decrypt(nonce, record, None).rstrip(b"\0")
        assert padded.endswith(b"\2")  # the last record
        return padded[:-1]


@dataclass(frozen=True)
class Request:
    """What the service was sent."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    def message(self, browser: Browser) -> dict[str, Any]:
        """What the browser's worker is given."""
        opened: dict[str, Any] = json.loads(browser.opened(self.body))
        return opened

    def claims(self) -> dict[str, Any]:
        """What the token says, its signature verified with the key beside it (RFC 8292, 2 and 3)."""
        scheme, _, fields = self.headers["authorization"].partition(" ")
        assert scheme == "vapid"
        given = dict(part.strip().split("=", 1) for part in fields.split(","))
        signed, _, signature = given["t"].rpartition(".")
        head, _, claims = signed.partition(".")
        assert json.loads(raw(head)) == {"typ": "JWT", "alg": "ES256"}
        r, s = (int.from_bytes(raw(signature)[place : place + 32], "big") for place in (0, 32))
        key = ec.EllipticCurvePublicKey.from_encoded_point(P256, raw(given["k"]))
        key.verify(utils.encode_dss_signature(r, s), signed.encode(), ec.ECDSA(SHA256()))
        return {**json.loads(raw(claims)), "k": given["k"]}


Answer = Callable[[ByteStream], Any]


@dataclass
class PushService:
    """Answers each request with what is due, else with 201. `requests` in the order they came."""

    port: int
    context: ssl.SSLContext
    requests: list[Request] = field(default_factory=list)
    due: deque[bytes] = field(default_factory=deque)
    connections: int = 0
    looked_up: list[str] = field(default_factory=list)
    _came: anyio.Event = field(default_factory=anyio.Event)

    def answers(self, *heads: str) -> None:
        """The next answers: a status line, and headers after it."""
        self.due.extend("\r\n".join((f"HTTP/1.1 {head}", "Content-Length: 0", "", "")).encode() for head in heads)

    def https(self, seconds: float = 10.0) -> Https:
        """The product's transport, which finds this service where the name stands for."""

        return reaching(self.port, self.context, self.looked_up, seconds)

    async def received(self, count: int) -> list[Request]:
        """The first `count` requests, once they came."""
        with anyio.fail_after(10):
            while len(self.requests) < count:
                await self._came.wait()
        return self.requests[:count]

    async def serve(self, stream: ByteStream) -> None:
        """One connection."""
        self.connections += 1
        async with stream:
            received = b""
            while b"\r\n\r\n" not in received:
                received += await stream.receive()
            head, _, body = received.partition(b"\r\n\r\n")
            first, *lines = head.decode("ascii").split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            while len(body) < int(headers["content-length"]):
                body += await stream.receive()
            method, path, _ = first.split(" ")
            self.requests.append(Request(method, path, headers, body))
            came, self._came = self._came, anyio.Event()
            came.set()
            await stream.send(self.due.popleft() if self.due else b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
            with anyio.move_on_after(5):
                # Whoever answers without an end waits for the other side to lose patience.
                await stream.receive()


def reaching(port: int, context: ssl.SSLContext, looked_up: list[str], seconds: float = 10.0) -> Https:
    """The product's transport for a service on this port of loopback: every name stands for it."""

    async def resolve(host: str) -> list[str]:
        looked_up.append(host)
        return ["127.0.0.1"]

    return Https(PublicDial(resolve, lambda address: address == "127.0.0.1", port, context), seconds)


@asynccontextmanager
async def push_service(directory: Path, host: str = HOST) -> AsyncIterator[PushService]:
    """A service whose certificate is for `host`, with the context of a client that trusts it; `directory` gets the certificate."""
    ours, theirs = await anyio.to_thread.run_sync(_contexts, directory, host)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1", family=socket.AF_INET)
    service = PushService(listener.extra(anyio.abc.SocketAttribute.local_port), theirs)

    async def serve(stream: ByteStream) -> None:
        # A client that hangs up is none of our faults.
        with contextlib.suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError, ssl.SSLError):
            await service.serve(stream)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(TLSListener(listener, ours, standard_compatible=False).serve, serve)
        yield service
        tasks.cancel_scope.cancel()
    await listener.aclose()


def _contexts(directory: Path, host: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    key = ec.generate_private_key(P256)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    day = datetime.timedelta(days=1)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now - day, now + day)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, SHA256())
    )
    pem = directory / "service.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    pem.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    (directory / CERTIFICATE).write_bytes(certificate.public_bytes(Encoding.PEM))
    ours = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ours.load_cert_chain(pem)
    theirs = ssl.create_default_context(cadata=certificate.public_bytes(Encoding.DER))
    return ours, theirs
