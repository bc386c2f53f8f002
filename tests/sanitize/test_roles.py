"""Promise: a colour means what the theme's token means that has it, else what people expect of it; Pi's own themes are the proof."""

from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sanitize.colours import index_of, rgb_of
from sanitize.limits import COLOURS
from sanitize.pens import Pens
from sanitize.roles import DEFAULT, DIRECT, Palette, PaletteError
from sanitize.spans import ROLES, Role
from tests.harness.pi import ROOT, node

FIXTURES = ROOT / "fixtures" / "sanitize" / "palettes"
GENERATIONS = {
    "pi-1.6.0": "tools/pi-1.6.0/node_modules/@earendil-works/pi-coding-agent",
    "pi-0.73.1": "tools/pi-0.73.1/node_modules/@mariozechner/pi-coding-agent",
}

# Every theme that Pi brings, in both colour modes, and the one that it makes itself where it has one.
ASK_PI = r"""
const folder = process.argv[1] + "/dist/modes/interactive/theme/";
const { loadThemeFromPath, getThemeByName } = await import(folder + "theme.js");
const told = {};
const tell = (name, theme) => {
  const tokens = [...(theme.fgAnsi ?? theme.fgColors).keys()];
  told[name] = Object.fromEntries(tokens.map((token) => [token, theme.getFgAnsi(token)]));
};
for (const name of ["dark", "light"]) {
  tell(name, loadThemeFromPath(folder + name + ".json", "truecolor"));
  tell(name + "-256", loadThemeFromPath(folder + name + ".json", "256color"));
}
const system = getThemeByName("system");
if (system) tell("system", system);
process.stdout.write(JSON.stringify(told));
"""

PALETTES = sorted(FIXTURES.glob("*.json"))


@cache
def tokens(path: Path) -> dict[str, str]:
    read: dict[str, str] = json.loads(path.read_text("utf-8"))
    return read


def named(name: str) -> dict[str, str]:
    return tokens(FIXTURES / f"{name}.json")


def seen(palette: Palette, sgr: str) -> Role:
    """The role of text that is written after `sgr`, which is one sequence or two."""
    pens = Pens(palette)
    pen = pens.plain
    for part in sgr.removeprefix("\x1b[").split("\x1b["):
        pen = pens.sgr(pen, part.removesuffix("m"))
    return pen.role


def direct(colour: str) -> int:
    return DIRECT + int(colour.removeprefix("#"), 16)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_the_fixtures_are_what_the_real_pi_tells(generation: str) -> None:
    command = [str(node()), "--input-type=module", "--eval", ASK_PI, str(ROOT / GENERATIONS[generation])]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=True)
    told = {f"{generation}-{name}": theme for name, theme in json.loads(done.stdout).items()}
    assert told == {path.stem: tokens(path) for path in PALETTES if path.stem.startswith(generation)}


EXPECTED: dict[str, Role] = {
    "accent": "accent",
    "success": "success",
    "error": "danger",
    "warning": "warning",
    "muted": "muted",
    "dim": "muted",
    "text": "primary",
    "toolDiffAdded": "success",
    "toolDiffRemoved": "danger",
}


@pytest.mark.parametrize("path", PALETTES, ids=lambda path: path.stem)
def test_what_every_theme_has_has_its_role(path: Path) -> None:
    palette = Palette.of(tokens(path))
    for token, role in EXPECTED.items():
        assert seen(palette, tokens(path)[token]) == role, token


ALONE = {
    "pi-1.6.0-dark": {
        "syntaxVariable": "code",
        "syntaxString": "code",
        "thinkingText": "secondary",
        "mdLink": "accent",
        "thinkingOff": "muted",
    },
    "pi-1.6.0-light": {
        "syntaxVariable": "code",
        "thinkingText": "secondary",
        "mdLink": "accent",
        "borderMuted": "muted",
        "bashMode": "accent",
    },
    "pi-1.6.0-system": {"mdLink": "accent", "mdHeading": "warning", "syntaxVariable": "accent", "thinkingText": "muted"},
    "pi-0.73.1-dark": {"mdHeading": "accent", "syntaxKeyword": "code", "syntaxComment": "code", "mdLink": "accent", "borderMuted": "muted"},
    "pi-0.73.1-light": {"customMessageLabel": "accent", "syntaxKeyword": "code", "syntaxOperator": "code", "mdLink": "accent"},
}


@pytest.mark.parametrize(("theme", "token", "role"), [(theme, *item) for theme, items in ALONE.items() for item in items.items()])
def test_a_token_with_a_colour_of_its_own_has_its_own_role(theme: str, token: str, role: Role) -> None:
    assert seen(Palette.of(named(theme)), named(theme)[token]) == role


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_theme_told_in_24_bits_is_known_in_256_colours_too(generation: str, theme: str) -> None:
    full, reduced = named(f"{generation}-{theme}"), named(f"{generation}-{theme}-256")
    told_in_full, told_in_256 = Palette.of(full), Palette.of(reduced)
    for token, sgr in reduced.items():
        assert seen(told_in_full, sgr) == seen(told_in_256, sgr), token


