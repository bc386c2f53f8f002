"""Promise: docs/pairing.md shows every message with the examples from the fixtures, and its numbers are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import pytest

from mirrord import crypto
from mirrord.pairing import offers, tokens
from mirrord.server import pairing as server
from mirrord.server.socket import PAIRING_PLACES
from mirrord.settings import DEFAULT_PORT
from mirrord.wire import pairing as wire

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "pairing.md").read_text("utf-8")
FIXTURES: list[dict[str, Any]] = [
    json.loads(line)["message"] for line in (ROOT / "fixtures" / "pairing" / "messages.jsonl").read_text("utf-8").splitlines()
]
SHOWN: list[dict[str, Any]] = [
    json.loads(line) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()
]
KINDS = [kind for union in (wire.PairClientMessage, wire.PairServerMessage) for kind in get_args(union)]


def section(heading: str) -> str:
    """The text under a heading, up to the next one of any level."""
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#+ |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, heading
    return found[1]


def test_every_fixture_is_on_the_page_and_nothing_else() -> None:
    assert SHOWN == FIXTURES


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_message_has_a_section_that_names_all_its_fields(kind: Any) -> None:
    text = section(kind.__struct_config__.tag)
    assert [name for name in kind.__struct_encode_fields__ if f'"{name}"' not in text] == []


def test_every_refusal_has_its_row() -> None:
    for code in get_args(wire.PairRefusal):
        assert re.search(rf"^\|.*`{code}`.*\|.*\|$", section("refused"), re.MULTILINE)


@pytest.mark.parametrize(
    "words",
    [
        f"for {offers.OFFER_SECONDS:.0f} s, and for {offers.TRIES} tries",
        f"for {offers.REMEMBERED_SECONDS:.0f} s after",
        f"for {tokens.TOKEN_SECONDS / 60:.0f} minutes each",
        f"At most {tokens.PER_DEVICE} tokens of a device",
        f"at most {wire.PAIR_FRAME_BYTES // 1024} KiB",
        f"At most {PAIRING_PLACES} such connections",
        f"each for {server.CONVERSATION_SECONDS:.0f} s at most",
        f"uncompressed point ({crypto.PUBLIC_KEY_BYTES} bytes)",
        f"one after the other ({crypto.SIGNATURE_BYTES} bytes)",
        f"nonce has {wire.NONCE_BYTES} bytes, a challenge {wire.CHALLENGE_BYTES}",
        f"{crypto.CODE_KEY_ROUNDS} rounds, {crypto.PROOF_BYTES} bytes",
        f"salt `{crypto._SALT.decode()}`",
        f"subprotocol `{wire.PAIR_SUBPROTOCOL}`",
        f"`{wire.PAIR_ENDPOINT}`",
        f"-L {DEFAULT_PORT}:127.0.0.1:{DEFAULT_PORT}",
    ],
)
def test_a_number_on_the_page_is_the_constant(words: str) -> None:
    assert words in " ".join(PAGE.split())
