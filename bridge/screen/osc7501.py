"""What Pi says of itself with OSC 7501 (Program Status Protocol), read out of the bytes it writes.

`ESC ] 7501 ; state=blocked:app=pi:kind=question:msg=BASE64 ST`. The message is passed over: it is a dialog's title, which the extension
tells where that may be seen.
"""

from __future__ import annotations

import re
from typing import Final

from bridge.screen.messages import PROGRAM_STATES, ScreenProgram

_START: Final = b"\x1b]7501;"
_END: Final = re.compile(rb"[\x07\x18\x1a\x1b\x9c]")
"""BEL, CAN, SUB, and ESC, which begins ST or breaks the string off."""
_TERMINATORS: Final = (b"\x07", b"\x1b\\")
_LONGEST: Final = 4096
"""Bytes of one report: its message has at most 2,732."""
_KIND: Final = re.compile(r"[a-z-]{1,32}")


class ProgramReader:
    """Collects bytes, cut anywhere, and gives what Pi says. Holds at most one report that has not ended."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> list[ScreenProgram]:
        """Every report that is complete now, in order. No input raises."""
        if not self._rest and b"\x1b" not in data:
            return []
        data = self._rest + data
        self._rest = b""
        said: list[ScreenProgram] = []
        at = 0
        while (start := data.find(_START, at)) >= 0:
            at = start + len(_START)
            end = _END.search(data, at, at + _LONGEST)
            if end is None or data[end.start() :] == b"\x1b":
                if len(data) < at + _LONGEST:
                    self._rest = data[start:]
                    return said
                continue
            if data.startswith(_TERMINATORS, end.start()):
                report = _read(data[at : end.start()])
                if report is not None:
                    said.append(report)
            at = end.start()
        self._rest = _begun(data[at:])
        return said

    def reset(self) -> None:
        """Forget what is unfinished: bytes are missing."""
        self._rest = b""


def _begun(data: bytes) -> bytes:
    """The end of `data` that may be the beginning of a report."""
    escape = data.rfind(b"\x1b", -len(_START))
    return data[escape:] if escape >= 0 and _START.startswith(data[escape:]) else b""


def _read(body: bytes) -> ScreenProgram | None:
    pairs = dict(pair.partition("=")[::2] for pair in body.decode("ascii", "replace").split(":"))
    state, kind = pairs.get("state"), pairs.get("kind", "")
    if state == "clear":
        return ScreenProgram(None)
    if state not in PROGRAM_STATES:
        return None
    return ScreenProgram(state, kind if _KIND.fullmatch(kind) else None)
