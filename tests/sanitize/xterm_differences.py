"""Where our terminal and xterm.js differ on purpose, each with its reason. The strategies of inputs avoid them."""

from __future__ import annotations

from typing import Final, NamedTuple

from tests.sanitize.xterm_inputs import LINKS

LINKED: Final = f"\x1b]8;;{LINKS[0]}\x07"


class Difference(NamedTuple):
    """Rows are text; one run that is not plain is followed by its role unless primary, its traits and `link`."""

    text: str
    size: tuple[int, int]
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    why: str


WARNING: Final = "\u26a0\ufe0f"
KEY_CAP: Final = "1\ufe0f\u20e3"
THUMB: Final = "\U0001f44d"
TONE: Final = "\U0001f3fd"
WOMAN: Final = "\U0001f469\u200d"
COMPUTER: Final = "\U0001f4bb"

_PI: Final = "clusters have the columns that Pi counts, for it pads its lines by them"
_CLEAN: Final = "what has no place in a text never leaves"
_SETS: Final = "the cursor is saved with all character sets and with which one is used"
_HALVES: Final = "no half of a wide character is left when the other one is overwritten, with autowrap or without"
_ALLOWED: Final = "not on the list of what is obeyed: no program that Pi runs in needs it"
_RESET: Final = "a reset resets each mode; xterm.js keeps this one as an option"

DIFFERENCES: Final = (
    Difference(f"{WARNING}x", (2, 2), (WARNING, "x"), (f"{WARNING}x",), _PI),
    Difference(f"{KEY_CAP}x", (2, 2), (KEY_CAP, "x"), (f"{KEY_CAP}x",), _PI),
    Difference(f"{THUMB}{TONE}x", (3, 2), (f"{THUMB}{TONE}x",), (THUMB, f"{TONE}x"), _PI),
    Difference(f"{WOMAN}{COMPUTER}x", (3, 2), (f"{WOMAN}{COMPUTER}x",), (WOMAN, f"{COMPUTER}x"), _PI),
    Difference("a\u200bb\u202ec", (4, 1), ("abc",), ("a\u200bb\u202ec",), _CLEAN),
    Difference("\u0301x", (2, 1), ("x",), ("\u0301x",), "a mark with nothing to stand on would take what a line is shown after"),
    Difference("ab\x1b[D\u0301", (3, 1), ("a\u0301b",), ("a\u0301",), "a mark joins the cell before the cursor and takes none of its own"),
    Difference("\x1b_pi:c\x07x", (2, 1), ("x",), (), "Pi ends the APC that marks its cursor with BEL"),
    Difference(f"{LINKED[:-1]}\x1b[1mx", (2, 1), ("x(bold)",), ("x(bold link)",), "a string that no ST or BEL ends has no effect"),
    Difference("\na\x8db", (4, 2), (" b", "a"), ("", "ab"), "each 8-bit control is what ESC and a letter are, this one too"),
    Difference("\x1b[48;23;4:5;7mx", (2, 1), ("x",), ("x(accent)",), "nobody says how long a colour of an unknown kind is"),
    Difference(
        "\x1b[38:2:1:2:3mx", (2, 1), ("x(warning)",), ("x(success)",), "`38:2:r:g:b` is common; xterm.js takes r for a colour space"
    ),
    Difference(f"{LINKED}x\x1b]8;id=1;\x07y", (3, 1), ("x(link)y",), ("xy(link)",), "an empty target ends a link, whatever its parameters"),
    Difference(
        f"\x1b7{LINKED}\x1b8\x1b[mx", (2, 1), ("x",), ("x(link)",), "xterm.js saves the look without the link, and restores half of it"
    ),
    Difference("\x1b[?7l\u4e2dx", (2, 1), (" x",), ("\u4e2dx",), _HALVES),
    Difference(
        "\x1b[2;3r\x1b[?6hx\x1b[Cy", (4, 4), ("", "x y"), ("", "x", "  y"), "xterm.js adds the region's first row to relative moves too"
    ),
    Difference("\x0e\x1b8\x1b(0q", (2, 1), ("\u2500",), ("q",), _SETS),
    Difference("\x1b(0\x1b8\x1b)0\x0el\x0fa", (3, 1), ("\u250ca",), ("\u250c\u2592",), _SETS),
    Difference("\x1b(K[", (2, 1), ("[",), ("\u00c4",), "national sets are of the time before Unicode"),
    Difference("\x1b[20h\x1bca\nb", (2, 2), ("a", " b"), ("a", "b"), _RESET),
    Difference("ab\x1b[?2J", (2, 1), ("ab",), (), _ALLOWED),
    Difference("ab\x1b[?2K", (2, 1), ("ab",), (), _ALLOWED),
    Difference("abc\x1b[2 @", (3, 1), ("abc",), ("c",), _ALLOWED),
    Difference("abc\x1b[2 A", (3, 1), ("abc",), ("  a",), _ALLOWED),
    Difference("abc\x1b[G\x1b[1'}", (4, 1), ("abc",), (" abc",), _ALLOWED),
    Difference("abc\x1b[G\x1b[1'~", (4, 1), ("abc",), ("bc",), _ALLOWED),
    Difference("\x1b[?45habcd\b\b\bX", (3, 2), ("abc", "X"), ("aXc", "d"), _ALLOWED),
    Difference("\x1b[2:1Cx", (4, 1), ("x",), ("  x",), "colons are for colours and underlines alone"),
)
