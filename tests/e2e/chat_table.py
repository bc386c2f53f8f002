"""What becomes of a conversation that is followed from afar. `docs/conversations.md` is written from this file.

`python -m tests.e2e.chat_table` writes the page anew; `tests/e2e/test_chat_table.py` plays every row on the real Pi and checks that the
page is current. How each is played is `tests/e2e/chat_scenes.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from mirrord.wire.chat import SubmitKind

PAGE: Final = Path(__file__).parents[2] / "docs" / "conversations.md"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One row: who does what, and what every client shows of it."""

    name: str
    heading: str
    done: str
    shown: str


SCENARIOS: Final = (
    Scenario("text", "Text", "The terminal asks, then a remote does.", "Two questions and their answers."),
    Scenario("thinking", "Thinking", "The model thinks before it answers.", "An answer whose thinking is a part of its own."),
    Scenario("streaming", "A long answer", "The model writes for seconds.", "One message that grows and becomes Pi's entry in its place."),
    Scenario("tool", "A tool", "The model runs a command that prints for a second.", "The call, and a result that grows while it runs."),
    Scenario("tool_error", "A tool that fails", "The model runs a command that exits with 3.", "A result that is an error."),
    Scenario("bash", "A shell command", "`!command` at the terminal, and one from a remote.", "Each with its output and its exit code."),
    Scenario("error", "An error", "The model's server answers with an error.", "An answer that is an error, with Pi's words for it."),
    Scenario(
        "retry", "A retry", "The server fails once and answers the second time.", "The failed answer and the good one, as Pi keeps both."
    ),
    Scenario("abort_retry", "A retry that is stopped", "A remote stops the retry while Pi waits.", "The error stays the end of it."),
    Scenario("escape", "Esc at the terminal", "The person stops an answer that is being written.", "What was written, as aborted."),
    Scenario("stop", "Stop from afar", "A remote stops an answer that is being written.", "What was written, as aborted."),
    Scenario(
        "queue", "Both sides queue", "While Pi writes, both steer, and a remote follows up.", "Each is a message once, when Pi takes it."
    ),
    Scenario(
        "note", "A message of an extension", "An extension says something, and something that is hidden.", "Both; one is marked as hidden."
    ),
    Scenario("compaction", "Compaction", "A remote has Pi compact.", "The summary, after what it sums up; nothing goes away."),
    Scenario("compaction_here", "Compaction at the terminal", "`/compact` is typed.", "The same."),
    Scenario("reload", "`/reload`", "It is typed, and Pi goes on.", "The same messages, told anew."),
    Scenario("tree", "The tree, from afar", "A remote goes back to an earlier answer and asks again.", "The branch that Pi is on."),
    Scenario(
        "tree_summary",
        "The tree, with a summary",
        "A remote goes back to an earlier answer, has Pi sum up what it leaves, and asks again.",
        "The branch that Pi is on, with the summary where the other one was left.",
    ),
    Scenario("tree_here", "`/tree` at the terminal", "The person goes back and asks again.", "The branch that Pi is on."),
    Scenario("new", "`/new`", "It is typed, and both sides write.", "The new conversation alone."),
    Scenario("resume", "`/resume`", "The person goes back to the conversation before.", "That one as it was, and what is added."),
    Scenario("fork", "`/fork`", "The person forks before the last question.", "The fork up to there, and what is added."),
)
TABLE: Final[Mapping[str, Scenario]] = {scenario.name: scenario for scenario in SCENARIOS}

Moment = Literal["rest", "turn", "compaction", "bash", "empty"]
"""What Pi does meanwhile."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Something that is asked for from afar and is not done: a command with `args`, or a text that is submitted."""

    what: str
    sentence: str
    command: str = ""
    args: Mapping[str, object] = field(default_factory=dict)
    text: str = ""
    kind: SubmitKind = "prompt"
    during: Moment = "rest"


_BUILT_IN: Final = ("settings", "model", "new", "resume", "fork", "tree", "share", "export", "copy", "session", "login", "logout", "quit")

