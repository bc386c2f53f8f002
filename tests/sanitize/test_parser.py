"""Promise: a handler is told the same sequences however the text was cut, each at its end, and nothing of what is malformed."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanitize.counters import Counters
from sanitize.limits import OSC_CHARACTERS, SGR_CHARACTERS
from sanitize.parser import Parser

Call = tuple[str, ...]


class Recorder:
    """Notes what it is told; runs of text that follow each other are one."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def text(self, run: str) -> None:
        assert run
        before = self.calls.pop()[1] if self.calls and self.calls[-1][0] == "text" else ""
        self.calls.append(("text", before + run))

    def control(self, character: str) -> None:
        self.calls.append(("control", character))

    def escape(self, intermediates: str, final: str) -> None:
        self.calls.append(("escape", intermediates, final))

    def csi(self, prefix: str, parameters: str, intermediates: str, final: str) -> None:
        self.calls.append(("csi", prefix, parameters, intermediates, final))

    def osc(self, text: str) -> None:
        self.calls.append(("osc", text))


def parse(*pieces: str) -> tuple[list[Call], int]:
    """What a handler is told of the pieces, and how much was dropped."""
    recorder, counters = Recorder(), Counters()
    parser = Parser(recorder, counters)
    for piece in pieces:
        parser.feed(piece)
    return recorder.calls, counters.sequences


def text(run: str) -> Call:
    return ("text", run)


def sgr(parameters: str) -> Call:
    return ("csi", "", parameters, "", "m")


A, B = text("A"), text("B")

CASES: list[tuple[str, str, list[Call], int]] = [
    ("text", "Zürich 日本 👩‍👧", [text("Zürich 日本 👩‍👧")], 0),
    ("controls", "A\r\n\x00B\x7f\x07", [A, ("control", "\r"), ("control", "\n"), ("control", "\0"), B, ("control", "\x07")], 0),
    ("an escape", "A\x1b7B\x1bcA", [A, ("escape", "", "7"), B, ("escape", "", "c"), A], 0),
    (
        "intermediates",
        "\x1b(0\x1b#8\x1b(%5\x1b F",
        [("escape", "(", "0"), ("escape", "#", "8"), ("escape", "(%", "5"), ("escape", " ", "F")],
        0,
    ),
    ("an escape with a control in it", "\x1b\r\x00\x7f(\n0A", [*(("control", c) for c in "\r\0\n"), ("escape", "(", "0"), A], 0),
    ("an escape cut off by another", "\x1b\x1b(\x1b7", [("escape", "", "7")], 2),
    ("an escape given up", "\x1b\x18A\x1b(\x1aB", [text("AB")], 2),
    ("an escape before a letter that is none", "\x1béA", [A], 1),
    ("ST alone", "A\x1b\\B", [A, ("escape", "", "\\"), B], 0),
    ("a control sequence", "A\x1b[31mB\x1b[H", [A, sgr("31"), B, ("csi", "", "", "", "H")], 0),
    (
        "all of its parts",
        "\x1b[?1;2$p\x1b[>4m\x1b[<u\x1b[=5;1u\x1b[ q",
        [
            ("csi", "?", "1;2", "$", "p"),
            ("csi", ">", "4", "", "m"),
            ("csi", "<", "", "", "u"),
            ("csi", "=", "5;1", "", "u"),
            ("csi", "", "", " ", "q"),
        ],
        0,
    ),
    ("colons", "\x1b[38:2::255:0:0mA", [sgr("38:2::255:0:0"), A], 0),
    ("a control in the middle", "\x1b[3\r1\x00\x7f\nmA", [("control", "\r"), ("control", "\0"), ("control", "\n"), sgr("31"), A], 0),
    ("cut off by an escape", "\x1b[3\x1b[1mA\x1b[4\x1b7", [sgr("1"), A, ("escape", "", "7")], 2),
    ("given up", "\x1b[3\x18A\x1b[3\x1aB", [text("AB")], 2),
    ("a prefix in the middle", "\x1b[1?2mA\x1b[?1?2hB", [text("AB")], 2),
    ("a number after an intermediate", "\x1b[1 2mA", [A], 1),
    ("malformed until its final, whatever is between", "\x1b[1?é日\r2mA", [("control", "\r"), A], 1),
    ("a digit that is none", "A\x1b[²mB", [text("AmB")], 1),
    ("as many parameters as are read", f"\x1b[{'1' * SGR_CHARACTERS}mA", [sgr("1" * SGR_CHARACTERS), A], 0),
    ("one more", f"\x1b[{'1' * (SGR_CHARACTERS + 1)}mA", [A], 1),
    ("as many with a prefix", f"\x1b[?{'1' * (SGR_CHARACTERS - 1)}hA", [("csi", "?", "1" * (SGR_CHARACTERS - 1), "", "h"), A], 0),
    ("one more with a prefix", f"\x1b[?{'1' * SGR_CHARACTERS}hA", [A], 1),
    ("a string ended by BEL", "A\x1b]0;title\x07B", [A, ("osc", "0;title"), B], 0),
    ("ended by ST", "A\x1b]8;;https://a.example/\x1b\\B", [A, ("osc", "8;;https://a.example/"), B], 0),
    ("ended by 8-bit ST", "A\x1b]0;t\x9cB", [A, ("osc", "0;t"), B], 0),
    ("empty", "A\x1b]\x07\x1b]\x1b\\B", [A, ("osc", ""), ("osc", ""), B], 0),
    ("controls in a string", "\x1b]0;a\r\nb\x00\x7f\x07A", [("osc", "0;a\r\nb\x00\x7f"), A], 0),
    ("letters of every script in a string", "\x1b]0;日❜é\x07A", [("osc", "0;日❜é"), A], 0),
    ("a palette of Linux is a string as any other", "A\x1b]P1ff0000B", [A], 0),
    ("a string given up", "\x1b]8;;x\x18A\x1b]8;;x\x1aB", [text("AB")], 2),
    ("a string cut off by an escape", "\x1b]8;;https://a.example/\x1b[1mA\x1b]0;t\x1b7B", [sgr("1"), A, ("escape", "", "7"), B], 2),
    ("a string cut off by an escape that is cut off", "\x1b]0;t\x1b\x1b[1mA", [sgr("1"), A], 2),
    ("a string as long as is kept", f"\x1b]{'x' * OSC_CHARACTERS}\x07A", [("osc", "x" * OSC_CHARACTERS), A], 0),
    ("one character more", f"\x1b]{'x' * (OSC_CHARACTERS + 1)}\x07A", [A], 1),
    ("a string that nothing ends", "A\x1b]0;never", [A], 0),
    ("DCS", "A\x1bPq#0;2\x07#0~~\x1b\\B", [text("AB")], 1),
    ("a sequence in a DCS", "A\x1bPtmux;\x1b\x1b]8;;x\x07\x1b\\B", [A, ("osc", "8;;x"), ("escape", "", "\\"), B], 2),
    ("APC, PM, SOS", "A\x1b_Gx\x1b\\\x1b^x\x1b\\\x1bXx\x07\x1b\\B", [text("AB")], 3),
    ("Pi's marks of its cursor", "A\x1b_pi:c\x07B\x1b_pi:fc\x07A\x1b_pi:/fc\x07B", [text("ABAB")], 3),
    ("8-bit controls", "A\x9b1m\x9d0;t\x9c\x90q\x9cB\x85\x9f\x9c", [A, sgr("1"), ("osc", "0;t"), B, ("escape", "", "E")], 2),
    ("a string cut off by an 8-bit control", "\x1b]0;x\x84A", [("escape", "", "D"), A], 1),
]


