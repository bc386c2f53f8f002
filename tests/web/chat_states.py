"""The states of the page in which a conversation is read, and what may come while somebody writes in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from playwright.sync_api import Locator, expect

from mirrord.wire import chat
from mirrord.wire import messages as wire
from tests.web import story
from tests.web.card import Card
from tests.web.composer_states import composer, field, submitted, talking
from tests.web.scripted import SILENT
from tests.web.states import PLAN, SECOND, START, WHICH, Act, Show, State, asked
from tests.web.surface_states import press

ENTRIES: Final = 20_000
"""Of a session that nobody reads whole."""
WINDOW: Final = 300
"""What the daemon tells at first (CHAT_ROWS)."""
WHY: Final = "The terminal cannot be reached right now; try again."

Tell = Callable[[int], story.Story]


def reading(tell: Tell, act: Act = lambda show: None, *, seen: str = "the storage notes", **more: Any) -> Act:
    """A session with that conversation, at its end."""
    return talking(act, said=lambda now: tell(now).said, seen=seen, **more)


def row(show: Show, text: str) -> Locator:
    """The last row with that text in it."""
    return show.page.locator("[data-key]").filter(has_text=text).last


def unfolded(text: str) -> Act:
    """That row is open, and stands where it can be read."""

    def act(show: Show) -> None:
        head = row(show, text).get_by_role("button", expanded=False).first
        press(show, head)
        opened = row(show, text).get_by_role("button", expanded=True).first
        expect(opened).to_be_visible()
        opened.evaluate("(head) => { head.style.scrollMarginTop = '5rem'; head.scrollIntoView(); }")

    return act


def _at_start(show: Show) -> None:
    show.page.locator("main.pane").evaluate("(pane) => { pane.scrollTop = 0; }")


def _earlier(show: Show) -> None:
    """The reader is at the first message, and the page before it is on its way, or did not come."""
    _at_start(show)
    expect(show.page.get_by_text("Loading earlier messages").or_(show.page.get_by_text("Earlier messages did not come"))).to_be_visible()


def long_one(act: Act = lambda show: None) -> Act:
    """The last messages of a session that has many more."""
    turns = WINDOW // 4
    first = ENTRIES // 4 - turns
    return talking(
        act,
        said=lambda now: story.many(now, turns, first),
        seen=f"Question {ENTRIES // 4 - 1}:",
        history=chat.ChatHistory(more=True, before="e1"),
    )


def before(given: object) -> Act:
    """The first page is being asked for; `given` is what comes of it."""
    return reading(story.short, _earlier, history=chat.ChatHistory(more=True, before="e1"), gives={"chat_history": given})


def _hidden(show: Show) -> None:
    """Through the settings, where the switch is."""
    here = show.page.evaluate("location.hash")
    show.page.evaluate("location.hash = 'settings'")
    show.page.get_by_role("switch", name="Hidden messages").click()
    show.page.evaluate("(here) => { location.hash = here; }", here)
    expect(row(show, "prefers names over positions")).to_be_attached()
    row(show, "prefers names over positions").evaluate("(row) => row.scrollIntoView({block: 'center'})")


def _cut_off(show: Show) -> None:
    """The daemon goes, and is not back."""
    show.page.route_web_socket("**/v1/*", lambda socket: socket.close(code=1001, reason="the daemon stops"))
    show.daemon.cut()
    expect(show.page.get_by_role("region", name="Connection")).to_be_visible()


def _begun_anew(show: Show) -> None:
    """`/new` at the terminal."""
    here = show.daemon.sessions[0].session.session_id
    event = show.daemon.chat(here, chat.ChatSnapshot(messages=(), history=chat.ChatHistory(more=False, before=None)))
    show.daemon.say(chat.ChatEvent(here, event.cursor, event.revision, event.snapshot, boundary="new"))
    expect(show.page.get_by_text("New conversation")).to_be_visible()


def _untold(show: Show) -> None:
    """The session is there, and its conversation on its way."""
    talking()(show)
    told = show.daemon.sessions[0]
    told.chat = None
    show.open(f"#session={told.session.session_id}")
    expect(show.page.get_by_text("Fetching the conversation")).to_be_visible()


def _behind(show: Show) -> None:
    """Somebody reads further up while more is said."""
    show.page.locator("main.pane").evaluate("(pane) => { pane.scrollTop -= 500; }")
    pill = show.page.get_by_role("button", name="To the end")
    expect(pill).to_be_visible()
    here = show.daemon.sessions[0].session.session_id
    said = story.Story(show.daemon.now()).pi(0, story.text("One thing more.")).said[0]
    add = chat.ChatPatch("add", f"/messages/{WINDOW}", said)
    event = show.daemon.chat(here, chat.ChatSnapshot())
    show.daemon.say(chat.ChatEvent(here, event.cursor, event.revision, patches=(add,)))
    expect(show.page.get_by_role("button", name="1 new message")).to_be_visible()


# ---- while somebody writes ------------------------------------------------------------------------------------------------


def _follow_up(show: Show) -> None:
    field(show).fill("Then write the release notes for it")
    composer(show).get_by_role("button", name="Switch to follow-up").click()
    expect(composer(show).locator(".composer-hint")).to_contain_text("Follow-up")


def _typing(text: str) -> Act:
    def act(show: Show) -> None:
        field(show).fill(text)
        field(show).focus()

    return act


def _on_its_way(show: Show) -> None:
    """Sent, and there is no word of it."""
    field(show).fill("Move the table behind a view, and keep the old shape readable for a week")
    composer(show).get_by_role("button", name="Send", exact=True).click()
    submitted(show)
    expect(composer(show).get_by_role("list", name="Messages on their way")).to_be_visible()


def _pi_has_it(show: Show) -> None:
    _on_its_way(show)
    turn = submitted(show)[-1]
    show.daemon.say(chat.Receipt(turn.session_id, turn.client_turn_id, "accepted", show.daemon.now()))
    expect(composer(show).get_by_text("At Pi\u2019s terminal")).to_be_visible()


def _sheet(show: Show) -> None:
    show.card().open()


def _ask_over_draft(show: Show) -> None:
    """A question comes while somebody types."""
    field(show).fill("While you are at it: the nightly report reads rows too")
    prompt = asked(show, "select", WHICH, options=("SQLite in memory", "Postgres in Docker", "The staging replica"), option_count=3)
    show.daemon.say(prompt)
    Card(show.page, WHICH).shown()


def _toasts(show: Show) -> None:
    here = show.daemon.sessions[0].session.session_id
    for level, text in (("info", "Tests are green"), ("error", "The push was rejected: main has moved")):
        show.daemon.say(wire.ExtensionUINotification(here, "notify", message=text, notify_type=level, source="planner"))  # type: ignore[arg-type] # literals
    expect(show.page.get_by_role("log", name="Notifications")).to_contain_text("main has moved")


QUEUE: Final = (
    chat.QueuedFollowUp("steer", 0, "Leave the nightly report for the end", "b1946ac9-2a55-4f4e-9b8e-7c3f2a1d0001", "the blue phone"),
    chat.QueuedFollowUp(
        "follow_up", 1, "Then write the release notes for it, and tell the three people who asked about the order of the columns"
    ),
    chat.QueuedFollowUp("follow_up", 2, "And open a pull request"),
)
RETRYING: Final = chat.ChatRetrying(2, 3, 8 * SECOND, "529 overloaded_error: Overloaded")
WORKING: Final[dict[str, Any]] = {"state": "working", "streaming": True}


def _states() -> tuple[State, ...]:
    listed: dict[str, Act] = {
        "chat-short": reading(story.short),
        "chat-start": reading(story.short, _at_start),
        "chat-running": reading(story.running, seen="I run its tests first", **WORKING),
        "chat-streaming": reading(story.streaming, seen="both of them go by", **WORKING),
        "chat-thinking": reading(story.reasoning, seen="The order was fixed", **WORKING),
        "chat-thinking-open": reading(story.short, unfolded("Index access on rows first")),
        "chat-kinds": reading(story.kinds, seen="leave the query alone"),
        "chat-kinds-start": reading(story.kinds, _at_start, seen="leave the query alone"),
        "chat-hidden": reading(story.kinds, _hidden, seen="leave the query alone"),
        "chat-markdown": reading(story.plan, seen="Counts what was moved"),
        "chat-diff": reading(story.short, unfolded("edit src/session/store.ts")),
        "chat-output": reading(story.short, unfolded("npm test -- --reporter=tap")),
        "chat-failed": reading(story.failed, seen="Cut off"),
        "chat-retrying": reading(story.short, agent={"retrying": RETRYING}, **WORKING),
        "chat-compacting": reading(story.short, agent={"compacting": True}),
        "chat-long": long_one(),
        "chat-long-behind": long_one(_behind),
        "chat-older-loading": before(SILENT),
        "chat-older-failed": before(ValueError(WHY)),
        "chat-empty": talking(said=lambda now: (), seen="Nothing said yet"),
        "chat-new": talking(_begun_anew),
        "chat-unknown": _untold,
        "chat-stale": reading(story.short, _cut_off),
        "chat-toasts": reading(story.running, _toasts, seen="I run its tests first", **WORKING),
        "chat-card": reading(story.short, prompt={"method": "ask", "title": START.question, "questions": (START,), "allow_custom": True}),
        "chat-card-draft": reading(story.short, _ask_over_draft),
        "chat-sheet": reading(
            story.short, _sheet, prompt={"method": "editor", "title": "Edit the plan before it is carried out", "prefill": PLAN}
        ),
        "composer-follow-up": reading(story.running, _follow_up, seen="I run its tests first", **WORKING),
        "composer-shell": talking(_typing("!git status --short")),
        "composer-long": talking(_typing(story.ANSWER)),
        "composer-sending": reading(story.short, _on_its_way),
        "composer-accepted": reading(story.short, _pi_has_it),
        "composer-queue-folded": reading(story.running, seen="I run its tests first", queued_follow_ups=QUEUE, **WORKING),
        "composer-read-only": reading(story.short, read_only=True, read_only_reason="This Pi has quit."),
    }
    return tuple(State(name, bring) for name, bring in listed.items())


CHAT_STATES: Final = _states()
