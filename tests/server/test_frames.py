"""Promise: a client's frame is a message with a clean name, or a mistake that quotes nothing of it; nothing raises."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrord.server.frames import KIND_CLUSTERS, Mistake, decode, encode
from mirrord.wire import messages as wire
from mirrord.wire.limits import CAPABILITY_CHARS, NAME_CLUSTERS


def hello(name: str = "phone", kind: str = "phone", capabilities: tuple[str, ...] = ()) -> str:
    """A hello as a frame."""
    message = {"type": "hello", "client": {"name": name, "kind": kind}, "protocol": {"min": 1, "max": 1}, "capabilities": capabilities}
    return json.dumps(message)


def said(frame: str) -> wire.Hello:
    """The hello in this frame."""
    message = decode(frame)
    assert isinstance(message, wire.Hello)
    return message


def test_a_message_is_itself() -> None:
    assert decode('{"type":"unsubscribe","sessionId":"s","later":[]}') == wire.Unsubscribe(session_id="s")


def test_a_clients_name_and_kind_are_clean_and_cut() -> None:
    dirty = said(hello("\x1b[31mAda\u202e\n\u200b phone", "pho\x07ne"))
    assert not any(character in dirty.client.name + dirty.client.kind for character in "\x1b\u202e\n\u200b\x07")
    assert "Ada" in dirty.client.name
    long = said(hello("n" * (NAME_CLUSTERS + 1), "k" * (KIND_CLUSTERS + 1)))
    assert len(long.client.name) <= NAME_CLUSTERS
    assert len(long.client.kind) <= KIND_CLUSTERS
    exact = said(hello("n" * NAME_CLUSTERS, "k" * KIND_CLUSTERS))
    assert (len(exact.client.name), len(exact.client.kind)) == (NAME_CLUSTERS, KIND_CLUSTERS)


def test_a_name_of_which_nothing_is_left_is_replaced() -> None:
    assert said(hello("\u200b", "\x00")).client == wire.ClientInfo("unnamed", "unknown")


def test_a_capability_that_is_too_long_is_no_capability() -> None:
    fits = "c" * CAPABILITY_CHARS
    assert said(hello(capabilities=(fits, fits + "c"))).capabilities == (fits,)


MISTAKES = [
    (b'{"type":"unsubscribe","sessionId":"s"}', 1003),
    ("", 1007),
    ("hello", 1007),
    ("[]", 1007),
    ("{", 1007),
    ("{}", 1007),
    ('{"type":7}', 1007),
    ('{"type":"unsubscribe"}', 1007),
    ('{"type":"unsubscribe","sessionId":7}', 1007),
    ('{"type":"hello","client":{"name":"n"},"protocol":{"min":1,"max":1}}', 1007),
    ('{"type":"telepathy"}', 1008),
    ('{"type":"welcome"}', 1008),
    ('{"type":"unsubscribe","sessionId":"\\ud800"}', 1007),
    ('{"type":"unsubscribe","sessionId":"s","x":' + "[" * 200_000, 1007),
    ('{"type":"extension_ui_response","id":"p","index":' + "9" * 5_000 + "}", 1007),
    ("\ud800", 1007),
]


@pytest.mark.parametrize(("frame", "code"), MISTAKES, ids=lambda part: repr(part)[:48])
def test_what_is_no_message_is_a_mistake_with_its_close_code(frame: str | bytes, code: int) -> None:
    mistake = decode(frame)
    assert isinstance(mistake, Mistake)
    assert mistake.close_code == code


def test_a_mistake_names_the_field_and_never_the_value() -> None:
    mistake = decode('{"type":"extension_ui_response","id":"p","value":["hunter2"]}')
    assert mistake == Mistake("extension_ui_response: wrong or missing value at value.", 1007)
    for frame in ('{"type":"hunter2"}', '{"type":"command","requestId":"r","name":"n","args":"hunter2"}'):
        mistake = decode(frame)
        assert isinstance(mistake, Mistake)
        assert "hunter2" not in mistake.sentence


@given(
    st.text(max_size=60)
    | st.binary(max_size=20)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "id", "client", "args"]), inner),
        max_leaves=10,
    ).map(json.dumps)
)
def test_garbage_is_a_message_or_a_mistake(frame: str | bytes) -> None:
    assert isinstance(decode(frame), Mistake | wire.ClientMessage)


def test_what_is_encoded_can_be_decoded() -> None:
    message = wire.Error(code="malformed", message="snöw")
    assert msgspec.json.decode(encode(message), type=wire.ServerMessage) == message
