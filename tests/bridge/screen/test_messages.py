"""Promise: every message of docs/screen.md has an example in fixtures/screen, decodes and encodes to itself, and is on the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from bridge.screen.limits import FEED_BYTES, SCREEN_SECONDS, SETTLE_SECONDS
from bridge.screen.messages import MENUS, PROGRAM_STATES, FromDaemon, FromFollower, Hidden, RefusalCode
from bridge.screen.wire import Unknown, decode_from_daemon, decode_from_follower, encode

ROOT = Path(__file__).parents[3]
EXAMPLES: list[dict[str, Any]] = [json.loads(line) for line in (ROOT / "fixtures/screen/messages.jsonl").read_text("utf-8").splitlines()]
DECODERS = {"follower": decode_from_follower, "daemon": decode_from_daemon}
UNIONS = {"follower": FromFollower, "daemon": FromDaemon}
PAGE = (ROOT / "docs/screen.md").read_text("utf-8")


def known(said: Any, message: object) -> Any:
    """The JSON of an example, without what this build ignores."""
    if not isinstance(message, msgspec.Struct):
        return said
    fields = {field.encode_name for field in msgspec.structs.fields(message)}
    return {name: value for name, value in said.items() if name in fields or name == "type"}


@pytest.mark.parametrize("side", UNIONS)
def test_every_message_has_an_example_and_is_on_the_page(side: str) -> None:
    tags = {kind.__struct_config__.tag for kind in get_args(UNIONS[side])}
    assert tags <= {example["message"]["type"] for example in EXAMPLES if example["from"] == side}
    assert all(f"`{tag}" in PAGE for tag in tags)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["name"])
def test_an_example_decodes_and_encodes_to_itself(example: dict[str, Any]) -> None:
    message = DECODERS[example["from"]](json.dumps(example["message"]).encode())
    if example.get("ignored"):
        assert message == Unknown()
    else:
        assert not isinstance(message, Unknown)
        assert json.loads(encode(message)) == known(example["message"], message)


def test_the_words_and_numbers_are_on_the_page() -> None:
    for word in (*MENUS, *PROGRAM_STATES, *get_args(Hidden), *get_args(RefusalCode)):
        assert f"`{word}`" in PAGE, word
    for number in (f"{FEED_BYTES // 1024 // 1024} MiB", f"{SETTLE_SECONDS * 1000:.0f} ms", f"{1 / SCREEN_SECONDS:.0f} a second"):
        assert number in PAGE, number
