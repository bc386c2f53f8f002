"""Promise: SGR and OSC 8 do what they do in xterm.js, and what a pen lets through of it is decided by written rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitize.limits import PENS
from sanitize.pens import Pen, Pens
from sanitize.roles import DEFAULT, DIRECT, Palette
from sanitize.spans import ROLES, TRAITS, Role, Trait

SAFE = "https://a.example/"


class Noting(Palette):
    """A palette without roles that keeps the colour it was asked for last."""

    asked = DEFAULT

    def role(self, colour: int) -> Role | None:
        self.asked = colour
        return None


def after(*parameters: str) -> Pen:
    """The pen after these SGR sequences."""
    pens = Pens(Palette())
    pen = pens.plain
    for sequence in parameters:
        pen = pens.sgr(pen, sequence)
    return pen


def colour_after(*parameters: str) -> int:
    palette = Noting()
    pens = Pens(palette)
    pen = pens.plain
    for sequence in parameters:
        pen = pens.sgr(pen, sequence)
    return palette.asked


@pytest.mark.parametrize(
    ("parameters", "traits"),
    [
        *(("1", ["bold"]), ("3", ["italic"]), ("4", ["underline"]), ("9", ["strikethrough"])),
        *(("9;4;3;1", ["bold", "italic", "strikethrough", "underline"]), ("0001", ["bold"]), ("000000000001", ["bold"]), ("1;", [])),
        *((";1", ["bold"]), ("1;0", []), ("1;22", []), ("1;2;22", []), ("3;23;4;24;9;29", []), ("21", ["underline"]), ("21;24", [])),
        *(("4:1", ["underline"]), ("4:3", ["underline"]), ("4:", ["underline"]), ("4:9", ["underline"]), ("4:0", []), ("4;4:0", [])),
        *(("1:2", ["bold"]), ("58;5;9", []), ("58;2;1;4;9;3", ["italic"]), ("58:2::1:4:9;3", ["italic"]), ("4;59", ["underline"])),
        *(("5;6;25;53;55;51;54;10;11;20;26;50;73", []), ("48;5;1;1", ["bold"]), ("48;2;1;3;4;9", ["strikethrough"])),
        *(("41;104;49;1", ["bold"]), ("38;5;300;1", ["bold"]), ("38;1;3;4;9;5;1", ["bold"]), ("38;4:3;1", ["bold"])),
        *(("99999999999;1", ["bold"]), ("256;257;1", ["bold"]), (";".join(["3"] * 31 + ["1"]), ["bold", "italic"])),
        (";".join(["3"] * 32 + ["1"]), ["italic"]),
    ],
)
def test_attributes(parameters: str, traits: list[Trait]) -> None:
    assert after(parameters).traits == tuple(traits)


@pytest.mark.parametrize(
    ("parameters", "colour"),
    [
        *(("", DEFAULT), ("39", DEFAULT), ("31", 1), ("37", 7), ("90", 8), ("97", 15), ("31;39", DEFAULT), ("31;0", DEFAULT)),
        ("31;", DEFAULT),
        *(("38;5;1", 1), ("38;5;109", 109), ("38:5:109", 109), ("38;5", 0), ("38;5;", 0), ("38:5", 0), ("38:5:", 0), ("38;5;300", 44)),
        *(("38;2;1;2;3", DIRECT + 0x010203), ("38:2::1:2:3", DIRECT + 0x010203), ("38:2:1:2:3", DIRECT + 0x010203)),
        *(("38:2:7:1:2:3", DIRECT + 0x010203), ("38:2::1:2:3:4:5", DIRECT + 0x010203), ("38;2;999;2;3", DIRECT + 0xE70203)),
        *(("38;2;1;2", DIRECT + 0x010200), ("38;2;1", DIRECT + 0x010000), ("38;2", DIRECT), ("38;2;;;3", DIRECT + 3)),
        ("38:2::1", DIRECT + 0x010000),
        *(("38", DEFAULT), ("38;", DEFAULT), ("38:", DEFAULT), ("38;9", DEFAULT), ("38:9:1", DEFAULT), ("31;38;9", 1), ("31;38", 1)),
        *(("48;5;1", DEFAULT), ("58;5;1", DEFAULT), ("31;48;2;1;2;3", 1), ("38;5;1;38;5;2", 2), ("41", DEFAULT), ("101", DEFAULT)),
    ],
)
def test_colours(parameters: str, colour: int) -> None:
    assert colour_after(parameters) == colour


@pytest.mark.parametrize("parameters", ["?1", ">4;2", "1?", "1 ", "\xb2", "\u0661", "a", "1;-1", "1\n", "\x00"])
def test_what_is_no_list_of_numbers_changes_nothing(parameters: str) -> None:
    assert after("3", parameters).traits == ("italic",)


@pytest.mark.parametrize(
    ("parameters", "role"),
    [
        *(("", "primary"), ("1;4", "primary"), ("39", "primary"), ("31", "danger"), ("2;31", "danger"), ("7;31", "danger")),
        ("2;7;31", "danger"),
        *(("2", "muted"), ("2;7", "muted"), ("2;22", "primary"), ("2;1", "muted"), ("2;97", "muted"), ("2;37", "muted"), ("39;2", "muted")),
        *(("7", "accent"), ("7;27", "primary"), ("7;97", "accent"), ("7;37", "accent"), ("7;90", "muted"), ("8", "primary")),
    ],
)
def test_dim_is_muted_and_reverse_is_accent_unless_a_colour_says_more(parameters: str, role: Role) -> None:
    assert after(parameters).role == role


def test_concealed_text_is_invisible_until_it_is_revealed() -> None:
    assert after().visible
    assert not after("8").visible
    assert not after("8", "31;1").visible
    assert after("8", "28").visible
    assert after("8", "0").visible


def test_a_link_lasts_until_the_next_and_sgr_does_not_end_it() -> None:
    pens = Pens(Palette())
    linked = pens.linked(pens.sgr(pens.plain, "1"), SAFE)
    assert (linked.link, linked.refused, linked.traits) == (SAFE, False, ("bold",))
    assert pens.sgr(linked, "0").link == SAFE
    assert pens.linked(linked, "https://b.example/").link == "https://b.example/"
    assert pens.linked(linked, "").link is None


def test_an_unsafe_link_is_refused_and_ends_the_one_before() -> None:
    pens = Pens(Palette())
    refused = pens.linked(pens.linked(pens.plain, SAFE), "javascript:alert(1)")
    assert (refused.link, refused.refused) == (None, True)
    assert pens.sgr(refused, "1").refused
    assert not pens.linked(refused, "").refused


@pytest.mark.parametrize(
    ("sequence", "link", "traits"),
    [
        ("\x1b[1m", None, ("bold",)),
        ("\x1b[m", None, ()),
        (f"\x1b]8;;{SAFE}\x07", SAFE, ()),
        (f"\x1b]8;id=1:x=y;{SAFE}\x1b\\", SAFE, ()),
        (f"\x1b]8;;{SAFE}?x=1;y=2\x9c", f"{SAFE}?x=1;y=2", ()),
        ("\x1b]8;;\x07", None, ()),
        ("\x1b]0;title\x07", None, ()),
        ("\x1b]8\x07", None, ()),
    ],
)
def test_a_whole_sequence_is_obeyed(sequence: str, link: str | None, traits: tuple[Trait, ...]) -> None:
    pens = Pens(Palette())
    pen = pens.obey(pens.plain, sequence)
    assert (pen.link, pen.traits) == (link, traits)
    assert pens.plain.after[sequence] is pen
    assert pens.obey(pens.plain, sequence) is pen


def test_equal_looks_are_one_pen_however_they_came_about() -> None:
    pens = Pens(Palette())
    assert pens.sgr(pens.sgr(pens.plain, "1"), "31") is pens.sgr(pens.plain, "31;1")
    assert pens.sgr(pens.sgr(pens.plain, "1"), "22") is pens.plain


def test_looks_are_equal_where_nothing_that_leaves_differs() -> None:
    assert after("31").look == after("91").look == after("31;44;53").look
    assert after("31").look != after("32").look
    assert after("8").look != after().look


def test_hostile_text_cannot_make_it_remember_without_end() -> None:
    pens = Pens(Palette())
    pen = pens.plain
    for number in range(3 * PENS):
        pen = pens.sgr(pens.linked(pen, f"{SAFE}{number}"), f"1;38;2;0;{number >> 8};{number & 255}")
    assert len(pens._known) <= PENS
    assert len(pens._touched) <= PENS
    assert sum(len(touched.after) for touched in set(pens._touched)) <= PENS
    assert (pen.link, pen.traits) == (f"{SAFE}{3 * PENS - 1}", ("bold",))
    assert pens.sgr(pens.plain, "3").traits == ("italic",)


NUMBERS = st.sampled_from(
    ["", "0", "1", "2", "3", "4", "5", "7", "8", "9", "21", "22", "31", "38", "39", "48", "58", "97", "255", "99999", "1" * 99]
)


@given(st.lists(st.tuples(NUMBERS, st.sampled_from([";", ":", ""])), max_size=40).map(lambda parts: "".join(map("".join, parts))))
def test_any_list_of_numbers_makes_a_pen(parameters: str) -> None:
    pen = after("1;4", parameters)
    assert pen.role in ROLES
    assert list(pen.traits) == [trait for trait in TRAITS if trait in pen.traits]
