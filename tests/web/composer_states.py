"""The states of the page in which a person talks to Pi: the composer, what waits, and the card that grows out of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from playwright.sync_api import Locator, expect

from mirrord.wire import chat
from mirrord.wire import messages as wire
from tests.web.scripted import Told
from tests.web.states import MINUTE, SECOND, Act, Show, State, asked, neighbours, serve, session

MODELS: Final = tuple(
    chat.ChatModel(provider, id_, name)
    for provider, id_, name in (
        ("anthropic", "claude-opus-5", "Claude Opus 5"),
        ("anthropic", "claude-sonnet-5", "Claude Sonnet 5"),
        ("openai", "gpt-6", "GPT-6"),
        ("google", "gemini-4-pro", "Gemini 4 Pro"),
        ("mistral", "devstral-3", "Devstral 3"),
        ("local", "qwen-4-coder-32b-instruct-q6", "Qwen 4 Coder 32B Instruct Q6"),
        ("deepseek", "v4", "DeepSeek V4"),
        ("groq", "llama-5-70b", "Llama 5 70B"),
    )
)
AGENT: Final = chat.ChatAgent(model=MODELS[0], models=MODELS, thinking_level="medium", levels=("off", "low", "medium", "high"))
SAID: Final = (
    ("user", "Read the session store and tell me who else reads rows by position"),
    (
        "assistant",
        "Three places read a row by position; the others go by name. The nightly report is one of them.",
    ),
    ("user", "Then move the table behind a view, and keep the old shape readable for a week"),
    (
        "assistant",
        "Both shapes are written, the old one is read. The backfill goes in batches and stops by itself when the replica lags.",
    ),
)
COMMANDS: Final = (
    {"name": "reload", "description": "Load extensions, skills, prompts and settings anew", "source": "built-in"},
    {"name": "review", "description": "Review the changes on this branch", "source": "prompt"},
    {"name": "release-notes", "description": "Write the notes of the next release", "source": "prompt"},
    {"name": "plan", "description": "Plan before doing", "source": "extension"},
)
GIVEN: Final = {"chat_commands": {"commands": COMMANDS}, "set_model": None, "set_thinking_level": None, "stop_turn": None}
WAITING: Final = (
    chat.QueuedFollowUp("steer", 0, "Leave the nightly report for the end", "b1946ac9-2a55-4f4e-9b8e-7c3f2a1d0001", "the blue phone"),
    chat.QueuedFollowUp("follow_up", 1, "Then write the release notes for it"),
)
QUEUE_REASON: Final = "What waits in Pi can be changed at the terminal only, so far."


def composer(show: Show) -> Locator:
    return show.page.get_by_role("region", name="Composer")


def field(show: Show) -> Locator:
    """The text area."""
    return composer(show).locator("textarea.composer-field")


def usual_messages(now: int) -> tuple[chat.ChatMessage, ...]:
    return tuple(
        chat.ChatMessage(f"e{at}", kind, now - (len(SAID) - at) * MINUTE, "done", (chat.ChatPart("text", text),), entry_id=f"e{at}")
        for at, (kind, text) in enumerate(SAID)
    )


def conversation(now: int, **more: Any) -> chat.ChatSnapshot:
    """Some messages, and all that a first snapshot tells."""
    usual: dict[str, Any] = {
        "messages": usual_messages(now),
        "history": chat.ChatHistory(more=False, before=None),
        "queued_follow_ups": (),
        "queue_read_only": True,
        "queue_read_only_reason": QUEUE_REASON,
        "streaming": False,
        "read_only": False,
        "agent": AGENT,
    }
    return chat.ChatSnapshot(**{**usual, **more})


def talking(
    act: Act = lambda show: None,
    *,
    state: wire.State = "idle",
    prompt: dict[str, Any] | None = None,
    role: wire.RoleName = "controller",
    agent: dict[str, Any] | None = None,
    said: Callable[[int], tuple[chat.ChatMessage, ...]] = usual_messages,
    seen: str = "stops by itself when the replica lags",
    gives: Mapping[str, object] | None = None,
    **more: Any,
) -> Act:
    """A session with its conversation; `more` is of the snapshot, `agent` of what Pi is set to, `prompt` a question that waits.

    `said` gives the messages at that time, and `gives` is what commands give; it has come when a text of the page is `seen`.
    """

    def bring(show: Show) -> None:
        now = show.daemon.now()
        prompts = () if prompt is None else (asked(show, **{"method": "confirm", **prompt}),)
        here = session(now, 1, "waiting" if prompts else state, age=8 * SECOND, capabilities=("chat", "prompt:confirm"))
        told = conversation(now, messages=said(now), agent=msgspec.structs.replace(AGENT, **(agent or {})), **more)
        show.daemon.role = role
        show.daemon.commands = {**GIVEN, **(gives or {})}
        serve(show, Told(here, prompts, chat=told), *neighbours(show))
        # Before the page is there, which would have something to keep.
        browser = show.tab.context.new_cdp_session(show.page)
        browser.send("Storage.clearDataForOrigin", {"origin": show.origin, "storageTypes": "local_storage"})
        browser.detach()
        show.open(f"#session={here.session_id}")
        expect(composer(show)).to_be_visible()
        expect(show.page.get_by_text(seen).last).to_be_visible()
        act(show)

    return bring


def typed(text: str) -> Act:
    def act(show: Show) -> None:
        field(show).fill(text)

    return act


def handed(text: str, before: str = "") -> Act:
    """An extension hands over a text."""

    def act(show: Show) -> None:
        if before:
            field(show).fill(before)
        here = show.daemon.sessions[0].session.session_id
        show.daemon.say(wire.ExtensionUINotification(here, "set_editor_text", handoff_id="h1", text=text, source="planner"))
        expect(composer(show)).to_contain_text("Text from planner")

    return act


def sent(text: str, stage: chat.Stage, reason: str) -> Act:
    """A message that did not go well."""

    def act(show: Show) -> None:
        field(show).fill(text)
        composer(show).get_by_role("button", name="Send", exact=True).click()
        turn = submitted(show)[-1]
        show.daemon.say(chat.Receipt(turn.session_id, turn.client_turn_id, stage, show.daemon.now(), reason=reason))
        expect(composer(show).get_by_role("button", name="Retry")).to_be_visible()

    return act


def submitted(show: Show) -> list[chat.ChatAction]:
    """What the page sent, once something has come."""
    expect(field(show)).to_have_value("")
    return [said for said in show.daemon.heard if isinstance(said, chat.ChatAction) and said.action == "submit"]


def picking(chip: str) -> Act:
    def act(show: Show) -> None:
        composer(show).get_by_role("button", name=chip).click()
        expect(show.page.get_by_role("dialog")).to_be_visible()

    return act


def completing(show: Show) -> None:
    field(show).press_sequentially("/re")
    expect(composer(show).get_by_role("option")).to_have_count(3)


def _states() -> tuple[State, ...]:
    listed: dict[str, Callable[[Show], None]] = {
        "composer-empty": talking(),
        "composer-typed": talking(typed("Write down what you measured, too.\n\nAnd the roll back.")),
        "composer-steer": talking(typed("Start with the north side"), state="working", streaming=True),
        "composer-stop": talking(state="working", streaming=True),
        "composer-overdue": talking(state="working", streaming=True, stopping=chat.ChatStopping(0, "phone", overdue=True)),
        "composer-command": talking(completing),
        "composer-unknown-command": talking(typed("/revew everything")),
        "composer-handoff": talking(handed("Review src/store.ts:\u202e the view\nand the \u200bbackfill", "I had begun to type")),
        "composer-rejected": talking(sent("Move the table behind a view", "rejected", "A turn is running: steer it, or follow up.")),
        "composer-unknown": talking(sent("And the roses?", "unknown", "The link to Pi broke before it said whether it took this.")),
        "composer-queue": talking(state="working", streaming=True, queued_follow_ups=WAITING),
        "composer-card": talking(prompt={"title": "Delete 14 branches that are merged?", "message": "They are gone from origin too."}),
        "composer-models": talking(picking("Model: Claude Opus 5")),
        "composer-thinking": talking(picking("Thinking: medium")),
        "composer-observer": talking(role="observer"),
        "composer-busy": talking(agent={"compacting": True, "bash": True}),
        "composer-cannot-run": talking(agent={"cannot_run": "No API key for Anthropic: type /login at the terminal."}),
    }
    return tuple(State(name, bring) for name, bring in listed.items())


COMPOSER_STATES: Final = _states()
