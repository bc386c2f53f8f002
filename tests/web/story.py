"""A conversation that is made up: a person has a store of sessions changed, and Pi reads, edits, runs tests and says what it found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from mirrord.wire.chat import ChatDrawn, ChatMessage, ChatPart
from sanitize.spans import Line, Span

MINUTE: Final = 60_000
MODEL: Final = "claude-opus-5"

Messages = tuple[ChatMessage, ...]

ASKED: Final = "Who reads rows of the session store by position? Change them to names, and run the tests."
FOUND: Final = "Two of these break as soon as a column is added. I change them to names:"
ANSWER: Final = """Three places read a row **by position**; two were wrong once a column is added:

1. `src/session/store.ts:88` took the fourth field for the state.
2. `src/worker/drain.ts:17` skipped the second.

Both go by name now. `store.ts:41` stays, it reads the first row whole:

```ts
export function latest(rows: Row[]) {
  // Newest last.
  return rows.at(-1)?.state;
}
```

All 74 tests pass. Why the order was fixed at first is in [the storage notes](https://docs.example.com/storage/rows)."""
GREP: Final = (
    "src/session/store.ts:41:  const first = rows[0];\n"
    "src/session/store.ts:88:  return rows[rows.length - 1]?.[3];\n"
    "src/worker/drain.ts:17:  const [id, , state] = row;"
)
SUITES: Final = ("session store", "drain", "backfill", "replica lag", "view", "rollback", "rows by name", "old shape")
TESTS: Final = "\n".join(f"ok {at + 1} - {SUITES[at % len(SUITES)]} {at * 13 % 90} ms" for at in range(74))
EDIT: Final = {
    "path": "src/session/store.ts",
    "edits": [
        {
            "oldText": "export function latest(rows: Row[]): State {\n  return rows[rows.length - 1]?.[3];\n}",
            "newText": "export function latest(rows: Row[]) {\n  // Newest last.\n  return rows.at(-1)?.state;\n}",
        }
    ],
}
PLAN: Final = """# The plan

Some **bold**, *italic*, ~~struck~~ and `code`, a [link](https://docs.example.com/a), an address https://example.org/b.

## Steps

- Move the table behind a view in `db/schema.sql:12`.
  - Keep the old name.
- [x] Write both shapes
- [ ] Read the new one, see /etc/mirrord/config.toml

> Reading two shapes is cheap; writing two is not.

| step | who | minutes |
|:--|:-:|--:|
| view | worker | 4 |
| backfill | `drain` | 90 |

```python
def drain(rows: Iterable[Row]) -> int:
    \"\"\"Counts what was moved.\"\"\"
    return sum(1 for row in rows if row.state != "done")  # a comment that is longer than a phone is wide
```"""


def text(words: str) -> ChatPart:
    return ChatPart("text", words)


def thinking(words: str) -> ChatPart:
    return ChatPart("thinking", words)


def call(id_: str, name: str, /, **args: object) -> ChatPart:
    return ChatPart("tool_call", tool_call_id=id_, name=name, args=json.dumps(args))


class Story:
    """Messages one after another, each so many minutes before now."""

    def __init__(self, now: int) -> None:
        self._now = now
        self._said: list[ChatMessage] = []

    def add(self, kind: str, minutes: float, *parts: ChatPart, **more: Any) -> Story:
        id_ = f"e{len(self._said) + 1}"
        usual = {"entry_id": id_, "state": "done"}
        self._said.append(ChatMessage(id=id_, kind=kind, at=int(self._now - minutes * MINUTE), parts=parts, **{**usual, **more}))
        return self

    def user(self, minutes: float, words: str, *parts: ChatPart) -> Story:
        return self.add("user", minutes, text(words), *parts)

    def pi(self, minutes: float, *parts: ChatPart, **more: Any) -> Story:
        return self.add("assistant", minutes, *parts, **{"provider": "anthropic", "model": MODEL, "duration_ms": 12_400, **more})

    def tool(self, minutes: float, of: str, name: str, *parts: ChatPart, **more: Any) -> Story:
        return self.add("tool", minutes, *parts, **{"tool_call_id": of, "tool_name": name, "duration_ms": 40, **more})

    @property
    def said(self) -> Messages:
        return tuple(self._said)


def short(now: int) -> Story:
    """One question, the work, and the answer."""
    reading = (call("c1", "grep", pattern="rows?\\[", path="src"), call("c2", "read", path="src/session/store.ts", offset=30, limit=70))
    drain = call("c4", "edit", path="src/worker/drain.ts", oldText="  const [id, , state] = row;", newText="  const { id, state } = row;")
    changing = (call("c3", "edit", **EDIT), drain, call("c5", "bash", command="npm test -- --reporter=tap 2>&1 | tail -80"))
    thought = "Index access on rows first, then destructuring, which is easy to miss with a plain grep."
    return (
        Story(now)
        .user(9, ASKED)
        .pi(9, thinking(thought), text("I look for index access first, then for destructuring."), *reading)
        .tool(9, "c1", "grep", text(GREP))
        .tool(9, "c2", "read", text("export interface Row {\n  id: string;\n  state: State;\n}"))
        .pi(8, text(FOUND), *changing)
        .tool(8, "c3", "edit", text("Edited src/session/store.ts"))
        .tool(8, "c4", "edit", text("Edited src/worker/drain.ts"))
        .tool(8, "c5", "bash", text(TESTS), duration_ms=14_200)
        .pi(7, text(ANSWER), stop_reason="stop")
    )


def running(now: int) -> Story:
    """The next turn has a call that runs."""
    calls = (call("q1", "bash", command="npm test -- queue"), call("q2", "read", path="src/queue.ts"))
    return (
        short(now)
        .user(1, "And the queue?")
        .pi(0.2, thinking("The queue reads rows too."), text("I run its tests first:"), *calls)
        .tool(0.1, "q2", "read", text("export class Queue {}"))
    )


def streaming(now: int, words: str = "The queue reads a row in two places, and both of them go by") -> Story:
    return short(now).user(0.3, "And the queue?").pi(0, text(words), state="streaming", duration_ms=None, entry_id=None)


def reasoning(now: int) -> Story:
    """Pi thinks, and has said nothing yet."""
    return short(now).user(1, "Why was it so?").pi(0, thinking("The order was fixed when rows were tuples"), state="streaming")


def plan(now: int) -> Story:
    """Everything that Markdown has."""
    return Story(now).user(3, "Write the plan.").pi(2, text(PLAN))


def kinds(now: int) -> Story:
    """A row of every kind."""
    lines = (
        Line((Span("✓ ", "success"), Span("north ", "primary", ("bold",)), Span("12 bulbs", "muted"))),
        Line((Span("! ", "warning"), Span("south ", "primary", ("bold",)), Span("too wet", "muted"))),
    )
    calls = (
        call("k1", "read", path="docs/queue.png"),
        call("k2", "plant_beds", beds=["north", "south"], name="tulips", deep=True),
        call("k3", "write", path="docs/queue.md", content="# Queue\n\nRows are read by name.\n"),
        call("k4", "web_search", query="postgres skip locked ordering"),
        call("k5", "bash", command="psql -c 'select 1'"),
    )
    refused = 'psql: error: connection to server on socket "/run/postgresql/.s.PGSQL.5432" failed\n\tIs the server running locally?'
    return (
        Story(now)
        .add("compaction", 26 * 60, text("## Goal\n\nRead rows by name.\n\n## Done\n\n- the store\n- the worker"), tokens_before=148_212)
        .user(25 * 60, "Here is how it looks at the moment.", ChatPart("image", mime_type="image/png", bytes=482_133))
        .add("branch_summary", 25 * 60, text("The other branch tried a view over the table; it was slower."))
        .add("bash", 14, text(" M src/session/store.ts\n?? notes.md"), command="git status --short", exit_code=0, duration_ms=22)
        .add("bash", 13, text("cat: .env.local: No such file or directory"), command="cat .env.local", exit_code=1, excluded=True)
        .add("custom", 12, text("**Next**: the queue, then the two workers.\n\n- [x] session store\n- [ ] queue"), custom_type="plan")
        .add("custom", 12, text("The person prefers names over positions."), custom_type="memory", display=False)
        .pi(11, thinking(""), text("Let me look at the queue, and at a picture of it."), *calls)
        .tool(11, "k1", "read", ChatPart("image", mime_type="image/png", bytes=88_100))
        .tool(11, "k2", "plant_beds", text("planted"), drawn=ChatDrawn(lines, 40))
        .tool(11, "k3", "write", text("Wrote docs/queue.md"))
        .tool(11, "k4", "web_search", text("3 results"), duration_ms=2_400)
        .tool(11, "k5", "bash", text(refused), is_error=True)
        .add("weather", 10, text("Rain until four."))
        .pi(9, ChatPart("citation", "RFC 9110, section 9.3"), text("The server is not running here, so I leave the query alone."))
    )


def failed(now: int) -> Story:
    """Three answers that did not end well."""
    return (
        short(now)
        .user(3, "Go on.")
        .pi(3, text("I begin with the"), state="error", error="529 overloaded_error: Overloaded. The model has too much to do.")
        .user(2, "Again.")
        .pi(2, text("The queue"), state="aborted")
        .user(1, "Everything, please.")
        .pi(1, text("First, the"), stop_reason="length")
    )


def many(now: int, turns: int, first: int = 0) -> Messages:
    """Turns of four messages, of a session that has more of them; `first` is the number of the first."""
    pieces: Sequence[str] = ANSWER.split("\n\n")
    story = Story(now)
    for turn in range(turns):
        minutes, number = 3 * (turns - turn), first + turn
        story.user(minutes, f"Question {number}: what does {SUITES[number % len(SUITES)]} read?")
        story.pi(minutes, text(f"I look at {SUITES[number % len(SUITES)]}."), call(f"t{number}", "read", path=f"src/part_{number}.ts"))
        story.tool(minutes, f"t{number}", "read", text("export {};\n" * (number % 9 + 1)))
        story.pi(minutes, text("\n\n".join(pieces[: number % len(pieces) + 1])))
    return tuple(story.said)