def test_pi_writes_the_index_that_we_expect_for_each_colour_of_its_themes() -> None:
    for generation in GENERATIONS:
        for theme in ("dark", "light"):
            reduced = named(f"{generation}-{theme}-256")
            for token, sgr in named(f"{generation}-{theme}").items():
                parts = sgr.removeprefix("\x1b[38;2;").removesuffix("m").split(";")
                if len(parts) == 3:
                    assert f"\x1b[38;5;{index_of((int(parts[0]), int(parts[1]), int(parts[2])))}m" == reduced[token], token


@pytest.mark.parametrize(
    ("first", "second"), [("accent", "mdCode"), ("success", "mdCodeBlock"), ("muted", "toolOutput"), ("text", "toolTitle")]
)
def test_a_shared_colour_has_the_most_general_meaning(first: str, second: str) -> None:
    both = Palette.of({second: "#123456", first: "#123456"})
    assert both.role(direct("#123456")) == Palette.of({first: "#123456"}).role(direct("#123456"))


def test_every_role_is_reached() -> None:
    palette = Palette.of(named("pi-1.6.0-dark"))
    assert {seen(palette, sgr) for sgr in named("pi-1.6.0-dark").values()} == set(ROLES)


def test_code_is_monospaced() -> None:
    pens = Pens(Palette.of({"mdCode": "38;5;109"}))
    assert pens.sgr(pens.plain, "1;4;38;5;109").traits == ("bold", "monospaced", "underline")


@pytest.mark.parametrize(
    ("value", "colour"),
    [
        ("\x1b[38;2;1;2;3m", direct("#010203")),
        ("38;2;1;2;3", direct("#010203")),
        ("#0a0B0c", direct("#0a0b0c")),
        ("\x1b[38;5;109m", 109),
        ("38;5;109", 109),
        ("\x1b[38;5;109m\x1b[2m", 109),
        ("\x1b[31m", 1),
        ("97", 15),
    ],
)
def test_a_token_is_told_in_one_of_these_ways(value: str, colour: int) -> None:
    assert Palette.of({"text": value}).role(colour) == "primary"


@pytest.mark.parametrize(
    "value",
    [
        *("", "39", "\x1b[39m", "\x1b[39m\x1b[2m", "violet", "#fff", "#12345g", "38;5;256", "38;5;1000", "38;2;256;0;0", "38;2;1;2"),
        *("1", "38;5"),
        *("\x1b[48;2;1;2;3m", "48;5;9", "41", "\x1b[38;5;109", "38;5;109m", "\x1b[38;5;109m\x1b[2", "\x1b[1;38;5;109m"),
        *("\u0663\u0661", "38;5;\xb2"),
    ],
)
def test_any_other_value_says_nothing(value: str) -> None:
    palette = Palette.of({"text": value, "error": value, "selectedBg": value})
    assert all(palette.role(colour) == Palette().role(colour) for colour in (DEFAULT, *range(256), direct("#010203")))


def test_backgrounds_and_unknown_tokens_say_nothing() -> None:
    palette = Palette.of({f"{name}Bg": "#888888" for name in ("selected", "toolError")} | {"mine": "#888888"})
    assert palette.role(direct("#888888")) == "muted"


ANSI: list[tuple[int, Role]] = [
    *((0, "muted"), (1, "danger"), (2, "success"), (3, "warning"), (4, "accent"), (5, "accent"), (6, "accent"), (7, "secondary")),
    *((8, "muted"), (9, "danger"), (10, "success"), (11, "warning"), (12, "accent"), (13, "accent"), (14, "accent"), (15, "primary")),
]


@pytest.mark.parametrize(("index", "role"), ANSI)
def test_the_sixteen_colours_mean_what_is_usual(index: int, role: Role) -> None:
    assert Palette().role(index) == role
    assert Palette.of(named("pi-1.6.0-dark")).role(index) == role
    basic = str(30 + index if index < 8 else 82 + index)
    assert seen(Palette(), basic) == seen(Palette(), f"38;5;{index}") == role


def test_a_theme_of_the_sixteen_colours_may_say_otherwise_but_not_that_one_is_code() -> None:
    palette = Palette.of({"accent": "38;5;1", "syntaxVariable": "38;5;6", "mdCode": "32"})
    assert [palette.role(index) for index in (1, 6, 2)] == ["accent", "accent", "success"]


