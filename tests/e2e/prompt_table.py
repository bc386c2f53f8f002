"""What becomes of a prompt: each method, each event. `docs/prompts.md` is written from this file, and every cell is played on the real Pi.

`python -m tests.e2e.prompt_table` writes the page anew; `tests/e2e/test_prompt_table.py` checks that it is current.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from mirrord.wire.messages import Method, Outcome, RefusalReason, Winner

PAGE: Final = Path(__file__).parents[2] / "docs" / "prompts.md"
METHODS: Final[tuple[Method, ...]] = ("select", "confirm", "input", "editor", "ask", "custom")


class Never(Enum):
    """What an extension's promise gives when it gives nothing."""

    PENDING = "never resolves, as without us"
    GONE = "ends with Pi"


@dataclass(frozen=True, slots=True)
class Ends:
    """The prompt is over for everybody. `value` is what the extension gets; `answer` is what others see of it."""

    outcome: Outcome
    winner: Winner
    value: object
    answer: str | None = None
    reason: str | None = None
    or_reason: str | None = None
    """Where it depends on who is faster."""

    def __str__(self) -> str:
        if self.outcome == "withdrawn":
            return f"withdrawn: {self.reason}" if self.or_reason is None else f"withdrawn: {self.reason} or {self.or_reason}"
        return self.outcome.replace("_", " ") if self.winner == "none" else f"{self.outcome}, {self.winner}"


@dataclass(frozen=True, slots=True)
class Stays:
    """The prompt is open and can be answered after the event as before it. `refused`: why the remote's answer was not taken."""

    refused: RefusalReason | None = None

    def __str__(self) -> str:
        return "stays" if self.refused is None else f"stays; {self.refused}"


@dataclass(frozen=True, slots=True)
class Absent:
    """This cannot happen to this method, and no client is offered it."""

    why: str

    def __str__(self) -> str:
        return "does not exist"


Cell = Ends | Stays | Absent
Row = Mapping[Method, Cell]


@dataclass(frozen=True, slots=True)
class Event:
    """One row. The texts say what each side sees."""

    name: str
    heading: str
    terminal: str
    extension: str
    clients: str
    row: Row


SECRET: Final = "Ada-7f3c"
EDITED: Final = "line one\nline two!"
ASKED: Final = {"answers": {"q": "b"}, "allIgnored": False}
IGNORED: Final = {"answers": {}, "allIgnored": True}
NOTHING: Final[Mapping[Method, object]] = {
    "select": "undefined",
    "confirm": False,
    "input": "undefined",
    "editor": "undefined",
    "ask": IGNORED,
    "custom": "undefined",
}
"""What the promise gives when nobody answers; the word "undefined" stands for that."""

TERMINAL_ONLY: Final = Stays("terminal_only")


def answered(winner: Winner) -> dict[Method, Cell]:
    """One good answer to each method."""
    return {
        "select": Ends("answered", winner, "banana", "banana"),
        "confirm": Ends("answered", winner, True, "Yes"),
        "input": Ends("answered", winner, SECRET),
        "editor": Ends("answered", winner, EDITED),
        "ask": Ends("answered", winner, ASKED, "banana"),
        "custom": Ends("answered", winner, "done") if winner == "terminal" else TERMINAL_ONLY,
    }


def nothing(outcome: Outcome, winner: Winner, *reasons: str, promise: Never | None = None) -> dict[Method, Cell]:
    """Nobody's answer: the same for each method but for the value."""
    return {method: Ends(outcome, winner, NOTHING[method] if promise is None else promise, None, *reasons) for method in METHODS}


def stays(refused: RefusalReason | None = None) -> dict[Method, Cell]:
    return dict.fromkeys(METHODS, Stays(refused))


NO_OPTIONS: Final[dict[Method, Cell]] = {
    "editor": Absent("Pi's `editor` takes no options"),
    "custom": Absent("Pi's `custom` has no such option"),
}
CLOSED: Final = Ends("withdrawn", "none", "undefined", None, "closed")
"""What a custom dialog's end means is its own business: one that gives nothing is neither an answer nor surely a refusal."""

