"""Promise: the 256 colours look as in xterm, and a 24-bit colour becomes one that looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitize.colours import Rgb, hue, index_of, luma, rgb_of


@pytest.mark.parametrize(
    ("index", "colour"),
    [
        (16, (0, 0, 0)),
        (17, (0, 0, 95)),
        (46, (0, 255, 0)),
        (109, (135, 175, 175)),
        (196, (255, 0, 0)),
        (231, (255, 255, 255)),
        (232, (8, 8, 8)),
        (255, (238, 238, 238)),
    ],
)
def test_an_index_has_xterms_look(index: int, colour: Rgb) -> None:
    assert rgb_of(index) == colour


def test_each_look_is_the_nearest_to_itself() -> None:
    for index in range(16, 256):
        assert rgb_of(index_of(rgb_of(index))) == rgb_of(index)


@pytest.mark.parametrize(
    ("colour", "index"),
    [((138, 190, 183), 109), ((128, 128, 128), 244), ((102, 102, 102), 241), ((10, 0, 0), 16), ((9, 9, 9), 232), ((240, 240, 240), 255)],
)
def test_greys_take_the_ramp_and_tints_the_cube(colour: Rgb, index: int) -> None:
    assert index_of(colour) == index


@pytest.mark.parametrize(
    ("colour", "angle"),
    [
        *(((255, 0, 0), 0), ((255, 255, 0), 60), ((0, 255, 0), 120), ((0, 255, 255), 180), ((0, 0, 255), 240), ((255, 0, 255), 300)),
        *(((255, 128, 0), 30), ((255, 0, 1), 0), ((255, 0, 128), 330), ((7, 7, 7), 0)),
    ],
)
def test_a_hue_is_an_angle(colour: Rgb, angle: int) -> None:
    assert hue(colour) == angle


@given(st.tuples(st.integers(0, 255), st.integers(0, 255), st.integers(0, 255)))
def test_every_colour_has_an_index_that_is_not_the_users_and_an_angle(colour: Rgb) -> None:
    assert 16 <= index_of(colour) <= 255
    assert 0 <= hue(colour) < 360
    assert min(colour) <= luma(colour) <= max(colour)
