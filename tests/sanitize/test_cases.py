"""Promise: a terminal's sequences do to our screen what they do to xterm's, but for what must not leave, however the bytes arrive.

`fixtures/sanitize/terminal.jsonl` holds a case a line: `input` (or `input_base64`) on a screen of `cols` and `rows`, and why this is
right (`reason`). `expect_rows` are the rows without blanks at their end and without empty rows at the end; `contains` are texts that
must be there. `checks` says of a text what must hold, or with `!` must not:

| check | here |
|---|---|
| bold, italic, underline, strike | the trait; `strike` is `strikethrough` |
| hidden | the text is gone |
| fg=d, fg=!d | the role is `primary`, or another |
| fg=same31, fg=#rrggbb | the role of `CSI 31 m`, of that 24-bit colour |
| fg=valid | the role is one of the contract's |
| role=R | exactly this role |
| inverse | the role is `accent`: programs select with it |
| bg, blink, overline | nothing of it leaves, as clients have no such trait and their own colours: the run looks like plain text |
| link=URL, link=None | the link |

Of `extra`, `loose` compares without blanks and without invisible characters, `contains_stripped` looks for a text in that, `rows_exact`
are all rows. Texts are compared in Unicode's composed form, as a mark and its letter may be one code point or two.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections import Counter
from typing import Final

import pytest

from sanitize.spans import ROLES, Line, Span
from tests.sanitize.rendering import FIXTURES, Case, data, fixture, screen

CASES: Final = fixture("terminal.jsonl")
TRAITS: Final = {"bold": "bold", "italic": "italic", "underline": "underline", "strike": "strikethrough"}
WITHOUT_TRAIT: Final = ("bg", "blink", "overline")

COMMON: Final = {"osc": 45, "csi": 39, "scr": 28, "sgr": 27, "uni": 19, "esc": 12, "osc8": 10, "str": 9, "end": 4}
"""How many cases there are in each group of those that INDEX names: they were written for this project and stay as they are."""
MANY_SPLITS: Final = 64
"""Bytes of an input that is cut in two at each place; a longer one arrives byte by byte only."""


def identity(case: Case) -> str:
    return f"{case['group']}/{case['name']}"


def digest(case: Case) -> str:
    """Of all that decides whether a case passes."""
    deciding = {key: value for key, value in case.items() if key != "reason"}
    return hashlib.sha256(json.dumps(deciding, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]


every_case = pytest.mark.parametrize("case", CASES, ids=map(identity, CASES))


@every_case
def test_the_screen_is_right(case: Case) -> None:
    check(case, screen([data(case)], case["cols"], case["rows"]))


@every_case
def test_how_the_bytes_are_cut_changes_nothing(case: Case) -> None:
    raw, columns, rows = data(case), case["cols"], case["rows"]
    whole = screen([raw], columns, rows)
    assert screen((raw[at : at + 1] for at in range(len(raw))), columns, rows) == whole
    if len(raw) <= MANY_SPLITS:
        for at in range(1, len(raw)):
            assert screen([raw[:at], raw[at:]], columns, rows) == whole, f"cut after {raw[:at]!r}"


def test_none_of_the_common_cases_is_missing_or_changed() -> None:
    index = (FIXTURES / "INDEX").read_text("utf-8").splitlines()
    assert Counter(line[17:].partition("/")[0] for line in index) == COMMON
    assert not set(index) - {f"{digest(case)} {identity(case)}" for case in CASES}


def test_there_are_300_cases_and_each_has_a_name_and_a_reason_of_its_own() -> None:
    assert len(CASES) >= 300
    assert len({identity(case) for case in CASES}) == len(CASES)
    for case in CASES:
        assert case["reason"].endswith("."), identity(case)
        assert case.keys() & {"expect_rows", "contains", "checks", "extra"}, identity(case)


def check(case: Case, rows: list[Line]) -> None:
    texts = [composed(line.text) for line in rows]
    extra = case.get("extra", {})
    if "expect_rows" in case:
        expected = [composed(row).rstrip() for row in case["expect_rows"]]
        if extra.get("loose"):
            assert [row for row in map(visible, texts) if row] == [row for row in map(visible, expected) if row]
        else:
            assert [text.rstrip() for text in texts] == expected
    if "rows_exact" in extra:
        padded = texts + [""] * (case["rows"] - len(texts))
        assert [text.rstrip() for text in padded] == extra["rows_exact"]
    for part in case.get("contains", []):
        assert part in "\n".join(texts)
    if "contains_stripped" in extra:
        assert extra["contains_stripped"] in visible("".join(texts))
    for part, properties in case.get("checks", {}).items():
        for stated in properties:
            check_property(part, stated, rows)


def check_property(part: str, stated: str, rows: list[Line]) -> None:
    name, _, value = stated.partition("=")
    negated = name.startswith("!")
    name = name.removeprefix("!")
    if name == "hidden" and not negated:
        assert part not in "\n".join(line.text for line in rows)
        return
    for span in covering(part, rows):
        if name in TRAITS:
            assert (TRAITS[name] in span.traits) != negated, span
        elif name == "link":
            assert span.link == (None if value == "None" else value), span
        elif name == "role":
            assert span.role == value, span
        elif name == "fg":
            check_colour(value, span)
        elif name == "inverse":
            assert (span.role == "accent") != negated, span
        else:
            assert name in (*WITHOUT_TRAIT, "hidden"), f"no check is called {stated}"
            assert name == "hidden" or (span.role, span.traits) == ("primary", ()), span


def check_colour(value: str, span: Span) -> None:
    if value == "valid":
        assert span.role in ROLES
    elif value == "same31":
        assert span.role == role_of("31") != "primary"
    elif value.startswith("#"):
        red, green, blue = bytes.fromhex(value[1:])
        assert span.role == role_of(f"38;2;{red};{green};{blue}") != "primary"
    else:
        assert (span.role == "primary") == (value == "d"), span


def role_of(parameters: str) -> str:
    """What text has after that SGR."""
    [line] = screen([f"\x1b[{parameters}mx".encode()], 5, 1)
    return line.spans[0].role


def covering(part: str, rows: list[Line]) -> list[Span]:
    """The spans that hold the first occurrence of the text."""
    line = next((line for line in rows if part in line.text), None)
    assert line is not None, f"{part!r} is not on the screen"
    start = line.text.index(part)
    found, at = [], 0
    for span in line.spans:
        if at < start + len(part) and at + len(span.text) > start:
            found.append(span)
        at += len(span.text)
    return found


def composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def visible(text: str) -> str:
    """The text without blanks, marks and invisible characters."""
    return "".join(character for character in text if unicodedata.category(character) not in ("Zs", "Mn", "Me", "Cf", "Cc", "Zl", "Zp"))
