"""Promise: text has as many columns here as on the screen that Pi draws; where not, it is said why."""

from __future__ import annotations

import json
import subprocess
import unicodedata
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanitize.clusters import clusters
from sanitize.width import cluster_width, text_width
from tests.harness.pi import node

PI = Path(__file__).resolve().parents[2] / "tools" / "pi-1.6.0"

# One number for each text of the list on stdin; null where this Node's Unicode has no such character yet.
ASK_PI = r"""
import { visibleWidth } from "@earendil-works/pi-tui";
import { readFileSync, writeFileSync } from "node:fs";
const widths = JSON.parse(readFileSync(0, "utf8")).map((text) => (/\p{Cn}/u.test(text) ? null : visibleWidth(text)));
writeFileSync(1, JSON.stringify(widths));
"""

ZWJ, TEXT, COLOUR, KEY_CAP = "\u200d", "\ufe0e", "\ufe0f", "\u20e3"
TONES = [chr(code) for code in range(0x1F3FB, 0x1F400)]
LETTERS = [chr(code) for code in range(0x1F1E6, 0x1F200)]
PEOPLE = "👨👩🧑"
CALLINGS = ["⚕️", "⚖️", "✈️", *"🌾🍳🍼🎓🎤🎨🏫🏭💻💼🔧🔬🚀🚒🦯🦼🦽"]
SIGNS = ["♀️", "♂️"]
NARROW_WITH_TONES = "☝⛹✌✍🏋🏌🕴🕵🖐"
NARROW_WITH_SEX = "⛹🏋🏌🕵"
ENGLAND = "🏴" + "".join(chr(0xE0000 + ord(letter)) for letter in "gbeng") + "\U000e007f"

CODE_POINTS = [
    *(chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in {"Cc", "Cn", "Co", "Cs"}),
    *map(chr, range(0xE000, 0xF900)),
]
# Symbols and pictures, by where Unicode keeps them.
PICTURES = [
    chr(code)
    for code in (0xA9, 0xAE, *range(0x2000, 0x3300), *range(0x1F000, 0x1FB00))
    if unicodedata.category(chr(code)) in {"So", "Sm", "Sk", "Po", "Pd"}
]
SEQUENCES = [
    *(picture + selector for picture in PICTURES for selector in (TEXT, COLOUR)),
    *(picture + tone for picture in PICTURES for tone in TONES),
    *(key + selector + KEY_CAP for key in "0123456789#*a" for selector in ("", COLOUR)),
    *(key + COLOUR for key in "0123456789#*a"),
    *map("".join, product(LETTERS, LETTERS)),
    *("".join(LETTERS[:count]) for count in (1, 3, 4, 5)),
    *(person + tone + ZWJ + calling for person in PEOPLE for tone in ("", *TONES) for calling in CALLINGS),
    *(ZWJ.join(family) for count in (2, 3, 4) for family in product("👨👩👧👦", repeat=count)),
    *(
        f"{first}{tone}{ZWJ}❤️{ZWJ}{kiss}{second}{other}"
        for first, second in ("👨👨", "👩👨", "👩👩", "🧑🧑")
        for tone, other in (("", ""), *product(TONES, TONES))
        for kiss in ("", f"💋{ZWJ}")
        if first != "🧑" or tone != other  # there are none with two neutral people of one tone
    ),
    *(first + presentation + ZWJ + sign for first in NARROW_WITH_SEX for presentation in (COLOUR, *TONES) for sign in SIGNS),
    *(picture + COLOUR + ZWJ + sign for picture in "©☃✂🅰🌡" for sign in SIGNS),
    *("🏳️‍🌈", "🏳‍🌈", "🏳️‍⚧️", "🏴‍☠️", "👁️‍🗨️", "👁‍🗨", "🐻‍❄️", "🐈‍⬛", "❤️‍🔥", "❤‍🔥", "🧑🏻‍🤝‍🧑🏿", ENGLAND),
    *("⚠️️", "❤️‍", "☝🏻️", "☝🏻🏽", "⚠️⃣", "❤️‍a", "🇩️🇪", "👩‍", "‍👩"),
]
OTHER_TEXT = [
    *("한국", "\u1112\u1161\u11ab", "\u1161\u11ab", "ｶﾞ", "กำ", "ກຳ", "กำ้", "é", "e\u0301\u0301", "שָׁלוֹם", "\u0600123", "۝", "中\u0301"),
    *("क्ष", "க்ஷௌ", "தமிழ்", "മലയാളം", "සිංහල", "မြန်မာ", "བོད་", "ශ්‍රී", "a\u00adb", "a\u200bb", "x\ty", "\t", "─│█⣿"),
]
TOO_WIDE_FOR_A_CELL = [
    "क्षि",
    "न्त्र्य",
    "हिन्दी",
    "বাংলা",
    "ខ្មែរ",
    "\u0915\u093e\u093e",
    "\u093e\u093e\u093e",
    "\u30ab\uff9e",
    "中\uff9e",
    "中\u093e",
]
"""Pi counts three columns and more for one of the clusters; a cell has two at most."""
INVENTED = [
    *(picture + COLOUR + ZWJ + sign for picture in "⌚⏰🔥" for sign in SIGNS),
    *(first + TONES[0] + ZWJ + sign for first in sorted(set(NARROW_WITH_TONES) - set(NARROW_WITH_SEX)) for sign in SIGNS),
    *(f"{first}{ZWJ}❤️{ZWJ}{second}" for first, second in ("👨👩", "🧑🧑", "🧑👩", ("👨", "👨" + TONES[0]))),
]
"""Emoji joined in a way that no font has. Pi knows all that exist and counts these by their parts; `wcwidth` has no such list, and two
columns are what the grammar of emoji gives them."""


