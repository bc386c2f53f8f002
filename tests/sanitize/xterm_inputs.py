"""Input that our terminal and xterm.js both implement, as Hypothesis strategies of pieces.

What is in the table of differences is kept out: wide characters are written plain, lines are inserted and deleted after a step to the left,
links are ended before the cursor is saved, and modes in which xterm.js errs are ended within their piece.
"""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

Pieces = st.SearchStrategy[str]

LINKS: Final = ("https://a.example/", "https://b.example/x?y=1;z=2", "mailto:c@d.example")
REFUSED: Final = ("javascript:void(0)", "https://user@a.example/", "https://a.example/ x", "file:///etc/passwd")
UNLINKED: Final = "\x1b]8;;\x07"
PLAIN: Final = f"\x1b[m{UNLINKED}"


def oneof(*pieces: str) -> Pieces:
    return st.sampled_from(pieces)


def csi(finals: str, *parameters: str) -> Pieces:
    """Each control sequence with each of the parameters."""
    return st.builds("\x1b[{}{}".format, oneof(*parameters), oneof(*finals))


# Without a full stop, which could make the text of a link the name of another host.
WORD: Final = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E, exclude_characters="."), min_size=1, max_size=8)
SYMBOL: Final = oneof("e\u0301", "\u2502\u2500", "\u2713 ", "\u258c\u2591")
WIDE: Final = st.text("\u4e2d\u6587\ud55c\uff21\U0001f642\U0001f680\u2705\u26a1", min_size=1, max_size=6)
NARROW: Final = WORD | WORD | SYMBOL
TEXT: Final = WORD | SYMBOL | WIDE | WIDE

ATTRIBUTES: Final = oneof(*map(str, (*range(10), *range(21, 30), 53, 55)), "", ";", ";1;", "4:", "4:0", "4:1", "4:3", "4:5", "4:9")
COLOURS: Final = oneof(
    *map(str, (*range(30, 38), 39, *range(40, 48), 49, *range(90, 108), 59)),
    *("38;5;1", "38;5;9", "38;5;200", "38;5;300", "38;2;1;2;4", "38;2;300;1;2", "48;5;7", "48;2;7;8;9", "48;2;;", "58;5;9", "58;2;4;5;7"),
    *("38:5:3", "38:5:201", "38:2::9:8:7", "38:2:0:1:2:3:4:5", "38:9:1", "48:5:1", "48:2::1:3:5", "58:5:9", "58:2::4:5:7", "58:"),
)
SGR: Final = st.builds(lambda parts: f"\x1b[{';'.join(parts)}m", st.lists(ATTRIBUTES | COLOURS, max_size=4))
OPENED: Final = (f"{key};{uri}" for uri in (*LINKS, *REFUSED) for key in ("", "id=1", "id=x:k=v"))
LINK: Final = st.builds("\x1b]8;{}{}".format, oneof(*OPENED) | st.just(";"), oneof("\x07", "\x1b\\"))

