"""Promise: only the browser reads a push (RFC 8291), and its length says nothing; the daemon says who it is as RFC 8292 wants."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import msgspec
import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric import ec

from mirrord.crypto import SigningKey, to_text
from mirrord.push import vapid
from mirrord.push.sealing import PAYLOAD_BYTES, payload, sealed
from mirrord.push.sender import topic
from mirrord.store.notify import Subscription
from mirrord.testing import FakeClock
from mirrord.wire.attention import Attention
from tests.push.service import P256, Browser, Request, point, raw

WAITS = Attention(session_id="4242-1", kind="waiting", title="garden", body="A question waits", at=1, prompt_id="p1")

# RFC 8291, appendix A.
EXAMPLE_KEY = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
EXAMPLE_AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
EXAMPLE_BODY = (
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT"
    "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
)


def subscription(browser: Browser) -> Subscription:
    return Subscription(browser.endpoint, point(browser.key.public_key()), browser.auth)


def test_the_browser_of_these_tests_opens_the_example_of_the_rfc() -> None:
    key = ec.derive_private_key(int.from_bytes(raw(EXAMPLE_KEY), "big"), P256)
    assert Browser(key=key, auth=raw(EXAMPLE_AUTH)).opened(raw(EXAMPLE_BODY)) == b"When I grow up, I want to be a watermelon"


def test_what_is_sealed_is_opened_by_this_browser_alone() -> None:
    browser = Browser()
    body = sealed(subscription(browser), payload(WAITS))
    assert json.loads(browser.opened(body)) == json.loads(msgspec.json.encode(WAITS))
    with pytest.raises(InvalidTag):
        Browser().opened(body)
    with pytest.raises(InvalidTag):
        Browser(key=browser.key, auth=bytes(16)).opened(body)


def test_each_is_sealed_with_a_key_and_a_salt_of_its_own() -> None:
    browser = Browser()
    first, second = (sealed(subscription(browser), payload(WAITS)) for _ in range(2))
    assert first[:16] != second[:16]
    assert first[21:86] != second[21:86]


def test_every_body_has_the_same_length_which_push_services_take() -> None:
    messages = [
        WAITS,
        msgspec.structs.replace(WAITS, prompt_id=None, body=""),
        msgspec.structs.replace(WAITS, title="🌷" * 64, body="\U0001f468\u200d\U0001f469\u200d\U0001f467" * 120),
    ]
    sizes = {len(sealed(subscription(Browser()), payload(message))) for message in messages}
    assert len(sizes) == 1
    assert max(sizes) <= 4096
    last = msgspec.json.decode(payload(messages[-1]), type=Attention)
    assert (last.session_id, last.title, last.body) == ("4242-1", "Pi", "")
    assert len(payload(messages[-1])) == PAYLOAD_BYTES


def test_a_token_names_the_service_its_end_and_whom_to_turn_to_and_is_signed() -> None:
    key, clock = SigningKey.generate(), FakeClock()
    header = vapid.authorization(key, "https://push.example", clock.wall())
    claims = Request("POST", "/", {"authorization": header}, b"").claims()
    assert claims["aud"] == "https://push.example"
    assert claims["k"] == to_text(key.public)
    assert 0 < claims["exp"] - clock.wall() // 1000 <= 24 * 3600
    assert claims["sub"].startswith("https://")
    assert "localhost" not in claims["sub"]


def test_a_topic_is_32_characters_of_base64url_and_hides_the_session() -> None:
    ours, theirs = topic(b"1" * 32, "4242-1"), topic(b"2" * 32, "4242-1")
    assert len(ours) == 32
    assert ours.replace("-", "a").replace("_", "a").isalnum()
    assert ours == topic(b"1" * 32, "4242-1") != theirs
    assert ours != topic(b"1" * 32, "4242-2")


def test_without_the_packages_one_sentence_has_the_command_that_brings_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert vapid.missing() is None
    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "http_ece" else find(name))
    assert (vapid.missing() or "").count(f"`{sys.executable} -m pip install 'pywebpush>=2'`") == 1
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert f"`uv pip install --python {sys.executable} 'pywebpush>=2'`" in (vapid.missing() or "")


def test_what_the_extra_brings_is_what_is_used() -> None:
    lines = (Path(__file__).parents[2] / "requirements" / "dev.txt").read_text("utf-8").splitlines()
    locked = {line.partition("==")[0].replace("-", "_") for line in lines if "==" in line}
    assert {"pywebpush", *vapid._PACKAGES} <= locked