@pytest.mark.parametrize(("data", "calls", "dropped"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_a_handler_is_told(data: str, calls: list[Call], dropped: int) -> None:
    assert parse(data) == (calls, dropped)
    assert parse(*data) == (calls, dropped)


@pytest.mark.parametrize("limit", [SGR_CHARACTERS, OSC_CHARACTERS])
@pytest.mark.parametrize("introducer", ["\x1b[", "\x1b[?", "\x1b", "\x1b]", "\x1bP", "\x1b_"])
def test_what_has_no_end_is_not_collected(introducer: str, limit: int) -> None:
    parser = Parser(Recorder(), Counters())
    parser.feed(introducer)
    for _ in range(100):
        parser.feed(" " * limit)
    assert len(parser._kept) <= OSC_CHARACTERS + 1


def test_after_a_reset_nothing_is_unfinished() -> None:
    recorder = Recorder()
    parser = Parser(recorder, Counters())
    for unfinished in ("\x1b", "\x1b(", "\x1b[31", "\x1b]0;t", "\x1b]0;t\x1b", "\x1bPq"):
        parser.feed(unfinished)
        parser.reset()
        parser.feed("m")
    assert recorder.calls == [("text", "m" * 6)]


PIECES = st.sampled_from(
    [
        *("\x1b", "[", "]", "P", "_", "\\", "\x07", "\x18", "\x7f", "\x00", "\r", "?", "1", ";", ":", " ", "!", "m", "h", "8;;", "A", "é"),
        *("\x9b", "\x9c", "\x9d", "\x85", "\x1b[1m", "\x1b[?25l", "\x1b]0;t\x07", "\x1b]0;t\x1b\\", "日本", "\u200b", "²"),
    ]
)


@given(st.lists(PIECES, max_size=25), st.lists(st.integers(0, 50)))
@settings(max_examples=300)
def test_the_cuts_do_not_matter(pieces: list[str], cuts: list[int]) -> None:
    data = "".join(pieces)
    ends = sorted({0, len(data), *(min(cut, len(data)) for cut in cuts)})
    assert parse(*(data[start:end] for start, end in pairwise(ends))) == parse(data) == parse(*data)
