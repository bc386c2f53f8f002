"""Which sequences are obeyed, and by what: all that is not in these tables is dropped and counted.

Nothing here answers a query, names a window, writes to a clipboard or changes the size of the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from pyte import modes

from sanitize.counters import Counters
from sanitize.limits import LARGEST_PARAMETER, PARAMETERS
from sanitize.pens import Pens
from sanitize.screen import Screen

_CONTROLS: Final[dict[str, Callable[[Screen], None]]] = {
    "\b": Screen.backspace,
    "\t": Screen.tab,
    "\n": Screen.linefeed,
    "\v": Screen.linefeed,
    "\f": Screen.linefeed,
    "\r": Screen.carriage_return,
    "\x0e": Screen.shift_out,
    "\x0f": Screen.shift_in,
}

_ESCAPES: Final[dict[str, Callable[[Screen], None]]] = {
    "7": Screen.save_cursor,
    "8": Screen.restore_cursor,
    "D": Screen.index,
    "E": Screen.next_line,
    "H": Screen.set_tab_stop,
    "M": Screen.reverse_index,
    "c": Screen.reset,
    "#8": Screen.alignment_display,
}
"""Intermediates and final."""

_ST: Final = "\\"

_COUNTED: Final[dict[str, Callable[[Screen, int], None]]] = {
    "@": Screen.insert_characters,
    "A": Screen.cursor_up,
    "B": Screen.cursor_down,
    "C": Screen.cursor_forward,
    "D": Screen.cursor_back,
    "E": Screen.cursor_down1,
    "F": Screen.cursor_up1,
    "G": Screen.cursor_to_column,
    "I": Screen.tabs_forward,
    "J": Screen.erase_in_display,
    "K": Screen.erase_in_line,
    "L": Screen.insert_lines,
    "M": Screen.delete_lines,
    "P": Screen.delete_characters,
    "S": Screen.scroll_up,
    "T": Screen.scroll_down,
    "X": Screen.erase_characters,
    "Z": Screen.tabs_back,
    "`": Screen.cursor_to_column,
    "a": Screen.cursor_forward,
    "b": Screen.repeat,
    "d": Screen.cursor_to_line,
    "e": Screen.lines_forward,
    "g": Screen.clear_tab_stop,
}
"""Control sequences of one number, by their final."""

_PLACED: Final[dict[str, Callable[[Screen, int, int], None]]] = {
    "H": Screen.cursor_position,
    "f": Screen.cursor_position,
    "r": Screen.set_margins,
}
"""Those of two numbers."""

_SYNCHRONIZED: Final = 2026 << 5
"""Set around each frame by programs that want it to be shown at once. Private modes are shifted, as `pyte.modes` has them."""

_MODES: Final = {
    "4": modes.IRM,
    "20": modes.LNM,
    "?6": modes.DECOM,
    "?7": modes.DECAWM,
    "?25": modes.DECTCEM,
    "?2026": _SYNCHRONIZED,
}
_ALTERNATE: Final = frozenset(("?47", "?1047", "?1049"))
_CURSOR_SAVED: Final = frozenset(("?1048", "?1049"))


class Commands:
    """What a parser tells, done on a screen."""

    def __init__(self, screen: Screen, pens: Pens, counters: Counters) -> None:
        self._screen: Final = screen
        self._pens: Final = pens
        self._counters: Final = counters
        self.text: Final = screen.draw
        self.frames = 0
        """Synchronized updates that were ended."""

    @property
    def in_frame(self) -> bool:
        """Whether one was begun and not ended."""
        return _SYNCHRONIZED in self._screen.mode

    def control(self, character: str) -> None:
        """Obey a C0 control."""
        self._screen.repeatable = False
        command = _CONTROLS.get(character)
        if command is not None:
            command(self._screen)

    def escape(self, intermediates: str, final: str) -> None:
        """Obey an escape."""
        self._screen.repeatable = False
        command = _ESCAPES.get(intermediates + final)
        if command is not None:
            command(self._screen)
        elif intermediates in ("(", ")"):
            self._screen.define_charset(final, intermediates)
        elif intermediates + final != _ST:
            self._drop()

    def osc(self, text: str) -> None:
        """Obey a link (OSC 8)."""
        self._screen.repeatable = False
        kind, _, rest = text.partition(";")
        _, separator, uri = rest.partition(";")
        if kind == "8" and separator:
            self._screen.pen = self._pens.linked(self._screen.pen, uri)
        else:
            self._drop()

    def csi(self, prefix: str, parameters: str, intermediates: str, final: str) -> None:
        """Obey a control sequence."""
        screen = self._screen
        if final == "m" and not prefix and not intermediates:
            after = screen.pen.after.get(parameters)
            screen.pen = after if after is not None else self._pens.sgr(screen.pen, parameters)
            screen.repeatable = False
            return
        numbers = _numbers(parameters)
        kind = prefix + intermediates + final
        if numbers is None:
            self._drop()
        elif kind in _COUNTED:
            _COUNTED[kind](screen, numbers[0])
        elif kind in _PLACED:
            _PLACED[kind](screen, numbers[0], numbers[1] if len(numbers) > 1 else 0)
        elif kind in ("h", "l", "?h", "?l"):
            self._switch(prefix, numbers, final == "h")
        elif kind == "s":
            screen.save_cursor()
        elif kind == "u":
            screen.restore_cursor()
        elif kind == "!p":
            screen.soft_reset()
        else:
            self._drop()
        screen.repeatable = False

    def _switch(self, prefix: str, numbers: tuple[int, ...], on: bool) -> None:
        obeyed = [self._switch_one(prefix + str(number), on) for number in numbers]
        if not all(obeyed):
            self._drop()

    def _switch_one(self, mode: str, on: bool) -> bool:
        screen = self._screen
        if mode in _MODES:
            (screen.set_mode if on else screen.reset_mode)(_MODES[mode])
            if _MODES[mode] == _SYNCHRONIZED and not on:
                self.frames += 1
        elif mode in _ALTERNATE or mode in _CURSOR_SAVED:
            if on and mode in _CURSOR_SAVED:
                screen.save_cursor()
            if mode in _ALTERNATE:
                (screen.show_alternate if on else screen.show_main)()
            if not on and mode in _CURSOR_SAVED:
                screen.restore_cursor()
        else:
            return False
        return True

    def _drop(self) -> None:
        self._counters.sequences += 1


@lru_cache(1024)
def _numbers(parameters: str) -> tuple[int, ...] | None:
    """At least one; what is left out is 0. None when there are colons, which only SGR has."""
    if ":" in parameters:
        return None
    return tuple(map(_number, parameters.split(";", PARAMETERS)[:PARAMETERS]))


def _number(digits: str) -> int:
    return min(int(digits or "0"), LARGEST_PARAMETER)
