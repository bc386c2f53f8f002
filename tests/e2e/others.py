"""Extensions of other authors in the real Pi, with us and without: what a person types to use them, and what came of it.

`docs/other-extensions.md` is written from this file and `others.json`, which holds what the last run saw.
`python -m tests.e2e.others NAME …` runs these extensions, or all, and writes both anew; `tests/e2e/test_others.py` checks them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import msgspec

from mirrord.demo.screen import Run, Snapshot
from mirrord.demo.terminal import KEYS, NotShown
from mirrord.wire import messages as wire
from tests.e2e.sight import look
from tests.e2e.stage import Stage, stage, until
from tests.e2e.surface_table import MEMBERS, TERMINAL_OWNED
from tests.harness.extension_copy import bystander, extension_copy
from tests.harness.pi import FULLSCREEN, ROOT, examples

PAGE: Final = ROOT / "docs" / "other-extensions.md"
SEEN: Final = Path(__file__).with_name("others.json")
WITNESS: Final = ROOT / "tests" / "harness" / "witness.ts"
EXAMPLES: Final = examples(FULLSCREEN)
PACKAGES: Final = ROOT / "tools" / "extensions" / "node_modules"
ROWS: Final = 60
FAILED: Final = "Failed to load extension"
"""What Pi says of one that does not start."""

STILL: Final = 0.3
"""Seconds in which nothing may change before a screen is compared."""

MOVES: Final = 2.0
"""Seconds after which a screen that still changes counts as one that moves by itself."""

PATIENCE: Final = 3.0
"""Seconds that a screen has to become what it is in another run: a hundred times what an act takes on an idle machine."""

TURN: Final[Mapping[str, str]] = {"hello there": "Echo: hello there", "run: echo sum-$((40 + 2))": "Tool said: "}
"""A turn, and one with a tool; and what the screen then shows."""


@dataclass(frozen=True, slots=True)
class Other:
    """An extension: its files, and the lines and keys (by name) that use it after a turn or two."""

    name: str
    files: tuple[Path, ...]
    acts: tuple[str, ...]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a run of one extension saw. `asked`: members of `ctx.ui` that it called to show something; `shown`: those of which a remote saw
    something; `screens` and `alike`: how many were compared, and rows that were the same in two runs without us."""

    starts: bool
    asked: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    screens: int = 0
    masked: int = 0
    """Rows that differ between two runs without us."""

    moving: int = 0
    """Screens that move by themselves, and so are not compared."""


_COMMAND: Final = re.compile(r"registerCommand\(\s*\"([\w:-]+)\"")
_LEFT_OUT: Final = frozenset({"quit", "reload-runtime", "trigger-compact", "overlay-streaming", "doom-overlay"})
"""Commands that end what is looked at, or need what is not here."""

_ACTS: Final[Mapping[str, tuple[str, ...]]] = {
    "question": ('tool: question {"question": "Which?", "options": [{"label": "tulip"}, {"label": "rose"}]}', "down", "enter"),
    "questionnaire": (
        'tool: questionnaire {"questions": [{"id": "a", "prompt": "Which?", "options": [{"value": "1", "label": "one"}]}]}',
        "enter",
        "enter",
    ),
    "todo": ('tool: todo {"action": "add", "text": "dig"}', "/todos", "escape"),
    "hello": ('tool: hello {"name": "Ada"}',),
    "permission-gate": ("run: chmod 777 nothing", "down", "enter"),
    "confirm-destructive": ("/new", "escape"),
    "subagent": (),
    "custom-footer": ("/footer", "hello again", "/footer"),
    "working-indicator": ("/working-indicator none", "slow 3 50", "/working-indicator reset"),
    "session-name": ("/session-name garden",),
    "bookmark": ("/bookmark here", "/unbookmark"),
    "send-user-message": ("/ask", "/ask garden"),
    "inline-bash": ("say !{echo inline}",),
    "input-transform": ("ping",),
    "tool-override": ("/read-log",),
    "preset": ("/preset",),
    "rpc-demo": ("/rpc-input", "typed", "enter", "/rpc-editor", "escape", "/rpc-prefill", "ctrl+u"),
    "event-bus": ("/emit",),
    "pi-processes": ('tool: process {"action": "start", "name": "sleeper", "command": "sleep 30"}', "/ps", "enter", "escape"),
    "pi-subagents": ("/subagents-doctor", "escape", "/subagents", "escape"),
    "handoff": ("/handoff plant tulips", "escape"),
    "tic-tac-toe": ("/tic-tac-toe", "right", "escape"),
    "snake": ("/snake", "escape"),
    "space-invaders": ("/invaders", "escape"),
}

