"""One scripted session at Pi's keyboard, with a mark wherever a person would look at the screen.

It needs the exerciser, and knows nothing of mirrord: what it shows can be compared between a Pi with our extension and
one without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from mirrord.demo.terminal import Terminal
from tests.harness.exerciser import ExerciserLog, slash
from tests.harness.pi import quit_pi

MIDDLE: Final = "a confirm is open"
"""The mark at which half of the dialogs are still to come."""

ENDS: Final = 20.0
"""How long Pi may take to end, in seconds: it takes less than one on an idle machine."""

DRAWN: Final = ("{accent}drawn{/} in {warning}colours{/}", "\x1b]8;;https://example.org/\x07a link\x1b]8;;\x07")
NATIVE: Final = {"version": 1, "blocks": [{"type": "progress", "label": "half", "value": 0.5}]}

Mark = Callable[[str], None]
"""Called at each mark with its name; returns when the next key may be typed."""


class KeyboardSession:
    """`play` types everything; `mark` decides when the screen is as it should be."""

    def __init__(self, pi: Terminal, log: ExerciserLog, mark: Mark, rows: int) -> None:
        self._pi = pi
        self._log = log
        self._mark = mark
        self._rows = rows

    def play(self) -> int:
        """From the first screen to the end; gives the exit code."""
        self._mark("start")
        self._turns()
        self._dialogs()
        self._messages()
        self._surfaces()
        self._tools_and_shortcuts()
        self._reload_and_new()
        self._sizes()
        code = quit_pi(self._pi, ENDS)
        self._mark("after the end")
        return code

    def _turns(self) -> None:
        self._type("hello there", shows="Echo: hello there", mark="a reply")
        self._type("run: echo sum-$((40 + 2))", shows="Tool said: sum-42", mark="a tool has run")
        self._type("!echo typed-by-the-person", shows="typed-by-the-person", mark="a command of the person's has run")
        # One word, and the next one not before Esc is typed.
        self._pi.line("slow 2 5000")
        self._pi.wait_for("word0")
        self._pi.keys("escape")
        self._pi.wait_for("aborted")
        self._mark("a turn was ended by Esc")

    def _dialogs(self) -> None:
        self._ask("t-select", "Which one?", "a select is open", options=["one", "two", "three"])
        self._answer("Which one?", "down", mark="one option on")
        self._answer("Which one?", "enter", mark="a select was answered")
        self._ask("t-confirm", "Really?", MIDDLE, message="This removes notes.txt permanently.")
        self._answer("Really?", "enter", mark="a confirm was answered with Yes")
        self._ask("t-confirm", "Really not?", "another confirm is open")
        self._answer("Really not?", "down", "enter", mark="a confirm was answered with No")
        self._ask("t-confirm", "Or else?", "a third confirm is open")
        self._answer("Or else?", "escape", mark="a confirm was cancelled")
        self._ask("t-input", "Your name", "an input is open", placeholder="type a name")
        self._pi.send("Ada L")
        self._mark("a name is typed")
        self._pi.keys("backspace", "enter")
        self._mark("an input was answered")
        self._ask("t-select", "Last one?", "another select is open")
        self._answer("Last one?", "escape", mark="a select was cancelled")
        self._pi.line(slash("t-select", id="timeout", title="Quick?", timeout=1000))
        self._log.result("t-select", "timeout")
        self._mark("a select ran out of time")
        self._pi.line(slash("t-input", id="signal", title="Quicker?", abortAfter=100))
        self._log.result("t-input", "signal")
        self._mark("an input was withdrawn")

    def _messages(self) -> None:
        self._type(slash("t-status", key="job", text="building"), mark="a status")
        self._type(slash("t-status", key="other", text="waiting"), mark="two statuses")
        self._type(slash("t-status", key="job"), mark="one of them is cleared")
        self._type(slash("t-notify", message="careful now", type="warning"), mark="a warning")
        self._type(slash("t-notify", message="noted"), mark="a notification")
        self._type(slash("t-title", title="a title"), mark="a title")

    def _surfaces(self) -> None:
        self._type(slash("t-widget", key="kept", drawn=True, blind=True, lines=DRAWN), mark="a widget that keeps what it drew first")
        self._type(slash("t-widget", key="told", drawn=True, native=NATIVE, lines=DRAWN), mark="a widget that has a native form")
        self._type(slash("t-widget", key="lines", lines=["one", "two"], placement="belowEditor"), mark="lines below")
        self._type(slash("t-header", lines=["in the header"]), mark="a header")
        self._type(slash("t-footer", lines=["in the footer"]), mark="a footer")
        self._type(slash("t-theme", name="light"), mark="in another theme")
        self._type(slash("t-theme", name="dark"), mark="in the theme of before")
        self._open("t-view", "Say it", "a field in a dialog is open", field="word " * 50)
        # Where the caret goes by these keys depends on the width that the field was drawn at last.
        self._pi.keys("up")
        self._pi.send("X")
        self._mark("something is typed in the middle of it")
        self._pi.keys("up", "left")
        self._pi.send("Y")
        self._answer("Say it", "escape", mark="the dialog is closed")
        self._open("t-view", "Over it", "a dialog above everything", overlay=True, caret=True)
        self._answer("Over it", "enter", mark="it is closed")
        self._type(slash("t-text", text="handed over"), mark="a text was put into the editor")
        self._pi.keys("ctrl+u")
        self._type(slash("t-label", text="Pondering"), mark="a label")
        self._type(slash("t-working", message="Digging", frames=["o"]), mark="a working message")
        self._type("think", mark="a turn with both")
        # With everything shown Pi lists where each extension is, so nobody looks before it is hidden again.
        self._pi.line(slash("t-tools", id="shown", expanded=True))
        self._log.result("t-tools", "shown")
        self._type(slash("t-tools", id="hidden", expanded=False), mark="tools have shown everything")
        for key in ("t-header", "t-footer"):
            self._type(slash(key), mark=f"{key} again as without it")
        for key in ("kept", "told", "lines"):
            self._type(slash("t-widget", key=key), mark=f"the widget {key!r} is gone")

    def _tools_and_shortcuts(self) -> None:
        self._pi.line('tool: ask_user {"question": "Which colour?"}')
        self._pi.wait_for("Which colour?")
        self._pi.wait_for("→ red")
        self._mark("a tool asks")
        self._pi.keys("down", "enter")
        self._pi.wait_for("Tool said: the user chose green")
        self._mark("a tool got its answer")
        self._pi.keys("ctrl+alt+k")
        self._mark("a shortcut asks")
        self._answer("From a shortcut", "enter", mark="a shortcut got its answer")

    def _reload_and_new(self) -> None:
        for reloads in (1, 2):
            self._pi.line("/reload")
            self._log.wait(lambda record: record.event == "session_start" and record.reason == "reload", count=reloads)
            self._mark(f"after reload {reloads}")
        self._ask("t-select", "After a reload?", "a select is open after a reload")
        self._answer("After a reload?", "down", "down", "enter", mark="it was answered")
        self._pi.line(slash("t-new"))
        self._log.wait(lambda record: record.event == "session_start" and record.reason == "new")
        self._mark("a new conversation")
        self._type("hello again", shows="Echo: hello again", mark="a reply in it")
        self._ask("t-confirm", "In the new one?", "a confirm is open in it")
        self._answer("In the new one?", "enter", mark="and was answered")

    def _sizes(self) -> None:
        self._type(slash("t-widget", key="kept", drawn=True, blind=True, lines=DRAWN), mark="a widget that keeps what it drew, once more")
        self._pi.resize(80, 24)
        self._mark("a smaller terminal")
        self._ask("t-select", "Now?", "a select is open in it")
        self._pi.resize(110, self._rows + 2)
        self._mark("a larger one")
        self._answer("Now?", "enter", mark="answered there")
        self._type("bye", shows="Echo: bye", mark="a last reply")

    # ---- steps -------------------------------------------------------------------------------------------------------

    def _type(self, line: str, *, mark: str, shows: str | None = None) -> None:
        self._pi.line(line)
        if shows is not None:
            self._pi.wait_for(lambda text: any(row.strip() == shows for row in text.splitlines()))
        self._mark(mark)

    def _ask(self, command: str, title: str, mark: str, **arguments: object) -> None:
        self._pi.line(slash(command, title=title, id=title, **arguments))
        self._pi.wait_for(title)
        self._mark(mark)

    def _open(self, command: str, line: str, mark: str, **arguments: object) -> None:
        self._pi.line(slash(command, id=line, lines=[line], **arguments))
        self._pi.wait_for(lambda text: line in text and f"/{command}" not in text)
        self._mark(mark)

    def _answer(self, title: str, *keys: str, mark: str) -> None:
        self._pi.keys(*keys)
        if keys[-1] in ("enter", "escape"):
            self._pi.wait_gone(title)
        self._mark(mark)


def results(log: ExerciserLog) -> list[tuple[str | None, str | None, str | None, object]]:
    """What each command got, in order."""
    return list(_results(log))


def _results(log: ExerciserLog) -> Iterator[tuple[str | None, str | None, str | None, object]]:
    for record in log.records():
        if record.event == "result":
            yield record.name, record.id, record.outcome, record.value