def pi_widths(texts: list[str]) -> list[int | None]:
    command = [str(node()), "--input-type=module", "--eval", ASK_PI]
    done = subprocess.run(command, cwd=PI, input=json.dumps(texts), capture_output=True, text=True, timeout=50, check=True)
    widths: list[int | None] = json.loads(done.stdout)
    assert len(widths) == len(texts)
    return widths


def test_each_code_point_and_emoji_has_as_many_columns_as_in_pi() -> None:
    texts = CODE_POINTS + SEQUENCES + OTHER_TEXT + TOO_WIDE_FOR_A_CELL + INVENTED
    compared = {text: width for text, width in zip(texts, pi_widths(texts), strict=True) if width is not None}
    assert sum(len(text) == 1 for text in compared) >= 80_000
    assert sum(text in compared for text in SEQUENCES) >= 2_400
    differing = {text: (width, text_width(text)) for text, width in compared.items() if width != text_width(text)}
    assert differing.keys() == {*TOO_WIDE_FOR_A_CELL, *INVENTED}
    assert all(ours < theirs for text, (theirs, ours) in differing.items() if text in TOO_WIDE_FOR_A_CELL)
    assert all(ours == 2 for text, (_, ours) in differing.items() if text in INVENTED)


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("plain", 5),
        ("a\tb", 5),
        ("中文", 4),
        ("⚠️ x", 4),
        ("⚠ x", 3),
        ("👩‍👩‍👧‍👦", 2),
        ("🇩🇪🇫", 4),
        ("1️⃣", 2),
        ("e\u0301", 1),
        ("\u0301", 0),
        ("\u093e", 1),
        ("\x00\x1b\x9b\x7f\n", 0),
        ("\ud800", 0),
        ("\ue0b0", 1),
        ("\U000e0041", 0),
    ],
)
def test_columns(text: str, columns: int) -> None:
    assert text_width(text) == columns


@settings(max_examples=500)
@given(st.text(st.characters(codec=None)))
def test_a_cluster_has_at_most_two_columns_and_a_text_those_of_its_clusters(text: str) -> None:
    widths = [cluster_width(cluster) for cluster in clusters(text.replace("\t", "   "))]
    assert set(widths) <= {0, 1, 2}
    assert text_width(text) == sum(widths)
