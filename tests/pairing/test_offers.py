"""Promise: one code is good at a time, once, for two minutes and five tries; what became of it is told to who holds it."""

from __future__ import annotations

import pytest

from mirrord.pairing.offers import OFFER_SECONDS, REMEMBERED, REMEMBERED_SECONDS, TRIES, Fate, NoOffer, Offer, Offers, Taken, Wrong

START = 1_000.0


def offer(name: str = "a", start: float = START) -> Offer:
    return Offer(name, "controller", start + OFFER_SECONDS, name.encode())


class Trying:
    """Offers with one code, and somebody who tries proofs made with the key of a name."""

    def __init__(self) -> None:
        self.offers = Offers()
        self.offers.begin(offer(), START)

    def a(self, name: str, tries: int = 1, now: float = START, against: str | None = "a") -> Taken | Wrong | NoOffer:
        return self.offers.judge(against, tries, lambda key: key == name.encode(), now)


@pytest.fixture
def trying() -> Trying:
    return Trying()


def test_the_right_code_is_taken_once(trying: Trying) -> None:
    assert trying.a("a") == Taken(offer())
    assert trying.a("a", 2) == NoOffer("used")
    assert trying.offers.live(START) is None


def test_a_code_is_good_until_its_last_moment_and_then_old(trying: Trying) -> None:
    end = START + OFFER_SECONDS
    assert trying.offers.live(end - 0.001) == offer()
    assert trying.a("a", now=end) == NoOffer("old")


def test_a_wrong_code_says_how_many_tries_are_left(trying: Trying) -> None:
    assert [trying.a("x", tries) for tries in range(1, TRIES + 1)] == [Wrong(left) for left in (4, 3, 2, 1, 0)]


def test_after_the_last_wrong_try_the_right_code_is_too_late_and_only_its_holder_is_told_why(trying: Trying) -> None:
    trying.a("x", TRIES)
    assert trying.a("a", TRIES + 1) == NoOffer("too_many_tries")
    assert trying.a("x", TRIES + 1) == NoOffer(None)


def test_the_last_try_may_be_right(trying: Trying) -> None:
    assert isinstance(trying.a("a", TRIES), Taken)


def test_a_try_past_the_last_is_not_judged_though_it_would_be_right(trying: Trying) -> None:
    assert trying.a("a", TRIES + 1) == NoOffer("too_many_tries")


def test_a_new_code_takes_the_place_of_the_one_before(trying: Trying) -> None:
    trying.offers.begin(offer("b"), START)
    assert trying.a("a", against="b") == NoOffer("replaced")
    assert trying.a("b", against="b") == Taken(offer("b"))


def test_a_try_that_was_counted_for_another_code_is_not_held_against_this_one(trying: Trying) -> None:
    trying.offers.begin(offer("b"), START)
    assert trying.a("b", against="a") == NoOffer(None)
    assert trying.a("b", against=None) == NoOffer(None)
    assert trying.offers.live(START) == offer("b")


def test_without_a_code_nothing_is_told() -> None:
    assert Offers().judge(None, 0, lambda _: True, START) == NoOffer(None)


@pytest.mark.parametrize(("fate", "end"), [("used", START), ("old", START + OFFER_SECONDS)])
def test_what_became_of_a_code_is_forgotten_after_ten_minutes(trying: Trying, fate: Fate, end: float) -> None:
    if fate == "used":
        trying.a("a")
    assert trying.a("a", now=end) == NoOffer(fate)
    assert trying.a("a", now=end + REMEMBERED_SECONDS - 0.001) == NoOffer(fate)
    assert trying.a("a", now=end + REMEMBERED_SECONDS) == NoOffer(None)


def test_a_bounded_number_is_remembered(trying: Trying) -> None:
    for number in range(REMEMBERED + 1):
        trying.offers.begin(offer(f"n{number}"), START)
    assert trying.a("a", against=f"n{REMEMBERED}") == Wrong(TRIES - 1)
    assert trying.a("n0", against=f"n{REMEMBERED}") == NoOffer("replaced")


def test_who_waits_learns_which_device_it_was(trying: Trying) -> None:
    assert trying.offers.ended("a", START) is None
    trying.a("a")
    ended = trying.offers.ended("a", START)
    assert ended is not None
    assert (ended.fate, ended.device) == ("used", None)
    trying.offers.used_by("a", "phone")
    ended = trying.offers.ended("a", START)
    assert ended is not None
    assert ended.device == "phone"
    trying.offers.failed("a")
    ended = trying.offers.ended("a", START)
    assert ended is not None
    assert ended.fate == "failed"


def test_a_key_is_in_no_repr() -> None:
    assert "secret" not in repr(Offer("id", "observer", 1.0, b"secret"))