@pytest.mark.parametrize(
    ("colour", "role"),
    [
        *(("#cd0000", "danger"), ("#aa0000", "danger"), ("#ff5555", "danger"), ("#dc143c", "danger"), ("#f7768e", "danger")),
        *(("#ff8700", "warning"), ("#ffaf00", "warning"), ("#ffff00", "warning"), ("#e0af68", "warning"), ("#cdcd00", "warning")),
        *(("#00cd00", "success"), ("#9ece6a", "success"), ("#98c379", "success"), ("#50fa7b", "success"), ("#005f00", "success")),
        *(("#00cdcd", "accent"), ("#0000ee", "accent"), ("#7aa2f7", "accent"), ("#cd00cd", "accent"), ("#bb9af7", "accent")),
        ("#ff69b4", "accent"),
        *(("#ffffff", "primary"), ("#d4d4d4", "primary"), ("#bcbcbc", "secondary"), ("#aaaaaa", "secondary")),
        *(("#808080", "muted"), ("#555555", "muted"), ("#000000", "muted"), ("#200000", "muted")),
    ],
)
def test_any_other_colour_goes_by_its_hue_or_its_brightness(colour: str, role: Role) -> None:
    assert Palette().role(direct(colour)) == role


def test_a_colour_of_the_256_means_what_it_looks_like() -> None:
    for index in range(16, 256):
        red, green, blue = rgb_of(index)
        assert Palette().role(index) == Palette().role(DIRECT + (red << 16 | green << 8 | blue)), index


@pytest.mark.parametrize("theme", ["pi-1.6.0-light", "pi-1.6.0-light-256", "pi-0.73.1-light", "pi-0.73.1-light-256"])
def test_greys_are_the_other_way_round_on_a_light_background(theme: str) -> None:
    palette = Palette.of(named(theme))
    assert [palette.role(direct(f"#{grey}")) for grey in ("101010", "5a5a5a", "aaaaaa", "f5f5f5")] == [
        "primary",
        "secondary",
        "muted",
        "muted",
    ]
    assert [palette.role(index) for index in (0, 7, 8, 15, 1)] == ["primary", "secondary", "muted", "primary", "danger"]


@pytest.mark.parametrize("theme", ["pi-1.6.0-dark", "pi-1.6.0-dark-256", "pi-1.6.0-system", "pi-0.73.1-dark", "pi-0.73.1-dark-256"])
def test_but_not_on_a_dark_one(theme: str) -> None:
    palette = Palette.of(named(theme))
    assert [palette.role(direct(f"#{grey}")) for grey in ("101010", "5b5b5b", "bbbbbb", "f5f5f5")] == [
        "muted",
        "muted",
        "secondary",
        "primary",
    ]


def test_the_default_colour_says_nothing() -> None:
    assert Palette().role(DEFAULT) is None
    assert Palette.of({"text": "39", "muted": "39"}).role(DEFAULT) is None


def test_a_palette_is_read_from_json() -> None:
    palette = Palette.read((FIXTURES / "pi-0.73.1-dark.json").read_text("utf-8"))
    assert seen(palette, named("pi-0.73.1-dark")["error"]) == "danger"
    assert Palette.read('{"accent": "#010203", "mine": "violet", "selectedBg": "violet"}').role(direct("#010203")) == "accent"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "A palette is a JSON object of token and colour, but: Input data was truncated."),
        ("{'accent': 1}", "A palette is a JSON object of token and colour, but: JSON is malformed: object keys must be strings (byte 1)."),
        ("[]", "A palette is a JSON object of token and colour, but: Expected `object`, got `array`."),
        ('{"accent": 5}', "A palette is a JSON object of token and colour, but: Expected `str`, got `int` - at `$[...]`."),
        ('{"accent": "violet"}', 'The colour of "accent" is neither an SGR sequence nor #rrggbb.'),
        ('{"mdCode": "48;5;1"}', 'The colour of "mdCode" is neither an SGR sequence nor #rrggbb.'),
    ],
)
def test_a_bad_palette_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(PaletteError) as refused:
        Palette.read(text)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "\ud800", '{"accent": "\ud800"}', "{" + "x" * 1_000_000])
def test_a_hostile_palette_is_refused_too(text: str) -> None:
    with pytest.raises(PaletteError):
        Palette.read(text)


def test_more_colours_than_are_remembered_still_have_their_roles() -> None:
    palette = Palette.of({"error": "#010203"})
    for colour in range(DIRECT, DIRECT + 3 * COLOURS):
        palette.role(colour)
    assert palette.role(direct("#010203")) == "danger"
    assert palette.role(1) == "danger"


@given(
    st.dictionaries(st.sampled_from(["text", "muted", "dim", "accent", "mdCode"]), st.text(max_size=20)), st.integers(-1, DIRECT + 0xFFFFFF)
)
def test_every_colour_of_every_palette_has_a_role(told: dict[str, str], colour: int) -> None:
    role = Palette.of(told).role(colour)
    assert role in ROLES or (role is None and colour == DEFAULT)
