"""Promise: content travels whole in frames that fit, and looks on a screen as what it is, with nothing left out or obeyed."""

from __future__ import annotations

import unicodedata

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.limits import CONTENT_BYTES, PIECE_BYTES
from mirrord.client.content import text_answer, visible


def test_a_short_text_is_one_frame() -> None:
    answer = text_answer("p", "r", "one\r\ntwo\t")
    assert [msgspec.to_builtins(frame) for frame in answer.frames] == [
        {"type": "extension_ui_response", "id": "p", "responseId": "r", "value": "one\r\ntwo\t"}
    ]


@pytest.mark.parametrize(
    "text", ["x" * (PIECE_BYTES - 1), "\x1b" * (PIECE_BYTES // 6 + 1), "é" * CONTENT_BYTES, "🌷" * (CONTENT_BYTES // 4)]
)
def test_a_long_text_comes_in_pieces_that_fit_and_make_it_again(text: str) -> None:
    answer = text_answer("p", "r", text)
    parts = len(answer.pieces)
    assert parts > 1
    assert answer.response.parts == parts
    assert answer.response.value is None
    assert [(piece.response_id, piece.part, piece.parts) for piece in answer.pieces] == [("r", part, parts) for part in range(parts)]
    assert all(len(msgspec.json.encode(piece.text)) <= PIECE_BYTES for piece in answer.pieces)
    assert "".join(piece.text for piece in answer.pieces) == text


def test_a_text_is_in_no_repr() -> None:
    assert "hunter2" not in repr(text_answer("p", "r", "hunter2"))
    assert "hunter2" not in repr(text_answer("p", "r", "hunter2" * PIECE_BYTES))


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("plain", "plain"),
        ("\ta\x1b[31mb\r", "⇥a␛[31mb␍"),
        ("\x00\x07\n\x7f\x9b2J", "␀␇␊␡<U+009B>2J"),
        ("x\u202ey\u2028", "x<U+202E>y<U+2028>"),
        ("\u200bz\u3164", "<U+200B>z<U+3164>"),
        ("\ud800", "<U+D800>"),
        ("👨\u200d👩 and a\u200db", "👨\u200d👩 and a<U+200D>b"),
        ("  two  blanks  ", "  two  blanks  "),
    ],
)
def test_what_cannot_be_shown_is_a_mark(line: str, shown: str) -> None:
    assert visible(line) == shown


@given(st.text(max_size=60))
def test_no_line_of_content_holds_a_control_character(line: str) -> None:
    assert not [character for character in visible(line) if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")]


@given(st.text(alphabet=st.characters(categories=("Cc", "Cf", "Zl", "Zp", "L", "N")), min_size=1, max_size=30))
def test_nothing_vanishes(line: str) -> None:
    assert len(visible(line)) >= len(line)
