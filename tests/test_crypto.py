"""Promise: what we sign and prove is what WebCrypto makes of the same bytes, and nothing that a peer sends raises."""

from __future__ import annotations

import hashlib
import hmac
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrord import crypto
from mirrord.crypto import SigningKey


def test_a_signature_is_good_for_its_key_and_message_alone() -> None:
    key, other = SigningKey.generate(), SigningKey.generate()
    signature = key.sign(b"message")
    assert len(signature) == crypto.SIGNATURE_BYTES
    assert crypto.is_signed(key.public, signature, b"message")
    assert not crypto.is_signed(key.public, signature, b"another")
    assert not crypto.is_signed(other.public, signature, b"message")
    assert not crypto.is_signed(key.public, signature[32:] + signature[:32], b"message")


# Appendix A.2.5 of RFC 6979: P-256 with SHA-256, message "sample".
RFC_PUBLIC = bytes.fromhex(
    "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb67903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
)
RFC_SECRET = bytes.fromhex("c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721")
RFC_SIGNATURE = bytes.fromhex(
    "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
)


def test_the_standards_own_signature_is_good() -> None:
    assert SigningKey(RFC_SECRET).public == RFC_PUBLIC
    assert crypto.is_signed(RFC_PUBLIC, RFC_SIGNATURE, b"sample")
    assert not crypto.is_signed(RFC_PUBLIC, RFC_SIGNATURE, b"Sample")


def test_a_key_comes_back_from_its_secret_and_is_in_no_repr() -> None:
    key = SigningKey.generate()
    assert SigningKey(key.secret).public == key.public
    assert len(key.public) == crypto.PUBLIC_KEY_BYTES
    assert key.secret.hex() not in repr(key)


@given(st.binary(max_size=100), st.binary(max_size=100))
def test_no_bytes_of_a_peer_raise(public: bytes, signature: bytes) -> None:
    assert not crypto.is_signed(public, signature, b"m")
    assert not crypto.is_signed(RFC_PUBLIC, signature.ljust(64, b"\0")[:64], b"m")


@pytest.mark.parametrize(
    "public", [b"", bytes(65), b"\x04" + bytes(64), RFC_PUBLIC[:-1], b"\x03" + RFC_PUBLIC[1:33], RFC_PUBLIC[:-1] + b"\x00"]
)
def test_what_is_no_point_of_the_curve_is_no_key(public: bytes) -> None:
    assert not crypto.is_public_key(public)


def test_a_code_gives_the_key_that_a_browser_makes_of_it() -> None:
    code = "K7QF2M9XTB"
    assert crypto.code_key(code) == hashlib.pbkdf2_hmac("sha256", code.encode(), b"mirrord pair v1", 100_000, 32)


def test_a_proof_is_the_hmac_of_its_lines() -> None:
    key = bytes(range(32))
    assert crypto.proof(key, "one", "two") == hmac.new(key, b"one\ntwo", "sha256").digest()
    assert crypto.is_proof(key, crypto.proof(key, "one", "two"), "one", "two")
    assert not crypto.is_proof(key, crypto.proof(key, "one", "two"), "one two")
    assert not crypto.is_proof(bytes(32), crypto.proof(key, "one"), "one")
    assert not crypto.is_proof(key, b"", "one")


@given(st.binary(max_size=80))
def test_text_and_back(data: bytes) -> None:
    text = crypto.to_text(data)
    assert "=" not in text
    assert crypto.from_text(text, len(data)) == data
    assert crypto.from_text(text, len(data) + 1) is None


@pytest.mark.parametrize("text", ["AA==", "A", "AB", "+/+/", "AA\n", "é", "\ud800", "AA AA", " AAA"])
def test_only_the_one_text_of_some_bytes_is_read(text: str) -> None:
    assert all(crypto.from_text(text, size) is None for size in range(5))


def test_a_daemon_that_pairs_nobody_does_not_carry_the_library() -> None:
    code = "import sys, mirrord.daemon.daemon; sys.exit(any(name.startswith('cryptography') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("secret", [bytes(32), b"\xff" * 32, b"\x01" * 31, b"\x01" * 33, b""])
def test_what_is_no_private_key_is_refused(secret: bytes) -> None:
    with pytest.raises(ValueError, match="no private key"):
        SigningKey(secret)
