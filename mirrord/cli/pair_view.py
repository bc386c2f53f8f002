"""What `mirrord pair` tells people. Pure: the size of the terminal and the time are arguments, and every text is cleaned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from mirrord.client.clean import one_line
from mirrord.client.replies import PairingCode, PairingOutcome
from mirrord.pairing.code import shown
from mirrord.qr import qr_lines, qr_size

WORDS_LINES: Final = 5
"""Lines around the QR code, so that 24 are enough: it is of no use when its top has scrolled away."""

POWERS: Final = {
    "controller": "whoever holds it can run anything that you can",
    "observer": "it can watch, and answer nothing",
}
_ENDINGS: Final = {
    "failed": "the code was right, but the device could not be stored; look at `mirrord serve`'s log, then run `mirrord pair` again",
    "old": "nobody used the code in its time; run `mirrord pair` again for a new one",
    "replaced": "a newer code took its place",
    "too_many_tries": "the code was tried wrong too often; somebody may be guessing, so run `mirrord pair` again when you know who",
}


@dataclass(frozen=True, slots=True)
class Room:
    """Columns and lines of a terminal."""

    columns: int
    lines: int


def invitation(code: PairingCode, room: Room | None) -> Iterator[str]:
    """How to pair: QR code, address and code. `room` is None where no terminal shows it."""
    url, page = one_line(code.url), one_line(code.page)
    columns, lines = qr_size(url)
    yield f"Pair one {one_line(code.role)}: {POWERS.get(code.role, 'it has a role that this mirrord does not know')}."
    if room is None:
        yield "No QR code, because this is no terminal."
    elif room.columns < columns or room.lines < lines + WORDS_LINES:
        yield f"No QR code, because it needs a window of {columns} columns and {lines + WORDS_LINES} lines."
    else:
        yield from qr_lines(url)
    yield f"Scan it, or open  {url}"
    yield f"or type  {shown(one_line(code.code))}  at {page}"
    port = page.rstrip("/").rpartition(":")[2]
    yield f"On another machine, first there: ssh -L {port}:127.0.0.1:{port} THIS-MACHINE"


def time_left(seconds: float) -> str:
    """One line that counts down."""
    whole = max(0, round(seconds))
    return f"Good for {whole // 60}:{whole % 60:02} more. Ctrl+C stops waiting."


def paired_words(outcome: PairingOutcome) -> str:
    """Who paired, and what that means."""
    role = one_line(outcome.role)
    power = POWERS.get(outcome.role)
    return f"{one_line(outcome.device or 'A device')} is paired as {role}{f': {power}' if power else ''}. `mirrord devices` can undo it."


def ending(outcome: PairingOutcome) -> str:
    """Why no device was paired, and what to do."""
    return _ENDINGS.get(outcome.outcome, "the code is good no longer; run `mirrord pair` again")