FEW: Final = ("", "1", "2", "3")
COUNTS: Final = (*FEW, *FEW, *FEW, "0", "7", "99")
PLACE: Final = st.builds("{};{}".format, st.integers(0, 7), st.integers(0, 13)) | oneof(
    "", "3", ";5", "0;0", "99;99", "2;99", "99999999999"
)
CONTROL: Final = oneof("\r", "\n", "\r\n", "\b", "\t", "\b\b\b", "\x0b", "\x0c", "\x1bD", "\x1bE", "\x1bM", "\x1bM")
PLACED: Final = st.builds("\x1b[{}{}".format, PLACE, oneof("H", "f"))
MOVE: Final = csi("ABCDEFG`ade", *COUNTS)
ERASE: Final = csi("J", "", "0", "1", "2", "3") | csi("K", "", "0", "1", "2") | csi("X", *COUNTS)
EDIT: Final = csi("@PSTLM", *COUNTS)
MARGINS: Final = csi("r", "1;3", "2;4", "2", "2;3", "3;5", "2;99", ";3", "", "3;2", "0;0", "2;2")
MODE: Final = csi("hl", "4", "?25;2004")
TABS: Final = csi("IZ", "", "0", "1", "2", "99") | oneof("\x1bH", "\x1b[g", "\x1b[0g", "\x1b[3g")
RESET: Final = oneof("\x1bc", "\x1b[!p")
EIGHT_BIT: Final = oneof("\x84", "\x85", "\x88", "\x9b2C", "\x9b1;4m", f"\x9d8;;{LINKS[0]}\x9c", "\x9d8;;\x07", "\x90q~~\x9c", "\x9fG;\x9c")
CUT: Final = oneof("\x1b[2\rC", "\x1b[2\n;3H", "\x1b[\x7f3C", "\x1b[\x003D", "\x1b[9\x1b[2C", "\x1b\x1b[3G", "\x1b]0;cut\x18", "\x1b(\x18B")
IGNORED: Final = oneof(
    *("\x1b[?25l", "\x1b[?25h", "\x1b[?2004h", "\x1b[?2026h", "\x1b[?2026l", "\x1b[?1000h", "\x1b[?3h", "\x1b[?5h", "\x1b[1+w", "\x1b[5y"),
    *("\x1b[>7u", "\x1b[<u", "\x1b[=5;1u", "\x1b[?u", "\x1b[>4;2m", "\x1b[>4m", "\x1b[?4m", "\x1b[>1;2r", "\x1b[?1r", "\x1b[?1s"),
    *("\x1b[c", "\x1b[>c", "\x1b[6n", "\x1b[?6n", "\x1b[16t", "\x1b[8;5;5t", "\x1b[2 q", "\x1b[5J", "\x1b[3K", "\x1b[7g", "\x1b[1?2m"),
    *("\x1b]0;title\x07", "\x1b]2;title\x1b\\", "\x1b]133;A\x07", "\x1b]9;4;1;50\x07", "\x1b]52;c;YQ==\x07", "\x1b]1337;File=:YQ==\x07"),
    *("\x1b]8\x07", "\x1b]8;x\x07", "\x1bPq#0~~\x1b\\", "\x1b_Ga=T;YQ==\x1b\\", "\x1b^secret\x1b\\", "\x1bXsecret\x1b\\"),
    *("\x1b=", "\x1b>", "\x1b F", "\x1b%G", "\x00", "\x07", "\x05", "\x7f", "\x1b[\x18", "\x1b[1\x1a"),
)

SAVED: Final = oneof("\x1b7", "\x1b8", "\x1b[s", "\x1b[u").map(UNLINKED.__add__)
ALTERNATE: Final = csi("hl", "?47", "?1047", "?1048", "?1049").map(UNLINKED.__add__)
GRAPHICS: Final = st.builds("\x1b(0{}{}{}\x1b(B".format, WORD, MOVE | PLACED | EDIT, WORD) | st.builds(
    "\x1b)0\x0e{}\x0f\x1b)B".format, WORD
)
ORIGIN: Final = st.builds("\x1b[?6h\x1b[{}H{}{}\x1b[?6l".format, PLACE, WORD | ERASE | EDIT, WORD)
NEW_LINE: Final = st.builds("\x1b[20h{}\n{}\x1b[20l".format, WORD, WORD)
ALIGNMENT: Final = oneof(f"{PLAIN}\x1b#8")
NO_WRAP: Final = csi("hl", "?7")

REPEAT: Final = csi("b", *COUNTS)

CURSOR: Final = MOVE | MOVE | MOVE | PLACED | CONTROL | TABS | SAVED
CHANGE: Final = EDIT | EDIT | EDIT | ERASE
STYLE: Final = SGR | SGR | LINK
STATE: Final = MODE | ORIGIN | ALTERNATE | ALTERNATE | RESET | ALIGNMENT | NEW_LINE | GRAPHICS
ODD: Final = EIGHT_BIT | CUT | IGNORED


def inputs(text: Pieces, *others: Pieces) -> st.SearchStrategy[list[str]]:
    """Some rows of text, then anything. An empty piece is what a failing example shrinks to."""
    repeated = st.builds("{}{}".format, text, REPEAT)
    filled = st.lists(text, min_size=2, max_size=6).map("\r\n".join)
    kinds = (st.just(""), text, text, repeated, filled, *(CURSOR, CHANGE) * 4, MARGINS, STYLE, STATE, ODD, *others)
    # A tuple is chosen from as one: `one_of` would give each alternative within the kinds the same weight.
    return st.lists(st.sampled_from(kinds).flatmap(lambda kind: kind), min_size=12, max_size=48)


INPUTS: Final = inputs(TEXT) | inputs(NARROW, NO_WRAP)
SIZES: Final = st.tuples(st.integers(2, 12), st.integers(1, 6))
"""Columns and rows, few, so that borders are often met; xterm.js has two columns at least."""
