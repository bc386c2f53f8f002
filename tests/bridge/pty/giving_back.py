"""Whether a terminal is as it was, by all that it was sent; read without the product's own reading of modes."""

from __future__ import annotations

import re

from tests.bridge.pty.outside import Outside

_PRIVATE = re.compile(rb"\x1b\[\?(\d+)([hl])")
_KEYBOARD = re.compile(rb"\x1b\[([<>])(\d*)u")
_OTHER_KEYS = re.compile(rb"\x1b\[>4;(\d)m")
_LINK = re.compile(rb"\x1b\]8;([^\x1b\x07]*)(?:\x1b\\|\x07)")
_NORMALLY_ON = {b"7", b"25"}


def left_on(output: bytes) -> set[str]:
    """What is not as it is at a shell's prompt, after these bytes; a cut sequence swallows what comes up to CAN or ESC."""
    private = {number: final == b"h" for number, final in _PRIVATE.findall(output)}
    found = {f"?{number.decode()}" for number, on in private.items() if on != (number in _NORMALLY_ON)}
    depth = 0
    for kind, number in _KEYBOARD.findall(output):
        depth = depth + 1 if kind == b">" else max(0, depth - int(number or 1))
    found |= {"keyboard"} if depth else set()
    found |= {"other keys"} if _OTHER_KEYS.findall(output)[-1:] not in ([], [b"0"]) else set()
    return found | ({"link"} if _LINK.findall(output)[-1:] not in ([], [b";"]) else set())


def given_back(terminal: Outside) -> None:
    assert terminal.attributes() == terminal.before
    assert left_on(bytes(terminal.output)) == set()