EVENTS: Final[tuple[Event, ...]] = (
    Event(
        "terminal_answers",
        "The terminal answers",
        "As without us: the dialog goes, and the screen is what it was.",
        "The value that was chosen or typed.",
        "One `extension_ui_settled`: `answered`, winner `terminal`, with the answer where it was chosen and without it where it was typed.",
        answered("terminal"),
    ),
    Event(
        "remote_answers",
        "A remote answers",
        "The dialog goes, whichever it is of several, and the screen is what it was; with `terminal_notice` a line says who answered.",
        "The same value as from the terminal.",
        "`extension_ui_settled` with the name of the credential that won, for everybody; the winner's `response_result` is accepted.",
        answered("remote"),
    ),
    Event(
        "terminal_cancels",
        "Cancelled at the terminal with Ctrl+C",
        "As without us.",
        "Nothing: `undefined`, `false` of a confirm, no answers of an ask.",
        "`cancelled`, winner `terminal`. A custom dialog that gives nothing is `withdrawn` (`closed`).",
        {**nothing("cancelled", "terminal"), "custom": CLOSED},
    ),
    Event(
        "escape",
        "Esc",
        "As without us: Esc ends the dialog that is seen, and neither one below it nor the turn.",
        "As with Ctrl+C.",
        "As with Ctrl+C. No and Esc of a confirm are told apart.",
        {**nothing("cancelled", "terminal"), "custom": CLOSED},
    ),
    Event(
        "remote_cancels",
        "Cancelled from a remote",
        "The dialog goes. A custom dialog stays: nobody cancels what they cannot see.",
        "As when cancelled at the terminal.",
        "`cancelled`, winner `remote`, with its name. For a custom dialog the answer is refused as `terminal_only`.",
        {**nothing("cancelled", "remote"), "custom": TERMINAL_ONLY},
    ),
    Event(
        "timeout",
        "Its time is over",
        "Pi's countdown ends it.",
        "As when cancelled.",
        "`timed_out`, winner `none`. The request told `timeoutAt`.",
        {**nothing("timed_out", "none"), **NO_OPTIONS},
    ),
    Event(
        "signal",
        "The extension's own signal aborts it",
        "Pi takes the dialog away.",
        "As when cancelled.",
        "`withdrawn` (`signal`).",
        {**nothing("withdrawn", "none", "signal"), **NO_OPTIONS},
    ),
    Event(
        "invalid",
        "An answer that does not fit",
        "Nothing.",
        "Nothing.",
        "Who gave it is told `invalid` with the reason in a sentence; the others hear nothing. The prompt is open for everybody.",
        {**stays("invalid"), "custom": TERMINAL_ONLY},
    ),
    Event(
        "late",
        "An answer that comes too late",
        "Nothing.",
        "Nothing: it has the value of who was first.",
        "Who gave it is told `settled`, and how the prompt ended. The others hear nothing.",
        answered("terminal"),
    ),
    Event(
        "two_remotes",
        "Two remotes answer at once",
        "The dialog goes.",
        "The value of the one that was first.",
        "One is accepted; the other is told `settled` and who won.",
        {**answered("remote"), "custom": TERMINAL_ONLY},
    ),
    Event(
        "reload",
        "/reload",
        "Pi takes all dialogs away.",
        "Its promise stays pending, unless its own signal fires later; Pi does the same without us.",
        "`withdrawn` (`reload`). The session stays, and the next prompt is offered.",
        nothing("withdrawn", "none", "reload", promise=Never.PENDING),
    ),
    Event(
        "new",
        "/new",
        "Pi takes all dialogs away.",
        "As with /reload.",
        "`withdrawn` (`new`). The session stays and has another conversation.",
        nothing("withdrawn", "none", "new", promise=Never.PENDING),
    ),
    Event(
        "resume",
        "/resume",
        "Pi takes all dialogs away.",
        "As with /reload.",
        "`withdrawn` (`resume`). The session stays and has another conversation.",
        nothing("withdrawn", "none", "resume", promise=Never.PENDING),
    ),
    Event(
        "fork",
        "/fork",
        "Pi takes all dialogs away.",
        "As with /reload.",
        "`withdrawn` (`fork`). The session stays and has another conversation.",
        nothing("withdrawn", "none", "fork", promise=Never.PENDING),
    ),
    Event(
        "stop",
        "A remote stops the turn that asks",
        "The dialogs of the turn go, then the turn is aborted. A custom dialog stays until the person ends it.",
        "As when cancelled.",
        "`cancelled`, winner `remote`, for each; then the `command_result` of `stop_turn`.",
        {**nothing("cancelled", "remote"), "custom": Stays()},
    ),
    Event(
        "abort",
        "The turn that asks is aborted inside Pi",
        "What was opened with the turn's signal goes. The others stay: they have no signal.",
        "As when cancelled.",
        "`withdrawn` (`signal`), or nothing.",
        {**nothing("withdrawn", "none", "signal"), "editor": Stays(), "custom": Stays()},
    ),
    Event(
        "pi_killed",
        "Pi is killed (-9)",
        "Pi is gone.",
        "Gone with Pi.",
        "`withdrawn` (`gone`). The session has ended.",
        nothing("withdrawn", "none", "gone", promise=Never.GONE),
    ),
    Event(
        "terminal_closed",
        "Pi's terminal is closed",
        "Pi ends.",
        "Gone with Pi.",
        "`withdrawn`: as `quit` where Pi still says so before it ends (1.6.0 mostly does), else as `gone`. The session has ended.",
        nothing("withdrawn", "none", "quit", "gone", promise=Never.GONE),
    ),
    Event(
        "pi_stopped",
        "Pi is stopped (SIGSTOP, Ctrl+Z)",
        "It stands still; afterwards the dialogs are where they were.",
        "Nothing, until Pi goes on.",
        "The session is `suspended`. An answer that is given meanwhile has no result until Pi goes on, and counts then.",
        stays(),
    ),
    Event(
        "daemon_killed",
        "The daemon is killed (-9) and started again",
        "Nothing.",
        "Nothing.",
        "They connect again and find the same prompts under the same ids. What ended meanwhile is told then.",
        stays(),
    ),
    Event(
        "daemon_stopped",
        "The daemon stands still for a while (SIGSTOP)",
        "Nothing: it can be answered there.",
        "The terminal's answers, at once.",
        "Nothing until the daemon goes on; then everything that happened, and all that is open.",
        stays(),
    ),
    Event(
        "link_cut",
        "The link between Pi and the daemon is cut",
        "Nothing.",
        "Nothing.",
        "The session is `detached` until the extension is back, at most 5 s. An answer meanwhile is refused as `detached`.",
        {**stays("detached"), "custom": TERMINAL_ONLY},
    ),
    Event(
        "no_daemon",
        "Opened while no daemon runs",
        "The dialog, as without us.",
        "The terminal's answer, or a remote's once a daemon runs.",
        "The prompt is offered at most 6 s after a daemon starts.",
        stays(),
    ),
)
TABLE: Final[Mapping[str, Event]] = {event.name: event for event in EVENTS}

