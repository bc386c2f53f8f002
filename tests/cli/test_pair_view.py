"""Promise: what `mirrord pair` tells fits its window, says what a device can do, and nothing in it can move a cursor."""

from __future__ import annotations

import pytest
from wcwidth import wcswidth

from mirrord.cli.pair_view import WORDS_LINES, Room, ending, invitation, paired_words, time_left
from mirrord.client import PairingCode, PairingOutcome
from mirrord.qr import qr_size

CODE = PairingCode(
    "c41f09be2d7a6350", "K7QF2M9XTB", "controller", "http://127.0.0.1:17673/", "http://127.0.0.1:17673/#pair=K7QF2M9XTB", 1_796_054_520_000
)
COLUMNS, LINES = qr_size(CODE.url)
WORDS = [
    "Pair one controller: whoever holds it can run anything that you can.",
    "Scan it, or open  http://127.0.0.1:17673/#pair=K7QF2M9XTB",
    "or type  K7QF2-M9XTB  at http://127.0.0.1:17673/",
    "On another machine, first there: ssh -L 17673:127.0.0.1:17673 THIS-MACHINE",
]


def test_with_room_the_code_stands_between_the_words_and_all_of_it_fits_80_by_24() -> None:
    shown = list(invitation(CODE, Room(80, 24)))
    assert [shown[0], *shown[-3:]] == WORDS
    assert len(shown) == LINES + len(WORDS) <= 24 - 1, "the line that counts down is the last"
    assert all(wcswidth(line) <= 80 for line in WORDS)


@pytest.mark.parametrize("room", [Room(COLUMNS - 1, 50), Room(200, LINES + WORDS_LINES - 1)])
def test_in_a_window_that_is_too_small_a_sentence_takes_the_codes_place(room: Room) -> None:
    shown = list(invitation(CODE, room))
    assert shown[1] == f"No QR code, because it needs a window of {COLUMNS} columns and {LINES + WORDS_LINES} lines."
    assert [shown[0], *shown[2:]] == WORDS


def test_a_window_that_is_just_large_enough_shows_it() -> None:
    assert len(list(invitation(CODE, Room(COLUMNS, LINES + WORDS_LINES)))) == LINES + len(WORDS)


def test_without_a_terminal_there_is_no_escape_sequence() -> None:
    shown = list(invitation(CODE, None))
    assert "\x1b" not in "".join(shown)
    assert [shown[0], *shown[2:]] == WORDS


@pytest.mark.parametrize(("role", "power"), [("controller", "can run anything that you can"), ("observer", "answer nothing")])
def test_what_a_device_can_do_is_said_before_and_after(role: str, power: str) -> None:
    code = PairingCode("o", "K7QF2M9XTB", role, CODE.page, CODE.url, 1)
    assert power in next(invitation(code, None))
    assert power in paired_words(PairingOutcome("used", role, "phone"))


@pytest.mark.parametrize(("seconds", "words"), [(120.0, "2:00"), (61.4, "1:01"), (9.6, "0:10"), (0.2, "0:00"), (-5.0, "0:00")])
def test_the_time_that_is_left_counts_down_to_nothing(seconds: float, words: str) -> None:
    assert time_left(seconds) == f"Good for {words} more. Ctrl+C stops waiting."


@pytest.mark.parametrize("outcome", ["failed", "old", "replaced", "too_many_tries", "of a later version"])
def test_every_other_end_is_one_sentence(outcome: str) -> None:
    sentence = ending(PairingOutcome(outcome, "controller"))
    assert sentence
    assert "\n" not in sentence


def test_nothing_that_a_device_or_daemon_says_can_move_a_cursor() -> None:
    evil = "\x1b[2Ja\x9bb\u202e"
    assert paired_words(PairingOutcome("used", evil, evil)).isprintable()
    assert all(line.isprintable() for line in invitation(PairingCode(evil, evil, evil, evil, evil, 1), None))