REFUSALS: Final = (
    Refusal("A new conversation", "Another conversation is begun at the terminal: type /new there.", "new_session"),
    Refusal("Another conversation", "Another conversation is opened at the terminal: type /resume there.", "resume_session"),
    Refusal("A fork", "A fork is another conversation in the terminal: make it there, with /fork.", "fork"),
    Refusal("Sharing", "A conversation is shared from the terminal alone: type /share there.", "share"),
    *(Refusal(f"`/{name}`", f"Pi has /{name} at the terminal only.", text=f"/{name}", kind="command") for name in _BUILT_IN),
    Refusal("A command that there is not", "Pi has no such command.", text="/nowhere at all", kind="command"),
    Refusal("A command that is sent as a message", "Pi would take /mirrord for a command.", text="/mirrord status"),
    Refusal("A shell command that is sent as a message", "Pi would take it for a shell command.", text="!touch here"),
    Refusal("Nothing", "There is nothing in it.", text="  "),
    Refusal("A prompt", "A turn is running: steer it, or follow up.", text="not now", during="turn"),
    Refusal("A reload", "Wait for the current response to finish before reloading.", "reload", during="turn"),
    Refusal(
        "Another place of the tree",
        "Wait for the current response to finish before navigating the session tree.",
        "navigate_tree",
        {"entryId": "any"},
        during="turn",
    ),
    Refusal("A message", "Pi compacts the conversation: send it again when it is done.", text="not now", during="compaction"),
    Refusal(
        "Something that steers",
        "Pi compacts the conversation: send it again when it is done.",
        text="not now",
        kind="steer",
        during="compaction",
    ),
    Refusal("Compacting", "Pi compacts already.", "compact", during="compaction"),
    Refusal("A reload", "Wait for compaction to finish before reloading.", "reload", during="compaction"),
    Refusal(
        "Another place of the tree",
        "Wait for the current compaction to finish before navigating the session tree.",
        "navigate_tree",
        {"entryId": "any"},
        during="compaction",
    ),
    Refusal("Compacting", "Nothing to compact (no messages yet)", "compact", during="empty"),
    Refusal("A second shell command", "A shell command is already running in Pi.", text="echo second", kind="bash", during="bash"),
    Refusal("Stopping a shell command when none runs", "No shell command is running.", "abort_bash"),
    Refusal("Another place that there is not", "The session has no such entry.", "navigate_tree", {"entryId": "nothing"}),
    Refusal("A model that there is not", "Pi has no such model, or no key for it.", "set_model", {"provider": "nobody", "id": "nothing"}),
    Refusal("A thinking level that there is not", "The model has no such thinking level.", "set_thinking_level", {"level": "utmost"}),
    Refusal("A name of spaces", "A session's name has at least one character.", "set_session_name", {"name": " "}),
)

_INTRODUCTION: Final = """\
# What becomes of a conversation

What is said in Pi's terminal, and what happens to it, as every client shows it. This page is written from `tests/e2e/chat_table.py`
(`python -m tests.e2e.chat_table`), and `tests/e2e/test_chat_table.py` plays every row on the real Pi 1.6.0 and 0.73.1.

Each row is played twice. First before three clients: one that is there all along, one that joins somewhere in the middle, and one that is
cut off at one point and comes back at another; the points are drawn from a seed. Then the daemon is killed at such a point and another one
is started, before a client that was there and one that comes later. At the end all show the same, to the last field, and it is what Pi's
session file holds, entry by entry: the id, the kind, each part, how it ended. What was sent from afar is in that file once.

| what happens | who does what | what every client shows |
|---|---|---|
"""

_REFUSALS: Final = """
## What is refused

A conversation belongs to its terminal. What makes another one, and what only the terminal can do, is refused with a sentence, and so is
what Pi would misunderstand; nothing of it reaches the model. Both generations refuse the same, with the same words.

| what is asked for from afar | while | the reason |
|---|---|---|
"""

_TERMINAL: Final = """
## What the terminal keeps

A line that is half typed stays as it is, with the cursor in it, whatever is sent from afar meanwhile: a question, something that steers or
follows, a command, a shell command, a name. So does the place that the person has scrolled to, where Pi itself scrolls (1.6.0 in
fullscreen).
"""

_WHILE: Final[Mapping[Moment, str]] = {
    "rest": "",
    "turn": "Pi writes",
    "compaction": "Pi compacts",
    "bash": "a shell command runs",
    "empty": "nothing was said yet",
}


def page() -> str:
    """docs/conversations.md as it should be."""
    rows = [f"| {one.heading} | {one.done} | {one.shown} |" for one in SCENARIOS]
    refused = [f"| {one.what} | {_WHILE[one.during]} | {one.sentence} |" for one in REFUSALS]
    return _INTRODUCTION + "\n".join(rows) + "\n" + _REFUSALS + "\n".join(refused) + "\n" + _TERMINAL


if __name__ == "__main__":
    PAGE.write_text(page())