_INTRODUCTION: Final = """\
# What becomes of a prompt

A prompt is a dialog that an extension opened in Pi's terminal: `select`, `confirm`, `input`, `editor`, `ask` or `custom`. This page says
what the terminal, the extension and each client see when something happens to it. It is written from `tests/e2e/prompt_table.py`
(`python -m tests.e2e.prompt_table`), and `tests/e2e/test_prompt_table.py` plays every cell on the real Pi.

The rules behind the table:

* What takes a dialog off Pi's screen for good withdraws its prompt. What cuts us off, stops us or ends us withdraws nothing.
* Pi decides. A prompt is over for clients when Pi has said so, or when Pi's process is gone.
* A prompt has one end, which everybody is told, also who comes later with an answer. An id never comes back.
* A remote can neither answer nor cancel a `custom` dialog, whose content is the terminal's. That it is open and how it ended is told.

In the table `stays` means that the prompt is open and can be answered afterwards; a word behind it says why an answer was refused.
"""

_WHERE: Final = """\
## Where it is played

Each cell is played on Pi 1.6.0 and 0.73.1, each with our extension named at the start (`-e`) and attached to a Pi that ran already
(settings and /reload). The two ways can differ, because an attached extension gets at Pi's dialogs by another door: 0.73.1 has made its
dialogs' context by then, so it is changed in place. When Pi is killed and when its terminal is closed nothing of that matters, so these
two are played with `-e` alone.
"""


def page() -> str:
    """docs/prompts.md as it should be."""
    head = f"| | {' | '.join(f'`{method}`' for method in METHODS)} |"
    rows = [
        f"| [{event.heading}](#{anchor(event.heading)}) | {' | '.join(str(event.row[method]) for method in METHODS)} |" for event in EVENTS
    ]
    table = "\n".join([head, "|---" * (len(METHODS) + 1) + "|", *rows])
    return "\n".join([_INTRODUCTION, table, "", *map(_section, EVENTS), _WHERE])


def anchor(heading: str) -> str:
    """What a heading is linked by."""
    return "".join(letter for letter in heading.lower().replace(" ", "-") if letter.isalnum() or letter in "-_")


def _section(event: Event) -> str:
    lines = [
        f"## {event.heading}\n",
        f"* Terminal: {event.terminal}",
        f"* Extension: {event.extension}",
        f"* Clients: {event.clients}",
    ]
    absent = {cell.why: None for cell in event.row.values() if isinstance(cell, Absent)}
    if absent:
        lines.append(f"* Does not exist everywhere: {'; '.join(absent)}. No request of these methods has a timeout.")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page())
