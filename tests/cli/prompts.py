"""Prompts and sessions for the tests of the command line."""

from __future__ import annotations

from mirrord.wire.messages import ExtensionUIRequest, Session, State, Status

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
