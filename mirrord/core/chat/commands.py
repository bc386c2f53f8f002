"""What conversations ask of their surroundings. KeepReceipt is in mirrord/core/receipts.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from mirrord.core.model import LinkId
from mirrord.wire.chat import SubmitKind


@dataclass(frozen=True, slots=True)
class AskHistory:
    """Ask the terminal for at most `limit` rows before an entry; PageTold with the same `request` follows."""

    link: LinkId
    request: str
    before: str
    limit: int


@dataclass(frozen=True, slots=True)
class AskChatAgain:
    """Ask the terminal to tell its conversation again."""

    link: LinkId


@dataclass(frozen=True, slots=True)
class ForwardTurn:
    """Give the terminal what a client sent; TurnRuled follows, more than once. Its repr shows no text (design FIXED 7)."""

    link: LinkId
    turn: str
    kind: SubmitKind
    text: str = field(repr=False)
    literal: bool
    excluded: bool
    name: str
    client_kind: str


@dataclass(frozen=True, slots=True)
class ForwardAction:
    """Ask the terminal to do something; ActionDone with the same `request` follows."""

    link: LinkId
    request: str
    action: str
    args: dict[str, Any] = field(repr=False)
    name: str
    client_kind: str


ChatCommand = AskHistory | AskChatAgain | ForwardTurn | ForwardAction
