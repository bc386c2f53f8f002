"""Promise: what the real Pi wrote becomes the screen that was on it, mark by mark, in both generations and modes.

`fixtures/sanitize/recordings/` holds what Pi wrote in a terminal (`.bin`) and, beside it, what was shown when (`.json`: `marks` are
offsets, `pyteScreens` the rows at some of them). Those screens come from pyte, whose known faults do not show at a mark; where they show
is tested by itself:

| fault of stock pyte | right |
|---|---|
| `CSI < u` prints u, `APC … ST` its payload, `CSI > 4;2 m` underlines | they draw nothing |
| no alternate screen, so Pi's end is drawn over its last frame | the normal screen is back |
| an OSC 8 loses its target | the text has its link |
| text after a selector or a joiner is lost | nothing is lost: the cases in terminal.jsonl |

`python -m tests.harness.record` makes new ones.
"""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Final

import pytest

from sanitize.counters import Counters
from sanitize.spans import Line
from sanitize.terminal import Terminal
from tests.sanitize.rendering import FIXTURES, PENS, Case, texts, trimmed

RECORDINGS: Final = sorted((FIXTURES / "recordings").glob("*.bin"))

SILENT: Final = re.compile(
    rb"\x1b\[<[0-9]*u"  # keyboard protocols, off
    rb"|\x1b\[>[0-9;]*[um]"  # keyboard protocols, on
    rb"|\x1b\[\?[0-9]*u|\x1b\[c|\x1b\[16t"  # queries
    rb"|\x1b\[\?(?:2026|25|2004|1000|1002|1003|1004|1006|2031)[hl]"
    rb"|\x1b\](?:0|4|9|10|11|133|7501);[^\x07\x1b]*(?:\x07|\x1b\\)"
    rb"|\x1b_[^\x07\x1b]*(?:\x07|\x1b\\)"  # images
)
"""What Pi writes that draws nothing."""

DOCS: Final = ("link", "https://example.com/docs")
EXAMPLE: Final = ("link", "https://example.com/x")
LINKS: Final = {
    "stream-markdown-osc8": {"turn": [DOCS]},
    "custom": {"open": [EXAMPLE], "key": [EXAMPLE]},
    "overlay": {"open": [EXAMPLE]},
    "widget": {"component": [EXAMPLE], "status": [EXAMPLE]},
}
"""Kind of recording → mark → text and target of each link on the screen. At all other marks there is none."""


def described(recording: Path) -> Case:
    sidecar: Case = json.loads(recording.with_suffix(".json").read_text("utf-8"))
    return sidecar


def kind(recording: Path) -> str:
    return recording.name.partition("-pi")[0]


def terminal_for(sidecar: Case) -> Terminal:
    return Terminal(sidecar["cols"], sidecar["rows"], PENS, Counters())


def segments(recording: Path, sidecar: Case) -> list[tuple[str, bytes]]:
    """What was written up to each mark, since the one before it; the rest up to "the end"."""
    raw, parts, at = recording.read_bytes(), [], 0
    for mark in sidecar["marks"]:
        parts.append((mark["label"], raw[at : mark["offset"]]))
        at = mark["offset"]
    return [*parts, ("the end", raw[at:])]


def rows_of(screen: list[str]) -> list[str]:
    """A screen of the sidecar as `texts` has it."""
    rows = [row.rstrip() for row in screen]
    while rows and not rows[-1]:
        rows.pop()
    return rows


def links(rows: list[Line]) -> list[tuple[str, str]]:
    return [(span.text.strip(), span.link) for line in rows for span in line.spans if span.link]


every_recording = pytest.mark.parametrize("recording", RECORDINGS, ids=[path.stem for path in RECORDINGS])


@every_recording
def test_each_mark_shows_the_screen_that_was_there(recording: Path) -> None:
    sidecar = described(recording)
    terminal = terminal_for(sidecar)
    for label, data in segments(recording, sidecar):
        terminal.feed(data)
        if label in sidecar["pyteScreens"]:
            rows = trimmed(terminal.lines())
            assert texts(rows) == rows_of(sidecar["pyteScreens"][label]), label
            assert links(rows) == LINKS.get(kind(recording), {}).get(label, []), label


@every_recording
def test_neither_odd_pieces_nor_silent_sequences_change_what_is_shown(recording: Path) -> None:
    sidecar = described(recording)
    whole, pieces, without = (terminal_for(sidecar) for _ in range(3))
    sizes = random.Random(recording.name)
    for label, data in segments(recording, sidecar):
        whole.feed(data)
        at = 0
        while at < len(data):
            size = sizes.choice((1, 2, 3, 7, 61, 1021, 4099))
            pieces.feed(data[at : at + size])
            at += size
        without.feed(SILENT.sub(b"", data))
        assert pieces.lines() == whole.lines(), label
        assert without.lines() == whole.lines(), label


def test_both_generations_and_modes_were_recorded() -> None:
    assert len(RECORDINGS) >= 15
    seen = {(described(path)["pi"], described(path)["tuiMode"]) for path in RECORDINGS}
    assert seen == {("1.6.0", "fullscreen"), ("1.6.0", "regular"), ("0.73.1", "regular")}
    assert sum(len(described(path)["pyteScreens"]) for path in RECORDINGS) > 100


def test_every_silent_sequence_of_the_table_was_recorded() -> None:
    everything = b"".join(path.read_bytes() for path in RECORDINGS)
    for sequence in (
        b"\x1b[<u",
        b"\x1b[>7u",
        b"\x1b[>4;2m",
        b"\x1b_Ga=d,d=A,q=2",
        b"\x1b]7501;",
        b"\x1b]133;A",
        b"\x1b[?2026h",
        b"\x1b]11;?",
    ):
        assert sequence in everything, sequence


def test_nothing_is_underlined_after_the_keyboard_protocol_was_asked_for() -> None:
    (recording,) = (path for path in RECORDINGS if path.name.startswith("startup-pi0.73.1"))
    before, _, after = recording.read_bytes().partition(b"\x1b[>4;2m")
    assert after
    terminal = terminal_for(described(recording))
    terminal.feed(before + b"\x1b[>4;2mx")
    assert not [span for line in terminal.lines() for span in line.spans if "underline" in span.traits]


def test_the_normal_screen_is_back_once_pi_has_ended() -> None:
    (recording,) = (path for path in RECORDINGS if path.name.startswith("startup-pi1.6.0-fullscreen-100x30"))
    raw = recording.read_bytes()
    assert b"\x1b[?1049l" in raw
    terminal = terminal_for(described(recording))
    terminal.feed(raw)
    rows = texts(trimmed(terminal.lines()))
    assert rows[0] == ""
    assert rows[1].endswith("v1.6.0"), "Pi prints its transcript from the cursor that the shell left"
    assert sum(row.endswith("v1.6.0") for row in rows) == 1
