"""Prompts and sessions for the tests of the command line."""

from __future__ import annotations

from typing import Any

from mirrord.wire.messages import ExtensionUIRequest, Method, Question, QuestionOption, Session, State, Status

FRUIT = ("apple", "banana", "cherry")


def select(prompt_id: str = "s", options: tuple[str, ...] = FRUIT, count: int | None = None) -> ExtensionUIRequest:
    return ExtensionUIRequest(
        session_id="1-1",
        id=prompt_id,
        method="select",
        title="Which fruit?",
        opened_at=1,
        options=options,
        option_count=len(options) if count is None else count,
    )


def confirm(prompt_id: str = "c") -> ExtensionUIRequest:
    return ExtensionUIRequest(session_id="1-1", id=prompt_id, method="confirm", title="Delete?", opened_at=1, message="For ever.")


def line_input(prompt_id: str = "i", masked: bool = False) -> ExtensionUIRequest:
    return ExtensionUIRequest(
        session_id="1-1", id=prompt_id, method="input", title="Name?", opened_at=1, placeholder="a name", masked=masked
    )


def editor(prompt_id: str = "e", prefill: str | None = "one\ntwo", **more: Any) -> ExtensionUIRequest:
    return ExtensionUIRequest(session_id="1-1", id=prompt_id, method="editor", title="Edit the plan", opened_at=1, prefill=prefill, **more)


def question(id_: str, *labels: str, several: bool = False) -> Question:
    """A question whose options have the values `v:LABEL`."""
    return Question(id_, f"{id_}?", tuple(QuestionOption(f"v:{label}", label) for label in labels), several)


BASE = question("base", "main", "develop")
CHECKS = question("checks", "lint", "types", "tests", several=True)
NOTE = question("note")


def ask(*questions: Question, allow_custom: bool = True, prompt_id: str = "a") -> ExtensionUIRequest:
    title = questions[0].question if len(questions) == 1 else f"{len(questions)} questions"
    return ExtensionUIRequest(
        session_id="1-1", id=prompt_id, method="ask", title=title, opened_at=1, questions=questions, allow_custom=allow_custom
    )


def at_the_terminal(method: Method = "custom", prompt_id: str = "t") -> ExtensionUIRequest:
    return ExtensionUIRequest(
        session_id="1-1",
        id=prompt_id,
        method=method,
        title="A dialog of snake",
        opened_at=1,
        source="snake",
        terminal_only="This dialog is drawn by its extension; use it at the terminal.",
        cancellable=False,
    )


def session(
    session_id: str = "1-1", *, name: str | None = None, state: State = "idle", conversation: str = "conv", cwd: str = "/home/ada/notes"
) -> Session:
    return Session(
        session_id=session_id,
        conversation_id=conversation,
        cwd=cwd,
        status=Status(state, "pi", 1),
        open_prompts=0,
        name=name,
        pid=1,
        pi_version="1.6.0",
    )
