"""Promise: every message of pairing has an example, and keys, proofs and signatures in them are what both sides make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from mirrord import crypto
from mirrord.crypto import SigningKey, from_text
from mirrord.pairing.desk import _SENTENCES, refusal
from mirrord.wire import pairing as wire

FIXTURES = Path(__file__).parents[2] / "fixtures" / "pairing"
EXAMPLES: list[dict[str, Any]] = [json.loads(line) for line in (FIXTURES / "messages.jsonl").read_text("utf-8").splitlines()]
KEYS: dict[str, str] = json.loads((FIXTURES / "keys.json").read_text("utf-8"))
UNIONS: dict[str, Any] = {"client": wire.PairClientMessage, "server": wire.PairServerMessage}
HOST = KEYS["host"]


def example(name: str) -> Any:
    row = next(row for row in EXAMPLES if row["name"] == name)
    return msgspec.convert(row["message"], UNIONS[row["from"]])


def raw(text: str, size: int) -> bytes:
    data = from_text(text, size)
    assert data is not None
    return data


def test_every_message_and_every_refusal_has_an_example() -> None:
    for side, union in UNIONS.items():
        tags = {kind.__struct_config__.tag for kind in get_args(union)}
        assert {row["message"]["type"] for row in EXAMPLES if row["from"] == side} == tags
    codes = {row["message"]["code"] for row in EXAMPLES if row["message"]["type"] == "refused"}
    assert codes == set(get_args(wire.PairRefusal)) == set(_SENTENCES)


@pytest.mark.parametrize("row", EXAMPLES, ids=lambda row: row["name"])
def test_an_example_decodes_and_encodes_to_itself_and_later_fields_are_ignored(row: dict[str, Any]) -> None:
    for given in (row["message"], row["message"] | {"addedLater": 1}):
        message = msgspec.json.decode(json.dumps(given), type=UNIONS[row["from"]])
        encoded = msgspec.json.encode(message)
        assert json.loads(encoded) == row["message"]
        assert len(encoded) < wire.PAIR_FRAME_BYTES / 8


def test_the_refusals_say_what_the_daemon_says() -> None:
    for row in EXAMPLES:
        if row["message"]["type"] == "refused":
            message = row["message"]
            assert json.loads(msgspec.json.encode(refusal(message["code"], message.get("triesLeft")))) == message
            assert message["message"].endswith(".")
            assert message["message"].count(".") == 1


def test_the_code_gives_the_key() -> None:
    assert crypto.code_key(KEYS["code"]) == raw(KEYS["codeKey"], 32)


def test_both_proofs_are_made_with_the_code_for_this_host() -> None:
    key, pair, paired = raw(KEYS["codeKey"], 32), example("pair"), example("paired")
    given = raw(paired.proof, 32)
    assert crypto.is_proof(key, raw(pair.proof, 32), *wire.client_proof(HOST, pair))
    assert crypto.is_proof(key, given, *wire.server_proof(HOST, pair, paired.device, paired.daemon_key))
    assert not crypto.is_proof(key, given, *wire.server_proof("evil.test:17673", pair, paired.device, paired.daemon_key))
    assert SigningKey(raw(KEYS["deviceSecret"], 32)).public == raw(pair.public_key, 65)
    assert SigningKey(raw(KEYS["daemonSecret"], 32)).public == raw(paired.daemon_key, 65)


def test_both_signatures_are_made_with_the_keys_that_were_exchanged() -> None:
    asked, challenge, answer = example("authenticate"), example("challenge"), example("answer")
    daemon, device = raw(example("paired").daemon_key, 65), raw(example("pair").public_key, 65)
    assert crypto.is_signed(daemon, raw(challenge.signature, 64), wire.daemon_signature(HOST, asked.nonce, challenge.challenge))
    assert crypto.is_signed(device, raw(answer.signature, 64), wire.device_signature(HOST, asked.device, challenge.challenge))


def test_a_token_is_in_no_repr() -> None:
    assert example("token").token not in repr(example("token"))
