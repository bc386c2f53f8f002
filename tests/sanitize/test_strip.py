"""Promise: no escape sequence, control or invisible character survives, whole payloads go, and plain text is untouched."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitize.limits import STRING_CHARACTERS
from sanitize.strip import drop_private, strip

CASES = [
    # CSI
    ("colours", "A\x1b[31mB\x1b[0m", "AB"),
    ("colon parameters", "A\x1b[38:2::255:0:0mB", "AB"),
    ("private parameters", "A\x1b[?2004hB\x1b[>4;2mC\x1b[<uD\x1b[=5;1uE", "ABCDE"),
    ("intermediates", "A\x1b[2 qB\x1b[!pC\x1b[?2026$pD\x1b['wE\x1b[\"qF\x1b[*yG", "ABCDEFG"),
    ("private marker in the middle", "A\x1b[1?2mB", "AB"),
    ("five thousand parameters", "A\x1b[" + "1;" * 5000 + "mB", "AB"),
    ("no final byte", "A\x1b[12;", "A"),
    ("cancelled", "A\x1b[3\x18B\x1b[3\x1aC", "ABC"),
    ("restarted by an escape", "A\x1b[3\x1b[1mB", "AB"),
    ("ended by a letter that is none", "A\x1b[\xb2mB", "A\xb2mB"),
    ("controls inside", "A\x1b[3\x001\x07\x7fmB", "AB"),
    ("line ends inside are obeyed", "A\x1b[3\r\n1\tmB", "A\n\tB"),
    ("8-bit", "A\x9b1mB\x9b?25lC", "ABC"),
    # strings
    ("OSC ended by BEL", "A\x1b]0;title\x07B", "AB"),
    ("OSC ended by ST", "A\x1b]52;c;aGVsbG8=\x1b\\B", "AB"),
    ("OSC ended by 8-bit ST", "A\x1b]8;;https://a.example/\x9cB", "AB"),
    ("8-bit OSC", "A\x9d0;title\x07B\x9d0;title\x9cC", "ABC"),
    ("a link keeps its text", "\x1b]8;id=1;https://a.example/?x=1;y=2\x1b\\link\x1b]8;;\x1b\\ t", "link t"),
    ("empty OSC", "A\x1b]\x07B\x1b]\x1b\\C", "ABC"),
    ("DCS", "A\x1bPq#0;2;0;0;0#0~~@@vv\x1b\\B\x90q#0~\x9cC", "ABC"),
    ("DCS is not ended by BEL", "A\x1bPa\x07b\x1b\\B", "AB"),
    ("DCS of several lines", "A\x1bPq\n#0~~\n#1~~\n\x1b\\B", "AB"),
    ("a sequence in a DCS", "A\x1bPtmux;\x1b\x1b]8;;http://x\x07\x1b\\B", "AB"),
    ("APC", "A\x1b_Ga=T,f=100;iVBORw0KGgo=\x1b\\B\x9fGa=T;AAAA\x9cC", "ABC"),
    ("APC ended by BEL, as Pi marks its cursor", "A\x1b_pi:c\x07B", "AB"),
    ("PM and SOS", "A\x1b^secret\x1b\\B\x1bXsecret\x1b\\C\x9esecret\x9cD\x98secret\x9cE", "ABCDE"),
    ("cancelled string", "A\x1b]8;;https://a.example/\x18B\x1bPq\x1aC", "ABC"),
    ("string cut off by an escape", "A\x1b]8;;https://a.example/\x1b[1mB", "AB"),
    ("string cut off by an 8-bit control", "A\x1b]0;x\x84B", "AB"),
    ("string without an end, to the end of its line", "A\x1b]0;x\nB\x1bPy\rC\x9fz\u2028D", "A\nB\nC\nD"),
    # other escapes
    ("two-byte escapes", "A\x1bcB\x1b7C\x1b=D\x1bnE\x1b\\F", "ABCDEF"),
    ("escapes with intermediates", "A\x1b(0B\x1b#3C\x1b%GD\x1b FE\x1b(%5F", "ABCDEF"),
    ("next line", "A\x1bEB\x85C", "A\nB\nC"),
    ("a control inside an escape", "A\x1b\x00[31mB\x1b\x00]0;x\x07C\x1b\nD", "ABC\n"),
    ("escapes in a row", "A\x1b\x1b\x1b[31mB", "AB"),
    ("an escape before a letter that is none", "A\x1béB", "AéB"),
    ("an escape at the end", "A\x1b", "A"),
    # controls
    ("C0 and DEL", "a\x00\x01\x05\x07\x08\x0e\x0f\x1c\x1fb\x7fc", "abc"),
    ("C1", "a\x80\x81\x84\x86\x88\x8d\x8e\x9a\x9cb", "ab"),
    ("line ends", "a\rb\r\nc\x0bd\x0ce\u2028f\u2029g\n\rh", "a\nb\nc\nd\ne\nf\ng\n\nh"),
    ("CRLF with something removed between", "a\r\x1b[K\u200b\nb", "a\nb"),
    ("tabs stay", "a\tb", "a\tb"),
    # invisible characters
    ("direction", "a\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u206a\u206fb", "ab"),
    ("zero width", "a\u200b\u200c\u200d\u2060\u2061\u2064\ufeffb", "ab"),
    ("soft hyphen, grapheme joiner, Khmer and Mongolian signs", "a\xad\u034f\u17b4\u17b5\u180b\u180e\u180fb", "ab"),
    ("Hangul fillers", "a\u115f\u1160\u3164\uffa0b", "ab"),
    ("interlinear annotation", "a\ufff9b\ufffac\ufffbd", "abcd"),
    ("variation selectors", "a\ufe00\ufe0d\ufe0e\ufe0f\U000e0100\U000e01efb", "ab"),
    ("tags", "a\U000e0001\U000e0041\U000e0020\U000e007fb", "ab"),
    ("format controls of scripts and music", "a\U00013430\U0001bca0\U0001d173\U0001d159b", "ab"),
    ("noncharacters", "a\ufdd0\ufdef\ufffe\uffff\U0001fffe\U0010ffffb", "ab"),
    ("lone surrogates", "a\ud800b\udfffc\ude00\ud83d", "a\ufffdb\ufffdc\ufffd\ufffd"),
]


@pytest.mark.parametrize(("raw", "clean"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_what_is_left(raw: str, clean: str) -> None:
    assert strip(raw) == clean


@pytest.mark.parametrize(
    "plain",
    [
        "",
        "plain ASCII: ~{|}[\\]^_`@",
        "Zürich, Ελλάδα, Россия, 日本語, 한국어, ไทย, עברית, العربية, हिन्दी",
        "می\u200cگویند, क्\u200dष, क्\u200cष, അവന്\u200d, ශ්\u200dරී",
        "👩‍👩‍👧 🏳️‍🌈 🇩🇪 👍🏽 1️⃣ ⚠️ ☎︎",
        "│─┌┐ ⣿⡇ \ue0b0 \U000f0001 \ufffc \ufffd",
    ],
)
def test_visible_text_of_every_script_is_untouched(plain: str) -> None:
    assert strip(plain) == plain


@pytest.mark.parametrize("introducer", ["\x1b]", "\x1bP", "\x1bX", "\x1b^", "\x1b_", "\x9d", "\x90", "\x98", "\x9e", "\x9f"])
def test_a_string_that_nothing_ends_hides_so_much_and_not_more(introducer: str) -> None:
    assert strip("A" + introducer + "x" * STRING_CHARACTERS) == "A"
    assert strip("A" + introducer + "x" * STRING_CHARACTERS + "y") == "Ay"


def test_a_string_that_is_ended_goes_whole_however_long_it_is() -> None:
    assert strip("A\x1bPq" + "x\n" * STRING_CHARACTERS + "\x1b\\B") == "AB"


def test_private_characters_go_where_they_are_not_wanted() -> None:
    assert drop_private("\ue000a\uf8ffb\U000f0000c\U000ffffd\U00100000d\U0010fffd") == "abcd"
    assert drop_private("\ud7ff\uf900\U000e0100 plain") == "\ud7ff\uf900\U000e0100 plain"


PIECES = st.sampled_from(
    [
        *("\x1b", "[", "]", "P", "_", "X", "\\", "\x07", "\x18", "\x9b", "\x9c", "\x9d", "\x90", "\x9f", "\x85", "E"),
        *("1;2", "m", " ", "!", "\n", "\r", "\t", "\x00", "\x7f", "\u200b", "\u202e", "\u200d", "\ufe0f", "👩", "é", "\ud800"),
        *("\u200c", "م", "\u094d"),
        *("\U000e0067", "\u2028", "\ufffe"),
    ]
)
DIRTY = st.one_of(st.lists(PIECES, max_size=30).map("".join), st.text(st.characters(codec=None), max_size=30))

VISIBLE_FORMATS = set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd")
"""Format characters that are drawn: number signs of Arabic, Syriac and Kaithi."""


@given(DIRTY)
def test_nothing_forbidden_comes_out(raw: str) -> None:
    for character in strip(raw):
        category = unicodedata.category(character)
        assert category != "Cs"
        assert category != "Cc" or character in "\n\t"
        assert category not in {"Zl", "Zp"}
        assert category != "Cf" or character in VISIBLE_FORMATS | {"\u200c", "\u200d"} or 0xE0020 <= ord(character) <= 0xE007F
        assert ord(character) & 0xFFFE != 0xFFFE


@given(DIRTY)
def test_a_clean_text_is_not_changed_again(raw: str) -> None:
    assert strip(strip(raw)) == strip(raw)


@pytest.mark.parametrize("cut", range(0, 200, 7))
def test_a_message_cut_anywhere_never_lets_an_escape_through(cut: int) -> None:
    whole = "".join(raw for _, raw, _ in CASES if len(raw) < 100)
    assert "\x1b" not in strip(whole[cut:])
