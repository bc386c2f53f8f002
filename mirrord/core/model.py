"""Ids and frozen records that the core's events, commands and state are made of. All texts in here are sanitized."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NewType

from msgspec import json
from msgspec.structs import replace

from mirrord.wire.messages import Method, Outcome, Question, Truncation, Winner
from mirrord.wire.roles import Role
from mirrord.wire.surfaces import NativeSurface

TerminalId = NewType("TerminalId", str)
"""A Pi process: pid and start time. The session that clients see."""
PromptId = NewType("PromptId", str)
LinkId = NewType("LinkId", int)
"""One connection of an extension; a new one for each generation and each daemon."""
ClientId = NewType("ClientId", int)
"""One connection of a client."""
ResponseId = NewType("ResponseId", str)


@dataclass(frozen=True, slots=True)
class Moment:
    """When an event happened: `wall` in ms since the epoch (shown to people), `boot` in seconds on a clock that never jumps."""

    wall: int
    boot: float


@dataclass(frozen=True, slots=True)
class Terminal:
    """What an extension said about its Pi."""

    id: TerminalId
    pid: int
    conversation_id: str
    cwd: str
    name: str | None
    pi_version: str | None
    capabilities: tuple[str, ...]
    first_message: str | None = None
    extension_version: str | None = None


@dataclass(frozen=True, slots=True)
class Prompt:
    """An open dialog as it may be shown."""

    id: PromptId
    method: Method
    title: str
    opened_at: int
    message: str | None = None
    options: tuple[str, ...] = ()
    """Every option that is known, in its place; a request carries the first OPTIONS_SENT."""
    option_count: int = 0
    placeholder: str | None = None
    masked: bool = False
    timeout: float | None = None
    timeout_at: int | None = None
    truncated: tuple[Truncation, ...] = ()
    source: str | None = None
    prefill: str | None = field(default=None, repr=False)
    """Content of an editor, never changed."""
    questions: tuple[Question, ...] = ()
    allow_custom: bool = True
    terminal_only: str | None = None
    """Why a remote cannot answer, in one sentence."""
    cancellable: bool = True


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a widget, a region or a view shows, clean and within the bounds of one surface."""

    native: NativeSurface = field(repr=False)
    lines: tuple[str, ...] = field(repr=False)
    """Its text alone."""
    size: int
    """Bytes of all of it as JSON."""
    heading: str | None = None
    """Title and subtitle that its author gave it; the title of a surface that was made here is none."""
    source: str | None = None
    truncated: tuple[Truncation, ...] = ()

    @property
    def is_abridged(self) -> bool:
        """Whether it is a heading alone already."""
        return not self.native.blocks and self.native.fallback is None

    def abridged(self) -> Drawing:
        """Its heading alone, for a session that shows too much already."""
        native = replace(self.native, blocks=(), fallback=None)
        lines = (self.native.presentation.title or self.native.id,)
        cut = (*self.truncated, Truncation("nativeSurface", 0, self.size))
        return Drawing(native, lines, len(json.encode((native, lines))), self.heading, self.source, cut)


@dataclass(frozen=True, slots=True)
class Handoff:
    """A text that an extension put into Pi's editor, or at its cursor. Content: never changed, never kept for long."""

    id: str
    text: str = field(repr=False)
    paste: bool
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """A checked answer, as it goes to the terminal: exactly one field is set. Its repr shows no text (design FIXED 7)."""

    index: int | None = None
    confirmed: bool | None = None
    text: str | None = None
    answers: Mapping[str, str | tuple[str, ...]] | None = None
    """By question id: one value, or several where the question takes several."""
    unchanged: bool = False
    cancelled: bool = False

    def __repr__(self) -> str:
        """Without the text."""
        kind = "cancel" if self.cancelled else "text" if self.text is not None or self.answers is not None else "choice"
        return f"Reply({kind})"


@dataclass(frozen=True, slots=True)
class Client:
    """A connected client after its hello."""

    id: ClientId
    name: str
    kind: str
    role: Role
    credential: str
    """The credential's name; `local` for the control socket."""
    capabilities: frozenset[str]
    device: str = ""
    """The device's id; empty for the control socket."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a prompt ended; there is exactly one for each prompt id, and it never changes."""

    id: PromptId
    outcome: Outcome
    winner: Winner
    at: int
    winner_name: str | None = None
    answer: str | None = None
    reason: str | None = None
    response_id: ResponseId | None = None
    again: bool = False
    """An earlier daemon had it, so that it need not be told to everybody."""


Importance = Literal["must", "latest", "may"]
"""`must`: the client is evicted rather than lose it. `latest`: a newer one with the same key replaces it. `may`: dropped without room."""
