"""A prompt cut to its beginning, for a session whose open prompts are already as much as a client can be sent at once.

It stays answerable: options past the shown ones come in pages and a prefill in pieces, as they do for any long prompt. Only of an `ask`
nothing can be fetched, so that one whose questions find no room is answered at the terminal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import json
from msgspec.structs import replace

from mirrord.wire.limits import CUT_PROMPT_BYTES
from mirrord.wire.messages import ExtensionUIRequest, Question, Truncation
from sanitize import text

TEXT_BYTES: Final = CUT_PROMPT_BYTES // 8
"""Of a title or a message, in UTF-8 bytes: JSON at most doubles clean text, so both leave half of the room."""

LINE_BYTES: Final = TEXT_BYTES // 4
"""Of a placeholder or a question."""

FIELDS: Final = ("title", "message", "placeholder", "options", "questions")
"""Of which `truncated` may have an entry; what is told of a single question counts as part of the questions."""

CUTS_BYTES: Final = 512
"""For these entries, as JSON."""

TOO_LARGE: Final = "Too much is asked at once: answer this at the terminal."


def abridged(whole: ExtensionUIRequest, prefill_parts: int | None) -> ExtensionUIRequest:
    """`whole` in at most CUT_PROMPT_BYTES of JSON; what was cut is listed in `truncated`.

    `prefill_parts` is how many pieces the prefill comes in, None when there is none.
    """
    cuts = {cut.field: cut for cut in whole.truncated if cut.field in FIELDS}

    def cut(name: str, value: str, limit: int) -> str:
        clean = text(value, limit_bytes=limit)
        if clean.truncated:
            cuts[name] = Truncation(name, len(clean.text.encode()), max(clean.total, cuts[name].total if name in cuts else 0))
        return clean.text

    short = replace(
        whole,
        title=cut("title", whole.title, TEXT_BYTES),
        message=cut("message", whole.message, TEXT_BYTES) if whole.message is not None else None,
        placeholder=cut("placeholder", whole.placeholder, LINE_BYTES) if whole.placeholder is not None else None,
        options=() if whole.options is not None else None,
        questions=() if whole.questions is not None else None,
        prefill=None,
        prefill_parts=prefill_parts,
        truncated=(),
    )
    room = CUT_PROMPT_BYTES - CUTS_BYTES - len(json.encode(short))
    if whole.options is not None:
        shown = tuple(_fitting(whole.options, room))
        count = whole.option_count or len(whole.options)
        if len(shown) < count:
            cuts["options"] = Truncation("options", len(shown), count)
        short = replace(short, options=shown)
    if whole.questions is not None:
        asked = tuple(_short(question) for question in whole.questions)
        left_out = tuple(
            _left_out(place, *pair) for place, pair in enumerate(zip(asked, whole.questions, strict=True)) if pair[0] != pair[1]
        )
        if len(json.encode((asked, left_out))) <= room:
            cuts |= {cut.field: cut for cut in left_out}
            short = replace(short, questions=asked)
        else:
            cuts["questions"] = Truncation("questions", 0, len(asked))
            short = replace(short, terminal_only=TOO_LARGE)
    return replace(short, truncated=tuple(cuts.values()))


def _fitting(options: tuple[str, ...], room: int) -> Iterator[str]:
    """The first of them, as many as `room` bytes of JSON hold."""
    for option in options:
        room -= len(json.encode(option)) + 1
        if room < 0:
            return
        yield option


def _short(question: Question) -> Question:
    """Without what describes the options; their labels stay whole, for they are what is chosen."""
    options = tuple(replace(option, description=None) for option in question.options)
    return replace(question, question=text(question.question, limit_bytes=LINE_BYTES).text, options=options)


def _left_out(place: int, short: Question, whole: Question) -> Truncation:
    return Truncation(f"questions.{place}", len(json.encode(short)), len(json.encode(whole)))