_AT_THE_START: Final = "told once as the session starts, when nobody is there yet"

REASONS: Final[Mapping[tuple[str, str], str]] = {
    ("border-status-editor", "setFooter"): "its footer draws no line",
    ("github-issue-autocomplete", "notify"): _AT_THE_START,
    ("pi-subagents", "setToolsExpanded"): "hides what is hidden already",
    ("project-trust", "notify"): _AT_THE_START,
}
"""Extension and member → why a remote saw nothing of it, where the member itself does not say so."""


NOTHING: Final[Mapping[str, str]] = {
    "auto-commit-on-exit": "speaks only as Pi ends, in a repository",
    "claude-rules": "speaks only where `.claude/rules` holds files",
    "custom-compaction": "speaks only when a conversation is compacted",
    "dirty-repo-guard": "asks only in a repository with changes, as in `tests/e2e/test_pi_examples.py`",
    "doom-overlay": "needs the files of a game",
    "file-trigger": "speaks only when its file is written",
    "git-checkpoint": "asks only when the conversation forks in a repository, as in `tests/e2e/test_pi_examples.py`",
    "git-merge-and-resolve": "speaks only in a repository that follows another",
    "interactive-shell": "hands the terminal to another program",
    "model-status": "speaks only when another model is chosen",
    "protected-paths": "speaks only when a protected file is written",
    "ssh": "needs a host to connect to",
    "subagent": "asks only about agents that a project brings",
    "trigger-compact": "speaks only when a conversation is compacted",
}
"""Extension → why it shows nothing here, though it calls members of `ctx.ui`."""

_CALLS: Final = re.compile(r"\bui\.\w+\(")


def found() -> dict[str, Other]:
    """All of them by name: the examples of Pi 1.6.0, and packages that are installed."""
    files = sorted([*EXAMPLES.glob("*.ts"), *EXAMPLES.glob("*/index.ts")])
    others = [_other(file.stem if file.stem != "index" else file.parent.name, (file,)) for file in files]
    others.append(_other("pi-subagents", (PACKAGES / "pi-subagents" / "index.ts",)))
    parts = ("processes", "processes-logs", "processes-dock")
    others.append(_other("pi-processes", tuple(PACKAGES / "@aliou" / "pi-processes" / "extensions" / part / "index.ts" for part in parts)))
    return {other.name: other for other in others}


def _other(name: str, files: tuple[Path, ...]) -> Other:
    if name in _ACTS:
        return Other(name, files, _ACTS[name])
    source = "".join(file.read_text() for file in files if file.exists())
    commands = [command for command in dict.fromkeys(_COMMAND.findall(source)) if command not in _LEFT_OUT]
    return Other(name, files, tuple(act for command in commands for act in (f"/{command}", "escape")))


@dataclass(frozen=True, slots=True)
class Played:
    """One run: the screen after each act, None for one that moves; and what was seen beside it."""

    screens: tuple[Snapshot | None, ...]
    shown: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()


def play(files: Sequence[Path], acts: Sequence[str], *, ours: bool, witness: bool = False, like: Sequence[Played] = ()) -> Played:
    """Types everything into a Pi with these extensions; with `ours` a daemon runs, and a phone follows.

    `like`: earlier runs; where these are alike a screen is waited for until it is so too, as far as that takes no more than PATIENCE.
    """
    entry = extension_copy("absence") if ours else bystander()
    with TemporaryDirectory() as folder:
        log = Path(folder) / "witness"
        log.touch()
        extensions = [WITNESS, *files] if witness else [*files]
        with stage(FULLSCREEN, daemon=ours, extensions=extensions, entry=entry, rows=ROWS, env={"WITNESS_LOG": str(log)}) as here:
            # An extension has shells read it.
            (here.home.root / "home" / ".profile").touch()
            phone = here.remote("phone") if ours else None
            screens: list[Snapshot | None] = []
            for act in ("", *acts):
                if act:
                    _do(here, act)
                screens.append(_rest(here, [run.screens[len(screens)] for run in like]))
            shown = _shown(phone.received) if phone is not None else frozenset()
            return Played(tuple(screens), shown, frozenset(log.read_text().split()))


