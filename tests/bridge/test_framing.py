"""Promise: bytes of the bridge wire become the same messages however they were cut; a peer makes nothing worse than a FrameError."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.framing import (
    FrameError,
    LineReader,
    Unknown,
    decode_envelope,
    decode_from_daemon,
    decode_from_extension,
    decode_hello,
    decode_range,
    encode,
)
from bridge.limits import FRAME_BYTES
from bridge.messages import Ack, By, Notification, Ping, Response, Title


def lines_of(reader: LineReader, *chunks: bytes) -> list[bytes]:
    """Every line that the chunks hold."""
    lines: list[bytes] = []
    for chunk in chunks:
        reader.receive(chunk)
        while (line := reader.next_line()) is not None:
            lines.append(line)
    return lines


@given(st.lists(st.binary(max_size=40).filter(lambda line: b"\n" not in line), max_size=8), st.data())
def test_lines_do_not_depend_on_how_the_bytes_were_cut(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    chunks = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert lines_of(LineReader(), stream) == lines
    assert lines_of(LineReader(), *chunks) == lines
    assert lines_of(LineReader(), *(bytes([byte]) for byte in stream)) == lines


def test_a_line_of_exactly_the_limit_passes_and_one_byte_more_does_not() -> None:
    fits = b"x" * (FRAME_BYTES - 1)
    assert lines_of(LineReader(), fits + b"\n") == [fits]
    with pytest.raises(FrameError):
        lines_of(LineReader(), fits + b"x\n")


def test_a_line_that_never_ends_is_refused_as_soon_as_it_cannot_fit_any_more() -> None:
    reader = LineReader()
    assert lines_of(reader, b"x" * (FRAME_BYTES - 1)) == []
    with pytest.raises(FrameError):
        lines_of(reader, b"x")
    with pytest.raises(FrameError):
        reader.next_line()
    assert reader.pending == FRAME_BYTES


def test_lines_before_one_that_is_too_long_are_still_given() -> None:
    reader = LineReader()
    reader.receive(b"{}\n" + b"x" * FRAME_BYTES + b"\n")
    assert reader.next_line() == b"{}"
    with pytest.raises(FrameError):
        reader.next_line()


def test_messages_of_both_sides_survive_the_wire() -> None:
    assert decode_from_extension(encode(Title(seq=3, title="snöw ☃"))) == Title(seq=3, title="snöw ☃")
    response = Response(seq=1, response_id="a", id="b", by=By("ada", "phone"), text="\n\x00")
    assert encode(response).count(b"\n") == 1
    assert decode_from_daemon(encode(response)) == response


def test_a_message_of_exactly_one_frame_is_encoded_and_a_larger_one_is_not() -> None:
    empty = len(encode(Notification(seq=1, message="")))
    assert len(encode(Notification(seq=1, message="x" * (FRAME_BYTES - empty)))) == FRAME_BYTES
    with pytest.raises(FrameError):
        encode(Notification(seq=1, message="x" * (FRAME_BYTES - empty + 1)))


def test_unknown_fields_and_unknown_types_are_no_errors() -> None:
    assert decode_from_extension(b'{"type":"ping","seq":1,"n":2,"later":{"x":[]}}') == Ping(seq=1, n=2)
    assert decode_from_extension(b'{"type":"telepathy","seq":7,"n":[]}') == Unknown(7)
    assert decode_from_daemon(b'{"type":"telepathy","seq":7}') == Unknown(7)
    assert decode_from_daemon(b'{"type":"ack","seq":1,"upTo":5}') == Ack(seq=1, up_to=5)


NO_MESSAGES = [
    b"",
    b"[]",
    b"null",
    b'"hello"',
    b"{",
    b"{}{}",
    b"\xff\xfe",
    b'\xef\xbb\xbf{"type":"ping","seq":1,"n":1}',
    b'{"seq":1}',
    b'{"type":"ping"}',
    b'{"type":5,"seq":1}',
    b'{"type":"ping","seq":"1","n":1}',
    b'{"type":"ping","seq":1.5,"n":1}',
    b'{"type":"ping","seq":true,"n":1}',
    b'{"type":"ping","seq":1,"n":"1"}',
    b'{"type":"ping","seq":1}',
    b'{"type":"ping","seq":1,"n":NaN}',
    b'{"type":"ping","seq":1,"n":1e999}',
    b'{"type":"ping","seq":1,"n":' + b"1" * 5000 + b"}",
    b'{"type":"title","seq":1,"title":"\\ud800"}',
    b'{"type":"telepathy","seq":1,"x":' + b"[" * 200_000,
    b'{"type":"title","seq":1,"x":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"}",
]


@pytest.mark.parametrize("line", NO_MESSAGES, ids=lambda line: repr(line[:48]))
def test_what_is_no_message_is_a_frame_error(line: bytes) -> None:
    with pytest.raises(FrameError):
        decode_from_extension(line)


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"hunter2","seq":"hunter2"}',
        b'{"type":"notification","seq":1,"message":"m","notifyType":"hunter2"}',
        b'{"type":"prompt_opened","seq":1,"prompt":{"id":"p","method":"select","timeoutAt":"hunter2","title":"t","openedAt":1}}',
        b'{"type":"hello","seq":1,"protocol":{"min":"hunter2","max":1}}',
    ],
)
def test_an_error_never_quotes_the_peer(line: bytes) -> None:
    with pytest.raises(FrameError) as caught:
        decode_from_extension(line)
    assert "hunter2" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_wrong_field_is_named() -> None:
    with pytest.raises(FrameError, match=r"prompt_opened: wrong or missing value at prompt\.method"):
        decode_from_extension(b'{"type":"prompt_opened","seq":1,"prompt":{"id":"p","method":7,"title":"t","openedAt":1}}')


def test_the_range_of_a_hello_can_be_read_when_the_rest_of_it_cannot() -> None:
    line = b'{"type":"hello","seq":1,"protocol":{"min":8,"max":9},"terminal":"moved elsewhere"}'
    assert decode_envelope(line) == ("hello", 1)
    assert decode_range(line).max == 9
    with pytest.raises(FrameError):
        decode_hello(line)


@settings(max_examples=300)
@given(
    st.binary(max_size=200)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "seq", "n", "prompt", "id"]), inner),
        max_leaves=12,
    ).map(lambda value: json.dumps(value).encode())
)
def test_garbage_is_a_message_or_a_frame_error_and_nothing_else(line: bytes) -> None:
    for decode in (decode_from_extension, decode_from_daemon, decode_envelope, decode_range, decode_hello):
        try:
            decode(line)
        except FrameError:
            continue
