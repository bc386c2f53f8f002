"""Promise: what an editor holds comes back to the extension byte for byte; what cannot travel is refused before, with the reason."""

from __future__ import annotations

import itertools
import time
from typing import Final

import pytest

from bridge.limits import CONTENT_BYTES
from mirrord.client import text_answer
from mirrord.client.replies import PrefillPiece, read_data
from mirrord.wire import messages as wire
from tests.e2e.play import Asked, Play
from tests.e2e.remote import Remote

NASTY: Final = (
    "line\r\n\tindented \x1b[31mred\x1b[0m\x1b]0;title\x07 \u202edlrow\u202c \u2066isolated\u2069 "
    '\U0001f9ea é "quoted" \\ \u2028\x7f\x00end\n'
)
HALF: Final = "a flower \ud83c without its other half"
# In UTF-16 units, which is how the exerciser cuts it; about 1,020,000 bytes.
UNITS: Final = 880_000
# Pi draws a text of 1 MB in a second on an idle machine.
DRAWN: Final = 30.0
numbers = itertools.count()


def cut(of: str, units: int) -> str:
    """As JavaScript repeats and cuts a text."""
    once = of.encode("utf-16-le", "surrogatepass")
    whole = (once * (2 * units // len(once) + 1))[: 2 * units]
    return whole.decode("utf-16-le", "surrogatepass")


def open_editor(play: Play, of: str, units: int) -> Asked:
    title = f"Edit {next(numbers)}"
    before = play.rest()
    play.stage.run("t-editor", id=title, title=title, prefill={"size": units, "of": of})
    prompt = play.phone.prompt(title, DRAWN)
    return Asked(prompt, "t-editor", title, before)


def fetched(remote: Remote, prompt: wire.ExtensionUIRequest) -> str:
    """The prefill as a client gets it: with the prompt, or in pieces."""
    if prompt.prefill_parts is None:
        assert prompt.prefill is not None
        return prompt.prefill
    texts = []
    for part in range(prompt.prefill_parts):
        request = f"{prompt.id}/{part}"
        remote.send(wire.Command(request_id=request, name="prefill", args={"id": prompt.id, "part": part}))
        result = remote.wait(wire.CommandResult, lambda result, request=request: result.request_id == request)  # type: ignore[misc]
        piece = read_data("prefill", result.data, PrefillPiece)
        assert (piece.part, piece.parts) == (part, prompt.prefill_parts)
        texts.append(piece.text)
    return "".join(texts)


def value(play: Play, asked: Asked) -> object:
    return play.stage.log.result(asked.name, asked.run, DRAWN).value


@pytest.mark.timeout(120)
def test_a_megabyte_is_opened_afar_and_saved_unchanged(play: Play) -> None:
    whole = cut(NASTY, UNITS)
    assert 1_000_000 < len(whole.encode()) < CONTENT_BYTES
    asked = open_editor(play, NASTY, UNITS)
    assert asked.prompt.terminal_only is None
    assert fetched(play.phone, asked.prompt) == whole
    assert play.phone.answer(asked.id, unchanged=True).accepted
    assert value(play, asked) == whole
    play.everybody_is_told(asked, "answered", "remote", by="phone")


@pytest.mark.timeout(120)
def test_a_megabyte_is_edited_afar_and_every_other_byte_is_what_it_was(play: Play) -> None:
    asked = open_editor(play, NASTY, UNITS)
    edited = fetched(play.phone, asked.prompt).replace("line\r\n", "first\r\n", 1) + "\r\n\t"
    answer = text_answer(asked.id, f"edit {time.time_ns()}", edited)
    assert answer.pieces
    for frame in answer.frames:
        play.phone.send(frame)
    assert play.phone.result(answer.response_id).accepted
    assert value(play, asked) == edited


@pytest.mark.timeout(120)
def test_content_over_the_limit_is_shown_as_too_large_and_can_be_cancelled(play: Play) -> None:
    asked = open_editor(play, NASTY, CONTENT_BYTES)
    cannot_be_answered(play, asked, "This is too large to be answered from here: answer at the terminal.")


def test_content_with_half_a_character_is_refused_before(play: Play) -> None:
    asked = open_editor(play, HALF, len(HALF))
    cannot_be_answered(play, asked, "This holds characters that cannot be carried whole: answer at the terminal.")


def cannot_be_answered(play: Play, asked: Asked, why: str) -> None:
    """The reason is told with the prompt, and again to who tries; the prompt stays open, and a remote may close it."""
    assert (asked.prompt.terminal_only, asked.prompt.prefill, asked.prompt.prefill_parts) == (why, None, None)
    for answer in ({"unchanged": True}, {"value": "mine"}):
        result = play.phone.answer(asked.id, **answer)
        assert (result.accepted, result.reason, result.detail) == (False, "terminal_only", why)
    assert play.phone.answer(asked.id, cancelled=True).accepted
    assert play.stage.log.result(asked.name, asked.run, DRAWN).outcome == "undefined"
    play.everybody_is_told(asked, "cancelled", "remote", by="phone")