def _do(here: Stage, act: str) -> None:
    """Types that line, or presses that key."""
    if act in KEYS or act.startswith("ctrl+"):
        here.pi.keys(act)
    else:
        here.pi.line(act)
    if act in TURN:
        here.pi.wait_for(TURN[act])


def _rest(here: Stage, wanted: Sequence[Snapshot | None]) -> Snapshot | None:
    """The screen at rest."""
    with suppress(NotShown):
        here.pi.settle(STILL, MOVES)
        if wanted and None not in wanted:
            with suppress(AssertionError):
                until(lambda: not _differences(wanted, look(here.pi)), PATIENCE, "it is another screen")
        return look(here.pi)
    return None


def _differences(wanted: Sequence[Snapshot | None], seen: Snapshot) -> list[tuple[int, str, str]]:
    """The rows that are alike in all that is wanted and not in what is seen, with both texts."""
    rows = zip(*(screen.lines for screen in wanted if screen is not None), strict=True)
    return [
        (row, _text(alike[0]), _text(now))
        for row, (alike, now) in enumerate(zip(rows, seen.lines, strict=True))
        if len(set(alike)) == 1 and now != alike[0]
    ]


def _shown(messages: Sequence[wire.ServerMessage]) -> frozenset[str]:
    """The members of `ctx.ui` of which a client saw something."""
    seen: set[str] = set()
    for message in [*messages]:
        match message:
            case wire.Snapshot():
                seen |= _of_snapshot(message)
            case wire.ExtensionUIRequest(method=method):
                seen.add(method)
            case wire.ExtensionUINotification(method="set_editor_text", paste=paste):
                seen.add("pasteToEditor" if paste else "setEditorText")
            case wire.ExtensionUINotification(method=method):
                seen.add("custom" if method == "setCustomView" else method)
            case _:
                pass
    return frozenset(seen)


def _of_snapshot(snapshot: wire.Snapshot) -> set[str]:
    row = snapshot.working_row
    holds = {
        "setWidget": snapshot.surfaces,
        "setStatus": snapshot.statuses,
        "setTitle": snapshot.title,
        "setHeader": snapshot.header,
        "setFooter": snapshot.footer,
        "custom": snapshot.views,
        "setWorkingMessage": row is not None and row.message,
        "setWorkingVisible": row is not None and not row.visible,
        "setWorkingIndicator": row is not None and row.indicator,
        "setHiddenThinkingLabel": snapshot.hidden_thinking_label,
        "setToolsExpanded": snapshot.tools_expanded,
    }
    return {member for member, held in holds.items() if held} | {prompt.method for prompt in snapshot.prompts}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Screens of two runs without us and of one with us."""

    screens: int
    masked: int
    moving: int
    differences: tuple[str, ...]


def compared(acts: Sequence[str], first: Played, second: Played, ours: Played) -> Comparison:
    """What differs between the first two is masked in the third."""
    masked = moving = 0
    differences: list[str] = []
    for act, one, other, with_us in zip(("the start", *acts), first.screens, second.screens, ours.screens, strict=True):
        if one is None or other is None or with_us is None:
            moving += 1
            continue
        masked += sum(was != again for was, again in zip(one.lines, other.lines, strict=True))
        differences += [f"after {act!r}, row {row}:\n- {was}\n+ {now}" for row, was, now in _differences((one, other), with_us)]
        if one.title == other.title != with_us.title:
            differences.append(f"after {act!r}, the title: {other.title!r}, now {with_us.title!r}")
    return Comparison(len(first.screens), masked, moving, tuple(differences))


def _text(line: Iterable[Run]) -> str:
    return "".join(run.text for run in line)


def run(other: Other) -> tuple[Outcome, Comparison | None]:
    """All runs of one extension, and what they saw."""
    acts = (*TURN, *other.acts)
    try:
        first = play(other.files, acts, ours=False)
    except NotShown as ended:
        if FAILED not in str(ended):
            raise
        return Outcome(starts=False), None
    second = play(other.files, acts, ours=False, like=[first])
    with_us = play(other.files, acts, ours=True, like=[first, second])
    comparison = compared(acts, first, second, with_us)
    asked = play(other.files, acts, ours=False, witness=True).asked & MEMBERS
    seen = with_us.shown & asked
    outcome = Outcome(
        starts=True,
        asked=tuple(sorted(asked)),
        shown=tuple(sorted(seen)),
        screens=comparison.screens,
        masked=comparison.masked,
        moving=comparison.moving,
    )
    return outcome, comparison


def why_nothing(other: Other) -> str | None:
    """Why an extension that asked nothing of `ctx.ui` did not; None when nobody knows."""
    calls = any(_CALLS.search(file.read_text()) for file in other.files if file.exists())
    return NOTHING.get(other.name) if calls else "shows nothing through `ctx.ui`"


def reason(name: str, member: str) -> str | None:
    """Why a remote sees nothing of what this extension asks of this member; None when nobody knows."""
    return REASONS.get((name, member)) or TERMINAL_OWNED.get(member)


def load() -> dict[str, Outcome]:
    """What the last runs saw."""
    return msgspec.json.decode(SEEN.read_bytes(), type=dict[str, Outcome])


def save(outcomes: Mapping[str, Outcome]) -> None:
    """Writes what was seen, and the page of it."""
    SEEN.write_bytes(msgspec.json.format(msgspec.json.encode(dict(sorted(outcomes.items()))), indent=1) + b"\n")
    PAGE.write_text(page(outcomes))


_INTRODUCTION: Final = """\
# Other authors' extensions

