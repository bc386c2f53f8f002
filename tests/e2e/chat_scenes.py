"""How each row of `tests/e2e/chat_table.py` is played. A scene stops at points where a client may go or come, and the daemon may die."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from mirrord.core.chat.actions import UNREACHABLE
from mirrord.wire import chat
from tests.e2e.stage import LINKED, Stage, until
from tests.e2e.viewers import Viewer, text_of
from tests.harness.pi import FULLSCREEN

SETTINGS: Final[Mapping[str, object]] = {
    # Pi keeps next to nothing when it compacts, and tries again at once.
    "compaction": {"enabled": True, "reserveTokens": 1000, "keepRecentTokens": 10},
    "retry": {"enabled": False, "maxRetries": 3, "baseDelayMs": 500},
}
NOTES: Final = """
export default function (pi) {
  const note = (content, display) => pi.sendMessage({ customType: "note", content, display }, { triggerTurn: false });
  pi.registerCommand("note", { description: "two notes", handler: async () => (note("seen", true), note("unseen", false)) });
}
"""


@dataclass(slots=True)
class Scene:
    """A scene on a stage, before `along`, who is there all the time. `number` makes its texts its own."""

    here: Stage
    along: Viewer
    number: int
    restarts: bool
    """The daemon is killed in it: what is true for a moment only may be missed."""
    sent: dict[str, str] = field(default_factory=dict)
    """`clientTurnId` → text, of what becomes a message."""
    typed: list[str] = field(default_factory=list)
    _before: set[str] = field(default_factory=set)

    def type(self, line: str) -> None:
        """At the terminal; the screen rests first, so that Pi takes it as one line."""
        self.here.pi.settle(0.1)
        self._mark()
        self.typed.append(line)
        self.here.pi.line(line)

    def type_on(self, line: str) -> None:
        """While Pi draws what it writes."""
        self.typed.append(line)
        self.here.pi.line(line)

    def send(self, text: str, kind: chat.SubmitKind = "prompt") -> str:
        self._mark()
        turn_id = self.along.submit(text, kind)
        if kind != "command":
            self.sent[turn_id] = text
        return turn_id

    def act(self, command: str, **args: object) -> None:
        """A command of a remote, which is done."""
        self.here.wait_session()
        told: list[str | None] = []

        def done() -> bool:
            told.append(self.along.command(command, args))
            return told[-1] != UNREACHABLE

        until(done, LINKED, "the terminal cannot be reached")
        assert told[-1] is None, told

    def until(self, holds: Callable[[list[chat.ChatMessage]], bool], what: str) -> None:
        self.along.wait(lambda _: holds(self.along.messages), f"does not show {what}")

    def writes(self, text: str) -> None:
        """An answer or a result that came since the last line has this in it."""
        self.until(lambda rows: any(text in text_of(row) for row in self._new(rows, "assistant", "tool")), repr(text))

    def answered(self, text: str) -> None:
        """The last answer is new and is this, and its turn is over."""
        self._over(lambda row: text_of(row) == text, repr(text))

    def ended(self, state: chat.MessageState) -> None:
        """The last answer is new and ended so, and its turn is over."""
        self._over(lambda row: row.state == state, state)

    def _over(self, holds: Callable[[chat.ChatMessage], bool], what: str) -> None:
        def over(rows: list[chat.ChatMessage]) -> bool:
            new = self._new(rows, "assistant")
            turn = (self.along.fields.get("agent") or {}).get("lastTurn")
            # A quick turn may be all there before it is told that one runs.
            return self.rests() and bool(new) and holds(new[-1]) and turn is not None and turn["at"] >= new[-1].at

        self.until(over, what)

    def failed(self) -> None:
        """An answer is new and is an error; Pi may try again."""
        self.until(lambda rows: any(row.state == "error" for row in self._new(rows, "assistant")), "an error")

    def shows(self, *questions: str) -> None:
        """These are the last questions."""
        self.until(lambda _: self.along.said("user")[-len(questions) :] == [*questions], f"the questions {questions}")

    def field(self, name: str, holds: Callable[[Any], bool]) -> None:
        self.along.wait(lambda view: holds(view.fields.get(name)), f"does not show {name} so")

    def rests(self) -> bool:
        fields = self.along.fields
        agent = fields.get("agent") or {}
        return fields.get("streaming") is False and not any(agent.get(name) for name in ("compacting", "bash", "retrying"))

    def _mark(self) -> None:
        """What is shown now is old."""
        self._before = {name for row in self.along.messages for name in (row.id, row.live_id) if name is not None}

    def _new(self, rows: list[chat.ChatMessage], *kinds: str) -> list[chat.ChatMessage]:
        return [row for row in rows if row.kind in kinds and row.id not in self._before and row.live_id not in self._before]


Play = Callable[[Scene], Iterator[None]]


def words(count: int) -> str:
    """What the scripted model says to `slow count`."""
    return " ".join(f"word{number}" for number in range(count))


def text(scene: Scene) -> Iterator[None]:
    scene.type(f"hello {scene.number}")
    yield
    scene.answered(f"Echo: hello {scene.number}")
    yield
    scene.send(f"from afar {scene.number}")
    yield
    scene.answered(f"Echo: from afar {scene.number}")


def thinking(scene: Scene) -> Iterator[None]:
    scene.send(f"think {scene.number}")
    yield
    scene.answered("Here is the considered answer.")


def streaming(scene: Scene) -> Iterator[None]:
    scene.send(f"slow 80 15 {scene.number}")
    yield
    scene.writes("word5")
    yield
    scene.writes("word40")
    yield
    scene.answered(words(80))


def tool(scene: Scene) -> Iterator[None]:
    scene.type(f"run: for i in 1 2 3 4 5; do echo {scene.number} line$i; sleep 0.2; done")
    scene.writes("line1")
    yield
    scene.writes("line3")
    yield
    scene.answered(f"Tool said: {scene.number} line1")


def tool_error(scene: Scene) -> Iterator[None]:
    scene.send(f"run: echo oops {scene.number}; exit 3")
    yield
    scene.answered(f"Tool said: oops {scene.number}")
    scene.until(lambda rows: [row.is_error for row in rows if row.kind == "tool"][-1], "that it failed")


def bash(scene: Scene) -> Iterator[None]:
    def ran(output: str, code: int) -> None:
        scene.until(
            lambda rows: scene.rests() and [(text_of(row), row.exit_code) for row in rows if row.kind == "bash"][-1:] == [(output, code)],
            output,
        )

    scene.type(f"!echo here {scene.number}")
    yield
    ran(f"here {scene.number}", 0)
    scene.send(f"echo afar {scene.number}; sleep 0.3; exit 4", "bash")
    yield
    ran(f"afar {scene.number}", 4)


def error(scene: Scene) -> Iterator[None]:
    scene.send(f"fail please {scene.number}")
    yield
    scene.ended("error")


def retry(scene: Scene) -> Iterator[None]:
    scene.act("set_auto_retry", enabled=True)
    # The library of the older generation asks three times before Pi learns of it.
    failures = 1 if scene.here.kind is FULLSCREEN else 3
    scene.send(f"fail {failures} {scene.number}")
    yield
    if not scene.restarts:
        scene.field("agent", lambda agent: bool(agent.get("retrying")))
    yield
    scene.answered(f"Echo: fail {failures} {scene.number}")
    scene.act("set_auto_retry", enabled=False)


def abort_retry(scene: Scene) -> Iterator[None]:
    scene.act("set_auto_retry", enabled=True)
    scene.send(f"fail always {scene.number}")
    yield
    if scene.restarts:
        scene.failed()
    else:
        scene.field("agent", lambda agent: bool(agent.get("retrying")))
    scene.act("abort_retry")
    yield
    scene.ended("error")
    scene.act("set_auto_retry", enabled=False)


def escape(scene: Scene) -> Iterator[None]:
    scene.send(f"slow 400 20 {scene.number}")
    scene.writes("word5")
    yield
    scene.here.pi.keys("escape")
    yield
    scene.ended("aborted")


def stop(scene: Scene) -> Iterator[None]:
    scene.type(f"slow 400 20 {scene.number}")
    scene.writes("word5")
    yield
    scene.act("stop_turn")
    yield
    scene.ended("aborted")


def queue(scene: Scene) -> Iterator[None]:
    scene.type(f"slow 150 20 {scene.number}")
    scene.writes("word3")
    scene.type_on(f"same words {scene.number}")
    scene.field("queuedFollowUps", lambda items: len(items) == 1)
    steered = scene.send(f"same words {scene.number}", "steer")
    yield
    follows = scene.send(f"afterwards {scene.number}", "follow_up")
    yield
    if not scene.restarts:
        scene.field("queuedFollowUps", lambda items: [item.get("clientTurnId") for item in items] == [None, steered, follows])
        scene.field("queuedFollowUps", lambda items: [item["kind"] for item in items] == ["steer", "steer", "follow_up"])
    scene.answered(f"Echo: afterwards {scene.number}")
    scene.field("queuedFollowUps", lambda items: items == [])


def note(scene: Scene) -> Iterator[None]:
    scene.type("/note")
    yield
    scene.until(lambda rows: [(row.display, text_of(row)) for row in rows[-2:]] == [(True, "seen"), (False, "unseen")], "two notes")


def compaction(scene: Scene) -> Iterator[None]:
    scene.send(f"long {scene.number} {'x' * 400}")
    scene.answered(f"Echo: long {scene.number} {'x' * 400}")
    before = [row.id for row in scene.along.messages]
    scene.act("compact", instructions="briefly")
    yield
    scene.until(lambda rows: scene.rests() and [row.kind for row in rows[-1:]] == ["compaction"], "a compaction")
    assert [row.id for row in scene.along.messages[:-1]] == before


def compaction_here(scene: Scene) -> Iterator[None]:
    scene.type(f"long {scene.number} {'y' * 400}")
    scene.answered(f"Echo: long {scene.number} {'y' * 400}")
    scene.type("/compact")
    yield
    scene.until(lambda rows: scene.rests() and [row.kind for row in rows[-1:]] == ["compaction"], "a compaction")


def reload(scene: Scene) -> Iterator[None]:
    scene.type("/reload")
    yield
    if not scene.restarts:
        scene.along.wait(lambda _: scene.along.boundaries[-1:] == ["reload"], "is not told of a reload")
    scene.here.wait_session()
    scene.send(f"after it {scene.number}")
    yield
    scene.answered(f"Echo: after it {scene.number}")


def tree(scene: Scene) -> Iterator[None]:
    for place in ("one", "two"):
        scene.send(f"{place} {scene.number}")
        scene.answered(f"Echo: {place} {scene.number}")
    answer = next(row for row in scene.along.messages if text_of(row) == f"Echo: one {scene.number}")
    yield
    scene.act("navigate_tree", entryId=answer.id)
    yield
    scene.shows(f"one {scene.number}")
    scene.send(f"three {scene.number}")
    yield
    scene.answered(f"Echo: three {scene.number}")
    scene.shows(f"one {scene.number}", f"three {scene.number}")


def tree_summary(scene: Scene) -> Iterator[None]:
    for place in ("one", "two"):
        scene.send(f"{place} {scene.number}")
        scene.answered(f"Echo: {place} {scene.number}")
    answer = next(row for row in scene.along.messages if text_of(row) == f"Echo: one {scene.number}")
    yield
    scene.act("navigate_tree", entryId=answer.id, summarize=True)
    yield
    scene.until(lambda rows: [row.kind for row in rows[-1:]] == ["branch_summary"], "what was left, summed up")
    scene.shows(f"one {scene.number}")
    scene.send(f"three {scene.number}")
    yield
    scene.answered(f"Echo: three {scene.number}")
    scene.shows(f"one {scene.number}", f"three {scene.number}")


def tree_here(scene: Scene) -> Iterator[None]:
    for place in ("one", "two"):
        scene.type(f"{place} {scene.number}")
        scene.answered(f"Echo: {place} {scene.number}")
    scene.type("/tree")
    scene.here.pi.settle(0.3)
    # From the last answer to the question, and to the answer before it.
    scene.here.pi.keys("up", "up", "enter")
    scene.here.pi.settle(0.3)
    # No summary of what is left.
    scene.here.pi.keys("enter")
    yield
    scene.shows(f"one {scene.number}")
    scene.type(f"three {scene.number}")
    yield
    scene.answered(f"Echo: three {scene.number}")
    scene.shows(f"one {scene.number}", f"three {scene.number}")


def new(scene: Scene) -> Iterator[None]:
    scene.type("/new")
    yield
    scene.until(lambda rows: rows == [], "an empty conversation")
    scene.here.wait_session()
    scene.type(f"first of all {scene.number}")
    yield
    scene.answered(f"Echo: first of all {scene.number}")
    scene.send(f"second {scene.number}")
    scene.answered(f"Echo: second {scene.number}")


def resume(scene: Scene) -> Iterator[None]:
    before = [row.id for row in scene.along.messages]
    yield from new(scene)
    scene.type("/resume")
    scene.here.pi.settle(0.4)
    # The newest is the one that is shown.
    scene.here.pi.keys("down", "enter")
    yield
    scene.until(lambda rows: [row.id for row in rows] == before, "the conversation before")
    scene.here.wait_session()
    scene.send(f"again {scene.number}")
    yield
    scene.answered(f"Echo: again {scene.number}")


def fork(scene: Scene) -> Iterator[None]:
    scene.type(f"to be left {scene.number}")
    scene.answered(f"Echo: to be left {scene.number}")
    before = [row.id for row in scene.along.messages]
    scene.type("/fork")
    scene.here.pi.settle(0.4)
    scene.here.pi.keys("enter")
    yield
    scene.until(lambda rows: [row.id for row in rows] == before[:-2], "the fork")
    scene.here.wait_session()
    # Pi gives the question back to be changed.
    scene.here.pi.keys("ctrl+c")
    scene.send(f"in the fork {scene.number}")
    yield
    scene.answered(f"Echo: in the fork {scene.number}")


PLAYS: Final[Mapping[str, tuple[Play, int]]] = {
    play.__name__: (play, points)
    for play, points in (
        (text, 3),
        (thinking, 1),
        (streaming, 3),
        (tool, 2),
        (tool_error, 1),
        (bash, 2),
        (error, 1),
        (retry, 2),
        (abort_retry, 2),
        (escape, 2),
        (stop, 2),
        (queue, 2),
        (note, 1),
        (compaction, 1),
        (compaction_here, 1),
        (reload, 2),
        (tree, 3),
        (tree_summary, 3),
        (tree_here, 2),
        (new, 2),
        (resume, 4),
        (fork, 2),
    )
}
"""By the row's name: how it is played, and how many points it has."""
