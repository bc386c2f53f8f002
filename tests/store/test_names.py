"""Promise: a name shows something, means nothing else, and what a device calls itself always becomes a name that is free."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirrord.errors import BadName
from mirrord.store import clean_name, free_name
from mirrord.store.names import NAMELESS
from mirrord.wire.limits import NAME_CLUSTERS


@pytest.mark.parametrize("name", ["", " ", "\u200b", "\x1b", "local", "a/b", "n" * (NAME_CLUSTERS + 1)])
def test_a_name_that_shows_nothing_or_means_something_else_is_refused(name: str) -> None:
    with pytest.raises(BadName):
        clean_name(name)


def test_a_name_of_the_greatest_length_is_kept_whole() -> None:
    assert clean_name("n" * NAME_CLUSTERS) == "n" * NAME_CLUSTERS


@pytest.mark.parametrize(
    ("wanted", "taken", "free"),
    [
        ("phone", (), "phone"),
        ("phone", ("phone",), "phone 2"),
        ("phone", ("phone", "phone 2", "phone 4"), "phone 3"),
        ("", (), NAMELESS),
        ("\u202e\u200b", (NAMELESS,), f"{NAMELESS} 2"),
        ("local", (), NAMELESS),
        ("Chrome / Linux", (), "Chrome - Linux"),
    ],
)
def test_a_device_gets_the_nearest_name_that_is_free(wanted: str, taken: tuple[str, ...], free: str) -> None:
    assert free_name(wanted, taken) == free


def test_a_long_name_leaves_room_for_its_number() -> None:
    long = "n" * 500
    first = free_name(long, ())
    second = free_name(long, (first,))
    assert first != second
    assert clean_name(second) == second
    assert second.endswith(" 2")


@given(st.text(max_size=100))
def test_whatever_a_device_calls_itself_is_a_good_name(wanted: str) -> None:
    first = free_name(wanted, ())
    assert clean_name(first) == first
    second = free_name(wanted, (first,))
    assert clean_name(second) == second != first