Every example extension of Pi 1.6.0, and two packages from npm (`pi-subagents`, `@aliou/pi-processes`), as they are, in a Pi without mirrord
and in one with it, a daemon and a phone. Each gets a turn, a tool's turn, and then its own commands with Esc after each. This page is
written from `tests/e2e/others.json`, which holds what the last run saw (`python -m tests.e2e.others`); `make soak` plays it again.

*Terminal* names the members of `ctx.ui` that the extension called to show something, as a witness in a Pi without mirrord tells.
*Remote* names those of which the phone saw something. *Screens* says how many were compared, row by row, to the last colour: rows that
differ between two runs without mirrord say nothing and are left out, and so is a screen that moves by itself. All others were the same.
In mirrord's place stands an extension that has its command and listens where it does, because Pi lists commands, and traces of errors
tell who listens.
"""


def page(outcomes: Mapping[str, Outcome]) -> str:
    """docs/other-extensions.md as it should be."""
    head = ["| extension | terminal | remote | why the remote sees no more | screens |", "|---|---|---|---|---|"]
    others = found()
    started = [_row(others[name], outcome) for name, outcome in sorted(outcomes.items()) if outcome.starts]
    rest = ", ".join(f"`{name}`" for name, outcome in sorted(outcomes.items()) if not outcome.starts)
    return "\n".join(
        [
            _INTRODUCTION,
            *head,
            *started,
            "",
            f"What needs packages that are not here starts neither with mirrord nor without: {rest}.",
            "",
        ]
    )


def _row(other: Other, outcome: Outcome) -> str:
    unseen = [member for member in outcome.asked if member not in outcome.shown]
    whys = [f"`{member}`: {(reason(other.name, member) or '').rstrip('.')}" for member in unseen]
    if not outcome.asked:
        whys = [why_nothing(other) or ""]
    screens = f"{outcome.screens}"
    screens += f", {outcome.masked} rows left out" if outcome.masked else ""
    screens += f", {outcome.moving} moving" if outcome.moving else ""
    return f"| `{other.name}` | {_names(outcome.asked)} | {_names(outcome.shown)} | {'; '.join(whys)} | {screens} |"


def _names(members: Iterable[str]) -> str:
    return ", ".join(f"`{member}`" for member in members)


def main(names: Sequence[str]) -> None:
    """Runs them, tells what differs, and writes what was seen."""
    outcomes = load() if SEEN.exists() else {}
    for name, other in found().items():
        if names and name not in names:
            continue
        outcomes[name], comparison = run(other)
        print(name, outcomes[name], *(comparison.differences if comparison else ()), sep="\n  ", flush=True)
        save(outcomes)


if __name__ == "__main__":
    main(sys.argv[1:])
