"""Promise: of a storm the fullest second counts, prompts and their settlements are apart, and a value counts as last when it is."""

from __future__ import annotations

import json

import pytest

from bench.storm import SECOND_NS, Heard, most_in_a_second, rows

KEYS = ("a", "b")


@pytest.mark.parametrize(
    ("moments", "most"),
    [([], 0), ([5], 1), ([0, SECOND_NS - 1], 2), ([0, SECOND_NS], 1), ([0, 1, 2, SECOND_NS + 1, SECOND_NS + 2, SECOND_NS + 3], 3)],
)
def test_the_fullest_second_may_begin_anywhere(moments: list[int], most: int) -> None:
    assert most_in_a_second(moments) == most


def storm(pause: int) -> Heard:
    """Both keys by turns, so far apart, with a prompt and its settlement among them."""
    heard = Heard()
    for step in range(40):
        text = "the last" if step > 37 else "x"
        heard.take(step * pause, json.dumps({"type": "extension_ui_notification", "statusKey": KEYS[step % 2], "statusText": text}))
    heard.take(9_000_000, json.dumps({"type": "extension_ui_request", "id": "p", "title": "@0003000000@"}))
    heard.take(9_000_001, json.dumps({"type": "extension_ui_settled", "id": "p"}))
    return heard


def test_a_storm_as_rows() -> None:
    key, client, last, prompt, daemon = rows([storm(SECOND_NS // 20), storm(SECOND_NS)], [90.0, 250.0], [400.0, 1_001.0])
    assert (key.samples, client.samples) == ((10, 1), (20, 1))
    assert prompt.samples == (6.0, 6.0)
    assert (key.met, client.met, last.met, prompt.met, daemon.met) == (True, True, True, True, True)


def test_the_first_of_the_last_values_is_when_it_came() -> None:
    heard = storm(10)
    assert heard.last == {"a": 380, "b": 390}
    heard.take(10_000, json.dumps({"type": "x", "statusKey": "a", "statusText": "the last"}))
    assert heard.last["a"] == 380
